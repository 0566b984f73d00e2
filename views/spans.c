/* spans: one frame of an application as lanes: the CPU from present to present, a lane per thread
 * with regions, and a lane per queue of the GPU with its passes during that time. With frames in
 * flight these passes belong to earlier frames, which this one waited for. If no frame ended in
 * this time, as on a still screen, the last one stays. */
#include "views/pass_groups.h"
#include "views/widget.h"

#include "base/real.h"
#include "passes/frame_stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_COLS 12
#define LANE_ROWS_MIN 3 /* the axis, the CPU, and a queue or thread */
#define LANE_ROWS_WANTED 5
#define FOOT_ROWS 2 /* the late time; the sums, and names that do not fit */
#define QUEUES 8
#define TICK_COLS 12
#define NARROW_MOST 16

struct span_plot {
	struct canvas *canvas;
	struct pass_frame frame;
	struct pass_table table; /* for the names of passes */
	double work_ms, wait_ms; /* of the thread that presents: its CPU time, and the remaining time */
	unsigned queues;         /* bit set */
	unsigned threads;        /* with regions, bit set */
	bool idle;               /* there was nothing to do, as on a still screen */
	bool earlier;            /* no frame ended in this time; this is the last one before */
	unsigned n_narrow;
	struct narrow_span {
		const char *name; /* name in the table */
		enum style style;
	} narrow[NARROW_MOST]; /* bars of this drawing that are too narrow for their names */
};

static bool read_plot(struct span_plot *plot, const struct drawing *d)
{
	const struct feed *feed = &d->data->feeds[SOURCE_PASSES];
	struct pass_frame *f = &plot->frame;

	plot->canvas = d->canvas;
	plot->earlier = feed->frame_sample && feed->frame_earlier;
	if (!pass_table_of(d->data, plot->earlier, &plot->table))
		return false;
	if (feed->frame_sample)
		pass_records_read_frame(f, feed->frame_sample, feed->frame_index);
	else
		pass_frame_read(f, feed->set, feed->now);
	plot->work_ms = isnan(f->cpu_ms) ? f->ms - f->wait_ms - f->present_ms : f->cpu_ms;
	plot->work_ms = real_max(real_min(plot->work_ms, f->ms - f->present_ms), 0);
	plot->wait_ms = real_max(f->ms - f->present_ms - plot->work_ms, 0);
	plot->idle = frame_rests(f->ms, f->cpu_ms, f->gpu_ms);
	for (unsigned i = 0; plot->idle && feed->run && i < feed->run->stats.n_worst; i++)
		plot->idle = feed->run->stats.worst[i].number != f->number || feed->run->stats.worst[i].idle;
	plot->queues = plot->threads = plot->n_narrow = 0;
	for (unsigned i = 0; i < f->n_regions; i++)
		plot->threads |= 1u << f->regions[i].queue;
	for (unsigned i = 0; i < f->n; i++)
		if (f->spans[i].begin_ms < f->ms)
			plot->queues |= 1u << f->spans[i].queue;
	return f->n || f->n_regions;
}

static const char *name_of(const struct span_plot *plot, unsigned row)
{
	for (unsigned i = 0; i < plot->table.n; i++)
		if (plot->table.lines[i].row == row)
			return plot->table.lines[i].name;
	return "";
}

static struct need spans_size(const struct drawing *d, int cols)
{
	struct span_plot plot;
	int rows;

	(void)cols;
	if (!read_plot(&plot, d))
		return (struct need){0, 0};
	rows = 2 + __builtin_popcount(plot.queues) + __builtin_popcount(plot.threads) + FOOT_ROWS;
	return (struct need){rows < LANE_ROWS_WANTED ? rows : LANE_ROWS_WANTED, rows};
}

/* Return 0 if the time is unknown, or the frame took none. */
static int column_of(const struct span_plot *plot, double ms, int cols)
{
	double x = ms / plot->frame.ms * cols;

	return !(x > 0) ? 0 : x >= cols ? cols : (int)real_round(x);
}

/* Return the style of text on a bar of that style. */
static enum style style_on(enum style bar)
{
	return bar >= STYLE_SERIES1 && bar <= STYLE_SERIES4 ? bar - STYLE_SERIES1 + STYLE_BAR1 : STYLE_DIM;
}

/* Return the colour of a pass, which is the same in all frames. */
static enum style style_of(const char *name)
{
	return STYLE_SERIES1 + span_hash(span_of(name)) % 4;
}

/* Draw a bar with its name, with ms if they fit. If the name does not fit, add it to the legend.
 * The last column between two bars stays blank. */
