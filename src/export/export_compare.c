#include "export/export_session.h"

#include "export/export_priv.h"
#include "base/json.h"
#include "base/alloc.h"
#include "base/real.h"
#include "hot/hot_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOGS 2
#define SAME_CHANGE 0.1 /* percent or points: smaller changes are none in a text table */
/* Percentages near 0 double by chance, so add this to both before ranking. */
#define FLOOR_PERCENT 0.5

#define FUNCTION_LEAST 1.0 /* percent of all samples: functions with less in both logs are omitted */
#define FUNCTION "hot:"

/* A metric of both logs; counts that grow are per second. NaN: unknown, or not in that log. The
 * share of a function has a margin; smaller changes are none. */
struct compared {
	char *name;
	const struct unit *unit;
	bool rate;
	double value[LOGS], margin[LOGS];
};

struct export_compare {
	struct compared *rows;
	unsigned n, cap;
	unsigned log; /* the log whose total comes next */
	struct {
		char *name, *verdict, *source;
		double seconds;
		bool has_functions;
	} logs[LOGS];
};

struct export_compare *export_compare_new(void)
{
	return xcalloc(1, sizeof(struct export_compare));
}

void export_compare_free(struct export_compare *c)
{
	for (unsigned i = 0; c && i < c->n; i++)
		free(c->rows[i].name);
	for (unsigned i = 0; c && i < LOGS; i++) {
		free(c->logs[i].name);
		free(c->logs[i].verdict);
		free(c->logs[i].source);
	}
	if (c)
		free(c->rows);
	free(c);
}

void export_compare_end(struct export_compare *c, const char *name, const char *verdict)
{
	c->logs[c->log].name = xstrdup(name);
	c->logs[c->log].verdict = xstrdup(verdict);
	c->log++;
}

static struct compared *compared_of(struct export_compare *c, const char *name, const struct unit *unit,
				    bool rate)
{
	for (unsigned i = 0; c->log && i < c->n; i++)
		if (strcmp(c->rows[i].name, name) == 0)
			return &c->rows[i];
	GROW(c->rows, c->n, c->cap);
	c->rows[c->n] =
		(struct compared){.name = xstrdup(name), .unit = unit, .rate = rate, .value = {NAN, NAN}};
	return &c->rows[c->n++];
}

/* Add the shares of functions in all samples. Functions with the same name count together. */
static void compare_functions(struct export_compare *c, const struct hot_profile *p)
{
	static const struct hot_scope all = {0};
	struct hot_table t;

	hot_table_make(&t, p, &all);
	for (unsigned i = 0; i < t.n && t.count; i++) {
		const struct hot_function *f = &p->functions[t.rows[i].function];
		char text[HOT_NAME_TEXT];
		AUTOFREE char *name = NULL;
		struct compared *row;

		hot_function_text(f, text, sizeof(text));
		name = xasprintf(FUNCTION "%s (%s)", text, f->module);
		row = compared_of(c, name, unit_find(SPAN_LIT("percent")), false);
		row->value[c->log] =
			t.rows[i].self * 100 + (isfinite(row->value[c->log]) ? row->value[c->log] : 0);
		row->margin[c->log] = real_max(row->margin[c->log], t.rows[i].plus_minus * 100);
	}
	c->logs[c->log].has_functions = t.count != 0;
	hot_table_fini(&t);
}

/* Set functions that a sampled log lacks to 0. Omit those with a small share in both logs. */
static void finish_functions(struct export_compare *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++) {
		struct compared *r = &c->rows[i];
		bool is_function = strncmp(r->name, FUNCTION, strlen(FUNCTION)) == 0;

		for (unsigned k = 0; k < LOGS && is_function; k++)
			if (!isfinite(r->value[k]) && c->logs[k].has_functions)
				r->value[k] = 0;
		if (is_function && !(r->value[0] >= FUNCTION_LEAST) && !(r->value[1] >= FUNCTION_LEAST))
			free(r->name);
		else
			c->rows[n++] = *r;
	}
	c->n = n;
}

static void compared_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	struct export_compare *c = table->options->compare;
	const struct column *first = row->sums[table->first];

	(void)out;
	c->logs[c->log].source = xstrdup(table->sources[table->first].title);
	c->logs[c->log].seconds = first ? (double)first->time_ns * 1e-9 : 0;
	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *column = &table->columns[i];

		compared_of(c, column->name, column->unit, column->metric->grows)->value[c->log] =
			export_rate(column, row->values[i], row->sums[column->source]);
	}
	if (table->hot)
		compare_functions(c, table->hot);
}

const struct export_format export_compared = {.name = "compared", .hot = true, .row = compared_row};

/* ---- the order ---- */

/* Twice and half rank alike. Changes from or to 0 come first; unknown values (-1) come last. */
static double rank_of(const struct compared *r)
{
	double floor = r->unit->kind == UNIT_PERCENT ? FLOOR_PERCENT : 0;
	double a = fabs(r->value[0]) + floor, b = fabs(r->value[1]) + floor;

	return !isfinite(a) || !isfinite(b) ? -1 : a == b ? 0 : real_max(a / b, b / a);
}

