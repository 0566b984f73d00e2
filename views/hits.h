/* hits: a list of the rectangles on the screen that can be selected or clicked. Frame and views
 * fill it from top to bottom while they draw; the selection and the mouse read it afterwards. */
#ifndef MALITOP_HITS_H
#define MALITOP_HITS_H

#include "views/canvas.h"

struct chart;
struct series;
struct metric;
struct metric_instance;

/* The subject of a row, by which it is selected. The pointers belong to the views and their sets:
 * they are valid until the views are rebuilt. */
struct row_subject {
	const struct chart *chart;              /* NULL: nothing */
	const struct series *series;            /* NULL: none, as in the table of counters */
	const struct metric *metric;            /* NULL: none, as for a process */
	const struct metric_instance *instance; /* NULL: all cores, slices, CPUs together */
	uint64_t item;                          /* identity without a metric, as of a function; 0: none */
};

enum hit_kind {
	HIT_NONE,
	HIT_TAB,      /* number: the digit of its view */
	HIT_KEY,      /* a word of the footer; number: the key that does the same */
	HIT_PANEL,    /* subject.chart; number: rows of its title, 0 or 1 */
	HIT_ROW,      /* subject */
	HIT_PROCESS,  /* number: its row in the list */
	HIT_COLUMN,   /* a heading to sort by; number: enum process_key */
	HIT_GRAPH,    /* of the past; end_ns, cell_ns */
	HIT_TIMELINE, /* from the oldest to the newest time */
};

struct hit {
	struct rect at;   /* h is 0 for a row that is scrolled away */
	struct rect mark; /* of a row: the part that is highlighted while it is selected */
	enum hit_kind kind;
	struct row_subject subject;
	int number;
	int64_t end_ns, cell_ns; /* of a graph: the end of its newest cell, the time of each */
};

/* Hits in the order of drawing. {0} is empty. */
struct hits {
	struct hit *list;
	unsigned n, room;
};

void hits_fini(struct hits *hits);
/* Record a hit; does nothing if `hits` is NULL. */
void hits_add(struct hits *hits, const struct hit *hit);
/* Return the last hit drawn at x, y, which covers earlier ones; NULL if there is none. */
const struct hit *hits_at(const struct hits *hits, int x, int y);
/* Return the time that a graph shows at x: the end of that cell. */
int64_t hits_moment(const struct hit *graph, int x);
/* Return the row at x, y even if something covers it; NULL if there is none. */
const struct hit *hits_row_at(const struct hits *hits, int x, int y);
/* Return the position of the row with that subject, -1 if there is none. */
int hits_row(const struct hits *hits, const struct row_subject *subject);
/* Return the next row after position `from` (by 1) or before it (by -1), -1 if there is none. */
int hits_next_row(const struct hits *hits, int from, int by);

bool subject_same(const struct row_subject *a, const struct row_subject *b);

#endif