static void draw_span(struct span_plot *plot, struct rect lane, enum style style, double begin_ms,
		      double end_ms, const char *name)
{
	struct canvas *canvas = plot->canvas;
	int from = column_of(plot, begin_ms, lane.w), to = column_of(plot, end_ms, lane.w);
	struct rect r = {lane.x + from, lane.y, to - from, 1};
	char text[PASS_NAME_TEXT + 16];
	int width;

	if (r.w <= 0 && from < lane.w)
		r.w = 1;
	if (r.w > 1)
		r.w--;
	canvas_fill(canvas, r, style, style == STYLE_DIM ? 0x2591 : 0x2588);
	snprintf(text, sizeof(text), "%s %.2f", name, end_ms - begin_ms);
	if (text_width(text) > r.w)
		snprintf(text, sizeof(text), "%s", name);
	width = text_width(text);
	if (width <= r.w) {
		rect_left(&r, (r.w - width) / 2);
		canvas_text(canvas, r, style_on(style), text);
	} else if (style != STYLE_DIM && plot->n_narrow < NARROW_MOST) {
		plot->narrow[plot->n_narrow++] = (struct narrow_span){name, style};
	}
}

static void draw_idle(struct canvas *canvas, struct rect lane)
{
	for (int x = 0; x < lane.w; x++)
		canvas_put(canvas, lane.x + x, lane.y, STYLE_TRACK, 0xb7);
}

static void draw_cpu(struct span_plot *plot, struct rect lane)
{
	double waits = plot->work_ms + plot->wait_ms;

	draw_idle(plot->canvas, lane);
	draw_span(plot, lane, STYLE_SERIES3, 0, plot->work_ms, "work");
	if (plot->wait_ms > 0)
		draw_span(plot, lane, STYLE_DIM, plot->work_ms, waits, "waits");
	if (plot->frame.present_ms > 0)
		draw_span(plot, lane, STYLE_SERIES4, waits, plot->frame.ms, "present");
}

static const char *region_name(const struct span_plot *plot, unsigned row)
{
	for (unsigned i = 0; i < plot->table.n_regions; i++)
		if (plot->table.regions[i].row == row)
			return plot->table.regions[i].name;
	return "";
}

/* Draw the passes of a queue or the regions of a thread. Regions are in the order of their ends: an
 * inner one precedes the outer one, and is drawn over it. */
static void draw_lane(struct span_plot *plot, struct rect lane, bool regions, unsigned number)
{
	unsigned n = regions ? plot->frame.n_regions : plot->frame.n;

	draw_idle(plot->canvas, lane);
	for (unsigned i = 0; i < n; i++) {
		const struct frame_span *s =
			regions ? &plot->frame.regions[n - 1 - i] : &plot->frame.spans[i];
		const char *name = regions ? region_name(plot, s->row) : name_of(plot, s->row);

		if (s->queue == number && (regions || s->begin_ms < plot->frame.ms))
			draw_span(plot, lane, style_of(name), s->begin_ms, s->end_ms, name);
	}
}

static unsigned running_at(const struct pass_frame *frame, double ms)
{
	unsigned n = 0;

	for (unsigned i = 0; i < frame->n; i++)
		n += frame->spans[i].begin_ms <= ms && ms < frame->spans[i].end_ms;
	return n;
}

static void draw_ticks(const struct span_plot *plot, struct rect lane)
{
	double step = widget_nice_top(plot->frame.ms * TICK_COLS / lane.w / 1.1);

	for (double ms = 0; ms < plot->frame.ms && step > 0; ms += step) {
		int x = column_of(plot, ms, lane.w);

		canvas_printf(plot->canvas, (struct rect){lane.x + x, lane.y, lane.w - x, 1}, STYLE_AXIS,
			      "\u2502%g", ms);
	}
}

static int budget_column(const struct span_plot *plot, const struct view_data *data, int cols)
{
	double budget_ms = data->fps > 0 ? 1000 / data->fps : plot->frame.ms;

	return budget_ms < plot->frame.ms ? column_of(plot, budget_ms, cols) : cols;
}

/* Draw the end of the budget across all lanes, but not through a name. */
static void draw_budget(struct canvas *canvas, struct rect lanes, int x)
{
	for (int y = lanes.y; y < lanes.y + lanes.h && x < lanes.w; y++) {
		uint32_t ch = canvas->cells[y * canvas->cols + lanes.x + x].ch;

		if (ch == ' ' || ch == 0xb7 || ch > 0x2500)
			canvas_put(canvas, lanes.x + x, y, STYLE_HOT, 0x2503);
	}
}

/* "budget 16.7 ms ┃━━━ late 6.7 ms ━━━" */
static void draw_late(const struct drawing *d, const struct span_plot *plot, struct rect row)
{
	int from = budget_column(plot, d->data, row.w), to = column_of(plot, plot->frame.ms, row.w), width;
	struct rect before = row, late = {row.x + from, row.y, to - from, 1};
	double budget_ms = 1000 / d->data->fps;
	enum style style = STYLE_HOT;
	char text[48];

	if (!(d->data->fps > 0))
		return;
	snprintf(text, sizeof(text), "budget %.1f ms ", budget_ms);
	before.w = from;
	if (text_width(text) <= from)
		canvas_text_right(d->canvas, before, STYLE_DIM, text);
	if (plot->idle)
		style = STYLE_DIM;
	snprintf(text, sizeof(text), " %s %.1f ms ", plot->idle ? "idle" : "late",
		 plot->frame.ms - budget_ms);
	width = text_width(text);
	if (late.w <= 0)
		return;
	canvas_fill(d->canvas, late, style, 0x2501);
	if (width > late.w)
		late = (struct rect){late.x + late.w, late.y, row.x + row.w - late.x - late.w, 1};
	else
		rect_left(&late, (late.w - width) / 2);
	canvas_text(d->canvas, late, style, text);
}

