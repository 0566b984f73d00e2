/* Decides which events are counted together. The kernel does not report how many counters a PMU
 * has, but it refuses a group that is too large. So try the groups on this process, in user space,
 * which needs no rights. Another user, such as a watchdog, may hold some counters permanently, so
 * even an accepted group must be seen to run.
 *
 * Groups that do not fit together take equal turns. The events that matter most are pinned, which
 * means that they never wait for a turn, as long as every other set still fits beside them. */
#include "backends/perf/perf.h"

#include <errno.h>
#include <string.h>

/* A group while sets are added to it. */
struct trial {
	struct perf_group group;
	uint8_t row[PERF_GROUP_MAX];
	unsigned n_base; /* the first rows are those of the pinned group, beside which this one must fit */
	bool runs;       /* its first event runs, because we are on a CPU of this PMU */
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

static uint64_t rows_among(const uint8_t *rows, unsigned n)
{
	uint64_t set = 0;

	for (unsigned i = 0; i < n; i++)
		set |= (uint64_t)1 << rows[i];
	return set;
}

/* Close the complete group. */
static void end_group(struct trial *t, struct perf_unit *unit)
{
	unsigned n = t->group.n - t->n_base;

	if (n) {
		unit->groups[unit->n_groups].n = (uint8_t)n;
		unit->groups[unit->n_groups].rows = rows_among(t->row + t->n_base, n);
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
			int code = err->code;

			if (code == EACCES || code == EPERM || code == ENOSYS || code == EMFILE ||
			    code == ENFILE)
				return false;
			unit->has &= ~((uint64_t)1 << row);
		}
		perf_group_fini(&t.group);
	}
	return true;
}

/* Start a group that will run beside the pinned one. */
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

/* Add the rows of a set that the unit has, all or none. */
static bool add_whole_set(struct trial *t, const struct perf_unit *unit, uint64_t set)
{
	unsigned before = t->group.n;
	struct err err;

	for (set &= unit->has & ~unit->shared; set; set &= set - 1)
		if (!add_row(t, unit, (unsigned)__builtin_ctzll(set), &err)) {
			drop_rows(t, before);
			return false;
		}
	return true;
}

/* Add a set: to the group if all of it fits, otherwise to new groups. */
static void add_set(struct trial *t, struct perf_unit *unit, uint64_t set)
{
	const struct sys *sys = t->group.sys;
	bool first = true;
	struct err err;

	if (add_whole_set(t, unit, set))
		return;
	for (set &= unit->has & ~unit->shared; set; set &= set - 1, first = false) {
		unsigned row = (unsigned)__builtin_ctzll(set);

		if (!first && add_row(t, unit, row, &err))
			continue;
		end_group(t, unit);
		begin_beside(t, unit, sys);
		if (!add_row(t, unit, row, &err)) /* it could be added to an empty group before */
			unit->has &= ~((uint64_t)1 << row);
	}
}

uint64_t perf_set_at(const struct perf *p, unsigned from)
{
	uint64_t set = 0;

	for (unsigned row = from; row < p->n_rows && p->rows[row].set == p->rows[from].set; row++)
		set |= (uint64_t)1 << row;
	return set;
}

static void add_sets(struct trial *t, const struct perf *p, struct perf_unit *unit, unsigned from,
		     unsigned to)
{
	uint64_t pinned = unit->n_pinned ? unit->groups[0].rows : 0, set;

	for (unsigned row = from; row < to; row += (unsigned)__builtin_popcountll(set)) {
		set = perf_set_at(p, row);
		/* A set is known by any of its events, because the unit may lack some. */
		if (set & pinned)
			continue;
		if (!p->yields || row >= p->n_own)
			add_set(t, unit, set);
		else if (!add_whole_set(t, unit, set))
			unit->has &= ~set | unit->shared;
	}
}

/* Requested events count an own set that they cover; with p->yields, each of its events. */
static void share_rows(const struct perf *p, struct perf_unit *unit)
{
	uint64_t twins = 0, set;

	for (unsigned row = p->n_own; row < p->n_rows; row++)
		if (unit->has >> row & 1 && unit->twin[row])
			twins |= (uint64_t)1 << (unit->twin[row] - 1);
	unit->shared = p->yields ? twins & unit->has : 0;
	for (unsigned row = 0; row < p->n_own; row += (unsigned)__builtin_popcountll(set)) {
		set = perf_set_at(p, row);
		if (!(unit->has & set & ~twins))
			unit->shared |= unit->has & set;
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

/* Add the rows of a set to the pinned group, if each of the other sets can still run beside it. A
 * set that the unit lacks is not an obstacle. */
static bool pin_set(struct trial *t, const struct perf *p, const struct perf_unit *unit, unsigned number)
{
	unsigned from = 0, before = t->group.n, with;
	uint64_t set, pinned;
	bool fits;

	while (from < p->n_rows && p->rows[from].set != number)
		from++;
	if (from == p->n_rows)
		return true;
	fits = add_whole_set(t, unit, perf_set_at(p, from));
	with = t->group.n;
	pinned = rows_among(t->row, with);
	for (unsigned row = 0; fits && row < p->n_rows; row += (unsigned)__builtin_popcountll(set)) {
		set = perf_set_at(p, row);
		fits = set & pinned || add_whole_set(t, unit, set);
		drop_rows(t, with);
	}
	if (!fits)
		drop_rows(t, before);
	return fits;
}

/* Plan with a pinned group of requested events and these sets. Returns whether all of them fit. */
static bool pin_sets(const struct perf *p, struct perf_unit *unit, const struct sys *sys, const uint8_t *sets,
		     unsigned n)
{
	struct trial t;
	bool all = true;

	begin_group(&t, sys);
	for (unsigned row = p->n_own; row < p->n_rows;
	     row += (unsigned)__builtin_popcountll(perf_set_at(p, row)))
		pin_set(&t, p, unit, p->rows[row].set);
	for (unsigned i = 0; i < n; i++)
		all &= pin_set(&t, p, unit, sets[i]);
	unit->n_groups = 0;
	unit->n_pinned = t.group.n;
	end_group(&t, unit);
	plan_groups(p, unit, sys);
	return all;
}

/* Return the number of groups that take turns. */
static unsigned count_turns(const struct perf_unit *unit)
{
	return unit->n_groups - (unit->n_pinned > 0);
}

/* Pin the sets that come first. If only some of them fit, pin the sure ones and those that fit into
 * spare room, because others would make the rest wait longer. */
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
