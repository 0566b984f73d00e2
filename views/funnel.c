#include "views/widget.h"

#include <math.h>
#include <string.h>

/* funnel: what enters a row of stages, and how much each of them kills.
 *
 * Series that stand beside each other and have the same label are one stage: a count (what enters it), then percentages: what it
 * kills of what enters, and of all. The first stage is the input, which the bars are drawn to; the last is what is left. A stage
 * with a single percentage has its share of all; one without is all.
 * Option `gpus`: a GPU set (doc/data-format.md), because the order of the stages depends on the GPU; one chart for each order. */

struct stage {
	const char *label;
	const struct series *count, *killed, *of_all; /* NULL: none */
};

enum { LABEL_MIN = 8, BAR_MIN = 12, GAP = 1 };

/* Cuts the stage that begins at series *at off the chart. */
static struct stage next_stage(const struct chart *chart, unsigned *at)
{
	struct stage stage = {.label = chart->series[*at].label};

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

struct columns {
	struct rect label, bar, entering, killed, of_all;
};

static struct columns cut(const struct chart *chart, struct rect row)
{
	struct columns c = {.entering.w = 0};
	int count_w = widget_value_cols(chart->series[0].metric->unit), label_w = widget_label_cols(chart);

	c.label = rect_left(&row, label_w > LABEL_MIN ? label_w : LABEL_MIN);
	rect_left(&row, GAP);
	c.of_all = rect_right(&row, WIDGET_PERCENT_COLS);
	c.killed = rect_right(&row, WIDGET_PERCENT_COLS);
	rect_right(&row, GAP);
	if (row.w >= BAR_MIN + GAP + count_w) {
		c.entering = rect_right(&row, count_w);
		rect_right(&row, GAP);
	}
	c.bar = row;
	return c;
}

/* The part that survives the stage in one texture, what it kills in another, both to the scale of the input. */
static void draw_bar(const struct stage *stage, const struct view_data *data, struct canvas *canvas, struct rect bar,
		     double input)
{
	double enters = stage->count ? series_rate_now(stage->count, data) / input : 0;
	double killed;

	if (!stage->killed) {
		canvas_bar(canvas, bar, STYLE_SERIES1, enters);
		return;
	}
	killed = series_now(stage->of_all, data) / 100;
	canvas_bar2(canvas, bar, STYLE_SERIES1, enters - killed, STYLE_SERIES2, killed);
}

static void draw_stage(const struct stage *stage, const struct view_data *data, struct canvas *canvas, const struct columns *c,
		       double input)
{
	canvas_text(canvas, c->label, STYLE_TEXT, stage->label);
	draw_bar(stage, data, canvas, c->bar, input);
	if (stage->count)
		widget_value(canvas, c->entering, stage->count, data, series_rate_now(stage->count, data), STYLE_TEXT);
	if (stage->killed) {
		double killed = series_now(stage->killed, data);

		widget_value(canvas, c->killed, stage->killed, data, killed, series_style(stage->killed, killed));
	}
	if (stage->of_all) {
		double of_all = series_now(stage->of_all, data);

		widget_value(canvas, c->of_all, stage->of_all, data, of_all, series_style(stage->of_all, of_all));
	} else {
		/* the input is all there is */
		widget_number(canvas, c->of_all, unit_find(SPAN_LIT("percent")), input > 0 ? 100 : (double)NAN, false, false,
			      STYLE_TEXT);
	}
}

/* A heading that ends where the numbers under it end, unless the title is there. */
static void draw_heading(struct canvas *canvas, struct rect free, struct rect column, const char *text)
{
	column.y = free.y;
	rect_right(&column, 1); /* the mark of a value */
	if (column.x + column.w - text_width(text) > free.x)
		canvas_text_right(canvas, column, STYLE_DIM, text);
}

static void draw_title(const struct chart *chart, struct canvas *canvas, struct rect *r)
{
	struct columns c = cut(chart, *r);
	struct rect free = widget_title(chart, canvas, r);

	draw_heading(canvas, free, c.entering, "entering");
	draw_heading(canvas, free, c.killed, "killed");
	draw_heading(canvas, free, c.of_all, "of all");
}

static void funnel_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	const struct metric_set *set = series_feed(&chart->series[0], data)->set;
	struct span gpus = chart_option(chart, "gpus");

	(void)cols;
	*min = *most = 0;
	if (gpus.n) {
		if (gpus.p[0] == '@')
			gpus = (struct span){gpus.p + 1, gpus.n - 1};
		if (!set || !set->product || !gpu_set_has((struct gpu_set){gpus}, set->product))
			return;
	}
	*min = count_stages(chart);
	*most = *min + widget_title_rows(chart);
}

static void funnel_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	double input = series_rate_now(&chart->series[0], data);

	if (r.h > count_stages(chart))
		draw_title(chart, canvas, &r);
	for (unsigned at = 0; at < chart->n_series && r.h > 0;) {
		struct stage stage = next_stage(chart, &at);
		struct columns c = cut(chart, rect_top(&r, 1));

		draw_stage(&stage, data, canvas, &c, input);
	}
}

static const char *const funnel_options[] = {"gpus", NULL};

const struct widget widget_funnel = {.name = "funnel", .options = funnel_options, .size = funnel_size, .draw = funnel_draw};
