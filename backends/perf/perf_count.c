/* The groups of every CPU or thread: opened, read, and added up. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Longer than a group waits for its next turn, unless something is wrong: turns are 4 ms long, and there may be others that take them. */
#define TURN_NS(n_groups) (40000000ull + 12000000ull * (n_groups))
#define PATIENCE_NS 900000000ull /* that a group may wait before its size is doubted */
#define NO_CLOCK UINT64_MAX

static const struct perf_event task_clock = {
	.name = "task-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK};

/* ---- opening ---- */

/* The CPU that a part is fixed to; -1: none. */
static int cpu_of(const struct perf *p, const struct perf_part *part)
{
	return part->whose.cpu < 0 ? -1 : p->cpus.cpus[part->whose.cpu].number;
}

static bool open_part(struct perf *p, const struct sys *sys, struct perf_part *part, struct err *err)
{
	const struct perf_unit *unit = &p->units[part->unit];
	bool clock = part->number == PERF_CLOCK;
	unsigned n = clock ? 1 : unit->groups[part->number].n;

	part->last = (struct perf_reading){0};
	part->stale = part->blind = part->ran = false;
	part->waited_ns = 0;
	part->code = 0;
	perf_group_init(&part->group, sys,
			&(struct perf_target){.pid = part->whose.tid,
					      .cpu = cpu_of(p, part),
					      .user_only = p->level->user_only,
					      .inherit = p->inherit,
					      .on_exec = p->on_exec && !p->begun});
	for (unsigned i = 0; i < n; i++)
		if (!perf_group_add(&part->group, clock ? &task_clock : &unit->events[unit->groups[part->number].row[i]], err)) {
			perf_group_fini(&part->group);
			part->code = err->code;
			return false;
		}
	return true;
}

static struct perf_part *add_part(struct perf *p, unsigned unit, unsigned number, struct perf_whose whose)
{
	GROW(p->parts, p->n_parts, p->cap_parts);
	p->parts[p->n_parts] = (struct perf_part){.unit = (uint8_t)unit, .number = (uint8_t)number, .whose = whose};
	return &p->parts[p->n_parts++];
}

/* How long a thread ran on the CPUs of each of several PMUs: an event of one PMU waits, and its time goes on, while the thread runs on
 * CPUs of another. A task clock that is bound to a CPU tells. */
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

/* The parts of a PMU, by CPU or thread; its clocks come before its groups. */
static void add_parts(struct perf *p, unsigned unit)
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

	err_set(err, ESRCH, "%s: nothing is left to count", p->about);
	for (unsigned i = 0; i < p->n_units; i++)
		add_parts(p, i);
	for (unsigned i = 0; i < p->n_parts; i++) {
		opened += open_part(p, sys, &p->parts[i], err);
		if (!p->parts[i].group.n && (err->code == EMFILE || err->code == ENFILE))
			return err_prefix(err, "perf: too many open files (ulimit -n 4096): ");
	}
	return opened || err_prefix(err, "perf: ");
}

void perf_count_close(struct perf *p)
{
	for (unsigned i = 0; i < p->n_parts; i++)
		perf_group_fini(&p->parts[i].group);
	free(take_ptr(&p->parts));
	p->n_parts = p->cap_parts = 0;
}

bool perf_count_start(struct perf *p, struct err *err)
{
	for (unsigned i = 0; i < p->n_parts; i++)
		if (p->parts[i].group.n && !perf_group_start(&p->parts[i].group, err))
			return err_prefix(err, "perf: ");
	return true;
}

/* ---- reading ---- */

static void add_known(uint64_t *sum, uint64_t v)
{
	*sum = *sum == SAMPLE_UNKNOWN ? v : *sum + v;
}

unsigned perf_blocks_of_cpu(const struct perf *p, unsigned cpu, unsigned blocks[3])
{
	unsigned n = 0;

	blocks[n++] = 0;
	blocks[n++] = 1 + p->cpus.cpus[cpu].cluster;
	if (p->n_blocks > 1 + p->cpus.n_clusters)
		blocks[n++] = 1 + p->cpus.n_clusters + cpu;
	return n;
}

/* Likewise of a part; of a thread the cluster is known where its PMU has only one. */
static unsigned blocks_of(const struct perf *p, const struct perf_part *part, unsigned blocks[3])
{
	int cluster = p->units[part->unit].cluster;

	if (part->whose.cpu >= 0)
		return perf_blocks_of_cpu(p, (unsigned)part->whose.cpu, blocks);
	blocks[0] = 0;
	blocks[1] = 1 + (unsigned)cluster;
	return cluster < 0 ? 1 : 2;
}

static void add_row(const struct perf *p, unsigned row, const unsigned *blocks, unsigned n, uint64_t likely, uint64_t raw,
		    uint64_t *value)
{
	for (unsigned b = 0; b < n; b++) {
		add_known(&value[blocks[b] * p->block + p->value_at[row]], likely);
		if (p->raw_at[row])
			add_known(&value[blocks[b] * p->block + p->raw_at[row]], raw);
	}
}

