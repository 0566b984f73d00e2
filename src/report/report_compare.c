/* The page of several builds, or of several runs of each. For two sides, before and after, the
 * plots are over each other. More sides are columns. */
#include "report/report_page.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES 8 /* rows of the first table */

/* ---- the changes ---- */

static void put_change(const struct report_side *sides, const struct report_change *c, bool has_words,
		       struct strbuf *out)
{
	char text[32];

	html_put(out, ROW, report_row_title(&sides[1].runs[0], c->row));
	if (c->phase)
		html_put(out, "<small>%s</small>", c->phase);
	report_put_mean(&sides[0], c->row, &c->was, out);
	report_put_mean(&sides[1], c->row, &c->now, out);
	html_put(out, NUMBER, report_change_text(c, text));
	if (has_words)
		strbuf_printf(out, "<td><span class=\"%s\">%s</span>",
			      c->word == REPORT_WORSE    ? "worse"
			      : c->word == REPORT_BETTER ? "good"
							 : "",
			      report_change_word(c));
	strbuf_str(out, ROW_END);
}

static void put_change_rows(const struct report_side *sides, const struct report_change *changes, unsigned n,
			    struct strbuf *out)
{
	bool has_words = sides[0].n > 1 && sides[1].n > 1;

	strbuf_str(out, "<div class=\"sc\"><table>");
	report_head((const char *const[]){"", "#was", "#now", "#change", has_words ? "" : NULL, NULL}, out);
	for (unsigned i = 0; i < n; i++)
		put_change(sides, &changes[i], has_words, out);
	strbuf_str(out, TABLE_END);
}

/* Whether this is the largest change of its number among the phases. The list is sorted. */
static bool is_first(const struct report_change *changes, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (changes[k].row == changes[i].row && changes[k].word == changes[i].word &&
		    (changes[k].phase != NULL) == (changes[i].phase != NULL))
			return false;
	return true;
}

/* Write what got worse, then what got better; of phases if both logs have some. */
static void put_changes(const struct report_side *sides, const struct report_change *changes, unsigned n,
			struct strbuf *out)
{
	struct report_change first[CHANGES];
	bool has_phases = false;
	unsigned n_first = 0;

	for (unsigned i = 0; i < n; i++)
		has_phases = has_phases || changes[i].phase;
	for (unsigned i = 0; i < n && n_first < CHANGES; i++)
		if (changes[i].word <= REPORT_BETTER && (changes[i].phase != NULL) == has_phases &&
		    is_first(changes, i))
			first[n_first++] = changes[i];
	strbuf_printf(out, "<section><h3>What changed <small>%s</small></h3><p class=\"say\">",
		      n && changes[0].word == REPORT_WORSE ? "what got worse first" : "nothing got worse");
	if (sides[0].n > 1 && sides[1].n > 1)
		strbuf_printf(out, "Means ± standard deviations of %u and %u runs; changes are relative.",
			      sides[0].n, sides[1].n);
	else
		strbuf_str(out, "One run of a side cannot tell a change from chance: compare several with "
				"--repeat.");
	strbuf_str(out, n_first ? "</p>" : " Nothing changed for better or worse.</p>");
	if (n_first)
		put_change_rows(sides, first, n_first, out);
	strbuf_printf(out, "<details><summary>All %u numbers</summary>", n);
	put_change_rows(sides, changes, n, out);
	strbuf_str(out, "</details></section>");
}

/* ---- plots over each other ---- */

/* Return the step of the earlier log for each step of the later one, -1 for none. Phases of one
 * name start together. The caller frees the result. */
