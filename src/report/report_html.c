/* The page of one log. */
#include "report/report_html.h"

#include "base/alloc.h"
#include "base/real.h"
#include "model/template.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "<td class=n>" for a number, "<td>" for words; closed by put_end. */
void report_cell(struct strbuf *out, bool number)
{
	strbuf_str(out, number ? "<td class=\"n\">" : "<td>");
}

void report_bar(struct strbuf *out, double share, const char *class)
{
	strbuf_printf(out,
		      "<td class=\"br sm\"><svg class=\"b %s\" viewBox=\"0 0 100 10\" "
		      "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"%.1f\" "
		      "height=\"10\"/></svg>",
		      class, isfinite(share) ? real_max(0, real_min(share, 1)) * 100 : 0);
}

void report_row_open(struct strbuf *out, const char *title)
{
	strbuf_str(out, "<tr><th scope=\"row\">");
	html_text(out, title);
}

void report_row_close(struct strbuf *out)
{
	strbuf_str(out, "</tr>");
}

/* ---- findings ---- */

static void put_finding(const struct report_log *log, const struct judge_rank *rank, struct strbuf *out)
{
	const struct judged *f = rank->f;
	const struct judge *judge = report_judge(log);
	AUTO_STRBUF struct strbuf where = {0}, limit = {0};

	report_where(log, f, false, 3, &where);
	report_limit(f, &limit);
	report_worth(log, rank, &limit);
	strbuf_str(out, "<tr id=\"");
	html_id(out, "f-", f->def->name);
	strbuf_str(out, "\"><th scope=\"row\">");
	html_text(out, f->def->title);
	strbuf_printf(out, "<small class=\"sev\">%s</small>", finding_severity_names[rank->severity]);
	report_cell(out, false);
	html_text(out, limit.p);
	strbuf_str(out, "<small>");
	html_span(out, finding_text(f->def->says, judge->product));
	strbuf_str(out, "</small>");
	report_cell(out, false);
	html_text(out, where.n ? where.p : "");
	report_cell(out, false);
	html_span(out, finding_text(f->def->advice, judge->product));
	report_cell(out, false);
	html_span(out, finding_guide(judge->db, f->def, judge->product));
	report_row_close(out);
}

static void put_findings(const struct report_log *log, const struct judge_rank *held, unsigned n,
			 struct strbuf *out)
{
	report_heading("findings", "Findings", out);
	strbuf_printf(out,
		      "<p class=\"note\">%u of %u checks were beyond their limit; the most useful change "
		      "first.</p>",
		      n, report_judge(log)->n_findings);
	if (!n)
		return;
	strbuf_str(out, "<table class=\"cards\">");
	report_head((const char *const[]){"finding", "evidence", "held", "what to do", "guide", NULL}, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < n; i++)
		put_finding(log, &held[i], out);
	strbuf_str(out, "</tbody></table>");
}

/* Of --budget: every line, with pass or fail. */
static void put_budget(const struct report_log *log, struct strbuf *out)
{
	const struct judge *judge = report_judge(log);

	report_heading("budget", "Budget", out);
	strbuf_str(out, "<table>");
	report_head((const char *const[]){"line", "result", "#mean", "#limit", "#beyond it for", NULL}, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];

		strbuf_str(out, "<tr id=\"");
		html_id(out, "f-", f->def->name);
		strbuf_str(out, "\"><th scope=\"row\">");
		html_text(out, f->def->title);
		report_cell(out, false);
		strbuf_str(out, f->held_s > 0 ? "<span class=\"bad\">fail</span>"
					      : "<span class=\"good\">pass</span>");
		report_cell(out, true);
		html_number(out, &f->number, f->held_s > 0 ? f->mean : f->number.value);
		report_cell(out, true);
		html_number(out, &f->number, f->limit);
		report_cell(out, true);
		html_seconds(out, f->held_s);
		report_row_close(out);
	}
	strbuf_str(out, "</tbody></table>");
}

/* ---- plots ---- */

static bool put_chart(const struct report_log *log, const struct chart *chart, struct strbuf *out)
{
	struct report_plot plot;

	if (strcmp(chart->widget->name, "funnel") == 0)
		return report_funnel_html(log, chart, out);
	if (!report_plot_init(&plot, log, chart))
		return false;
	report_plot_html(&plot, out);
	report_plot_fini(&plot);
	return true;
}

