#include "record/recorder.h"

#include "record/recorder_sink.h"
#include "base/alloc.h"
#include "base/message.h"
#include "passes/frame_stats.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_FLUSH_NS 250000000   /* rows are written four times a second */
#define MLOG_FLUSH_NS 750000000   /* at least one block a second, including the time to write it */
#define STREAM_FLUSH_NS 500000000 /* the default refresh of a screen */
#define PATIENCE_MS 1000          /* to write the header, or the rest, before going on without */
#define LATEST_NS 1000000000      /* no sample is later: notes older than this are written */

/* Notes of a log that wait to be written, in the order of their times. Zeros are empty. */
struct notes {
	struct mlog_note *list;
	unsigned n, cap;
};

static void add_to_notes(struct notes *notes, const struct mlog_note *note)
{
	unsigned at;

	GROW(notes->list, notes->n, notes->cap);
	for (at = notes->n++; at > 0 && notes->list[at - 1].time_ns > note->time_ns; at--)
		notes->list[at] = notes->list[at - 1];
	notes->list[at] = *note;
}

struct recorder {
	struct session *session;
	char name[64];
	int begun_fd; /* signals that the header was written, or failed */
	int stop_fd;  /* signals the end */
	struct log_file *file;
	struct recorder_sink *sink;
	struct subscriber *subscriber;
	/* Sources in the log: the session's first ones, with the same index as in the sampler. */
	unsigned n;
	bool delivers[SESSION_SOURCES_MAX]; /* has delivered a sample that did not fail */
	int64_t flush_ns, begun_ns;
	bool cuts; /* cut intervals at the start and end */
	struct export_command total;
	bool has_total;
	struct opener *thread;

	/* Used by its thread: */
	uint64_t seq[SESSION_SOURCES_MAX];
	uint64_t n_samples[SESSION_SOURCES_MAX]; /* that did not fail */
	int64_t samples_ns[SESSION_SOURCES_MAX]; /* their length */
	uint64_t missed;                         /* samples, by the gaps in their numbers */
	struct notes pending; /* that wait for samples of their time: all before pending_ns */
	int64_t pending_ns;
	int64_t left_ns[SESSION_SOURCES_MAX]; /* copy of until_ns */
	struct pass_names *names;             /* NULL: frames are of any application, or have come */
	char others[96];                      /* that has frames, which are not the command's */
	struct sample_failures failures[SESSION_SOURCES_MAX];

	/* Used by the owner: */
	bool halted, ending;
	unsigned n_marks;
	bool away[SESSION_SOURCES_MAX]; /* as noted in the log */
	unsigned epoch[SESSION_SOURCES_MAX];

	pthread_mutex_t lock;                  /* guards the rest */
	struct recorder_state state;           /* `lost` counts losses by drivers only */
	struct notes notes;                    /* not yet taken over by the thread */
	int64_t end_ns;                        /* time after which no samples are accepted */
	int64_t until_ns[SESSION_SOURCES_MAX]; /* later ones are of another process */
	bool dropped;
	struct recorder_reader reader;
};

static int64_t now_of(const struct recorder *r)
{
	return r->session->sys->monotonic_ns(r->session->sys);
}

bool recorder_sink_scan(struct recorder_sink *sink, const struct session *session, struct err *err)
{
	for (unsigned i = 0; i < session->n && !sink->scanner; i++)
		if (session->sources[i].kind == SOURCE_CPU &&
		    !(sink->scanner = scanner_new(session->sys, devices_processes(session->options),
						  &session->what, err)))
			return false;
	return true;
}

/* ---- its thread ---- */

/* Publish the progress. With `err`, the log has failed. */
static void publish_state(struct recorder *r, const struct err *err)
{
	pthread_mutex_lock(&r->lock);
	r->state.bytes = log_file_bytes(r->file);
	r->state.rows = r->sink->rows;
	if (err) {
		r->state.failed = true;
		r->state.err = *err;
	}
	pthread_mutex_unlock(&r->lock);
}

