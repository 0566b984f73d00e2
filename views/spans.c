/* spans: one frame of an application as lanes: the CPU from present to present, a lane per queue of
 * the GPU with its passes, and how many passes run at once. Time begins with the frame; what other
 * frames do meanwhile is dim. Where no frame ended in this time, as on a still screen, the last one
 * stays. */
#include "views/widget.h"

#include "base/real.h"
#include "passes/frame_stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_COLS 12
#define LANE_ROWS_MIN 3 /* CPU, a queue or thread, axis */
#define LANE_ROWS_WANTED 4
#define QUEUES 8
#define TICK_COLS 12

struct span_plot {
	struct pass_frame frame;
	struct pass_table table; /* for the names */
	double end_ms;           /* at the right edge */
	unsigned queues;         /* bits */
	unsigned threads;        /* with regions, likewise */
	bool earlier;            /* no frame of this time, but the last one before it */
};

static bool has_spans(const struct pass_frame *frame)
{
	return frame->n || frame->n_regions;
}

static bool read_plot(struct span_plot *plot, const struct view_data *data)
{
	const struct feed *feed = &data->feeds[SOURCE_PASSES];

	if (!feed->set || !feed->now || !pass_table_has(feed->set))
		return false;
	plot->earlier = feed->lanes ? feed->lanes_earlier : false;
	if (feed->lanes)
		lanes_read_frame(&plot->frame, feed->lanes, feed->lane);
	else
		pass_frame_read(&plot->frame, feed->set, feed->now);
	if (!has_spans(&plot->frame))
		return false;
	pass_table_read(&plot->table, feed->set, plot->earlier && feed->total ? feed->total : feed->now,
			pass_run_names(feed->run));
	plot->end_ms = plot->frame.ms;
	plot->queues = plot->threads = 0;
	for (unsigned i = 0; i < plot->frame.n_regions; i++)
		plot->threads |= 1u << plot->frame.regions[i].queue;
	for (unsigned i = 0; i < plot->frame.n; i++) {
		const struct frame_span *s = &plot->frame.spans[i];

		plot->queues |= 1u << s->queue;
		if (s->of == SPAN_OF_FRAME)
			plot->end_ms = real_max(plot->end_ms, s->end_ms);
	}
	return true;
}

static const char *name_of(const struct span_plot *plot, unsigned row)
{
	for (unsigned i = 0; i < plot->table.n; i++)
		if (plot->table.lines[i].row == row)
			return plot->table.lines[i].name;
	return "";
}

static void spans_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	struct span_plot plot;

	(void)chart;
	(void)cols;
	*min = *most = 0;
	if (!read_plot(&plot, data))
		return;
	*most = 2 + (plot.frame.n > 0) + __builtin_popcount(plot.queues) + __builtin_popcount(plot.threads);
	*min = *most < LANE_ROWS_WANTED ? *most : LANE_ROWS_WANTED;
}

static int column_of(const struct span_plot *plot, double ms, int cols)
{
	double x = ms / plot->end_ms * cols;

	return x <= 0 ? 0 : x >= cols ? cols : (int)real_round(x);
}

/* A bar with its name at the begin, and a gap at the end that separates it from the next. */
static void draw_span(const struct span_plot *plot, struct canvas *canvas, struct rect lane, enum style style,
		      double begin_ms, double end_ms, const char *name)
{
	int from = column_of(plot, begin_ms, lane.w), to = column_of(plot, end_ms, lane.w);
	struct rect r = {lane.x + from, lane.y, to - from, 1};

	if (r.w <= 0 && from < lane.w)
		r.w = 1;
	canvas_fill(canvas, r, style, 0x2584);
	if (r.w > 1)
		canvas_fill(canvas, rect_right(&r, 1), style, 0x2596);
	if (r.w > 3)
		canvas_text_cut(canvas, r, style, name);
}

static void draw_cpu(const struct span_plot *plot, struct canvas *canvas, struct rect lane)
{
	const struct pass_frame *f = &plot->frame;
	double waits = f->wait_ms + f->present_ms;
	char text[128];

	snprintf(text, sizeof(text), "frame %.0f: works %.1f ms, waits %.1f ms ", f->number,
		 real_max(f->ms - waits, 0), waits);
	draw_span(plot, canvas, lane, STYLE_SERIES3, 0, f->ms, text);
	snprintf(text, sizeof(text), "frame %.0f ", f->number + 1);
	if (f->ms < plot->end_ms)
		draw_span(plot, canvas, lane, STYLE_DIM, f->ms, real_min(f->ms + f->next_ms, plot->end_ms),
			  text);
}

static void draw_queue(const struct span_plot *plot, struct canvas *canvas, struct rect lane, unsigned queue)
{
	for (unsigned i = 0; i < plot->frame.n; i++) {
		const struct frame_span *s = &plot->frame.spans[i];

		if (s->queue == queue)
			draw_span(plot, canvas, lane,
				  s->of != SPAN_OF_FRAME ? STYLE_DIM
				  : i % 2                ? STYLE_SERIES2
							 : STYLE_SERIES1,
				  s->begin_ms, s->end_ms, name_of(plot, s->row));
	}
}

static const char *region_name(const struct span_plot *plot, unsigned row)
{
	for (unsigned i = 0; i < plot->table.n_regions; i++)
		if (plot->table.regions[i].row == row)
			return plot->table.regions[i].name;
	return "";
}

