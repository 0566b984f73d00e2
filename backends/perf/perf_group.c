#include "backends/perf/perf_group.h"

#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

void perf_group_init(struct perf_group *group, const struct sys *sys, const struct perf_target *target)
{
	*group = (struct perf_group){.sys = sys, .target = *target};
}

void perf_group_drop(struct perf_group *group)
{
	group->sys->close(group->sys, group->fds[--group->n]);
}

void perf_group_fini(struct perf_group *group)
{
	while (group->n) /* members before their leader, or each would become a separate group */
		perf_group_drop(group);
}

static int open_event(const struct perf_group *group, const struct perf_event *event)
{
	const struct perf_target *target = &group->target;
	bool leader = !group->n, user_only = target->user_only || event->user_only;
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       (target->inherit ? 0 : PERF_FORMAT_GROUP),
		.disabled = leader && !target->at_once,
		.inherit = target->inherit,
		.pinned = leader && target->pinned,
		.enable_on_exec = leader && target->on_exec,
		.exclude_user = event->kernel_only && !user_only,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
	};

	return group->sys->perf_event_open(group->sys, &attr, target->pid, target->cpu,
					   leader ? -1 : group->fds[0], PERF_FLAG_FD_CLOEXEC);
}

bool perf_group_add(struct perf_group *group, const struct perf_event *event, struct err *err)
{
	const struct perf_target *target = &group->target;
	char name[64];
	int fd, code;

	if (group->n == PERF_GROUP_MAX)
		return err_set(err, EINVAL, "a group has at most %d events", PERF_GROUP_MAX);
	fd = open_event(group, event);
	if (fd >= 0) {
		group->events[group->n] = event;
		group->fds[group->n++] = fd;
		return true;
	}
	code = errno;
	str_printable(name, sizeof(name), event->name);
	if (target->pid < 0)
		return err_set(err, code, "%s: cannot be counted on CPU %d: %s", name, target->cpu,
			       code == ENODEV ? "it is offline" : strerror(code));
	return err_set(err, code, "%s: cannot be counted for %s %d: %s", name,
		       target->pid ? "thread" : "this thread,", (int)target->pid, strerror(code));
}

bool perf_group_start(struct perf_group *group, struct err *err)
{
	/* The argument is a plain number; ioctl takes it as a pointer. */
	void *whole = (void *)(uintptr_t)PERF_IOC_FLAG_GROUP;

	assert(group->n);
	if (group->target.on_exec ||
	    group->sys->ioctl(group->sys, group->fds[0], PERF_EVENT_IOC_ENABLE, whole) == 0)
		return true;
	return err_set(err, errno, "%s: cannot start counting: %s", group->events[0]->name, strerror(errno));
}

/* A read of 0: a pinned group cannot be scheduled (ENODATA); other short reads are EIO. */
static bool read_all(const struct perf_group *group, unsigned i, uint64_t *into, size_t n)
{
	ssize_t got = group->sys->read(group->sys, group->fds[i], into, n * sizeof(*into));

	if (got >= 0 && (size_t)got != n * sizeof(*into))
		errno = got ? EIO : ENODATA;
	return got == (ssize_t)(n * sizeof(*into));
}

/* Read the events one by one, each with its own times.
 *
 * Inherited events: a read of the whole group fails with ECHILD while the kernel takes a child's
 * group apart, which is most of the time if threads come and go. Before Linux 4.13 it is not
 * possible at all. The times are those of the first event.
 * Events of a CPU that is offline: their group fell apart into one per member, which keeps what it
 * counted until then. The times are those of the last event. */
static bool read_each_event(const struct perf_group *group, struct perf_reading *reading)
{
	bool inherit = group->target.inherit;

	for (unsigned i = 0; i < group->n; i++) {
		/* Inherited: count, enabled, running; else 1, enabled, running, count. */
		uint64_t one[4];

		if (!read_all(group, i, one, inherit ? 3 : 4))
			return false;
		reading->count[i] = one[inherit ? 0 : 3];
		if (i && inherit)
			continue;
		reading->enabled_ns = one[1];
		reading->running_ns = one[2];
	}
	return true;
}

bool perf_group_read(const struct perf_group *group, struct perf_reading *reading)
{
	struct {
		uint64_t n, enabled, running, count[PERF_GROUP_MAX];
	} all = {.n = 0};

	*reading = (struct perf_reading){0};
	if (group->target.inherit)
		return read_each_event(group, reading);
	if (!read_all(group, 0, &all.n, 3 + group->n))
		return errno == EIO && all.n == 1 && read_each_event(group, reading);
	if (all.n != group->n)
		return errno = EIO, false;
	reading->enabled_ns = all.enabled;
	reading->running_ns = all.running;
	memcpy(reading->count, all.count, group->n * sizeof(*all.count));
	return true;
}

/* *r + more, both below c, modulo c. Returns the carry. */
static unsigned add_below(uint64_t *r, uint64_t more, uint64_t c)
{
	bool carry = *r >= c - more;

	*r = carry ? *r - (c - more) : *r + more;
	return carry;
}

/* a x b / c, where c <= b, exactly, without 128-bit numbers, which some lack. Saturates. */
static uint64_t scale_count(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest)
{
	uint64_t whole = 0, r = 0;
	bool over = false;

	for (int bit = a ? 63 - __builtin_clzll(a) : -1; bit >= 0; bit--) {
		over |= __builtin_add_overflow(whole, whole, &whole);
		over |= __builtin_add_overflow(whole, add_below(&r, r, c), &whole);
		if (!(a >> bit & 1))
			continue;
		over |= __builtin_add_overflow(whole, b / c, &whole);
		over |= __builtin_add_overflow(whole, add_below(&r, b % c, c), &whole);
	}
	*rest = over ? 0 : r;
	return over ? UINT64_MAX : whole;
}

uint64_t perf_estimate(uint64_t count, uint64_t enabled_ns, uint64_t running_ns, double *fraction)
{
	uint64_t whole, rest;

	if (!running_ns)
		return UINT64_MAX;
	if (running_ns >= enabled_ns)
		return count;
	whole = scale_count(count, enabled_ns, running_ns, &rest);
	if (whole == UINT64_MAX)
		return UINT64_MAX - 1;
	if (!fraction)
		return whole;
	*fraction += (double)rest / (double)running_ns;
	if (*fraction < 1)
		return whole;
	*fraction -= 1;
	return whole + 1;
}