/* Count a sample, its losses and failures. The lock is taken only if the state changes. */
static void count_sample(struct recorder *r, const struct sample *sample)
{
	uint32_t source = sample->source, bit = 1u << source;
	uint64_t before = r->seq[source], lost = before ? sample->lost : 0;
	bool failed = sample->flags & SAMPLE_ERROR, first = !failed && !r->delivers[source];

	r->seq[source] = sample->seq;
	r->missed += sample_missed(sample, before);
	r->delivers[source] |= !failed;
	sample_failures_add(&r->failures[source], sample->flags, sample->end_ns);
	if (!failed) {
		r->n_samples[source]++;
		r->samples_ns[source] += sample->end_ns - sample->begin_ns;
	}
	if (!lost && !failed && !first)
		return;
	pthread_mutex_lock(&r->lock);
	r->state.lost += lost;
	r->state.n_failed += failed;
	if (r->delivers[source])
		r->state.all_failed &= ~bit;
	else
		r->state.all_failed |= bit;
	r->state.some_good |= failed ? 0 : bit;
	pthread_mutex_unlock(&r->lock);
}

static void collect_notes(struct recorder *r)
{
	pthread_mutex_lock(&r->lock);
	r->pending_ns = now_of(r);
	for (unsigned i = 0; i < r->notes.n; i++)
		add_to_notes(&r->pending, &r->notes.list[i]);
	r->notes.n = 0;
	r->sink->reader = r->reader;
	memcpy(r->left_ns, r->until_ns, sizeof(r->left_ns));
	pthread_mutex_unlock(&r->lock);
}

static void write_note(struct recorder *r, const struct mlog_note *note)
{
	struct err err;

	if (!r->state.failed && !r->sink->kind->note(r->sink, note, &err))
		publish_state(r, &err);
}

static void write_notes(struct recorder *r, int64_t until_ns)
{
	struct notes *notes = &r->pending;
	unsigned n = 0;

	for (; n < notes->n && notes->list[n].time_ns <= until_ns; n++)
		write_note(r, &notes->list[n]);
	if (n)
		memmove(notes->list, notes->list + n, (notes->n -= n) * sizeof(*notes->list));
}

/* Write each sample after the notes of its time. */
/* Until a command has frames, note who has some. */
static void look_for_frames(struct recorder *r, const struct sample *sample)
{
	const struct session_source *source = &r->session->sources[sample->source];
	struct pass_table table;

	if (!r->names || source->kind != SOURCE_PASSES || !sample->n_more)
		return;
	pass_names_take(r->names, sample);
	pass_table_sample(&table, source->set, sample, r->names);
	if (table.app[0])
		free(take_ptr(&r->names));
	else if (table.other[0])
		snprintf(r->others, sizeof(r->others), "%s (pid %u)", table.other, table.other_pid);
}

static void write_samples(struct recorder *r)
{
	const struct sample *sample;
	struct err err;

	for (; (sample = subscriber_peek(r->subscriber)); subscriber_release(r->subscriber)) {
		if (sample->end_ns > r->pending_ns)
			collect_notes(r);
		write_notes(r, sample->end_ns);
		if (sample->source >= r->n || sample->begin_ns >= r->left_ns[sample->source] ||
		    r->state.failed)
			continue;
		count_sample(r, sample);
		look_for_frames(r, sample);
		sample = sample_filter_pass(r->session->filter, sample);
		if (sample && !r->sink->kind->sample(r->sink, sample, &err))
			publish_state(r, &err);
	}
}

/* Note the samples that were lost after the last one of their source. */
static void write_last_loss(struct recorder *r)
{
	struct mlog_note note = {.kind = MLOG_NOTE_LOST, .source = -1};
	struct recorder_state state;

	recorder_look(r, &state);
	pthread_mutex_lock(&r->lock);
	note.time_ns = r->end_ns;
	pthread_mutex_unlock(&r->lock);
	note.value = (int64_t)(state.lost - r->missed);
	if (note.value > 0)
		write_note(r, &note);
}

