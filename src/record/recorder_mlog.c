/* A recorder's sink for raw counters (.mlog). It handles what is not a sample itself: changes of
 * the wall clock, processes, the size of the file. */
#include "record/recorder_sink.h"

#include "record/history_log.h"
#include "base/alloc.h"
#include "passes/frame_stats.h"
#include "mlog/mlog_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATE_NS 1000000000ll
#define THREADS_OF 4           /* processes whose threads are read, for the verdict */
#define CLOCK_STEP_NS 10000000 /* more than ordinary clock adjustment */
#define PROCESSES_NS 1000000000ll
#define PROCESSES_SHARE 50 /* reading takes at most a 50th of a CPU */

struct raw {
	struct recorder_sink sink;
	const struct session *session;
	struct log_about log;
	struct mlog_writer *writer;
	int64_t offset_ns; /* of the wall clock, as written to the log */
	int64_t slept_ns;  /* how long the machine was suspended since its start, likewise */
	uint64_t n;        /* samples, failed ones excluded */
	struct flow flow;
	struct lean *lean;                 /* NULL before its first use */
	uint64_t seq[SESSION_SOURCES_MAX]; /* of the last sample, while none was lean */
	int64_t newest_ns;                 /* end of the last sample */
	bool slow;                         /* the connection is, which was noted */
	double sample_size;                /* bytes of a sample of each source, as written last */
	struct sample *thin;               /* the last one without passes; NULL before */
};

static struct raw *raw_of(struct recorder_sink *sink)
{
	return (struct raw *)sink;
}

/* ---- the wall clock ---- */

/* Read both clocks at the same time; returns how long that took, by which they may differ. */
static int64_t read_clocks(const struct sys *sys, int64_t *monotonic_ns, int64_t *realtime_ns)
{
	*monotonic_ns = sys->monotonic_ns(sys);
	*realtime_ns = sys->realtime_ns(sys);
	return sys->monotonic_ns(sys) - *monotonic_ns;
}

static void set_clock(struct raw *r)
{
	struct mlog_about *about = &r->log.about;
	int64_t now_ns;

	read_clocks(r->session->sys, &now_ns, &about->realtime_ns);
	r->offset_ns = about->realtime_ns - now_ns;
	about->monotonic_ns = mlog_start_ns(now_ns);
	about->realtime_ns = about->monotonic_ns + r->offset_ns;
	r->slept_ns = r->session->sys->boottime_ns(r->session->sys) - now_ns;
}

static bool note_offset(struct raw *r, int64_t monotonic_ns, const char *text, struct err *err)
{
	struct mlog_note note = {
		.kind = MLOG_NOTE_CLOCK, .time_ns = monotonic_ns, .source = -1, .value = r->offset_ns};

	snprintf(note.text, sizeof(note.text), "%s", text);
	return mlog_writer_note(r->writer, &note, err);
}

/* Note that the wall clock was set, or that the machine was suspended. */
static bool note_clock_step(struct raw *r, struct err *err)
{
	int64_t monotonic_ns, realtime_ns,
		blur_ns = read_clocks(r->session->sys, &monotonic_ns, &realtime_ns);
	int64_t moved_ns = realtime_ns - monotonic_ns - r->offset_ns;
	int64_t slept_ns = r->session->sys->boottime_ns(r->session->sys) - monotonic_ns - r->slept_ns;

	blur_ns += CLOCK_STEP_NS;
	if (slept_ns > blur_ns) {
		r->slept_ns += slept_ns;
		r->offset_ns += slept_ns;
		moved_ns -= slept_ns;
		if (!note_offset(r, monotonic_ns, MLOG_SUSPENDED, err))
			return false;
	}
	if (moved_ns >= -blur_ns && moved_ns <= blur_ns)
		return true;
	r->offset_ns += moved_ns;
	return note_offset(r, monotonic_ns, "", err);
}

/* ---- the sink ---- */

static bool write_block(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct raw *r = raw_of(ctx);

	if (!log_file_write(r->sink.file, bytes, n, err))
		return false;
	r->sink.rows = r->n; /* a block contains everything before it */
	if (r->sink.reader.acks)
		flow_wrote(&r->flow, n, r->session->sys->monotonic_ns(r->session->sys));
	else
		r->flow.written += n;
	return true;
}

