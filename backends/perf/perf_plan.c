/* Which events are counted together. The kernel does not tell how many counters a PMU has, but refuses a group that is too large: so the
 * groups are tried out, on ourselves and in user space, for which no rights are needed. Somebody else may have some of the counters for
 * good, as a watchdog has: a group that the kernel takes all the same must be seen to run. */
#include "backends/perf/perf.h"

#include <errno.h>
#include <string.h>

static bool is_refusal(int code)
{
	return code == EACCES || code == EPERM || code == ENOSYS || code == EMFILE || code == ENFILE;
}

/* What a set adds to a group. */
struct trial {
	struct perf_group group;
	uint8_t row[PERF_GROUP_MAX];
	bool runs; /* its first event does, here and now: we are on a CPU of that PMU */
};

/* Whether time passes without the group's being on the counters. */
static bool stands_still(const struct perf_group *group)
{
	struct perf_reading first, second;

	return perf_group_read(group, &first) && perf_group_read(group, &second) && second.enabled_ns > first.enabled_ns &&
	       second.running_ns == first.running_ns;
}

static void begin(struct trial *t, const struct sys *sys)
{
	perf_group_init(&t->group, sys, &(struct perf_target){.pid = 0, .cpu = -1, .user_only = true, .at_once = true});
}

/* The group is complete. */
static void end(struct trial *t, struct perf_unit *unit)
{
	unsigned n = t->group.n;

	if (n) {
		unit->groups[unit->n_groups].n = (uint8_t)n;
		memcpy(unit->groups[unit->n_groups++].row, t->row, n);
	}
	perf_group_fini(&t->group);
}

static bool add(struct trial *t, const struct perf_unit *unit, unsigned row, struct err *err)
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

/* Leave only what can be counted when nothing else is. */
static bool keep_countable(const struct perf *p, struct perf_unit *unit, const struct sys *sys, struct err *err)
{
	for (unsigned row = 0; row < p->n_rows; row++) {
		struct trial t;

		if (p->rows[row].bytes_of)
			unit->has &= ~((uint64_t)1 << row);
		if (!(unit->has >> row & 1))
			continue;
		begin(&t, sys);
		if (!add(&t, unit, row, err)) {
			if (is_refusal(err->code))
				return false;
			unit->has &= ~((uint64_t)1 << row);
		}
		perf_group_fini(&t.group);
	}
	return true;
}

/* The rows [from, to) of a set: into the group if all of them fit, else into a new one, or as many as it takes. */
static void add_set(struct trial *t, struct perf_unit *unit, unsigned from, unsigned to)
{
	unsigned before = t->group.n;
	struct err err;
	bool fits = true;

	for (unsigned row = from; row < to && fits; row++)
		fits = !(unit->has >> row & 1) || add(t, unit, row, &err);
	if (fits)
		return;
	while (t->group.n > before)
		perf_group_drop(&t->group);
	for (unsigned row = from, n = 0; row < to; row++) {
		if (!(unit->has >> row & 1) || (n++ && add(t, unit, row, &err)))
			continue;
		end(t, unit);
		begin(t, t->group.sys);
		if (!add(t, unit, row, &err)) /* it did alone before */
			unit->has &= ~((uint64_t)1 << row);
	}
}

static void add_sets(struct trial *t, const struct perf *p, struct perf_unit *unit, unsigned from, unsigned to)
{
	for (unsigned row = from, next; row < to; row = next) {
		for (next = row + 1; next < to && p->rows[next].set == p->rows[row].set;)
			next++;
		add_set(t, unit, row, next);
	}
}

bool perf_plan(const struct perf *p, struct perf_unit *unit, const struct sys *sys, struct err *err)
{
	struct trial t;

	unit->n_groups = 0;
	if (!keep_countable(p, unit, sys, err))
		return false;
	begin(&t, sys);
	add_sets(&t, p, unit, perf_n_rows, p->n_rows);
	add_sets(&t, p, unit, 0, perf_n_rows);
	end(&t, unit);
	for (unsigned row = 0; row < perf_n_rows; row++)
		if (perf_rows[row].bytes_of && unit->bus_bytes && unit->has >> perf_rows[row].bytes_of & 1)
			unit->has |= (uint64_t)1 << row;
	return true;
}
