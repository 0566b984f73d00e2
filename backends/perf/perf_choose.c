/* Chooses which events a source counts: those of the chosen metrics, or the standard
 * ones. */
#include "backends/perf/perf.h"

#include <string.h>

static const struct metric_need *find_need(const struct source_options *o, const char *slot)
{
	for (unsigned i = 0; i < o->n_needs; i++)
		if (span_is(o->needs[i].slot, slot))
			return &o->needs[i];
	return NULL;
}

static bool is_needed(const struct source_options *o, unsigned row)
{
	const struct perf_row *r = &perf_rows[row];
	bool extra = perf_sets[r->set].extra;
	const struct metric_need *need = find_need(o, r->slot);

	if (!need && strcmp(r->slot, "CPUTaskTime") == 0)
		need = find_need(o, PERF_WHOLE_TIME);
	if (!need && row + 1 < perf_n_rows && perf_rows[row + 1].factor)
		need = find_need(o, perf_rows[row + 1].slot);
	return o->needs_only ? need && (need->named || !extra) : !extra;
}

static void add_first(struct perf *p, uint8_t set)
{
	if (!memchr(p->first, set, p->n_first))
		p->first[p->n_first++] = set;
}

/* The sets in the order in which they are needed. */
static void order_sets(struct perf *p, const struct source_options *o)
{
	p->n_first = 0;
	for (unsigned i = 0; i < o->n_needs; i++)
		for (unsigned row = 0; row < p->n_own; row++)
			if (span_is(o->needs[i].slot, p->rows[row].slot))
				add_first(p, p->rows[row].set);
	if (!p->n_first)
		add_first(p, (uint8_t)perf_first_set);
	p->n_sure = p->n_first;
}

/* The set of a slot, of whatever instance; -1: it is not an event. */
static int set_of_slot(const struct perf *p, unsigned slot)
{
	for (unsigned row = 0; row < p->n_own; row++)
		if (p->has >> row & 1 && p->value_at[row] == slot % p->block)
			return p->rows[row].set;
	return -1;
}

void perf_rows_prefer(struct perf *p, const struct source *source, const struct source_priority *priority)
{
	uint8_t before[PERF_SETS_MAX];
	unsigned n_before = p->n_first, n_sure = p->n_sure;

	if (source->options.needs_only)
		return;
	memcpy(before, p->first, sizeof(before));
	p->n_first = 0;
	for (unsigned i = 0; i <= priority->n; i++) {
		int set = i < priority->n ? set_of_slot(p, priority->slots[i]) : -1;

		if (i == priority->n_sure) { /* cycles and instructions give way only to what was chosen */
			add_first(p, (uint8_t)perf_first_set);
			p->n_sure = p->n_first;
		}
		if (set >= 0)
			add_first(p, (uint8_t)set);
	}
	p->plans_again |=
		p->n_first != n_before || p->n_sure != n_sure || memcmp(p->first, before, p->n_first) != 0;
}

/* Metrics of other sources need no event of this one; then count the least. */
static void add_least(struct perf *p)
{
	for (unsigned row = 0; row < perf_n_rows; row++)
		if (perf_rows[row].set == perf_first_set)
			p->rows[p->n_own++] = perf_rows[row];
}

bool perf_rows_choose(struct perf *p, const struct source_options *options, struct err *err)
{
	p->n_own = 0;
	for (unsigned row = 0; row < perf_n_rows; row++) {
		if (!is_needed(options, row))
			continue;
		if (p->n_own == PERF_OWN_MAX)
			return err_set(err, ERR_USAGE,
				       "perf: the metrics need more than %d CPU events: name fewer, and "
				       "measure in several runs",
				       PERF_OWN_MAX);
		p->rows[p->n_own++] = perf_rows[row];
	}
	if (!p->n_own && !options->n_events)
		add_least(p);
	p->n_rows = p->n_own;
	p->task_row = -1;
	for (unsigned row = 0; row < p->n_own; row++)
		if (strcmp(p->rows[row].slot, "CPUTaskTime") == 0)
			p->task_row = (int)row;
	order_sets(p, options);
	return true;
}
