/* Tables with a column for each side. */
#include "report/report_page.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

void report_put_mean(const struct report_side *side, unsigned row, const struct report_mean *value,
		     struct strbuf *out)
{
	html_put(out, NUMBER, report_row_format(&side->runs[0], row, value->mean, TEXT));
	if (isfinite(value->deviation))
		html_put(out, " <small>%s</small>", report_side_deviation(side, row, value, TEXT));
}

/* Write the heading of a table with a column for each side. */
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

static void put_column_table(const struct report_side *sides, unsigned n, const char *phase,
			     struct strbuf *out)
{
	strbuf_str(out, "<div class=\"sc\"><table>");
	put_side_heads(sides, n, "", NULL, out);
	for (unsigned row = 0; row < report_rows(); row++) {
		AUTO_STRBUF struct strbuf cells = {0};

		if (!report_side_cells(sides, n, row, phase, report_put_mean, &cells))
			continue;
		html_put(out, ROW, report_row_title(&sides[0].runs[0], row));
		strbuf_printf(out, "%s" ROW_END, cells.p);
	}
	strbuf_str(out, TABLE_END);
}

void report_put_columns(const struct report_side *sides, unsigned n, struct strbuf *out)
{
	const struct report_log *log = &sides[0].runs[0];

	report_heading("columns", "Side by side", out);
	put_column_table(sides, n, NULL, out);
	for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++) {
		bool all_have = true;
		unsigned at;

		for (unsigned k = 0; k < n; k++)
			all_have &= report_phase_named(&sides[k].runs[0], log->phases[i].name, &at);
		if (!all_have)
			continue;
		html_put(out, "<details><summary>Phase: %s</summary>", log->phases[i].name);
		put_column_table(sides, n, log->phases[i].name, out);
		strbuf_str(out, "</details>");
	}
	report_heading("verdicts", "Verdicts", out);
	strbuf_str(out, "<p class=\"note\">Each over its own length; of several runs, the first.</p><figure "
			"class=\"pl\">");
	for (unsigned i = 0; i < n; i++) {
		html_put(out, "<p class=\"say\">%s</p>", sides[i].runs[0].name);
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

/* Write a finding. If it held on the last side, it is "still there" or "new", otherwise "gone". */
static void put_finding(const struct report_side *sides, unsigned n, const struct finding_def *def,
			struct strbuf *out)
{
	const struct report_log *last = &sides[n - 1].runs[0];
	bool held = finding_like(last, def->name);

	html_put(out, ROW, def->title);
	for (unsigned i = 0; i < n; i++) {
		const struct judged *like = finding_like(&sides[i].runs[0], def->name);

		if (like)
			html_put(out, NUMBER " <small>%s</small>",
				 report_number_text(TEXT, &like->number, like->mean),
				 report_seconds(TEXT, like->held_s));
		else
			html_put(out, NUMBER, "–");
	}
	strbuf_printf(out, "<td>%s%s",
		      n != 2                                       ? ""
		      : !held                                      ? "gone"
		      : finding_like(&sides[0].runs[0], def->name) ? "still there"
								   : "new",
		      n == 2 && held ? ": " : "");
	if (held)
		html_put(out, "%.*s", SPAN_ARG(finding_text(def->advice, report_judge(last)->product)));
	strbuf_str(out, ROW_END);
}

/* Write each finding once: that of the first side that has it, where the last side comes first. */
void report_put_side_findings(const struct report_side *sides, unsigned n, struct strbuf *out)
{
	report_heading("findings", "Findings", out);
	strbuf_str(out, "<p class=\"note\">The mean while it held, and for how long.</p><div "
			"class=\"sc\"><table>");
	put_side_heads(sides, n, "finding", n == 2 ? "status" : "what to do in the last", out);
	for (unsigned k = 0; k < n; k++) {
		unsigned side = k == 0 ? n - 1 : k - 1, n_held;
		AUTOFREE struct judge_rank *held = report_findings(&sides[side].runs[0], &n_held);

		for (unsigned i = 0; i < n_held; i++) {
			const char *name = held[i].f->def->name;
			bool is_listed = k > 0 && finding_like(&sides[n - 1].runs[0], name);

			for (unsigned j = 0; j < side && k > 0; j++)
				is_listed = is_listed || finding_like(&sides[j].runs[0], name);
			if (!is_listed)
				put_finding(sides, n, held[i].f->def, out);
		}
	}
	strbuf_str(out, TABLE_END);
}

/* ---- passes and functions ---- */

#define SHARE_LEAST 1 /* percent of a function, on at least one side */

struct side_row {
	char name[HOT_NAME_TEXT];
	double rise; /* from the first side to the last; NaN if one of them lacks it */
};

struct side_rows {
	struct side_row *list;
	unsigned n, cap;
};

/* A table with a row for each name, and a column for each side. */
struct side_table {
	const char *id, *title, *note, *first, *unit;
	int digits;
	void (*add)(const struct report_log *log, struct side_rows *rows);
	double (*value)(const struct report_log *log, unsigned phase, const char *name); /* NaN: none */
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

static void add_passes(const struct report_log *log, struct side_rows *rows)
{
	struct pass_table table;

	report_passes(log, log->n_phases, &table);
	for (unsigned i = 0; i < table.n; i++)
		add_row(rows, table.lines[i].name);
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

/* In a log with samples, a function without samples has 0 percent. */
static double function_percent(const struct report_log *log, unsigned phase, const char *name)
{
	char text[HOT_NAME_TEXT];
	double sum = 0;

	(void)phase; /* the profile covers the whole log */
	for (unsigned i = 0; i < log->functions.n; i++) {
		const struct hot_row *row = &log->functions.rows[i];

		hot_function_text(&log->hot.functions[row->function], text, sizeof(text));
		sum += strcmp(text, name) == 0 ? row->self * 100 : 0;
	}
	return log->functions.count ? sum : (double)NAN;
}

static const struct side_table side_tables[] = {
	{"passes", "Passes", "GPU time of a frame by pass, overlaps divided evenly; largest slowdown first.",
	 "pass", "ms", 2, add_passes, report_pass_ms},
	{"functions", "Hot functions",
	 "Shares of the samples (self), largest growth first. Unknown for a log without samples.", "function",
	 "%", 1, add_functions, function_percent},
};

static struct report_mean side_value(const struct side_table *t, const struct report_side *side,
				     const char *name)
{
	AUTOFREE double *values = xcalloc(side->n, sizeof(*values));

	for (unsigned i = 0; i < side->n; i++)
		values[i] = t->value(&side->runs[i], side->runs[i].n_phases, name);
	return report_mean_of(values, side->n);
}

/* Compare rises; an unknown one counts as 0. */
static int compare_rises(const void *a, const void *b)
{
	double x = ((const struct side_row *)a)->rise, y = ((const struct side_row *)b)->rise;

	x = isfinite(x) ? x : 0;
	y = isfinite(y) ? y : 0;
	return (x < y) - (x > y);
}

static void put_side_row(const struct side_table *t, const struct report_side *sides, unsigned n,
			 const struct side_row *row, struct strbuf *out)
{
	html_put(out, ROW, row->name);
	for (unsigned i = 0; i < n; i++) {
		struct report_mean value = side_value(t, &sides[i], row->name);

		strbuf_str(out, "<td class=\"n\">");
		if (value.n)
			strbuf_printf(out, "%.*f %s", t->digits, value.mean, t->unit);
		else
			strbuf_str(out, "–");
		if (isfinite(value.deviation))
			strbuf_printf(out, " <small>± %.*f</small>", t->digits, value.deviation);
	}
	strbuf_str(out, "<td class=\"n\">");
	if (isfinite(row->rise))
		strbuf_printf(out, "%s%.*f %s", row->rise < 0 ? "−" : "+", t->digits, fabs(row->rise),
			      t->unit);
	strbuf_str(out, ROW_END);
}

static void put_side_table(const struct side_table *t, const struct report_side *sides, unsigned n,
			   struct strbuf *out)
{
	struct side_rows rows = {0};

	for (unsigned i = 0; i < n; i++)
		t->add(&sides[i].runs[0], &rows);
	for (unsigned i = 0; i < rows.n; i++)
		rows.list[i].rise = side_value(t, &sides[n - 1], rows.list[i].name).mean -
				    side_value(t, &sides[0], rows.list[i].name).mean;
	if (rows.n) {
		qsort(rows.list, rows.n, sizeof(*rows.list), compare_rises);
		report_heading(t->id, t->title, out);
		strbuf_printf(out, "<p class=\"note\">%s</p><div class=\"sc\"><table>", t->note);
		put_side_heads(sides, n, t->first, n == 2 ? "#change" : "#last against first", out);
		for (unsigned i = 0; i < rows.n; i++)
			put_side_row(t, sides, n, &rows.list[i], out);
		strbuf_str(out, TABLE_END);
	}
	free(rows.list);
}

void report_put_side_tables(const struct report_side *sides, unsigned n, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(side_tables); i++)
		put_side_table(&side_tables[i], sides, n, out);
}
