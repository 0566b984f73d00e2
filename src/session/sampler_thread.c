/* The sampler's threads: wait, read, push. */
#include "session/devices.h"
#include "session/sampler_priv.h"
#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#define READS_MAX 256 /* at once: more than any driver queues */
#define BATCH_BELOW_NS 10000000ll
#define BATCH_NS 16000000ll
#define BATCH_SAMPLES 16
#define SHARED_WAKE 50         /* deadlines within so small a part of the pace share a wake-up */
#define PAST_NS 100000000ll    /* a slow source hands over its past before its first sample */
#define SUSPEND_NS 100000000ll /* BOOTTIME advanced this much more than MONOTONIC */

static int64_t now_ns(const struct sampler_worker *l)
{
	return l->sampler->sys->monotonic_ns(l->sampler->sys);
}

/* ---- what the other threads see ---- */

/* Report how many requests are done. */
static void worker_done(struct sampler_worker *l, uint64_t n)
{
	pthread_mutex_lock(&l->sampler->lock);
	l->n_done += n;
	pthread_mutex_unlock(&l->sampler->lock);
	sys_event_signal(l->sampler->answer_fd);
}

/* Mark the start and the end of calls of a source's backend. Entering returns the time. */
static int64_t worker_enter(struct sampler_worker *l, uint32_t index)
{
	const struct sys *sys = l->sampler->sys;
	int64_t now = sys->monotonic_ns(sys);

	pthread_mutex_lock(&l->sampler->lock);
	l->entered = index;
	l->entered_ns = now;
	pthread_mutex_unlock(&l->sampler->lock);
	return now;
}

static void worker_leave(struct sampler_worker *l)
{
	const struct sys *sys = l->sampler->sys;
	int64_t since;

	pthread_mutex_lock(&l->sampler->lock);
	since = l->entered_ns;
	l->entered_ns = 0;
	pthread_mutex_unlock(&l->sampler->lock);
	if (sys->monotonic_ns(sys) - since <= SAMPLER_SILENT_NS)
		return;
	for (uint32_t i = 0; i < l->n_entries; i++)
		if (i == l->entered || l->entries[i].source)
			sampler_report(l->sampler,
				       &(struct sampler_event){.kind = SAMPLER_ANSWERS, .source = i});
}

/* ---- entries ---- */

/* Do not hold the lock while the driver stops, so that describing a source does not wait for it. */
static void entry_leave(struct sampler_worker *l, struct sampler_entry *entry)
{
	struct source *source = entry->source;

	if (!source)
		return;
	pthread_mutex_lock(&l->life);
	entry->source = NULL;
	pthread_mutex_unlock(&l->life);
	if (entry->started)
		source->backend->stop(source);
	source->backend->close(source);
	source_free(source);
	free(entry->sample);
	pthread_mutex_lock(&l->life); /* `source` is written again */
	*entry = (struct sampler_entry){.seq = entry->seq, .gap = true, .gap_after_ns = INT64_MIN};
	pthread_mutex_unlock(&l->life);
}

static void entry_lose(struct sampler_worker *l, uint32_t index)
{
	struct sampler_entry *entry = &l->entries[index];
	bool ended = entry->source->ended;
	struct err err;

	err_set(&err, ended ? ESRCH : ENODEV, "%s: %s%s%s", entry->source->title,
		ended ? "has ended" : "the device is gone", entry->source->gone ? ": " : "",
		entry->source->gone ? entry->source->gone : "");
	entry_leave(l, entry);
	sampler_report(l->sampler,
		       &(struct sampler_event){.kind = SAMPLER_GONE, .source = index, .err = err});
}

/* Take over the period of the source, which is known after start and may change when the driver
 * takes longer. */
static void follow_period(struct sampler_worker *l, uint32_t index, int64_t now, enum sampler_event_kind kind)
{
	struct sampler_entry *entry = &l->entries[index];
	int64_t period = entry->source->period_ns;

	assert(period > 0);
	entry->period_ns = entry->wake_ns = period;
	if (period < BATCH_BELOW_NS)
		entry->wake_ns = BATCH_SAMPLES * period < BATCH_NS ? BATCH_SAMPLES * period : BATCH_NS;
	entry->begun_ns = now;
	entry->due_ns = now + (entry->source->options.history_ns && !entry->seq && entry->wake_ns > PAST_NS
				       ? PAST_NS
				       : entry->wake_ns);
	sampler_report(l->sampler, &(struct sampler_event){.kind = kind,
							   .source = index,
							   .period_ns = period,
							   .asked_ns = entry->asked_ns});
}

