/* A recorder's sink for rows of metrics: csv, jsonl and the other formats of export. */
#include "record/recorder_sink.h"

#include "export/export_session.h"
#include "base/alloc.h"

#include <stdlib.h>

#define SCAN_NS 1000000000                /* how often processes are read */
#define THREADS_OF 4                      /* processes whose threads are read */
#define CLOCK_STEP_NS 1000000000          /* what setting the wall clock moves it at least */
#define PENDING_BYTES ((size_t)256 << 10) /* rows are written then, however many samples wait */

struct row_sink {
	struct recorder_sink sink;
	struct export *export;
	struct log_pieces pending; /* complete rows */
	uint64_t n;                /* rows so far, failed samples excluded */
	const struct session *session;
	int64_t offset_ns; /* of the wall clock */
};

static struct row_sink *row_sink_of(struct recorder_sink *sink)
{
	return (struct row_sink *)sink;
}

static bool keep_bytes(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	log_pieces_add(&row_sink_of(ctx)->pending, bytes, n, row_sink_of(ctx)->n);
	return true;
}

static bool write_pending(struct row_sink *r, struct err *err)
{
	unsigned n;
	bool ok = log_file_write_pieces(r->sink.file, &r->pending, &n, err);

	if (n)
		r->sink.rows = r->pending.list[n - 1].rows;
	log_pieces_clear(&r->pending);
	return ok;
}

static bool rows_flush(struct recorder_sink *sink, struct err *err)
{
	struct process_list *list = sink->scanner ? scanner_take(sink->scanner) : NULL;
	const struct sys *sys = row_sink_of(sink)->session->sys;
	int64_t offset_ns = sys->realtime_ns(sys) - sys->monotonic_ns(sys),
		moved_ns = offset_ns - row_sink_of(sink)->offset_ns;

	if (moved_ns < -CLOCK_STEP_NS || moved_ns > CLOCK_STEP_NS) {
		row_sink_of(sink)->offset_ns = offset_ns;
		export_set_clock(row_sink_of(sink)->export, offset_ns);
	}
	if (list)
		watch_processes(sink->watch, list);
	process_list_free(list);
	return write_pending(row_sink_of(sink), err);
}

static bool rows_sample(struct recorder_sink *sink, const struct sample *sample, struct err *err)
{
	struct row_sink *r = row_sink_of(sink);
	unsigned before = r->pending.n;
	char text[JUDGE_NEWS_TEXT];
	bool ok = export_sample(r->export, sample, err);

	if (ok && sink->watch && watch_news(sink->watch, text)) /* a change of the verdict is a mark */
		ok = export_mark(r->export, sample->end_ns, text, err);
	if (r->pending.n > before && !(sample->flags & SAMPLE_ERROR))
		r->pending.list[r->pending.n - 1].rows = ++r->n;
	return ok && (r->pending.bytes.n < PENDING_BYTES || write_pending(r, err));
}

static bool rows_note(struct recorder_sink *sink, const struct mlog_note *note, struct err *err)
{
	return export_note(row_sink_of(sink)->export, note, err);
}

static bool rows_end(struct recorder_sink *sink, const struct export_command *total, struct err *err)
{
	struct export *export = row_sink_of(sink)->export;

	return export_end(export, err) && (!total || export_total(export, total, err)) &&
	       export_findings(export, err) && rows_flush(sink, err);
}

static void rows_free(struct recorder_sink *sink)
{
	struct row_sink *r = row_sink_of(sink);

	scanner_free(r->sink.scanner);
	export_free(r->export);
	watch_free(r->sink.watch);
	log_pieces_fini(&r->pending);
	free(r);
}

/* Judging needs the busiest thread. The header is pending already. */
static bool rows_begin(struct recorder_sink *sink, struct err *err)
{
	const struct process_query query = {.threads_of = THREADS_OF};

	if (sink->watch && !recorder_sink_scan(sink, row_sink_of(sink)->session, err))
		return false;
	if (sink->scanner)
		scanner_want(sink->scanner, &query, SCAN_NS);
	return rows_flush(sink, err);
}

static const struct recorder_sink_kind rows = {.begin = rows_begin,
					       .sample = rows_sample,
					       .note = rows_note,
					       .flush = rows_flush,
					       .end = rows_end,
					       .free = rows_free};

struct recorder_sink *recorder_rows_new(const struct session *session, const struct recorder_form *form,
					struct err *err)
{
	struct export_options options = form->export;
	struct row_sink *r = xcalloc(1, sizeof(*r));

	r->sink.kind = &rows;
	r->session = session;
	r->offset_ns = session->sys->realtime_ns(session->sys) - session->sys->monotonic_ns(session->sys);
	r->sink.watch = options.watch = session_watch(session);
	r->export = export_session(session, &options, keep_bytes, r, err);
	if (r->export) {
		r->sink.interval_ns = export_interval_ns(r->export);
		return &r->sink;
	}
	rows_free(&r->sink);
	return NULL;
}
