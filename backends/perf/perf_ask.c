/* Events that were asked for by name (--event): a row and a set of its own for each. */
#include "backends/perf/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

static bool is_kernel_only(const struct perf_event *event)
{
	for (unsigned row = 0; row < perf_n_rows; row++)
		if (perf_rows[row].kernel_only && perf_rows[row].type == event->type && perf_rows[row].config == event->config)
			return true;
	return false;
}

/* Events between the cores (a memory controller, an interconnect) are nobody's: no CPU or process has caused them. */
static bool check_pmus(const struct perf_name *name, const char *text, struct err *err)
{
	for (unsigned i = 0; i < name->n; i++) {
		const struct perf_pmu *pmu = name->events[i].pmu;

		if (pmu && !pmu->core && pmu->type != PERF_TYPE_SOFTWARE)
			return err_set(err, ERR_USAGE,
				       "%s: %s is no PMU of CPU cores: only their events, and the kernel's, are counted", text,
				       pmu->name);
	}
	return true;
}

/* As a name of columns it must be fit to be shown. */
static bool check_text(const char *text, struct err *err)
{
	char shown[64];

	for (const char *c = text; *c; c++)
		if (*c <= ' ' || *c > '~')
			return err_set(err, ERR_USAGE, "%s: names of events have neither blanks nor characters beyond ASCII",
				       str_printable(shown, sizeof(shown), text));
	return true;
}

static bool is_asked(const struct perf *p, const char *text)
{
	for (unsigned row = perf_n_rows; row < p->n_rows; row++)
		if (strcmp(p->rows[row].slot, text) == 0)
			return true;
	return false;
}

static bool ask_one(struct perf *p, const struct perf_pmus *pmus, const char *text, struct err *err)
{
	unsigned row = p->n_rows;
	struct perf_name name;

	if (is_asked(p, text))
		return true;
	if (!check_text(text, err))
		return false;
	if (row - perf_n_rows == PERF_ASKED_MAX)
		return err_set(err, ERR_USAGE, "%.64s: more than %d events: measure twice", text, PERF_ASKED_MAX);
	if (!perf_name_find(&name, pmus, &p->cpus, text, err) || !check_pmus(&name, text, err))
		return false;
	p->rows[row] = perf_row_asked(row - perf_n_rows, text);
	p->rows[row].kernel_only = is_kernel_only(&name.events[0].event);
	p->n_rows++;
	for (unsigned i = 0; i < p->n_units; i++)
		perf_unit_ask(p, &p->units[i], row, &name, pmus->sys);
	return true;
}

bool perf_ask(struct perf *p, const struct source *source, struct err *err)
{
	const struct source_options *o = &source->options;
	struct perf_pmus pmus;
	bool ok = true;

	if (!o->n_events)
		return true;
	perf_pmus_find(&pmus, source->sys);
	for (unsigned i = 0; ok && i < o->n_events; i++)
		ok = ask_one(p, &pmus, o->events[i], err);
	perf_pmus_fini(&pmus);
	return ok || err_prefix(err, "--event: ");
}

static bool not_counted(const struct perf *p, unsigned row, struct err *err)
{
	const char *name = p->rows[row].slot, *where = p->tasks || p->n_whose == p->cpus.n ? "this machine" : p->about;
	uint64_t hard = 0;

	if (p->rows[row].kernel_only && p->units[p->n_units - 1].events[row].user_only)
		return err_set(err, ERR_USAGE, "--event: %s: it happens in the kernel only: ask for it without :u", name);
	if (p->rows[row].kernel_only && p->level->user_only)
		return err_set(err, EACCES, "--event: %s: it happens in the kernel, which may not be seen: %s", name,
			       perf_rights_help(EACCES));
	for (unsigned i = 0; i < p->n_hard; i++)
		hard |= p->units[i].has;
	return err_set(err, ENOENT, "--event: %s: no PMU of %s counts it: %s", name, where,
		       hard ? "see malitop doctor for those that there are" : perf_rights_help(ENOENT));
}

bool perf_ask_check(const struct perf *p, struct err *err)
{
	for (unsigned row = perf_n_rows; row < p->n_rows; row++)
		if (!(p->has >> row & 1))
			return not_counted(p, row, err);
	return true;
}
