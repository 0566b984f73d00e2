/* The page of two logs: what was, and what is now. With one run of each there is no deviation, so
 * it has numbers only and calls none better or worse. */
#include "report/report_page.h"

#include "base/alloc.h"
#include "base/real.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAME 0.02 /* a smaller change is none */

/* ---- the changes ---- */

/* The phase of the same name; a log of one phase is compared as a whole. */
static int phase_like(const struct report_log *was, const struct report_log *now, unsigned phase)
{
	for (unsigned i = 0; i < was->n_phases; i++)
		if (strcmp(was->phases[i].name, now->phases[phase].name) == 0)
			return (int)i;
	return -1;
}

static int compare_changes(const void *a, const void *b)
{
	const struct report_change *x = a, *y = b;

	if (x->group != y->group)
		return (x->group > y->group) - (x->group < y->group);
	return (x->share < y->share) - (x->share > y->share);
}

static bool fill_change(const struct report_log *was, const struct report_log *now, unsigned row, int before,
			int after, struct report_change *c)
{
	const char *minus;

	c->was = report_phase_value(was, row, before, c->was_text, sizeof(c->was_text));
	c->now = report_phase_value(now, row, after, c->now_text, sizeof(c->now_text));
	if (!isfinite(c->was) || !isfinite(c->now))
		return false;
	c->title = report_phase_title(now, row);
	c->phase = after < 0 ? "whole log" : now->phases[after].name;
	c->share = c->was != 0 ? (c->now - c->was) / c->was : c->now != 0 ? INFINITY : 0;
	c->group = fabs(c->share) < SAME ? 2 : !report_phase_costs(row);
	minus = c->share < 0 ? "−" : "+";
	if (fabs(c->share) < SAME)
		snprintf(c->change_text, sizeof(c->change_text), "no change");
	else if (isfinite(c->share))
		snprintf(c->change_text, sizeof(c->change_text), "%s%.1f %%", minus, fabs(c->share) * 100);
	else
		snprintf(c->change_text, sizeof(c->change_text), "new");
	return true;
}

unsigned report_changes(const struct report_log *was, const struct report_log *now,
			struct report_change **changes)
{
	unsigned n = 0, rows = report_phase_rows();

	*changes = xcalloc((size_t)rows * (REPORT_PHASES + 1), sizeof(**changes));
	for (unsigned row = 0; row < rows; row++) {
		for (unsigned i = 0; i < now->n_phases && now->n_phases > 1; i++) {
			int before = phase_like(was, now, i);

			n += before >= 0 && fill_change(was, now, row, before, (int)i, &(*changes)[n]);
		}
		n += fill_change(was, now, row, -1, -1, &(*changes)[n]);
	}
	if (n)
		qsort(*changes, n, sizeof(**changes), compare_changes);
	return n;
}

void report_change_sentence(const struct report_change *changes, unsigned n, struct strbuf *out)
{
	static const char *const titles[] = {"GPU needs per frame", "frame time p50"};

	for (size_t k = 0; k < ARRAY_LEN(titles); k++) {
		const struct report_change *most = NULL;

		for (unsigned i = 0; i < n; i++)
			if (strcmp(changes[i].title, titles[k]) == 0 &&
			    (!most || fabs(changes[i].now - changes[i].was) > fabs(most->now - most->was)))
				most = &changes[i];
		if (!most)
			continue;
		strbuf_printf(out, "%s, %s: %s, was %s (%s)", most->title, most->phase, most->now_text,
			      most->was_text, most->change_text);
		return;
	}
	strbuf_str(out, "Two logs without frames or GPU cycles in common");
}

