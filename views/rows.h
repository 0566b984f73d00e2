/* rows: declarations that the files of the widget `rows` share. */
#ifndef MALITOP_ROWS_H
#define MALITOP_ROWS_H

#include "views/widget.h"

#define ROWS_MAX 64

/* A row is a series of one instance, or of all (NULL). */
struct row {
	const struct drawing *d;
	const struct series *series;
	const struct metric_instance *instance;
	double value, key; /* the current value; the sort key while rows are sorted */
	double scale;      /* of its bar and its history; NaN if it has its own */
	bool dim;
};

/* The width of each column; 0 if it is omitted. */
struct row_columns {
	int label, bar, value, mean, peak, word, beside, note, history;
	bool brief;  /* labels in their short form */
	bool shared; /* `beside` begins where `word` does, because no row has both */
};

/* How important the row is, roughly in percent. It decides which rows stay if space is short. */
double row_weight(const struct row *row);
/* List all rows of a chart in order, with `sort load` the sub rows by value. Returns how many. */
unsigned rows_list(const struct drawing *d, struct row rows[ROWS_MAX]);
struct row_columns rows_columns(const struct chart *chart, const struct row *rows, unsigned n, int cols);
/* Whether a panel of that width has columns of mean and peak, and so a line of headings. */
bool rows_has_stats(const struct chart *chart, int cols);
/* Whether a panel of that width has room for bars. */
bool rows_have_bars(const struct drawing *d, int cols);
void rows_draw_head(const struct drawing *d, const struct row_columns *c, struct rect r);
void rows_draw_row(const struct row *row, const struct row_columns *c, struct rect r);

#endif
