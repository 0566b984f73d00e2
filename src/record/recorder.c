#include "record/recorder.h"

#include "record/recorder_sink.h"
#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_FLUSH_NS 250000000 /* a log of rows is written four times a second */
#define MLOG_FLUSH_NS 750000000 /* a block at least once a second, and it takes its time */

#define PATIENCE_MS 1000 /* for the rest of a log, before somebody who waits is told */

struct notes {
	struct mlog_note *note;
	unsigned n, cap;
};

struct recorder {
	struct session *session;
	char name[64];
	int stop_fd, over_fd; /* it shall end; it has */
	struct log_file *file;
	struct recorder_sink *sink;
	struct ring *ring;
	unsigned n; /* sources in the log: the session's first, each with its place there as its index in the sampler */
	uint64_t seq[SESSION_SOURCES_MAX];
	int64_t flush_ns;
	bool cuts; /* sources begin and end with it */
	struct export_command total;
	bool has_total;
	pthread_t thread;

	/* The owner's. */
	bool ending;
	unsigned n_marks;
	bool away[SESSION_SOURCES_MAX]; /* as the log tells */
	unsigned epoch[SESSION_SOURCES_MAX];

	pthread_mutex_t lock; /* for what follows */
	struct recorder_state state;
	struct notes notes;                    /* that wait */
	int64_t until_ns[SESSION_SOURCES_MAX]; /* what begins later is somebody else's, in the same seat */
	bool dropped;
};

/* ---- its thread ---- */

/* How far it has come; err: and no further. */
static void tell(struct recorder *r, const struct err *err)
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

/* Samples that did not fit into the ring, or that the driver lost; the jump in the count tells it in the log, too. */
static void count_loss(struct recorder *r, const struct sample *sample)
{
	uint64_t missed = sample_missed(sample, r->seq[sample->source]);

	r->seq[sample->source] = sample->seq;
	if (!missed)
		return;
	pthread_mutex_lock(&r->lock);
	r->state.lost += missed;
	pthread_mutex_unlock(&r->lock);
}

static void take_samples(struct recorder *r)
{
	int64_t until_ns[SESSION_SOURCES_MAX];
	const struct sample *sample;
	struct err err;

	pthread_mutex_lock(&r->lock);
	memcpy(until_ns, r->until_ns, sizeof(until_ns));
	pthread_mutex_unlock(&r->lock);
	for (; (sample = ring_peek(r->ring)); ring_release(r->ring)) {
		if (sample->source >= r->n || sample->begin_ns >= until_ns[sample->source] || r->state.failed)
			continue;
		count_loss(r, sample);
		if (!r->sink->kind->sample(r->sink, sample, &err))
			tell(r, &err);
	}
}

static void take_notes(struct recorder *r)
{
	struct notes notes;
	struct err err;

	pthread_mutex_lock(&r->lock);
	notes = r->notes;
	r->notes = (struct notes){0};
	pthread_mutex_unlock(&r->lock);
	for (unsigned i = 0; i < notes.n; i++)
		if (!r->state.failed && !r->sink->kind->note(r->sink, &notes.note[i], &err))
			tell(r, &err);
	free(notes.note);
}

static void write_with(struct recorder *r, bool (*step)(struct recorder *r, struct err *err))
{
	struct err err;

	if (!r->state.failed)
		tell(r, step(r, &err) ? NULL : &err);
}

static bool begin(struct recorder *r, struct err *err)
{
	return r->sink->kind->begin(r->sink, err);
}

static bool flush(struct recorder *r, struct err *err)
{
	return r->sink->kind->flush(r->sink, err);
}

static bool end(struct recorder *r, struct err *err)
{
	return r->sink->kind->end(r->sink, r->has_total ? &r->total : NULL, err);
}

static bool sync_file(struct recorder *r, struct err *err)
{
	const struct sys *sys = r->session->sys;

	return log_file_sync(r->file, sys->monotonic_ns(sys), err);
}

static void drain(struct recorder *r)
{
	const struct sys *sys = r->session->sys;

	take_samples(r);
	take_notes(r);
	write_with(r, flush);
	if (!r->state.failed && log_file_is_due(r->file, sys->monotonic_ns(sys))) {
		take_samples(r); /* the ring is empty when the disk makes us wait once more */
		write_with(r, sync_file);
	}
}

