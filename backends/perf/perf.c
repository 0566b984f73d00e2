#include "backends/perf/perf.h"

#include "backends/backends.h"
#include "backends/process_file.h"
#include "base/alloc.h"
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_MIN_NS 10000000
#define SUMS_NS 1000000000 /* of a command: each read wakes it, which counts as its own work */
#define PART_NS 200000     /* interval that justifies reading one group: 2 us are 1 % of it */
#define MEND_NS 1000000000
#define RETURN_NS 100000000 /* how often to check whether an offline CPU is back */
#define SUSPEND_NS 100000000

static bool perf_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .disabled = 1};
	int fd;

	(void)err;
	attr.exclude_kernel = 1;
	fd = sys->perf_event_open(sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && errno == ENOSYS)
		return true;
	if (fd >= 0)
		sys->close(sys, fd);
	source_found_add(found, &backend_perf, "");
	return true;
}

static void perf_close(struct source *source)
{
	struct perf *p = source->priv;

	perf_count_close(p);
	perf_busy_fini(p, source->sys);
	perf_pmus_fini(&p->pmus);
	cpus_fini(&p->cpus);
	free(take_ptr(&p->whose));
	free(take_ptr(&p->gaps));
}

/* ---- opening ---- */

static bool plan_all(struct perf *p, const struct sys *sys, struct err *err)
{
	for (unsigned i = 0; i < p->n_units; i++)
		if (!perf_plan(p, &p->units[i], sys, err))
			return err_set(err, err->code, "perf: CPU events cannot be counted: %s: %s",
				       strerror(err->code),
				       perf_rights_help(err->code) ? perf_rights_help(err->code)
								   : "see malitop doctor");
	return true;
}

/* If events name no PMU, a thread is counted only on the CPUs of one PMU, and the kernel does not
 * say which; drop such units. */
static void choose_hardware(struct perf *p)
{
	for (unsigned i = 0; i < p->n_hard; i++) {
		struct perf_unit *unit = &p->units[i];
		bool alone = p->n_hard == 1 && (unit->type || p->cpus.n_clusters == 1);

		if (p->tasks && unit->loose && !alone)
			unit->has = unit->n_groups = 0;
	}
}

/* Keep the events that may be counted from here. */
static bool plan_permitted(struct perf *p, const struct sys *sys, struct err *err)
{
	for (unsigned i = 0; i < p->n_units; i++) {
		struct perf_unit *unit = &p->units[i];
		uint64_t had = unit->has;

		for (unsigned row = 0; row < p->n_rows; row++) {
			bool user_only = p->user_only || unit->events[row].user_only;

			if ((p->rows[row].tasks_only && !p->tasks) || (p->rows[row].kernel_only && user_only))
				unit->has &= ~((uint64_t)1 << row);
		}
		if (unit->has != had && !perf_plan(p, unit, sys, err))
			return err_prefix(err, "perf: ");
	}
	return true;
}

/* Choose rows that PMUs of the requested CPUs count, and note those that some of them lack. */
static void choose_rows(struct perf *p)
{
	uint64_t all = ~(uint64_t)0, hard = 0;
	bool asked[PERF_UNITS_MAX] = {false};

	for (unsigned i = 0; i < (p->tasks ? p->cpus.n : p->n_whose); i++) {
		unsigned number = p->cpus.cpus[p->tasks ? (int)i : p->whose[i].cpu].number;
		bool served = false;

		for (unsigned unit = 0; unit < p->n_hard; unit++)
			if (cpu_set_has(&p->units[unit].cpus, number))
				served = asked[unit] = true;
		if (!served)
			all = 0;
	}
	for (unsigned unit = 0; unit < p->n_hard; unit++)
		if (p->tasks || asked[unit]) {
			hard |= p->units[unit].has;
			all &= p->units[unit].has;
		}
	p->has = p->units[p->n_units - 1].has | hard;
	p->partly = hard & ~all & (((uint64_t)1 << p->n_own) - 1);
}

/* Add a slot to the block that starts at `first`. Returns its position in the block. */
static uint16_t add_slot(struct source *source, unsigned first, struct slot slot, const char *name)
{
	slot.name = name;
	return (uint16_t)(source_add_slot(source, &slot) - first);
}

