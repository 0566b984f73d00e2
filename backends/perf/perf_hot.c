#include "backends/perf/sampling.h"

#include "backends/backends.h"
#include "base/alloc.h"
#include "base/thread.h"
#include "model/ring.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_MIN_NS 500000000ll /* a sample names all its functions, so shorter ones repeat the names */
#define PERIOD_MAX_NS 1000000000ll
#define READY_SAMPLES 4 /* samples that may wait for the sampler */
#define CUT_MS 700      /* wait at the end of a measurement: the thread may have files to read */
#define END_MS 250
#define LEAVE_NS 10000000000ll /* time after the last view of it before it rests */
#define POLLED_MOST 512        /* rings that wake the thread when they are half full */

/* Shared by the source and its thread; the last one to release it frees it. */
struct hand {
	struct sampling sampling;
	pthread_t thread;
	pthread_mutex_t lock;
	int wake_fd, ready_fd, done_fd;
	struct ring *ready; /* complete samples, from the thread to the sampler */
	int64_t period_ns;
	bool runs;                 /* its thread exists */
	bool cut, end, done, left; /* under lock */
};

/* In a session with a screen, it samples only while a view shows it. */
struct hot {
	struct hand *hand; /* NULL while it rests */
	int64_t period_ns;
	int64_t leave_ns;           /* time to rest again; 0: not before it is asked to */
	bool user_only, is_lowered; /* set when it was opened, so that describe needs no hand */
};

static void hand_free(struct hand *h)
{
	struct sampling *s = &h->sampling;

	hot_maps_free(s->maps);
	hot_profile_fini(&s->profile);
	free(s->moments);
	free(s->sample);
	sampling_close(s);
	ring_free(h->ready);
	sys_cleanup_close(&h->wake_fd);
	sys_cleanup_close(&h->ready_fd);
	sys_cleanup_close(&h->done_fd);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* ---- the thread ---- */

static void wait_until(struct hand *h, int64_t due_ns)
{
	struct sampling *s = &h->sampling;
	struct pollfd fds[1 + POLLED_MOST] = {{.fd = h->wake_fd, .events = POLLIN}};
	unsigned n = 1;

	for (unsigned i = 0; i < s->n_rings && n < ARRAY_LEN(fds); i++)
		fds[n++] = (struct pollfd){.fd = s->rings[i].fd, .events = POLLIN};
	s->sys->poll_until(s->sys, fds, n, due_ns);
	for (unsigned i = 1; i < n; i++)
		if (fds[i].revents & (POLLHUP | POLLERR)) { /* its threads have exited: it would spin */
			fds[0].revents = 0;
			s->sys->poll_until(s->sys, fds, 1, due_ns);
			break;
		}
	sys_event_ack(h->wake_fd);
}

static void *run_sampling(void *arg)
{
	struct hand *h = arg;
	struct sampling *s = &h->sampling;
	int64_t due_ns = s->begin_ns + h->period_ns, now_ns;
	bool end = false, cut, left;

	s->cost_ns = s->sys->thread_ns(s->sys);
	while (!end) {
		wait_until(h, due_ns);
		pthread_mutex_lock(&h->lock);
		end = h->end;
		cut = h->cut;
		h->cut = false;
		pthread_mutex_unlock(&h->lock);
		now_ns = s->sys->monotonic_ns(s->sys);
		sampling_drain(s, now_ns);
		if (cut || now_ns >= due_ns) {
			sampling_finish(s, now_ns);
			ring_push(h->ready, s->sample);
			sys_event_signal(h->ready_fd);
		}
		while (due_ns <= now_ns)
			due_ns += h->period_ns;
	}
	pthread_mutex_lock(&h->lock);
	h->done = true;
	left = h->left;
	sys_event_signal(h->done_fd);
	pthread_mutex_unlock(&h->lock);
	if (left)
		hand_free(h);
	return NULL;
}

/* ---- the source ---- */

static bool hot_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	(void)sys;
	(void)err;
	source_found_add(found, &backend_perf_hot, "");
	return true;
}

