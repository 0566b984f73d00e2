/* Decides which events are counted together. The kernel does not report how many counters a PMU
 * has, but it refuses a group that is too large. So try the groups on this process, in user space,
 * which needs no rights. Another user, such as a watchdog, may hold some counters permanently: even
 * a group that the kernel accepts must be seen to run.
 *
 * Groups that do not fit together take equal turns. The events that matter most are pinned, which
 * means that they never wait for a turn, as long as every other set still fits beside them. */
#include "backends/perf/perf.h"

#include <errno.h>
#include <string.h>

static bool is_refusal(int code)
{
	return code == EACCES || code == EPERM || code == ENOSYS || code == EMFILE || code == ENFILE;
}

/* A group while sets are added to it. */
struct trial {
	struct perf_group group;
	uint8_t row[PERF_GROUP_MAX];
	unsigned n_base; /* the first rows are those of the pinned group, beside which it must fit */
	bool runs;       /* its first event runs here and now: we are on a CPU of this PMU */
};

/* Whether time passes while the group is not scheduled. */
static bool stands_still(const struct perf_group *group)
{
	struct perf_reading first, second;

	return perf_group_read(group, &first) && perf_group_read(group, &second) &&
	       second.enabled_ns > first.enabled_ns && second.running_ns == first.running_ns;
}

static void begin_group(struct trial *t, const struct sys *sys)
{
	t->n_base = 0;
	perf_group_init(&t->group, sys,
			&(struct perf_target){.pid = 0, .cpu = -1, .user_only = true, .at_once = true});
}

/* Close the complete group. */
static void end_group(struct trial *t, struct perf_unit *unit)
{
	unsigned n = t->group.n - t->n_base;

	if (n) {
		unit->groups[unit->n_groups].n = (uint8_t)n;
		memcpy(unit->groups[unit->n_groups++].row, t->row + t->n_base, n);
	}
	perf_group_fini(&t->group);
}

static bool add_row(struct trial *t, const struct perf_unit *unit, unsigned row, struct err *err)
{
	if (t->group.n >= unit->limit)
		return err_set(err, EINVAL, "the group is full");
	if (!perf_group_add(&t->group, &unit->events[row], err))
		return false;
	if (t->group.n == 1) {
		t->runs = !stands_still(&t->group);
	} else if (t->runs && stands_still(&t->group)) {
		perf_group_drop(&t->group);
		return err_set(err, EINVAL, "the counters are used up");
	}
	t->row[t->group.n - 1] = (uint8_t)row;
	return true;
}

/* The rows that need a counter. */
static uint64_t own_counters(const struct perf_unit *unit)
{
	return unit->has & ~unit->shared;
}

/* Keep only events that can be counted on their own. */
static bool keep_countable(const struct perf *p, struct perf_unit *unit, const struct sys *sys,
			   struct err *err)
{
	for (unsigned row = 0; row < p->n_rows; row++) {
		struct trial t;

		if (p->rows[row].factor)
			unit->has &= ~((uint64_t)1 << row);
		if (!(unit->has >> row & 1))
			continue;
		begin_group(&t, sys);
		if (!add_row(&t, unit, row, err)) {
			if (is_refusal(err->code))
				return false;
			unit->has &= ~((uint64_t)1 << row);
		}
		perf_group_fini(&t.group);
	}
	return true;
}

/* Begin a group that will run beside the pinned one. */
static void begin_beside(struct trial *t, const struct perf_unit *unit, const struct sys *sys)
{
	struct err err;

	begin_group(t, sys);
	for (unsigned i = 0; i < unit->n_pinned; i++)
		add_row(t, unit, unit->groups[0].row[i], &err); /* it was accepted before */
	t->n_base = t->group.n;
}

static void drop_rows(struct trial *t, unsigned n)
{
	while (t->group.n > n)
		perf_group_drop(&t->group);
}

/* Add the rows [from, to) of a set that the unit has, all or none. */
static bool add_whole_set(struct trial *t, const struct perf_unit *unit, unsigned from, unsigned to)
{
	unsigned before = t->group.n;
	struct err err;

	for (unsigned row = from; row < to; row++)
		if (own_counters(unit) >> row & 1 && !add_row(t, unit, row, &err)) {
			drop_rows(t, before);
			return false;
		}
	return true;
}

/* Add a set: to the group if all of it fits, otherwise to a new group, as many as it takes. */
static void add_set(struct trial *t, struct perf_unit *unit, unsigned from, unsigned to)
{
	const struct sys *sys = t->group.sys;
	struct err err;

	if (add_whole_set(t, unit, from, to))
		return;
	for (unsigned row = from, n = 0; row < to; row++) {
		if (!(own_counters(unit) >> row & 1) || (n++ && add_row(t, unit, row, &err)))
			continue;
		end_group(t, unit);
		begin_beside(t, unit, sys);
		if (!add_row(t, unit, row, &err)) /* it could be added to an empty group before */
			unit->has &= ~((uint64_t)1 << row);
	}
}

/* Whether one of these rows is among the first n of `rows`. A set is known by any of its events,
 * because the unit may lack some. */
static bool has_any(const uint8_t *rows, unsigned n, unsigned from, unsigned to)
{
	for (unsigned i = 0; i < n; i++)
		if (rows[i] >= from && rows[i] < to)
			return true;
	return false;
}

