/* lanes: a lane per series, as high as space permits (one row for a `sub`), time from left to right
 * with the newest at the right, and the current value at the end. */
#include "views/widget.h"

#define LABEL_COLS 18
#define AXIS_COLS 3
#define LANE_WANTED 4
#define LANE_MAX 10

/* Whether the series is a `sub`, whose lane has one row. */
static bool is_thin(const struct series *s)
{
	return s->label[0] == ' ';
}

static struct need lanes_size(const struct drawing *d, int cols)
{
	struct need need = {(int)d->chart->n_series, 0};

	(void)cols;
	if (widget_has_each(d)) {
		need.min = need.most = widget_each_rows(d);
		return need;
	}
	for (unsigned i = 0; i < d->chart->n_series; i++)
		need.most += is_thin(&d->chart->series[i]) ? 1 : LANE_WANTED;
	return need;
}

static void draw_lane(const struct drawing *d, const struct series *s, struct rect r)
{
	double now = series_rate_now(s, d->data), scale = widget_scale(d, s, 2 * r.w);
	enum style style = now > 0 ? chart_style(d, s, NULL, now, -1) : STYLE_DIM;
	struct rect label, value;

	/* highlight only the label of a high lane: a background below a graph would be too much */
	widget_hit(d, r, r.h > 1 ? (struct rect){r.x, r.y + r.h - 1, LABEL_COLS, 1} : r,
		   (struct row_subject){d->chart, s, s->metric, NULL, 0});
	label = rect_left(&r, LABEL_COLS);
	value = rect_right(&r, WIDGET_PERCENT_COLS);
	rect_right(&label, 1);
	if (r.h > 1)
		canvas_printf(d->canvas, rect_right(&label, AXIS_COLS), STYLE_AXIS, "%*g", AXIS_COLS, scale);
	for (int x = 0; x < r.w && r.h > 1; x += 2) /* grid at the top of the scale */
		canvas_put(d->canvas, r.x + x, r.y, STYLE_TRACK, 0x2508);
	canvas_text(d->canvas, rect_bottom(&label, 1), now > 0 ? STYLE_TEXT : STYLE_DIM,
		    s->label + is_thin(s));
	widget_value(d, rect_bottom(&value, 1), s, NULL, now, style == STYLE_TEXT ? STYLE_VALUE : style,
		     false);
	widget_draw_history(d, s, NULL, scale, r);
}

static void lanes_draw(const struct drawing *d, struct rect r)
{
	int spare, n = 0;

	if (widget_rows_each(d, r))
		return;
	for (unsigned i = 0; i < d->chart->n_series; i++)
		n += !is_thin(&d->chart->series[i]);
	spare = r.h - (int)d->chart->n_series;
	spare = spare < 0 ? 0 : spare;
	for (unsigned i = 0; i < d->chart->n_series && r.h > 0; i++) {
		const struct series *s = &d->chart->series[i];
		/* the first lanes get the remainder */
		int more = is_thin(s) ? 0 : (spare + n - 1) / n;

		more = more >= LANE_MAX ? LANE_MAX - 1 : more;
		spare -= more;
		n -= !is_thin(s);
		draw_lane(d, s, rect_top(&r, 1 + more));
	}
}

static int lanes_axis(const struct drawing *d, struct rect inner)
{
	return widget_has_each(d) ? 0 : inner.w - LABEL_COLS;
}

const struct widget widget_lanes = {.name = "lanes",
				    .breaks_down = true,
				    .options = "levels load|hot|corner|warn #|unless|brief|idle",
				    .axis = lanes_axis,
				    .axis_right = WIDGET_PERCENT_COLS,
				    .size = lanes_size,
				    .draw = lanes_draw,
				    .corner = widget_corner};
