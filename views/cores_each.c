#include "views/cores.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>

/* A row per series: minimum, mean and maximum over the cores, then a strip of history for every core, so that an idle or an
 * overloaded one stands out. */

enum { LABEL_W = 20, LABEL_NARROW = 16, NARROW = 60, GAP = 1, SPREAD_W = 10, CORES_MAX = 64 };

/* In order of appearance; where only two fit, the mean gives way. */
enum { SPREAD_MIN, SPREAD_MEAN, SPREAD_MAX, SPREADS };
static const char *const spread_names[SPREADS] = {"min", "mean", "max"};

struct columns {
	struct rect label, spread[SPREADS], cells;
};

static struct columns cut(struct rect row)
{
	struct columns c;

	c.label = rect_left(&row, row.w < NARROW ? LABEL_NARROW : LABEL_W);
	c.spread[SPREAD_MIN] = rect_left(&row, SPREAD_W);
	c.spread[SPREAD_MEAN] = rect_left(&row, row.w >= 2 * SPREAD_W ? SPREAD_W : 0);
	c.spread[SPREAD_MAX] = rect_left(&row, SPREAD_W);
	rect_left(&row, GAP);
	c.cells = row;
	return c;
}

/* Everything that is drawn, evaluated core by core: `points` values of each series and core, the newest first. */
struct spread {
	const struct feed *feed;
	const struct metric_instance *cores[CORES_MAX];
	unsigned n_cores;
	const struct chart *chart;
	int cell_w, gap, points; /* columns of a strip and between two; points of history, at least 1 */
	double *values, *vector;
};

static double *at(const struct spread *s, unsigned series, unsigned core)
{
	return &s->values[((size_t)series * s->n_cores + core) * (size_t)s->points];
}

static void find_cores(struct spread *s, enum instance_kind kind)
{
	const struct metric_set *set = s->feed->set;

	for (unsigned i = 0; set && i < set->n_instances && s->n_cores < CORES_MAX; i++)
		if (set->instances[i].kind == kind)
			s->cores[s->n_cores++] = &set->instances[i];
}

static void cut_cells(struct spread *s, int w)
{
	int each = w / (int)s->n_cores;

	s->gap = each >= 2 ? GAP : 0;
	s->cell_w = each - s->gap;
	s->points = s->cell_w > 0 ? 2 * s->cell_w : 1;
}

/* The newest point is what `now` says. */
static const double *point(const struct feed *feed, int back)
{
	if (back == 0)
		return feed->now;
	return back < feed->n_points ? feed->points[feed->n_points - 1 - back] : NULL;
}

static void evaluate(struct spread *s)
{
	for (unsigned core = 0; core < s->n_cores; core++)
		for (int back = 0; back < s->points; back++) {
			const double *all = point(s->feed, back);

			if (all)
				metric_vector_instance(s->feed->set, s->cores[core], all, s->feed->n_vector, s->vector);
			for (unsigned i = 0; i < s->chart->n_series; i++) {
				const struct metric *metric = s->chart->series[i].metric;
				double v = all ? metric_value(metric, s->vector) : NAN;

				at(s, i, core)[back] = metric->unit->kind == UNIT_COUNT ? v / s->vector[VECTOR_SECONDS] : v;
			}
		}
}

/* What a full strip stands for: 100 for percentages, else the greatest value of the row. Never 0. */
static double scale_of(const struct spread *s, unsigned series)
{
	double greatest = 0;

	if (s->chart->series[series].metric->unit->kind == UNIT_PERCENT)
		return 100;
	for (size_t i = 0; i < (size_t)s->n_cores * (size_t)s->points; i++)
		if (at(s, series, 0)[i] > greatest)
			greatest = at(s, series, 0)[i];
	return greatest > 0 ? greatest : 1;
}