static void drain_subscriber(struct recorder *r, bool last)
{
	struct err err;

	collect_notes(r);
	write_samples(r);
	write_notes(r, last ? INT64_MAX : r->pending_ns - LATEST_NS);
	if (last)
		write_last_loss(r);
	if (!r->state.failed)
		publish_state(r, r->sink->kind->flush(r->sink, &err) ? NULL : &err);
	if (!r->state.failed && log_file_is_due(r->file, now_of(r))) {
		write_samples(r); /* empty the rings before waiting for the disk again */
		if (!r->state.failed)
			publish_state(r, log_file_sync(r->file, now_of(r), &err) ? NULL : &err);
	}
}

/* Write the end and close the file, which may take the disk some time. */
static void finish_log(struct recorder *r)
{
	struct err err;
	bool closed, dropped;

	pthread_mutex_lock(&r->lock);
	dropped = r->dropped;
	pthread_mutex_unlock(&r->lock);
	if (dropped)
		log_file_forget(r->file);
	else if (!r->state.failed)
		publish_state(r, r->sink->kind->end(r->sink, r->has_total ? &r->total : NULL, &err) ? NULL
												    : &err);
	closed = log_file_close(take_ptr(&r->file), &err);
	pthread_mutex_lock(&r->lock);
	r->state.ended = true;
	if (!closed && !r->state.failed) {
		r->state.failed = true;
		r->state.err = err;
	}
	pthread_mutex_unlock(&r->lock);
}

static void run_recorder(void *job)
{
	struct recorder *r = job;
	const struct sys *sys = r->session->sys;
	struct pollfd fd = {.fd = r->stop_fd, .events = POLLIN};
	struct err err;

	publish_state(r, r->sink->kind->begin(r->sink, &err) ? NULL : &err);
	sys_event_signal(r->begun_fd);
	do {
		fd.revents = 0;
		sys->poll(sys, &fd, 1, (int)(r->flush_ns / 1000000));
		drain_subscriber(r, fd.revents); /* a last time after the signal */
	} while (!fd.revents);
	finish_log(r);
}

/* ---- its owner, who always takes the job back ---- */

static void leave_job(void *job)
{
	(void)job;
}

static bool start_thread(struct recorder *r, struct err *err)
{
	r->begun_fd = sys_event_new();
	r->stop_fd = sys_event_new();
	if (r->begun_fd < 0 || r->stop_fd < 0)
		return err_set(err, errno, "log: cannot start: %s", strerror(errno));
	r->thread = opener_start(run_recorder, leave_job, r, err);
	return r->thread || err_prefix(err, "log: ");
}

static void recorder_unmake(struct recorder *r)
{
	if (r->subscriber && !r->halted)
		sampler_detach(r->session->sampler, r->subscriber);
	subscriber_free(r->subscriber);
	if (r->sink)
		r->sink->kind->free(r->sink);
	log_file_close(r->file, NULL);
	sys_cleanup_close(&r->begun_fd);
	sys_cleanup_close(&r->stop_fd);
	pthread_mutex_destroy(&r->lock);
	free(r->notes.list);
	free(r->pending.list);
	free(r->names);
	free(r);
}

static struct recorder *recorder_new(struct session *session, const char *path, int64_t flush_ns)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	const char *slash = strrchr(path, '/');

	*r = (struct recorder){
		.session = session, .n = session->n, .begun_fd = -1, .stop_fd = -1, .flush_ns = flush_ns};
	r->begun_ns = now_of(r);
	r->names = session->options->cmd ? xcalloc(1, sizeof(*r->names)) : NULL;
	pthread_mutex_init(&r->lock, NULL);
	str_printable(r->name, sizeof(r->name), slash ? slash + 1 : path);
	for (unsigned i = 0; i < session->n; i++) {
		assert(session->sources[i].index == i);
		r->epoch[i] = session->sources[i].epoch;
		r->until_ns[i] = INT64_MAX;
	}
	return r;
}

