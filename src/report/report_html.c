/* The page of one log. */
#include "report/report_page.h"

#include "base/alloc.h"
#include "base/real.h"
#include "model/template.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES 3 /* that the first screen names */
#define PEOPLE 10
#define FRAME_HEIGHT 150
#define DISTRIBUTION_BINS 28

/* "<td class=n>" for a number, "<td>" for words; closed by put_end. */
static void put_cell(struct strbuf *out, bool number)
{
	strbuf_str(out, number ? "</td><td class=\"n\">" : "</td><td>");
}

static void put_bar(struct strbuf *out, double share, const char *class)
{
	strbuf_printf(out,
		      "</td><td class=\"br sm\"><svg class=\"b %s\" viewBox=\"0 0 100 10\" "
		      "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"%.1f\" "
		      "height=\"10\"/></svg>",
		      class, isfinite(share) ? real_max(0, real_min(share, 1)) * 100 : 0);
}

static void open_row(struct strbuf *out, const char *title)
{
	strbuf_str(out, "<tr><th scope=\"row\">");
	html_text(out, title);
	strbuf_str(out, "</th><td hidden>");
}

static void close_row(struct strbuf *out)
{
	strbuf_str(out, "</td></tr>");
}

/* ---- the first screen ---- */

static void put_changes(const struct report_log *log, const struct judged *const *held, unsigned n,
			struct strbuf *out)
{
	const struct gpu_product *product = report_judge(log)->product;

	strbuf_str(out, report_is_calm(log) ? "<section><h3>Nothing to fix <small>what saves "
					      "energy</small></h3>"
					    : "<section><h3>What to change first</h3>");
	if (!n)
		strbuf_str(out, "<p class=\"say\">No check is beyond its limit.</p></section>");
	if (!n)
		return;
	strbuf_str(out, "<ol class=\"do\">");
	for (unsigned i = 0; i < n && i < CHANGES; i++) {
		AUTO_STRBUF struct strbuf where = {0}, limit = {0};

		report_where(log, held[i], false, 2, &where);
		report_limit(held[i], &limit);
		strbuf_str(out, "<li><b>");
		html_span(out, finding_text(held[i]->def->advice, product));
		strbuf_str(out, "</b><p><a href=\"#");
		html_id(out, "f-", held[i]->def->name);
		strbuf_str(out, "\">");
		html_text(out, held[i]->def->title);
		strbuf_str(out, "</a>: ");
		html_text(out, limit.p);
		strbuf_str(out, where.n ? "; " : "");
		html_text(out, where.n ? where.p : "");
		strbuf_str(out, ".</p></li>");
	}
	strbuf_str(out, "</ol></section>");
}

static void put_key(struct strbuf *out, const char *name, double value, const char *unit, bool late)
{
	strbuf_printf(out, "<div><dt>%s</dt><dd%s>", name, late ? " class=\"over\"" : "");
	if (isfinite(value))
		strbuf_printf(out, "%.1f <small>%s</small></dd></div>", value, unit);
	else
		strbuf_str(out, "–</dd></div>");
}

