/* The text of one log for a ticket, as GitHub and GitLab show it. */
#include "report/report_changes.h"
#include "report/report_page.h"

#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPARK_CELLS 40
#define FUNCTIONS 5

/* Append a text without what Markdown or its HTML would read as more than text. */
static void md_text(struct strbuf *out, const char *text)
{
	char printable[1024];

	str_printable(printable, sizeof(printable), text);
	for (const char *p = printable; *p; p++) {
		if (*p == '<' || *p == '>' || *p == '&') {
			strbuf_str(out, *p == '<' ? "&lt;" : *p == '>' ? "&gt;" : "&amp;");
			continue;
		}
		if (strchr("\\`*_[]|#~@!", *p))
			strbuf_str(out, "\\");
		strbuf_add(out, p, 1);
	}
}

static void md_span(struct strbuf *out, struct span text)
{
	AUTOFREE char *copy = span_dup(text);

	md_text(out, copy);
}

static void put_heads(const struct report_log *log, struct strbuf *out)
{
	strbuf_str(out, "\n| |");
	for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++) {
		strbuf_str(out, " ");
		md_text(out, log->phases[i].name);
		strbuf_str(out, " |");
	}
	strbuf_str(out, " whole log |\n| :-- |");
	for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++)
		strbuf_str(out, " --: |");
	strbuf_str(out, " --: |\n");
}

static void put_phases(const struct report_log *log, struct strbuf *out)
{
	char text[UNITS_TEXT];

	put_heads(log, out);
	for (unsigned row = 0; row < report_rows(); row++) {
		if (isnan(report_row_value(log, row, -1)))
			continue;
		strbuf_printf(out, "| %s |", report_row_title(log, row));
		for (int i = log->n_phases > 1 ? 0 : -1; i <= (int)log->n_phases && i >= -1; i++) {
			double value = report_row_value(log, row, i < (int)log->n_phases ? i : -1);

			strbuf_printf(out, " %s |", report_row_format(log, row, value, text));
			if (i < 0)
				break;
		}
		strbuf_str(out, "\n");
	}
}

static void put_findings(const struct report_log *log, struct strbuf *out)
{
	unsigned n;
	AUTOFREE struct judge_rank *held = report_findings(log, &n);
	const struct judge *judge = report_judge(log);

	strbuf_printf(out, "\n**Findings** (%u of %u checks)\n\n", n, judge->n_findings);
	for (unsigned i = 0; i < n; i++) {
		AUTO_STRBUF struct strbuf where = {0}, limit = {0};

		report_where(log, held[i].f, false, 2, &where);
		report_limit(held[i].f, &limit);
		report_worth(log, &held[i], &limit);
		strbuf_printf(out, "%u. **%s** (%s): ", i + 1, held[i].f->def->title,
			      finding_severity_names[held[i].severity]);
		md_text(out, limit.p);
		strbuf_str(out, where.n ? "; " : "");
		md_text(out, where.n ? where.p : "");
		strbuf_str(out, ". ");
		md_span(out, finding_text(held[i].f->def->advice, judge->product));
		strbuf_str(out, "\n");
	}
}

static void put_budget(const struct report_log *log, struct strbuf *out)
{
	const struct judge *judge = report_judge(log);

	strbuf_str(out, "\n| budget | result | mean |\n| :-- | :-- | --: |\n");
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];
		AUTO_STRBUF struct strbuf limit = {0};

		report_limit(f, &limit);
		strbuf_str(out, "| ");
		md_text(out, f->def->title);
		strbuf_printf(out, " | %s | ", f->held_s > 0 ? "**fail**" : "pass");
		md_text(out, f->held_s > 0 ? limit.p : "");
		strbuf_str(out, " |\n");
	}
}

static void put_functions(const struct report_log *log, struct strbuf *out)
{
	const struct hot_table *t = &log->functions;

	for (unsigned i = 0; i < t->n && i < FUNCTIONS; i++) {
		char text[HOT_NAME_TEXT];

		hot_function_text(&log->hot.functions[t->rows[i].function], text, sizeof(text));
		strbuf_str(out, i ? ", " : "\n**Hot functions**: ");
		md_text(out, text);
		strbuf_printf(out, " %.1f %% ± %.1f", t->rows[i].self * 100, t->rows[i].plus_minus * 100);
	}
	strbuf_str(out, t->n ? "\n" : "");
}

