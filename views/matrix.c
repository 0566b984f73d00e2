/* matrix: a row per label, a column per note. Each cell has a bar, a value, and a history if it is
 * wide; rows with history are two lines high if space permits. A cell without a series is a dash.
 * All bars of a column have one scale.
 *
 * `each cluster`: a row per series and a column per cluster of the CPUs, or with `c` per CPU if
 * they fit. Each row has a scale and, if it has a limit, a word; a line separates rows with
 * different notes. In a narrow terminal the rows are in two halves side by side, or omitted. `least
 * N`: omit a matrix of fewer series, because the first ones are shown elsewhere, too. */
#include "base/alloc.h"
#include "base/real.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MAX 24
#define COLUMNS_MAX 16
#define BAR_MIN 6
#define CELL_GAP 2
#define BESIDE_FROM 32 /* least columns of a cell with a second value */
#define FOLD_BELOW 116 /* columns: narrower panels are folded */
#define FOLD_GAP 2
#define FOLD_CELL (1 + WIDGET_NUMBER_COLS + 3) /* columns of a cell in a half */
#define FOLD_LABEL 15
#define CPU_CELL (CELL_GAP + WIDGET_NUMBER_COLS + 6) /* with the longest unit and a mark */

struct matrix {
	const char *rows[ROWS_MAX], *columns[COLUMNS_MAX];
	const struct series *cells[ROWS_MAX][COLUMNS_MAX];
	const struct metric_instance *instances[COLUMNS_MAX]; /* NULL: all */
	double scales[ROWS_MAX]; /* of the rows with `each`, else of the columns */
	unsigned n_rows, n_columns, n_groups;
	bool each;
	int value_cols, word_cols; /* with `each` */
};

/* Return the index of a name in a list, which is appended if it is new; -1 if there is no room. */
static int name_index(const char **names, unsigned *n, unsigned room, const char *name)
{
	for (unsigned i = 0; i < *n; i++)
		if (!strcmp(names[i], name))
			return (int)i;
	if (*n == room)
		return -1;
	names[*n] = name;
	return (int)(*n)++;
}

static void add_cell(struct matrix *m, const struct series *s)
{
	int row = name_index(m->rows, &m->n_rows, ROWS_MAX, s->label);
	int column = name_index(m->columns, &m->n_columns, COLUMNS_MAX, s->note);

	if (row >= 0 && column >= 0)
		m->cells[row][column] = s;
}

static bool shows_cpus(const struct drawing *d, int cols)
{
	const struct metric_instance *cpus[EACH_MAX];
	unsigned n = widget_has_each(d) ? widget_instances(d, cpus) : 0;

	return n && n <= COLUMNS_MAX && (int)n * CPU_CELL + widget_label_cols(d->chart) < cols;
}

/* Add a column for each cluster, or one for all CPUs if there is only one cluster. */
static void list_clusters(const struct drawing *d, struct matrix *m, int cols)
{
	const struct metric_set *set = series_feed(&d->chart->series[0], d->data)->set;
	enum instance_kind kind = shows_cpus(d, cols) ? INSTANCE_CPU : INSTANCE_CLUSTER;

	for (unsigned i = 0; set && i < set->n_instances && m->n_columns < COLUMNS_MAX; i++)
		if (set->instances[i].kind == kind) {
			m->instances[m->n_columns] = &set->instances[i];
			m->columns[m->n_columns++] = set->instances[i].title;
		}
	if (!m->n_columns)
		m->columns[m->n_columns++] = "all CPUs";
	if (m->n_columns == 1 && kind == INSTANCE_CLUSTER)
		m->instances[0] = NULL;
}

/* Return into how many parts side by side the rows are folded; 0 if they do not fit. */
static unsigned count_folds(const struct drawing *d, const struct matrix *m, int cols)
{
	bool lacks_cpus = widget_has_each(d) && !(m->instances[0] && m->instances[0]->kind == INSTANCE_CPU);
	int part = (cols - FOLD_GAP) / 2;

	if (!m->each || cols >= FOLD_BELOW)
		return 1;
	return lacks_cpus || FOLD_LABEL + (int)m->n_columns * FOLD_CELL > part ? 0 : 2;
}

bool widget_matrix_fits(const struct drawing *d, int cols)
{
	struct matrix m = {.each = true};

	list_clusters(d, &m, cols);
	return count_folds(d, &m, cols) > 0;
}