static void put_changes(const struct report_change *changes, unsigned n, struct strbuf *out)
{
	report_heading("changes", "What changed", out);
	strbuf_str(out, "<p class=\"note\">Costs first, what rose most at the top. One run each: there is no "
			"deviation to tell a change "
			"from chance.</p><div class=\"sc\"><table>");
	report_head((const char *const[]){"", "phase", "#was", "#now", "#change", NULL}, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < n; i++) {
		strbuf_str(out, "<tr><th scope=\"row\">");
		html_text(out, changes[i].title);
		strbuf_str(out, "</th><td>");
		html_text(out, changes[i].phase);
		strbuf_printf(
			out,
			"</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>",
			changes[i].was_text, changes[i].now_text, changes[i].change_text);
	}
	strbuf_str(out, "</tbody></table></div>");
}

/* ---- plots over each other ---- */

/* The moment of the earlier log for a step of the later one: phases of one name start together. A
 * step for which there is none is -1. */
static long step_like(const struct report_log *was, const struct report_log *now, unsigned step)
{
	int64_t at_ns = now->begin_ns + (int64_t)step * now->step_ns + now->step_ns / 2;
	unsigned phase = now->n_phases - 1;
	int like;
	int64_t then_ns;

	while (phase > 0 && now->phases[phase].begin_ns > at_ns)
		phase--;
	like = phase_like(was, now, phase);
	if (like < 0)
		return -1;
	then_ns = was->phases[like].begin_ns + (at_ns - now->phases[phase].begin_ns);
	if (then_ns >= was->phases[like].end_ns)
		return -1;
	return (long)((then_ns - was->begin_ns) / was->step_ns);
}

/* Frame time and verdicts of both, on the time of the later one. */
static void put_time(const struct report_log *was, const struct report_log *now, struct strbuf *out)
{
	AUTOFREE double *median = xcalloc(now->n_steps, sizeof(*median));
	AUTOFREE const struct judged **verdicts = xcalloc(now->n_steps, sizeof(*verdicts));
	double budget_ms = now->session.fps > 0 ? 1000 / now->session.fps : (double)NAN;
	double most = real_max(times_at(&was->frames->times, 0.99), times_at(&now->frames->times, 0.99));
	double top = widget_nice_top(real_max(1.2 * most, 2 * budget_ms) / 1.1);
	char name[128];

	for (unsigned i = 0; i < now->n_steps; i++) {
		long step = step_like(was, now, i);
		bool known = step >= 0 && step < was->n_steps;

		median[i] = known ? was->median_ms[step] : (double)NAN;
		verdicts[i] = known ? was->verdicts[step] : NULL;
	}
	snprintf(name, sizeof(name), "Frame time: half of all frames took %.1f ms at most, was %.1f ms",
		 times_at(&now->frames->times, 0.5), times_at(&was->frames->times, 0.5));
	strbuf_str(out, "<figure class=\"pl\"><h3>Frame time and verdict <small>ms, medians</small></h3>");
	if (now->frames->times.n && was->frames->times.n)
		strbuf_printf(out, "<p class=\"say\">%s.</p>", name);
	report_phase_names(now, out);
	if (now->frames->times.n && was->frames->times.n) {
		strbuf_printf(out, "<div class=\"bx\" data-bottom=\"0\" data-top=\"%g\" data-unit=\"ms\">",
			      top);
		report_axis(0, top, 1, out);
		report_svg_open(now, name, 150, out);
		report_svg_path(now, now->median_ms, 0, top, "l s1", "now", NULL, false, out);
		report_svg_path(now, median, 0, top, "l was", "was", NULL, false, out);
		if (budget_ms < top)
			report_svg_limit(budget_ms / top, "budget", out);
		report_svg_close(out);
		strbuf_str(out,
			   "<ul class=\"lg\"><li class=\"s1\">now</li><li class=\"was\">was</li></ul></div>");
	}
	report_band(now, verdicts, "was", out);
	report_band(now, now->verdicts, "now", out);
	report_ticks(now, out);
	strbuf_str(out, "</figure>");
}

