/* Tables with a column for each side. */
#include "report/report_changes.h"
#include "report/report_html.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

void report_put_mean(const struct report_side *side, unsigned row, const struct report_mean *value,
		     struct strbuf *out)
{
	char text[UNITS_TEXT], deviation[UNITS_TEXT];

	report_cell(out, true);
	html_text(out, report_row_format(&side->runs[0], row, value->mean, text));
	if (report_side_deviation(side, row, value, deviation)[0]) {
		strbuf_str(out, " <small>");
		html_text(out, deviation);
		strbuf_str(out, "</small>");
	}
}

/* A heading of a table with a column for each side. */
static void put_side_heads(const struct report_side *sides, unsigned n, const char *first, const char *last,
			   struct strbuf *out)
{
	AUTOFREE const char **names = xcalloc(n + 3, sizeof(*names));
	struct strbuf *texts = xcalloc(n, sizeof(*texts));

	names[0] = first;
	for (unsigned i = 0; i < n; i++) {
		strbuf_str(&texts[i], n == 2 ? i ? "#now" : "#was" : "#");
		if (n > 2)
			report_side_name(&sides[i], &texts[i]);
		names[i + 1] = texts[i].p;
	}
	names[n + 1] = last;
	report_head(names, out);
	for (unsigned i = 0; i < n; i++)
		strbuf_fini(&texts[i]);
	free(texts);
}

static void put_column_rows(const struct report_side *sides, unsigned n, const char *phase,
			    struct strbuf *out)
{
	for (unsigned row = 0; row < report_rows(); row++) {
		AUTO_STRBUF struct strbuf cells = {0};

		if (!report_side_cells(sides, n, row, phase, report_put_mean, &cells))
			continue;
		report_row_open(out, report_row_title(&sides[0].runs[0], row));
		strbuf_add(out, cells.p, cells.n);
		report_row_close(out);
	}
}

static void put_column_table(const struct report_side *sides, unsigned n, const char *phase,
			     struct strbuf *out)
{
	strbuf_str(out, "<div class=\"sc\"><table>");
	put_side_heads(sides, n, "", NULL, out);
	strbuf_str(out, "<tbody>");
	put_column_rows(sides, n, phase, out);
	strbuf_str(out, "</tbody></table></div>");
}

static bool all_have_phase(const struct report_side *sides, unsigned n, const char *phase)
{
	for (unsigned i = 0; i < n; i++)
		if (report_phase_named(&sides[i].runs[0], phase) < 0)
			return false;
	return true;
}

void report_put_columns(const struct report_side *sides, unsigned n, struct strbuf *out)
{
	const struct report_log *log = &sides[0].runs[0];

	report_heading("columns", "Side by side", out);
	put_column_table(sides, n, NULL, out);
	for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++) {
		if (!all_have_phase(sides, n, log->phases[i].name))
			continue;
		strbuf_str(out, "<details><summary>Phase: ");
		html_text(out, log->phases[i].name);
		strbuf_str(out, "</summary>");
		put_column_table(sides, n, log->phases[i].name, out);
		strbuf_str(out, "</details>");
	}
	report_heading("verdicts", "Verdicts", out);
	strbuf_str(out, "<p class=\"note\">Each over its own length; of several runs, the first.</p><figure "
			"class=\"pl\">");
	for (unsigned i = 0; i < n; i++) {
		strbuf_str(out, "<p class=\"say\">");
		html_text(out, sides[i].runs[0].name);
		strbuf_str(out, "</p>");
		report_band(&sides[i].runs[0], sides[i].runs[0].verdicts, "", out);
	}
	strbuf_str(out, "</figure>");
}

/* ---- findings ---- */

static const struct judged *finding_like(const struct report_log *log, const char *name)
{
	const struct judge *judge = report_judge(log);

	for (unsigned i = 0; i < judge->n_findings; i++)
		if (strcmp(judge->findings[i].def->name, name) == 0)
			return judge->findings[i].held_s > 0 ? &judge->findings[i] : NULL;
	return NULL;
}

/* What held on the last side is still there or new; else it is gone. */
static const char *finding_state(const struct report_side *sides, unsigned n, const char *name)
{
	return !finding_like(&sides[n - 1].runs[0], name) ? "gone"
	       : finding_like(&sides[0].runs[0], name)    ? "still there"
							  : "new";
}