/* In bins of whole milliseconds; the last one has all longer frames. */
static void put_distribution(const struct report_log *log, double budget_ms, struct strbuf *out)
{
	const struct report_frames *f = log->frames;
	double from = floor(real_min(report_frames_at(f, 0.001), budget_ms - 4));
	double last = ceil(real_max(report_frames_at(f, 0.995), 2 * budget_ms)), most = 0;
	double width = real_max(1, ceil((last - from) / DISTRIBUTION_BINS));
	unsigned n = (unsigned)real_max(1, ceil((last - from) / width));

	for (unsigned i = 0; i < n; i++)
		most = real_max(most, report_frames_between(f, from + i * width,
							    i + 1 < n ? from + (i + 1) * width : 1e9));
	strbuf_printf(
		out,
		"<figure class=\"hi\"><div class=\"bx own\" style=\"margin:18px 0 0\"><svg class=\"d\" "
		"style=\"display:block;width:100%%;height:100px\" role=\"img\" aria-label=\"Distribution "
		"of frame times, %% of frames in steps of %.0f ms\" viewBox=\"0 0 %u 1000\" "
		"preserveAspectRatio=\"none\">",
		width, n);
	for (unsigned i = 0; i < n; i++) {
		double ms = from + i * width;
		double share = report_frames_between(f, ms, i + 1 < n ? ms + width : 1e9);

		strbuf_printf(out, "<rect x=\"%u.05\" width=\".9\" y=\"%.0f\" height=\"%.0f\"%s><title>", i,
			      1000 - share / most * 1000, share / most * 1000,
			      ms >= budget_ms * REPORT_LATE ? " class=\"late\"" : "");
		strbuf_printf(out, "%g%s ms: %.1f %%</title></rect>", ms, i + 1 < n ? "" : " and more",
			      share);
	}
	if (budget_ms > from && budget_ms < from + n * width)
		strbuf_printf(out,
			      "<path class=\"li\" style=\"vector-effect:non-scaling-stroke\" d=\"M%.2f "
			      "0V1000\"><title>budget</title></path>",
			      (budget_ms - from) / width);
	strbuf_str(out, "</svg>");
	if (budget_ms > from && budget_ms < from + n * width)
		strbuf_printf(out, "<span class=\"ll\" style=\"left:%.1f%%;bottom:100%%\">budget %.2f</span>",
			      (budget_ms - from) / width / n * 100, budget_ms);
	strbuf_str(out, "</div><div class=\"xa own\" style=\"margin:0\">");
	for (unsigned i = 0; i < n; i += n / 6 + 1)
		strbuf_printf(out, "<span style=\"left:%.1f%%\">%g%s</span>", (double)i / n * 100,
			      from + i * width, i == 0 ? " ms" : "");
	strbuf_str(out, "</div></figure>");
}

static void put_frames(const struct report_log *log, struct strbuf *out)
{
	const struct report_frames *f = log->frames;
	double budget_ms = log->session.fps > 0 ? 1000 / log->session.fps : (double)NAN;
	static const struct {
		const char *name;
		double share;
	} keys[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}};

	strbuf_str(
		out,
		"<section><h3>Frames <small>ms from one present to the next</small></h3><dl class=\"kp\">");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		double ms = report_frames_at(f, keys[i].share);

		put_key(out, keys[i].name, ms, "ms", ms > budget_ms * REPORT_LATE);
	}
	put_key(out, "mean", f->sum_ms / (double)f->n, "ms", false);
	put_key(out, "1 % low", report_frames_low(f, 0.01), "fps", false);
	put_key(out, "0.1 % low", report_frames_low(f, 0.001), "fps", false);
	put_key(out, "late", (double)f->late / (double)f->n * 100, "%", f->late > 0);
	strbuf_str(out, "</dl>");
	put_distribution(log, budget_ms, out);
	strbuf_str(out, "</section>");
}

/* ---- frame time and verdicts ---- */

static void put_mark_names(const struct report_log *log, struct strbuf *out)
{
	double steps = (double)log->n_steps, last = -1;

	if (!log->n_marks)
		return;
	strbuf_str(out, "<div class=\"mn\">");
	for (unsigned i = 0; i < log->n_marks; i++) {
		double at = (double)(log->marks[i].at_ns - log->begin_ns) / (double)log->step_ns;

		if (last >= 0 && at - last < 0.08 * steps)
			continue; /* no room: the phases above have its name */
		last = at;
		strbuf_printf(out, "<span data-a=\"%.1f\" style=\"left:%.2f%%\">▲ ", at, at / steps * 100);
		html_text(out, log->marks[i].text);
		strbuf_str(out, "</span>");
	}
	strbuf_str(out, "</div>");
}