/* Start with the sink that was made, or fail with its message if there is none. */
static struct recorder *start_recorder(struct recorder *r, const char *path,
				       const struct log_file_options *options, struct err *err)
{
	struct session *session = r->session;
	struct recorder_state state;

	r->file = r->sink ? log_file_open(session->sys, path, options, err) : NULL;
	if (r->file) {
		r->sink->file = r->file;
		if (r->cuts)
			sampler_cut(session->sampler);
		r->subscriber = session_subscriber(
			session, SUBSCRIBER_MORE | (session->options->per_core ? SUBSCRIBER_INSTANCES : 0));
		recorder_follow(r, "");
	}
	if (!r->file || !start_thread(r, err)) {
		recorder_unmake(r);
		return NULL;
	}
	/* A stuck disk, or a pipe that is not read, is not waited for: a failure is then published
	 * like any later one. */
	session->sys->poll(session->sys, &(struct pollfd){.fd = r->begun_fd, .events = POLLIN}, 1,
			   PATIENCE_MS);
	recorder_look(r, &state);
	*err = state.err;
	if (!state.failed)
		return r;
	recorder_drop(r);
	return NULL;
}

static struct recorder *start_mlog(struct session *session, const char *path, bool force, struct err *err)
{
	const struct options *o = session->options;
	struct recorder *r = recorder_new(session, path,
					  o->flush_ns              ? o->flush_ns
					  : strcmp(path, "-") == 0 ? STREAM_FLUSH_NS
								   : MLOG_FLUSH_NS);

	r->sink = recorder_mlog_new(session);
	r->reader.lean = r->sink->reader.lean = o->lean;
	return start_recorder(r, path,
			      &(struct log_file_options){.force = force,
							 .rotates = o->rotate_bytes != 0,
							 .keep = o->rotate_count,
							 .sync_ns = o->sync_ns},
			      err);
}

struct recorder *recorder_start_mlog(struct session *session, const char *path, struct err *err)
{
	return start_mlog(session, path, false, err);
}

struct recorder *recorder_start(struct session *session, const char *path, struct err *err)
{
	const struct options *o = session->options;
	const struct recorder_form rows = {.export.metrics = o->metrics, .flush_ns = ROWS_FLUSH_NS};

	return o->format == FORMAT_MLOG ? start_mlog(session, path, o->force, err)
					: recorder_start_as(session, path, &rows, err);
}

struct recorder *recorder_start_as(struct session *session, const char *path,
				   const struct recorder_form *form, struct err *err)
{
	struct recorder *r = recorder_new(session, path, form->flush_ns);

	r->cuts = form->cuts || form->export.lines != EXPORT_ROWS;
	r->sink = recorder_rows_new(session, form, err);
	return start_recorder(r, path, &(struct log_file_options){.force = session->options->force}, err);
}

void recorder_look(struct recorder *r, struct recorder_state *state)
{
	pthread_mutex_lock(&r->lock);
	*state = r->state;
	pthread_mutex_unlock(&r->lock);
	state->lost += subscriber_lost(r->subscriber);
}

const char *recorder_name(const struct recorder *r)
{
	return r->name;
}

int64_t recorder_interval_ns(const struct recorder *r)
{
	int64_t fastest = INT64_MAX;

	for (unsigned i = 0; i < r->n; i++)
		if (r->session->sources[i].period_ns && r->session->sources[i].period_ns < fastest)
			fastest = r->session->sources[i].period_ns;
	return r->sink->interval_ns ? r->sink->interval_ns : fastest;
}

/* Add a note of now, or of an earlier time_ns. The time is taken under the lock: a note of now that
 * still waits is newer than pending_ns. */
static void add_note(struct recorder *r, struct mlog_note note, const char *text)
{
	str_printable(note.text, sizeof(note.text), text);
	pthread_mutex_lock(&r->lock);
	if (note.time_ns < r->begun_ns)
		note.time_ns = note.time_ns ? r->begun_ns : now_of(r);
	add_to_notes(&r->notes, &note);
	pthread_mutex_unlock(&r->lock);
}

unsigned recorder_mark(struct recorder *r, int64_t time_ns, const char *text)
{
	struct mlog_note mark = {.kind = MLOG_NOTE_MARK, .time_ns = time_ns, .source = -1};

	mark.value = ++r->n_marks;
	add_note(r, mark, text);
	return r->n_marks;
}

void recorder_acked(struct recorder *r, uint64_t bytes)
{
	pthread_mutex_lock(&r->lock);
	r->reader.acks = true;
	r->reader.acked = bytes;
	r->reader.acked_ns = now_of(r);
	pthread_mutex_unlock(&r->lock);
}

