/* The report on running code: the functions that samples fell into, the hottest first. */
#include "export/export_priv.h"

#include "base/json.h"
#include "base/alloc.h"
#include "hot/hot_table.h"

#include <math.h>
#include <stdio.h>

#define ROWS_MOST 30
#define SHARE_LEAST 0.001 /* of a row of its own, for people */
#define NAME_LEAST 24
#define NAME_MOST 60
#define TEXT 48

static double value_of(const struct export_table *table, const char *name)
{
	const struct metric_set *set = table->hot_source->set;
	AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));
	const struct metric *metric = metric_find(set, span_of(name));

	metric_vector(set, table->hot_sum, vector);
	return metric ? metric_value(metric, vector) : NAN;
}

/* "cycles" of "cycles, 199 Hz per busy CPU". */
static struct span event_of(const struct export_table *table)
{
	struct span rest = span_of(table->hot_source->driver);

	return span_until(&rest, ',');
}

static void format_threads(const struct hot_profile *p, const struct hot_row *row, char text[TEXT])
{
	if (row->n_threads > 1)
		snprintf(text, TEXT, "%u threads", row->n_threads);
	else
		snprintf(text, TEXT, "%s", row->n_threads ? p->threads[row->thread].name : "");
}

static unsigned count_shown(const struct hot_table *t)
{
	unsigned n = 0;

	while (n < t->n && n < ROWS_MOST && t->rows[n].self >= SHARE_LEAST)
		n++;
	return n;
}

static void put_rows(const struct hot_profile *p, const struct hot_table *t, struct strbuf *out)
{
	unsigned n = count_shown(t);
	int width = NAME_LEAST;
	char text[HOT_NAME_TEXT];

	for (unsigned i = 0; i < n; i++) {
		hot_function_text(&p->functions[t->rows[i].function], text, sizeof(text));
		width = (int)strlen(text) > width ? (int)strlen(text) : width;
	}
	width = width > NAME_MOST ? NAME_MOST : width;
	strbuf_printf(out, "%8s  %6s  %s%-*s  %-20s  thread\n", "self", "+-",
		      t->has_calls ? "   total  " : "", width, "function", "module");
	for (unsigned i = 0; i < n; i++) {
		const struct hot_row *row = &t->rows[i];
		const struct hot_function *f = &p->functions[row->function];
		bool few = row->count < HOT_FEW;
		char share[16], threads[TEXT];

		hot_function_text(f, text, sizeof(text));
		format_threads(p, row, threads);
		snprintf(share, sizeof(share), few ? "[%.1f]" : "%.1f", row->self * 100);
		strbuf_printf(out, "%6s %%  %4.1f %%  ", share, row->plus_minus * 100);
		if (t->has_calls)
			strbuf_printf(out, "%6.1f %%  ", row->total * 100);
		strbuf_printf(out, "%-*.*s  %-20.40s  %s", width, width, text, f->module, threads);
		strbuf_line_end(out);
	}
	if (n < t->n)
		strbuf_printf(out, "%8s  %6s  %s%u more\n", "", "", t->has_calls ? "          " : "",
			      t->n - n);
}

void export_hot(const struct export_table *table, struct strbuf *out)
{
	static const struct hot_scope all = {0};
	struct hot_table t;

	if (!table->hot)
		return;
	hot_table_make(&t, table->hot, &all);
	strbuf_printf(out, "\nhot functions: %s: %llu samples", table->hot_source->driver,
		      (unsigned long long)t.count);
	if (t.count)
		strbuf_printf(out, ", %.0f lost, cost %.2f %% of a CPU\n\n", value_of(table, "hot.lost"),
			      value_of(table, "hot.cost"));
	else
		strbuf_str(out, ": nothing ran long enough, or it may not be seen\n");
	if (t.count)
		put_rows(table->hot, &t, out);
	hot_table_fini(&t);
}

void export_hot_json(const struct export_table *table, struct strbuf *out)
{
	static const struct hot_scope all = {0};
	AUTOFREE char *event = table->hot ? span_dup(event_of(table)) : NULL;
	const struct hot_profile *p = table->hot;
	struct hot_table t;

	if (!p)
		return;
	hot_table_make(&t, p, &all);
	strbuf_str(out, "{\"hot\":{\"event\":");
	json_string(out, event);
	strbuf_printf(out, ",\"samples\":%llu,\"lost\":", (unsigned long long)t.count);
	json_number(out, t.count ? value_of(table, "hot.lost") : 0);
	strbuf_str(out, ",\"cost_percent\":");
	json_number(out, t.count ? value_of(table, "hot.cost") : (double)NAN);
	strbuf_str(out, ",\"functions\":[");
	for (unsigned i = 0; i < t.n; i++) {
		const struct hot_function *f = &p->functions[t.rows[i].function];
		char text[HOT_NAME_TEXT];

		hot_function_text(f, text, sizeof(text));
		strbuf_str(out, i ? ",{\"name\":" : "{\"name\":");
		json_string(out, text);
		strbuf_str(out, ",\"module\":");
		json_string(out, f->module);
		strbuf_str(out, ",\"self\":");
		json_number(out, t.rows[i].self);
		strbuf_str(out, ",\"total\":");
		json_number(out, t.rows[i].total);
		strbuf_printf(out, ",\"samples\":%llu}", (unsigned long long)t.rows[i].count);
	}
	strbuf_str(out, "]}}\n");
	hot_table_fini(&t);
}