/* Add what was to the first line of a plot, and omit its other lines. */
static void add_was(const struct report_log *was, const struct report_plot *before, struct report_plot *plot)
{
	struct report_line *line = &plot->lines[0];

	line->was = xcalloc(plot->log->n_steps, sizeof(*line->was));
	for (unsigned i = 0; i < plot->log->n_steps; i++) {
		long step = step_like(was, plot->log, i);

		line->was[i] = step >= 0 && step < was->n_steps ? before->lines[0].values[step] : (double)NAN;
	}
	for (; plot->n > 1; plot->n--)
		free(plot->lines[plot->n - 1].values);
	plot->shape = REPORT_LINE;
}

static const struct chart *chart_like(const struct views *views, const char *view, const char *chart)
{
	for (unsigned i = 0; i < views->n_views; i++)
		for (unsigned k = 0; strcmp(views->views[i].name, view) == 0 && k < views->views[i].n_charts;
		     k++)
			if (strcmp(views->views[i].charts[k].name, chart) == 0)
				return &views->views[i].charts[k];
	return NULL;
}

/* Both plots must be of the same metric: another GPU counts other things. */
static void put_both(const struct report_log *was, const struct report_log *now, const struct chart *old,
		     const struct chart *chart, struct strbuf *out)
{
	struct report_plot plot, before;

	if (!old || strcmp(chart->widget->name, "funnel") == 0 || !report_plot_init(&before, was, old))
		return;
	if (report_plot_init(&plot, now, chart)) {
		if (strcmp(before.lines[0].metric->def->name, plot.lines[0].metric->def->name) == 0) {
			add_was(was, &before, &plot);
			report_plot_html(&plot, out);
		}
		report_plot_fini(&plot);
	}
	report_plot_fini(&before);
}

static bool put_plots(const struct report_log *was, const struct report_log *now, struct strbuf *out,
		      struct err *err)
{
	struct views views, old;

	if (!report_views(now, &views, err))
		return false;
	if (!report_views(was, &old, err)) {
		views_fini(&views);
		return false;
	}
	report_heading("where", "Where it changed", out);
	strbuf_str(out,
		   "<p class=\"note\">The first line of each plot. Phases of the same name start together; a "
		   "longer one is cut in the plot, not in the numbers.</p>");
	for (unsigned i = 0; i < views.n_views; i++)
		for (unsigned k = 0; k < views.views[i].n_charts; k++) {
			const struct chart *chart = &views.views[i].charts[k];

			put_both(was, now, chart_like(&old, views.views[i].name, chart->name), chart, out);
		}
	views_fini(&views);
	views_fini(&old);
	return true;
}

/* ---- findings ---- */

static const struct judged *finding_like(const struct report_log *log, const struct judged *f)
{
	const struct judge *judge = report_judge(log);

	for (unsigned i = 0; i < judge->n_findings; i++)
		if (strcmp(judge->findings[i].def->name, f->def->name) == 0)
			return judge->findings[i].held_s > 0 ? &judge->findings[i] : NULL;
	return NULL;
}

static void put_side(const struct judged *f, struct strbuf *out)
{
	strbuf_str(out, "</td><td class=\"n\">");
	if (f)
		html_number(out, &f->number, f->mean);
	else
		strbuf_str(out, "–");
	strbuf_str(out, "</td><td class=\"n\">");
	html_seconds(out, f ? f->held_s : (double)NAN);
}

static void put_finding(const struct judged *was, const struct judged *now, const char *state,
			const struct judge *judge, struct strbuf *out)
{
	const struct judged *f = now ? now : was;

	strbuf_str(out, "<tr><th scope=\"row\">");
	html_text(out, f->def->title);
	strbuf_printf(out, "</th><td>%s", state);
	put_side(was, out);
	put_side(now, out);
	strbuf_str(out, "</td><td>");
	if (now)
		html_span(out, finding_text(f->def->advice, judge->product));
	strbuf_str(out, "</td></tr>");
}

