/* The events: their life, their groups, and what ioctl and read do with them. */
#include "tests/fake/perf_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int fake_perf_fail(int code)
{
	errno = code;
	return -1;
}

void fake_perf_breach(struct fake_perf *f, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	strbuf_printf(&f->breaches, "%s\n", line);
}

static int new_fd(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

static const struct fake_pmu software[] = {
	{.name = "software", .kind = FAKE_SOFTWARE, .type = FAKE_TYPE_SOFTWARE, .cpus = ~0ull},
	{.name = "tracepoint", .kind = FAKE_TRACEPOINT, .type = FAKE_TYPE_TRACEPOINT, .cpus = ~0ull},
};

void fake_perf_init(struct fake_perf *f, const char *machine, int64_t now_ns)
{
	const struct fake_machine *m = fake_machine_find(machine);

	if (!m) {
		fprintf(stderr, "%s: no such machine\n", machine);
		abort();
	}
	*f = (struct fake_perf){
		.machine = m,
		.kernel = FAKE_KERNEL(6, 1),
		.paranoid = -1,
		.max_sample_rate = 100000,
		.uid = 1000,
		.self = 1000,
		.mux_ns = 4000000,
		.slice_ns = 3000000,
		.kernel_percent = 25,
		.new_fd = new_fd,
		.now_ns = now_ns,
	};
	for (size_t i = 0; i < ARRAY_LEN(software); i++)
		f->pmus[f->n_pmus++] = software[i];
	for (size_t i = 0; i < ARRAY_LEN(m->pmus) && m->pmus[i].name; i++)
		f->pmus[f->n_pmus++] = m->pmus[i];
	for (unsigned i = 0; i < m->n_cpus; i++)
		f->cpus[i].online = true;
	fake_perf_task(f, f->self, f->uid, 0);
}

void fake_perf_fini(struct fake_perf *f)
{
	while (f->n_events) {
		struct fake_event *e = f->events[--f->n_events];

		if (e->fd >= 0)
			close(e->fd);
		free(e);
	}
	while (f->n_tasks)
		free(f->tasks[--f->n_tasks]);
	free(f->tasks);
	free(f->events);
	free(f->rates);
	strbuf_fini(&f->breaches);
	*f = (struct fake_perf){0};
}

struct fake_pmu *fake_perf_pmu(struct fake_perf *f, const char *name)
{
	for (unsigned i = 0; i < f->n_pmus; i++)
		if (strcmp(f->pmus[i].name, name) == 0)
			return &f->pmus[i];
	fprintf(stderr, "%s: no such PMU\n", name);
	abort();
}

void fake_perf_rate(struct fake_perf *f, int cpu, const char *pmu, uint64_t config, uint64_t per_us)
{
	GROW(f->rates, f->n_rates, f->cap_rates);
	f->rates[f->n_rates++] = (struct fake_rate){cpu, fake_perf_pmu(f, pmu), config, per_us};
}

/* ---- the list of events ---- */

struct fake_event *fake_perf_find(const struct fake_perf *f, int fd)
{
	for (unsigned i = 0; fd >= 0 && i < f->n_events; i++)
		if (f->events[i]->fd == fd)
			return f->events[i];
	return NULL;
}

bool fake_perf_has(const struct fake_perf *f, int fd)
{
	return fake_perf_find(f, fd) != NULL;
}

/* Into the list, and to the end of its group (no leader: one of its own). */
struct fake_event *fake_perf_add(struct fake_perf *f, const struct fake_event *e)
{
	struct fake_event *new = xcalloc(1, sizeof(*new)), *last;

	*new = *e;
	new->on_cpu = -1;
	new->order = ++f->order;
	new->id = e->parent ? e->parent->id : ++f->next_id;
	new->next_member = NULL;
	if (new->leader) {
		for (last = new->leader; last->next_member; last = last->next_member)
			;
		last->next_member = new;
	} else {
		new->leader = new;
	}
	GROW(f->events, f->n_events, f->cap_events);
	f->events[f->n_events++] = new;
	return new;
}

/* Leave a group. One without its leader falls apart, and what was waiting for the leader waits no
 * longer. */
void fake_perf_detach(struct fake_event *e)
{
	struct fake_event *m = e->leader, *next;

	if (e != e->leader) {
		while (m->next_member != e)
			m = m->next_member;
		m->next_member = e->next_member;
		e->next_member = NULL;
		e->leader = e;
		return;
	}
	for (m = e->next_member, e->next_member = NULL; m; m = next) {
		next = m->next_member;
		m->next_member = NULL;
		m->leader = m;
	}
}

void fake_perf_drop(struct fake_perf *f, struct fake_event *e)
{
	unsigned i = 0;

	fake_perf_disable(f, e);
	fake_perf_detach(e);
	while (f->events[i] != e)
		i++;
	memmove(&f->events[i], &f->events[i + 1], (--f->n_events - i) * sizeof(struct fake_event *));
	free(e);
}

static void settle_former(struct fake_perf *f, struct fake_event *const *former, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (former[i]->state >= FAKE_INACTIVE)
			fake_perf_reschedule(f, fake_perf_context_cpu(f, former[i]));
}

/* The members of a group that loses its leader count on, or begin to. */
static void drop_leader(struct fake_perf *f, struct fake_event *e)
{
	struct fake_event *former[64];
	unsigned n = 0;

	for (struct fake_event *m = e->next_member; e == e->leader && m && n < ARRAY_LEN(former);
	     m = m->next_member)
		former[n++] = m;
	fake_perf_drop(f, e);
	settle_former(f, former, n);
}

int fake_perf_close(struct fake_perf *f, int fd)
{
	struct fake_event *e = fake_perf_find(f, fd);

	if (!e)
		return fake_perf_fail(EBADF);
	for (unsigned i = 0; i < f->n_events;)
		if (f->events[i]->parent == e)
			drop_leader(f, f->events[i]);
		else
			i++;
	drop_leader(f, e);
	return close(fd);
}

unsigned fake_perf_open_files(const struct fake_perf *f, struct strbuf *names)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->n_events; i++) {
		const struct fake_event *e = f->events[i];

		if (e->fd < 0)
			continue;
		if (names)
			strbuf_printf(names, "%sfd %d: %s 0x%llx of %s %d", n ? ", " : "", e->fd,
				      e->pmu->name, (unsigned long long)e->raw, e->task ? "thread" : "CPU",
				      e->task ? e->task->pid : e->cpu);
		n++;
	}
	return n;
}

