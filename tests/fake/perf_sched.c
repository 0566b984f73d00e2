/* Who has the counters: groups, all or nothing, in the kernel's order - of the CPU before those of
 * the task, pinned ones before those that take turns - and what is counted meanwhile. */
#include "tests/fake/perf_priv.h"

#include "base/alloc.h"

#include <stdlib.h>

/* ---- counters ---- */

struct counters {
	unsigned left, dedicated; /* dedicated: those taken, a bit each */
	bool any, exclusive;
};

static bool take_counter(const struct fake_perf *f, struct counters *c, const struct fake_event *e)
{
	bool chained = e->pmu->kind == FAKE_ARM && e->attr.config1 & 1 && f->kernel >= FAKE_KERNEL(4, 19);
	unsigned need = chained ? 2 : 1;

	for (unsigned i = 0; i < ARRAY_LEN(e->pmu->dedicated) && e->pmu->dedicated[i]; i++) {
		if (e->pmu->dedicated[i] != e->raw || c->dedicated >> i & 1)
			continue;
		c->dedicated |= 1u << i;
		return true;
	}
	if (c->left < need)
		return false;
	c->left -= need;
	return true;
}

/* What the kernel looks at when a group is opened. On Arm an event that is off is not counted,
 * unless exec turns it on, and neither is a leader; on x86 a leader always is. */
static bool is_weighed(const struct fake_event *e, const struct fake_event *leader)
{
	if (e->pmu->kind == FAKE_X86)
		return e == leader || e->state > FAKE_OFF;
	return e->state > FAKE_OFF || (e->state == FAKE_OFF && e->attr.bits & FAKE_ON_EXEC);
}

bool fake_perf_fits(const struct fake_perf *f, const struct fake_event *e, const struct fake_event *leader)
{
	struct counters c = {.left = e->pmu->counters};

	if (!fake_is_hardware(e))
		return true;
	for (const struct fake_event *m = leader; m; m = m->next_member) {
		if (!fake_is_hardware(m))
			continue;
		if (m->pmu != e->pmu || (is_weighed(m, leader) && !take_counter(f, &c, m)))
			return false;
	}
	return (e->pmu->kind == FAKE_ARM && !is_weighed(e, leader)) || take_counter(f, &c, e);
}

/* ---- groups on a CPU ---- */

int fake_perf_context_cpu(const struct fake_perf *f, const struct fake_event *e)
{
	if (e->lost)
		return -1;
	if (e->task)
		return e->task->on_cpu;
	return f->cpus[e->cpu].online ? e->cpu : -1;
}

static bool group_is_software(const struct fake_event *leader)
{
	for (const struct fake_event *m = leader; m; m = m->next_member)
		if (fake_is_hardware(m))
			return false;
	return true;
}

static bool group_in(const struct fake_perf *f, struct fake_event *leader, int cpu, struct counters *counters)
{
	struct counters c = *counters;

	for (struct fake_event *m = leader; m; m = m->next_member)
		if (m->state >= FAKE_INACTIVE && fake_is_hardware(m) &&
		    (!fake_serves(m->pmu, cpu) || !take_counter(f, &c, m)))
			return false;
	for (struct fake_event *m = leader; m; m = m->next_member) {
		if (m->state < FAKE_INACTIVE)
			continue;
		m->state = FAKE_ACTIVE;
		m->on_cpu = cpu;
	}
	c.any = true;
	c.exclusive |= leader->attr.bits & FAKE_EXCLUSIVE;
	*counters = c;
	return true;
}

static void out(struct fake_event *e)
{
	if (e->state == FAKE_ACTIVE)
		e->state = FAKE_INACTIVE;
	e->on_cpu = -1;
}

static int by_order(const void *a, const void *b)
{
	const struct fake_event *const *x = a, *const *y = b;

	return (*x)->order < (*y)->order ? -1 : (*x)->order > (*y)->order;
}

/* The groups of a CPU (task NULL) or of a task that may be on this CPU, in their order. */
static unsigned candidates(const struct fake_perf *f, int cpu, const struct fake_task *task, bool pinned,
			   struct fake_event **list)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->n_events; i++) {
		struct fake_event *e = f->events[i];

		if (e->leader != e || e->task != task || e->lost)
			continue;
		if ((e->cpu != -1 && e->cpu != cpu) || !fake_serves(e->pmu, cpu) ||
		    !(e->attr.bits & FAKE_PINNED) == pinned)
			continue;
		list[n++] = e;
	}
	qsort(list, n, sizeof(*list), by_order);
	return n;
}

/* After the first group that does not fit none other is tried, small as it may be. Returns whether
 * one has to wait. */