void recorder_lean(struct recorder *r, bool lean)
{
	pthread_mutex_lock(&r->lock);
	r->reader.lean = lean;
	pthread_mutex_unlock(&r->lock);
}

void recorder_answer(struct recorder *r, int64_t number, bool done, const char *text)
{
	add_note(r,
		 (struct mlog_note){.kind = MLOG_NOTE_ANSWER, .source = -1, .value = done ? number : -number},
		 text);
}

/* Note which sources went away or came back. */
static void follow_sources(struct recorder *r)
{
	const struct session *session = r->session;

	for (unsigned i = 0; i < r->n; i++) {
		const struct session_source *s = &session->sources[i];
		bool other = s->epoch != r->epoch[i],
		     left = other || (s == session->picked && !session->counting);
		bool away = left || s->away != AWAY_NOT;

		if (away != r->away[i])
			add_note(r,
				 (struct mlog_note){.kind = away ? MLOG_NOTE_AWAY : MLOG_NOTE_BACK,
						    .source = (int)i},
				 !away            ? ""
				 : left           ? "no longer counted"
				 : s->reported[0] ? s->reported
						  : session_away_text(s));
		r->away[i] = away;
		if (!other)
			continue;
		/* ignore later samples of a process counted alone: its index is another's */
		pthread_mutex_lock(&r->lock);
		if (r->until_ns[i] > now_of(r))
			r->until_ns[i] = now_of(r);
		pthread_mutex_unlock(&r->lock);
	}
}

void recorder_follow(struct recorder *r, const char *text)
{
	if (r->session->mark.time_ns)
		recorder_mark(r, r->session->mark.time_ns, r->session->mark.text);
	else if (text[0])
		add_note(r, (struct mlog_note){.kind = MLOG_NOTE_MESSAGE, .source = -1}, text);
	follow_sources(r);
}

void recorder_total(struct recorder *r, const struct export_command *command)
{
	r->total = *command;
	r->has_total = true;
}

void recorder_halt(struct recorder *r, bool cut)
{
	if (r->halted)
		return;
	r->halted = true;
	if (cut || r->cuts)
		sampler_cut(r->session->sampler);
	sampler_detach(r->session->sampler, r->subscriber);
}

void recorder_end(struct recorder *r)
{
	if (r->ending)
		return;
	recorder_halt(r, false);
	r->ending = true;
	pthread_mutex_lock(&r->lock);
	r->end_ns = now_of(r);
	pthread_mutex_unlock(&r->lock);
	sys_event_signal(r->stop_fd);
}

bool recorder_await(struct recorder *r)
{
	struct pollfd fd = {.fd = opener_fd(r->thread), .events = POLLIN};

	recorder_end(r);
	if (r->session->sys->poll(r->session->sys, &fd, 1, PATIENCE_MS) > 0)
		return true;
	message("log: %s: still being written; Ctrl-C exits without writing the rest", r->name);
	return false;
}

bool recorder_stop(struct recorder *r, struct recorder_state *state)
{
	recorder_end(r);
	opener_finish(r->thread);
	recorder_look(r, state);
	memcpy(state->failures, r->failures, sizeof(state->failures));
	for (unsigned i = 0; i < r->n; i++) {
		state->n_samples[i] = r->n_samples[i];
		state->mean_ns[i] = r->n_samples[i] ? r->samples_ns[i] / (int64_t)r->n_samples[i] : 0;
	}
	snprintf(state->others, sizeof(state->others), "%s", r->names ? r->others : "");
	state->found = findings_result(r->sink->watch, r->session->options->fail_on, state->verdict);
	if (state->lost && !state->failed)
		err_set(&state->err, 0, "log: %s: %llu sample%s %s lost and left gaps", r->name,
			(unsigned long long)state->lost, plural_ending(state->lost),
			was_or_were(state->lost));
	recorder_unmake(r);
	return !state->failed;
}

void recorder_drop(struct recorder *r)
{
	pthread_mutex_lock(&r->lock);
	r->dropped = true;
	pthread_mutex_unlock(&r->lock);
	recorder_stop(r, &(struct recorder_state){0});
}