static void entry_start(struct sampler_worker *l, uint32_t index, int64_t period_ns)
{
	struct sampler_entry *entry = &l->entries[index];
	struct source *source = entry->source;
	int64_t now = now_ns(l);
	struct err err;

	if (!source)
		return;
	if (entry->started)
		source->backend->stop(source);
	entry->asked_ns = period_ns;
	entry->started = source->backend->start(source, period_ns, now, &err);
	if (entry->started) {
		entry->pace = (struct entry_pace){.started_ns = now, .expected_ns = source->period_ns};
		follow_period(l, index, now, SAMPLER_STARTED);
		return;
	}
	entry_leave(l, entry);
	sampler_report(l->sampler,
		       &(struct sampler_event){.kind = SAMPLER_FAILED, .source = index, .err = err});
}

/* ---- reading ---- */

static void push_sample(struct sampler_worker *l, uint32_t index, struct sampler_entry *entry)
{
	struct sample *sample = entry->sample;

	entry->seq += 1 + sample->lost;
	sample->seq = entry->seq;
	sample->source = index;
	if (entry->gap && sample->end_ns > entry->gap_after_ns) {
		sample->flags |= SAMPLE_GAP;
		entry->gap = false;
	}
	for (unsigned i = 0; i < l->n_subscribers; i++)
		subscriber_push(l->subscribers[i], sample, entry->source->n_sums, entry->source->n_slots);
}

static void report_failure(struct sampler_worker *l, uint32_t index, enum sampler_event_kind kind)
{
	const struct sample *sample = l->entries[index].sample;
	struct sampler_event event = {.source = index, .kind = kind, .mark.time_ns = sample->end_ns};

	err_set(&event.err, 0, "%s", sample_failure_texts[sample_failure(sample->flags)]);
	sampler_report(l->sampler, &event);
}

static void judge_sample(struct sampler_worker *l, uint32_t index, struct sampler_entry *entry, int64_t now)
{
	bool fails = entry->sample->flags & SAMPLE_ERROR;

	if (sample_failures_add(&entry->failures, entry->sample->flags, now))
		report_failure(l, index, SAMPLER_INVALID_ONE);
	if (!fails || !entry->invalid_ns)
		entry->invalid_ns = fails ? now : 0;
	if (fails == entry->invalid || (fails && now - entry->invalid_ns < SAMPLER_INVALID_NS))
		return;
	entry->invalid = fails;
	report_failure(l, index, fails ? SAMPLER_INVALID : SAMPLER_VALID);
}

static void report_news(struct sampler_worker *l, uint32_t index, struct source *source)
{
	struct sampler_event event = {.source = index, .kind = SAMPLER_NEWS};

	err_set(&event.err, 0, "%s", take_ptr(&source->news));
	sampler_report(l->sampler, &event);
}

/* Failed samples have no length, and uncounted time is in no sample. The rest shows how long
 * the intervals are, whether a slow driver or a busy machine is the cause. */
static void count_pace(struct sampler_worker *l, uint32_t index, struct sampler_entry *entry)
{
	const struct sample *sample = entry->sample;
	struct entry_pace *pace = &entry->pace;
	struct sampler_event event = {.kind = SAMPLER_PACE, .source = index, .asked_ns = entry->asked_ns};

	if (sample->flags & SAMPLE_ERROR || sample->begin_ns < pace->started_ns || entry->source->cut)
		return;
	pace->ns += sample->end_ns - sample->begin_ns;
	if (++pace->n < SAMPLER_PACE_SAMPLES || pace->ns < SAMPLER_PACE_NS)
		return;
	event.period_ns = pace->ns / pace->n;
	pace->strayed |= !sampler_is_pace(event.period_ns, pace->expected_ns);
	if (pace->strayed)
		sampler_report(l->sampler, &event);
	pace->ns = 0;
	pace->n = 0;
}

/* Push all waiting samples. Returns whether there were any. */
static bool read_entry(struct sampler_worker *l, uint32_t index)
{
	struct sampler_entry *entry = &l->entries[index];
	struct source *source = entry->source;
	const struct backend_extras *extras = backend_extras(source->backend);
	struct sampler_event mark = {.kind = SAMPLER_MARK, .source = index};
	enum read_result got = READ_GOT;
	int64_t now = worker_enter(l, index);
	unsigned n;

	for (n = 0; n < READS_MAX; n++) {
		entry->sample->flags = 0;
		entry->sample->lost = 0;
		entry->sample->n_more = (uint16_t)source->n_more;
		got = source->backend->read(source, now, entry->sample);
		if (got != READ_GOT)
			break;
		push_sample(l, index, entry);
		judge_sample(l, index, entry, now);
		count_pace(l, index, entry);
	}
	if (n == READS_MAX)
		entry->silenced = true;
	if (source->news)
		report_news(l, index, source);
	while (extras->mark && extras->mark(source, &mark.mark))
		sampler_report(l->sampler, &mark);
	if (got == READ_GONE)
		entry_lose(l, index);
	else if (source->period_ns != entry->period_ns)
		follow_period(l, index, now, SAMPLER_PERIOD);
	worker_leave(l);
	return n > 0;
}

