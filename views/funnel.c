#include "base/alloc.h"
#include "views/widget.h"

#include <math.h>
#include <string.h>

/* funnel: the primitives that enter each of a row of stages, and the share that each stage culls.
 *
 * Neighbouring series with the same label are one stage: a count (its input), then percentages: the
 * share that it culls of its input, and of all primitives. The first stage is the input, which
 * scales the bars; the last is the rest. A stage with a single percentage has its share of all; one
 * without has all. The order of the stages depends on the GPU, so there is a chart for each order.
 *
 * If the bars stay long enough, a column shows the input of each stage per shown frame, or per
 * wanted frame while no source counts frames. It has no unit. */

struct stage {
	const char *label;
	const char *note;
	const struct series *count, *killed, *of_all; /* NULL: none */
};

enum { LABEL_MIN = 8, BAR_MIN = 12, GAP = 1, STAGE_MAX = 2, NOTE_FROM = 90, NOTE_COLS = 10 };

/* Take the stage that starts at series *at off the chart. */
static struct stage next_stage(const struct chart *chart, unsigned *at)
{
	struct stage stage = {.label = chart->series[*at].label, .note = chart->series[*at].note};

	for (; *at < chart->n_series && strcmp(chart->series[*at].label, stage.label) == 0; ++*at) {
		const struct series *series = &chart->series[*at];

		if (series->metric->unit->kind != UNIT_PERCENT) {
			stage.count = series;
		} else {
			stage.killed = stage.of_all;
			stage.of_all = series;
		}
	}
	return stage;
}

static int count_stages(const struct chart *chart)
{
	int n = 0;

	for (unsigned at = 0; at < chart->n_series; n++)
		next_stage(chart, &at);
	return n;
}

/* Headings of the column per frame while no source counts frames, the longest first, and the
 * columns that each leaves to the bar. All are longer than "per frame", so that nothing moves. */
static const struct frame_head {
	const char *wanted;
	int bar_min;
} frame_heads[] = {{"per target frame", 40}, {"per target", 20}};

struct funnel_columns {
	struct rect label, bar, entering, per_frame, killed, of_all, note;
	const struct frame_head *frame_head; /* NULL: no column per frame */
};

/* Cut off the widest column per frame that leaves room for the bar and the count. */
static void cut_per_frame(struct funnel_columns *c, struct rect *row, int count_w)
{
	int value_w = widget_value_cols(unit_find(SPAN_LIT("primitives/frame")));

	for (size_t i = 0; i < ARRAY_LEN(frame_heads) && !c->frame_head; i++) {
		int w = text_width(frame_heads[i].wanted) + 1;

		w = w > value_w ? w : value_w;
		if (row->w < frame_heads[i].bar_min + GAP + count_w + GAP + w)
			continue;
		c->frame_head = &frame_heads[i];
		c->per_frame = rect_right(row, w);
		rect_right(row, GAP);
	}
}

static struct funnel_columns cut_columns(const struct chart *chart, struct rect row)
{
	struct funnel_columns c = {.entering.w = 0};
	const struct unit *unit = chart->series[0].metric->unit;
	int count_w = widget_value_cols(unit), label_w = widget_label_cols(chart);

	c.label = rect_left(&row, label_w > LABEL_MIN ? label_w : LABEL_MIN);
	rect_left(&row, GAP);
	if (row.w >= NOTE_FROM) {
		c.note = rect_right(&row, NOTE_COLS);
		rect_right(&row, GAP);
	}
	c.of_all = rect_right(&row, WIDGET_PERCENT_COLS);
	c.killed = rect_right(&row, WIDGET_PERCENT_COLS);
	rect_right(&row, GAP);
	if (unit->kind == UNIT_COUNT && !unit->symbol[0])
		cut_per_frame(&c, &row, count_w);
	if (row.w >= BAR_MIN + GAP + count_w) {
		c.entering = rect_right(&row, count_w);
		rect_right(&row, GAP);
	}
	c.bar = row;
	return c;
}

/* Draw the part that survives the stage and the part that it culls in two textures, both to the
 * scale of the input. */
static void draw_bar(const struct drawing *d, const struct stage *stage, struct rect bar, double input)
{
	static const uint8_t styles[] = {STYLE_SERIES1, STYLE_SERIES4};
	static const uint8_t input_style[] = {STYLE_VALUE}, visible_style[] = {STYLE_CALM};
	double parts[2] = {stage->count ? series_rate_now(stage->count, d->data) / input : 0, 0};

	if (stage->killed) {
		parts[1] = series_now(stage->of_all, d->data) / 100;
		parts[0] -= parts[1];
	}
	if (stage->killed)
		canvas_parts(d->canvas, bar, parts, styles, 2);
	else
		canvas_parts(d->canvas, bar, parts, stage->of_all ? visible_style : input_style, 1);
}

