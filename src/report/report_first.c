/* The first screen of a page: recommended changes, the frames, verdicts over time. */
#include "report/report_page.h"

#include "base/alloc.h"
#include "base/real.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>

#define CHANGES 3 /* recommended changes on the first screen */
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
	if (!n) {
		strbuf_str(out, "<p class=\"say\">No check is beyond its limit.</p></section>");
		return;
	}
	strbuf_str(out, "<ol class=\"do\">");
	for (unsigned i = 0; i < n && i < CHANGES; i++) {
		AUTO_STRBUF struct strbuf where = {0}, limit = {0};
		const struct finding_def *def = held[i].f->def;

		report_reason(log, &held[i], 2, &limit, &where);
		html_put(out, "<li><b>%.*s</b><p><a href=\"#", SPAN_ARG(finding_text(def->advice, product)));
		html_id(out, "f-", def->name);
		html_put(out, "\">%s</a>: %s%s%s.</p></li>", def->title, limit.p, where.n ? "; " : "",
			 where.p);
	}
	strbuf_str(out, "</ol></section>");
}

/* `was` is NaN without an earlier log. */
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

/* Numbers of frames by whole milliseconds; the last bin has all longer frames. */
struct bins {
	double from, width;
	unsigned n;
};

static double bin_share(const struct bins *b, const struct frame_times *times, unsigned i)
{
	return times_between(times, b->from + i * b->width,
			     i + 1 < b->n ? b->from + (i + 1) * b->width : 1e9);
}

/* Return the frame budget; NaN without one. */
static double budget_of(const struct report_log *log)
{
	return log->session.fps > 0 ? 1000 / log->session.fps : (double)NAN;
}

static void put_distribution(const struct report_log *log, const struct report_log *was, double budget_ms,
			     struct strbuf *out)
{
	const struct frame_times *times = &log->frames->times, *before = was ? &was->frames->times : times;
	double least = real_min(times_at(times, 0.001), times_at(before, 0.001)), most = 0;
	double longest = real_max(times_at(times, 0.995), times_at(before, 0.995));
	struct bins b = {.from = real_max(0, floor(real_min(least, budget_ms - 4)))};
	double last = ceil(real_max(longest, 2 * budget_ms));
	bool has_budget;

	b.width = real_max(1, ceil((last - b.from) / DISTRIBUTION_BINS));
	b.n = (unsigned)real_max(1, ceil((last - b.from) / b.width));
	has_budget = budget_ms > b.from && budget_ms < b.from + b.n * b.width;
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

		strbuf_printf(out,
			      "<rect x=\"%u.05\" width=\".9\" y=\"%.0f\" height=\"%.0f\"%s><title>%g%s ms: "
			      "%.1f %%</title></rect>",
			      i, 1000 - share / most * 1000, share / most * 1000,
			      ms >= budget_ms * FRAME_LATE ? " class=\"late\"" : "", ms,
			      i + 1 < b.n ? "" : " and more", share);
	}
	if (was) { /* the outline of an earlier log */
		strbuf_str(out,
			   "<path class=\"l was\" style=\"vector-effect:non-scaling-stroke\" d=\"M0 1000");
		for (unsigned i = 0; i < b.n; i++)
			strbuf_printf(out, "V%.0fH%u", 1000 - bin_share(&b, before, i) / most * 1000, i + 1);
		strbuf_str(out, "V1000\"><title>was</title></path>");
	}
	if (has_budget)
		strbuf_printf(out,
			      "<path class=\"li\" style=\"vector-effect:non-scaling-stroke\" d=\"M%.2f "
			      "0V1000\"><title>budget</title></path>",
			      (budget_ms - b.from) / b.width);
	strbuf_str(out, "</svg>");
	if (has_budget)
		strbuf_printf(out, "<span class=\"ll\" style=\"left:%.1f%%;bottom:100%%\">budget %.2f</span>",
			      (budget_ms - b.from) / b.width / b.n * 100, budget_ms);
	strbuf_str(out, "</div><div class=\"xa own\" style=\"margin:0\">");
	for (unsigned i = 0; i < b.n; i += b.n / 6 + 1)
		strbuf_printf(out, "<span style=\"left:%.1f%%\">%g%s</span>", (double)i / b.n * 100,
			      b.from + i * b.width, i == 0 ? " ms" : "");
	strbuf_str(out, "</div></figure>");
}