static void put_time(const struct report_log *log, struct strbuf *out)
{
	double budget_ms = log->session.fps > 0 ? 1000 / log->session.fps : (double)NAN;
	double top =
		widget_nice_top(real_max(1.2 * report_frames_at(log->frames, 0.99), 2 * budget_ms) / 1.1);
	char name[128];

	strbuf_str(out, "<figure class=\"pl\" id=\"p-frames\"><h3>");
	if (log->frames->n) {
		snprintf(name, sizeof(name),
			 "Frame time: half of all frames took %.1f ms at most, one in 100 more than %.1f ms",
			 report_frames_at(log->frames, 0.5), report_frames_at(log->frames, 0.99));
		strbuf_printf(out,
			      "Frame time and verdict <small>ms: the median of each %g s, and the "
			      "longest</small></h3><p class=\"say\">%s.</p>",
			      (double)log->step_ns * 1e-9, name);
	} else {
		strbuf_str(out, "Verdict</h3>");
	}
	report_phase_names(log, out);
	if (log->frames->n) {
		strbuf_printf(out, "<div class=\"bx\" data-bottom=\"0\" data-top=\"%g\" data-unit=\"ms\">",
			      top);
		report_axis(0, top, 1, out);
		report_svg_open(log, name, FRAME_HEIGHT, out);
		report_svg_path(log, log->longest_ms, 0, top, "l mx s5", "longest", NULL, false, out);
		report_svg_path(log, log->median_ms, 0, top, "l s1", "median", NULL, false, out);
		if (budget_ms < top)
			report_svg_limit(budget_ms / top, "budget", out);
		report_svg_close(out);
		if (budget_ms < top)
			strbuf_printf(out, "<span class=\"ll\" style=\"bottom:%.1f%%\">budget %.2f</span>",
				      budget_ms / top * 100, budget_ms);
		strbuf_str(out, "<ul class=\"lg\"><li class=\"s5\">longest</li><li "
				"class=\"s1\">median</li></ul></div>");
	}
	report_band(log, log->verdicts, "verdict", out);
	put_mark_names(log, out);
	report_ticks(log, out);
	strbuf_str(out, "</figure>");
}

static void put_verdict(const struct report_log *log, const struct judged *v, double held_s,
			struct strbuf *out)
{
	AUTO_STRBUF struct strbuf where = {0}, evidence = {0};
	struct report_need need = report_verdict_need(log, v);
	double over = report_is_gpu(v) ? need.need_ms - need.have_ms : (double)NAN;

	report_where(log, v, true, 3, &where);
	if (v)
		report_evidence(v, &evidence);
	open_row(out, v ? v->def->title : "Not clear");
	put_cell(out, true);
	html_seconds(out, held_s);
	put_cell(out, true);
	strbuf_printf(out, "%.0f %%", held_s * 1e9 / (double)(log->end_ns - log->begin_ns) * 100);
	put_cell(out, false);
	html_text(out, where.n && log->n_phases > 1 ? where.p : evidence.n ? evidence.p : "");
	put_cell(out, true);
	html_ms(out, report_is_gpu(v) ? need.need_ms : (double)NAN);
	put_cell(out, true);
	if (isfinite(over))
		strbuf_printf(out,
			      over > 0 ? "<span class=\"over\">over by %.1f ms</span>"
				       : "<span class=\"spare\">%.1f ms spare</span>",
			      over > 0 ? over : -over);
	else
		strbuf_str(out, "–");
	close_row(out);
}

static void put_verdicts(const struct report_log *log, struct strbuf *out)
{
	const struct judge *judge = report_judge(log);
	double unclear_s = report_held_s(log, NULL, true, log->begin_ns, log->end_ns);

	strbuf_str(out, "<div class=\"sc\"><table style=\"margin-top:16px\">");
	report_head((const char *const[]){"verdict", "#held", "#share",
					  log->n_phases > 1 ? "where" : "evidence", "#GPU needs",
					  "#against the budget", NULL},
		    out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < judge->n_verdicts; i++) {
		double held_s = report_held_s(log, &judge->verdicts[i], true, log->begin_ns, log->end_ns);

		if (held_s > 0)
			put_verdict(log, &judge->verdicts[i], held_s, out);
	}
	if (unclear_s > 0)
		put_verdict(log, NULL, unclear_s, out);
	strbuf_str(out, "</tbody></table></div>");
}

/* ---- findings ---- */

static void put_finding(const struct report_log *log, const struct judged *f, struct strbuf *out)
{
	const struct judge *judge = report_judge(log);
	AUTO_STRBUF struct strbuf where = {0}, limit = {0};

	report_where(log, f, false, 3, &where);
	report_limit(f, &limit);
	strbuf_str(out, "<tr id=\"");
	html_id(out, "f-", f->def->name);
	strbuf_str(out, "\"><th scope=\"row\">");
	html_text(out, f->def->title);
	strbuf_printf(out, "<small class=\"sev\">%s</small></th><td>",
		      finding_severity_names[f->def->severity]);
	html_text(out, limit.p);
	strbuf_str(out, "<small>");
	html_span(out, finding_text(f->def->says, judge->product));
	strbuf_str(out, "</small>");
	put_cell(out, false);
	html_text(out, where.n ? where.p : "");
	put_cell(out, false);
	html_span(out, finding_text(f->def->advice, judge->product));
	put_cell(out, false);
	html_span(out, finding_guide(judge->db, f->def, judge->product));
	close_row(out);
}

