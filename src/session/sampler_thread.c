/* What the sampler's own thread does: wait, read, push. */
#include "backends/registry.h"
#include "session/sampler_priv.h"
#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#define READS_MAX 256 /* in one go: more than any driver keeps, and bounded where one never stops giving */
#define BATCH_BELOW_NS 10000000ll
#define BATCH_NS 16000000ll
#define BATCH_SAMPLES 16
#define SUSPEND_NS 100000000ll /* BOOTTIME running ahead of MONOTONIC by more than this was a suspend */

/* ---- seats ---- */

/* The lock is not held while the driver is asked to stop: whoever describes sources does not wait for it. */
static void seat_leave(struct sampler *s, struct seat *seat)
{
	struct source *source = seat->source;

	if (!source)
		return;
	pthread_mutex_lock(&s->life);
	seat->source = NULL;
	pthread_mutex_unlock(&s->life);
	if (seat->started)
		source->backend->stop(source);
	source->backend->close(source);
	source_free(source);
	free(seat->sample);
	*seat = (struct seat){.seq = seat->seq, .gap = true, .gap_after_ns = INT64_MIN};
}

static void seat_adopt(struct sampler *s, struct seat *seat, struct source *source)
{
	assert(!seat->source);
	seat->sample = xcalloc(1, sizeof(*seat->sample) + source->n_slots * sizeof(uint64_t));
	pthread_mutex_lock(&s->life);
	seat->source = source;
	pthread_mutex_unlock(&s->life);
}

static void seat_lose(struct sampler *s, uint32_t index)
{
	struct seat *seat = &s->seats[index];
	struct err err;

	err_set(&err, ENODEV, "%s: the device is gone", seat->source->title);
	seat_leave(s, seat);
	sampler_tell(s, SAMPLER_GONE, index, 0, &err);
}

/* The source says how long its period is: after start, and when its driver turns out to take longer. */
static void follow_period(struct sampler *s, uint32_t index, int64_t now)
{
	struct seat *seat = &s->seats[index];
	int64_t period = seat->source->period_ns;

	assert(period > 0);
	seat->period_ns = seat->wake_ns = period;
	if (period < BATCH_BELOW_NS)
		seat->wake_ns = BATCH_SAMPLES * period < BATCH_NS ? BATCH_SAMPLES * period : BATCH_NS;
	seat->due_ns = now + seat->wake_ns;
	sampler_tell(s, SAMPLER_STARTED, index, period, NULL);
}

static void seat_start(struct sampler *s, uint32_t index, int64_t period_ns)
{
	struct seat *seat = &s->seats[index];
	struct source *source = seat->source;
	int64_t now = s->sys->monotonic_ns(s->sys);
	struct err err;

	if (!source)
		return;
	if (seat->started)
		source->backend->stop(source);
	seat->started = source->backend->start(source, period_ns, now, &err);
	if (seat->started) {
		follow_period(s, index, now);
		return;
	}
	seat_leave(s, seat);
	sampler_tell(s, SAMPLER_FAILED, index, 0, &err);
}

/* ---- reading ---- */

static void push(struct sampler *s, uint32_t index, struct seat *seat)
{
	struct sample *sample = seat->sample;

	seat->seq += 1 + sample->lost;
	sample->seq = seat->seq;
	sample->source = index;
	if (seat->gap && sample->end_ns > seat->gap_after_ns) {
		sample->flags |= SAMPLE_GAP;
		seat->gap = false;
	}
	for (unsigned i = 0; i < s->n_rings; i++) {
		sample->n_values = s->rings[i].instances ? seat->source->n_slots : seat->source->n_sums;
		ring_push(s->rings[i].ring, sample);
	}
}

/* Take what waits. Returns whether there was anything. */
static bool read_seat(struct sampler *s, uint32_t index, int64_t now)
{
	struct seat *seat = &s->seats[index];
	struct source *source = seat->source;
	enum read_result got = READ_GOT;
	unsigned n;

	for (n = 0; n < READS_MAX; n++) {
		seat->sample->flags = 0;
		seat->sample->lost = 0;
		got = source->backend->read(source, now, seat->sample);
		if (got != READ_GOT)
			break;
		push(s, index, seat);
	}
	if (n == READS_MAX)
		seat->silenced = true;
	if (got == READ_GONE)
		seat_lose(s, index);
	else if (source->period_ns != seat->period_ns)
		follow_period(s, index, now);
	return n > 0;
}

static void read_due(struct sampler *s)
{
	int64_t now = s->sys->monotonic_ns(s->sys);

	for (uint32_t i = 0; i < s->n_seats; i++) {
		struct seat *seat = &s->seats[i];

		if (!seat->source || seat->due_ns > now)
			continue;
		/* The deadlines are a fixed grid: a late wake shortens the next sleep and nothing drifts. */
		seat->due_ns += seat->wake_ns * ((now - seat->due_ns) / seat->wake_ns + 1);
		seat->silenced = false;
		read_seat(s, i, now);
	}
}