/* Of a set that was split, the times are those of its first event. */
static bool leads_set(const struct perf *p, const struct perf_unit *unit, unsigned row)
{
	uint64_t before = unit->has & (((uint64_t)1 << row) - 1);

	return !before || p->rows[63 - __builtin_clzll(before)].set != p->rows[row].set;
}

static void add_times(const struct perf *p, unsigned set, const unsigned *blocks, unsigned n, uint64_t running, uint64_t enabled,
		      uint64_t *value)
{
	for (unsigned b = 0; b < n; b++) {
		add_known(&value[blocks[b] * p->block + p->time_at[set]], running);
		add_known(&value[blocks[b] * p->block + p->time_at[set] + 1], enabled);
	}
}

/* What a group counted since it was last taken, which was a moment at which it ran. */
static void add_group(const struct perf *p, struct perf_part *part, const struct perf_reading *now, uint64_t *value)
{
	const struct perf_unit *unit = &p->units[part->unit];
	uint64_t enabled = now->enabled_ns - part->last.enabled_ns, running = now->running_ns - part->last.running_ns;
	unsigned blocks[3], n = blocks_of(p, part, blocks);

	for (unsigned i = 0; i < part->group.n; i++) {
		unsigned row = unit->groups[part->number].row[i];
		uint64_t raw = now->count[i] - part->last.count[i];
		uint64_t likely = perf_estimate(raw, enabled, running, &part->fraction[i]);

		add_row(p, row, blocks, n, likely, raw, value);
		if (p->busy.each && row == p->busy.row)
			p->busy.each[part->whose.cpu].cycles += likely;
		if (row + 1 < perf_n_rows && perf_rows[row + 1].bytes_of == row && unit->bus_bytes)
			add_row(p, row + 1, blocks, n, likely * unit->bus_bytes, raw * unit->bus_bytes, value);
		if (leads_set(p, unit, row))
			add_times(p, p->rows[row].set, blocks, n, running < enabled ? running : enabled, enabled, value);
	}
}

static uint64_t rows_of(const struct perf_unit *unit, unsigned number)
{
	uint64_t rows = 0;

	for (unsigned i = 0; i < unit->groups[number].n; i++) {
		unsigned row = unit->groups[number].row[i];

		rows |= (uint64_t)1 << row;
		if (row + 1 < perf_n_rows && perf_rows[row + 1].bytes_of == row)
			rows |= (uint64_t)1 << (row + 1);
	}
	return rows;
}

/* Nobody knows what a group counts: then no sum it belongs to is known either. Returns flags. */
static uint32_t miss_group(const struct perf *p, const struct perf_part *part)
{
	uint64_t rows = rows_of(&p->units[part->unit], part->number);
	unsigned blocks[3], n = blocks_of(p, part, blocks);

	for (unsigned b = 0; b < n; b++)
		p->gaps[blocks[b]].missed |= rows;
	return 0;
}

/* A CPU that is off and a thread that ended have nothing to count; of own processes, some let nobody look. */
static bool has_nothing(const struct perf *p, int code)
{
	return code == (p->tasks ? ESRCH : ENODEV) || (p->level->own && (code == EACCES || code == EPERM));
}

/* A group that has no turn for so long is missed; when it has one again, that is none for the time until then. */
static bool is_starved(const struct perf *p, const struct perf_part *part, uint64_t enabled)
{
	return enabled > TURN_NS(p->units[part->unit].n_groups) || (enabled && (part->waited_ns || (!p->tasks && !part->ran)));
}

/* A thread did not run, or its group waits for its turn, which then stands for this time as well. */
static void note_gap(const struct perf *p, const struct perf_part *part, uint64_t enabled)
{
	uint64_t rows = rows_of(&p->units[part->unit], part->number);
	unsigned blocks[3], n = blocks_of(p, part, blocks);

	for (unsigned b = 0; b < n && p->tasks; b++)
		*(enabled ? &p->gaps[blocks[b]].waiting : &p->gaps[blocks[b]].idle) |= rows;
}

/* Of threads that did not run it is known that they counted nothing, unless there are others of which nothing is known yet. */
static void fill_gaps(const struct perf *p, uint64_t *value)
{
	for (unsigned b = 0; b < p->n_blocks; b++, value += p->block)
		for (uint64_t rows = p->gaps[b].missed | (p->gaps[b].idle & ~p->gaps[b].waiting); rows; rows &= rows - 1) {
			unsigned row = (unsigned)__builtin_ctzll(rows);
			bool missed = p->gaps[b].missed >> row & 1;

			if (missed || value[p->value_at[row]] == SAMPLE_UNKNOWN)
				value[p->value_at[row]] = missed ? SAMPLE_UNKNOWN : 0;
			if (p->raw_at[row] && (missed || value[p->raw_at[row]] == SAMPLE_UNKNOWN))
				value[p->raw_at[row]] = missed ? SAMPLE_UNKNOWN : 0;
		}
}

