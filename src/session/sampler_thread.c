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

static int64_t now_ns(const struct lane *l)
{
	return l->sampler->sys->monotonic_ns(l->sampler->sys);
}

/* ---- seats ---- */

/* Do not hold the lock while the driver stops, so that describing a source does not wait for it. */
static void seat_leave(struct lane *l, struct seat *seat)
{
	struct source *source = seat->source;

	if (!source)
		return;
	pthread_mutex_lock(&l->life);
	seat->source = NULL;
	pthread_mutex_unlock(&l->life);
	if (seat->started)
		source->backend->stop(source);
	source->backend->close(source);
	source_free(source);
	free(seat->sample);
	*seat = (struct seat){.seq = seat->seq, .gap = true, .gap_after_ns = INT64_MIN};
}

static void seat_adopt(struct lane *l, struct seat *seat, struct source *source)
{
	assert(!seat->source);
	seat->sample = xcalloc(1, sizeof(*seat->sample) +
					  ((size_t)source->n_slots + source->n_more) * sizeof(uint64_t));
	pthread_mutex_lock(&l->life);
	seat->source = source;
	pthread_mutex_unlock(&l->life);
}

static void seat_lose(struct lane *l, uint32_t index)
{
	struct seat *seat = &l->seats[index];
	bool ended = seat->source->ended;
	struct err err;

	err_set(&err, ended ? ESRCH : ENODEV, "%s: %s", seat->source->title,
		ended ? "has ended" : "the device is gone");
	seat_leave(l, seat);
	sampler_report(l->sampler,
		       &(struct sampler_event){.kind = SAMPLER_GONE, .source = index, .err = err});
}

/* Take over the period of the source, which is known after start and may change when the driver
 * takes longer. */
static void follow_period(struct lane *l, uint32_t index, int64_t now, enum sampler_event_kind kind)
{
	struct seat *seat = &l->seats[index];
	int64_t period = seat->source->period_ns;

	assert(period > 0);
	seat->period_ns = seat->wake_ns = period;
	if (period < BATCH_BELOW_NS)
		seat->wake_ns = BATCH_SAMPLES * period < BATCH_NS ? BATCH_SAMPLES * period : BATCH_NS;
	seat->begun_ns = now;
	seat->due_ns = now + (seat->source->options.history_ns && !seat->seq && seat->wake_ns > PAST_NS
				      ? PAST_NS
				      : seat->wake_ns);
	sampler_report(l->sampler, &(struct sampler_event){.kind = kind,
							   .source = index,
							   .period_ns = period,
							   .asked_ns = seat->asked_ns});
}

static void seat_start(struct lane *l, uint32_t index, int64_t period_ns)
{
	struct seat *seat = &l->seats[index];
	struct source *source = seat->source;
	int64_t now = now_ns(l);
	struct err err;

	if (!source)
		return;
	if (seat->started)
		source->backend->stop(source);
	seat->asked_ns = period_ns;
	seat->started = source->backend->start(source, period_ns, now, &err);
	if (seat->started) {
		seat->pace = (struct seat_pace){.started_ns = now, .expected_ns = source->period_ns};
		follow_period(l, index, now, SAMPLER_STARTED);
		return;
	}
	seat_leave(l, seat);
	sampler_report(l->sampler,
		       &(struct sampler_event){.kind = SAMPLER_FAILED, .source = index, .err = err});
}

/* ---- reading ---- */

static void push_sample(struct lane *l, uint32_t index, struct seat *seat)
{
	struct sample *sample = seat->sample;

	seat->seq += 1 + sample->lost;
	sample->seq = seat->seq;
	sample->source = index;
	if (seat->gap && sample->end_ns > seat->gap_after_ns) {
		sample->flags |= SAMPLE_GAP;
		seat->gap = false;
	}
	for (unsigned i = 0; i < l->n_taps; i++)
		tap_push(l->taps[i], sample, seat->source->n_sums, seat->source->n_slots);
}

static void judge_sample(struct lane *l, uint32_t index, struct seat *seat, int64_t now)
{
	bool fails = seat->sample->flags & SAMPLE_ERROR;
	const char *why = seat->source->failure;
	struct sampler_event event = {.source = index, .kind = fails ? SAMPLER_INVALID : SAMPLER_VALID};

	if (!fails || !seat->invalid_ns)
		seat->invalid_ns = fails ? now : 0;
	if (fails == seat->invalid || (fails && now - seat->invalid_ns < SAMPLER_INVALID_NS))
		return;
	seat->invalid = fails;
	err_set(&event.err, 0, "%s", why ? why : "the driver reports no reason");
	sampler_report(l->sampler, &event);
}

/* Failed samples have no length, and time that nobody counted is in no sample: what remains is how
 * long the intervals are, whatever the cause: a slow driver, or a busy machine. */