static void put_findings(const struct report_log *log, const struct judged *const *held, unsigned n,
			 struct strbuf *out)
{
	report_heading("findings", "Findings", out);
	strbuf_printf(out,
		      "<p class=\"note\">%u of %u checks were beyond their limit; the worst first, then the "
		      "longest.</p>",
		      n, report_judge(log)->n_findings);
	if (!n)
		return;
	strbuf_str(out, "<table class=\"cards\">");
	report_head((const char *const[]){"finding", "evidence", "held", "what to do", "guide", NULL}, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < n; i++)
		put_finding(log, held[i], out);
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
		strbuf_str(out, "</th><td hidden>");
		put_cell(out, false);
		strbuf_str(out, f->held_s > 0 ? "<span class=\"bad\">fail</span>"
					      : "<span class=\"good\">pass</span>");
		put_cell(out, true);
		html_number(out, &f->number, f->held_s > 0 ? f->mean : f->number.value);
		put_cell(out, true);
		html_number(out, &f->number, f->limit);
		put_cell(out, true);
		html_seconds(out, f->held_s);
		close_row(out);
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

/* ---- tables ---- */

static void put_worst(const struct report_log *log, struct strbuf *out)
{
	const struct report_frames *f = log->frames;

	report_heading("worst", "Worst frames", out);
	strbuf_printf(
		out,
		"<p class=\"note\">The %u longest of %llu frames, and what the verdict was then.</p><div "
		"class=\"sc\"><table>",
		f->n_worst, (unsigned long long)f->n);
	report_head((const char *const[]){"frame", "#at", "#ms", "", "phase", "verdict", "#waits", "#passes",
					  "longest pass", NULL},
		    out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < f->n_worst; i++) {
		const struct report_frame *w = &f->worst[i];
		const struct judged *v = report_verdict(log, w->begin_ns, w->begin_ns + log->step_ns);
		unsigned phase = 0;
		char number[32];

		while (phase + 1 < log->n_phases && log->phases[phase].end_ns <= w->begin_ns)
			phase++;
		snprintf(number, sizeof(number), "%.0f", w->number);
		open_row(out, number);
		put_cell(out, true);
		html_seconds(out, (double)(w->begin_ns - log->begin_ns) * 1e-9);
		put_cell(out, true);
		strbuf_printf(out, "%.1f", w->ms);
		put_bar(out, w->ms / f->worst[0].ms, "late");
		put_cell(out, false);
		html_text(out, log->phases[phase].name);
		put_cell(out, false);
		html_text(out, v ? v->def->title : "Not clear");
		put_cell(out, true);
		html_ms(out, w->wait_ms + w->present_ms);
		put_cell(out, true);
		html_ms(out, w->gpu_ms);
		put_cell(out, false);
		html_text(out, w->longest);
		close_row(out);
	}
	strbuf_str(out, "</tbody></table></div>");
}

static void put_pass(const struct pass_line *l, const struct report_log *log, struct strbuf *out)
{
	open_row(out, l->name);
	put_cell(out, true);
	html_ms(out, l->ms);
	put_cell(out, true);
	if (isfinite(l->share))
		strbuf_printf(out, "%.1f %%", l->share);
	else
		strbuf_str(out, "–");
	put_bar(out, l->share / 100, "");
	for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++) {
		struct report_span span = report_phase_span(log, i);
		const double *vector = report_passes_vector(log, &span);
		struct pass_table table = {.n = 0};
		double ms = NAN;

		if (vector)
			pass_table_read(&table, log->sets[SOURCE_PASSES], vector);
		for (unsigned k = 0; k < table.n; k++)
			if (strcmp(table.lines[k].name, l->name) == 0)
				ms = table.lines[k].ms;
		put_cell(out, true);
		html_ms(out, ms);
	}
	put_cell(out, false);
	strbuf_str(out, passes_kind_names[l->kind]);
	put_cell(out, false);
	if (l->width)
		strbuf_printf(out, "%ux%u", l->width, l->height);
	close_row(out);
}