/* Returns NULL if the events cannot be opened. */
static struct hand *hand_new(struct source *source, bool only_tries, struct err *err)
{
	const size_t n = SAMPLING_SLOTS + HOT_WORDS;
	struct hand *h = xcalloc(1, sizeof(*h));
	bool ok;

	h->wake_fd = sys_event_new();
	h->ready_fd = sys_event_new();
	h->done_fd = sys_event_new();
	pthread_mutex_init(&h->lock, NULL);
	h->sampling.sys = source->sys;
	ok = h->wake_fd >= 0 && h->ready_fd >= 0 && h->done_fd >= 0;
	if (!ok)
		err_set(err, errno, "hot: cannot start: %s", strerror(errno));
	if (!ok || !sampling_open(&h->sampling, source, only_tries, err)) {
		hand_free(h);
		return NULL;
	}
	h->sampling.maps = hot_maps_new(source->sys);
	h->sampling.sample = xcalloc(1, sizeof(struct sample) + n * sizeof(uint64_t)); /* of source 0 */
	h->ready = ring_new(ring_bytes(READY_SAMPLES, (uint32_t)n));
	return h;
}

static bool hand_run(struct hand *h, int64_t period_ns, int64_t now_ns, struct err *err)
{
	int code;

	if (!sampling_start(&h->sampling, err))
		return false;
	if (h->runs)
		return true;
	h->period_ns = period_ns;
	h->sampling.begin_ns = now_ns;
	code = thread_new(&h->thread, run_sampling, h);
	if (code)
		return err_set(err, code, "hot: cannot start a thread: %s", strerror(code));
	h->runs = true;
	return true;
}

/* Let the thread exit. If it hangs in a file, it frees the data when it returns. */
static void hand_leave(struct hand *h, const struct sys *sys)
{
	struct pollfd fd;
	pthread_t thread;
	bool done;

	if (!h)
		return;
	if (!h->runs) {
		hand_free(h);
		return;
	}
	thread = h->thread;
	fd = (struct pollfd){.fd = h->done_fd, .events = POLLIN};
	pthread_mutex_lock(&h->lock);
	h->end = true;
	pthread_mutex_unlock(&h->lock);
	sys_event_signal(h->wake_fd);
	sys->poll(sys, &fd, 1, END_MS);
	pthread_mutex_lock(&h->lock);
	done = h->done;
	h->left = true;
	pthread_mutex_unlock(&h->lock);
	if (done) {
		pthread_join(thread, NULL);
		hand_free(h);
	} else {
		pthread_detach(thread);
	}
}

static bool hot_open(struct source *source, const char *device, struct err *err)
{
	static const char *const names[SAMPLING_SLOTS] = {
		[SAMPLING_SAMPLES] = "HotSamples",     [SAMPLING_LOST] = "HotLost",
		[SAMPLING_THROTTLED] = "HotThrottled", [SAMPLING_UNKEPT] = "HotUnkept",
		[SAMPLING_WEIGHT] = "HotEvents",       [SAMPLING_RUN_TIME] = "HotRunTime",
		[SAMPLING_COST] = "HotCost",           [SAMPLING_GIVEN_UP] = "HotGivenUp",
	};
	bool rests = !source->options.hot;
	struct hot *hot = source->priv;
	struct hand *h = hand_new(source, rests, err);

	(void)device;
	if (!h && !rests)
		return false;
	for (unsigned i = 0; i < SAMPLING_SLOTS; i++)
		source_add_slot(source, &(struct slot){.name = names[i], .scale = 1});
	source->n_more = HOT_WORDS;
	if (!h) { /* the view shows the reason */
		snprintf(source->title, sizeof(source->title), "Hot functions");
		snprintf(source->driver, sizeof(source->driver), "not sampled: %s", strerror(err->code));
		return true;
	}
	hot->user_only = h->sampling.event.user_only;
	hot->is_lowered = h->sampling.event.is_lowered;
	if (rests)
		hand_free(h);
	else
		hot->hand = h;
	return true;
}