static void want_processes(struct raw *r, int64_t cost_ns)
{
	int64_t least_ns = r->sink.reader.lean || r->slow ? 2 * PROCESSES_NS : PROCESSES_NS,
		period_ns = least_ns * (1 + cost_ns * PROCESSES_SHARE / PROCESSES_NS);

	scanner_want(
		r->sink.scanner,
		&(struct process_query){.gpu_memory = true, .threads_of = r->sink.watch ? THREADS_OF : 0},
		period_ns);
}

static bool mlog_begin(struct recorder_sink *sink, struct err *err)
{
	struct raw *r = raw_of(sink);

	set_clock(r);
	r->writer = mlog_writer_new(&r->log.about, write_block, sink, err);
	if (!r->writer)
		return false;
	if (!recorder_sink_scan(sink, r->session, err))
		return err_prefix(err, "log: ");
	if (sink->scanner)
		want_processes(r, 0);
	return true;
}

/* A change of the verdict is a mark. */
static bool judge_sample(struct raw *r, const struct sample *sample, struct err *err)
{
	struct mlog_note mark = {.kind = MLOG_NOTE_MARK, .time_ns = sample->end_ns, .source = -1};

	_Static_assert(sizeof(mark.text) >= JUDGE_NEWS_TEXT, "news fit a mark");
	if (r->sink.watch)
		watch_sample(r->sink.watch, sample);
	return !r->sink.watch || !watch_news(r->sink.watch, mark.text) ||
	       mlog_writer_note(r->writer, &mark, err);
}

/* Without the passes of frames that were on time, if only those of late ones are to be kept. The
 * frame rate is that of the log's header: the settings may change the session's meanwhile. */
static const struct sample *thin_sample(struct raw *r, const struct sample *sample)
{
	const struct options *o = r->session->options;
	double fps = r->log.about.fps, budget_us = fps > 0 ? 1e6 * FRAME_LATE / fps : 0;

	if (o->detail != DETAIL_LATE || !sample->n_more ||
	    r->session->sources[sample->source].kind != SOURCE_PASSES)
		return sample;
	free(r->thin);
	r->thin = xmalloc(sample_size(sample));
	memcpy(r->thin, sample, sample_size(sample));
	r->thin->n_more = (uint16_t)pass_records_keep_late(sample, (uint64_t)budget_us,
							   r->thin->value + r->thin->n_values);
	return r->thin;
}

/* The reader should know why samples are missing. */
static bool note_slow(struct raw *r, bool slow, struct err *err)
{
	struct mlog_note note = {.kind = MLOG_NOTE_MESSAGE,
				 .time_ns = r->session->sys->monotonic_ns(r->session->sys),
				 .source = -1};

	if (r->slow == slow)
		return true;
	r->slow = slow;
	snprintf(note.text, sizeof(note.text),
		 slow ? "the connection is slow, %.1f kB/s: only the newest samples are sent, with fewer "
			"counters"
		      : "the connection is fast again: all samples are sent",
		 r->flow.rate * 1e-3);
	return mlog_writer_note(r->writer, &note, err);
}

/* Write what the connection can carry in time; on a slow one only the newest samples. */
static bool write_block_in_time(struct raw *r, struct err *err)
{
	int64_t now_ns = r->session->sys->monotonic_ns(r->session->sys);
	size_t room = flow_room(&r->flow, now_ns), rows, fit;
	uint64_t before = r->flow.written;

	if (!note_slow(r, r->flow.slow, err))
		return false;
	/* While this thread waited in a write, the rings have filled: what is in them comes
	 * late. */
	if (!room || (r->sink.reader.acks && now_ns - r->newest_ns > LATE_NS)) {
		mlog_writer_trim(r->writer, 1);
		return true;
	}
	rows = mlog_writer_rows(r->writer);
	fit = r->sample_size > 0 && room != SIZE_MAX ? (size_t)((double)room / r->sample_size) : SIZE_MAX;
	if (fit < rows)
		mlog_writer_trim(r->writer, rows = fit ? fit : 1);
	if (!mlog_writer_flush(r->writer, err))
		return false;
	if (rows)
		r->sample_size = (double)(r->flow.written - before) / (double)rows;
	return true;
}