static void put_passes(const struct report_log *log, const struct pass_table *table, struct strbuf *out)
{
	const char *names[REPORT_PHASES + 8] = {"pass", "#a frame", "#of GPU time", ""};
	char titles[REPORT_PHASES][64];
	unsigned n = 4;

	for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++) {
		snprintf(titles[i], sizeof(titles[i]), "#%.60s", log->phases[i].name);
		names[n++] = titles[i];
	}
	names[n++] = "kind";
	names[n++] = "size";
	report_heading("passes", "Passes", out);
	strbuf_str(out,
		   "<p class=\"note\">GPU time of a frame by render pass, overlaps divided evenly.</p><div "
		   "class=\"sc\"><table>");
	report_head(names, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < table->n; i++)
		put_pass(&table->lines[i], log, out);
	strbuf_str(out, "</tbody></table></div>");
}

static void put_regions(const struct pass_table *table, struct strbuf *out)
{
	report_heading("regions", "Regions", out);
	strbuf_str(out, "<p class=\"note\">Of the program's own code, on the CPU.</p><table>");
	report_head((const char *const[]){"region", "#a frame", "#a call", "#calls", "#IPC", NULL}, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < table->n_regions; i++) {
		const struct region_line *l = &table->regions[i];

		open_row(out, l->name);
		put_cell(out, true);
		html_ms(out, l->ms / table->frames);
		put_cell(out, true);
		html_ms(out, l->ms / l->calls);
		put_cell(out, true);
		strbuf_printf(out, "%.0f", l->calls);
		put_cell(out, true);
		if (isfinite(l->instructions / l->cycles))
			strbuf_printf(out, "%.2f", l->instructions / l->cycles);
		else
			strbuf_str(out, "–");
		close_row(out);
	}
	strbuf_str(out, "</tbody></table>");
}

static void put_phases(const struct report_log *log, struct strbuf *out)
{
	const char *names[REPORT_PHASES + 3] = {""};
	char titles[REPORT_PHASES][64];

	for (unsigned i = 0; i < log->n_phases; i++) {
		snprintf(titles[i], sizeof(titles[i]), "#%.60s", log->phases[i].name);
		names[i + 1] = titles[i];
	}
	names[log->n_phases + 1] = log->n_phases > 1 ? "#whole log" : NULL;
	report_heading("phases", "Phases side by side", out);
	strbuf_str(out, "<p class=\"note\">A phase is the time from one mark to the next.</p><div "
			"class=\"sc\"><table>");
	report_head(names, out);
	strbuf_str(out, "<tbody>");
	for (unsigned row = 0; row < report_phase_rows(); row++) {
		char text[UNITS_TEXT];

		if (isnan(report_phase_value(log, row, -1, text, sizeof(text))))
			continue;
		open_row(out, report_phase_title(log, row));
		for (int i = 0; i <= (int)log->n_phases - (log->n_phases == 1); i++) {
			report_phase_value(log, row, i < (int)log->n_phases ? i : -1, text, sizeof(text));
			put_cell(out, true);
			html_text(out, text);
		}
		close_row(out);
	}
	open_row(out, "verdict");
	for (unsigned i = 0; i <= log->n_phases - (log->n_phases == 1); i++) {
		bool all = i == log->n_phases;
		const struct judged *v = report_verdict(log, all ? log->begin_ns : log->phases[i].begin_ns,
							all ? log->end_ns : log->phases[i].end_ns);

		put_cell(out, true);
		html_text(out, v ? v->def->title : "Not clear");
	}
	close_row(out);
	strbuf_str(out, "</tbody></table></div>");
}

static int compare_people(const void *a, const void *b)
{
	const struct report_person *x = a, *y = b;
	double p = real_max(0, x->gpu_s) * 8 + x->cpu_s, q = real_max(0, y->gpu_s) * 8 + y->cpu_s;

	return (p < q) - (p > q);
}

static void put_share(struct strbuf *out, double seconds, double of_s)
{
	put_cell(out, true);
	if (isfinite(seconds) && of_s > 0)
		strbuf_printf(out, "%.1f %%", seconds / of_s * 100);
	else
		strbuf_str(out, "–");
}

static void put_bytes(struct strbuf *out, double bytes)
{
	char text[UNITS_TEXT];

	put_cell(out, true);
	html_text(out, unit_format(text, bytes, unit_find(SPAN_LIT("bytes total")), false, false));
}

