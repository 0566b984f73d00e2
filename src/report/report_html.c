/* The page of one log. */
#include "report/report_page.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- findings ---- */

static void put_finding(const struct report_log *log, const struct judge_rank *rank, struct strbuf *out)
{
	const struct finding_def *def = rank->f->def;
	const struct judge *judge = report_judge(log);
	AUTO_STRBUF struct strbuf where = {0}, limit = {0};

	report_reason(log, rank, 3, &limit, &where);
	strbuf_str(out, "<tr id=\"");
	html_id(out, "f-", def->name);
	html_put(out,
		 "\"><th scope=\"row\">%s<small class=\"sev\">%s</small><td>%s<small>%.*s</small>" WORDS
		 "<td>%.*s<td>%.*s" ROW_END,
		 def->title, finding_severity_names[rank->severity], limit.p,
		 SPAN_ARG(finding_text(def->says, judge->product)), where.p,
		 SPAN_ARG(finding_text(def->advice, judge->product)),
		 SPAN_ARG(finding_guide(judge->db, def, judge->product)));
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
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];
		bool failed = f->held_s > 0;

		strbuf_str(out, "<tr id=\"");
		html_id(out, "f-", f->def->name);
		html_put(out,
			 "\"><th scope=\"row\">%s<td><span class=\"%s\">%s</span>" NUMBER NUMBER NUMBER
				 ROW_END,
			 f->def->title, failed ? "bad" : "good", failed ? "fail" : "pass",
			 report_number_text(TEXT, &f->number, failed ? f->mean : f->number.value),
			 report_number_text(TEXT, &f->number, f->limit), report_seconds(TEXT, f->held_s));
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
		html_put(nav, "\">%s</a>", view->title);
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
	html_put(out, "<h1>%s</h1><p class=\"lead\">%s</p>", sentence.p, lead.p);
	if (log->missing.n)
		html_put(out, "<p class=\"note miss\">The log is not complete. %s</p>", log->missing.p);
	strbuf_str(out, log->frames->times.n ? "<div class=\"two\">" : "<div>");
	report_put_changes(log, held, n, out);
	if (log->frames->times.n)
		report_put_frames(log, NULL, out);
	strbuf_str(out, "</div>");
	report_put_time(log, NULL, NULL, out);
	if (log->n_spans)
		report_put_verdicts(log, out);
}

bool report_html(const struct report_log *log, struct strbuf *out, struct err *err)
{
	AUTO_STRBUF struct strbuf plots = {0}, nav = {0}, absent = {0};
	bool budget = log->session.options->budget, frames = log->frames->times.n;
	struct pass_table passes;
	AUTOFREE struct judge_rank *held = NULL;
	struct views views;
	unsigned n;

	if (!report_views(log, &views, err))
		return false;
	strbuf_str(&absent, "");
	put_views(log, &views, &nav, &absent, &plots);
	views_fini(&views);
	report_passes(log, log->n_phases, &passes);
	held = report_findings(log, &n);
	put_first(log, held, n, out);
	strbuf_printf(
		out,
		"<nav aria-label=\"Sections\">On this page: %s%s%s%s%s<a href=\"#s-phases\">Phases</a>%s%s",
		budget ? "<a href=\"#s-budget\">Budget</a>" : "<a href=\"#s-findings\">Findings</a>",
		nav.n ? nav.p : "", frames ? "<a href=\"#s-worst\">Worst frames</a>" : "",
		passes.n ? "<a href=\"#s-passes\">Passes</a>" : "",
		passes.n_regions ? "<a href=\"#s-regions\">Regions</a>" : "",
		log->n_processes ? "<a href=\"#s-processes\">Processes</a>" : "",
		log->functions.n ? "<a href=\"#s-functions\">Hot functions</a>" : "");
	strbuf_str(out, "<a href=\"#s-method\">Device and method</a><a href=\"#s-counters\">All counters</a>"
			"<span class=\"js\" hidden>In a plot: drag or + to zoom, arrows to move, Esc to go "
			"back.</span></nav>");
	if (budget)
		put_budget(log, out);
	else
		put_findings(log, held, n, out);
	strbuf_add(out, plots.p, plots.n);
	if (frames)
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
