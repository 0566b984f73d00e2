/* Events requested by name (--event): each gets a row and a set of its own. And which names there
 * are. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_kernel_only(const struct perf_event *event)
{
	for (unsigned row = 0; row < perf_n_rows; row++)
		if (perf_rows[row].kernel_only && perf_rows[row].type == event->type &&
		    perf_rows[row].config == event->config)
			return true;
	return false;
}

/* No CPU or process causes the events of an uncore PMU (a memory controller, an interconnect), so
 * they cannot be attributed. */
static bool check_pmus(const struct perf_name *name, const char *text, struct err *err)
{
	for (unsigned i = 0; i < name->n; i++) {
		const struct perf_pmu *pmu = name->events[i].pmu;

		if (pmu && !pmu->core && pmu->type != PERF_TYPE_SOFTWARE)
			return err_set(err, ERR_USAGE,
				       "%s: %s is not a CPU core PMU: only events of CPU cores and of the "
				       "kernel can be counted",
				       text, pmu->name);
	}
	return true;
}

/* The name is shown as a column title, so it must be printable. */
static bool check_text(const char *text, struct err *err)
{
	char shown[64];

	for (const char *c = text; *c; c++)
		if (*c <= ' ' || *c > '~')
			return err_set(err, ERR_USAGE,
				       "%s: event names contain neither blanks nor non-ASCII characters",
				       str_printable(shown, sizeof(shown), text));
	return true;
}

static bool is_asked(const struct perf *p, const char *text)
{
	for (unsigned row = p->n_own; row < p->n_rows; row++)
		if (strcmp(p->rows[row].slot, text) == 0)
			return true;
	return false;
}

/* Requested events: their names, and the group that each belongs to. */
struct asked {
	const char *const *names;
	const unsigned *groups; /* NULL: none */
	unsigned first;         /* row of the first event of the current group */
};

/* Set the row that gives the event its set: that of the first member of its group. */
static void follow_group(struct asked *a, unsigned i, unsigned row)
{
	if (!a->groups || !a->groups[i] || !i || a->groups[i - 1] != a->groups[i])
		a->first = row;
}

static bool ask_one(struct perf *p, const struct perf_pmus *pmus, struct asked *a, unsigned i,
		    struct err *err)
{
	const char *text = a->names[i];
	unsigned row = p->n_rows;
	struct perf_name name;

	follow_group(a, i, row);
	if (is_asked(p, text))
		return !(a->groups && a->groups[i]) ||
		       err_set(err, ERR_USAGE, "%.64s: is in a group, and requested twice: name it once",
			       text);
	if (!check_text(text, err))
		return false;
	if (row - p->n_own == PERF_ASKED_MAX)
		return err_set(err, ERR_USAGE, "%.64s: more than %d events: measure in several runs", text,
			       PERF_ASKED_MAX);
	if (!perf_name_find(&name, pmus, &p->cpus, text, err) || !check_pmus(&name, text, err))
		return false;
	p->rows[row] = perf_row_asked(row - p->n_own, a->first - p->n_own, text);
	p->rows[row].kernel_only = name.kernel_only || is_kernel_only(&name.events[0].event);
	p->n_rows++;
	for (unsigned unit = 0; unit < p->n_units; unit++)
		perf_unit_ask(p, &p->units[unit], row, &name, pmus->sys);
	return true;
}

bool perf_ask(struct perf *p, const struct source *source, struct err *err)
{
	const struct source_options *o = &source->options;
	struct asked asked = {.names = o->events, .groups = o->event_groups};
	struct perf_pmus pmus;
	bool ok = true;

	if (!o->n_events)
		return true;
	perf_pmus_find(&pmus, source->sys);
	for (unsigned i = 0; ok && i < o->n_events; i++)
		ok = ask_one(p, &pmus, &asked, i, err);
	perf_pmus_fini(&pmus);
	return ok || err_prefix(err, "--event: ");
}

static bool refuse_kernel_only(const struct perf *p, unsigned row, struct err *err)
{
	const char *name = p->rows[row].slot;

	if (p->units[p->n_units - 1].events[row].user_only)
		return err_set(err, ERR_USAGE, "--event: %s: occurs only in the kernel: use it without :u",
			       name);
	return err_set(err, EACCES,
		       "--event: %s: occurs only in the kernel, which you are not permitted to measure: %s",
		       name, perf_rights_help(EACCES));
}