/* The sums of a lean stream, at the end of a block or of being lean. */
static bool write_sums(struct raw *r, struct err *err)
{
	const struct sample *sum;

	for (unsigned i = 0; r->lean && i < r->session->n; i++)
		if ((sum = lean_take(r->lean, i)) && !mlog_writer_sample(r->writer, sum, err))
			return false;
	return true;
}

static bool write_sample(struct raw *r, const struct sample *sample, struct err *err)
{
	if (!r->sink.reader.lean && !r->slow) {
		if (r->lean && !write_sums(r, err))
			return false;
		r->seq[sample->source] = sample->seq;
		return mlog_writer_sample(r->writer, r->lean ? lean_pass(r->lean, sample) : sample, err);
	}
	if (!r->lean)
		r->lean = lean_new(r->session, r->seq);
	sample = lean_add(r->lean, sample);
	return !sample || mlog_writer_sample(r->writer, sample, err);
}

static bool mlog_sample(struct recorder_sink *sink, const struct sample *sample, struct err *err)
{
	struct raw *r = raw_of(sink);
	r->n += !(sample->flags & SAMPLE_ERROR);
	r->newest_ns = sample->end_ns;
	if (sink->reader.acks && mlog_writer_is_full(r->writer) && !write_block_in_time(r, err))
		return false;
	return write_sample(r, thin_sample(r, sample), err) && judge_sample(r, sample, err);
}

static bool mlog_note(struct recorder_sink *sink, const struct mlog_note *note, struct err *err)
{
	return mlog_writer_note(raw_of(sink)->writer, note, err);
}

static bool take_processes(struct raw *r, struct err *err)
{
	struct process_list *list = r->sink.scanner ? scanner_take(r->sink.scanner) : NULL;
	bool ok;

	if (list && r->sink.watch)
		watch_processes(r->sink.watch, list);
	if (list && (r->sink.reader.lean || r->slow))
		lean_processes(list);
	ok = !list || mlog_writer_processes(r->writer, list, err);
	if (list)
		want_processes(r, list->cost_ns);
	process_list_free(list);
	return ok;
}

/* Begin the next file when this one is full, with the current wall clock. */
static bool rotate_file(struct raw *r, struct err *err)
{
	uint64_t most = r->session->options->rotate_bytes;

	if (!most || mlog_writer_bytes(r->writer) < most)
		return true;
	if (!mlog_writer_end(r->writer, err) || !log_file_next(r->sink.file, err))
		return false;
	set_clock(r);
	return mlog_writer_restart(r->writer, err);
}

static bool mlog_flush(struct recorder_sink *sink, struct err *err)
{
	struct raw *r = raw_of(sink);

	if (sink->reader.acks)
		flow_acked(&r->flow, sink->reader.acked, sink->reader.acked_ns);
	return note_clock_step(r, err) && take_processes(r, err) && write_sums(r, err) &&
	       write_block_in_time(r, err) && rotate_file(r, err);
}

static bool mlog_end(struct recorder_sink *sink, const struct export_command *total, struct err *err)
{
	(void)total; /* only for rows */
	if (sink->watch)
		watch_finish(sink->watch);
	return write_sums(raw_of(sink), err) && mlog_writer_end(raw_of(sink)->writer, err);
}

static void mlog_free(struct recorder_sink *sink)
{
	struct raw *r = raw_of(sink);

	scanner_free(r->sink.scanner);
	lean_free(r->lean);
	mlog_writer_free(r->writer);
	watch_free(r->sink.watch);
	log_about_fini(&r->log);
	free(r->thin);
	free(r);
}

static const struct recorder_sink_kind raw = {.begin = mlog_begin,
					      .sample = mlog_sample,
					      .note = mlog_note,
					      .flush = mlog_flush,
					      .end = mlog_end,
					      .free = mlog_free};

struct recorder_sink *recorder_mlog_new(const struct session *session)
{
	struct raw *r = xcalloc(1, sizeof(*r));

	r->sink.kind = &raw;
	r->session = session;
	r->sink.watch = session_watch(session);
	log_about_init(&r->log, session);
	return &r->sink;
}