static void put_finding(const struct report_side *sides, unsigned n, const struct judged *f,
			struct strbuf *out)
{
	const struct report_log *last = &sides[n - 1].runs[0];

	report_row_open(out, f->def->title);
	for (unsigned i = 0; i < n; i++) {
		const struct judged *like = finding_like(&sides[i].runs[0], f->def->name);

		report_cell(out, true);
		if (like) {
			html_number(out, &like->number, like->mean);
			strbuf_str(out, " <small>");
			html_seconds(out, like->held_s);
			strbuf_str(out, "</small>");
		} else {
			strbuf_str(out, "–");
		}
	}
	report_cell(out, false);
	if (n == 2)
		strbuf_printf(out, "%s", finding_state(sides, n, f->def->name));
	if (finding_like(last, f->def->name)) {
		strbuf_str(out, n == 2 ? ": " : "");
		html_span(out, finding_text(f->def->advice, report_judge(last)->product));
	}
	report_row_close(out);
}

/* Each finding once: that of the first side that has it, the last side before the others. */
void report_put_side_findings(const struct report_side *sides, unsigned n, struct strbuf *out)
{
	report_heading("findings", "Findings", out);
	strbuf_str(out, "<p class=\"note\">The mean while it held, and for how long.</p><div "
			"class=\"sc\"><table>");
	put_side_heads(sides, n, "finding", n == 2 ? "what became of it" : "what to do in the last", out);
	strbuf_str(out, "<tbody>");
	for (unsigned k = 0; k < n; k++) {
		unsigned side = k == 0 ? n - 1 : k - 1, n_held;
		AUTOFREE struct judge_rank *held = report_findings(&sides[side].runs[0], &n_held);

		for (unsigned i = 0; i < n_held; i++) {
			const char *name = held[i].f->def->name;
			bool is_told = k > 0 && finding_like(&sides[n - 1].runs[0], name);

			for (unsigned j = 0; j < side && k > 0; j++)
				is_told = is_told || finding_like(&sides[j].runs[0], name);
			if (!is_told)
				put_finding(sides, n, held[i].f, out);
		}
	}
	strbuf_str(out, "</tbody></table></div>");
}

/* ---- passes and functions ---- */

#define SHARE_LEAST 1 /* percent of a function, on one side at least */

struct side_row {
	char name[HOT_NAME_TEXT];
	double rise; /* from the first side to the last; without one of them, 0 */
};

struct side_rows {
	struct side_row *list;
	unsigned n, cap;
};

/* What has a row for each name, and a column for each side. */
struct side_table {
	const char *id, *title, *note, *first, *unit;
	int digits;
	void (*add)(const struct report_log *log, struct side_rows *rows);
	double (*value)(const struct report_log *log, const char *name); /* NaN: it has none */
};

static void add_row(struct side_rows *rows, const char *name)
{
	for (unsigned i = 0; i < rows->n; i++)
		if (strcmp(rows->list[i].name, name) == 0)
			return;
	GROW(rows->list, rows->n, rows->cap);
	rows->list[rows->n] = (struct side_row){.rise = 0};
	snprintf(rows->list[rows->n++].name, sizeof(rows->list->name), "%s", name);
}

static void read_passes(const struct report_log *log, struct pass_table *table)
{
	const struct report_span all = report_all(log);
	const double *vector = report_passes_vector(log, &all);

	*table = (struct pass_table){.n = 0};
	if (vector)
		pass_table_read(table, log->sets[SOURCE_PASSES], vector, &log->names);
}

static void add_passes(const struct report_log *log, struct side_rows *rows)
{
	struct pass_table table;

	read_passes(log, &table);
	for (unsigned i = 0; i < table.n; i++)
		add_row(rows, table.lines[i].name);
}

static double pass_ms(const struct report_log *log, const char *name)
{
	struct pass_table table;

	read_passes(log, &table);
	for (unsigned i = 0; i < table.n; i++)
		if (strcmp(table.lines[i].name, name) == 0)
			return table.lines[i].ms;
	return NAN;
}

