/* grid: the layout of the panels of a view, and their borders. The body is a stack of bands; a band
 * is a row of panels side by side. Widths follow from the terminal's width. Heights follow from the
 * needs of the widgets, their growth limits, and the charts' weights. */
#include "base/real.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLS_MIN 40
#define ROWS_MIN 10
#define FRAME_COLS 80 /* below this a panel has no border */
#define FRAME_ROWS 20
#define COMPACT_ROWS 14 /* of the body: below this rows of all panels are drawn without panels */
#define CARD_COLS 120   /* from this on a wide panel has a card beside it */
#define CARD_MIN 44
#define CARD_MAX 60
#define BORDER 2      /* rows of the borders of one panel */
#define LIST_MAX 16   /* rows that a list gets before graphs get more */
#define ROWS_WEIGHT 6 /* weight of charts without one, whose few rows are essential */
#define GRAPH_MAX 16  /* rows that a panel gets before panels of less weight get any */
#define PANELS_MAX 32
#define PRIORITY_MAX 9
#define SPARE_MIN 6 /* least lines for a graph below rows */

struct panel {
	struct drawing d;
	struct need need;
	int cols;
	bool dropped;
	bool titled; /* without a border: its title tells it from another one with the same labels */
};

struct band {
	unsigned first, n; /* range of the shown panels */
	int min, most, rows;
	unsigned weight;
	bool graph; /* a widget in it is a graph, which grows with the terminal */
	bool spare; /* a widget in it can use any number of lines */
};

/* Rounds of growth: which bands get rows. */
enum growth { GROW_WANTED, GROW_GRAPHS, GROW_LISTS, GROW_ANY };

struct grid {
	const struct view_data *data;
	struct panel panels[PANELS_MAX], *shown[PANELS_MAX]; /* all; not dropped */
	unsigned n_panels, n_shown;
	struct band bands[PANELS_MAX];
	unsigned n_bands;
	int cols;
	unsigned columns;
	bool framed;
	int border, margin; /* rows and columns of the borders of a panel */
};

static unsigned columns_of(int cols)
{
	return cols < FRAME_COLS ? 1 : cols < 200 ? 2 : cols < 300 ? 3 : 4;
}

/* ---- bands ---- */

static bool is_half(const struct panel *p)
{
	return p->d.chart->place == PLACE_HALF || p->d.chart->place == PLACE_CARD;
}

/* Return how many consecutive panels of one column there are from i on. */
static unsigned count_halves(const struct grid *g, unsigned i)
{
	unsigned n = 0;

	while (i + n < g->n_shown && is_half(g->shown[i + n]))
		n++;
	return n;
}

/* The rows of parts are below their whole, which tells what they are. */
static unsigned next_whole(const struct chart *chart, unsigned i)
{
	return i + 1 + chart->series[i].n_parts;
}

static bool share_label(const struct chart *a, const struct chart *b)
{
	for (unsigned i = 0; i < a->n_series; i = next_whole(a, i))
		for (unsigned k = 0; k < b->n_series; k = next_whole(b, k))
			if (strcmp(a->series[i].label, b->series[k].label) == 0)
				return true;
	return false;
}

/* Give panels without borders a title if a label is in two of them. Headings are titles enough. */
static void title_panels(struct grid *g)
{
	for (unsigned i = 0; i < g->n_shown; i++) {
		struct panel *p = g->shown[i];

		p->titled = false;
		for (unsigned k = 0; k < g->n_shown && !g->framed && !p->d.chart->widget->heads; k++)
			p->titled |= k != i && !g->shown[k]->d.chart->widget->heads &&
				     share_label(p->d.chart, g->shown[k]->d.chart);
	}
}

/* Put panels of one column into bands with as many panels as there are columns, as evenly as
 * possible. A wide panel gets the card that follows it beside it. */