/* Sections without a plot have no heading, but are named in *absent. */
static void put_views(const struct report_log *log, const struct views *views, struct strbuf *nav,
		      struct strbuf *absent, struct strbuf *out)
{
	for (unsigned i = 0; i < views->n_views; i++) {
		const struct view *view = &views->views[i];
		AUTO_STRBUF struct strbuf plots = {0};
		unsigned n = 0;

		for (unsigned k = 0; k < view->n_charts; k++)
			n += put_chart(log, &view->charts[k], &plots);
		if (!n) {
			strbuf_printf(absent, "%s%s: not in the log", absent->n ? "; " : "", view->title);
			continue;
		}
		strbuf_str(nav, "<a href=\"#");
		html_id(nav, "s-", view->name);
		strbuf_str(nav, "\">");
		html_text(nav, view->title);
		strbuf_str(nav, "</a>");
		report_heading(view->name, view->title, out);
		strbuf_add(out, plots.p, plots.n);
	}
}

/* ---- the page ---- */

static void put_first(const struct report_log *log, const struct judge_rank *held, unsigned n,
		      struct strbuf *out)
{
	AUTO_STRBUF struct strbuf sentence = {0}, lead = {0};

	report_sentence(log, &sentence);
	report_lead(log, &lead);
	report_page_open(log, 1, sentence.p, out);
	strbuf_str(out, "<h1>");
	html_text(out, sentence.p);
	strbuf_str(out, "</h1><p class=\"lead\">");
	html_text(out, lead.n ? lead.p : "");
	strbuf_str(out, "</p>");
	if (log->missing.n) {
		strbuf_str(out, "<p class=\"note miss\">The log is not complete. ");
		html_text(out, log->missing.p);
		strbuf_str(out, "</p>");
	}
	strbuf_str(out, log->frames->times.n ? "<div class=\"two\">" : "<div>");
	report_put_changes(log, held, n, out);
	if (log->frames->times.n)
		report_put_frames(log, NULL, out);
	strbuf_str(out, "</div>");
	report_put_time(log, out);
	if (log->n_spans)
		report_put_verdicts(log, out);
}

static void put_nav(const struct report_log *log, const struct pass_table *passes, const char *views,
		    struct strbuf *out)
{
	strbuf_str(out, "<nav aria-label=\"Sections\">On this page: ");
	strbuf_str(out, log->session.options->budget ? "<a href=\"#s-budget\">Budget</a>" : "");
	strbuf_str(out, log->session.options->budget ? "" : "<a href=\"#s-findings\">Findings</a>");
	strbuf_str(out, views);
	strbuf_str(out, log->frames->times.n ? "<a href=\"#s-worst\">Worst frames</a>" : "");
	strbuf_str(out, passes->n ? "<a href=\"#s-passes\">Passes</a>" : "");
	strbuf_str(out, passes->n_regions ? "<a href=\"#s-regions\">Regions</a>" : "");
	strbuf_str(out, "<a href=\"#s-phases\">Phases</a>");
	strbuf_str(out, log->n_processes ? "<a href=\"#s-processes\">Processes</a>" : "");
	strbuf_str(out, log->functions.n ? "<a href=\"#s-functions\">Hot functions</a>" : "");
	strbuf_str(out, "<a href=\"#s-method\">Device and method</a><a href=\"#s-counters\">All counters</a>"
			"<span class=\"js\" hidden>In a plot: drag or + to zoom, arrows to move, Esc to go "
			"back.</span></nav>");
}

bool report_html(const struct report_log *log, struct strbuf *out, struct err *err)
{
	AUTO_STRBUF struct strbuf plots = {0}, nav = {0}, absent = {0};
	struct report_span all = report_all(log);
	const double *vector = report_passes_vector(log, &all);
	struct pass_table passes = {.n = 0};
	AUTOFREE struct judge_rank *held = NULL;
	struct views views;
	unsigned n;

	if (!report_views(log, &views, err))
		return false;
	strbuf_str(&nav, "");
	strbuf_str(&absent, "");
	put_views(log, &views, &nav, &absent, &plots);
	views_fini(&views);
	if (vector)
		pass_table_read(&passes, log->sets[SOURCE_PASSES], vector, &log->names);
	held = report_findings(log, &n);
	put_first(log, held, n, out);
	put_nav(log, &passes, nav.p, out);
	if (log->session.options->budget)
		put_budget(log, out);
	else
		put_findings(log, held, n, out);
	if (plots.n)
		strbuf_add(out, plots.p, plots.n);
	if (log->frames->times.n)
		report_put_worst(log, out);
	if (passes.n)
		report_put_passes(log, &passes, out);
	if (passes.n_regions)
		report_put_regions(&passes, out);
	report_put_phases(log, out);
	if (log->n_processes)
		report_put_processes(log, out);
	if (log->functions.n)
		report_put_functions(log, out);
	report_put_method(log, absent.p, out);
	report_put_counters(log, out);
	report_page_close(out);
	return true;
}
