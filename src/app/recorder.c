#include "app/recorder.h"

#include "app/export_session.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLUSH_NS 250000000 /* a log is written four times a second */

struct recorder {
	struct session *session;
	char *path;
	char name[64];
	int fd, stop_fd;
	bool is_file; /* a failed write can be cut off again */
	struct ring *ring;
	struct export *export;
	uint64_t seq[SESSION_SOURCES_MAX];
	struct strbuf pending; /* whole rows */
	int64_t flush_ns;
	bool cuts; /* sources begin and end with it */
	struct export_command total;
	bool has_total;
	pthread_t thread;
	pthread_mutex_t lock; /* for state */
	struct recorder_state state;
};

static bool keep_row(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct recorder *r = ctx;

	(void)err;
	strbuf_add(&r->pending, bytes, n);
	return true;
}

static void fail(struct recorder *r, const struct err *err)
{
	pthread_mutex_lock(&r->lock);
	r->state.failed = true;
	r->state.err = *err;
	pthread_mutex_unlock(&r->lock);
}

/* Everything, or what was there before: half a line never stays in a file. */
static void flush(struct recorder *r)
{
	size_t done = 0;

	while (done < r->pending.n && !r->state.failed) {
		ssize_t n = write(r->fd, r->pending.p + done, r->pending.n - done);
		struct err err;

		if (n >= 0) {
			done += (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		err_set(&err, errno, "log: %s: %s: logging stopped after %.1f MB", r->path, strerror(errno),
			(double)r->state.bytes / 1e6);
		if (r->is_file && ftruncate(r->fd, (off_t)r->state.bytes) != 0)
			err_prefix(&err, "the last line is cut: ");
		fail(r, &err);
	}
	pthread_mutex_lock(&r->lock);
	if (!r->state.failed) {
		r->state.bytes += r->pending.n;
		r->state.rows = export_count(r->export);
	}
	pthread_mutex_unlock(&r->lock);
	strbuf_clear(&r->pending);
}

/* Samples that did not fit into the ring, or that the driver lost; the row says so by itself. */
static void count_loss(struct recorder *r, const struct sample *sample)
{
	uint64_t missed;

	if (sample->source >= SESSION_SOURCES_MAX)
		return;
	missed = sample_missed(sample, r->seq[sample->source]);
	r->seq[sample->source] = sample->seq;
	if (!missed)
		return;
	pthread_mutex_lock(&r->lock);
	r->state.lost += missed;
	pthread_mutex_unlock(&r->lock);
}

static void drain(struct recorder *r)
{
	const struct sample *sample;
	struct err err;

	while ((sample = ring_peek(r->ring))) {
		count_loss(r, sample);
		if (!r->state.failed && !export_sample(r->export, sample, &err))
			fail(r, &err);
		ring_release(r->ring);
	}
	flush(r);
}

static void *run(void *arg)
{
	struct recorder *r = arg;
	const struct sys *sys = r->session->sys;
	struct pollfd fd = {.fd = r->stop_fd, .events = POLLIN};

	do {
		fd.revents = 0;
		sys->poll(sys, &fd, 1, (int)(r->flush_ns / 1000000));
		drain(r);
	} while (!fd.revents);
	return NULL;
}

static bool open_file(struct recorder *r, struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (r->session->options->force ? O_TRUNC : O_EXCL);
	struct stat st;

	if (strcmp(r->path, "-") == 0) {
		r->fd = dup(STDOUT_FILENO);
	} else {
		r->fd = open(r->path, flags, 0644);
		if (r->fd < 0 && errno == EEXIST)
			return err_set(err, EEXIST, "log: %s: exists already: choose another name, or --force", r->path);
	}
	if (r->fd < 0)
		return err_set(err, errno, "log: %s: cannot create: %s", r->path, strerror(errno));
	r->is_file = fstat(r->fd, &st) == 0 && S_ISREG(st.st_mode);
	return true;
}

static bool start_export(struct recorder *r, const struct recorder_form *form, struct err *err)
{
	r->export = export_session(
		r->session,
		&(struct export_options){
			.metrics = form->metrics, .exact = form->exact, .fastest = form->fastest, .lines = form->lines},
		keep_row, r, err);
	return r->export != NULL;
}

static bool start_thread(struct recorder *r, struct err *err)
{
	sigset_t all, before;
	int failed;

	r->stop_fd = sys_event_new();
	if (r->stop_fd < 0)
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
	export_free(r->export);
	sys_cleanup_close(&r->fd);
	sys_cleanup_close(&r->stop_fd);
	pthread_mutex_destroy(&r->lock);
	strbuf_fini(&r->pending);
	free(r->path);
	free(r);
}

struct recorder *recorder_start(struct session *session, const char *path, struct err *err)
{
	const struct recorder_form log = {.metrics = session->options->metrics, .flush_ns = FLUSH_NS};

	return recorder_start_as(session, path, &log, err);
}

struct recorder *recorder_start_as(struct session *session, const char *path, const struct recorder_form *form, struct err *err)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	const char *slash = strrchr(path, '/');
	bool ok;

	r->session = session;
	r->path = xstrdup(path);
	r->fd = r->stop_fd = -1;
	pthread_mutex_init(&r->lock, NULL);
	str_printable(r->name, sizeof(r->name), slash ? slash + 1 : path);
	r->flush_ns = form->flush_ns;
	r->cuts = form->lines != EXPORT_ROWS;
	ok = start_export(r, form, err) && open_file(r, err);
	if (ok) {
		flush(r); /* the header */
		ok = !r->state.failed;
		if (!ok)
			*err = r->state.err;
	}
	if (ok && r->cuts)
		sampler_cut(session->sampler);
	if (ok)
		r->ring = session_ring(session, session->options->per_core);
	if (ok && start_thread(r, err))
		return r;
	recorder_unmake(r);
	return NULL;
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

void recorder_total(struct recorder *r, const struct export_command *command)
{
	r->total = *command;
	r->has_total = true;
}

static void write_total(struct recorder *r)
{
	struct err err;

	if (!export_total(r->export, &r->total, &err))
		fail(r, &err);
	flush(r);
}

bool recorder_stop(struct recorder *r, struct recorder_state *state)
{
	if (r->cuts)
		sampler_cut(r->session->sampler);
	sampler_detach(r->session->sampler, r->ring);
	sys_event_signal(r->stop_fd);
	pthread_join(r->thread, NULL); /* drains once more after the signal */
	if (r->has_total && !r->state.failed)
		write_total(r);
	*state = r->state;
	ring_free(take_ptr(&r->ring));
	recorder_unmake(r);
	return !state->failed;
}
