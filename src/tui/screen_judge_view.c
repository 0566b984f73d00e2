/* The findings of one view: a row below the tabs, and a panel of advice; and the row of the Frame
 * view about its frames. */
#include "tui/screen_judge.h"

#include "base/alloc.h"
#include "passes/frame_stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW_FROM 20 /* least rows of a terminal whose charts can spare a row */

/* The findings of a view, without the muted ones. */
struct view_findings {
	const struct judged *held[8];                /* faults, the worst first, then the oldest */
	unsigned n_held, n_fine, n_known, n_idle, n; /* idle: beyond the limit, but irrelevant now */
	struct strbuf quiet, noticed;                /* numbers of findings that do not hold; notes */
};

/* Add a name once, because two findings may judge the same number. */
static void add_name(struct strbuf *names, const char *name)
{
	if (!names->n || !strstr(names->p, name))
		strbuf_printf(names, "%s%s", names->n ? ", " : "", name);
}

static struct view_findings findings_of(const struct screen_judge *j, const struct view *view)
{
	struct view_findings of = {0};
	unsigned at;

	for (unsigned i = 0; j->judge && i < j->judge->n_findings; i++) {
		const struct judged *f = &j->judge->findings[i];

		if (!screen_judge_names(f->def->look, view->name) || screen_judge_mutes(j, f->def))
			continue;
		of.n++;
		of.n_known += !isnan(f->number.value);
		of.n_fine += !f->holds && judged_is_fine(f);
		if (f->holds && screen_judge_rank(j, f).severity > SEVERITY_NOTE) {
			at = of.n_held < ARRAY_LEN(of.held) ? of.n_held++ : of.n_held - 1;
			for (; at > 0 && screen_judge_before(j, f, of.held[at - 1]); at--)
				of.held[at] = of.held[at - 1];
			of.held[at] = f;
		} else if (f->holds)
			add_name(&of.noticed, f->def->title);
		else
			add_name(&of.quiet, f->number.title);
		of.n_idle += !f->holds && !isnan(f->number.value) && !judged_is_fine(f);
	}
	return of;
}

/* Add "Budget used 1.18, above 1.00 (guide)", or "0.64 W, back within 0.65 W (guide), ends at
 * 0.62 W"; the mean while it held, if it has no value now. */
static void put_limit(struct strbuf *out, const struct judged *f)
{
	double value = isnan(f->number.value) ? f->mean : f->number.value;
	bool above = f->side == ALERT_ABOVE, beyond = above ? value >= f->limit : value <= f->limit;
	const char *whose = finding_origin(f->def);
	const struct judge_number *n = &f->number;
	char limit[UNITS_TEXT];

	strbuf_printf(out, "%s %s", n->title,
		      unit_format(limit, value, n->unit, n->metric && n->metric->grows, false));
	if (isnan(n->value))
		strbuf_str(out, " on average");
	unit_format(limit, f->limit, n->unit, false, false);
	if (beyond || !f->holds) {
		strbuf_printf(out, "%s %s %s (%s)", beyond ? "," : ", not", above ? "above" : "below", limit,
			      whose);
		return;
	}
	strbuf_printf(out, ", back within %s (%s), ends at ", limit, whose);
	strbuf_str(out, unit_format(limit, f->off, n->unit, false, false));
}

static void say_row(struct screen_judge *j, const struct view_findings *of, struct verdict_text *row)
{
	AUTO_STRBUF struct strbuf text = {0};

	if (of->n_held) {
		const struct finding_def *worst = of->held[0]->def;

		*row = (struct verdict_text){worst->title,
					     screen_judge_rank(j, of->held[0]).severity == SEVERITY_CRITICAL
						     ? STYLE_HOT
						     : STYLE_BUSY,
					     j->text, ROW_FROM};
		put_limit(&text, of->held[0]);
		for (unsigned i = 1; i < of->n_held; i++)
			strbuf_printf(&text, "%s%s", i > 1 ? ", " : "; also ", of->held[i]->def->title);
	} else if (of->n_known) {
		*row = (struct verdict_text){"Nothing found", STYLE_CALM, j->text, ROW_FROM};
		/* "10 of 11 checks are fine; noticed: Little depth is written" */
		if (of->n_fine < of->n)
			strbuf_printf(&text, "%u of %u checks are fine", of->n_fine, of->n);
		else
			strbuf_printf(&text, of->n == 1 ? "the only check is fine" : "all %u checks are fine",
				      of->n);
		if (of->n_idle)
			strbuf_printf(&text, ", %u over the limit but harmless now", of->n_idle);
		if (of->n > of->n_known)
			strbuf_printf(&text, ", %u not known now", of->n - of->n_known);
		if (of->noticed.n)
			strbuf_printf(&text, "; noticed: %s", of->noticed.p);
	} else {
		*row = (struct verdict_text){"Not clear", STYLE_DIM, j->text, ROW_FROM};
		strbuf_str(&text, "no number that a check needs is known now");
	}
	str_printable(j->text, sizeof(j->text), text.p);
}