/* The first line of a plot in blocks of eight heights; a blank is a gap. */
static void put_spark(const struct report_plot *plot, struct strbuf *out)
{
	const struct report_line *line = &plot->lines[0];
	double most = 0, sums[SPARK_CELLS] = {0};
	unsigned counts[SPARK_CELLS] = {0};

	for (unsigned i = 0; i < plot->log->n_steps; i++) {
		unsigned cell = i * SPARK_CELLS / plot->log->n_steps;

		if (!isfinite(line->values[i]))
			continue;
		sums[cell] += line->values[i];
		counts[cell]++;
		most = real_max(most, line->values[i]);
	}
	strbuf_printf(out, "%-24.24s %-16.16s ", plot->title, line->label);
	for (unsigned i = 0; i < SPARK_CELLS; i++) {
		unsigned level = counts[i] && most > 0 ? (unsigned)(sums[i] / counts[i] / most * 7.99) : 0;
		char block[4];

		if (counts[i])
			strbuf_add(out, block, utf8_put(block, 0x2581 + level));
		else if (plot->log->n_steps >= SPARK_CELLS)
			strbuf_str(out, " ");
	}
	strbuf_str(out, " to ");
	html_value(out, line->metric, most);
	strbuf_str(out, "\n");
}

static bool put_sparks(const struct report_log *log, struct strbuf *out, struct err *err)
{
	struct views views;

	if (!report_views(log, &views, err))
		return false;
	strbuf_str(out, "\n```\n");
	for (unsigned i = 0; i < views.n_views; i++)
		for (unsigned k = 0; k < views.views[i].n_charts; k++) {
			const struct chart *chart = &views.views[i].charts[k];
			struct report_plot plot;

			if (strcmp(chart->widget->name, "funnel") == 0 ||
			    !report_plot_init(&plot, log, chart))
				continue;
			put_spark(&plot, out);
			report_plot_fini(&plot);
		}
	strbuf_str(out, "```\n");
	views_fini(&views);
	return true;
}

bool report_markdown(const struct report_log *log, struct strbuf *out, struct err *err)
{
	AUTO_STRBUF struct strbuf sentence = {0}, lead = {0};

	report_sentence(log, &sentence);
	report_lead(log, &lead);
	strbuf_str(out, "**");
	md_text(out, sentence.p);
	strbuf_str(out, "**\n\n");
	md_text(out, lead.n ? lead.p : "");
	strbuf_str(out, "\n");
	if (log->missing.n) {
		strbuf_str(out, "\nThe log is not complete. ");
		md_text(out, log->missing.p);
		strbuf_str(out, "\n");
	}
	if (log->session.options->budget)
		put_budget(log, out);
	else
		put_findings(log, out);
	put_functions(log, out);
	put_phases(log, out);
	return put_sparks(log, out, err);
}

/* ---- several logs ---- */

static void put_mean(const struct report_side *side, unsigned row, const struct report_mean *value,
		     struct strbuf *out)
{
	char text[UNITS_TEXT], deviation[UNITS_TEXT];

	report_side_deviation(side, row, value, deviation);
	strbuf_printf(out, " %s%s%s |", report_row_format(&side->runs[0], row, value->mean, text),
		      deviation[0] ? " " : "", deviation);
}

static void put_two(const struct report_side *sides, const struct report_change *changes, unsigned n,
		    struct strbuf *out)
{
	strbuf_str(out, "| | phase | was | now | change | |\n| :-- | :-- | --: | --: | --: | :-- |\n");
	for (unsigned i = 0; i < n; i++) {
		const struct report_change *c = &changes[i];
		char text[32];

		strbuf_printf(out, "| %s | ", report_row_title(&sides[1].runs[0], c->row));
		md_text(out, c->phase ? c->phase : "whole log");
		strbuf_str(out, " |");
		put_mean(&sides[0], c->row, &c->was, out);
		put_mean(&sides[1], c->row, &c->now, out);
		strbuf_printf(out, " %s | %s |\n", report_change_text(c, text), report_change_word(c));
	}
}

static void put_columns(const struct report_side *sides, unsigned n, struct strbuf *out)
{
	strbuf_str(out, "| |");
	for (unsigned i = 0; i < n; i++) {
		AUTO_STRBUF struct strbuf name = {0};

		report_side_name(&sides[i], &name);
		strbuf_str(out, " ");
		md_text(out, name.p);
		strbuf_str(out, " |");
	}
	strbuf_str(out, "\n| :-- |");
	for (unsigned i = 0; i < n; i++)
		strbuf_str(out, " --: |");
	strbuf_str(out, "\n");
	for (unsigned row = 0; row < report_rows(); row++) {
		AUTO_STRBUF struct strbuf cells = {0};

		if (report_side_cells(sides, n, row, NULL, put_mean, &cells))
			strbuf_printf(out, "| %s |%s\n", report_row_title(&sides[0].runs[0], row), cells.p);
	}
}

void report_compare_markdown(const struct report_side *sides, unsigned n, struct strbuf *out)
{
	AUTOFREE struct report_change *changes = NULL;
	unsigned n_changes = report_changes(&sides[0], &sides[n - 1], &changes);
	AUTO_STRBUF struct strbuf sentence = {0};

	report_side_sentence(sides, n, changes, n_changes, &sentence);
	strbuf_str(out, "**");
	md_text(out, sentence.p);
	strbuf_str(out, "**\n\n");
	if (n == 2)
		put_two(sides, changes, n_changes, out);
	else
		put_columns(sides, n, out);
}