/* A statistic over all frames. */
enum frame_fact { FRAME_SHARE, FRAME_MEAN, FRAME_LOW, FRAME_LATES };

static double frame_value(const struct frame_stats *f, enum frame_fact fact, double share)
{
	return !f                    ? (double)NAN
	       : fact == FRAME_SHARE ? times_at(&f->times, share)
	       : fact == FRAME_LOW   ? times_low(&f->times, share)
	       : fact == FRAME_MEAN  ? f->times.sum_ms / (double)f->times.n
				     : (double)f->late / (double)f->times.n * 100;
}

void report_put_frames(const struct report_log *log, const struct report_log *was, struct strbuf *out)
{
	const struct frame_stats *f = log->frames, *before = was ? was->frames : NULL;
	double budget_ms = budget_of(log);
	static const struct {
		const char *name;
		enum frame_fact fact;
		double share;
		const char *unit;
	} keys[] = {{"p50", FRAME_SHARE, 0.5, "ms"},     {"p95", FRAME_SHARE, 0.95, "ms"},
		    {"p99", FRAME_SHARE, 0.99, "ms"},    {"mean", FRAME_MEAN, 0, "ms"},
		    {"1 % low", FRAME_LOW, 0.01, "fps"}, {"0.1 % low", FRAME_LOW, 0.001, "fps"},
		    {"late", FRAME_LATES, 0, "%"}};

	strbuf_printf(
		out,
		"<section><h3>Frames <small>ms from one present to the next%s</small></h3><dl class=\"kp\">",
		was ? "; dashed: was" : "");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		double value = frame_value(f, keys[i].fact, keys[i].share);
		bool over = keys[i].fact == FRAME_SHARE ? value > budget_ms * FRAME_LATE
							: keys[i].fact == FRAME_LATES && f->late > 0;

		put_key(out, keys[i].name, value, frame_value(before, keys[i].fact, keys[i].share),
			keys[i].unit, over);
	}
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
			continue; /* no room; the phases above have its name */
		last = at;
		html_put(out, "<span data-a=\"%.1f\" style=\"left:%.2f%%\">▲ %s</span>", at, at / steps * 100,
			 log->marks[i].text);
	}
	strbuf_str(out, "</div>");
}

/* Write the median, and the earlier one if `was` is not NULL, else the longest. */
static void put_frame_times(const struct report_log *log, const double *was, const char *name, double top,
			    struct strbuf *out)
{
	double budget_ms = budget_of(log);

	strbuf_printf(out, "<div class=\"bx\" data-bottom=\"0\" data-top=\"%g\" data-unit=\"ms\">", top);
	report_axis(0, top, 1, out);
	report_svg_open(log, name, FRAME_HEIGHT, out);
	if (!was)
		report_svg_path(log, log->longest_ms, 0, top, "l mx s5", "longest", NULL, false, out);
	report_svg_path(log, log->median_ms, 0, top, "l s1", was ? "now" : "median", NULL, false, out);
	if (was)
		report_svg_path(log, was, 0, top, "l was", "was", NULL, false, out);
	if (budget_ms < top)
		report_svg_limit(budget_ms / top, "budget", out);
	strbuf_str(out, "</svg>");
	if (budget_ms < top && !was)
		strbuf_printf(out, "<span class=\"ll\" style=\"bottom:%.1f%%\">budget %.2f</span>",
			      budget_ms / top * 100, budget_ms);
	strbuf_str(out,
		   was ? "<ul class=\"lg\"><li class=\"s1\">now</li><li class=\"was\">was</li></ul></div>"
		       : "<ul class=\"lg\"><li class=\"s5\">longest</li><li class=\"s1\">median</li></ul>"
			 "</div>");
}