static void add_row(struct matrix *m, const struct series *s)
{
	int value_cols = widget_value_cols(s->metric->unit);

	if (m->n_rows == ROWS_MAX)
		return;
	m->n_groups += !m->n_rows || strcmp(m->cells[m->n_rows - 1][0]->note, s->note) != 0;
	m->value_cols = value_cols > m->value_cols ? value_cols : m->value_cols;
	m->word_cols = s->metric->alert != ALERT_NONE ? WIDGET_WORD_COLS : m->word_cols;
	for (unsigned k = 0; k < m->n_columns; k++)
		m->cells[m->n_rows][k] = s;
	m->rows[m->n_rows++] = s->label;
}

static void fill_matrix(const struct drawing *d, struct matrix *m, int cols)
{
	memset(m, 0, sizeof(*m));
	m->each = chart_option(d->chart, "each").n;
	if (m->each)
		list_clusters(d, m, cols);
	for (unsigned i = 0; i < d->chart->n_series; i++)
		(m->each ? add_row : add_cell)(m, &d->chart->series[i]);
}

/* With `each`, the scale of a row is that of the mean over all clusters, doubled because a cluster
 * may exceed the mean. Otherwise each column has one. */
static void find_scales(const struct drawing *d, struct matrix *m)
{
	for (unsigned row = 0; row < m->n_rows; row++)
		for (unsigned k = 0; k < (m->each ? 1 : m->n_columns); k++) {
			const struct series *s = m->cells[row][k];
			double scale = s ? widget_scale(d, s, 2 * CANVAS_COLS_MAX) : 0;

			if (!m->each)
				m->scales[k] = real_max(m->scales[k], scale);
			else if (s->metric->alert != ALERT_ABOVE && s->metric->unit->kind == UNIT_RATIO)
				m->scales[row] = 2 * scale;
			else
				m->scales[row] = scale;
		}
}

void widget_cell(const struct drawing *d, const struct widget_cell *cell, struct rect r)
{
	const struct metric *m = cell->series->metric;
	struct series series = *cell->series; /* in the colour of the cell */
	double value = series_rate(cell->series, d->data, cell->instance, -1), peak = NAN;
	enum style level = chart_style(d, cell->series, cell->instance, value, -1),
		   style = cell->odd_one ? STYLE_BUSY : level;
	int value_cols = cell->value_cols ? cell->value_cols : widget_value_cols(m->unit);
	bool text = style == STYLE_TEXT;
	struct rect bar, word;
	struct series beside;

	if (!series.colour)
		series.colour = cell->part;
	if (r.w >= WIDGET_CELL_HISTORY) {
		peak = widget_draw_history(d, &series, cell->instance, cell->scale, rect_right(&r, r.w / 3));
		rect_right(&r, 1);
	}
	r = rect_bottom(&r, 1);
	if (r.w >= BESIDE_FROM && series_beside(cell->series, &beside)) {
		struct rect at = rect_right(&r, widget_value_cols(beside.metric->unit));

		widget_dim_number(d->canvas, at, beside.metric, series_rate_now(&beside, d->data));
	}
	bar = rect_left(&r, r.w - value_cols - cell->word_cols);
	word = rect_right(&r, r.w - value_cols);
	if (!(value > 0))
		style = STYLE_DIM;
	if (bar.w >= BAR_MIN) {
		canvas_meter(d->canvas, bar, text ? canvas_part_style(cell->part) : style,
			     value / cell->scale,
			     m->alert == ALERT_NONE ? (double)NAN : m->alert_at / cell->scale);
		canvas_meter_peak(d->canvas, bar, value / cell->scale, peak);
	}
	widget_value(d, r, cell->series, cell->instance, value, style == STYLE_TEXT ? STYLE_VALUE : style,
		     cell->odd_one || cell->word_cols);
	if (cell->odd_one)
		canvas_text_right(d->canvas, r, style, "!");
	if (cell->word_cols)
		widget_word(d->canvas, word, cell->series, level, false);
}

static struct need matrix_size(const struct drawing *d, int cols)
{
	struct matrix m;
	unsigned folds;
	int rows;

	fill_matrix(d, &m, cols);
	folds = count_folds(d, &m, cols);
	if (!folds || (int)d->chart->n_series < chart_option_int(d->chart, "least", 1))
		return (struct need){0, 0};
	rows = 1 + (int)((m.n_rows + folds - 1) / folds);
	if (folds == 1 && m.each)
		return (struct need){rows, rows + (int)m.n_groups - 1};
	if (folds == 1 && cols / (int)m.n_columns >= WIDGET_CELL_HISTORY)
		return (struct need){rows, 2 * rows - 1};
	return (struct need){rows, rows};
}

static int gap_of(int cell)
{
	return cell < CELL_GAP + FOLD_CELL ? 1 : CELL_GAP;
}