/* Add the slots of the machine, a cluster or a CPU: for each set its times, then its events. */
static void add_block(struct source *source, struct perf *p, enum instance_kind instance, unsigned number,
		      const char *title)
{
	struct slot plain = {.instance = instance, .number = (uint16_t)number, .scale = 1, .title = title};
	unsigned first = source->n_slots;
	struct slot timed = plain;

	for (unsigned row = 0, set = UINT32_MAX; row < p->n_rows; row++) {
		const struct perf_row *r = &p->rows[row];

		if (!(p->has >> row & 1))
			continue;
		if (r->set != set) {
			set = r->set;
			p->time_at[set] = add_slot(source, first, plain, r->running);
			add_slot(source, first, plain, r->enabled);
			timed.running = (uint16_t)(first + p->time_at[set]);
			timed.enabled = (uint16_t)(timed.running + 1);
		}
		p->value_at[row] = add_slot(source, first, timed, r->slot);
		if (!source->options.raw_counts)
			continue;
		p->raw_at[row] = add_slot(source, first, plain, r->raw);
		source->slots[first + p->value_at[row]].raw = (uint16_t)(first + p->raw_at[row]);
	}
	/* CPUTaskTime is the first row, if it is needed */
	if (p->tasks && p->rows[0].tasks_only && p->has & 1 && !p->user_only)
		p->whole_at = add_slot(source, first, plain, PERF_WHOLE_TIME);
	if (p->busy.each) {
		p->busy.at = add_slot(source, first, plain, "CPUBusyCycles");
		add_slot(source, first, plain, "CPUBusyTime");
	}
	p->block = source->n_slots - first;
	p->n_blocks++;
}

static void add_slots(struct source *source, struct perf *p)
{
	perf_busy_init(p);
	add_block(source, p, INSTANCE_ALL, 0, NULL);
	for (unsigned c = 0; c < p->cpus.n_clusters; c++)
		add_block(source, p, INSTANCE_CLUSTER, c, p->cpus.clusters[c].title);
	source->n_sums = source->n_slots;
	for (unsigned i = 0; source->options.per_instance && !p->tasks && i < p->cpus.n; i++)
		add_block(source, p, INSTANCE_CPU, p->cpus.cpus[i].number, NULL);
	p->gaps = xcalloc(p->n_blocks, sizeof(*p->gaps));
}

static const char *name_rights(const struct perf *p)
{
	static const char *const names[2][2] = {
		{"kernel and user", "user only"},
		{"own processes, kernel and user", "own processes, user only"}};

	return names[p->own][p->user_only];
}

static void name_source(struct source *source, const struct perf *p)
{
	const char *help = p->refused ? perf_rights_help(p->refused) : NULL;
	const char *where = p->tasks || p->n_whose == p->cpus.n ? "this machine" : p->about;
	uint64_t hard = 0;
	size_t n;

	snprintf(source->title, sizeof(source->title), "%.40s, %s", p->about,
		 p->user_only ? "user only" : "kernel and user");
	snprintf(source->driver, sizeof(source->driver), "perf");
	if (p->refused)
		snprintf(source->note, sizeof(source->note), "CPU counters: %s%s%s", name_rights(p),
			 help ? "; for more: " : "", help ? help : "");
	if (!p->lacking[0])
		return;
	for (unsigned i = 0; i < p->n_hard; i++)
		hard |= p->units[i].has;
	n = strlen(source->note);
	snprintf(source->note + n, sizeof(source->note) - n, "%s--event: %s: no PMU of %s counts %s: %s",
		 n ? "; " : "", p->lacking, where, strchr(p->lacking, ',') ? "them" : "it",
		 hard ? "see malitop doctor for the available ones" : perf_rights_help(ENOENT));
}

static bool open_all(struct source *source, struct perf *p, struct err *err)
{
	p->alike = source->options.alike;
	p->yields = source->options.needs_yield;
	cpus_find(&p->cpus, source->sys);
	if (!perf_rows_choose(p, &source->options, err))
		return false;
	perf_units_find(p, source->sys);
	if (!perf_ask(p, &source->options, err) || !plan_all(p, source->sys, err) ||
	    !perf_scope_find(p, source, err))
		return false;
	choose_hardware(p);
	if (!plan_permitted(p, source->sys, err))
		return false;
	choose_rows(p);
	for (unsigned i = 0; i < p->n_units; i++) {
		p->units[i].n_events = (unsigned)__builtin_popcountll(p->units[i].has);
		if (!perf_ask_check_groups(p, &p->units[i], err))
			return false;
	}
	if (!p->has)
		return err_set(err, ENOENT, "perf: %s: no event can be counted: see malitop doctor",
			       p->about);
	return perf_ask_check(p, err);
}

static bool perf_open(struct source *source, const char *device, struct err *err)
{
	struct perf *p = source->priv;

	(void)device;
	if (!open_all(source, p, err)) {
		perf_close(source);
		return false;
	}
	name_source(source, p);
	add_slots(source, p);
	return true;
}

/* ---- measuring ---- */

/* The shortest multiple of the requested period that justifies the work. */
static int64_t period_of(const struct source *source, const struct perf *p, int64_t asked_ns)
{
	int64_t least = (int64_t)p->n_parts * PART_NS;

	if (source->options.sums_only)
		least = SUMS_NS;
	if (least < PERIOD_MIN_NS)
		least = PERIOD_MIN_NS;
	return (least + asked_ns - 1) / asked_ns * asked_ns;
}

