/* compared: a number beside its earlier value: was, now, the change, and its judgement. */
#ifndef MALITOP_COMPARED_H
#define MALITOP_COMPARED_H

#include "views/view.h"

struct comparison {
	const struct unit *unit;
	bool grows; /* both values are rates */
	double was, now;
	int worse; /* 1: more is worse; -1: less is worse; 0: neither */
};

/* Whether the values differ by no more than the last digit, or noise between spans of one load. */
bool compared_is_same(const struct comparison *c);
/* The change as a share of the earlier value; +-inf from zero, NaN if either side is unknown. */
double compared_share(const struct comparison *c);
/* Draw was, now, change, word and bar. A narrow r omits them from the right, and then `was`. `full`
 * is the share that fills the bar. The headings are drawn for the same r. */
void compared_draw(const struct comparison *c, double full, struct canvas *canvas, struct rect r);
/* Draw the change alone: an arrow, how much, or "=". */
void compared_change(const struct comparison *c, struct canvas *canvas, struct rect r);
void compared_head(struct canvas *canvas, struct rect r);

/* A number of some view that has changed. */
struct view_change {
	const char *name;            /* printable */
	const struct view *view;     /* a view that shows it; NULL: none */
	const struct series *series; /* NULL if it belongs to a process */
	struct comparison compared;
};

/* The largest first; unchanged numbers are omitted. */
struct view_changes {
	const struct view_change *rows;
	unsigned n, n_better, n_worse, n_known;
};

#endif
