/* rows: what the files of the widget `rows` share. */
#ifndef MALITOP_ROWS_H
#define MALITOP_ROWS_H

#include "views/widget.h"

#define ROWS_MAX 64

/* A row is a series of one instance, or of all (NULL). */
struct row {
	const struct chart *chart;
	const struct view_data *data;
	const struct series *series;
	const struct metric_instance *instance;
	double value, key; /* the current value; the sort key, while they are sorted */
	double scale;      /* of its bar and its history; NaN if it has its own */
	bool dim;
};

/* The width of each column; 0 if it is omitted. */
struct row_columns {
	int label, bar, value, mean, peak, word, beside, note, history;
	bool brief;  /* labels in their short form */
	bool shared; /* `beside` begins where `word` does, because no row has both */
};

/* Return the value of a series in that row: now (back < 0), or at a point of history. */
double row_value(const struct row *row, const struct series *series, int back);
/* How important the row is, roughly in percent: it decides which rows stay if space is short. */
double row_weight(const struct row *row);
/* List all rows of a chart, without values and scales. Returns how many. */
unsigned rows_find(const struct chart *chart, const struct view_data *data, struct row rows[ROWS_MAX]);
/* List all rows of a chart in order, with `sort load` the sub rows by value. Returns how many. */
unsigned rows_list(const struct chart *chart, const struct view_data *data, struct row rows[ROWS_MAX]);
struct row_columns rows_columns(const struct chart *chart, const struct row *rows, unsigned n, int cols);
/* The CPUs of this machine as rows of a metric. */
struct rows_cpus {
	struct chart chart; /* of that series alone; the rows point to these three */
	struct series series;
	struct view_data data; /* without hits, because the chart does not last */
	struct row rows[ROWS_MAX];
	unsigned n;         /* 0: none are to be shown */
	int columns, lines; /* side by side, as few lines as the width allows */
};

/* By the metric that the chart's option `key` names, in that width. None with `c`, which breaks the
 * chart down anyway, none of a metric that is not kept per CPU, and none if they are more than
 * ROWS_MAX. Do not copy them. */
void rows_cpus_init(struct rows_cpus *cpus, const struct chart *chart, const struct view_data *data,
		    const char *key, int cols);
/* Draw "each CPU ────". */
void rows_cpus_head(struct canvas *canvas, struct rect head);
/* Draw them in the first `lines` lines of r. */
void rows_cpus_draw(const struct rows_cpus *cpus, struct canvas *canvas, struct rect r);
/* Whether that width has columns of mean and peak, and so a line of headings. */
bool rows_has_stats(const struct chart *chart, int cols);
/* Whether there is room for bars in that width. */
bool rows_have_bars(const struct chart *chart, const struct view_data *data, int cols);
void rows_draw_head(const struct chart *chart, const struct view_data *data, const struct row_columns *c,
		    struct canvas *canvas, struct rect r);
void rows_draw_row(const struct row *row, const struct row_columns *c, struct canvas *canvas, struct rect r);

#endif