static bool perf_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct perf *p = source->priv;

	perf_count_close(p);
	perf_scope_renew(p, source);
	if (!perf_count_open(p, source->sys, err)) {
		perf_count_close(p);
		return false;
	}
	perf_busy_start(p, source->sys, now_ns);
	source->period_ns = period_of(source, p, period_ns);
	p->start_ns = p->begin_ns = now_ns;
	p->due_ns = now_ns + source->period_ns;
	p->look_ns = now_ns + MEND_NS;
	p->return_ns = 0;
	p->suspended_ns = source_suspended_ns(source->sys);
	return true;
}

/* A zombie process counts nothing, but its threads may outlive the main thread. */
static bool has_ended(const struct perf *p, const struct sys *sys)
{
	struct process_stat stat;
	char text[1024];
	ssize_t n;

	if (!p->process[0] || p->on_exec)
		return false;
	n = sys_read_file(sys, p->process, text, sizeof(text));
	if (n < 0)
		return errno == ENOENT || errno == ESRCH;
	return process_stat_parse(&stat, (struct span){text, (size_t)n}) && strchr("ZXx", stat.state) &&
	       (!p->inherit || stat.threads <= 1);
}

static enum read_result perf_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct perf *p = source->priv;
	bool look = now_ns >= p->look_ns;
	int64_t suspended;

	if (now_ns < p->due_ns && (!source->cut || now_ns == p->begin_ns))
		return READ_NONE;
	source->ended = p->ended;
	if (p->ended)
		return READ_GONE;
	p->due_ns = p->start_ns + ((now_ns - p->start_ns) / source->period_ns + 1) * source->period_ns;
	suspended = source_suspended_ns(source->sys);
	sample->flags = suspended - p->suspended_ns > SUSPEND_NS ? SAMPLE_GAP : 0;
	p->suspended_ns = suspended;
	p->ended = look && has_ended(p, source->sys); /* checked before the last read */
	p->cut = source->cut;
	sample->flags |= perf_count_read(p, source->sys, sample->value);
	for (unsigned b = 0; p->whole_at && b < p->n_blocks; b++)
		sample->value[b * p->block + p->whole_at] = sample->value[b * p->block + p->value_at[0]];
	perf_busy_read(p, source->sys, now_ns, sample->value);
	sample->begin_ns = p->begin_ns;
	sample->end_ns = now_ns;
	sample->lost = 0;
	sample->flags |= source_stretched(p->begin_ns, now_ns, source->period_ns);
	p->begin_ns = now_ns;
	perf_count_plan(p, source->sys);
	/* A CPU that came back was not counted in this sample. */
	if (p->any_off && now_ns >= p->return_ns) {
		p->return_ns = now_ns + RETURN_NS;
		sample->flags |= perf_count_return(p, source->sys) ? SAMPLE_GAP : 0;
	}
	if (look) {
		p->look_ns = now_ns + MEND_NS;
		perf_count_mend(p, source->sys);
	}
	return READ_GOT;
}

static void perf_stop(struct source *source)
{
	perf_count_close(source->priv);
}

static const struct backend_extras perf_extras = {
	.prefer = perf_rows_prefer,
	.list_events = perf_list_events,
};

/* From what is constant after open only. */
static void perf_describe(const struct source *source, struct strbuf *text)
{
	const struct perf *p = source->priv;
	const char *help = p->refused ? perf_rights_help(p->refused) : NULL;

	strbuf_printf(text, "\ncounts    %s, %s\n", p->about, p->user_only ? "user only" : "kernel and user");
	if (p->refused)
		strbuf_printf(text, "limited   rights: %s: %s\n", name_rights(p),
			      help ? help : strerror(p->refused));
	if (p->n_left_out)
		strbuf_printf(text, "omitted   %u thread%s: over the limit of open files (ulimit -n)\n",
			      p->n_left_out, plural_ending(p->n_left_out));
	for (unsigned i = 0; i < p->n_units; i++) {
		const struct perf_unit *unit = &p->units[i];

		if (unit->kind == PERF_SOFTWARE) {
			strbuf_printf(text, "kernel    %u software event%s\n", unit->n_events,
				      plural_ending(unit->n_events));
			continue;
		}
		strbuf_printf(text, "PMU       %s (", unit->name);
		if (unit->cluster >= 0)
			strbuf_str(text, p->cpus.clusters[unit->cluster].title);
		else
			strbuf_printf(text, "%u CPU%s", unit->n_cpus, plural_ending(unit->n_cpus));
		if (unit->n_events)
			strbuf_printf(text, "): %u event%s\n", unit->n_events, plural_ending(unit->n_events));
		else
			strbuf_str(text, "): no hardware events: a virtual machine without a virtual PMU?\n");
	}
}

const struct backend backend_perf = {
	.name = "perf",
	.help = "the CPUs' own counters: cycles, instructions, branches, caches, TLBs, and events of the "
		"kernel",
	.kind = SOURCE_PERF,
	.priv_size = sizeof(struct perf),
	.probe = perf_probe,
	.open = perf_open,
	.start = perf_start,
	.read = perf_read,
	.stop = perf_stop,
	.close = perf_close,
	.extras = &perf_extras,
	.describe = perf_describe,
};