static int compare_ranks(const void *a, const void *b)
{
	double x = rank_of(a), y = rank_of(b);

	return x != y ? (x < y) - (x > y)
		      : strcmp(((const struct compared *)a)->name, ((const struct compared *)b)->name);
}

/* ---- printing ---- */

static bool is_same(const struct compared *r)
{
	double margin = real_root(r->margin[0] * r->margin[0] + r->margin[1] * r->margin[1]);

	return r->value[0] == r->value[1] ||
	       fabs(unit_change(r->value[0], r->value[1], r->unit)) < SAME_CHANGE ||
	       fabs(r->value[1] - r->value[0]) < margin;
}

static bool is_known(const struct compared *r)
{
	return isfinite(r->value[0]) || isfinite(r->value[1]);
}

static void print_logs(const struct export_compare *c, struct strbuf *out)
{
	static const char *const sides[LOGS] = {"before", "after"};

	for (unsigned i = 0; i < LOGS; i++) {
		strbuf_printf(out, "%-8s%s: %s, %.1f s\n", sides[i], c->logs[i].name, c->logs[i].source,
			      c->logs[i].seconds);
		if (c->logs[i].verdict[0])
			strbuf_printf(out, "%-8s%s\n", "", c->logs[i].verdict);
	}
}

static void print_table(const struct export_compare *c, struct strbuf *out)
{
	int width = (int)strlen("name");
	unsigned same = 0;

	for (unsigned i = 0; i < c->n; i++)
		if (is_known(&c->rows[i]) && (int)strlen(c->rows[i].name) > width)
			width = (int)strlen(c->rows[i].name);
	print_logs(c, out);
	strbuf_printf(out, "\n%-*s  %12s  %12s  %10s\n", width, "name", "before", "after", "change");
	for (unsigned i = 0; i < c->n; i++) {
		const struct compared *r = &c->rows[i];
		char before[UNITS_TEXT], after[UNITS_TEXT], change[UNITS_TEXT];

		same += is_same(r);
		if (is_same(r) || !is_known(r))
			continue;
		unit_format(before, r->value[0], r->unit, r->rate, true);
		unit_format(after, r->value[1], r->unit, r->rate, true);
		unit_change_format(change, r->value[0], r->value[1], r->unit, true);
		strbuf_printf(out, "%-*s  %12s  %12s  %10s\n", width, r->name, before, after, change);
	}
	strbuf_printf(out, "\n%u metric%s changed by less than %.1f %%, or points (pt) of a percentage\n",
		      same, plural_ending(same), SAME_CHANGE);
}

static const char *unit_name(char text[UNITS_TEXT], const struct compared *r)
{
	snprintf(text, UNITS_TEXT, "%s%s", r->unit->name, r->rate ? " per second" : "");
	return text;
}

/* The change in percent of what it was, and in points: one of them is NaN. */
static void changes_of(double changes[2], const struct compared *r)
{
	bool points = r->unit->kind == UNIT_PERCENT;

	changes[points] = unit_change(r->value[0], r->value[1], r->unit);
	changes[!points] = (double)NAN;
}

static void print_csv(const struct export_compare *c, struct strbuf *out)
{
	strbuf_str(out, "name,unit,before,after,change_percent,change_points" CSV_EOL);
	for (unsigned i = 0; i < c->n; i++) {
		const struct compared *r = &c->rows[i];
		double numbers[] = {r->value[0], r->value[1], 0, 0};
		char text[NUMBER_TEXT], unit[UNITS_TEXT];

		changes_of(numbers + 2, r);
		csv_field(out, r->name);
		strbuf_printf(out, ",%s", unit_name(unit, r));
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++)
			strbuf_printf(out, ",%s",
				      isfinite(numbers[k]) ? number_shortest(text, numbers[k]) : "");
		strbuf_str(out, CSV_EOL);
	}
}

static void json_log(const struct export_compare *c, unsigned log, const char *side, struct strbuf *out)
{
	json_put(out, "%s:{\"log\":%s,\"source\":%s,\"seconds\":%g,\"verdict\":%s}", side, c->logs[log].name,
		 c->logs[log].source, c->logs[log].seconds, c->logs[log].verdict);
}

static void print_jsonl(const struct export_compare *c, struct strbuf *out)
{
	strbuf_str(out, "{");
	json_log(c, 0, "before", out);
	strbuf_str(out, ",");
	json_log(c, 1, "after", out);
	strbuf_str(out, "}\n");
	for (unsigned i = 0; i < c->n; i++) {
		const struct compared *r = &c->rows[i];
		char unit[UNITS_TEXT];
		double changes[2];

		changes_of(changes, r);
		json_put(out,
			 "{\"name\":%s,\"unit\":%s,\"before\":%g,\"after\":%g,\"change_percent\":%g,"
			 "\"change_points\":%g}\n",
			 r->name, unit_name(unit, r), r->value[0], r->value[1], changes[0], changes[1]);
	}
}

void export_compare_print(struct export_compare *c, enum output_format format, struct strbuf *out)
{
	finish_functions(c);
	if (c->n)
		qsort(c->rows, c->n, sizeof(*c->rows), compare_ranks);
	if (format == FORMAT_CSV)
		print_csv(c, out);
	else if (format == FORMAT_JSONL)
		print_jsonl(c, out);
	else
		print_table(c, out);
}