static long *steps_like(const struct report_log *was, const struct report_log *now)
{
	long *steps = xcalloc(now->n_steps, sizeof(*steps));

	for (unsigned i = 0; i < now->n_steps; i++) {
		int64_t at_ns = now->begin_ns + (int64_t)i * now->step_ns + now->step_ns / 2, then_ns;
		const struct report_phase *phase = &now->phases[report_phase_at(now, at_ns)], *like;
		unsigned k;

		steps[i] = -1;
		if (!report_phase_named(was, phase->name, &k))
			continue;
		like = &was->phases[k];
		then_ns = like->begin_ns + (at_ns - phase->begin_ns);
		if (then_ns < like->end_ns && then_ns >= was->begin_ns)
			steps[i] = (long)((then_ns - was->begin_ns) / was->step_ns);
		if (steps[i] >= was->n_steps)
			steps[i] = -1;
	}
	return steps;
}

/* Add the earlier values to the first line of a plot, and omit its other lines. */
static void add_was(const struct report_plot *before, const long *steps, struct report_plot *plot)
{
	struct report_line *line = &plot->lines[0];

	line->was = xcalloc(plot->log->n_steps, sizeof(*line->was));
	line->was_mean = report_line_value(before, 0, before->log->n_phases);
	for (unsigned i = 0; i < plot->log->n_steps; i++)
		line->was[i] = steps[i] < 0 ? (double)NAN : before->lines[0].values[steps[i]];
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

/* Both plots must be of the same metric, because another GPU has other counters. */
static void put_both(const struct report_log *was, const struct report_log *now, const struct chart *old,
		     const struct chart *chart, const long *steps, struct strbuf *out)
{
	struct report_plot plot, before;

	if (!old || !report_plot_init(&before, was, old))
		return;
	if (report_plot_init(&plot, now, chart)) {
		if (strcmp(before.lines[0].metric->def->name, plot.lines[0].metric->def->name) == 0) {
			add_was(&before, steps, &plot);
			report_plot_html(&plot, out);
		}
		report_plot_fini(&plot);
	}
	report_plot_fini(&before);
}

static bool put_plots(const struct report_log *was, const struct report_log *now, const long *steps,
		      struct strbuf *out, struct err *err)
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

			put_both(was, now, chart_like(&old, views.views[i].name, chart->name), chart, steps,
				 out);
		}
	views_fini(&views);
	views_fini(&old);
	return true;
}

/* ---- the page ---- */

static void put_difference(const struct report_log *const logs[2], const char *what, const char *was,
			   const char *now, struct strbuf *out)
{
	if (strcmp(was, now) != 0)
		html_put(out,
			 "<p class=\"note miss\"><b>Different %s</b>, so a change may not come from the "
			 "build: "
			 "%s in "
			 "%s, %s in %s.</p>",
			 what, was, logs[0]->name, now, logs[1]->name);
}

static void put_differences(const struct report_log *was, const struct report_log *now, struct strbuf *out)
{
	const struct report_log *const logs[] = {was, now};
	const struct session_source *a = was->session.gpu, *b = now->session.gpu;
	char before[64], after[64];

	put_difference(logs, "GPU", a ? a->title : "none", b ? b->title : "none", out);
	put_difference(logs, "driver", a ? a->driver : "none", b ? b->driver : "none", out);
	snprintf(before, sizeof(before), "%ux%u at %g fps", was->session.resolution.w,
		 was->session.resolution.h, was->session.fps);
	snprintf(after, sizeof(after), "%ux%u at %g fps", now->session.resolution.w,
		 now->session.resolution.h, now->session.fps);
	put_difference(logs, "goal", before, after, out);
	snprintf(before, sizeof(before), "%.0f MHz", a ? a->constants.top_hz * 1e-6 : 0);
	snprintf(after, sizeof(after), "%.0f MHz", b ? b->constants.top_hz * 1e-6 : 0);
	put_difference(logs, "top clock", before, after, out);
}