/* The last of the file, which may take the disk its time. */
static void finish(struct recorder *r)
{
	struct err err;
	bool closed, dropped;

	pthread_mutex_lock(&r->lock);
	dropped = r->dropped;
	pthread_mutex_unlock(&r->lock);
	if (dropped)
		log_file_forget(r->file);
	else
		write_with(r, end);
	closed = log_file_close(take_ptr(&r->file), &err);
	pthread_mutex_lock(&r->lock);
	r->state.ended = true;
	if (!closed && !r->state.failed) {
		r->state.failed = true;
		r->state.err = err;
	}
	pthread_mutex_unlock(&r->lock);
	sys_event_signal(r->over_fd);
}

static void *run(void *arg)
{
	struct recorder *r = arg;
	const struct sys *sys = r->session->sys;
	struct pollfd fd = {.fd = r->stop_fd, .events = POLLIN};

	do {
		fd.revents = 0;
		sys->poll(sys, &fd, 1, (int)(r->flush_ns / 1000000));
		drain(r); /* once more after the signal */
	} while (!fd.revents);
	finish(r);
	return NULL;
}

/* ---- its owner ---- */

static bool start_thread(struct recorder *r, struct err *err)
{
	sigset_t all, before;
	int failed;

	r->stop_fd = sys_event_new();
	r->over_fd = sys_event_new();
	if (r->stop_fd < 0 || r->over_fd < 0)
		return err_set(err, errno, "log: cannot start: %s", strerror(errno));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&r->thread, NULL, run, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed || err_set(err, failed, "log: cannot start its thread: %s", strerror(failed));
}

static void recorder_unmake(struct recorder *r)
{
	if (r->ring)
		sampler_detach(r->session->sampler, r->ring);
	ring_free(r->ring);
	if (r->sink)
		r->sink->kind->free(r->sink);
	log_file_close(r->file, NULL);
	sys_cleanup_close(&r->stop_fd);
	sys_cleanup_close(&r->over_fd);
	pthread_mutex_destroy(&r->lock);
	free(r->notes.note);
	free(r);
}

static struct recorder *recorder_new(struct session *session, const char *path, int64_t flush_ns)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	const char *slash = strrchr(path, '/');

	*r = (struct recorder){.session = session, .n = session->n, .stop_fd = -1, .over_fd = -1, .flush_ns = flush_ns};
	pthread_mutex_init(&r->lock, NULL);
	str_printable(r->name, sizeof(r->name), slash ? slash + 1 : path);
	for (unsigned i = 0; i < session->n; i++) {
		assert(session->sources[i].index == i);
		r->epoch[i] = session->sources[i].epoch;
		r->until_ns[i] = INT64_MAX;
	}
	return r;
}

/* With a sink, or with none and its reason. */
static struct recorder *start(struct recorder *r, const char *path, const struct log_file_options *options, struct err *err)
{
	struct session *session = r->session;

	r->file = r->sink ? log_file_open(session->sys, path, options, err) : NULL;
	if (r->file) {
		r->sink->file = r->file;
		write_with(r, begin);
		*err = r->state.err;
	}
	if (r->file && !r->state.failed) {
		if (r->cuts)
			sampler_cut(session->sampler);
		r->ring = session_ring(session, session->options->per_core);
		recorder_follow(r, "");
		if (start_thread(r, err))
			return r;
	}
	recorder_unmake(r);
	return NULL;
}

static struct recorder *start_mlog(struct session *session, const char *path, bool force, struct err *err)
{
	const struct options *o = session->options;
	struct recorder *r = recorder_new(session, path, MLOG_FLUSH_NS);

	r->sink = recorder_mlog_new(session);
	return start(r, path,
		     &(struct log_file_options){
			     .force = force, .rotates = o->rotate_bytes != 0, .keep = o->rotate_count, .sync_ns = o->sync_ns},
		     err);
}

struct recorder *recorder_start_mlog(struct session *session, const char *path, struct err *err)
{
	return start_mlog(session, path, false, err);
}

