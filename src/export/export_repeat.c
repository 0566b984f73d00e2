#include "export/export_session.h"

#include "export/export_priv.h"
#include "base/json.h"
#include "base/alloc.h"
#include "base/real.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One number over all runs, by Welford's method, which is exact even if the mean is large. */
struct figure {
	char *name;
	const struct unit *unit;
	unsigned n;   /* runs with a known value */
	unsigned run; /* the last run with a value */
	double mean, squares, min, max;
};

struct export_repeat {
	struct figure *figures;
	unsigned n, cap, n_runs;
};

struct export_repeat *export_repeat_new(void)
{
	return xcalloc(1, sizeof(struct export_repeat));
}

void export_repeat_free(struct export_repeat *repeat)
{
	for (unsigned i = 0; repeat && i < repeat->n; i++)
		free(repeat->figures[i].name);
	if (repeat)
		free(repeat->figures);
	free(repeat);
}

unsigned export_repeat_runs(const struct export_repeat *repeat)
{
	return repeat->n_runs;
}

static struct figure *find_figure(struct export_repeat *r, const char *name, const struct unit *unit)
{
	for (unsigned i = 0; i < r->n; i++)
		if (strcmp(r->figures[i].name, name) == 0)
			return &r->figures[i];
	GROW(r->figures, r->n, r->cap);
	r->figures[r->n] = (struct figure){.name = xstrdup(name), .unit = unit};
	return &r->figures[r->n++];
}

/* Add a value to its figure. An event may be a metric too: only the first value of a run counts. */
static void add_figure(struct export_repeat *r, const char *name, const struct unit *unit, double value)
{
	struct figure *f = find_figure(r, name, unit);
	double before = f->mean;

	if (f->run == r->n_runs)
		return;
	f->run = r->n_runs;
	if (!isfinite(value))
		return;
	f->min = f->n && f->min < value ? f->min : value;
	f->max = f->n && f->max > value ? f->max : value;
	f->mean += (value - before) / ++f->n;
	f->squares += (value - before) * (value - f->mean);
}

/* Add the CPU events of a source that were counted. */
static void add_events(struct export_repeat *r, const struct export_source *source, const struct column *sum)
{
	const struct unit *count = unit_find(span_of("count"));

	for (unsigned i = 0; i < source->set->n_slots; i++) {
		const struct slot *slot = &source->set->slots[i];

		if (slot->instance == INSTANCE_ALL && slot->raw)
			add_figure(r, slot->name, count,
				   sum->value[slot->running] > 0 ? sum->value[i] : (double)NAN);
	}
}

static void totals_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	struct export_repeat *r = table->options->repeat;
	const struct export_command *c = row->command;
	const struct unit *seconds = unit_find(span_of("seconds"));

	(void)out;
	if (!c || (c->status && !c->timed_out)) /* results of a failed run are not comparable */
		return;
	r->n_runs++;
	for (unsigned i = 0; i < table->n_metrics; i++)
		add_figure(r, table->columns[i].name, table->columns[i].unit, row->values[i]);
	for (unsigned s = 0; s < table->n_sources; s++)
		if (row->sums[s])
			add_events(r, &table->sources[s], row->sums[s]);
	add_figure(r, "elapsed", seconds, (double)(c->end_ns - c->begin_ns) * 1e-9);
	if (c->n_parts)
		add_figure(r, "counted", seconds, (double)c->counted_ns * 1e-9);
	add_figure(r, "user", seconds, (double)c->user_ns * 1e-9);
	add_figure(r, "system", seconds, (double)c->system_ns * 1e-9);
}

const struct export_format export_totals = {.name = "totals", .row = totals_row};

/* ---- printing figures with known values ---- */

/* Return the standard deviation of n runs in percent; NaN for a single one, and for a mean of 0. */
static double deviation_percent(const struct figure *f)
{
	return f->n < 2 || f->mean == 0 ? (double)NAN
					: real_root(f->squares / (f->n - 1)) / fabs(f->mean) * 100;
}

/* Format counts in full, so that runs can be compared; other values with three decimals. */
static char *figure_text(char text[UNITS_TEXT], const struct figure *f, double value)
{
	if (!f->n)
		snprintf(text, UNITS_TEXT, "-");
	else if (f->unit->kind == UNIT_COUNT)
		count_format(text, (uint64_t)(value + 0.5));
	else
		snprintf(text, UNITS_TEXT, "%.3f", value);
	return text;
}

static void print_figure(const struct figure *f, int width, struct strbuf *out)
{
	char mean[UNITS_TEXT], deviation[UNITS_TEXT] = "-", low[UNITS_TEXT], high[UNITS_TEXT];

	if (isfinite(deviation_percent(f)))
		snprintf(deviation, sizeof(deviation), "%.2f", deviation_percent(f));
	strbuf_printf(out, "%-*s  %20s %-4s  %8s  %20s  %20s\n", width, f->name,
		      figure_text(mean, f, f->mean), f->unit->symbol, deviation, figure_text(low, f, f->min),
		      figure_text(high, f, f->max));
}

static void print_table(const struct export_repeat *r, const char *command, unsigned warmup,
			struct strbuf *out)
{
	int width = (int)strlen("name");

	for (unsigned i = 0; i < r->n; i++)
		if ((int)strlen(r->figures[i].name) > width)
			width = (int)strlen(r->figures[i].name);
	strbuf_printf(out, "%s: %u run%s", command, r->n_runs, plural_ending(r->n_runs));
	if (warmup)
		strbuf_printf(out, ", after %u to warm up", warmup);
	strbuf_printf(out, "\n\n%-*s  %20s %-4s  %8s  %20s  %20s\n", width, "name", "mean", "unit", "sd %",
		      "min", "max");
	for (unsigned i = 0; i < r->n; i++)
		if (r->figures[i].n)
			print_figure(&r->figures[i], width, out);
}

static void print_csv(const struct export_repeat *r, struct strbuf *out)
{
	strbuf_str(out, "name,unit,runs,mean,sd_percent,min,max" CSV_EOL);
	for (unsigned i = 0; i < r->n; i++) {
		const struct figure *f = &r->figures[i];
		const double numbers[] = {f->mean, deviation_percent(f), f->min, f->max};
		char text[NUMBER_TEXT];

		if (!f->n)
			continue;
		csv_field(out, f->name);
		strbuf_printf(out, ",%s,%u", f->unit->name, f->n);
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++)
			strbuf_printf(out, ",%s", number_shortest(text, numbers[k]));
		strbuf_str(out, CSV_EOL);
	}
}

static void print_jsonl(const struct export_repeat *r, const char *command, unsigned warmup,
			struct strbuf *out)
{
	json_put(out, "{\"command\":%s,\"runs\":%u,\"warmup\":%u}\n", command, r->n_runs, warmup);
	for (unsigned i = 0; i < r->n; i++) {
		const struct figure *f = &r->figures[i];

		if (f->n)
			json_put(out,
				 "{\"name\":%s,\"unit\":%s,\"runs\":%u,\"mean\":%g,\"sd_percent\":%g,"
				 "\"min\":%g,\"max\":%g}\n",
				 f->name, f->unit->name, f->n, f->mean, deviation_percent(f), f->min, f->max);
	}
}

void export_repeat_print(const struct export_repeat *repeat, enum output_format format, const char *command,
			 unsigned warmup, struct strbuf *out)
{
	if (format == FORMAT_CSV)
		print_csv(repeat, out);
	else if (format == FORMAT_JSONL)
		print_jsonl(repeat, command, warmup, out);
	else
		print_table(repeat, command, warmup, out);
}
