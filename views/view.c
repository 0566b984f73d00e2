#include "base/alloc.h"
#include "views/chart.h"
#include "views/widget.h"

#include <limits.h>
#include <string.h>

#define COLS_MIN 40
#define ROWS_MIN 10
#define MARGIN 1 /* columns left free at either side */
#define PRIORITY_MAX 9
#define PRIORITY_GAPS 3 /* from here on a chart comes after the blank rows between charts */

static const struct widget *const widgets[] = {
	&widget_bars,  &widget_lanes, &widget_strips,   &widget_histogram, &widget_funnel,    &widget_facts,
	&widget_table, &widget_cores, &widget_clusters, &widget_about,     &widget_processes,
};

const struct widget *widget_find(struct span name)
{
	for (size_t i = 0; i < ARRAY_LEN(widgets); i++)
		if (span_is(name, widgets[i]->name))
			return widgets[i];
	return NULL;
}

bool views_init(struct views *views, const struct metric_set *const sets[SOURCE_KINDS], struct err *err)
{
	*views = (struct views){0};
	for (const struct embedded *e = embedded_charts; e->file; e++) {
		struct span text = {e->begin, (size_t)(e->end - e->begin)};

		if (!chart_read(views, e->file, text, sets, err)) {
			views_fini(views);
			return false;
		}
	}
	chart_prune(views);
	return true;
}

const struct view *views_find(const struct views *views, const char *name_or_digit)
{
	for (unsigned i = 0; i < views->n_views; i++) {
		const struct view *v = &views->views[i];

		if (strcmp(v->name, name_or_digit) == 0 || (v->key && name_or_digit[0] == v->key && !name_or_digit[1]))
			return v;
	}
	return NULL;
}

/* How many rows a chart gets. */
struct place {
	int min, most, rows;
};

#define CHARTS_MAX 32

struct stack {
	const struct view *view;
	struct place place[CHARTS_MAX];
	unsigned n;
	int left;  /* rows not given away yet */
	bool gaps; /* blank rows stand between charts */
};

static bool wants_gap(const struct stack *s, unsigned i)
{
	return !s->view->charts[i].joined;
}

/* Blank rows above every shown chart but the first, once there is room for all of them. */
static void place_gaps(struct stack *s)
{
	int gaps = 0;
	bool first = true;

	for (unsigned i = 0; i < s->n; i++) {
		if (!s->place[i].rows)
			continue;
		gaps += !first && wants_gap(s, i);
		first = false;
	}
	if (s->left < gaps)
		return;
	s->left -= gaps;
	s->gaps = true;
}

static void place_level(struct stack *s, unsigned level)
{
	bool grown = true;

	for (unsigned i = 0; i < s->n; i++) {
		struct place *p = &s->place[i];
		int gap = level >= PRIORITY_GAPS && wants_gap(s, i);

		if (s->view->charts[i].priority != level || p->most < 1 || p->min + gap > s->left)
			continue;
		p->rows = p->min;
		s->left -= p->min + gap;
	}
	/* Charts of one level grow together, a row each in turn. */
	while (grown) {
		grown = false;
		for (unsigned i = 0; i < s->n && s->left > 0; i++) {
			struct place *p = &s->place[i];

			if (s->view->charts[i].priority != level || !p->rows || p->rows >= p->most)
				continue;
			p->rows++;
			s->left--;
			grown = true;
		}
	}
}

static void place_charts(struct stack *s, const struct view_data *data, int cols)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct place *p = &s->place[i];
		const struct chart *chart = &s->view->charts[i];

		chart->widget->size(chart, data, cols, &p->min, &p->most);
		if (p->min < 1)
			p->min = 1;
	}
	for (unsigned level = 1; level <= PRIORITY_MAX; level++) {
		if (level == PRIORITY_GAPS) {
			place_gaps(s);
			if (!s->gaps)
				return;
		}
		place_level(s, level);
	}
}

/* Lines of the foot, those that have something to say in front. Returns how many. */
static int foot_lines(const struct view *view, const struct view_data *data, const char *lines[VIEW_FOOT_LINES])
{
	int n = 0;

	for (int i = 0; view->foot && i < VIEW_FOOT_LINES; i++)
		if (data->foot[i] && *data->foot[i])
			lines[n++] = data->foot[i];
	return n;
}

static void draw_foot(const char *const *lines, int n, struct canvas *canvas, struct rect r)
{
	if (n && r.h > n)
		rect_top(&r, 1);
	for (int i = 0; i < n && r.h > 0; i++) {
		struct rect row = rect_top(&r, 1);

		canvas_text(canvas, row, STYLE_TEXT, lines[i]);
		if (text_width(lines[i]) > row.w)
			canvas_text(canvas, rect_right(&row, 1), STYLE_TEXT, "\u2026");
	}
}

void view_draw(const struct view *view, const struct view_data *data, struct canvas *canvas, struct rect body)
{
	struct stack s = {.view = view, .n = view->n_charts < CHARTS_MAX ? view->n_charts : CHARTS_MAX};
	const char *foot[VIEW_FOOT_LINES];
	int n_foot = foot_lines(view, data, foot);
	bool first = true;

	if (data->scroll_max)
		*data->scroll_max = 0;
	if (canvas->cols < COLS_MIN || canvas->rows < ROWS_MIN) {
		canvas_printf(canvas, canvas_rect(canvas), STYLE_ALERT, "%dx%d is too small: at least %dx%d", canvas->cols,
			      canvas->rows, COLS_MIN, ROWS_MIN);
		return;
	}
	rect_left(&body, MARGIN);
	rect_right(&body, MARGIN);
	s.left = body.h - (n_foot > 0);
	place_charts(&s, data, body.w);
	for (unsigned i = 0; i < s.n; i++) {
		const struct chart *chart = &view->charts[i];

		if (!s.place[i].rows)
			continue;
		if (s.gaps && !first && wants_gap(&s, i))
			rect_top(&body, 1);
		first = false;
		chart->widget->draw(chart, data, canvas, rect_top(&body, s.place[i].rows));
	}
	draw_foot(foot, n_foot, canvas, body);
}