static void read_due(struct sampler_worker *l)
{
	int64_t now = now_ns(l);

	for (uint32_t i = 0; i < l->n_entries; i++) {
		struct sampler_entry *entry = &l->entries[i];

		if (!entry->source || entry->due_ns > now)
			continue;
		/* Deadlines are a fixed grid, so that a late wake-up shortens the next sleep and
		 * nothing drifts. */
		entry->due_ns =
			entry->begun_ns + entry->wake_ns * ((now - entry->begun_ns) / entry->wake_ns + 1);
		entry->silenced = false;
		read_entry(l, i);
	}
}

/* Read the sources whose fds are ready. A source whose fd reports POLLHUP or POLLNVAL and that
 * yields no sample is lost: everything it had was read before. */
static void read_ready(struct sampler_worker *l, const struct pollfd *fds, const uint32_t *entry_of,
		       unsigned n)
{
	int64_t now = now_ns(l);

	for (unsigned i = 1; i < n; i++) {
		struct sampler_entry *entry = &l->entries[entry_of[i]];
		bool got;

		if (!fds[i].revents || !entry->source)
			continue;
		got = read_entry(l, entry_of[i]);
		if (!entry->source)
			continue;
		if (got && entry->wake_ns == entry->period_ns) {
			entry->due_ns = now + 2 * entry->wake_ns; /* a fallback: the fd signals */
		} else if (!got && fds[i].revents & (POLLHUP | POLLNVAL)) {
			worker_enter(l, entry_of[i]);
			entry_lose(l, entry_of[i]);
			worker_leave(l);
		} else if (!got) {
			entry->silenced = true;
			if (entry->due_ns > now + entry->wake_ns / 2)
				entry->due_ns = now + entry->wake_ns / 2;
		}
	}
}

/* ---- requests ---- */

/* Read every source: the intervals that have ended and, with `cut`, also the current one. */
static void read_all(struct sampler_worker *l, bool cut)
{
	for (uint32_t i = 0; i < l->n_entries; i++) {
		struct sampler_entry *entry = &l->entries[i];

		if (!entry->source)
			continue;
		entry->source->cut = cut;
		read_entry(l, i);
		if (entry->source)
			entry->source->cut = false;
	}
}

static void leave_subscriber(struct sampler_worker *l, struct subscriber *subscriber)
{
	for (unsigned i = 0; i < l->n_subscribers; i++)
		if (l->subscribers[i] == subscriber) {
			subscriber_free(subscriber);
			l->subscribers[i--] = l->subscribers[--l->n_subscribers];
		}
}

/* Carry out a request for one source. */
static void change_entry(struct sampler_worker *l, const struct sampler_request *r)
{
	struct sampler_entry *entry = &l->entries[r->index];
	const struct source *source = r->source;

	worker_enter(l, r->index);
	if (l->n_entries <= r->index)
		l->n_entries = r->index + 1;
	if (r->kind == REQUEST_DROP)
		entry_leave(l, entry);
	if (r->kind == REQUEST_ADOPT) {
		assert(!entry->source);
		entry->sample =
			xcalloc(1, sizeof(*entry->sample) +
					   ((size_t)source->n_slots + source->n_more) * sizeof(uint64_t));
		pthread_mutex_lock(&l->life);
		entry->source = r->source;
		pthread_mutex_unlock(&l->life);
	}
	if (r->kind != REQUEST_DROP)
		entry_start(l, r->index, r->period_ns);
	worker_leave(l);
}

/* What only some backends can do. */
static void ask_backend(struct sampler_worker *l, const struct sampler_request *r)
{
	struct source *source = l->entries[r->index].source;
	const struct backend_extras *extras = source ? backend_extras(source->backend) : NULL;

	if (!source)
		return;
	worker_enter(l, r->index);
	if (r->kind == REQUEST_PREFER && extras->prefer)
		extras->prefer(source, &r->priority);
	if (r->kind == REQUEST_CHOOSE && extras->choose)
		extras->choose(source, r->pid);
	worker_leave(l);
}