/* ---- ioctl ---- */

static void reset_event(struct fake_perf *f, struct fake_event *e)
{
	(void)f;
	e->total.count = e->count_rest = 0; /* the times go on, and so does what ended children counted */
	e->total.truth = e->truth_rest = 0;
}

static void for_each_child(struct fake_perf *f, struct fake_event *e,
			   void (*apply)(struct fake_perf *, struct fake_event *))
{
	apply(f, e);
	for (unsigned i = 0; i < f->n_events; i++)
		if (f->events[i]->parent == e)
			apply(f, f->events[i]);
}

int fake_perf_ioctl(struct fake_perf *f, int fd, unsigned long request, void *arg)
{
	static void (*const operations[])(struct fake_perf *, struct fake_event *) = {
		fake_perf_enable,
		fake_perf_disable,
		NULL,
		reset_event,
	};
	struct fake_event *e = fake_perf_find(f, fd);
	uintptr_t flags = (uintptr_t)arg;

	request &= 0xffffffff;
	if (!e)
		return fake_perf_fail(EBADF);
	if (request == 0x2405)
		return fake_perf_set_output(f, e, (int)flags);
	if (request == (sizeof(void *) == 8 ? 0x80082407 : 0x80042407)) {
		memcpy(arg, &e->id, sizeof(e->id));
		return 0;
	}
	if (request == (sizeof(void *) == 8 ? 0x40082406 : 0x40042406))
		return f->unfiltered ? fake_perf_fail(EINVAL) : fake_perf_set_filter(e, arg);
	if (request < 0x2400 || request - 0x2400 >= ARRAY_LEN(operations) || !operations[request - 0x2400]) {
		fake_perf_breach(f, "events do not know the ioctl 0x%lx", request);
		return fake_perf_fail(ENOTTY);
	}
	if (flags & ~(uintptr_t)1)
		fake_perf_breach(f, "the ioctl 0x%lx has no flags 0x%lx", request, (unsigned long)flags);
	if (!(flags & 1)) {
		for_each_child(f, e, operations[request - 0x2400]);
		return 0;
	}
	for (e = e->leader; e; e = e->next_member)
		for_each_child(f, e, operations[request - 0x2400]);
	return 0;
}