static bool place(struct fake_perf *f, int cpu, const struct fake_task *task, bool pinned, struct counters *c)
{
	AUTOFREE struct fake_event **list = xcalloc(f->n_events + 1, sizeof(struct fake_event *));
	unsigned n = candidates(f, cpu, task, pinned, list);
	bool full = false;

	for (unsigned i = 0; i < n; i++) {
		struct fake_event *e = list[i];
		bool software = group_is_software(e), alone = e->attr.bits & FAKE_EXCLUSIVE && c->any;
		struct counters none = {.left = 0};

		if (e->state < FAKE_INACTIVE)
			continue;
		if (software ? group_in(f, e, cpu, &none)
			     : !full && !c->exclusive && !alone && group_in(f, e, cpu, c))
			continue;
		full = true;
		if (pinned)
			e->state = FAKE_ERROR;
	}
	return full;
}

static struct counters free_counters(const struct fake_perf *f, int cpu)
{
	struct counters c = {0};

	for (unsigned i = 0; i < f->n_pmus; i++) {
		const struct fake_pmu *pmu = &f->pmus[i];

		if ((pmu->kind == FAKE_ARM || pmu->kind == FAKE_X86) && fake_serves(pmu, cpu))
			c.left =
				pmu->counters > f->cpus[cpu].stolen ? pmu->counters - f->cpus[cpu].stolen : 0;
	}
	return c;
}

void fake_perf_reschedule(struct fake_perf *f, int cpu)
{
	struct fake_cpu *c = cpu < 0 ? NULL : &f->cpus[cpu];
	struct counters counters;

	if (!c || !c->online)
		return;
	for (unsigned i = 0; i < f->n_events; i++)
		if (f->events[i]->on_cpu == cpu)
			out(f->events[i]);
	counters = free_counters(f, cpu);
	place(f, cpu, NULL, true, &counters);
	if (c->current)
		place(f, cpu, c->current, true, &counters);
	c->rotate_cpu = place(f, cpu, NULL, false, &counters);
	c->rotate_task = c->current && place(f, cpu, c->current, false, &counters);
	if ((c->rotate_cpu || c->rotate_task) && !c->tick_ns)
		c->tick_ns = f->now_ns + f->mux_ns;
}

void fake_perf_enable(struct fake_perf *f, struct fake_event *e)
{
	if (e->state == FAKE_ERROR)
		e->state = FAKE_OFF;
	if (e->state != FAKE_OFF || e->lost)
		return;
	e->state = FAKE_INACTIVE;
	fake_perf_reschedule(f, fake_perf_context_cpu(f, e));
}

/* Counters that come free stay so until somebody's turn comes. */
void fake_perf_disable(struct fake_perf *f, struct fake_event *e)
{
	(void)f;
	if (e->state < FAKE_INACTIVE)
		return;
	for (struct fake_event *m = e == e->leader ? e : NULL; m; m = m->next_member)
		out(m);
	out(e);
	e->state = FAKE_OFF;
}

void fake_perf_steal(struct fake_perf *f, int cpu, unsigned n)
{
	for (int i = 0; i < (int)f->machine->n_cpus; i++) {
		if (cpu >= 0 && cpu != i)
			continue;
		f->cpus[i].stolen = n;
		fake_perf_reschedule(f, i);
	}
}

/* ---- turns ---- */

/* The first that is on a counter goes to the end of the line; if none is, the first in the line. */
static void turn_period(struct fake_perf *f, int cpu, const struct fake_task *task)
{
	AUTOFREE struct fake_event **list = xcalloc(f->n_events + 1, sizeof(struct fake_event *));
	unsigned n = candidates(f, cpu, task, false, list);
	struct fake_event *first = NULL;

	for (unsigned i = 0; i < n; i++)
		if (!group_is_software(list[i]) &&
		    (!first || (first->state != FAKE_ACTIVE && list[i]->state == FAKE_ACTIVE)))
			first = list[i];
	if (first)
		first->order = ++f->order;
}

static void rotate_groups(struct fake_perf *f, int cpu)
{
	struct fake_cpu *c = &f->cpus[cpu];
	bool again = c->rotate_cpu || c->rotate_task;

	c->tick_ns = again ? f->now_ns + f->mux_ns : 0;
	if (c->rotate_task && c->current)
		turn_period(f, cpu, c->current);
	if (c->rotate_cpu)
		turn_period(f, cpu, NULL);
	if (again)
		fake_perf_reschedule(f, cpu);
}

/* ---- time ---- */

static void count_event(uint64_t *to, uint64_t *rest, uint64_t per_ms, int64_t ns)
{
	uint64_t millionths = *rest + per_ms * ((uint64_t)ns % 1000000);

	*to += per_ms * ((uint64_t)ns / 1000000) + millionths / 1000000;
	*rest = millionths % 1000000;
}

