/* compact: the most important rows of all charts of a view, used if panels do not fit. */
#include "views/rows.h"

#include <string.h>

#define PRIORITY_MAX 9
#define CHARTS_MAX 32
#define COLS 40

/* The rows of one chart, and which of them are shown. */
struct pool {
	struct drawing d;
	struct row rows[ROWS_MAX];
	bool shown[ROWS_MAX];
	unsigned n;
};

struct compact {
	struct pool pools[CHARTS_MAX];
	unsigned n;
};

static bool has_rows(const struct chart *chart)
{
	return chart->widget == &widget_area || chart->widget == &widget_rows ||
	       chart->widget == &widget_lanes;
}

/* Whether the view has a chart without rows, such as a notice of what is missing. */
static bool has_words(const struct view *view, const struct view_data *data)
{
	bool any = false;

	for (unsigned i = 0; i < view->n_charts && !any; i++) {
		const struct drawing d = {&view->charts[i], data, NULL};

		any = d.chart->widget->seriesless && !d.chart->widget->companion &&
		      d.chart->widget->size(&d, COLS).most;
	}
	return any;
}

static void fill_pools(struct compact *c, const struct view *view, const struct view_data *data,
		       struct canvas *canvas)
{
	for (unsigned i = 0; i < view->n_charts && c->n < CHARTS_MAX; i++) {
		struct pool *p = &c->pools[c->n];

		if (!has_rows(&view->charts[i]))
			continue;
		p->d = (struct drawing){&view->charts[i], data, canvas};
		p->n = rows_list(&p->d, p->rows);
		c->n++;
	}
}

/* Whether another chart may show this metric. Lanes of queues are exempt: they keep their order. */
static bool is_elsewhere(const struct compact *c, const struct row *row)
{
	for (unsigned i = 0, before = 1; i < c->n; i++) {
		const struct pool *p = &c->pools[i];

		before &= p->d.chart != row->d->chart;
		for (unsigned k = 0; k < p->n && p->d.chart != row->d->chart; k++)
			if ((p->shown[k] || (before && p->d.chart->widget == &widget_lanes)) &&
			    p->rows[k].series->metric == row->series->metric &&
			    p->rows[k].instance == row->instance)
				return true;
	}
	return false;
}

/* Show the most important remaining row of the chart. Returns false if none is left. */
static bool show_next(const struct compact *c, struct pool *p)
{
	int most = -1;

	for (unsigned i = 0; i < p->n; i++) {
		if (p->shown[i] || p->rows[i].series->part || is_elsewhere(c, &p->rows[i]))
			continue;
		if (most < 0 || row_weight(&p->rows[i]) > row_weight(&p->rows[most]))
			most = (int)i;
	}
	if (most >= 0)
		p->shown[most] = true;
	return most >= 0;
}

/* Show one row of each chart of that priority. From the second round on units come first, because
 * they show what limits. Returns how many were shown. */
static int show_round(struct compact *c, unsigned priority, bool sorted, int room)
{
	int n = 0;

	for (unsigned i = 0; i < c->n && n < room; i++) {
		struct pool *p = &c->pools[i];

		if (p->d.chart->priority == priority && chart_option_is(p->d.chart, "sort", "load") == sorted)
			n += show_next(c, p);
	}
	return n;
}

static void show_rows(struct compact *c, int room)
{
	for (unsigned priority = 1; priority <= PRIORITY_MAX && room > 0; priority++)
		for (int shown = 1; shown && room > 0; room -= shown) {
			shown = show_round(c, priority, true, room);
			shown += show_round(c, priority, false, room - shown);
		}
}

static bool any_shown(const struct pool *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->shown[i])
			return true;
	return false;
}

/* Compute columns that fit all rows of these charts, so that they do not move. */
static struct row_columns common_columns(const struct compact *c, int cols)
{
	static const struct chart plain = {.widget = &widget_rows};
	struct row rows[ROWS_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->pools[i].n && n < ROWS_MAX && any_shown(&c->pools[i]); k++)
			rows[n++] = c->pools[i].rows[k];
	return rows_columns(c->n == 1 ? c->pools[0].d.chart : &plain, rows, n, cols);
}

bool widget_draw_compact(const struct view *view, const struct view_data *data, struct canvas *canvas,
			 struct rect r)
{
	static struct compact c;
	struct row_columns columns;

	if (has_words(view, data))
		return false;
	memset(&c, 0, sizeof(c));
	fill_pools(&c, view, data, canvas);
	show_rows(&c, r.h);
	columns = common_columns(&c, r.w);
	for (unsigned i = 0; i < c.n; i++)
		for (unsigned k = 0; k < c.pools[i].n; k++)
			if (c.pools[i].shown[k]) {
				struct rect row = rect_top(&r, 1);

				hits_add(data->hits, &(struct hit){.at = row,
								   .kind = HIT_PANEL,
								   .subject.chart = c.pools[i].d.chart});
				rows_draw_row(&c.pools[i].rows[k], &columns, row);
			}
	return c.n > 0;
}
