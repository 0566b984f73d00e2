/* The text of one log for a ticket, as GitHub and GitLab show it. */
#include "report/report_page.h"

#include "base/alloc.h"
#include "base/put.h"
#include "base/real.h"

#include <math.h>
#include <string.h>

#define SPARK_CELLS 40
#define FUNCTIONS 5
#define WORST 5

/* Append a text, with characters escaped that Markdown or HTML would interpret. */
static void md_text(struct strbuf *out, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 1;
	AUTOFREE char *printable = xmalloc(size);

	str_printable(printable, size, text ? text : "");
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

/* Append Markdown whose %s are escaped by md_text. */
static void __attribute__((format(printf, 2, 3))) md_put(struct strbuf *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_format(out, md_text, NULL, fmt, ap);
	va_end(ap);
}

/* End the row of headings above n columns of numbers. */
static void end_heads(unsigned n, struct strbuf *out)
{
	strbuf_str(out, "\n| :-- |");
	while (n--)
		strbuf_str(out, " --: |");
	strbuf_str(out, "\n");
}

/* Write the table with a column for each phase, if there are several, and for the whole log. */
static void put_phases(const struct report_log *log, struct strbuf *out)
{
	unsigned first = log->n_phases > 1 ? 0 : log->n_phases;

	strbuf_str(out, "\n| |");
	for (unsigned i = first; i <= log->n_phases; i++)
		md_put(out, " %s |", log->phases[i].name);
	end_heads(log->n_phases - first + 1, out);
	for (unsigned row = 0; row < report_rows(); row++) {
		if (isnan(report_row_value(log, row, log->n_phases)))
			continue;
		strbuf_printf(out, "| %s |", report_row_title(log, row));
		for (unsigned i = first; i <= log->n_phases; i++)
			strbuf_printf(out, " %s |",
				      report_row_format(log, row, report_row_value(log, row, i), TEXT));
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
		const struct finding_def *def = held[i].f->def;

		report_reason(log, &held[i], 2, &limit, &where);
		strbuf_printf(out, "%u. **%s** (%s): ", i + 1, def->title,
			      finding_severity_names[held[i].severity]);
		md_put(out, "%s%s%s. %.*s\n", limit.p, where.n ? "; " : "", where.p,
		       SPAN_ARG(finding_text(def->advice, judge->product)));
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
		if (f->held_s > 0)
			md_put(out, "| %s | **fail** | %s |\n", f->def->title, limit.p);
		else
			md_put(out, "| %s | pass |  |\n", f->def->title);
	}
}

static void put_worst(const struct report_log *log, struct strbuf *out)
{
	const struct frame_facts *frames[WORST];
	unsigned n = log->frames ? report_late_frames(log, WORST, frames) : 0;
	char cause[FRAME_CAUSE_TEXT];

	if (!n)
		return;
	strbuf_str(out,
		   "\n| longest frames | at | ms | CPU | waits | passes | cause, ms beyond the median |\n"
		   "| :-- | --: | --: | --: | --: | --: | :-- |\n");
	for (unsigned i = 0; i < n; i++) {
		const struct frame_facts *w = frames[i];

		md_put(out, "| frame %.0f | %s | %.1f | %s | %s | %s | %s |\n", w->number,
		       report_seconds(TEXT, (double)(w->begin_ns - log->begin_ns) * 1e-9), w->ms,
		       report_ms(TEXT, w->cpu_ms), report_ms(TEXT, w->wait_ms + w->present_ms),
		       report_ms(TEXT, w->gpu_ms), frame_cause(log->frames, w, cause));
	}
}

static void put_functions(const struct report_log *log, struct strbuf *out)
{
	const struct hot_table *t = &log->functions;

	for (unsigned i = 0; i < t->n && i < FUNCTIONS; i++) {
		char text[HOT_NAME_TEXT];

		hot_function_text(&log->hot.functions[t->rows[i].function], text, sizeof(text));
		strbuf_str(out, i ? ", " : "\n**Hot functions**: ");
		md_put(out, "%s %.1f %% ± %.1f", text, t->rows[i].self * 100, t->rows[i].plus_minus * 100);
	}
	strbuf_str(out, t->n ? "\n" : "");
}

/* Write the first line of a plot in blocks of eight heights; a blank is a gap. */
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
	strbuf_printf(out, "%-24.24s %-16.16s ", plot->chart->title, line->label);
	for (unsigned i = 0; i < SPARK_CELLS; i++) {
		unsigned level = counts[i] && most > 0 ? (unsigned)(sums[i] / counts[i] / most * 7.99) : 0;
		char block[4];

		if (counts[i])
			strbuf_add(out, block, utf8_put(block, 0x2581 + level));
		else if (plot->log->n_steps >= SPARK_CELLS)
			strbuf_str(out, " ");
	}
	html_put(out, " to %s\n", report_value_text(TEXT, line->metric, most));
}

static bool put_sparks(const struct report_log *log, struct strbuf *out, struct err *err)
{
	struct views views;

	if (!report_views(log, &views, err))
		return false;
	strbuf_str(out, "\n```\n");
	for (unsigned i = 0; i < views.n_views; i++)
		for (unsigned k = 0; k < views.views[i].n_charts; k++) {
			struct report_plot plot;

			if (!report_plot_init(&plot, log, &views.views[i].charts[k]))
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
	md_put(out, "**%s**\n\n%s\n", sentence.p, lead.p);
	if (log->missing.n)
		md_put(out, "\nThe log is not complete. %s\n", log->missing.p);
	if (log->session.options->budget)
		put_budget(log, out);
	else
		put_findings(log, out);
	put_worst(log, out);
	put_functions(log, out);
	put_phases(log, out);
	return put_sparks(log, out, err);
}

/* ---- several logs ---- */

static void put_mean(const struct report_side *side, unsigned row, const struct report_mean *value,
		     struct strbuf *out)
{
	strbuf_printf(out, " %s%s%s |", report_row_format(&side->runs[0], row, value->mean, TEXT),
		      isfinite(value->deviation) ? " " : "", report_side_deviation(side, row, value, TEXT));
}

static void put_two(const struct report_side *sides, const struct report_change *changes, unsigned n,
		    struct strbuf *out)
{
	strbuf_str(out, "| | phase | was | now | change | |\n| :-- | :-- | --: | --: | --: | :-- |\n");
	for (unsigned i = 0; i < n; i++) {
		const struct report_change *c = &changes[i];
		char text[32];

		strbuf_printf(out, "| %s |", report_row_title(&sides[1].runs[0], c->row));
		md_put(out, " %s |", c->phase ? c->phase : "whole log");
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
		md_put(out, " %s |", name.p);
	}
	end_heads(n, out);
	for (unsigned row = 0; row < report_rows(); row++) {
		AUTO_STRBUF struct strbuf cells = {0};

		if (report_side_cells(sides, n, row, NULL, put_mean, &cells))
			strbuf_printf(out, "| %s |%s\n", report_row_title(&sides[0].runs[0], row), cells.p);
	}
}

bool report_compare_markdown(const struct report_side *sides, unsigned n, struct strbuf *out, struct err *err)
{
	AUTOFREE struct report_change *changes = NULL;
	unsigned n_changes = report_changes(&sides[0], &sides[n - 1], &changes);
	AUTO_STRBUF struct strbuf sentence = {0};

	(void)err;
	report_side_sentence(sides, n, changes, n_changes, &sentence);
	md_put(out, "**%s**\n\n", sentence.p);
	if (n == 2)
		put_two(sides, changes, n_changes, out);
	else
		put_columns(sides, n, out);
	return true;
}