/* The end of the set that begins at this row. */
static unsigned set_end(const struct perf *p, unsigned from)
{
	unsigned to = from + 1;

	while (to < p->n_rows && p->rows[to].set == p->rows[from].set)
		to++;
	return to;
}

static uint64_t rows_between(unsigned from, unsigned to)
{
	return (((uint64_t)1 << to) - 1) & ~(((uint64_t)1 << from) - 1);
}

static void add_sets(struct trial *t, const struct perf *p, struct perf_unit *unit, unsigned from,
		     unsigned to)
{
	for (unsigned row = from, next; row < to; row = next) {
		next = set_end(p, row);
		if (has_any(unit->groups[0].row, unit->n_pinned, row, next))
			continue;
		if (!p->yields || row >= p->n_own)
			add_set(t, unit, row, next);
		else if (!add_whole_set(t, unit, row, next))
			unit->has &= ~rows_between(row, next) | unit->shared;
	}
}

/* An own set whose events were all requested is counted by those; one that yields, as far as they
 * were. */
static void share_rows(const struct perf *p, struct perf_unit *unit)
{
	uint64_t twins = 0;

	for (unsigned row = p->n_own; row < p->n_rows; row++)
		if (unit->has >> row & 1 && unit->twin[row])
			twins |= (uint64_t)1 << (unit->twin[row] - 1);
	unit->shared = p->yields ? twins & unit->has : 0;
	for (unsigned row = 0, next; row < p->n_own; row = next) {
		next = set_end(p, row);
		if (!(unit->has & rows_between(row, next) & ~twins))
			unit->shared |= unit->has & rows_between(row, next);
	}
}

/* Split all sets that are not pinned into groups. */
static void plan_groups(const struct perf *p, struct perf_unit *unit, const struct sys *sys)
{
	struct trial t;

	unit->n_groups = unit->n_pinned ? 1 : 0;
	begin_beside(&t, unit, sys);
	add_sets(&t, p, unit, p->n_own, p->n_rows);
	add_sets(&t, p, unit, 0, p->n_own);
	end_group(&t, unit);
}

/* Whether each of the other sets can run beside this group. */
static bool others_fit(struct trial *t, const struct perf *p, const struct perf_unit *unit)
{
	unsigned before = t->group.n;

	for (unsigned row = 0, next; row < p->n_rows; row = next) {
		next = set_end(p, row);
		if (has_any(t->row, before, row, next))
			continue;
		if (!add_whole_set(t, unit, row, next))
			return false;
		drop_rows(t, before);
	}
	return true;
}

/* Add the rows of a set to the pinned group, if they leave room for all others. A set that the unit
 * does not have is no obstacle. */
static bool pin_set(struct trial *t, const struct perf *p, const struct perf_unit *unit, unsigned set)
{
	unsigned from = 0, before = t->group.n;

	while (from < p->n_rows && p->rows[from].set != set)
		from++;
	if (from == p->n_rows || (add_whole_set(t, unit, from, set_end(p, from)) && others_fit(t, p, unit)))
		return true;
	drop_rows(t, before);
	return false;
}

/* Plan with a group that does not take turns: requested events, and these sets. Returns whether all
 * of them got into it. */
static bool pin_sets(const struct perf *p, struct perf_unit *unit, const struct sys *sys, const uint8_t *sets,
		     unsigned n)
{
	struct trial t;
	bool all = true;

	begin_group(&t, sys);
	for (unsigned row = p->n_own; row < p->n_rows; row = set_end(p, row))
		pin_set(&t, p, unit, p->rows[row].set);
	for (unsigned i = 0; i < n; i++)
		all &= pin_set(&t, p, unit, sets[i]);
	unit->n_groups = 0;
	unit->n_pinned = t.group.n;
	end_group(&t, unit);
	plan_groups(p, unit, sys);
	return all;
}

/* The groups that take turns. */
static unsigned count_turns(const struct perf_unit *unit)
{
	return unit->n_groups - (unit->n_pinned > 0);
}

/* Make the sets that come first a group that does not take turns. If only some of them fit, more
 * than the sure ones would make the rest wait longer, unless there was room to spare. */
static void pin_first(const struct perf *p, struct perf_unit *unit, const struct sys *sys)
{
	uint8_t sets[PERF_SETS_MAX];
	unsigned n = p->n_sure, turns;

	if (pin_sets(p, unit, sys, p->first, p->n_first) || n == p->n_first)
		return;
	memcpy(sets, p->first, sizeof(sets));
	pin_sets(p, unit, sys, sets, n);
	turns = count_turns(unit);
	for (unsigned i = n; i < p->n_first; i++) {
		sets[n] = p->first[i];
		if (pin_sets(p, unit, sys, sets, n + 1) && count_turns(unit) <= turns)
			n++;
	}
	pin_sets(p, unit, sys, sets, n);
}

bool perf_plan(const struct perf *p, struct perf_unit *unit, const struct sys *sys, struct err *err)
{
	unit->n_groups = unit->n_pinned = 0;
	if (!keep_countable(p, unit, sys, err))
		return false;
	share_rows(p, unit);
	plan_groups(p, unit, sys);
	if (unit->n_groups > 1 && !unit->shares_all && !p->alike)
		pin_first(p, unit, sys);
	for (unsigned row = 0; row < p->n_own; row++)
		if (unit->factors[p->rows[row].factor] && unit->has >> (row - 1) & 1)
			unit->has |= (uint64_t)1 << row;
	return true;
}