/* Write the name of the plot, and its heading. */
static void put_time_title(const struct report_log *log, const struct report_log *was, char name[128],
			   struct strbuf *out)
{
	const struct frame_times *times = &log->frames->times;
	char of[64] = ", medians";

	snprintf(name, 128, "Frame time: half of all frames took %.1f ms at most, %s%.1f ms",
		 times_at(times, 0.5), was ? "was " : "one in 100 more than ",
		 was ? times_at(&was->frames->times, 0.5) : times_at(times, 0.99));
	if (!was)
		snprintf(of, sizeof(of), ": the median of each %g s, and the longest",
			 (double)log->step_ns * 1e-9);
	strbuf_printf(out, "Frame time and verdict <small>ms%s</small></h3><p class=\"say\">%s.</p>", of,
		      name);
}

void report_put_time(const struct report_log *log, const struct report_log *was, const long *steps,
		     struct strbuf *out)
{
	const struct frame_times *times = &log->frames->times, *before = was ? &was->frames->times : times;
	AUTOFREE double *median = xcalloc(log->n_steps, sizeof(*median));
	AUTOFREE const struct judged **verdicts = xcalloc(log->n_steps, sizeof(*verdicts));
	double most = real_max(times_at(before, 0.99), times_at(times, 0.99));
	double top = widget_nice_top(real_max(1.2 * most, 2 * budget_of(log)) / 1.1);
	bool has_frames = times->n && before->n;
	char name[128];

	for (unsigned i = 0; was && i < log->n_steps; i++) {
		median[i] = steps[i] < 0 ? (double)NAN : was->median_ms[steps[i]];
		verdicts[i] = steps[i] < 0 ? NULL : was->verdicts[steps[i]];
	}
	strbuf_printf(out, "<figure class=\"pl\"%s><h3>", was ? "" : " id=\"p-frames\"");
	if (has_frames)
		put_time_title(log, was, name, out);
	else
		strbuf_str(out, "Verdict</h3>");
	report_phase_names(log, out);
	if (has_frames)
		put_frame_times(log, was ? median : NULL, name, top, out);
	if (was)
		report_band(log, verdicts, "was", out);
	report_band(log, log->verdicts, was ? "now" : "verdict", out);
	if (!was)
		put_mark_names(log, out);
	report_ticks(log, out);
	strbuf_str(out, "</figure>");
}

static void put_verdict(const struct report_log *log, const struct judged *v, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf where = {0}, evidence = {0};
	struct report_need need = report_verdict_need(log, v);
	double held_s = report_held_s(log, v, log->n_phases);
	double over = report_is_gpu(v) ? need.need_ms - need.have_ms : (double)NAN;

	if (!(held_s > 0))
		return;
	report_where(log, v, 3, &where);
	if (v)
		report_evidence(v, &evidence);
	html_put(out, ROW NUMBER "<td class=\"n\">%.0f %%" WORDS NUMBER "<td class=\"n\">",
		 report_verdict_title(v), report_seconds(TEXT, held_s),
		 held_s * 1e9 / (double)(log->end_ns - log->begin_ns) * 100,
		 where.n && log->n_phases > 1 ? where.p : evidence.p,
		 report_ms(TEXT, report_is_gpu(v) ? need.need_ms : (double)NAN));
	strbuf_printf(out,
		      !isfinite(over) ? "–"
		      : over > 0      ? "<span class=\"over\">over by %.1f ms</span>"
				      : "<span class=\"spare\">%.1f ms spare</span>",
		      fabs(over));
	strbuf_str(out, ROW_END);
}

void report_put_verdicts(const struct report_log *log, struct strbuf *out)
{
	const struct judge *judge = report_judge(log);

	strbuf_str(out, "<div class=\"sc\"><table style=\"margin-top:16px\">");
	report_head((const char *const[]){"verdict", "#held", "#share",
					  log->n_phases > 1 ? "where" : "evidence", "#GPU needs",
					  "#over or spare", NULL},
		    out);
	for (unsigned i = 0; i < judge->n_verdicts; i++)
		put_verdict(log, &judge->verdicts[i], out);
	put_verdict(log, NULL, out);
	strbuf_str(out, TABLE_END);
}