static void put_findings(const struct report_log *was, const struct report_log *now, struct strbuf *out)
{
	unsigned n_was, n_now;
	AUTOFREE struct judge_rank *before = report_findings(was, &n_was);
	AUTOFREE struct judge_rank *after = report_findings(now, &n_now);

	report_heading("findings", "Findings", out);
	strbuf_str(out, "<div class=\"sc\"><table>");
	report_head(
		(const char *const[]){"finding", "state", "#was", "#for", "#now", "#for", "what to do", NULL},
		out);
	strbuf_str(out, "<tbody>");
	for (int still = 0; still <= 1; still++)
		for (unsigned i = 0; i < n_now; i++) {
			const struct judged *like = finding_like(was, after[i].f);

			if ((like != NULL) == still)
				put_finding(like, after[i].f, still ? "still there" : "new",
					    report_judge(now), out);
		}
	for (unsigned i = 0; i < n_was; i++)
		if (!finding_like(now, before[i].f))
			put_finding(before[i].f, NULL, "gone", report_judge(was), out);
	strbuf_str(out, "</tbody></table></div>");
}

/* ---- the page ---- */

static void put_difference(struct strbuf *out, const char *what, const char *was, const char *now)
{
	if (strcmp(was, now) == 0)
		return;
	strbuf_printf(out, "<p class=\"note miss\"><b>Another %s:</b> was ", what);
	html_text(out, was);
	strbuf_str(out, ", is ");
	html_text(out, now);
	strbuf_str(out, ".</p>");
}

static void put_differences(const struct report_log *was, const struct report_log *now, struct strbuf *out)
{
	const struct session_source *a = was->session.gpu, *b = now->session.gpu;
	char before[64], after[64];

	put_difference(out, "GPU", a ? a->title : "none", b ? b->title : "none");
	put_difference(out, "driver", a ? a->driver : "none", b ? b->driver : "none");
	snprintf(before, sizeof(before), "%ux%u at %g fps", was->session.resolution.w,
		 was->session.resolution.h, was->session.fps);
	snprintf(after, sizeof(after), "%ux%u at %g fps", now->session.resolution.w,
		 now->session.resolution.h, now->session.fps);
	put_difference(out, "goal", before, after);
	snprintf(before, sizeof(before), "%.0f MHz", a ? a->top_hz * 1e-6 : 0);
	snprintf(after, sizeof(after), "%.0f MHz", b ? b->top_hz * 1e-6 : 0);
	put_difference(out, "top clock", before, after);
}

static void put_side_sentence(const struct report_log *log, const char *side, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf sentence = {0};

	report_sentence(log, &sentence);
	strbuf_printf(out, "<p class=\"lead\"><b>%s</b> ", side);
	html_text(out, sentence.p);
	strbuf_str(out, "</p>");
	if (log->missing.n) {
		strbuf_str(out, "<p class=\"note miss\">The log is not complete. ");
		html_text(out, log->missing.p);
		strbuf_str(out, "</p>");
	}
}

bool report_compare_html(const struct report_log *was, const struct report_log *now, struct strbuf *out,
			 struct err *err)
{
	AUTOFREE struct report_change *changes = NULL;
	unsigned n = report_changes(was, now, &changes);
	AUTO_STRBUF struct strbuf sentence = {0};

	report_change_sentence(changes, n, &sentence);
	report_page_open(now, sentence.p, out);
	put_differences(was, now, out);
	strbuf_str(out, "<h1>");
	html_text(out, sentence.p);
	strbuf_str(out, ".</h1>");
	put_side_sentence(was, "Was:", out);
	put_side_sentence(now, "Now:", out);
	put_changes(changes, n, out);
	put_time(was, now, out);
	if (!put_plots(was, now, out, err))
		return false;
	put_findings(was, now, out);
	report_heading("method", "Method", out);
	strbuf_str(out, "<dl class=\"me\"><dt>Was</dt><dd>");
	html_text(out, was->name);
	strbuf_str(out, "</dd><dt>Now</dt><dd>");
	html_text(out, now->name);
	strbuf_printf(out, "</dd><dt>No change</dt><dd>less than %.0f %%</dd></dl>", SAME * 100);
	report_page_close(out);
	return true;
}