static void count_pace(struct lane *l, uint32_t index, struct seat *seat)
{
	const struct sample *sample = seat->sample;
	struct seat_pace *pace = &seat->pace;
	struct sampler_event event = {.kind = SAMPLER_PACE, .source = index, .asked_ns = seat->asked_ns};

	if (sample->flags & SAMPLE_ERROR || sample->begin_ns < pace->started_ns || seat->source->cut)
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

static void report_marks(struct lane *l, uint32_t index, struct source *source)
{
	struct sampler_event event = {.kind = SAMPLER_MARK, .source = index};

	while (source->backend->mark && source->backend->mark(source, &event.mark))
		sampler_report(l->sampler, &event);
}

/* Push all waiting samples. Returns whether there were any. */
static bool read_seat(struct lane *l, uint32_t index)
{
	struct seat *seat = &l->seats[index];
	struct source *source = seat->source;
	enum read_result got = READ_GOT;
	int64_t now = lane_enter(l, index);
	unsigned n;

	for (n = 0; n < READS_MAX; n++) {
		seat->sample->flags = 0;
		seat->sample->lost = 0;
		seat->sample->n_more = (uint16_t)source->n_more;
		got = source->backend->read(source, now, seat->sample);
		if (got != READ_GOT)
			break;
		push_sample(l, index, seat);
		judge_sample(l, index, seat, now);
		count_pace(l, index, seat);
	}
	if (n == READS_MAX)
		seat->silenced = true;
	report_marks(l, index, source);
	if (got == READ_GONE)
		seat_lose(l, index);
	else if (source->period_ns != seat->period_ns)
		follow_period(l, index, now, SAMPLER_PERIOD);
	lane_leave(l);
	return n > 0;
}

static void read_due(struct lane *l)
{
	int64_t now = now_ns(l);

	for (uint32_t i = 0; i < l->n_seats; i++) {
		struct seat *seat = &l->seats[i];

		if (!seat->source || seat->due_ns > now)
			continue;
		/* Deadlines are a fixed grid, so that a late wake-up shortens the next sleep and
		 * nothing drifts. */
		seat->due_ns = seat->begun_ns + seat->wake_ns * ((now - seat->begun_ns) / seat->wake_ns + 1);
		seat->silenced = false;
		read_seat(l, i);
	}
}

/* Read the sources whose fds are ready. A source whose fd reports POLLHUP or POLLNVAL and that
 * yields no sample is lost: everything it had was read before. */
static void read_ready(struct lane *l, const struct pollfd *fds, const uint32_t *seat_of, unsigned n)
{
	int64_t now = now_ns(l);

	for (unsigned i = 1; i < n; i++) {
		struct seat *seat = &l->seats[seat_of[i]];
		bool got;

		if (!fds[i].revents || !seat->source)
			continue;
		got = read_seat(l, seat_of[i]);
		if (!seat->source)
			continue;
		if (got && seat->wake_ns == seat->period_ns) {
			seat->due_ns = now + 2 * seat->wake_ns; /* a fallback: the fd signals */
		} else if (!got && fds[i].revents & (POLLHUP | POLLNVAL)) {
			lane_enter(l, seat_of[i]);
			seat_lose(l, seat_of[i]);
			lane_leave(l);
		} else if (!got) {
			seat->silenced = true;
			if (seat->due_ns > now + seat->wake_ns / 2)
				seat->due_ns = now + seat->wake_ns / 2;
		}
	}
}

/* ---- requests ---- */

/* Read every source: the intervals that have ended and, with `cut`, also the current one. */
static void read_all(struct lane *l, bool cut)
{
	for (uint32_t i = 0; i < l->n_seats; i++) {
		struct seat *seat = &l->seats[i];

		if (!seat->source)
			continue;
		seat->source->cut = cut;
		read_seat(l, i);
		if (seat->source)
			seat->source->cut = false;
	}
}

static void leave_tap(struct lane *l, struct tap *tap)
{
	for (unsigned i = 0; i < l->n_taps; i++)
		if (l->taps[i] == tap) {
			tap_free(tap);
			l->taps[i--] = l->taps[--l->n_taps];
		}
}

/* Carry out a request for one source. */
static void change_seat(struct lane *l, const struct sampler_request *r)
{
	lane_enter(l, r->index);
	if (l->n_seats <= r->index)
		l->n_seats = r->index + 1;
	if (r->kind == REQUEST_DROP)
		seat_leave(l, &l->seats[r->index]);
	if (r->kind == REQUEST_ADOPT)
		seat_adopt(l, &l->seats[r->index], r->source);
	if (r->kind != REQUEST_DROP)
		seat_start(l, r->index, r->period_ns);
	lane_leave(l);
}

static void prefer_slots(struct lane *l, const struct sampler_request *r)
{
	struct source *source = l->seats[r->index].source;

	if (source && source->backend->prefer)
		source->backend->prefer(source, &r->wish);
}

static void choose_process(struct lane *l, const struct sampler_request *r)
{
	struct source *source = l->seats[r->index].source;

	if (!source || !source->backend->choose)
		return;
	lane_enter(l, r->index);
	source->backend->choose(source, r->pid);
	lane_leave(l);
}

static void take_request(struct lane *l, const struct sampler_request *r)
{
	switch (r->kind) {
	case REQUEST_ADOPT:
	case REQUEST_DROP:
	case REQUEST_PERIOD:
		change_seat(l, r);
		break;
	case REQUEST_PREFER:
		prefer_slots(l, r);
		break;
	case REQUEST_CHOOSE:
		choose_process(l, r);
		break;
	case REQUEST_ATTACH:
		assert(l->n_taps < SAMPLER_TAPS_MAX);
		l->taps[l->n_taps++] = r->tap;
		break;
	case REQUEST_DETACH:
		read_all(l, false); /* a reader gets every sample that ended before it leaves */
		leave_tap(l, r->tap);
		break;
	case REQUEST_CUT:
		read_all(l, true);
		break;
	case REQUEST_END:
		l->end = true;
		break;
	}
}

static void take_requests(struct lane *l)
{
	struct sampler_request *r = lane_requests(l), *next;
	uint64_t n = 0;

	for (; r; r = next, n++) {
		next = r->next;
		take_request(l, r);
		free(r);
	}
	lane_done(l, l->end ? n - 1 : n); /* lane_run reports REQUEST_END as done */
}

/* ---- waiting ---- */

/* A suspend advances BOOTTIME but not MONOTONIC. Samples that end after the previous check may
 * follow or contain it. (If this thread is preempted between the two clocks, it sees less than the
 * true difference, never more.) */
static void notice_suspend(struct lane *l)
{
	const struct sys *sys = l->sampler->sys;
	int64_t ahead = sys->boottime_ns(sys), now = sys->monotonic_ns(sys);

	ahead -= now;
	for (uint32_t i = 0; i < l->n_seats && ahead - l->suspended_ns > SUSPEND_NS; i++) {
		l->seats[i].gap = true;
		l->seats[i].gap_after_ns = l->seats[i].source ? l->looked_ns : INT64_MIN;
	}
	if (ahead > l->suspended_ns)
		l->suspended_ns = ahead;
	l->looked_ns = now;
}

/* The earliest deadline; others that follow within a small part of its pace share the wake-up, for
 * which all of them wait. */
static int64_t next_wake(const struct lane *l)
{
	const struct seat *first = NULL, *end = l->seats + l->n_seats;
	int64_t due;

	for (const struct seat *seat = l->seats; seat < end; seat++)
		if (seat->source && (!first || seat->due_ns < first->due_ns))
			first = seat;
	due = first ? first->due_ns : INT64_MAX;
	for (const struct seat *seat = l->seats; first && seat < end; seat++)
		if (seat->source && seat->due_ns > due &&
		    seat->due_ns <= first->due_ns + first->wake_ns / SHARED_WAKE)
			due = seat->due_ns;
	return due;
}

/* List the fds that signal samples. For sources that are read in batches, listen only to what poll
 * always reports: errors and hangups. seat_of[i] belongs to fds[i]. */
static unsigned list_fds(const struct lane *l, struct pollfd *fds, uint32_t *seat_of)
{
	unsigned n = 1;

	fds[0] = (struct pollfd){.fd = l->request_fd, .events = POLLIN};
	for (uint32_t i = 0; i < l->n_seats; i++) {
		const struct seat *seat = &l->seats[i];
		int fd = seat->source ? seat->source->backend->fd(seat->source) : -1;

		if (fd < 0 || seat->silenced)
			continue;
		seat_of[n] = i;
		fds[n++] = (struct pollfd){.fd = fd, .events = seat->period_ns < BATCH_BELOW_NS ? 0 : POLLIN};
	}
	return n;
}

void lane_run(void *lane)
{
	struct lane *l = lane;
	const struct sys *sys = l->sampler->sys;
	struct pollfd fds[1 + SAMPLER_SOURCES_MAX];
	uint32_t seat_of[1 + SAMPLER_SOURCES_MAX];

	while (!l->end) {
		unsigned n = list_fds(l, fds, seat_of);

		if (sys->poll_until(sys, fds, n, next_wake(l)) < 0 && errno != EINTR)
			break; /* cannot happen with our own fds; ending is better than spinning */
		notice_suspend(l);
		if (fds[0].revents)
			take_requests(l);
		if (l->end)
			break;
		read_ready(l, fds, seat_of, n);
		read_due(l);
	}
	for (uint32_t i = 0; i < l->n_seats; i++) {
		lane_enter(l, i);
		seat_leave(l, &l->seats[i]);
		lane_leave(l);
	}
	while (l->n_taps)
		leave_tap(l, l->taps[0]);
	lane_done(l, 1);
}
