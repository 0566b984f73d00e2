/* With `c`: a row per core or CPU, a column per series; a bar and a value per cell. Above them are
 * mean, least, greatest, and how far the greatest exceeds the mean. A core is marked if it differs
 * from the median by over a third, and for shares also by 5 points. */
#include "base/alloc.h"
#include "base/real.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 12
#define LABEL_COLS 7
#define CELL_GAP 1
#define BAR_WANTED 8
#define ODD_POINTS 5
#define ODD_SHARE (1.0 / 3)

enum { SUM_MEAN, SUM_LEAST, SUM_GREATEST, SUM_UNEVEN, SUMS };
static const char *const sum_names[SUMS] = {"mean", "least", "most", "uneven"};

struct each_column {
	const struct series *series;
	double values[EACH_MAX], sums[SUMS], median, scale;
};

/* The cores or CPUs, and a column per series. */
struct each {
	const struct drawing *d;
	const struct metric_instance *cores[EACH_MAX];
	unsigned n_cores;
	struct each_column columns[COLUMNS_MAX];
	unsigned n_columns;
	int cell; /* columns of each cell on the screen */
};

static bool breaks_down(const struct series *series)
{
	return series->metric->instances &
	       1u << (series->source == SOURCE_GPU ? INSTANCE_CORE : INSTANCE_CPU);
}

unsigned widget_instances(const struct drawing *d, const struct metric_instance *found[EACH_MAX])
{
	const struct series *s = &d->chart->series[0];
	const struct metric_set *set = series_feed(s, d->data)->set;
	enum instance_kind kind = s->source == SOURCE_GPU ? INSTANCE_CORE : INSTANCE_CPU;
	unsigned n = 0;

	for (unsigned i = 0; set && i < set->n_instances && n < EACH_MAX; i++)
		if (set->instances[i].kind == kind)
			found[n++] = &set->instances[i];
	return n;
}