static void add_functions(const struct report_log *log, struct side_rows *rows)
{
	char text[HOT_NAME_TEXT];

	for (unsigned i = 0; i < log->functions.n; i++) {
		const struct hot_row *row = &log->functions.rows[i];

		hot_function_text(&log->hot.functions[row->function], text, sizeof(text));
		if (row->self * 100 >= SHARE_LEAST && row->count >= HOT_FEW)
			add_row(rows, text);
	}
}

/* In a log that was sampled, a function without samples has none of the time. */
static double function_percent(const struct report_log *log, const char *name)
{
	char text[HOT_NAME_TEXT];
	double sum = 0;

	for (unsigned i = 0; i < log->functions.n; i++) {
		const struct hot_row *row = &log->functions.rows[i];

		hot_function_text(&log->hot.functions[row->function], text, sizeof(text));
		sum += strcmp(text, name) == 0 ? row->self * 100 : 0;
	}
	return log->functions.count ? sum : (double)NAN;
}

static const struct side_table side_tables[] = {
	{"passes", "Passes",
	 "GPU time of a frame by pass, overlaps divided evenly; what became slower first.", "pass", "ms", 2,
	 add_passes, pass_ms},
	{"functions", "Hot functions",
	 "Shares of the samples, by themselves; what grew first. Of a log that was not sampled: unknown.",
	 "function", "%", 1, add_functions, function_percent},
};

static struct report_mean side_value(const struct side_table *t, const struct report_side *side,
				     const char *name)
{
	AUTOFREE double *values = xcalloc(side->n, sizeof(*values));

	for (unsigned i = 0; i < side->n; i++)
		values[i] = t->value(&side->runs[i], name);
	return report_mean_of(values, side->n);
}

static int compare_rises(const void *a, const void *b)
{
	const struct side_row *x = a, *y = b;

	return (x->rise < y->rise) - (x->rise > y->rise);
}

static void put_side_row(const struct side_table *t, const struct report_side *sides, unsigned n,
			 const struct side_row *row, struct strbuf *out)
{
	struct report_mean was = side_value(t, &sides[0], row->name),
			   now = side_value(t, &sides[n - 1], row->name);

	report_row_open(out, row->name);
	for (unsigned i = 0; i < n; i++) {
		struct report_mean value = side_value(t, &sides[i], row->name);

		report_cell(out, true);
		if (value.n)
			strbuf_printf(out, "%.*f %s", t->digits, value.mean, t->unit);
		else
			strbuf_str(out, "–");
		if (isfinite(value.deviation))
			strbuf_printf(out, " <small>± %.*f</small>", t->digits, value.deviation);
	}
	report_cell(out, true);
	if (!was.n || !now.n)
		return;
	strbuf_printf(out, "%s%.*f %s", now.mean < was.mean ? "−" : "+", t->digits, fabs(now.mean - was.mean),
		      t->unit);
}

static void put_side_table(const struct side_table *t, const struct report_side *sides, unsigned n,
			   struct strbuf *out)
{
	struct side_rows rows = {0};

	for (unsigned i = 0; i < n; i++)
		t->add(&sides[i].runs[0], &rows);
	for (unsigned i = 0; i < rows.n; i++) {
		double rise = side_value(t, &sides[n - 1], rows.list[i].name).mean -
			      side_value(t, &sides[0], rows.list[i].name).mean;

		rows.list[i].rise = isfinite(rise) ? rise : 0;
	}
	if (rows.n) {
		qsort(rows.list, rows.n, sizeof(*rows.list), compare_rises);
		report_heading(t->id, t->title, out);
		strbuf_printf(out, "<p class=\"note\">%s</p><div class=\"sc\"><table>", t->note);
		put_side_heads(sides, n, t->first, n == 2 ? "#change" : "#last against first", out);
		strbuf_str(out, "<tbody>");
		for (unsigned i = 0; i < rows.n; i++) {
			put_side_row(t, sides, n, &rows.list[i], out);
			report_row_close(out);
		}
		strbuf_str(out, "</tbody></table></div>");
	}
	free(rows.list);
}

void report_put_side_tables(const struct report_side *sides, unsigned n, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(side_tables); i++)
		put_side_table(&side_tables[i], sides, n, out);
}
