/* report_changes: the numbers that tables of phases and comparisons have a row for, and what became
 * of them from one build to the next.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_REPORT_CHANGES_H
#define MALITOP_REPORT_CHANGES_H

#include "report/report_log.h"

#define REPORT_SAME 0.02 /* a smaller change, as a share of what was, is none */

/* ---- rows ---- */

unsigned report_rows(void);
const char *report_row_title(const struct report_log *log, unsigned row);
/* The value of a phase; NaN: unknown. */
double report_row_value(const struct report_log *log, unsigned row, unsigned phase);
/* Write such a value, or their mean or deviation, with its unit; "–" if unknown. Returns text. */
char *report_row_format(const struct report_log *log, unsigned row, double value, char text[UNITS_TEXT]);

/* ---- sides ---- */

/* The runs of one build, one at least. Plots and findings are those of the first. */
struct report_side {
	const struct report_log *runs;
	unsigned n;
};

/* The mean of n runs that have it, and their deviation (n - 1); NaN: unknown. */
struct report_mean {
	double mean, deviation;
	unsigned n;
};

/* "before.mlog", "before.mlog and 4 more". Plain text. */
void report_side_name(const struct report_side *side, struct strbuf *out);
/* Find the phase of this name; NULL is the whole log. */
bool report_phase_named(const struct report_log *log, const char *name, unsigned *phase);
struct report_mean report_side_value(const struct report_side *side, unsigned row, const char *phase);
/* One row, a cell of each side as `put` writes it. False: no side has a value. */
bool report_side_cells(const struct report_side *sides, unsigned n, unsigned row, const char *phase,
		       void (*put)(const struct report_side *side, unsigned row,
				   const struct report_mean *value, struct strbuf *out),
		       struct strbuf *out);
/* Of the values that are known. */
struct report_mean report_mean_of(const double *values, unsigned n);
/* "± 0.2 ms"; "" for one run. Returns text. */
char *report_side_deviation(const struct report_side *side, unsigned row, const struct report_mean *value,
			    char text[UNITS_TEXT]);

/* ---- changes ---- */

enum report_word {
	REPORT_WORSE, /* it costs, and rose */
	REPORT_BETTER,
	REPORT_OTHER,  /* neither is better in itself */
	REPORT_CHANCE, /* as much as runs of one build differ */
	REPORT_NO_CHANGE
};

struct report_change {
	unsigned row;
	const char *phase; /* NULL: the whole log */
	struct report_mean was, now;
	double share; /* of what was */
	enum report_word word;
};

/* The numbers that both sides have: what got worse first, then what got better, the largest change
 * first. The caller frees the list. */
unsigned report_changes(const struct report_side *was, const struct report_side *now,
			struct report_change **changes);
/* "+31.2 %", "no change". Returns text. */
char *report_change_text(const struct report_change *change, char text[32]);
/* "worse"; "" with one run of a side, which says nothing about chance. */
const char *report_change_word(const struct report_change *change);
/* The one sentence: what most matters, and with more than two sides the lowest and the highest.
 * Plain text. */
void report_side_sentence(const struct report_side *sides, unsigned n_sides,
			  const struct report_change *changes, unsigned n, struct strbuf *out);
/* Whether the means differ by more than runs of one build do: by more than each deviation, and
 * beyond the 95 % interval of Welch's test. */
bool report_differ(const struct report_mean *was, const struct report_mean *now);

/* ---- tables with a column for each side (report_sides.c) ---- */

/* A cell: the mean and the deviation. */
void report_put_mean(const struct report_side *side, unsigned row, const struct report_mean *value,
		     struct strbuf *out);
void report_put_columns(const struct report_side *sides, unsigned n, struct strbuf *out);
void report_put_side_findings(const struct report_side *sides, unsigned n, struct strbuf *out);
/* Passes, and hot functions. */
void report_put_side_tables(const struct report_side *sides, unsigned n, struct strbuf *out);

#endif