/* "work 12.20  waits 10.80  present 0.42  = 23.42  GPU busy 23.10   narrow: ■ bloom" */
static void draw_sums(const struct span_plot *plot, struct rect row)
{
	const struct pass_frame *f = &plot->frame;
	struct canvas *canvas = plot->canvas;

	rect_left(&row,
		  canvas_printf(canvas, row, STYLE_TEXT, "work %.2f  waits %.2f  present %.2f  = %.2f ms",
				plot->work_ms, plot->wait_ms, f->present_ms, f->ms));
	if (isfinite(f->gpu_ms))
		rect_left(&row, canvas_printf(canvas, row, STYLE_TEXT, "   GPU busy %.2f", f->gpu_ms));
	for (unsigned i = 0; i < plot->n_narrow; i++) {
		const struct narrow_span *n = &plot->narrow[i];
		const char *gap = i ? "  " : "   narrow: ";

		if (text_width(gap) + 2 + text_width(n->name) > row.w)
			return;
		rect_left(&row, canvas_text(canvas, row, STYLE_DIM, gap));
		canvas_fill(canvas, rect_left(&row, 1), n->style, canvas_part_glyph(canvas, n->style));
		rect_left(&row, 1);
		rect_left(&row, canvas_text(canvas, row, STYLE_TEXT, n->name));
	}
}

static struct rect draw_label(struct canvas *canvas, struct rect *r, const char *label)
{
	struct rect row = rect_top(r, 1);

	canvas_text(canvas, rect_left(&row, LABEL_COLS), STYLE_TEXT, label);
	return row;
}

/* Draw a lane per queue or thread, until the rows are used up. */
static void draw_lanes(struct span_plot *plot, struct rect *r, bool regions)
{
	unsigned bits = regions ? plot->threads : plot->queues;
	char label[24];

	for (unsigned i = 0; i < QUEUES && r->h > 0; i++) {
		if (!(bits & 1u << i))
			continue;
		snprintf(label, sizeof(label), "%s %u", regions ? "thread" : "GPU queue", i);
		draw_lane(plot, draw_label(plot->canvas, r, label), regions, i);
	}
}

static void spans_draw(const struct drawing *d, struct rect r)
{
	struct span_plot plot;
	struct rect lanes = r, foot;

	rect_left(&lanes, LABEL_COLS);
	if (!read_plot(&plot, d) || r.h < LANE_ROWS_MIN || lanes.w < TICK_COLS || lanes.w > CANVAS_COLS_MAX)
		return;
	foot = rect_bottom(&r, r.h >= LANE_ROWS_MIN + FOOT_ROWS ? FOOT_ROWS : 0);
	draw_ticks(&plot, draw_label(d->canvas, &r, "ms"));
	draw_cpu(&plot, draw_label(d->canvas, &r, "CPU"));
	draw_lanes(&plot, &r, true);
	draw_lanes(&plot, &r, false);
	lanes.h = (foot.h ? foot.y : r.y) - lanes.y;
	draw_budget(d->canvas, lanes, budget_column(&plot, d->data, lanes.w));
	if (!foot.h)
		return;
	rect_left(&foot, LABEL_COLS);
	draw_late(d, &plot, rect_top(&foot, 1));
	draw_sums(&plot, foot);
}

/* Return the share of the GPU's time during which passes overlapped, in percent. */
static double shared_percent(const struct span_plot *plot)
{
	double any = 0, shared = 0;

	for (int i = 0; i < 1000; i++) {
		unsigned n = running_at(&plot->frame, (i + 0.5) / 1000 * plot->frame.ms);

		any += n > 0;
		shared += n > 1;
	}
	return shared / any * 100;
}

static void spans_corner(const struct drawing *d, char *text, size_t size)
{
	const struct feed *feed = &d->data->feeds[SOURCE_PASSES];
	struct span_plot plot;
	double shared;
	int n;

	if (!read_plot(&plot, d))
		return;
	n = plot.earlier
		    ? snprintf(text, size, "%.1f ms  frame %.0f, the last; none now", plot.frame.ms,
			       plot.frame.number)
		    : snprintf(text, size, "%.1f ms  frame %.0f, 1 of %.0f", plot.frame.ms, plot.frame.number,
			       metric_value(metric_find(feed->set, SPAN_LIT("frame.count")), feed->now));
	shared = shared_percent(&plot);
	if (!isnan(shared))
		snprintf(text + n, size - (size_t)n, "  queues overlap %.0f %% of GPU time", shared);
}

const struct widget widget_spans = {.name = "spans",
				    .seriesless = true,
				    .companion = true,
				    .size = spans_size,
				    .draw = spans_draw,
				    .corner = spans_corner};