static void make_bands(struct grid *g)
{
	g->n_bands = g->n_shown = 0;
	for (unsigned i = 0; i < g->n_panels; i++)
		if (!g->panels[i].dropped)
			g->shown[g->n_shown++] = &g->panels[i];
	title_panels(g);
	for (unsigned i = 0; i < g->n_shown;) {
		unsigned halves = count_halves(g, i), end = i + (halves ? halves : 1), per = 1;

		if (halves) {
			unsigned bands = (halves + g->columns - 1) / g->columns;

			per = (halves + bands - 1) / bands;
		} else if (g->shown[i]->d.chart->place == PLACE_WIDE && g->cols >= CARD_COLS &&
			   end < g->n_shown && g->shown[end]->d.chart->place == PLACE_CARD) {
			end++;
			per = 2;
		}
		for (; i < end; i += per)
			g->bands[g->n_bands++] =
				(struct band){.first = i, .n = per < end - i ? per : end - i};
		i = end;
	}
}

/* ---- sizes ---- */

static void size_band(struct grid *g, struct band *b)
{
	int card_cols = g->cols * 30 / 100, left = g->cols;
	bool card = g->shown[b->first]->d.chart->place == PLACE_WIDE && b->n == 2;

	card_cols = card_cols < CARD_MIN ? CARD_MIN : card_cols > CARD_MAX ? CARD_MAX : card_cols;
	b->min = b->most = 0;
	b->weight = 0;
	b->spare = b->graph = false;
	for (unsigned k = 0; k < b->n; k++) {
		struct panel *p = g->shown[b->first + k];

		p->cols = card ? (k ? left : left - card_cols) : left / (int)(b->n - k);
		left -= p->cols;
		p->need = p->d.chart->widget->size(&p->d, p->cols - g->margin);
		if (!g->framed || p->need.min < 1)
			p->need.min = 1 + p->d.chart->widget->heads;
		p->need.min += p->titled;
		p->need.most = (p->need.most > p->need.min ? p->need.most : p->need.min) + p->titled;
		b->min = p->need.min + g->border > b->min ? p->need.min + g->border : b->min;
		b->most = p->need.most + g->border > b->most ? p->need.most + g->border : b->most;
		b->spare |= p->d.chart->widget->spare;
		b->graph |= p->d.chart->weight && p->d.chart->widget->axis;
		b->weight = p->d.chart->weight > b->weight ? p->d.chart->weight : b->weight;
	}
	b->rows = b->min;
}

static int lay_out(struct grid *g)
{
	int rows = 0;

	make_bands(g);
	for (unsigned i = 0; i < g->n_bands; i++) {
		size_band(g, &g->bands[i]);
		rows += g->bands[i].min;
	}
	return rows;
}

/* Drop the least important panel, the last of several. Returns false if only one is left. */
static bool drop_panel(struct grid *g)
{
	struct panel *least = NULL;
	unsigned shown = 0;

	for (unsigned i = 0; i < g->n_panels; i++) {
		struct panel *p = &g->panels[i];

		shown += !p->dropped;
		if (!p->dropped && (!least || p->d.chart->priority >= least->d.chart->priority))
			least = p;
	}
	if (shown < 2)
		return false;
	least->dropped = true;
	return true;
}

/* Restore dropped panels that fit after a larger one was dropped, the most important first. Returns
 * the rows used. */
static int restore_panels(struct grid *g, int rows)
{
	for (unsigned priority = 1; priority <= PRIORITY_MAX; priority++)
		for (unsigned i = 0; i < g->n_panels; i++) {
			struct panel *p = &g->panels[i];

			if (!p->dropped || p->d.chart->priority != priority)
				continue;
			p->dropped = false;
			p->dropped = lay_out(g) > rows;
		}
	return lay_out(g);
}

/* Return the most rows that a band may have in this round. */
static int most_rows(const struct band *b, enum growth growth)
{
	switch (growth) {
	case GROW_WANTED:
		return b->weight && !b->graph && b->most > LIST_MAX ? LIST_MAX : b->most;
	case GROW_GRAPHS:
		return b->graph ? GRAPH_MAX : 0;
	case GROW_LISTS:
		return b->graph ? 0 : b->most;
	default:
		return b->graph ? CANVAS_ROWS_MAX : 0;
	}
}

/* Give the remaining rows to the bands, one at a time, each to the band that has grown least for
 * its weight. Returns the rest. */