bool perf_ask_check(struct perf *p, struct err *err)
{
	for (unsigned row = p->n_own; row < p->n_rows; row++) {
		size_t n = strlen(p->lacking);

		if (p->has >> row & 1)
			continue;
		if (p->rows[row].kernel_only &&
		    (p->units[p->n_units - 1].events[row].user_only || p->level->user_only))
			return refuse_kernel_only(p, row, err);
		snprintf(p->lacking + n, sizeof(p->lacking) - n, "%s%.64s", n ? ", " : "", p->rows[row].slot);
		p->has |= (uint64_t)1 << row;
	}
	return true;
}

/* How many of the rows [from, to) one group of the unit has. */
static unsigned count_together(const struct perf_unit *unit, unsigned from, unsigned to)
{
	unsigned most = 0;

	for (unsigned g = 0; g < unit->n_groups; g++) {
		unsigned n = 0;

		for (unsigned i = 0; i < unit->groups[g].n; i++)
			n += unit->groups[g].row[i] >= from && unit->groups[g].row[i] < to;
		most = n > most ? n : most;
	}
	return most;
}

bool perf_ask_check_groups(const struct perf *p, const struct perf_unit *unit, struct err *err)
{
	for (unsigned from = p->n_own, to; from < p->n_rows; from = to) {
		AUTO_STRBUF struct strbuf names = {0};
		unsigned n = 0, fit;

		for (to = from; to < p->n_rows && p->rows[to].set == p->rows[from].set; to++) {
			strbuf_printf(&names, "%s%.64s", to > from ? "," : "", p->rows[to].slot);
			n += unit->has >> to & 1;
		}
		fit = count_together(unit, from, to);
		if (unit->n_groups && fit < n)
			return err_set(
				err, ERR_USAGE,
				"--event: {%s}: %u events do not fit the counters of %s together, %u do: "
				"make the group smaller",
				names.p, n, unit->name, fit);
	}
	return true;
}

/* ---- the list of events ---- */

/* Lists the events that have names, and whether this machine counts each of them now. */
struct listing {
	const struct sys *sys;
	struct perf_pmus pmus;
	struct perf *p; /* its units, with one row */
};

/* Open the event for this thread, in user space unless it occurs in the kernel only. */
static bool event_opens(const struct listing *l, struct perf_event event, bool user_only)
{
	struct perf_group group;
	bool ok;

	perf_group_init(&group, l->sys,
			&(struct perf_target){.pid = 0, .cpu = -1, .user_only = user_only, .at_once = true});
	ok = perf_group_add(&group, &event, NULL);
	perf_group_fini(&group);
	return ok;
}

/* Events that happen only in the kernel count nothing in user space. */
static bool is_kernel_event(const struct perf_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						     event->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* The test of --event, and then the kernel's. */
static bool counts_now(const struct listing *l, const char *text)
{
	struct perf_name name;
	struct err err;

	if (!perf_name_find(&name, &l->pmus, &l->p->cpus, text, &err))
		return false;
	for (unsigned i = 0; i < l->p->n_units; i++) {
		struct perf_unit *unit = &l->p->units[i];

		unit->has = 0;
		perf_unit_ask(l->p, unit, 0, &name, l->sys);
		if (unit->has && event_opens(l, unit->events[0], !is_kernel_event(&unit->events[0])))
			return true;
	}
	return false;
}

void perf_list_events(const struct sys *sys, void (*add)(void *ctx, const struct event_info *event),
		      void *ctx)
{
	struct listing l = {.sys = sys};
	char name[64];
	const char *arm;
	uint16_t number;

	l.p = xcalloc(1, sizeof(*l.p));
	cpus_find(&l.p->cpus, sys);
	perf_units_find(l.p, sys);
	perf_pmus_find(&l.pmus, sys);
	for (unsigned i = 0; arm_event_at(i, &arm, &number); i++) {
		AUTO_STRBUF struct strbuf cores = {0};

		arm_event_cores(number, &cores);
		add(ctx, &(struct event_info){.name = arm,
					      .number = number,
					      .cores = cores.n ? cores.p : "",
					      .now = counts_now(&l, arm)});
	}
	for (unsigned i = 0; perf_generic_name(i, name, sizeof(name)); i++)
		if (name[0])
			add(ctx,
			    &(struct event_info){
				    .name = name, .number = -1, .cores = "", .now = counts_now(&l, name)});
	perf_pmus_fini(&l.pmus);
	cpus_fini(&l.p->cpus);
	free(l.p);
}