static void draw_spread(const struct spread *s, const struct view_data *data, unsigned i, struct canvas *canvas,
			const struct columns *c)
{
	const struct series *series = &s->chart->series[i];
	double spread[SPREADS] = {NAN, 0, NAN}; /* of what is defined */
	unsigned n = 0;

	for (unsigned core = 0; core < s->n_cores; core++) {
		double v = at(s, i, core)[0];

		if (isnan(v))
			continue;
		spread[SPREAD_MIN] = fmin(spread[SPREAD_MIN], v);
		spread[SPREAD_MEAN] += v;
		spread[SPREAD_MAX] = fmax(spread[SPREAD_MAX], v);
		n++;
	}
	spread[SPREAD_MEAN] /= n;
	for (int k = 0; k < SPREADS; k++)
		if (c->spread[k].w)
			widget_value(canvas, c->spread[k], series, data, spread[k], chart_style(s->chart, series, spread[k]));
}

static void draw_cells(const struct spread *s, unsigned i, struct canvas *canvas, struct rect r)
{
	double scale = scale_of(s, i), points[2 * CANVAS_COLS_MAX];

	for (unsigned core = 0; core < s->n_cores && s->cell_w > 0; core++) {
		const double *values = at(s, i, core);
		enum style style = chart_style(s->chart, &s->chart->series[i], values[0]);

		for (int k = 0; k < s->points; k++)
			points[k] = values[s->points - 1 - k] / scale;
		canvas_strip(canvas, rect_left(&r, s->cell_w), style == STYLE_TEXT ? STYLE_SERIES1 : style, points, s->points);
		rect_left(&r, s->gap);
	}
}

/* min, mean and max over their numbers, and the number of a core over its strip where there is room. */
static void draw_headings(const struct spread *s, struct canvas *canvas, struct rect free, const struct columns *c)
{
	int end = 0;

	for (int k = 0; k < SPREADS; k++) {
		struct rect heading = {c->spread[k].x, free.y, WIDGET_NUMBER_COLS - 1, free.h};

		if (c->spread[k].w && heading.x + heading.w - text_width(spread_names[k]) > free.x)
			canvas_text_right(canvas, heading, STYLE_DIM, spread_names[k]);
	}
	for (unsigned core = 0; core < s->n_cores && s->cell_w > 0; core++) {
		struct rect heading = {c->cells.x + (int)core * (s->cell_w + s->gap), free.y, 0, 1};
		char text[8];

		heading.w = snprintf(text, sizeof(text), "%u", s->cores[core]->number);
		if (heading.x > end && heading.x >= free.x && heading.x + heading.w <= c->cells.x + c->cells.w) {
			canvas_text(canvas, heading, STYLE_DIM, text);
			end = heading.x + heading.w;
		}
	}
}

bool cores_each_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect free,
		     struct rect r, const unsigned char order[], unsigned n)
{
	enum instance_kind kind = chart->series[0].source == SOURCE_GPU ? INSTANCE_CORE : INSTANCE_CPU;
	struct spread s = {.feed = series_feed(&chart->series[0], data), .chart = chart};
	struct columns c = cut(r);
	AUTOFREE double *memory = NULL;

	find_cores(&s, kind);
	if (!s.n_cores || !s.feed->now)
		return false;
	cut_cells(&s, c.cells.w);
	memory = xcalloc(s.feed->set->n_vector + (size_t)chart->n_series * s.n_cores * (size_t)s.points, sizeof(double));
	s.vector = memory;
	s.values = memory + s.feed->set->n_vector;
	evaluate(&s);
	if (free.h > 0)
		draw_headings(&s, canvas, free, &c);
	for (unsigned i = 0; i < n && r.h > 0; i++) {
		struct rect row = rect_top(&r, 1);
		const struct series *series = &chart->series[order[i]];

		if (!(series->metric->instances & 1u << kind)) {
			cores_draw_whole(chart, data, series, canvas, row);
			continue;
		}
		c = cut(row);
		canvas_text(canvas, c.label, STYLE_TEXT, series->label);
		draw_spread(&s, data, order[i], canvas, &c);
		draw_cells(&s, order[i], canvas, c.cells);
	}
	return true;
}