static int grow_bands(struct grid *g, int left, enum growth growth)
{
	while (left > 0) {
		struct band *next = NULL;
		double least = 0;

		for (unsigned i = 0; i < g->n_bands; i++) {
			struct band *b = &g->bands[i];
			double grown = (double)(b->rows - b->min + 1) / (b->weight ? b->weight : ROWS_WEIGHT);

			if (b->rows >= most_rows(b, growth))
				continue;
			if (!next || grown < least) {
				next = b;
				least = grown;
			}
		}
		if (!next)
			break;
		next->rows++;
		left--;
	}
	return left;
}

/* Give a panel the rows for its extra content, if enough are left. Returns the rest. */
static int grow_panel(const struct grid *g, struct band *b, const struct panel *p, int left)
{
	int need = p->need.most + g->border - b->rows, rows;
	struct need extra;

	if (!p->d.chart->widget->extra)
		return left;
	extra = p->d.chart->widget->extra(&p->d, p->cols - g->margin);
	rows = need + extra.most < left ? need + extra.most : left;
	if (!extra.most || rows <= 0 || rows < need + extra.min)
		return left;
	b->rows += rows;
	return left - rows;
}

static bool has_graphs(const struct grid *g)
{
	for (unsigned i = 0; i < g->n_bands; i++)
		if (g->bands[i].graph)
			return true;
	return false;
}

/* Give the remaining rows to bands of rows, which draw graphs in them. Only as many bands get some
 * as have room for a graph. Returns the rest. */
static int share_spare(struct grid *g, int left)
{
	unsigned bands = 0, n = (unsigned)left / SPARE_MIN;

	for (unsigned i = 0; i < g->n_bands; i++)
		bands += g->bands[i].spare && !g->bands[i].weight;
	n = n > bands ? bands : n ? n : left > 1 && bands ? 1 : 0;
	for (unsigned i = 0; i < g->n_bands && n; i++) {
		struct band *b = &g->bands[i];
		int lines = left / (int)n;

		if (!b->spare || b->weight)
			continue;
		lines = has_graphs(g) && lines > GRAPH_MAX ? GRAPH_MAX : lines;
		b->rows += lines;
		left -= lines;
		n--;
	}
	return left;
}

/* Distribute the remaining rows: first to bands that need them, then to graphs up to a limit, to
 * panels with more to show, to lists, to bands of rows, and to graphs again. */
static void share_rows(struct grid *g, int left)
{
	left = grow_bands(g, left, GROW_WANTED);
	left = grow_bands(g, left, GROW_GRAPHS);
	for (unsigned i = 0; i < g->n_bands; i++)
		for (unsigned k = 0; k < g->bands[i].n; k++)
			left = grow_panel(g, &g->bands[i], g->shown[g->bands[i].first + k], left);
	left = grow_bands(g, left, GROW_LISTS);
	if (left >= SPARE_MIN || !has_graphs(g))
		left = share_spare(g, left);
	grow_bands(g, left, GROW_ANY);
}

/* ---- drawing ---- */

/* Make the title in the border the mark of a selected graph. */
static void mark_title(struct hits *hits, unsigned from, const struct chart *chart, struct rect title)
{
	title.w = text_width(chart->title) + 2;
	for (unsigned i = from; hits && i < hits->n; i++)
		if (chart->widget == &widget_area && hits->list[i].mark.h > 1)
			hits->list[i].mark = title;
}

static void draw_panel(const struct grid *g, const struct panel *p, struct rect r)
{
	struct rect inner = r;
	unsigned n_hits;

	hits_add(g->data->hits,
		 &(struct hit){.at = r, .kind = HIT_PANEL, .subject.chart = p->d.chart, .number = g->framed});
	if (g->framed) {
		panel_border(&p->d, r);
		inner = (struct rect){r.x + PANEL_MARGIN, r.y + 1, r.w - 2 * PANEL_MARGIN, r.h - BORDER};
	}
	if (p->titled)
		canvas_text_cut(p->d.canvas, rect_top(&inner, 1), STYLE_TITLE, p->d.chart->title);
	n_hits = g->data->hits ? g->data->hits->n : 0;
	p->d.chart->widget->draw(&p->d, inner);
	if (g->framed)
		mark_title(g->data->hits, n_hits, p->d.chart, (struct rect){inner.x, r.y, 0, 1});
	if (g->framed && p->d.chart->widget->axis)
		panel_axis(&p->d, inner);
}