/* Regions are in the order of their ends: one within another precedes it, and is drawn over it. */
static void draw_thread(const struct span_plot *plot, struct canvas *canvas, struct rect lane,
			unsigned thread)
{
	for (unsigned i = plot->frame.n_regions; i-- > 0;) {
		const struct frame_span *s = &plot->frame.regions[i];

		if (s->queue == thread)
			draw_span(plot, canvas, lane, i % 2 ? STYLE_SERIES4 : STYLE_SERIES3, s->begin_ms,
				  s->end_ms, region_name(plot, s->row));
	}
}

static unsigned running_at(const struct pass_frame *frame, double ms)
{
	unsigned n = 0;

	for (unsigned i = 0; i < frame->n; i++)
		n += frame->spans[i].begin_ms <= ms && ms < frame->spans[i].end_ms;
	return n;
}

static void draw_at_once(const struct span_plot *plot, struct canvas *canvas, struct rect lane)
{
	unsigned most = 2;
	struct widget_past past;

	for (int x = 0; x < lane.w; x++) {
		unsigned n = running_at(&plot->frame, (x + 0.5) / lane.w * plot->end_ms);

		most = n > most ? n : most;
		past.points[2 * x] = past.points[2 * x + 1] = n;
		past.styles[x] = n > 1 ? STYLE_SERIES2 : STYLE_SERIES1;
	}
	for (int x = 0; x < 2 * lane.w; x++)
		past.points[x] /= most;
	canvas_history(canvas, lane, past.points, past.styles, lane.w);
}

static void draw_ticks(const struct span_plot *plot, struct canvas *canvas, struct rect lane)
{
	double step = widget_nice_top(plot->end_ms * TICK_COLS / lane.w / 1.1);

	for (double ms = 0; ms < plot->end_ms && step > 0; ms += step) {
		int x = column_of(plot, ms, lane.w);

		canvas_printf(canvas, (struct rect){lane.x + x, lane.y, lane.w - x, 1}, STYLE_AXIS,
			      canvas->ascii ? "|%g" : "\u2502%g", ms);
	}
}

/* The end of the budget, across all lanes, but not through a name. */
static void draw_budget(const struct span_plot *plot, const struct view_data *data, struct canvas *canvas,
			struct rect lanes)
{
	int x = data->fps > 0 ? column_of(plot, 1000 / data->fps, lanes.w) : lanes.w;

	for (int y = lanes.y; y < lanes.y + lanes.h && x < lanes.w; y++) {
		uint32_t ch = canvas->cells[y * canvas->cols + lanes.x + x].ch;

		if (ch == ' ' || ch > 0x2500)
			canvas_put(canvas, lanes.x + x, y, STYLE_LIMIT, 0x2503);
	}
}

static struct rect draw_label(struct canvas *canvas, struct rect *r, const char *label)
{
	struct rect row = rect_top(r, 1);

	canvas_text(canvas, rect_left(&row, LABEL_COLS), STYLE_TEXT, label);
	return row;
}

/* A lane per queue or thread, as long as there are rows for what follows. */
static void draw_lanes(const struct span_plot *plot, struct canvas *canvas, struct rect *r, unsigned bits,
		       const char *what,
		       void (*draw)(const struct span_plot *plot, struct canvas *canvas, struct rect lane,
				    unsigned number))
{
	char label[24];

	for (unsigned i = 0; i < QUEUES && r->h > 1 + (plot->frame.n > 0); i++) {
		if (!(bits & 1u << i))
			continue;
		snprintf(label, sizeof(label), "%s %u", what, i);
		draw(plot, canvas, draw_label(canvas, r, label), i);
	}
}

static void spans_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas,
		       struct rect r)
{
	struct span_plot plot;
	struct rect lanes = r;

	(void)chart;
	rect_left(&lanes, LABEL_COLS);
	if (!read_plot(&plot, data) || r.h < LANE_ROWS_MIN || lanes.w < TICK_COLS ||
	    lanes.w > CANVAS_COLS_MAX)
		return;
	draw_cpu(&plot, canvas, draw_label(canvas, &r, "CPU"));
	draw_lanes(&plot, canvas, &r, plot.threads, "thread", draw_thread);
	draw_lanes(&plot, canvas, &r, plot.queues, "GPU queue", draw_queue);
	if (plot.frame.n)
		draw_at_once(&plot, canvas, draw_label(canvas, &r, "at once"));
	lanes.h = r.y - lanes.y;
	draw_budget(&plot, data, canvas, lanes);
	draw_ticks(&plot, canvas, draw_label(canvas, &r, "ms"));
}

/* How much of the GPU's time two or more passes ran at once. */
static double shared_percent(const struct span_plot *plot)
{
	double any = 0, shared = 0;

	for (int i = 0; i < 1000; i++) {
		unsigned n = running_at(&plot->frame, (i + 0.5) / 1000 * plot->end_ms);

		any += n > 0;
		shared += n > 1;
	}
	return shared / any * 100;
}

static void spans_corner(const struct chart *chart, const struct view_data *data, bool ascii, char *text,
			 size_t size)
{
	const struct feed *feed = &data->feeds[SOURCE_PASSES];
	struct span_plot plot;
	double shared;
	int n;

	(void)chart;
	(void)ascii;
	text[0] = 0;
	if (!read_plot(&plot, data))
		return;
	n = plot.earlier ? snprintf(text, size, "the last one, none now")
			 : snprintf(text, size, "one of %.0f frames",
				    metric_value(metric_find(feed->set, SPAN_LIT("frame.count")), feed->now));
	shared = shared_percent(&plot);
	if (!isnan(shared))
		snprintf(text + n, size - (size_t)n, ", two at once %.0f %% of GPU time", shared);
}

const struct widget widget_spans = {.name = "spans",
				    .seriesless = true,
				    .companion = true,
				    .size = spans_size,
				    .draw = spans_draw,
				    .corner = spans_corner};