/* Draw how many primitives enter per frame, at the right end of the column, below the heading. A
 * dash if the frame rate is unknown. */
static void draw_per_frame(const struct drawing *d, const struct series *count, struct rect cell)
{
	const struct unit *unit = unit_find(SPAN_LIT("primitives/frame"));
	const struct feed *feed = series_feed(count, d->data);
	double rate = NAN;

	if (!cell.w)
		return;
	if (!d->data->frames_known)
		rate = feed->set ? feed->set->constants[VECTOR_FPS] : (double)NAN;
	else if (feed->now)
		rate = feed->now[VECTOR_FRAME_RATE];
	rate = rate > 0 ? series_rate_now(count, d->data) / rate : (double)NAN;
	rect_left(&cell, cell.w - widget_value_cols(unit));
	widget_number(d->canvas, cell, unit, rate, false, false, STYLE_TEXT);
}

static void draw_share(const struct drawing *d, const struct series *s, struct rect r)
{
	double value = series_now(s, d->data);

	widget_value(d, r, s, NULL, value, series_style(s, d->data, NULL, value), false);
}

static void draw_stage(const struct drawing *d, const struct stage *stage, const struct funnel_columns *c,
		       double input)
{
	canvas_text(d->canvas, c->label, stage->killed ? STYLE_TEXT : STYLE_VALUE, stage->label);
	draw_bar(d, stage, c->bar, input);
	canvas_text(d->canvas, c->note, STYLE_DIM, stage->note);
	if (stage->count) {
		widget_value(d, c->entering, stage->count, NULL, series_rate_now(stage->count, d->data),
			     STYLE_TEXT, false);
		draw_per_frame(d, stage->count, c->per_frame);
	}
	if (stage->killed)
		draw_share(d, stage->killed, c->killed);
	if (stage->of_all)
		draw_share(d, stage->of_all, c->of_all);
	else /* only the input is known */
		widget_number(d->canvas, c->of_all, unit_find(SPAN_LIT("percent")),
			      input > 0 ? 100 : (double)NAN, false, false, STYLE_TEXT);
}

static void draw_title(const struct drawing *d, struct rect *r)
{
	struct funnel_columns c = cut_columns(d->chart, *r);
	struct rect free = widget_head(r);

	widget_heading(d->canvas, free, c.entering, "entering");
	if (c.frame_head)
		widget_heading(d->canvas, free, c.per_frame,
			       d->data->frames_known ? "per frame" : c.frame_head->wanted);
	widget_heading(d->canvas, free, c.killed, "killed");
	widget_heading(d->canvas, free, c.of_all, "of all");
	c.note.y = free.y;
	canvas_text(d->canvas, c.note, STYLE_DIM, c.note.w ? "expected" : "");
}

static struct need funnel_size(const struct drawing *d, int cols)
{
	int stages = count_stages(d->chart);

	(void)cols;
	/* headings take one line, because the percentages have different bases */
	return (struct need){1 + stages, 1 + STAGE_MAX * stages + 1};
}

/* Draw the legend below the stages, if lines are left. */
static void draw_legend(struct canvas *canvas, struct rect r, int from)
{
	static const struct {
		enum style style;
		const char *words;
	} kinds[] = {{STYLE_SERIES1, "goes on"}, {STYLE_SERIES4, "killed here"}};

	rect_left(&r, from);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		canvas_fill(canvas, rect_left(&r, 1), kinds[i].style,
			    canvas_part_glyph(canvas, kinds[i].style));
		rect_left(&r, 1);
		rect_left(&r, canvas_text(canvas, r, STYLE_DIM, kinds[i].words) + 2);
	}
}

static void funnel_draw(const struct drawing *d, struct rect r)
{
	double input = series_rate_now(&d->chart->series[0], d->data);

	int stages = count_stages(d->chart), h;

	if (r.h > stages)
		draw_title(d, &r);
	h = r.h / stages < 1 ? 1 : r.h / stages > STAGE_MAX ? STAGE_MAX : r.h / stages;
	for (unsigned at = 0; at < d->chart->n_series && r.h > 0;) {
		const struct series *first = &d->chart->series[at];
		struct stage stage = next_stage(d->chart, &at);
		struct rect row = rect_top(&r, h);
		struct funnel_columns c = cut_columns(d->chart, row);

		widget_row(d, row, first, NULL);
		draw_stage(d, &stage, &c, input);
	}
	draw_legend(d->canvas, rect_bottom(&r, r.h > 0), cut_columns(d->chart, r).bar.x - r.x);
}

const struct widget widget_funnel = {.name = "funnel", .heads = 1, .size = funnel_size, .draw = funnel_draw};