/* ---- read ---- */

/* An event with what was inherited from it. */
static struct fake_total whole(const struct fake_perf *f, const struct fake_event *e)
{
	struct fake_total t = e->total;

	for (unsigned i = 0; i <= f->n_events; i++) {
		const struct fake_event *child = i < f->n_events ? f->events[i] : NULL;
		const struct fake_total *more = child ? &child->total : &e->children;

		if (child && child->parent != e)
			continue;
		t.count += more->count;
		t.truth += more->truth;
		t.enabled_ns += more->enabled_ns;
		t.running_ns += more->running_ns;
	}
	if (e->pmu->wraps)
		t.count &= (1ull << e->pmu->width) - 1;
	return t;
}

uint64_t fake_perf_truth(const struct fake_perf *f, int fd)
{
	const struct fake_event *e = fake_perf_find(f, fd);

	return e ? whole(f, e).truth : 0;
}

static unsigned group_size(const struct fake_event *leader)
{
	unsigned n = 0;

	for (; leader; leader = leader->next_member)
		n++;
	return n;
}

/* Whether the group of each child still has the events of its parent's. It has not while the child
 * ends. */
static bool groups_match(const struct fake_perf *f, const struct fake_event *leader)
{
	for (unsigned i = 0; i < f->n_events; i++)
		if (f->events[i]->parent == leader && group_size(f->events[i]) != group_size(leader))
			return false;
	return true;
}

ssize_t fake_perf_read(struct fake_perf *f, int fd, void *buf, size_t n)
{
	const struct fake_event *e = fake_perf_find(f, fd), *first, *m;
	struct fake_total t;
	uint64_t words[3 + 3 * 64];
	size_t at = 0, size;
	uint64_t format;
	bool group;

	if (!e)
		return fake_perf_fail(EBADF);
	if (e->state == FAKE_ERROR)
		return 0;
	format = e->attr.read_format;
	group = format & FAKE_GROUP;
	first = group ? e->leader : e;
	if (group && !f->unmatched && !groups_match(f, first))
		return fake_perf_fail(ECHILD);
	t = whole(f, first);
	if (group)
		words[at++] = 0;
	else
		words[at++] = t.count;
	if (format & FAKE_ENABLED)
		words[at++] = t.enabled_ns;
	if (format & FAKE_RUNNING)
		words[at++] = t.running_ns;
	for (m = first; m && at + 3 <= ARRAY_LEN(words); m = group ? m->next_member : NULL) {
		if (group) {
			words[0]++;
			words[at++] = whole(f, m).count;
		}
		if (format & FAKE_ID)
			words[at++] = m->id;
		if (format & FAKE_LOST)
			words[at++] = 0;
	}
	size = at * sizeof(*words);
	if (n < size) {
		fake_perf_breach(f, "a read of %zu bytes, where there are %zu", n, size);
		return fake_perf_fail(ENOSPC);
	}
	memcpy(buf, words, size);
	return (ssize_t)size;
}
