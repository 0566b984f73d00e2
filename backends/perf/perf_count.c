/* Opens, reads and adds up the groups of every CPU or thread. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* A group waits less than this to be scheduled, unless something is wrong: a time slice is 4 ms
 * long, and other users' groups may also take slices. */
#define TURN_NS(n_groups) (40000000ull + 12000000ull * (n_groups))
/* A thread's clocks and groups are not switched at exactly the same time. A group that really waits
 * does so for longer, at least a time slice. */
#define CLOCK_SKEW_NS(running_ns) (500000 + (running_ns) / 1024)
#define NO_CLOCK UINT64_MAX
#define GAP_NS 2000000 /* parts are not read at the same time */

static const struct perf_event task_clock = {
	.name = "task-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK};

/* ---- opening ---- */

bool perf_part_is_pinned(const struct perf *p, const struct perf_part *part)
{
	return part->number == 0 && p->units[part->unit].n_pinned;
}

static bool open_part(struct perf *p, const struct sys *sys, struct perf_part *part, struct err *err)
{
	const struct perf_unit *unit = &p->units[part->unit];
	bool clock = part->number == PERF_CLOCK;
	unsigned n = clock ? 1 : unit->groups[part->number].n;
	int cpu = part->whose.cpu;

	part->last = (struct perf_reading){0};
	part->stale = part->blind = part->ran = part->off = false;
	part->waited_ns = part->pending_ns = 0;
	memset(part->owed_ns, 0, sizeof(part->owed_ns));
	part->code = 0;
	perf_group_init(&part->group, sys,
			&(struct perf_target){.pid = part->whose.tid,
					      .cpu = cpu < 0 ? -1 : p->cpus.cpus[cpu].number,
					      .user_only = p->user_only,
					      .inherit = p->inherit,
					      .pinned = perf_part_is_pinned(p, part),
					      .on_exec = p->on_exec && !p->begun});
	for (unsigned i = 0; i < n; i++)
		if (!perf_group_add(&part->group,
				    clock ? &task_clock : &unit->events[unit->groups[part->number].row[i]],
				    err)) {
			perf_group_fini(&part->group);
			part->code = err->code;
			return false;
		}
	return true;
}

static void add_part(struct perf *p, unsigned unit, unsigned number, struct perf_whose whose)
{
	GROW(p->parts, p->n_parts, p->cap_parts);
	p->parts[p->n_parts] =
		(struct perf_part){.unit = (uint8_t)unit, .number = (uint8_t)number, .whose = whose};
	p->n_parts++;
}

/* With several PMUs, add clocks for the time that a thread ran on the CPUs of each. While the
 * thread runs on CPUs of another PMU, an event waits although its enabled time continues, so a task
 * clock bound to each CPU measures the true time. */
static void add_clocks(struct perf *p, unsigned unit, pid_t tid)
{
	for (unsigned i = 0; i < p->cpus.n; i++)
		if (cpu_set_has(&p->units[unit].cpus, p->cpus.cpus[i].number))
			add_part(p, unit, PERF_CLOCK, (struct perf_whose){.tid = tid, .cpu = (int)i});
}

static bool has_clocks(const struct perf *p, unsigned unit)
{
	return p->tasks && p->n_hard > 1 && unit < p->n_hard;
}

void perf_parts_add(struct perf *p, unsigned unit)
{
	for (unsigned i = 0; i < p->n_whose; i++) {
		struct perf_whose whose = p->whose[i];

		if (whose.tid < 0 && !cpu_set_has(&p->units[unit].cpus, p->cpus.cpus[whose.cpu].number))
			continue;
		if (has_clocks(p, unit) && p->units[unit].n_groups)
			add_clocks(p, unit, whose.tid);
		for (unsigned g = 0; g < p->units[unit].n_groups; g++)
			add_part(p, unit, g, whose);
	}
}

bool perf_count_open(struct perf *p, const struct sys *sys, struct err *err)
{
	unsigned opened = 0;

	err_set(err, ESRCH, "%s: there is no thread left to count", p->about);
	for (unsigned i = 0; i < p->n_units; i++)
		perf_parts_add(p, i);
	for (unsigned i = 0; i < p->n_parts; i++) {
		opened += open_part(p, sys, &p->parts[i], err);
		if (!p->parts[i].group.n && (err->code == EMFILE || err->code == ENFILE))
			return err_prefix(err, "perf: too many open files (ulimit -n 4096): ");
	}
	if (!opened)
		return err_prefix(err, "perf: ");
	for (unsigned i = 0; i < p->n_parts; i++)
		if (p->parts[i].group.n && !perf_group_start(&p->parts[i].group, err))
			return err_prefix(err, "perf: ");
	p->counted_ns = sys->monotonic_ns(sys);
	return true;
}

void perf_part_reopen(struct perf *p, const struct sys *sys, struct perf_part *part)
{
	struct err err;

	perf_group_fini(&part->group);
	if (open_part(p, sys, part, &err))
		perf_group_start(&part->group, &err);
}

void perf_count_close(struct perf *p)
{
	for (unsigned i = 0; i < p->n_parts; i++)
		perf_group_fini(&p->parts[i].group);
	free(take_ptr(&p->parts));
	p->n_parts = p->cap_parts = 0;
}

/* ---- reading ---- */

unsigned perf_blocks_of_cpu(const struct perf *p, unsigned cpu, unsigned blocks[3])
{
	unsigned n = 0;

	blocks[n++] = 0;
	blocks[n++] = 1 + p->cpus.cpus[cpu].cluster;
	if (p->n_blocks > 1 + p->cpus.n_clusters)
		blocks[n++] = 1 + p->cpus.n_clusters + cpu;
	return n;
}

/* Get the blocks of a part. The cluster of a thread is known only if its PMU has just one. */
static unsigned blocks_of(const struct perf *p, const struct perf_part *part, unsigned blocks[3])
{
	int cluster = p->units[part->unit].cluster;

	if (part->whose.cpu >= 0)
		return perf_blocks_of_cpu(p, (unsigned)part->whose.cpu, blocks);
	blocks[0] = 0;
	blocks[1] = 1 + (unsigned)cluster;
	return cluster < 0 ? 1 : 2;
}

static void add_row(const struct perf *p, unsigned row, const unsigned *blocks, unsigned n, uint64_t likely,
		    uint64_t raw, uint64_t *value)
{
	for (unsigned b = 0; b < n; b++) {
		source_add_known(&value[blocks[b] * p->block + p->value_at[row]], likely);
		if (p->raw_at[row])
			source_add_known(&value[blocks[b] * p->block + p->raw_at[row]], raw);
	}
}

/* Whether a row is the first event of its set, whose times a set that was split has. */
static bool leads_set(const struct perf *p, const struct perf_unit *unit, unsigned row)
{
	uint64_t before = unit->has & (((uint64_t)1 << row) - 1);

	return !before || p->rows[63 - __builtin_clzll(before)].set != p->rows[row].set;
}

/* Add the times of a group to the sets that it leads, including the time owed. */
static void add_times(const struct perf *p, const struct perf_part *part, uint64_t running, uint64_t enabled,
		      uint64_t *value)
{
	const struct perf_unit *unit = &p->units[part->unit];
	unsigned blocks[3], n = blocks_of(p, part, blocks);

	for (unsigned i = 0; i < part->group.n; i++) {
		for (int row = unit->groups[part->number].row[i]; row >= 0;
		     row = perf_unit_next(p, unit, row)) {
			unsigned at = p->time_at[p->rows[row].set];

			for (unsigned b = 0; b < n && leads_set(p, unit, (unsigned)row); b++) {
				source_add_known(&value[blocks[b] * p->block + at],
						 running < enabled ? running : enabled);
				source_add_known(&value[blocks[b] * p->block + at + 1],
						 enabled + part->owed_ns[i]);
			}
		}
	}
}

/* Add the counts of a group, which was scheduled, since the last read. */
static void add_group(const struct perf *p, struct perf_part *part, const struct perf_reading *now,
		      uint64_t *value)
{
	const struct perf_unit *unit = &p->units[part->unit];
	uint64_t enabled = now->enabled_ns - part->last.enabled_ns,
		 running = now->running_ns - part->last.running_ns;
	unsigned blocks[3], n = blocks_of(p, part, blocks), factor;

	for (unsigned i = 0; i < part->group.n; i++) {
		unsigned row = unit->groups[part->number].row[i];
		uint64_t raw = now->count[i] - part->last.count[i];
		uint64_t likely = perf_estimate(raw, enabled + part->owed_ns[i], running, &part->fraction[i]);

		for (int r = (int)row; r >= 0; r = perf_unit_next(p, unit, r)) {
			add_row(p, (unsigned)r, blocks, n, likely, raw, value);
			if (p->busy.each && r == (int)p->busy.row)
				p->busy.each[part->whose.cpu].cycles += likely;
			factor = unit->factors[p->rows[r + 1].factor];
			if (factor)
				add_row(p, (unsigned)r + 1, blocks, n, likely * factor, raw * factor, value);
		}
	}
}

static uint64_t rows_of(const struct perf *p, const struct perf_unit *unit, unsigned number)
{
	uint64_t rows = 0;

	for (unsigned i = 0; i < unit->groups[number].n; i++) {
		for (int row = unit->groups[number].row[i]; row >= 0; row = perf_unit_next(p, unit, row)) {
			rows |= (uint64_t)1 << row;
			if (p->rows[row + 1].factor)
				rows |= (uint64_t)1 << (row + 1);
		}
	}
	return rows;
}

/* Note that the rows of a group have a gap in every sum that it belongs to. */
static void note_gap(const struct perf *p, const struct perf_part *part, enum perf_gap gap)
{
	uint64_t rows = rows_of(p, &p->units[part->unit], part->number);
	unsigned blocks[3], n = blocks_of(p, part, blocks);

	for (unsigned b = 0; b < n; b++)
		p->gaps[blocks[b]].rows[gap] |= rows;
}

/* An offline CPU or an exited thread has nothing to count; when we count our own processes only,
 * some may still refuse access. */
static bool has_nothing(const struct perf *p, int code)
{
	return code == (p->tasks ? ESRCH : ENODEV) || (p->own && perf_is_denied(code));
}

/* A group that has not been scheduled for this long counts as missed. When it runs again, its count
 * is not extrapolated to the time it waited. */
static bool is_starved(const struct perf *p, const struct perf_part *part, uint64_t enabled)
{
	return enabled > TURN_NS(p->units[part->unit].n_groups) ||
	       (enabled && (part->waited_ns || (!p->tasks && !part->ran)));
}

/* An event whose threads did not run is 0, not unknown, unless the group of another thread is still
 * waiting to be scheduled. An event that any group missed is unknown. */
static void fill_gaps(const struct perf *p, uint64_t *value)
{
	for (unsigned b = 0; b < p->n_blocks; b++, value += p->block) {
		const uint64_t *gaps = p->gaps[b].rows;
		uint64_t idle = gaps[PERF_IDLE] & ~gaps[PERF_WAITING];

		for (uint64_t rows = gaps[PERF_MISSED] | idle; rows; rows &= rows - 1) {
			unsigned row = (unsigned)__builtin_ctzll(rows);
			bool missed = gaps[PERF_MISSED] >> row & 1;
			uint64_t *each[] = {&value[p->value_at[row]],
					    p->raw_at[row] ? &value[p->raw_at[row]] : NULL};

			for (unsigned i = 0; i < 2 && each[i]; i++)
				if (missed || *each[i] == SAMPLE_UNKNOWN)
					*each[i] = missed ? SAMPLE_UNKNOWN : 0;
		}
	}
}

/* Note a time without a count, or with an unknown one. */
static void miss_time(const struct perf *p, struct perf_part *part, uint64_t enabled, uint64_t *value)
{
	note_gap(p, part, PERF_MISSED);
	add_times(p, part, 0, enabled, value);
	memset(part->owed_ns, 0, sizeof(part->owed_ns));
}

/* elapsed: since the last read. clock: how long the thread has run on this PMU's CPUs in all, if
 * that differs from the kernel's enabled time. Returns whether a count is an estimate. */
static bool take_group(struct perf *p, struct perf_part *part, const uint64_t *clock, uint64_t elapsed,
		       uint64_t *value)
{
	struct perf_reading now;
	uint64_t enabled, running;
	bool owed = false, was_off = part->off;

	if (!part->group.n) {
		p->any_off |= !p->tasks;
		if (!has_nothing(p, part->code))
			note_gap(p, part, PERF_MISSED);
		return false;
	}
	if (!perf_group_read(&part->group, &now) || (clock && *clock == NO_CLOCK)) {
		part->stale = part->blind = true;
		part->n_failed++;
		note_gap(p, part, PERF_MISSED);
		return false;
	}
	part->n_failed = 0;
	p->begun |= now.enabled_ns > 0;
	if (clock)
		now.enabled_ns =
			*clock > now.running_ns + CLOCK_SKEW_NS(now.running_ns) ? *clock : now.running_ns;
	if (now.enabled_ns < part->last.enabled_ns) /* the two clocks are read one after the other */
		now.enabled_ns = part->last.enabled_ns;
	enabled = now.enabled_ns - part->last.enabled_ns;
	running = now.running_ns - part->last.running_ns;
	part->stale = !enabled && !p->tasks;
	part->off = !p->tasks && enabled + elapsed / 8 + GAP_NS < elapsed;
	p->any_off |= part->off;
	p->has_gap |= part->off && !was_off;
	part->ran |= running > 0;
	part->pending_ns = 0;
	if (part->blind) {
		part->blind = false;
		miss_time(p, part, enabled, value);
		part->last = now;
	} else if (running) {
		add_group(p, part, &now, value);
		add_times(p, part, running, enabled, value);
		for (unsigned i = 0; i < part->group.n; i++)
			owed |= part->owed_ns[i] > 0;
		memset(part->owed_ns, 0, sizeof(part->owed_ns));
		part->last = now;
		part->waited_ns = 0;
	} else if (is_starved(p, part, enabled)) {
		part->waited_ns += enabled;
		part->ran = false;
		miss_time(p, part, enabled, value);
		part->last = now;
	} else {
		/* the thread did not run, or its next count includes this time */
		part->pending_ns = enabled;
		if (p->tasks)
			note_gap(p, part, enabled ? PERF_WAITING : PERF_IDLE);
		if (p->cut && enabled) /* it may never be scheduled again */
			add_times(p, part, 0, enabled, value);
	}
	return running < enabled || owed;
}

/* Add the thread's clocks for the other CPUs. */
static uint64_t add_clock(const struct perf_part *part, uint64_t clock)
{
	struct perf_reading now;

	return clock != NO_CLOCK && part->group.n && perf_group_read(&part->group, &now)
		       ? clock + now.count[0]
		       : NO_CLOCK;
}

uint32_t perf_count_read(struct perf *p, const struct sys *sys, uint64_t *value)
{
	uint64_t clock = 0, elapsed;
	bool estimated = false;

	memset(value, 0xff, (size_t)p->n_blocks * p->block * sizeof(*value));
	memset(p->gaps, 0, p->n_blocks * sizeof(*p->gaps));
	p->gaps[0].rows[PERF_MISSED] = p->partly;
	p->has_gap = p->any_off = false;
	elapsed = (uint64_t)(sys->monotonic_ns(sys) - p->counted_ns);
	p->counted_ns += (int64_t)elapsed;
	for (unsigned i = 0; i < p->n_parts; i++) {
		struct perf_part *part = &p->parts[i], *before = i ? part - 1 : NULL;

		if (part->number == PERF_CLOCK) {
			if (!before || before->number != PERF_CLOCK)
				clock = 0; /* the clock of the next thread starts */
			clock = add_clock(part, clock);
		} else {
			estimated |= take_group(p, part, has_clocks(p, part->unit) ? &clock : NULL, elapsed,
						value);
		}
	}
	fill_gaps(p, value);
	return (estimated ? SAMPLE_ESTIMATED : 0) | (p->has_gap ? SAMPLE_GAP : 0);
}
