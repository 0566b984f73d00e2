/* Functions that ran: a report on the samples in each function, the hottest first, and folded
 * stacks for flame graphs. */
#include "export/export_priv.h"

#include "base/json.h"
#include "base/alloc.h"
#include "hot/hot_table.h"

#include <math.h>
#include <stdio.h>

#define ROWS_MOST 30
#define SHARE_LEAST 0.001 /* least share for a row of its own in a report */
#define NAME_LEAST 24
#define NAME_MOST 60
#define TEXT 48

static const struct hot_scope everything;

static double value_of(const struct export_table *table, const char *name)
{
	const struct metric_set *set = table->hot_source->set;
	AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));
	const struct metric *metric = metric_find(set, span_of(name));

	metric_vector(set, table->hot_sum, vector);
	return metric ? metric_value(metric, vector) : NAN;
}

static void put_rows(const struct hot_profile *p, const struct hot_table *t, struct strbuf *out)
{
	unsigned n = 0; /* shown functions */
	int width = NAME_LEAST;
	char text[HOT_NAME_TEXT];

	for (; n < t->n && n < ROWS_MOST && t->rows[n].self >= SHARE_LEAST; n++) {
		hot_function_text(&p->functions[t->rows[n].function], text, sizeof(text));
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
		if (row->n_threads > 1)
			snprintf(threads, TEXT, "%u threads", row->n_threads);
		else
			snprintf(threads, TEXT, "%s", row->n_threads ? p->threads[row->thread].name : "");
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
	struct hot_table t;
	double given_up;

	if (!table->hot)
		return;
	given_up = value_of(table, "hot.given_up");
	hot_table_make(&t, table->hot, &everything);
	strbuf_printf(out, "\nhot functions: %s: %llu sample%s", table->hot_source->driver,
		      (unsigned long long)t.count, plural_ending(t.count));
	if (t.count)
		strbuf_printf(out, ", %.0f lost, cost %.2f %% of a CPU\n\n", value_of(table, "hot.lost"),
			      value_of(table, "hot.cost"));
	else
		strbuf_str(out, ": nothing ran long enough, or sampling it is not permitted\n");
	if (given_up > 0)
		strbuf_printf(
			out,
			"reading %.0f name%s or file%s was given up: too large; shown as linkers know them, "
			"or by address\n\n",
			given_up, plural_ending((uint64_t)given_up), plural_ending((uint64_t)given_up));
	if (t.count)
		put_rows(table->hot, &t, out);
	hot_table_fini(&t);
}

void export_hot_json(const struct export_table *table, struct strbuf *out)
{
	const struct hot_profile *p = table->hot;
	const char *driver = p ? table->hot_source->driver : ""; /* "cycles, 199 Hz per busy CPU" */
	struct hot_table t;

	if (!p)
		return;
	hot_table_make(&t, p, &everything);
	json_put(out,
		 "{\"hot\":{\"event\":%.*s,\"samples\":%llu,\"lost\":%g,\"cost_percent\":%g,\"functions\":[",
		 (int)strcspn(driver, ","), driver, (unsigned long long)t.count,
		 t.count ? value_of(table, "hot.lost") : 0,
		 t.count ? value_of(table, "hot.cost") : (double)NAN);
	for (unsigned i = 0; i < t.n; i++) {
		const struct hot_function *f = &p->functions[t.rows[i].function];
		char text[HOT_NAME_TEXT];

		hot_function_text(f, text, sizeof(text));
		strbuf_str(out, i ? "," : "");
		json_put(out, "{\"name\":%s,\"module\":%s,\"self\":%g,\"total\":%g,\"samples\":%llu}", text,
			 f->module, t.rows[i].self, t.rows[i].total, (unsigned long long)t.rows[i].count);
	}
	strbuf_str(out, "]}}\n");
	hot_table_fini(&t);
}

/* ---- stacks: a line each: the frames from the root on, separated by ';', and the number of
 * samples ---- */

static bool folded_check(const struct export_table *table, struct err *err)
{
	for (unsigned s = 0; s < table->n_sources; s++)
		if (table->sources[s].kind == SOURCE_HOT)
			return true;
	return err_set(err, 0, "folded: this log has no samples of running code: record it with --hot");
}

static void folded_end(const struct export_table *table, struct strbuf *out)
{
	hot_fold_stacks(table->hot, &everything, out);
}

const struct export_format export_folded = {
	.name = "folded", .raw = true, .hot = true, .check = folded_check, .end = folded_end};
