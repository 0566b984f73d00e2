/* Replaces groups while they count: those that never ran, those of CPUs that came back, and all
 * groups of a PMU when other events come first. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <stdlib.h>

#define PATIENCE_NS 900000000ull /* how long a group may wait before it is considered too large */
#define PIN_FAILURES 1           /* a pinned group may fail once, while another user starts or ends */

/* The size of the largest group of a PMU that has waited too long to be scheduled, with the pinned
 * events beside it; 0 if none. */
static unsigned stuck_size(const struct perf *p, unsigned unit)
{
	unsigned most = 0;

	for (unsigned i = 0; i < p->n_parts; i++) {
		const struct perf_part *part = &p->parts[i];
		unsigned n = part->group.n + (part->number ? p->units[unit].n_pinned : 0);

		if (part->unit == unit && part->waited_ns > PATIENCE_NS && n > most)
			most = n;
	}
	return most > 1 ? most : 0;
}

/* Whether the pinned group of a PMU could not be counted although it was reopened. */
static bool lost_pin(const struct perf *p, unsigned unit)
{
	for (unsigned i = 0; i < p->n_parts; i++)
		if (p->parts[i].unit == unit && perf_part_is_pinned(p, &p->parts[i]) &&
		    p->parts[i].n_failed > PIN_FAILURES)
			return true;
	return false;
}

/* Plan the groups of this PMU again, if it accepts them. */
static bool plan_again(const struct perf *p, struct perf_unit *unit, const struct sys *sys, unsigned limit)
{
	struct perf_unit before = *unit;
	struct err err;

	unit->limit = limit;
	if (perf_plan(p, unit, sys, &err) && unit->has == before.has && perf_ask_check_groups(p, unit, &err))
		return true;
	*unit = before;
	return false;
}

/* The earlier groups of a PMU. */
struct old_groups {
	struct perf_unit unit;
	struct perf_part *parts; /* closed */
	unsigned n;
};

static void close_groups(struct perf *p, unsigned unit)
{
	for (unsigned i = 0; i < p->n_parts; i++)
		if (p->parts[i].unit == unit)
			perf_group_fini(&p->parts[i].group);
}

/* Return the old part of the same CPU or thread that counted the row, as its event *at. */
static const struct perf_part *find_old(const struct old_groups *old, struct perf_whose whose, unsigned row,
					unsigned *at)
{
	for (unsigned i = 0; i < old->n; i++) {
		const struct perf_part *part = &old->parts[i];
		unsigned n = part->number == PERF_CLOCK ? 0 : old->unit.groups[part->number].n;

		for (*at = 0; part->whose.tid == whose.tid && part->whose.cpu == whose.cpu && *at < n; ++*at)
			if (old->unit.groups[part->number].row[*at] == row)
				return part;
	}
	return NULL;
}

/* Continue the old groups of the events of a new group: it owes their unreported time, and the time
 * since their last reading, when nothing was counted. */
static void go_on(const struct perf *p, struct perf_part *part, const struct old_groups *old, int64_t now_ns)
{
	uint64_t idle_ns = p->tasks ? 0 : (uint64_t)(now_ns - p->counted_ns);

	for (unsigned i = 0, at; i < part->group.n; i++) {
		const struct perf_part *from =
			find_old(old, part->whose, p->units[part->unit].groups[part->number].row[i], &at);

		if (!from || from->blind || from->stale)
			continue;
		part->ran |= from->ran;
		if (part->waited_ns < from->waited_ns)
			part->waited_ns = from->waited_ns;
		part->fraction[i] = from->fraction[at];
		part->owed_ns[i] = from->pending_ns + from->owed_ns[at] + idle_ns;
	}
}

/* Replace the groups of a PMU by those of a new plan, if it accepts that. Read the counts of the
 * old ones before. closed: they are closed already, so open some anyway. */
static void replace_groups(struct perf *p, const struct sys *sys, unsigned unit, unsigned limit, bool closed)
{
	struct old_groups old = {.unit = p->units[unit]};
	unsigned first = 0;

	if (!plan_again(p, &p->units[unit], sys, limit) && !closed)
		return;
	close_groups(p, unit);
	old.parts = xmalloc((p->n_parts + 1) * sizeof(*old.parts));
	for (unsigned i = 0; i < p->n_parts; i++)
		if (p->parts[i].unit == unit)
			old.parts[old.n++] = p->parts[i];
		else
			p->parts[first++] = p->parts[i];
	p->n_parts = first;
	perf_parts_add(p, unit);
	for (unsigned i = first; i < p->n_parts; i++) {
		perf_part_reopen(p, sys, &p->parts[i]);
		if (p->parts[i].number != PERF_CLOCK)
			go_on(p, &p->parts[i], &old, sys->monotonic_ns(sys));
	}
	free(old.parts);
}

/* The counters must be free while groups are tried on them. Groups that inherit stay, because only
 * they count the threads started since. */
void perf_count_plan(struct perf *p, const struct sys *sys)
{
	for (unsigned unit = 0; p->plans_again && !p->inherit && unit < p->n_hard; unit++) {
		if (p->units[unit].n_groups < 2) /* all events fit into one group */
			continue;
		close_groups(p, unit);
		replace_groups(p, sys, unit, p->units[unit].limit, true);
	}
	p->plans_again = false;
}

bool perf_count_return(struct perf *p, const struct sys *sys)
{
	bool any = false;

	for (unsigned i = 0; i < p->n_parts; i++)
		if (!p->tasks && (p->parts[i].off || !p->parts[i].group.n)) {
			perf_part_reopen(p, sys, &p->parts[i]);
			any |= p->parts[i].group.n > 0;
		}
	return any;
}

void perf_count_mend(struct perf *p, const struct sys *sys)
{
	for (unsigned i = 0; i < p->n_parts; i++)
		if (!p->tasks && p->parts[i].stale)
			perf_part_reopen(p, sys, &p->parts[i]);
	for (unsigned unit = 0; !p->inherit && unit < p->n_hard; unit++) {
		unsigned most = stuck_size(p, unit);

		if (lost_pin(p, unit)) {
			p->units[unit].shares_all = true;
			replace_groups(p, sys, unit, p->units[unit].limit, false);
		} else if (most) {
			replace_groups(p, sys, unit, most - 1, false);
		}
	}
}