static void put_people(const struct report_log *log, struct strbuf *out)
{
	double length_s = (double)(log->end_ns - log->begin_ns) * 1e-9;

	report_heading("processes", "Processes", out);
	strbuf_str(out,
		   "<p class=\"note\">Shares of the log's time, CPU of one CPU; memory at its most.</p><div "
		   "class=\"sc\"><table>");
	report_head((const char *const[]){"process", "#pid", "#CPU", "#GPU", "#memory", "#GPU memory", NULL},
		    out);
	strbuf_str(out, "<tbody>");
	qsort(log->people, log->n_people, sizeof(*log->people), compare_people);
	for (unsigned i = 0; i < log->n_people && i < PEOPLE; i++) {
		const struct report_person *p = &log->people[i];

		open_row(out, p->name);
		put_cell(out, true);
		strbuf_printf(out, "%d", (int)p->pid);
		put_share(out, p->cpu_s, length_s);
		put_share(out, p->gpu_s, length_s);
		put_bytes(out, p->rss > 0 ? p->rss : (double)NAN);
		put_bytes(out, p->gpu_bytes);
		close_row(out);
	}
	strbuf_str(out, "</tbody></table></div>");
}

/* ---- method and counters ---- */

static void put_fact(struct strbuf *out, const char *name, const char *text)
{
	if (!*text)
		return;
	strbuf_printf(out, "<dt>%s</dt><dd>", name);
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		AUTOFREE char *line = xstrndup(text, strcspn(text, "\n"));

		html_text(out, line);
		strbuf_str(out, text[strcspn(text, "\n")] ? "<br>" : "");
	}
	strbuf_str(out, "</dd>");
}

static void put_method(const struct report_log *log, const char *absent, struct strbuf *out)
{
	const struct mlog_about *about = mlog_reader_about(log->reader);
	AUTO_STRBUF struct strbuf sources = {0}, steps = {0}, missing = {0};

	for (unsigned i = 0; i < log->session.n; i++) {
		const struct session_source *s = &log->session.sources[i];

		strbuf_printf(&sources, "%s%s (%s)%s, every %g ms", i ? "\n" : "", s->title, s->driver,
			      s->simulated ? ", simulated" : "", (double)s->period_ns * 1e-6);
	}
	strbuf_printf(&steps,
		      "a point of a line is the mean over %g s; a metric is a ratio of sums, a level such as "
		      "a temperature the last one of its time",
		      (double)log->step_ns * 1e-9);
	strbuf_printf(&missing, "%s", absent);
	if (!log->sources[SOURCE_PASSES].source)
		strbuf_printf(&missing, "%sframes and passes: no application had malitop's layer",
			      missing.n ? "; " : "");
	if (!log->n_people)
		strbuf_printf(&missing, "%sprocesses: not in the log", missing.n ? "; " : "");
	report_heading("method", "Device and method", out);
	strbuf_str(out, "<dl class=\"me\">");
	put_fact(out, "Log", log->name);
	put_fact(out, "Host", about->host);
	put_fact(out, "Kernel", about->kernel);
	put_fact(out, "Measured", about->scope);
	put_fact(out, "Recorded by", about->program);
	put_fact(out, "Sources", sources.p);
	put_fact(out, "Steps", steps.p);
	put_fact(out, "Frames",
		 log->frames->n
			 ? "late: more than 105 % of the budget; 1 % low: the mean of the longest hundredth"
			 : "");
	put_fact(out, "GPU needs", "cycles of a frame at the top clock; it has 85 % of the budget");
	put_fact(out, "Limits",
		 "of Arm's guide for this GPU, or of the house: malitop explain NAME has the reason");
	put_fact(out, "Not in this report", missing.n ? missing.p : "");
	put_fact(out, "Missing in the log", log->missing.n ? log->missing.p : "");
	strbuf_str(out, "</dl>");
}