/* `clock`: how long the thread ran on this PMU's CPUs since the start, where the kernel's own time tells something else. */
static uint32_t take_group(struct perf *p, struct perf_part *part, const uint64_t *clock, uint64_t *value)
{
	struct perf_reading now;
	uint64_t enabled, running;

	if (!part->group.n)
		return has_nothing(p, part->code) ? 0 : miss_group(p, part);
	if (!perf_group_read(&part->group, &now) || (clock && *clock == NO_CLOCK)) {
		part->stale = part->blind = true;
		return miss_group(p, part);
	}
	p->begun |= now.enabled_ns > 0;
	if (clock)
		now.enabled_ns = *clock > now.running_ns ? *clock : now.running_ns;
	if (now.enabled_ns < part->last.enabled_ns) /* two clocks that were read one after the other */
		now.enabled_ns = part->last.enabled_ns;
	enabled = now.enabled_ns - part->last.enabled_ns;
	running = now.running_ns - part->last.running_ns;
	part->stale = !enabled && !p->tasks;
	part->ran |= running > 0;
	if (part->blind) {
		part->blind = false;
		part->last = now;
		return miss_group(p, part);
	}
	if (running) {
		add_group(p, part, &now, value);
		part->last = now;
		part->waited_ns = 0;
	} else if (is_starved(p, part, enabled)) {
		part->waited_ns += enabled;
		part->ran = false;
		part->last = now;
		miss_group(p, part);
	} else {
		note_gap(p, part, enabled);
	}
	return running < enabled ? SAMPLE_ESTIMATED : 0;
}

/* With what the thread's clocks of the other CPUs tell. */
static uint64_t add_clock(const struct perf_part *part, uint64_t clock)
{
	struct perf_reading now;

	return clock != NO_CLOCK && part->group.n && perf_group_read(&part->group, &now) ? clock + now.count[0] : NO_CLOCK;
}

uint32_t perf_count_read(struct perf *p, uint64_t *value)
{
	uint32_t flags = 0;
	uint64_t clock = 0;

	memset(value, 0xff, (size_t)p->n_blocks * p->block * sizeof(*value));
	memset(p->gaps, 0, p->n_blocks * sizeof(*p->gaps));
	p->gaps[0].missed = p->partly;
	for (unsigned i = 0; i < p->n_parts; i++) {
		struct perf_part *part = &p->parts[i], *before = i ? part - 1 : NULL;

		if (part->number == PERF_CLOCK) {
			if (!before || before->number != PERF_CLOCK)
				clock = 0; /* of the next thread */
			clock = add_clock(part, clock);
		} else {
			flags |= take_group(p, part, has_clocks(p, part->unit) ? &clock : NULL, value);
		}
	}
	fill_gaps(p, value);
	return flags;
}

/* ---- mending ---- */

/* CPUs come and go; one that is off refuses. */
static void reopen_part(struct perf *p, const struct sys *sys, struct perf_part *part)
{
	struct err err;

	perf_group_fini(&part->group);
	if (open_part(p, sys, part, &err))
		perf_group_start(&part->group, &err);
}

/* The size of the largest group of a PMU that has waited too long for its turn; 0: none. */
static unsigned stuck(const struct perf *p, unsigned unit)
{
	unsigned most = 0;

	for (unsigned i = 0; i < p->n_parts; i++) {
		const struct perf_part *part = &p->parts[i];

		if (part->unit == unit && part->waited_ns > PATIENCE_NS && part->group.n > most)
			most = part->group.n;
	}
	return most > 1 ? most : 0;
}

/* Smaller groups for that PMU, if it takes them. */
static bool plan_again(const struct perf *p, struct perf_unit *unit, const struct sys *sys, unsigned limit)
{
	struct perf_unit before = *unit;
	struct err err;

	unit->limit = limit;
	if (perf_plan(p, unit, sys, &err) && unit->has == before.has)
		return true;
	unit->limit = before.limit;
	unit->has = before.has;
	unit->n_groups = before.n_groups;
	memcpy(unit->groups, before.groups, sizeof(unit->groups));
	return false;
}

/* What the PMU's groups counted until now was read. */
static void split(struct perf *p, const struct sys *sys, unsigned unit, unsigned limit)
{
	unsigned n = 0, first;

	if (!plan_again(p, &p->units[unit], sys, limit))
		return;
	for (unsigned i = 0; i < p->n_parts; i++)
		if (p->parts[i].unit == unit)
			perf_group_fini(&p->parts[i].group);
		else
			p->parts[n++] = p->parts[i];
	p->n_parts = first = n;
	add_parts(p, unit);
	for (unsigned i = first; i < p->n_parts; i++)
		reopen_part(p, sys, &p->parts[i]);
}

void perf_count_mend(struct perf *p, const struct sys *sys)
{
	for (unsigned i = 0; i < p->n_parts; i++)
		if (!p->tasks && (p->parts[i].stale || !p->parts[i].group.n))
			reopen_part(p, sys, &p->parts[i]);
	/* Threads that were started meanwhile are counted by the groups that there are, and by no others. */
	for (unsigned unit = 0; !p->inherit && unit < p->n_hard; unit++) {
		unsigned most = stuck(p, unit);

		if (most)
			split(p, sys, unit, most - 1);
	}
}