bool widget_has_each(const struct drawing *d)
{
	const struct metric_instance *cores[EACH_MAX];
	const struct feed *feed = series_feed(&d->chart->series[0], d->data);
	bool any = false;

	for (unsigned i = 0; i < d->chart->n_series && d->data->per_instance; i++)
		any |= breaks_down(&d->chart->series[i]);
	return any && widget_instances(d, cores) && feed->now && feed->n_vector == feed->set->n_vector;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(const double *values, unsigned n)
{
	double sorted[EACH_MAX];

	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : (double)NAN;
}

static void fill_column(const struct each *e, struct each_column *c)
{
	unsigned n = 0;

	c->sums[SUM_MEAN] = 0;
	c->sums[SUM_LEAST] = c->sums[SUM_GREATEST] = NAN;
	for (unsigned i = 0; i < e->n_cores; i++) {
		double v = c->values[i] = series_rate(c->series, e->d->data, e->cores[i], -1);

		if (isnan(v))
			continue;
		c->sums[SUM_MEAN] += v;
		c->sums[SUM_LEAST] = real_min(c->sums[SUM_LEAST], v);
		c->sums[SUM_GREATEST] = real_max(c->sums[SUM_GREATEST], v);
		n++;
	}
	c->sums[SUM_MEAN] /= n;
	c->sums[SUM_UNEVEN] = (c->sums[SUM_GREATEST] / c->sums[SUM_MEAN] - 1) * 100;
	c->median = median_of(c->values, e->n_cores);
	c->scale =
		c->series->metric->unit->kind == UNIT_PERCENT ? 100 : widget_nice_top(c->sums[SUM_GREATEST]);
}

static int cell_cols(const struct series *s, bool bar)
{
	int value = widget_value_cols(s->metric->unit), label = text_width(s->brief) + 1;

	value += bar ? BAR_WANTED : 0;
	return CELL_GAP + (value > label ? value : label);
}

/* Choose as many series as fit, with bars only if all of them have room for one. */
static void choose_columns(struct each *e, int cols)
{
	int widest[2] = {0}, most;
	unsigned n = 0;

	for (unsigned i = 0; i < e->d->chart->n_series; i++) {
		const struct series *s = &e->d->chart->series[i];

		if (!breaks_down(s))
			continue;
		for (int bar = 0; bar < 2; bar++)
			widest[bar] = cell_cols(s, bar) > widest[bar] ? cell_cols(s, bar) : widest[bar];
		n++;
	}
	cols -= LABEL_COLS;
	most = widest[1] * (int)n <= cols ? widest[1] : widest[0];
	for (unsigned i = 0; i < e->d->chart->n_series && e->n_columns < COLUMNS_MAX; i++)
		if (breaks_down(&e->d->chart->series[i]) && (int)(e->n_columns + 1) * most <= cols)
			e->columns[e->n_columns++].series = &e->d->chart->series[i];
	e->cell = e->n_columns ? cols / (int)e->n_columns : 0;
}

/* Whether a core deviates from the median. Only cores and cache slices of a GPU should be equally
 * busy. */
static bool is_odd(const struct each *e, const struct each_column *c, unsigned core)
{
	double off = fabs(c->values[core] - c->median);
	enum instance_kind kind = e->cores[core]->kind;

	return (kind == INSTANCE_CORE || kind == INSTANCE_SLICE) && e->n_cores > 2 &&
	       off > c->median * ODD_SHARE &&
	       (c->series->metric->unit->kind != UNIT_PERCENT || off > ODD_POINTS);
}

static void draw_heads(const struct each *e, struct canvas *canvas, struct rect r)
{
	rect_left(&r, LABEL_COLS);
	for (unsigned i = 0; i < e->n_columns; i++) {
		struct rect cell = rect_left(&r, e->cell);

		rect_left(&cell, CELL_GAP);
		canvas_text(canvas, cell, STYLE_DIM,
			    text_width(e->columns[i].series->label) < cell.w ? e->columns[i].series->label
									     : e->columns[i].series->brief);
	}
}

static void draw_sums(const struct each *e, int sum, struct canvas *canvas, struct rect r)
{
	canvas_text(canvas, rect_left(&r, LABEL_COLS), STYLE_DIM, sum_names[sum]);
	for (unsigned i = 0; i < e->n_columns; i++) {
		const struct metric *metric = e->columns[i].series->metric;
		const struct unit *unit = sum == SUM_UNEVEN ? unit_find(SPAN_LIT("percent")) : metric->unit;
		struct rect cell = rect_left(&r, e->cell);
		int cols = widget_value_cols(metric->unit), past = e->cell - CELL_GAP;

		/* below the values of the cores */
		past = past >= WIDGET_CELL_HISTORY ? past / 3 + 1 : 0;
		rect_right(&cell, past);
		widget_number(canvas, rect_right(&cell, cols), unit, e->columns[i].sums[sum],
			      sum != SUM_UNEVEN && metric->grows, false, STYLE_DIM);
	}
}

static void draw_core(const struct each *e, unsigned core, struct canvas *canvas, struct rect r)
{
	canvas_text(canvas, rect_left(&r, LABEL_COLS), STYLE_TEXT, e->cores[core]->label);
	for (unsigned i = 0; i < e->n_columns; i++) {
		const struct each_column *c = &e->columns[i];
		struct rect cell = rect_left(&r, e->cell);

		widget_row(e->d, cell, c->series, e->cores[core]);
		rect_left(&cell, CELL_GAP);
		widget_cell(e->d,
			    &(struct widget_cell){.series = c->series,
						  .instance = e->cores[core],
						  .scale = c->scale,
						  .odd_one = is_odd(e, c, core)},
			    cell);
	}
}

int widget_each_rows(const struct drawing *d)
{
	const struct metric_instance *cores[EACH_MAX];

	return 1 + SUMS + (int)widget_instances(d, cores);
}

bool widget_rows_each(const struct drawing *d, struct rect r)
{
	struct each e = {.d = d};
	int sums;

	if (!widget_has_each(d))
		return false;
	e.n_cores = widget_instances(d, e.cores);
	choose_columns(&e, r.w);
	for (unsigned i = 0; i < e.n_columns; i++)
		fill_column(&e, &e.columns[i]);
	draw_heads(&e, d->canvas, widget_head(&r));
	/* if space is short, only the mean, or none of them */
	sums = r.h - (int)e.n_cores >= SUMS ? SUMS : r.h > 2 ? 1 : 0;
	for (int i = 0; i < sums; i++)
		draw_sums(&e, i, d->canvas, rect_top(&r, 1));
	for (unsigned i = 0; i < e.n_cores && r.h > 0; i++)
		if (r.h == 1 && i + 1 < e.n_cores)
			canvas_printf(d->canvas, rect_top(&r, 1), STYLE_DIM, "%u more", e.n_cores - i);
		else
			draw_core(&e, i, d->canvas, rect_top(&r, 1));
	return true;
}

void widget_each_corner(const struct drawing *d, char *text, size_t size)
{
	struct each e = {.d = d, .columns = {{.series = &d->chart->series[0]}}};
	const struct metric *m = d->chart->series[0].metric;
	double *sums = e.columns[0].sums;
	char shown[SUMS][UNITS_TEXT];

	e.n_cores = widget_instances(d, e.cores);
	fill_column(&e, &e.columns[0]);
	for (int i = 0; i < SUM_UNEVEN; i++)
		unit_format(shown[i], sums[i], m->unit, m->grows, false);
	unit_format(shown[SUM_UNEVEN], sums[SUM_UNEVEN], unit_find(SPAN_LIT("percent")), false, false);
	snprintf(text, size, "%s%smean %s  least %s  most %s  uneven %s",
		 d->chart->n_series > 1 ? d->chart->series[0].label : "", d->chart->n_series > 1 ? ": " : "",
		 shown[SUM_MEAN], shown[SUM_LEAST], shown[SUM_GREATEST], shown[SUM_UNEVEN]);
}