static void take_request(struct sampler_worker *l, const struct sampler_request *r)
{
	switch (r->kind) {
	case REQUEST_ADOPT:
	case REQUEST_DROP:
	case REQUEST_PERIOD:
		change_entry(l, r);
		break;
	case REQUEST_PREFER:
	case REQUEST_CHOOSE:
		ask_backend(l, r);
		break;
	case REQUEST_ATTACH:
		assert(l->n_subscribers < SAMPLER_SUBSCRIBERS_MAX);
		l->subscribers[l->n_subscribers++] = r->subscriber;
		break;
	case REQUEST_DETACH:
		read_all(l, false); /* a reader gets every sample that ended before it leaves */
		leave_subscriber(l, r->subscriber);
		break;
	case REQUEST_CUT:
		read_all(l, true);
		break;
	case REQUEST_END:
		l->end = true;
		break;
	}
}

static void take_requests(struct sampler_worker *l)
{
	struct sampler_request *r, *next;
	uint64_t n = 0;

	sys_event_ack(l->request_fd);
	pthread_mutex_lock(&l->sampler->lock);
	r = take_ptr(&l->requests);
	l->requests_end = &l->requests;
	pthread_mutex_unlock(&l->sampler->lock);
	for (; r; r = next, n++) {
		next = r->next;
		take_request(l, r);
		free(r);
	}
	worker_done(l, l->end ? n - 1 : n); /* worker_run reports REQUEST_END as done */
}

/* ---- waiting ---- */

/* A suspend advances BOOTTIME but not MONOTONIC. Samples that end after the previous check may
 * follow or contain it. (If this thread is preempted between the two clocks, it sees less than the
 * true difference, never more.) */
static void notice_suspend(struct sampler_worker *l)
{
	const struct sys *sys = l->sampler->sys;
	int64_t ahead = sys->boottime_ns(sys), now = sys->monotonic_ns(sys);

	ahead -= now;
	for (uint32_t i = 0; i < l->n_entries && ahead - l->suspended_ns > SUSPEND_NS; i++) {
		l->entries[i].gap = true;
		l->entries[i].gap_after_ns = l->entries[i].source ? l->looked_ns : INT64_MIN;
	}
	if (ahead > l->suspended_ns)
		l->suspended_ns = ahead;
	l->looked_ns = now;
}

/* The earliest deadline; others that follow within a small part of its pace share the wake-up, for
 * which all of them wait. */
static int64_t next_wake(const struct sampler_worker *l)
{
	const struct sampler_entry *first = NULL, *end = l->entries + l->n_entries;
	int64_t due;

	for (const struct sampler_entry *entry = l->entries; entry < end; entry++)
		if (entry->source && (!first || entry->due_ns < first->due_ns))
			first = entry;
	due = first ? first->due_ns : INT64_MAX;
	for (const struct sampler_entry *entry = l->entries; first && entry < end; entry++)
		if (entry->source && entry->due_ns > due &&
		    entry->due_ns <= first->due_ns + first->wake_ns / SHARED_WAKE)
			due = entry->due_ns;
	return due;
}

/* List the fds that signal samples. For sources that are read in batches, listen only to what poll
 * always reports: errors and hangups. entry_of[i] belongs to fds[i]. */
static unsigned list_fds(const struct sampler_worker *l, struct pollfd *fds, uint32_t *entry_of)
{
	unsigned n = 1;

	fds[0] = (struct pollfd){.fd = l->request_fd, .events = POLLIN};
	for (uint32_t i = 0; i < l->n_entries; i++) {
		const struct sampler_entry *entry = &l->entries[i];
		int fd = entry->source ? source_fd(entry->source) : -1;

		if (fd < 0 || entry->silenced)
			continue;
		entry_of[n] = i;
		fds[n++] =
			(struct pollfd){.fd = fd, .events = entry->period_ns < BATCH_BELOW_NS ? 0 : POLLIN};
	}
	return n;
}

void worker_run(void *worker)
{
	struct sampler_worker *l = worker;
	const struct sys *sys = l->sampler->sys;
	struct pollfd fds[1 + SAMPLER_SOURCES_MAX];
	uint32_t entry_of[1 + SAMPLER_SOURCES_MAX];

	while (!l->end) {
		unsigned n = list_fds(l, fds, entry_of);

		if (sys->poll_until(sys, fds, n, next_wake(l)) < 0 && errno != EINTR)
			break; /* cannot happen with our own fds; ending is better than spinning */
		notice_suspend(l);
		if (fds[0].revents)
			take_requests(l);
		if (l->end)
			break;
		read_ready(l, fds, entry_of, n);
		read_due(l);
	}
	for (uint32_t i = 0; i < l->n_entries; i++) {
		worker_enter(l, i);
		entry_leave(l, &l->entries[i]);
		worker_leave(l);
	}
	while (l->n_subscribers)
		leave_subscriber(l, l->subscribers[0]);
	worker_done(l, 1);
}