static void put_advice(struct screen_judge *j, const struct view_findings *of)
{
	for (unsigned i = 0; i < of->n_held; i++) {
		const struct finding_def *def = of->held[i]->def;

		strbuf_printf(&j->advice, "%s\t%.*s\n", def->title,
			      SPAN_ARG(finding_text(def->advice, j->judge->product)));
	}
	if (!of->n_held)
		strbuf_str(&j->advice,
			   of->n_known ? "nothing: no finding of this view holds now\n" : "not clear\n");
	if (!of->n_held && of->quiet.n) /* without the names of passed checks, which change often */
		strbuf_printf(&j->advice, "what is checked\t%s\n", of->quiet.p);
}

void screen_judge_view(struct screen_judge *j, const struct view *view, struct verdict_text *row)
{
	struct view_findings of = findings_of(j, view);

	strbuf_clear(&j->advice);
	if (of.n) {
		say_row(j, &of, row);
		put_advice(j, &of);
	}
	strbuf_fini(&of.quiet);
	strbuf_fini(&of.noticed);
}

/* ---- the frames of the Frame view ---- */

#define REST_PERCENT (100.0 / 3) /* work of a frame on a still screen, see frame.work_share */
#define LATE_PERCENT 1           /* percent of frames: a smaller share of late frames is normal */

/* The current needs of a frame. */
struct frame_need {
	double budget_ms, ms, gpu_ms, cpu_ms, wait_ms, missed, frames;
};

static double number_of(const struct feed *feed, const char *name)
{
	return feed_now(feed, span_of(name));
}

/* "GPU 18.7 of 16.7 ms: cut 2.0 ms, largest pass scene 9.4 ms" */
static void put_cause(const struct frame_need *n, const struct pass_table *table, struct strbuf *out)
{
	const struct pass_line *pass = table->n ? &table->lines[0] : NULL;
	bool gpu = n->gpu_ms > n->budget_ms && !(n->cpu_ms > n->gpu_ms), cpu = n->cpu_ms > n->budget_ms;

	if (gpu) {
		strbuf_printf(out, "GPU %.1f of %.1f ms: cut %.1f ms", n->gpu_ms, n->budget_ms,
			      n->gpu_ms - n->budget_ms);
		if (pass)
			strbuf_printf(out, ", largest pass %s %.1f ms", pass->name, pass->ms);
		if (isfinite(n->cpu_ms))
			strbuf_printf(out, cpu ? "; CPU %.1f ms as well" : "; CPU %.1f ms would fit",
				      n->cpu_ms);
	} else if (cpu) {
		strbuf_printf(out, "CPU work %.1f of %.1f ms: cut %.1f ms", n->cpu_ms, n->budget_ms,
			      n->cpu_ms - n->budget_ms);
		if (isfinite(n->gpu_ms))
			strbuf_printf(out,
				      n->gpu_ms > n->budget_ms ? "; GPU %.1f ms as well"
							       : "; GPU %.1f ms would fit",
				      n->gpu_ms);
	} else if (n->cpu_ms + n->gpu_ms > n->budget_ms) {
		strbuf_printf(out,
			      "CPU %.1f and GPU %.1f ms would fit in parallel, but not in turn: "
			      "budget %.1f ms",
			      n->cpu_ms, n->gpu_ms, n->budget_ms);
	} else {
		strbuf_printf(out, "%.1f of %.1f ms, of which it waits %.1f ms", n->ms, n->budget_ms,
			      n->wait_ms);
	}
}

void screen_judge_frame(struct screen_judge *j, const struct feed *feed, double fps, struct verdict_text *row)
{
	const struct frame_need n = {.budget_ms = 1000 / fps,
				     .ms = number_of(feed, "frame.cpu_ms"),
				     .gpu_ms = number_of(feed, "frame.gpu_ms"),
				     .cpu_ms = number_of(feed, "frame.busy_ms"),
				     .wait_ms = number_of(feed, "frame.wait_ms"),
				     .missed = number_of(feed, "frame.missed"),
				     .frames = number_of(feed, "frame.count")};
	bool rests = number_of(feed, "frame.work_share") < REST_PERCENT;
	bool late = n.ms > n.budget_ms * FRAME_LATE && !rests, some = n.missed > LATE_PERCENT && !rests;
	AUTO_STRBUF struct strbuf text = {0};
	struct pass_table table;

	if (!(fps > 0) || !(n.frames > 0) || !feed->set || !pass_table_has(feed->set))
		return;
	pass_table_read(&table, feed->set, feed->now, pass_run_names(feed->run));
	if (late)
		put_cause(&n, &table, &text);
	else
		strbuf_printf(&text, "%.1f of %.1f ms", n.ms, n.budget_ms);
	if (!late && isfinite(n.gpu_ms))
		strbuf_printf(&text, "; GPU %.1f ms", n.gpu_ms);
	if (!late && isfinite(n.cpu_ms))
		strbuf_printf(&text, "; CPU work %.1f ms", n.cpu_ms);
	if (rests)
		strbuf_printf(&text, "; %.0f frames, only when something changes", n.frames);
	else
		strbuf_printf(&text, "; on time %.1f %% of %.0f frames", 100 - n.missed, n.frames);
	str_printable(j->text, sizeof(j->text), text.p);
	*row = (struct verdict_text){rests  ? "The screen rests"
				     : late ? "Frames are late"
				     : some ? "Some frames are late"
					    : "Frames are on time",
				     late   ? STYLE_HOT
				     : some ? STYLE_BUSY
					    : STYLE_CALM,
				     j->text, ROW_FROM};
}