static void put_metric(const struct report_log *log, enum source_kind kind, const struct metric *m,
		       const char *title, struct strbuf *out)
{
	struct report_span span = report_all(log);
	double value = report_value(log, kind, m, NULL, &span), least = NAN, most = NAN;

	if (isnan(value))
		return;
	for (unsigned i = 0; i < log->n_steps; i++) {
		double v;

		span = report_step(log, i);
		v = report_value(log, kind, m, NULL, &span);
		least = real_min(least, v);
		most = real_max(most, v);
	}
	strbuf_str(out, "<tr><th scope=\"row\">");
	html_text(out, title);
	strbuf_str(out, "</th><td>");
	html_text(out, m->def->name);
	put_cell(out, true);
	html_value(out, m, value);
	put_cell(out, true);
	html_value(out, m, least);
	put_cell(out, true);
	html_value(out, m, most);
	close_row(out);
}

static void put_counters(const struct report_log *log, struct strbuf *out)
{
	const struct template_view *templ = &log->session.templ;

	strbuf_str(out, "<div class=\"fold\">");
	report_heading("counters", "All counters", out);
	strbuf_printf(
		out,
		"<details><summary>The metrics of the template and of the CPU: mean of the whole log, and "
		"the lowest and highest of its steps of %g s</summary><div class=\"sc\"><table>",
		(double)log->step_ns * 1e-9);
	report_head((const char *const[]){"metric", "name", "#mean", "#lowest", "#highest", NULL}, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < templ->n_rows; i++)
		if (templ->rows[i].metric)
			put_metric(log, SOURCE_GPU, templ->rows[i].metric, templ->rows[i].title, out);
	for (enum source_kind kind = SOURCE_CPU; kind <= SOURCE_PERF; kind++)
		for (unsigned i = 0; log->sets[kind] && i < log->sets[kind]->n_metrics; i++)
			put_metric(log, kind, &log->sets[kind]->metrics[i],
				   log->sets[kind]->metrics[i].def->title, out);
	strbuf_str(out, "</tbody></table></div></details></div>");
}

/* ---- the page ---- */

static void put_first(const struct report_log *log, const struct judged *const *held, unsigned n,
		      struct strbuf *out)
{
	AUTO_STRBUF struct strbuf sentence = {0}, lead = {0};

	report_sentence(log, &sentence);
	report_lead(log, &lead);
	report_page_open(log, sentence.p, out);
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
	strbuf_str(out, log->frames->n ? "<div class=\"two\">" : "<div>");
	put_changes(log, held, n, out);
	if (log->frames->n)
		put_frames(log, out);
	strbuf_str(out, "</div>");
	put_time(log, out);
	if (log->n_spans)
		put_verdicts(log, out);
}

static void put_nav(const struct report_log *log, const struct pass_table *passes, const char *views,
		    struct strbuf *out)
{
	strbuf_str(out, "<nav aria-label=\"Sections\">On this page: ");
	strbuf_str(out, log->session.options->budget ? "<a href=\"#s-budget\">Budget</a>" : "");
	strbuf_str(out, log->session.options->budget ? "" : "<a href=\"#s-findings\">Findings</a>");
	strbuf_str(out, views);
	strbuf_str(out, log->frames->n ? "<a href=\"#s-worst\">Worst frames</a>" : "");
	strbuf_str(out, passes->n ? "<a href=\"#s-passes\">Passes</a>" : "");
	strbuf_str(out, passes->n_regions ? "<a href=\"#s-regions\">Regions</a>" : "");
	strbuf_str(out, "<a href=\"#s-phases\">Phases</a>");
	strbuf_str(out, log->n_people ? "<a href=\"#s-processes\">Processes</a>" : "");
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
	AUTOFREE const struct judged **held = NULL;
	struct views views;
	unsigned n;

	if (!report_views(log, &views, err))
		return false;
	strbuf_str(&nav, "");
	strbuf_str(&absent, "");
	put_views(log, &views, &nav, &absent, &plots);
	views_fini(&views);
	if (vector)
		pass_table_read(&passes, log->sets[SOURCE_PASSES], vector);
	held = report_findings(log, &n);
	put_first(log, held, n, out);
	put_nav(log, &passes, nav.p, out);
	if (log->session.options->budget)
		put_budget(log, out);
	else
		put_findings(log, held, n, out);
	if (plots.n)
		strbuf_add(out, plots.p, plots.n);
	if (log->frames->n)
		put_worst(log, out);
	if (passes.n)
		put_passes(log, &passes, out);
	if (passes.n_regions)
		put_regions(&passes, out);
	put_phases(log, out);
	if (log->n_people)
		put_people(log, out);
	put_method(log, absent.p, out);
	put_counters(log, out);
	report_page_close(out);
	return true;
}
