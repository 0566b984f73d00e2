/* facts: label, value and unit side by side, in as many fixed columns as fit. */
#include "views/widget.h"

#include <math.h>

#define GAP 2 /* between columns */
#define COLUMNS_MAX 16

struct facts_columns {
	int n;                  /* facts in a row */
	int label[COLUMNS_MAX]; /* columns of the labels, blank included */
	int value[COLUMNS_MAX];
};

/* The columns that n facts in a row need; their sum. */
static int columns_for(const struct chart *chart, int n, struct facts_columns *c)
{
	int sum = GAP * (n - 1);

	*c = (struct facts_columns){.n = n};
	for (unsigned i = 0; i < chart->n_series; i++) {
		const struct series *s = &chart->series[i];
		int *label = &c->label[i % (unsigned)n], *value = &c->value[i % (unsigned)n];
		int label_cols = text_width(s->label), value_cols = widget_value_cols(s->metric->unit);

		*label = label_cols > *label ? label_cols : *label;
		*value = value_cols > *value ? value_cols : *value;
	}
	for (int i = 0; i < n; i++)
		sum += c->label[i] + c->value[i];
	return sum;
}

static struct facts_columns columns_of(const struct chart *chart, int cols)
{
	int n = chart_option_int(chart, "columns", COLUMNS_MAX);
	struct facts_columns c;

	if (n > COLUMNS_MAX)
		n = COLUMNS_MAX;
	if (n > (int)chart->n_series)
		n = (int)chart->n_series;
	while (n > 1 && columns_for(chart, n, &c) > cols)
		n--;
	columns_for(chart, n, &c);
	return c;
}

static void facts_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	struct facts_columns c = columns_of(chart, cols);

	(void)data;
	*min = widget_title_rows(chart) + 1;
	*most = widget_title_rows(chart) + ((int)chart->n_series + c.n - 1) / c.n;
}

static bool is_per_frame(const struct chart *chart)
{
	return span_is(chart_option(chart, "per"), "frame");
}

static void draw_fact(const struct chart *chart, const struct view_data *data, const struct series *series, struct canvas *canvas,
		      struct rect r)
{
	double value = series_rate_now(series, data);

	if (is_per_frame(chart) && series->metric->unit->kind == UNIT_COUNT)
		widget_number(canvas, r, series->metric->unit, value / data->fps, false, false, STYLE_TEXT);
	else
		widget_value(canvas, r, series, data, value, chart_style(chart, series, value));
}

static void facts_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	struct facts_columns c = columns_of(chart, r.w);
	struct rect title = widget_title(chart, canvas, &r), row = {0};

	if (is_per_frame(chart))
		canvas_printf(canvas, title, STYLE_DIM, " at %.4g frames per second", data->fps);
	for (unsigned i = 0; i < chart->n_series; i++) {
		int at = (int)(i % (unsigned)c.n);

		if (at == 0)
			row = rect_top(&r, 1);
		canvas_text(canvas, rect_left(&row, c.label[at]), STYLE_TEXT, chart->series[i].label);
		draw_fact(chart, data, &chart->series[i], canvas, rect_left(&row, c.value[at]));
		rect_left(&row, GAP);
	}
}

static const char *const facts_options[] = {"per frame", "columns #", NULL};

const struct widget widget_facts = {.name = "facts", .options = facts_options, .size = facts_size, .draw = facts_draw};