static void draw_matrix_row(const struct drawing *d, const struct matrix *m, unsigned row, struct rect r,
			    int cell)
{
	struct rect label = rect_left(&r, r.w - cell * (int)m->n_columns);

	canvas_text(d->canvas, rect_bottom(&label, 1), STYLE_TEXT, m->rows[row]);
	for (unsigned k = 0; k < m->n_columns; k++) {
		struct widget_cell c = {.series = m->cells[row][k],
					.instance = m->instances[k],
					.scale = m->scales[m->each ? row : k],
					.part = m->each ? 0 : row,
					.value_cols = m->value_cols,
					.word_cols =
						cell >= CELL_GAP + WIDGET_CELL_HISTORY ? m->word_cols : 0};
		struct rect at = rect_left(&r, cell);

		rect_left(&at, gap_of(cell));
		if (c.series && (!c.instance || c.series->metric->instances & 1u << c.instance->kind)) {
			widget_row(d, at, c.series, c.instance);
			widget_cell(d, &c, at);
		} else {
			at = rect_bottom(&at, 1);
			canvas_text_right(d->canvas, rect_left(&at, at.w / 2), STYLE_DIM, "\u2013");
		}
	}
}

/* "A76 x4" for "Cortex-A76 x4" if the whole title does not fit. */
static const char *short_title(const char *title, int cols)
{
	const char *dash = strchr(title, '-');

	return dash && text_width(title) > cols ? dash + 1 : title;
}

/* Draw the title of each column over its bars. */
static void draw_matrix_head(const struct matrix *m, struct canvas *canvas, struct rect r, int cell)
{
	rect_left(&r, r.w - cell * (int)m->n_columns);
	for (unsigned k = 0; k < m->n_columns; k++) {
		struct rect at = rect_left(&r, cell);

		rect_left(&at, gap_of(cell));
		if (at.w < m->value_cols) {
			canvas_text_right(canvas, at, STYLE_TEXT, short_title(m->columns[k], at.w));
			continue;
		}
		if (at.w < m->value_cols + BAR_MIN) { /* without bars, over the numbers */
			rect_left(&at, at.w - m->value_cols);
			canvas_text_right(canvas, rect_left(&at, WIDGET_NUMBER_COLS - 1), STYLE_TEXT,
					  short_title(m->columns[k], WIDGET_NUMBER_COLS - 1));
			continue;
		}
		canvas_text(canvas, at, m->each ? STYLE_TEXT : STYLE_DIM, m->columns[k]);
	}
}

/* Draw the rows [from, to). */
static void draw_part(const struct drawing *d, const struct matrix *m, struct rect r, unsigned from,
		      unsigned to)
{
	int label = widget_label_cols(d->chart) + 1, cell = (r.w - label) / (int)m->n_columns, step;
	int rules; /* lines between groups; if there are too few, the first groups get them */

	step = !m->each && cell - CELL_GAP >= WIDGET_CELL_HISTORY && r.h > 2 * (int)m->n_rows ? 2 : 1;
	rules = m->each ? r.h - 1 - (int)m->n_rows : 0;
	draw_matrix_head(m, d->canvas, widget_head(&r), cell);
	for (unsigned i = from; i < to && r.h > 0; i++) {
		bool group =
			rules > 0 && i > from && strcmp(m->cells[i][0]->note, m->cells[i - 1][0]->note) != 0;

		if (group)
			canvas_fill(d->canvas, rect_top(&r, 1), STYLE_TRACK, 0x2504);
		rules -= group;
		draw_matrix_row(d, m, i, rect_top(&r, step), cell);
	}
}

static void matrix_draw(const struct drawing *d, struct rect r)
{
	struct matrix m;
	unsigned half;

	fill_matrix(d, &m, r.w);
	find_scales(d, &m);
	if (count_folds(d, &m, r.w) == 1) {
		draw_part(d, &m, r, 0, m.n_rows);
		return;
	}
	half = (m.n_rows + 1) / 2;
	draw_part(d, &m, rect_left(&r, (r.w - FOLD_GAP) / 2), 0, half);
	rect_left(&r, FOLD_GAP);
	draw_part(d, &m, r, half, m.n_rows);
}

/* Write a value, or with `corner about` the scope: "process 4711 game, kernel and user". */
static void matrix_corner(const struct drawing *d, char *text, size_t size)
{
	if (!chart_option_is(d->chart, "corner", "about")) {
		widget_corner(d, text, size);
		return;
	}
	for (unsigned i = 0; i < d->chart->n_series; i++) {
		const char *about = series_feed(&d->chart->series[i], d->data)->about;

		if (about && about[0])
			snprintf(text, size, "%s", about);
	}
}

const struct widget widget_matrix = {.name = "matrix",
				     .options = "levels load|corner|each cluster|least #",
				     .heads = 1,
				     .size = matrix_size,
				     .draw = matrix_draw,
				     .corner = matrix_corner};