/* What a hung-up fd had to give was read before: that was all. */
static void read_ready(struct sampler *s, const struct pollfd *fds, const uint32_t *seat_of, unsigned n)
{
	int64_t now = s->sys->monotonic_ns(s->sys);

	for (unsigned i = 2; i < n; i++) {
		struct seat *seat = &s->seats[seat_of[i]];
		bool got;

		if (!fds[i].revents || !seat->source)
			continue;
		got = read_seat(s, seat_of[i], now);
		if (!seat->source)
			continue;
		if (got && seat->wake_ns == seat->period_ns) {
			seat->due_ns = now + 2 * seat->wake_ns; /* it keeps time by itself: this is for when it does not */
		} else if (!got && fds[i].revents & (POLLHUP | POLLNVAL)) {
			seat_lose(s, seat_of[i]);
		} else if (!got) {
			seat->silenced = true;
			if (seat->due_ns > now + seat->wake_ns / 2)
				seat->due_ns = now + seat->wake_ns / 2;
		}
	}
}

/* ---- requests ---- */

/* Of every source: what has ended; with `cut` also what still runs. */
static void read_all(struct sampler *s, bool cut)
{
	for (uint32_t i = 0; i < s->n_seats; i++) {
		struct seat *seat = &s->seats[i];

		if (!seat->source)
			continue;
		seat->source->cut = cut;
		read_seat(s, i, s->sys->monotonic_ns(s->sys));
		if (seat->source)
			seat->source->cut = false;
	}
}

static void take_request(struct sampler *s, const struct request *r)
{
	switch (r->kind) {
	case REQUEST_ADOPT:
		if (s->n_seats <= r->index)
			s->n_seats = r->index + 1;
		seat_adopt(s, &s->seats[r->index], r->source);
		seat_start(s, r->index, r->period_ns);
		break;
	case REQUEST_DROP:
		seat_leave(s, &s->seats[r->index]);
		break;
	case REQUEST_PERIOD:
		seat_start(s, r->index, r->period_ns);
		break;
	case REQUEST_ATTACH:
		assert(s->n_rings < SAMPLER_RINGS_MAX);
		s->rings[s->n_rings].ring = r->ring;
		s->rings[s->n_rings++].instances = r->instances;
		break;
	case REQUEST_DETACH:
		read_all(s, false); /* what ended before a reader leaves is still its own */
		for (unsigned i = 0; i < s->n_rings; i++)
			if (s->rings[i].ring == r->ring)
				s->rings[i--] = s->rings[--s->n_rings];
		break;
	case REQUEST_CUT:
		read_all(s, true);
		break;
	case REQUEST_END:
		s->end = true;
		break;
	}
}

static void take_requests(struct sampler *s)
{
	struct request *r = sampler_requests(s), *next;
	uint64_t n = 0;

	for (; r; r = next, n++) {
		next = r->next;
		take_request(s, r);
		free(r);
	}
	sampler_requests_done(s, n);
}

/* ---- waiting ---- */

/* A suspend moves BOOTTIME but not MONOTONIC. Whatever ends after the last look may have it inside or before it. (A thread that is
 * held up between the two clocks sees less than there is, never more.) */
static void notice_suspend(struct sampler *s)
{
	int64_t ahead = s->sys->boottime_ns(s->sys), now = s->sys->monotonic_ns(s->sys);

	ahead -= now;
	for (uint32_t i = 0; i < s->n_seats && ahead - s->suspended_ns > SUSPEND_NS; i++) {
		s->seats[i].gap = true;
		s->seats[i].gap_after_ns = s->seats[i].source ? s->looked_ns : INT64_MIN;
	}
	if (ahead > s->suspended_ns)
		s->suspended_ns = ahead;
	s->looked_ns = now;
}

/* Arm the timer for the earliest deadline and list the fds that announce samples by themselves; where samples are taken in
 * batches, only what the kernel always tells counts: errors and hanging up. seat_of[i] belongs to fds[i]. */
static unsigned prepare_wait(struct sampler *s, struct pollfd *fds, uint32_t *seat_of)
{
	int64_t due = 0;
	unsigned n = 2;

	fds[0] = (struct pollfd){.fd = s->request_fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = s->timer_fd, .events = POLLIN};
	for (uint32_t i = 0; i < s->n_seats; i++) {
		const struct seat *seat = &s->seats[i];
		int fd = seat->source ? seat->source->backend->fd(seat->source) : -1;

		if (seat->source && (!due || seat->due_ns < due))
			due = seat->due_ns;
		if (fd < 0 || seat->silenced)
			continue;
		seat_of[n] = i;
		fds[n++] = (struct pollfd){.fd = fd, .events = seat->period_ns < BATCH_BELOW_NS ? 0 : POLLIN};
	}
	sys_timer_at(s->timer_fd, due);
	return n;
}

void *sampler_run(void *sampler)
{
	struct sampler *s = sampler;
	struct pollfd fds[2 + SAMPLER_SOURCES_MAX];
	uint32_t seat_of[2 + SAMPLER_SOURCES_MAX];

	while (!s->end) {
		unsigned n = prepare_wait(s, fds, seat_of);

		if (s->sys->poll(s->sys, fds, n, -1) < 0 && errno != EINTR)
			break; /* cannot happen with our own fds; ending is better than spinning */
		if (fds[1].revents)
			sys_timer_ack(s->timer_fd);
		notice_suspend(s);
		if (fds[0].revents)
			take_requests(s);
		if (s->end)
			break;
		read_ready(s, fds, seat_of, n);
		read_due(s);
	}
	for (uint32_t i = 0; i < s->n_seats; i++)
		seat_leave(s, &s->seats[i]);
	return NULL;
}
