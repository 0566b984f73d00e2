/* What the Frame view says of its frames: a row below the tabs. */
#include "tui/screen_judge.h"

#include "passes/frame_stats.h"

#include <math.h>
#include <stdio.h>

#define ROW_FROM 20    /* rows of a terminal in which the charts can spare one */
#define LATE_PERCENT 1 /* of frames: fewer are late now and then everywhere */

/* What a frame needs now. */
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
			strbuf_printf(out, cpu ? "; CPU %.1f ms as well" : "; CPU %.1f ms would do",
				      n->cpu_ms);
	} else if (cpu) {
		strbuf_printf(out, "CPU work %.1f of %.1f ms: cut %.1f ms", n->cpu_ms, n->budget_ms,
			      n->cpu_ms - n->budget_ms);
		if (isfinite(n->gpu_ms))
			strbuf_printf(out,
				      n->gpu_ms > n->budget_ms ? "; GPU %.1f ms as well"
							       : "; GPU %.1f ms would do",
				      n->gpu_ms);
	} else if (n->cpu_ms + n->gpu_ms > n->budget_ms) {
		strbuf_printf(out,
			      "CPU %.1f and GPU %.1f ms would do beside each other, but not in turn: "
			      "budget %.1f ms",
			      n->cpu_ms, n->gpu_ms, n->budget_ms);
	} else {
		strbuf_printf(out, "%.1f of %.1f ms, of which it waits %.1f ms", n->ms, n->budget_ms,
			      n->wait_ms);
	}
}

static void put_times(const struct frame_need *n, struct strbuf *out)
{
	strbuf_printf(out, "%.1f of %.1f ms", n->ms, n->budget_ms);
	if (isfinite(n->gpu_ms))
		strbuf_printf(out, "; GPU %.1f ms", n->gpu_ms);
	if (isfinite(n->cpu_ms))
		strbuf_printf(out, "; CPU work %.1f ms", n->cpu_ms);
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
	bool late = n.ms > n.budget_ms * FRAME_LATE, some = n.missed > LATE_PERCENT;
	AUTO_STRBUF struct strbuf text = {0};
	struct pass_table table;

	if (!(fps > 0) || !(n.frames > 0) || !feed->set || !pass_table_has(feed->set))
		return;
	pass_table_read(&table, feed->set, feed->now, pass_run_names(feed->run));
	if (late)
		put_cause(&n, &table, &text);
	else
		put_times(&n, &text);
	strbuf_printf(&text, "; on time %.1f %% of %.0f frames", 100 - n.missed, n.frames);
	str_printable(j->text, sizeof(j->text), text.p);
	*row = (struct verdict_text){late   ? "Frames come late"
				     : some ? "Some frames come late"
					    : "Frames are on time",
				     late   ? STYLE_HOT
				     : some ? STYLE_BUSY
					    : STYLE_CALM,
				     j->text, ROW_FROM};
}