static void draw_foot(const struct view_data *data, struct canvas *canvas, struct rect *body)
{
	int room = body->h >= FRAME_ROWS ? VIEW_FOOT_LINES : 0;

	for (int i = VIEW_FOOT_LINES - 1; i >= 0 && room > 0; i--)
		if (data->foot[i] && data->foot[i][0]) {
			struct rect row = rect_bottom(body, 1);

			rect_left(&row, 1);
			canvas_text_parts(canvas, row, STYLE_DIM, data->foot[i]);
			room--;
		}
}

/* With `c`, explain why nothing is broken down. */
static void draw_without_each(const struct view *view, const struct view_data *data, struct canvas *canvas,
			      struct rect *body)
{
	const struct metric_set *gpu = data->feeds[SOURCE_GPU].set;
	bool any = false, cores = false;

	for (unsigned i = 0; i < view->n_charts; i++) {
		const struct chart *chart = &view->charts[i];

		if (chart->widget->companion)
			continue;
		if (!chart->n_series || chart->widget == &widget_clusters ||
		    widget_has_each(&(struct drawing){chart, data, canvas}))
			return;
		any |= chart->series[0].source == SOURCE_GPU;
	}
	for (unsigned i = 0; gpu && i < gpu->n_instances; i++)
		cores |= gpu->instances[i].kind == INSTANCE_CORE;
	if (any)
		canvas_text(canvas, rect_top(body, 1), STYLE_DIM,
			    cores ? " nothing here is counted per core"
				  : " no values per core: run or record with --per-core");
}

static void draw_too_small(struct canvas *canvas)
{
	struct rect rest = canvas_rect(canvas);
	char words[64];

	snprintf(words, sizeof(words), "%dx%d is too small: at least %dx%d", canvas->cols, canvas->rows,
		 COLS_MIN, ROWS_MIN);
	widget_words(canvas, &rest, STYLE_ALERT, words);
}

bool view_breaks_down(const struct view *view)
{
	for (unsigned i = 0; i < view->n_charts; i++) {
		const struct chart *chart = &view->charts[i];
		bool any = chart->widget->seriesless;

		for (unsigned k = 0; k < chart->n_series; k++)
			any |= chart->series[k].metric->instances != 0;
		if (chart->widget->breaks_down && any)
			return true;
	}
	return false;
}

/* Return the greatest value of a metric in any source, now or since the start; NaN if unknown. */
static double value_somewhere(const struct view_data *data, struct span name, bool total)
{
	double most = NAN;

	for (unsigned kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct feed *feed = &data->feeds[kind];
		const double *vector = total ? feed->total : feed->now;
		const struct metric *m = feed->set && vector ? metric_find(feed->set, name) : NULL;

		most = m ? real_max(most, metric_value(m, vector)) : most;
	}
	return most;
}

static bool has_rows(const struct chart *chart, const struct view_data *data, int cols)
{
	const struct drawing d = {chart, data, NULL};

	return !(chart->with.n && isnan(value_somewhere(data, chart->with, false))) &&
	       !(chart->without.n && !isnan(value_somewhere(data, chart->without, false))) &&
	       !(chart->once.n && !(value_somewhere(data, chart->once, true) > 0)) &&
	       chart->widget->size(&d, cols).most > 0;
}

const struct chart *view_panel(const struct view *view, const struct view_data *data,
			       const struct chart *chart, int by)
{
	for (int i = (int)(chart - view->charts) + by; i >= 0 && i < (int)view->n_charts; i += by)
		if (has_rows(&view->charts[i], data, FRAME_COLS))
			return &view->charts[i];
	return NULL;
}

/* Highlight the selected row, over the finished drawing. */
static void mark_selected(const struct view_data *data, struct canvas *canvas)
{
	int at = data->hits && data->selected.chart ? hits_row(data->hits, &data->selected) : -1;

	if (at >= 0)
		canvas_restyle(canvas, data->hits->list[at].mark, STYLE_SELECTED);
}

/* Whether a panel belongs after the next one because that one was busier since the start. Means
 * since the start change slowly, so panels rarely swap. */
