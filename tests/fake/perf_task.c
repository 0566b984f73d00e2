/* Tasks and CPUs that come and go, and what becomes of the events that follow them. */
#include "tests/fake/perf_priv.h"

#include "base/alloc.h"

struct fake_task *fake_perf_task(struct fake_perf *f, pid_t pid, unsigned uid, int cpu)
{
	struct fake_task *t = xcalloc(1, sizeof(*t));

	*t = (struct fake_task){.pid = pid, .uid = uid, .cpu = cpu, .on_cpu = -1};
	GROW(f->tasks, f->n_tasks, f->cap_tasks);
	f->tasks[f->n_tasks++] = t;
	fake_perf_settle(f);
	return t;
}

struct fake_task *fake_perf_find_task(const struct fake_perf *f, pid_t pid)
{
	for (unsigned i = 0; i < f->n_tasks; i++)
		if (!f->tasks[i]->ended && f->tasks[i]->pid == (pid ? pid : f->self))
			return f->tasks[i];
	return NULL;
}

void fake_perf_move(struct fake_perf *f, pid_t pid, int cpu)
{
	struct fake_task *t = fake_perf_find_task(f, pid);

	t->cpu = cpu;
	t->alternate_ns = 0;
	fake_perf_settle(f);
}

void fake_perf_alternate(struct fake_perf *f, pid_t pid, int64_t each_ns, int cpu, int other_cpu)
{
	struct fake_task *t = fake_perf_find_task(f, pid);

	t->cpu = cpu;
	t->other_cpu = other_cpu;
	t->alternate_ns = each_ns;
	fake_perf_settle(f);
}

static struct fake_event *inherit_events(struct fake_perf *f, struct fake_event *e, struct fake_task *child,
					 struct fake_event *leader)
{
	struct fake_event copy = *e;

	copy.fd = -1;
	copy.task = child;
	copy.leader = leader;
	copy.parent = e->parent ? e->parent : e;
	copy.state = e->state >= FAKE_INACTIVE ? FAKE_INACTIVE : FAKE_OFF;
	copy.total = copy.children = (struct fake_total){0};
	copy.count_rest = copy.truth_rest = 0;
	return fake_perf_add(f, &copy);
}

struct fake_task *fake_perf_fork(struct fake_perf *f, pid_t parent, pid_t child, int cpu, bool thread)
{
	const struct fake_task *from = fake_perf_find_task(f, parent);
	struct fake_task *to = fake_perf_task(f, child, from->uid, -1);
	unsigned n = f->n_events;

	for (unsigned i = 0; i < n; i++) {
		struct fake_event *e = f->events[i], *leader = NULL;

		if (e->task != from || e->leader != e || !(e->attr.bits & FAKE_INHERIT))
			continue;
		if (e->attr.bits & FAKE_INHERIT_THREAD && !thread)
			continue;
		for (; e; e = e->next_member) {
			struct fake_event *copy = inherit_events(f, e, to, leader);

			leader = leader ? leader : copy;
		}
	}
	to->cpu = cpu;
	fake_perf_settle(f);
	return to;
}

void fake_perf_exec(struct fake_perf *f, pid_t pid)
{
	const struct fake_task *t = fake_perf_find_task(f, pid);

	for (unsigned i = 0; i < f->n_events; i++) {
		struct fake_event *e = f->events[i];

		if (e->task != t || !(e->attr.bits & FAKE_ON_EXEC))
			continue;
		e->attr.bits &= ~(uint64_t)FAKE_ON_EXEC;
		fake_perf_enable(f, e);
	}
}

static void end_event(struct fake_perf *f, struct fake_event *e)
{
	struct fake_total *sum = e->parent ? &e->parent->children : NULL;

	fake_perf_disable(f, e);
	if (!sum)
		return; /* what was counted can still be read */
	sum->count += e->total.count;
	sum->truth += e->total.truth;
	sum->enabled_ns += e->total.enabled_ns;
	sum->running_ns += e->total.running_ns;
	fake_perf_drop(f, e);
}

void fake_perf_exit_begins(struct fake_perf *f, pid_t pid)
{
	struct fake_task *t = fake_perf_find_task(f, pid);

	t->cpu = -1;
	t->alternate_ns = 0;
	fake_perf_settle(f);
	for (unsigned i = f->n_events; i-- > 0;)
		if (f->events[i]->task == t && f->events[i]->parent && f->events[i]->leader != f->events[i])
			end_event(f, f->events[i]);
}

void fake_perf_exit(struct fake_perf *f, pid_t pid)
{
	struct fake_task *t = fake_perf_find_task(f, pid);

	for (unsigned i = f->n_events; i-- > 0;)
		if (f->events[i]->task == t)
			end_event(f, f->events[i]);
	t->ended = true;
	fake_perf_settle(f);
}

void fake_perf_online(struct fake_perf *f, int cpu, bool online)
{
	struct fake_cpu *c = &f->cpus[cpu];

	/* The newest first: members leave their leader before it goes. */
	for (unsigned i = f->n_events; !online && i-- > 0;) {
		struct fake_event *e = f->events[i];

		if (e->task || e->cpu != cpu)
			continue;
		fake_perf_disable(f, e);
		fake_perf_detach(e);
		e->lost = true;
	}
	*c = (struct fake_cpu){.online = online, .stolen = c->stolen, .current = c->current};
	fake_perf_settle(f);
}