static void account_time(struct fake_perf *f, struct fake_event *e, int64_t ns)
{
	enum fake_perf_state state = e->leader->state <= FAKE_OFF ? e->leader->state : e->state;
	int cpu = fake_perf_context_cpu(f, e);
	uint64_t per_ms;

	if (state < FAKE_INACTIVE || cpu < 0)
		return;
	e->total.enabled_ns += (uint64_t)ns; /* wherever the task runs */
	if ((e->cpu != -1 && e->cpu != cpu) || !fake_serves(e->pmu, cpu))
		return;
	per_ms = fake_perf_per_ms(f, e, cpu);
	count_event(&e->total.truth, &e->truth_rest, per_ms, ns);
	if (e->state != FAKE_ACTIVE)
		return;
	e->total.running_ns += (uint64_t)ns;
	count_event(&e->total.count, &e->count_rest, per_ms, ns);
}

static int place_of(const struct fake_perf *f, const struct fake_task *t)
{
	bool other = t->alternate_ns && f->now_ns / t->alternate_ns % 2;
	int cpu = t->ended ? -1 : other ? t->other_cpu : t->cpu;

	for (unsigned i = 0; cpu >= 0 && !f->cpus[cpu].online && i < f->machine->n_cpus; i++)
		cpu = (cpu + 1) % (int)f->machine->n_cpus;
	return cpu;
}

static void line_up(const struct fake_perf *f, unsigned waiting[FAKE_CPUS])
{
	for (unsigned i = 0; i < f->n_tasks; i++) {
		int cpu = place_of(f, f->tasks[i]);

		if (cpu >= 0)
			waiting[cpu]++;
	}
}

void fake_perf_settle(struct fake_perf *f)
{
	unsigned waiting[FAKE_CPUS] = {0}, pick[FAKE_CPUS];
	struct fake_task *next[FAKE_CPUS] = {NULL};
	bool changed[FAKE_CPUS];

	line_up(f, waiting);
	for (unsigned i = 0; i < FAKE_CPUS; i++)
		pick[i] = waiting[i] ? (unsigned)(f->now_ns / f->slice_ns % waiting[i]) : 0;
	for (unsigned i = 0; i < f->n_tasks; i++) {
		int cpu = place_of(f, f->tasks[i]);

		f->tasks[i]->on_cpu = -1;
		if (cpu >= 0 && pick[cpu]-- == 0)
			next[cpu] = f->tasks[i];
	}
	for (int i = 0; i < FAKE_CPUS; i++) {
		changed[i] = f->cpus[i].current != next[i];
		f->cpus[i].current = next[i];
		if (next[i])
			next[i]->on_cpu = i;
	}
	for (unsigned i = 0; i < f->n_events; i++)
		if (f->events[i]->on_cpu >= 0 && changed[f->events[i]->on_cpu])
			out(f->events[i]);
	for (int i = 0; i < FAKE_CPUS; i++)
		if (changed[i])
			fake_perf_reschedule(f, i);
}

static int64_t earlier(int64_t next, int64_t now, int64_t period)
{
	int64_t then = period ? now - now % period + period : next;

	return then < next ? then : next;
}

/* The next moment at which anything may change. */
static int64_t next_change(const struct fake_perf *f, int64_t now_ns)
{
	int64_t at = f->now_ns, next = earlier(now_ns, at, f->phase_ns);
	unsigned waiting[FAKE_CPUS] = {0};

	line_up(f, waiting);
	for (unsigned i = 0; i < FAKE_CPUS; i++) {
		if (waiting[i] > 1)
			next = earlier(next, at, f->slice_ns);
		if (f->cpus[i].tick_ns && f->cpus[i].tick_ns < next)
			next = f->cpus[i].tick_ns;
	}
	for (unsigned i = 0; i < f->n_tasks; i++)
		if (!f->tasks[i]->ended)
			next = earlier(next, at, f->tasks[i]->alternate_ns);
	return next;
}

void fake_perf_advance(struct fake_perf *f, int64_t now_ns)
{
	while (f->machine && f->now_ns < now_ns) {
		int64_t next = f->n_events ? next_change(f, now_ns) : now_ns;

		for (unsigned i = 0; i < f->n_events; i++)
			account_time(f, f->events[i], next - f->now_ns);
		f->now_ns = next;
		fake_perf_settle(f);
		for (int i = 0; i < FAKE_CPUS; i++)
			if (f->cpus[i].tick_ns && f->cpus[i].tick_ns <= next)
				rotate_groups(f, i);
	}
}
