/* What the first screen of a page has: what to change, the frames, verdicts over time. */
#include "report/report_html.h"

#include "base/alloc.h"
#include "base/real.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES 3 /* that the first screen names */
#define FRAME_HEIGHT 150
#define DISTRIBUTION_BINS 28

/* ---- the first screen ---- */

void report_put_changes(const struct report_log *log, const struct judge_rank *held, unsigned n,
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

		report_where(log, held[i].f, false, 2, &where);
		report_limit(held[i].f, &limit);
		report_worth(log, &held[i], &limit);
		strbuf_str(out, "<li><b>");
		html_span(out, finding_text(held[i].f->def->advice, product));
		strbuf_str(out, "</b><p><a href=\"#");
		html_id(out, "f-", held[i].f->def->name);
		strbuf_str(out, "\">");
		html_text(out, held[i].f->def->title);
		strbuf_str(out, "</a>: ");
		html_text(out, limit.p);
		strbuf_str(out, where.n ? "; " : "");
		html_text(out, where.n ? where.p : "");
		strbuf_str(out, ".</p></li>");
	}
	strbuf_str(out, "</ol></section>");
}

/* was: NaN without an earlier log. */
static void put_key(struct strbuf *out, const char *name, double value, double was, const char *unit,
		    bool late)
{
	strbuf_printf(out, "<div><dt>%s</dt><dd%s>", name, late ? " class=\"over\"" : "");
	if (isfinite(value))
		strbuf_printf(out, "%.1f <small>%s", value, unit);
	else
		strbuf_str(out, "– <small>");
	if (isfinite(was))
		strbuf_printf(out, ", was %.1f", was);
	strbuf_str(out, "</small></dd></div>");
}

/* Bins of whole milliseconds; the last one has all longer frames. */
struct bins {
	double from, width;
	unsigned n;
};

static double bin_share(const struct bins *b, const struct frame_times *times, unsigned i)
{
	return times_between(times, b->from + i * b->width,
			     i + 1 < b->n ? b->from + (i + 1) * b->width : 1e9);
}

/* The outline of an earlier log. */
static void put_outline(const struct bins *b, const struct frame_times *times, double most,
			struct strbuf *out)
{
	strbuf_str(out, "<path class=\"l was\" style=\"vector-effect:non-scaling-stroke\" d=\"M0 1000");
	for (unsigned i = 0; i < b->n; i++)
		strbuf_printf(out, "V%.0fH%u", 1000 - bin_share(b, times, i) / most * 1000, i + 1);
	strbuf_str(out, "V1000\"><title>was</title></path>");
}

static void put_distribution(const struct report_log *log, const struct report_log *was, double budget_ms,
			     struct strbuf *out)
{
	const struct frame_times *times = &log->frames->times, *before = was ? &was->frames->times : times;
	double least = real_min(times_at(times, 0.001), times_at(before, 0.001)), most = 0;
	double longest = real_max(times_at(times, 0.995), times_at(before, 0.995));
	struct bins b = {.from = real_max(0, floor(real_min(least, budget_ms - 4)))};
	double last = ceil(real_max(longest, 2 * budget_ms));

	b.width = real_max(1, ceil((last - b.from) / DISTRIBUTION_BINS));
	b.n = (unsigned)real_max(1, ceil((last - b.from) / b.width));
	for (unsigned i = 0; i < b.n; i++)
		most = real_max(most, real_max(bin_share(&b, times, i), bin_share(&b, before, i)));
	strbuf_printf(
		out,
		"<figure class=\"hi\"><div class=\"bx own\" style=\"margin:18px 0 0\"><svg class=\"d\" "
		"style=\"display:block;width:100%%;height:100px\" role=\"img\" aria-label=\"Distribution "
		"of frame times, %% of frames in steps of %.0f ms\" viewBox=\"0 0 %u 1000\" "
		"preserveAspectRatio=\"none\">",
		b.width, b.n);
	for (unsigned i = 0; i < b.n; i++) {
		double ms = b.from + i * b.width, share = bin_share(&b, times, i);

		strbuf_printf(out, "<rect x=\"%u.05\" width=\".9\" y=\"%.0f\" height=\"%.0f\"%s><title>", i,
			      1000 - share / most * 1000, share / most * 1000,
			      ms >= budget_ms * FRAME_LATE ? " class=\"late\"" : "");
		strbuf_printf(out, "%g%s ms: %.1f %%</title></rect>", ms, i + 1 < b.n ? "" : " and more",
			      share);
	}
	if (was)
		put_outline(&b, before, most, out);
	if (budget_ms > b.from && budget_ms < b.from + b.n * b.width)
		strbuf_printf(out,
			      "<path class=\"li\" style=\"vector-effect:non-scaling-stroke\" d=\"M%.2f "
			      "0V1000\"><title>budget</title></path>",
			      (budget_ms - b.from) / b.width);
	strbuf_str(out, "</svg>");
	if (budget_ms > b.from && budget_ms < b.from + b.n * b.width)
		strbuf_printf(out, "<span class=\"ll\" style=\"left:%.1f%%;bottom:100%%\">budget %.2f</span>",
			      (budget_ms - b.from) / b.width / b.n * 100, budget_ms);
	strbuf_str(out, "</div><div class=\"xa own\" style=\"margin:0\">");
	for (unsigned i = 0; i < b.n; i += b.n / 6 + 1)
		strbuf_printf(out, "<span style=\"left:%.1f%%\">%g%s</span>", (double)i / b.n * 100,
			      b.from + i * b.width, i == 0 ? " ms" : "");
	strbuf_str(out, "</div></figure>");
}