struct recorder *recorder_start(struct session *session, const char *path, struct err *err)
{
	const struct options *o = session->options;
	const struct recorder_form rows = {.metrics = o->metrics, .flush_ns = ROWS_FLUSH_NS};

	return o->format == FORMAT_MLOG ? start_mlog(session, path, o->force, err) : recorder_start_as(session, path, &rows, err);
}

struct recorder *recorder_start_as(struct session *session, const char *path, const struct recorder_form *form, struct err *err)
{
	struct recorder *r = recorder_new(session, path, form->flush_ns);

	r->cuts = form->lines != EXPORT_ROWS;
	r->sink = recorder_rows_new(session, form, err);
	return start(r, path, &(struct log_file_options){.force = session->options->force}, err);
}

void recorder_look(struct recorder *r, struct recorder_state *state)
{
	pthread_mutex_lock(&r->lock);
	*state = r->state;
	pthread_mutex_unlock(&r->lock);
}

const char *recorder_name(const struct recorder *r)
{
	return r->name;
}

static void add_note(struct recorder *r, struct mlog_note *note, const char *text)
{
	str_printable(note->text, sizeof(note->text), text);
	pthread_mutex_lock(&r->lock);
	GROW(r->notes.note, r->notes.n, r->notes.cap);
	r->notes.note[r->notes.n++] = *note;
	pthread_mutex_unlock(&r->lock);
}

unsigned recorder_mark(struct recorder *r, int64_t time_ns, const char *text)
{
	add_note(r, &(struct mlog_note){.kind = MLOG_NOTE_MARK, .time_ns = time_ns, .source = -1, .value = ++r->n_marks}, text);
	return r->n_marks;
}

void recorder_note(struct recorder *r, enum mlog_note_kind kind, int source, const char *text)
{
	const struct sys *sys = r->session->sys;

	add_note(r, &(struct mlog_note){.kind = kind, .time_ns = sys->monotonic_ns(sys), .source = source}, text);
}

/* A process that was counted alone made room for another one. */
static void leave_out(struct recorder *r, unsigned i)
{
	int64_t now_ns = r->session->sys->monotonic_ns(r->session->sys);

	pthread_mutex_lock(&r->lock);
	if (r->until_ns[i] > now_ns)
		r->until_ns[i] = now_ns;
	pthread_mutex_unlock(&r->lock);
}

/* Which sources are away, and since when. */
static void follow_sources(struct recorder *r)
{
	const struct session *session = r->session;

	for (unsigned i = 0; i < r->n; i++) {
		const struct session_source *s = &session->sources[i];
		bool other = s->epoch != r->epoch[i], left = other || (s == session->picked && !session->counting);
		bool away = left || s->away != AWAY_NOT;

		if (away != r->away[i])
			recorder_note(r, away ? MLOG_NOTE_AWAY : MLOG_NOTE_BACK, (int)i,
				      !away        ? ""
				      : left       ? "not counted any more"
				      : s->told[0] ? s->told
						   : session_away_text(s));
		r->away[i] = away;
		if (other)
			leave_out(r, i);
	}
}

void recorder_follow(struct recorder *r, const char *text)
{
	if (text[0])
		recorder_note(r, MLOG_NOTE_MESSAGE, -1, text);
	follow_sources(r);
}

void recorder_total(struct recorder *r, const struct export_command *command)
{
	r->total = *command;
	r->has_total = true;
}

void recorder_end(struct recorder *r)
{
	if (r->ending)
		return;
	r->ending = true;
	if (r->cuts)
		sampler_cut(r->session->sampler);
	sampler_detach(r->session->sampler, r->ring);
	sys_event_signal(r->stop_fd);
}

bool recorder_await(struct recorder *r)
{
	struct pollfd fd = {.fd = r->over_fd, .events = POLLIN};

	recorder_end(r);
	if (r->session->sys->poll(r->session->sys, &fd, 1, PATIENCE_MS) > 0)
		return true;
	fprintf(stderr, "malitop: log: %s: takes long to be written; Ctrl-C leaves it as far as it is\n", r->name);
	return false;
}

bool recorder_stop(struct recorder *r, struct recorder_state *state)
{
	recorder_end(r);
	pthread_join(r->thread, NULL);
	*state = r->state;
	ring_free(take_ptr(&r->ring));
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
