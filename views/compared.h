/* compared: a number beside what it was: was, now, the change, and what that means. */
#ifndef MALITOP_COMPARED_H
#define MALITOP_COMPARED_H

#include "views/view.h"

struct comparison {
	const struct unit *unit;
	bool grows; /* both are rates */
	double was, now;
	int worse; /* 1: more is worse, -1: less is, 0: neither */
};

/* The last digit, and what changes between two spans of the same load: no change. */
bool compared_is_same(const struct comparison *c);
/* The change as a share of what was; +-inf from nothing, NaN if either side is unknown. */
double compared_share(const struct comparison *c);
/* Draw was, now, change, word and a bar in as much of r as they need; narrow ones leave out from
 * the right, then what was. `full`: the share that fills the bar. The heads are for the same r. */
void compared_draw(const struct comparison *c, double full, struct canvas *canvas, struct rect r);
/* Draw the change alone: an arrow, how much, or "=". */
void compared_change(const struct comparison *c, struct canvas *canvas, struct rect r);
void compared_head(struct canvas *canvas, struct rect r);

/* A number of some view that has changed. */
struct view_change {
	const char *name;            /* printable */
	const struct view *view;     /* that shows it; NULL: none */
	const struct series *series; /* NULL: of a process */
	struct comparison compared;
};

/* The largest first; those that have not changed are left out. */
struct view_changes {
	const struct view_change *rows;
	unsigned n, n_better, n_worse, n_known;
};

#endif