static double mean_ms(const struct frame_stats *f)
{
	return f->times.sum_ms / (double)f->times.n;
}

static double late_percent(const struct frame_stats *f)
{
	return (double)f->late / (double)f->times.n * 100;
}

void report_put_frames(const struct report_log *log, const struct report_log *was, struct strbuf *out)
{
	const struct frame_stats *f = log->frames, *before = was ? was->frames : NULL;
	double budget_ms = log->session.fps > 0 ? 1000 / log->session.fps : (double)NAN;
	static const struct {
		const char *name;
		double share;
	} keys[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}},
	  lows[] = {{"1 % low", 0.01}, {"0.1 % low", 0.001}};

	strbuf_printf(
		out,
		"<section><h3>Frames <small>ms from one present to the next%s</small></h3><dl class=\"kp\">",
		was ? "; dashed: was" : "");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		double ms = times_at(&f->times, keys[i].share);

		put_key(out, keys[i].name, ms, before ? times_at(&before->times, keys[i].share) : (double)NAN,
			"ms", ms > budget_ms * FRAME_LATE);
	}
	put_key(out, "mean", mean_ms(f), before ? mean_ms(before) : (double)NAN, "ms", false);
	for (size_t i = 0; i < ARRAY_LEN(lows); i++)
		put_key(out, lows[i].name, times_low(&f->times, lows[i].share),
			before ? times_low(&before->times, lows[i].share) : (double)NAN, "fps", false);
	put_key(out, "late", late_percent(f), before ? late_percent(before) : (double)NAN, "%", f->late > 0);
	strbuf_str(out, "</dl>");
	put_distribution(log, was, budget_ms, out);
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

void report_put_time(const struct report_log *log, struct strbuf *out)
{
	double budget_ms = log->session.fps > 0 ? 1000 / log->session.fps : (double)NAN;
	double top =
		widget_nice_top(real_max(1.2 * times_at(&log->frames->times, 0.99), 2 * budget_ms) / 1.1);
	char name[128];

	strbuf_str(out, "<figure class=\"pl\" id=\"p-frames\"><h3>");
	if (log->frames->times.n) {
		snprintf(name, sizeof(name),
			 "Frame time: half of all frames took %.1f ms at most, one in 100 more than %.1f ms",
			 times_at(&log->frames->times, 0.5), times_at(&log->frames->times, 0.99));
		strbuf_printf(out,
			      "Frame time and verdict <small>ms: the median of each %g s, and the "
			      "longest</small></h3><p class=\"say\">%s.</p>",
			      (double)log->step_ns * 1e-9, name);
	} else {
		strbuf_str(out, "Verdict</h3>");
	}
	report_phase_names(log, out);
	if (log->frames->times.n) {
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
	report_row_open(out, v ? v->def->title : "Not clear");
	report_cell(out, true);
	html_seconds(out, held_s);
	report_cell(out, true);
	strbuf_printf(out, "%.0f %%", held_s * 1e9 / (double)(log->end_ns - log->begin_ns) * 100);
	report_cell(out, false);
	html_text(out, where.n && log->n_phases > 1 ? where.p : evidence.n ? evidence.p : "");
	report_cell(out, true);
	html_ms(out, report_is_gpu(v) ? need.need_ms : (double)NAN);
	report_cell(out, true);
	if (isfinite(over))
		strbuf_printf(out,
			      over > 0 ? "<span class=\"over\">over by %.1f ms</span>"
				       : "<span class=\"spare\">%.1f ms spare</span>",
			      over > 0 ? over : -over);
	else
		strbuf_str(out, "–");
	report_row_close(out);
}

void report_put_verdicts(const struct report_log *log, struct strbuf *out)
{
	const struct judge *judge = report_judge(log);
	double unclear_s = report_held_s(log, NULL, true, log->begin_ns, log->end_ns);

	strbuf_str(out, "<div class=\"sc\"><table style=\"margin-top:16px\">");
	report_head((const char *const[]){"verdict", "#held", "#share",
					  log->n_phases > 1 ? "where" : "evidence", "#GPU needs",
					  "#over or spare", NULL},
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
