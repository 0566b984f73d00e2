#include "session/opener.h"

#include "base/alloc.h"
#include "base/sys.h"
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct opener {
	void (*call)(void *job);
	void (*drop)(void *job);
	void *job;
	int fd;
	pthread_t thread;
	pthread_mutex_t lock;
	bool done, left; /* under lock; the side that comes second frees */
};

static void opener_free(struct opener *o)
{
	sys_cleanup_close(&o->fd);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

static void *run_opener(void *arg)
{
	struct opener *o = arg;
	bool left;

	o->call(o->job);
	pthread_mutex_lock(&o->lock);
	o->done = true;
	left = o->left;
	sys_event_signal(o->fd);
	pthread_mutex_unlock(&o->lock);
	if (left) {
		o->drop(o->job);
		opener_free(o);
	}
	return NULL;
}

struct opener *opener_start(void (*call)(void *job), void (*drop)(void *job), void *job, struct err *err)
{
	struct opener *o = xcalloc(1, sizeof(*o));
	int failed;

	*o = (struct opener){.call = call, .drop = drop, .job = job, .fd = sys_event_new()};
	pthread_mutex_init(&o->lock, NULL);
	failed = o->fd < 0 ? errno : 0;
	if (!failed)
		failed = thread_new(&o->thread, run_opener, o);
	if (!failed)
		return o;
	err_set(err, failed, "cannot start a thread: %s", strerror(failed));
	drop(job);
	opener_free(o);
	return NULL;
}

int opener_fd(const struct opener *o)
{
	return o->fd;
}

bool opener_is_done(struct opener *o)
{
	bool done;

	pthread_mutex_lock(&o->lock);
	done = o->done;
	pthread_mutex_unlock(&o->lock);
	return done;
}

void *opener_finish(struct opener *o)
{
	void *job = o->job;

	pthread_join(o->thread, NULL);
	opener_free(o);
	return job;
}

void opener_leave(struct opener *o)
{
	void (*drop)(void *job);
	pthread_t thread;
	bool done;

	if (!o)
		return;
	drop = o->drop;
	thread = o->thread; /* read it now: once `left` is set, the thread may free the opener */
	pthread_mutex_lock(&o->lock);
	done = o->done;
	o->left = true;
	pthread_mutex_unlock(&o->lock);
	if (done)
		drop(opener_finish(o));
	else
		pthread_detach(thread);
}