static void hot_close(struct source *source)
{
	struct hot *hot = source->priv;

	hand_leave(take_ptr(&hot->hand), source->sys);
}

static bool hot_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct hot *hot = source->priv;

	if (!hot->period_ns)
		hot->period_ns = period_ns < PERIOD_MIN_NS   ? PERIOD_MIN_NS
				 : period_ns > PERIOD_MAX_NS ? PERIOD_MAX_NS
							     : period_ns;
	source->period_ns = hot->period_ns;
	return !hot->hand || hand_run(hot->hand, hot->period_ns, now_ns, err);
}

static void hot_stop(struct source *source)
{
	struct hot *hot = source->priv;

	if (hot->hand)
		sampling_stop(&hot->hand->sampling);
}

/* Note whether a screen shows it. */
static void hot_prefer(struct source *source, const struct source_priority *priority)
{
	struct hot *hot = source->priv;
	int64_t now_ns = source->sys->monotonic_ns(source->sys);
	struct err err;

	if (source->options.hot)
		return;
	hot->leave_ns = priority->n ? 0 : now_ns + LEAVE_NS;
	if (!priority->n || hot->hand)
		return;
	hot->hand = hand_new(source, false, &err);
	if (hot->hand && !hand_run(hot->hand, hot->period_ns, now_ns, &err))
		hand_leave(take_ptr(&hot->hand), source->sys);
}

static int hot_fd(const struct source *source)
{
	const struct hot *hot = source->priv;

	return hot->hand ? hot->hand->ready_fd : -1;
}

static enum read_result hot_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct hot *hot = source->priv;
	struct hand *h = hot->hand;
	const struct sample *ready = h ? ring_peek(h->ready) : NULL;

	if (!h)
		return READ_NONE;
	if (hot->leave_ns && now_ns >= hot->leave_ns) {
		hand_leave(take_ptr(&hot->hand), source->sys);
		return READ_NONE;
	}
	if (!ready && source->cut) {
		/* Wait once, briefly, for the thread, which may be reading a file. */
		struct pollfd fd = {.fd = h->ready_fd, .events = POLLIN};

		source->cut = false;
		pthread_mutex_lock(&h->lock);
		h->cut = true;
		pthread_mutex_unlock(&h->lock);
		sys_event_signal(h->wake_fd);
		source->sys->poll(source->sys, &fd, 1, CUT_MS);
		ready = ring_peek(h->ready);
	}
	if (!ready) {
		sys_event_ack(h->ready_fd);
		return READ_NONE;
	}
	sample->begin_ns = ready->begin_ns;
	sample->end_ns = ready->end_ns;
	sample->n_more = ready->n_more;
	sample->lost = 0;
	sample->flags = source_stretched(ready->begin_ns, ready->end_ns, source->period_ns);
	memcpy(sample->value, ready->value,
	       (SAMPLING_SLOTS + (size_t)ready->n_more) * sizeof(ready->value[0]));
	ring_release(h->ready);
	return READ_GOT;
}

static void hot_describe(const struct source *source, struct strbuf *text)
{
	const struct hot *hot = source->priv;

	strbuf_printf(text, "samples %s\n", source->driver);
	if (hot->is_lowered)
		strbuf_printf(text,
			      "the rate is below %d Hz: kernel.perf_event_max_sample_rate permits no more\n",
			      SAMPLING_RATE);
	if (hot->user_only)
		strbuf_str(text,
			   "the kernel is not sampled: kernel.perf_event_paranoid permits programs only\n");
}

static const struct backend_extras hot_extras = {.prefer = hot_prefer};

const struct backend backend_perf_hot = {
	.name = "hot",
	.help = "which functions run: samples of running code",
	.kind = SOURCE_HOT,
	.asked_only = true,
	.priv_size = sizeof(struct hot),
	.probe = hot_probe,
	.open = hot_open,
	.start = hot_start,
	.fd = hot_fd,
	.read = hot_read,
	.stop = hot_stop,
	.close = hot_close,
	.describe = hot_describe,
	.extras = &hot_extras,
};