static bool comes_after(const struct view_data *data, const struct panel *p)
{
	const struct chart *a = p[0].d.chart, *b = p[1].d.chart;

	return is_half(&p[0]) && is_half(&p[1]) && a->priority == 1 && b->priority == 1 && a->n_series &&
	       b->n_series && series_total(&b->series[0], data) > series_total(&a->series[0], data);
}

static void put_busiest_first(struct grid *g)
{
	for (unsigned i = 1; i < g->n_panels; i++)
		for (unsigned k = i; k > 0 && comes_after(g->data, &g->panels[k - 1]); k--) {
			struct panel less = g->panels[k - 1];

			g->panels[k - 1] = g->panels[k];
			g->panels[k] = less;
		}
}

static void draw_bands(const struct grid *g, struct rect body)
{
	for (unsigned i = 0; i < g->n_bands; i++) {
		struct rect row = rect_top(&body, g->bands[i].rows);

		for (unsigned k = 0; k < g->bands[i].n; k++) {
			const struct panel *p = g->shown[g->bands[i].first + k];

			draw_panel(g, p, rect_left(&row, p->cols));
		}
	}
}

/* Whether the layout and the width include the chart. */
static bool is_chosen(const struct chart *chart, const struct view_data *data, int cols)
{
	return cols >= (int)chart->from_cols && (!chart->below_cols || cols < (int)chart->below_cols) &&
	       (!chart->letter || !data->layout || strchr(data->layout, chart->letter));
}

static void draw_body(const struct view *view, const struct view_data *data, struct canvas *canvas,
		      struct rect body)
{
	struct grid g = {.data = data, .cols = body.w, .columns = columns_of(body.w)};
	int left;

	g.framed = canvas->cols >= FRAME_COLS && canvas->rows >= FRAME_ROWS;
	g.border = g.framed ? BORDER : 0;
	g.margin = g.framed ? 2 * PANEL_MARGIN : 0;
	if (view->foot)
		draw_foot(data, canvas, &body);
	if (data->per_instance)
		draw_without_each(view, data, canvas, &body);
	for (unsigned i = 0; i < view->n_charts && g.n_panels < PANELS_MAX; i++)
		if ((data->zoom ? data->zoom == &view->charts[i]
				: is_chosen(&view->charts[i], data, body.w)) &&
		    has_rows(&view->charts[i], data, body.w - g.margin))
			g.panels[g.n_panels++] = (struct panel){.d = {&view->charts[i], data, canvas}};
	if (view->busiest && !data->zoom)
		put_busiest_first(&g);
	if (!g.n_panels || ((body.h < COMPACT_ROWS || data->compact) && !data->zoom &&
			    widget_draw_compact(view, data, canvas, body)))
		return;
	while ((left = body.h - lay_out(&g)) < 0 && drop_panel(&g))
		;
	if (left > 0)
		left = body.h - restore_panels(&g, body.h);
	share_rows(&g, left);
	if (data->zoom)
		g.bands[0].rows = body.h;
	draw_bands(&g, body);
}

/* Draw twice if graphs lack history: the first drawing only requests the points. */
static void draw_with_past(const struct view *view, const struct view_data *data, struct canvas *canvas,
			   struct rect body)
{
	struct view_scroll scroll = data->scroll ? *data->scroll : (struct view_scroll){0};
	unsigned n_hits = data->hits ? data->hits->n : 0;
	bool filled = false;

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (data->feeds[kind].points)
			points_collect(data->feeds[kind].points);
	draw_body(view, data, canvas, body);
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (data->feeds[kind].points)
			filled |= points_fill(data->feeds[kind].points);
	if (!filled)
		return;
	if (data->scroll)
		*data->scroll = scroll;
	if (data->hits)
		data->hits->n = n_hits;
	canvas_fill(canvas, body, STYLE_TEXT, ' ');
	draw_body(view, data, canvas, body);
}

void view_draw(const struct view *view, const struct view_data *data, struct canvas *canvas, struct rect body)
{
	if (data->scroll)
		data->scroll->max = 0;
	if (canvas->cols < COLS_MIN || canvas->rows < ROWS_MIN) {
		draw_too_small(canvas);
		return;
	}
	draw_with_past(view, data, canvas, body);
	mark_selected(data, canvas);
}
