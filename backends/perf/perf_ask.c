/* Events requested by name (--event), each with a row and a set; and the list of names. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

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

/* Add an event to the set that starts at row `first`. */
static bool ask_one(struct perf *p, const char *text, unsigned first, bool grouped, struct err *err)
{
	unsigned row = p->n_rows;
	struct perf_name name;

	for (unsigned asked = p->n_own; asked < p->n_rows; asked++)
		if (strcmp(p->rows[asked].slot, text) == 0)
			return !grouped ||
			       err_set(err, ERR_USAGE,
				       "%.64s: is in a group, and requested twice: name it once", text);
	if (!check_text(text, err))
		return false;
	if (row - p->n_own == PERF_ASKED_MAX)
		return err_set(err, ERR_USAGE, "%.64s: more than %d events: measure in several runs", text,
			       PERF_ASKED_MAX);
	if (!perf_name_find(&name, &p->pmus, &p->cpus, text, err) || !check_pmus(&name, text, err))
		return false;
	p->rows[row] = perf_row_asked(row - p->n_own, first - p->n_own, text);
	p->rows[row].kernel_only = name.kernel_only || perf_row_is_kernel_only(&name.events[0].event);
	p->n_rows++;
	for (unsigned unit = 0; unit < p->n_units; unit++)
		perf_unit_ask(p, &p->units[unit], row, &name);
	return true;
}

bool perf_ask(struct perf *p, const struct source_options *o, struct err *err)
{
	for (unsigned i = 0, first = 0; i < o->n_events; i++) {
		bool grouped = o->event_groups && o->event_groups[i];

		if (!grouped || !i || o->event_groups[i - 1] != o->event_groups[i])
			first = p->n_rows;
		if (!ask_one(p, o->events[i], first, grouped, err))
			return err_prefix(err, "--event: ");
	}
	return true;
}

bool perf_ask_check(struct perf *p, struct err *err)
{
	for (unsigned row = p->n_own; row < p->n_rows; row++) {
		bool user_only = p->units[p->n_units - 1].events[row].user_only;
		const char *name = p->rows[row].slot;
		size_t n = strlen(p->lacking);

		if (p->has >> row & 1)
			continue;
		if (p->rows[row].kernel_only && user_only)
			return err_set(err, ERR_USAGE,
				       "--event: %s: occurs only in the kernel: use it without :u", name);
		if (p->rows[row].kernel_only && p->user_only)
			return err_set(err, EACCES,
				       "--event: %s: occurs only in the kernel, which you are not permitted "
				       "to measure: %s",
				       name, perf_rights_help(EACCES));
		snprintf(p->lacking + n, sizeof(p->lacking) - n, "%s%.64s", n ? ", " : "", name);
		p->has |= (uint64_t)1 << row;
	}
	return true;
}

bool perf_ask_check_groups(const struct perf *p, const struct perf_unit *unit, struct err *err)
{
	unsigned n;

	for (unsigned from = p->n_own; from < p->n_rows; from += n) {
		uint64_t set = perf_set_at(p, from);
		int asked = __builtin_popcountll(unit->has & set), fit = 0;
		AUTO_STRBUF struct strbuf names = {0};

		n = (unsigned)__builtin_popcountll(set);
		for (unsigned g = 0; g < unit->n_groups; g++) {
			int together = __builtin_popcountll(unit->groups[g].rows & set);

			fit = together > fit ? together : fit;
		}
		if (!unit->n_groups || fit >= asked)
			continue;
		for (unsigned row = from; row < from + n; row++)
			strbuf_printf(&names, "%s%.64s", row > from ? "," : "", p->rows[row].slot);
		return err_set(err, ERR_USAGE,
			       "--event: {%s}: %d events do not fit the counters of %s together, %d do: make "
			       "the group smaller",
			       names.p, asked, unit->name, fit);
	}
	return true;
}

/* ---- the list of events ---- */

/* Whether this machine counts an event now: --event accepts it, and the kernel does, in user space
 * unless the event occurs in the kernel only. */
static bool counts_now(struct perf *p, const struct sys *sys, const char *text)
{
	struct perf_target target = {.pid = 0, .cpu = -1, .at_once = true};
	struct perf_group group;
	struct perf_name name;
	struct err err;

	if (!perf_name_find(&name, &p->pmus, &p->cpus, text, &err))
		return false;
	for (unsigned i = 0; i < p->n_units; i++) {
		struct perf_unit *unit = &p->units[i];
		bool opens;

		unit->has = 0;
		perf_unit_ask(p, unit, 0, &name);
		if (!unit->has)
			continue;
		target.user_only = !perf_row_is_kernel_only(&unit->events[0]);
		perf_group_init(&group, sys, &target);
		opens = perf_group_add(&group, &unit->events[0], NULL);
		perf_group_fini(&group);
		if (opens)
			return true;
	}
	return false;
}

void perf_list_events(const struct sys *sys, void (*add)(void *ctx, const struct event_info *event),
		      void *ctx)
{
	AUTOFREE struct perf *p = xcalloc(1, sizeof(*p)); /* its units, with one row */
	AUTO_STRBUF struct strbuf cores = {0};
	uint16_t number;
	const char *arm;
	char name[64];

	cpus_find(&p->cpus, sys);
	perf_units_find(p, sys);
	for (unsigned i = 0; arm_event_at(i, &arm, &number, &cores); i++, strbuf_clear(&cores))
		add(ctx, &(struct event_info){.name = arm,
					      .number = number,
					      .cores = cores.n ? cores.p : "",
					      .now = counts_now(p, sys, arm)});
	for (unsigned i = 0; perf_generic_name(i, name, sizeof(name)); i++)
		if (name[0])
			add(ctx, &(struct event_info){.name = name,
						      .number = -1,
						      .cores = "",
						      .now = counts_now(p, sys, name)});
	perf_pmus_fini(&p->pmus);
	cpus_fini(&p->cpus);
}