static void put_side_sentence(const struct report_side *side, const char *name, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf sentence = {0};

	report_sentence(&side->runs[0], &sentence);
	html_put(out,
		 side->n > 1 ? "<p class=\"lead\"><b>%s</b>, first run: %s</p>"
			     : "<p class=\"lead\"><b>%s:</b> %s</p>",
		 name, sentence.p);
	for (unsigned i = 0; i < side->n; i++)
		if (side->runs[i].missing.n)
			html_put(out, "<p class=\"note miss\">%s is not complete. %s</p>", side->runs[i].name,
				 side->runs[i].missing.p);
}

/* Write the files of a side. */
static void put_files(const struct report_side *side, const char *name, struct strbuf *out)
{
	html_put(out, "<dt>%s</dt><dd>", name);
	for (unsigned i = 0; i < side->n; i++) {
		html_put(out, "%s%s, ", i ? "; " : "", side->runs[i].name);
		report_put_start(&side->runs[i], out);
	}
	strbuf_str(out, "</dd>");
}

static void put_method(const struct report_side *sides, unsigned n, const struct strbuf *names,
		       struct strbuf *out)
{
	report_heading("method", "Method", out);
	strbuf_str(out, "<dl class=\"me\">");
	for (unsigned i = 0; i < n; i++)
		put_files(&sides[i], names[i].p, out);
	if (sides[0].n > 1)
		strbuf_str(out,
			   "<dt>Runs</dt><dd>numbers are means of all runs; plots, verdicts and findings "
			   "are those of the first</dd>");
	if (n == 2)
		strbuf_printf(
			out,
			"<dt>Better, worse</dt><dd>with several runs of each: the means differ by %.0f %% "
			"at least, by more than each deviation, and beyond the 95 %% interval of Welch's "
			"test</dd>",
			REPORT_SAME * 100);
	strbuf_str(out, "</dl>");
}

static bool put_two(const struct report_side *sides, const struct report_change *changes, unsigned n,
		    struct strbuf *out, struct err *err)
{
	const struct report_log *was = &sides[0].runs[0], *now = &sides[1].runs[0];
	bool has_frames = was->frames->times.n && now->frames->times.n;
	AUTOFREE long *steps = steps_like(was, now);

	strbuf_str(out, has_frames ? "<div class=\"two wide\">" : "<div>");
	put_changes(sides, changes, n, out);
	if (has_frames)
		report_put_frames(now, was, out);
	strbuf_str(out, "</div>");
	report_put_time(now, was, steps, out);
	return put_plots(was, now, steps, out, err);
}

bool report_compare_html(const struct report_side *sides, unsigned n, struct strbuf *out, struct err *err)
{
	AUTOFREE struct report_change *changes = NULL;
	unsigned n_changes = report_changes(&sides[0], &sides[n - 1], &changes);
	AUTOFREE struct strbuf *names = xcalloc(n, sizeof(*names));
	AUTO_STRBUF struct strbuf sentence = {0};
	bool ok = true;

	for (unsigned i = 0; i < n; i++)
		if (n == 2)
			strbuf_str(&names[i], i ? "Now" : "Was");
		else
			report_side_name(&sides[i], &names[i]);
	report_side_sentence(sides, n, changes, n_changes, &sentence);
	report_page_open(&sides[n - 1].runs[0], n * sides[0].n, sentence.p, out);
	for (unsigned i = 0; i < n; i++) {
		put_differences(&sides[0].runs[0], &sides[i].runs[0], out);
		for (unsigned k = 1; k < sides[i].n; k++)
			put_differences(&sides[i].runs[0], &sides[i].runs[k], out);
	}
	html_put(out, "<h1>%s.</h1>", sentence.p);
	for (unsigned i = 0; i < n; i++)
		put_side_sentence(&sides[i], names[i].p, out);
	if (n == 2)
		ok = put_two(sides, changes, n_changes, out, err);
	else
		report_put_columns(sides, n, out);
	report_put_side_findings(sides, n, out);
	report_put_side_tables(sides, n, out);
	put_method(sides, n, names, out);
	report_page_close(out);
	for (unsigned i = 0; i < n; i++)
		strbuf_fini(&names[i]);
	return ok;
}
