/* hot: data of the view Hot (views/hot.c): the functions that run. ui fills it once per frame. */
#ifndef MALITOP_VIEW_HOT_H
#define MALITOP_VIEW_HOT_H

#include "hot/hot_past.h"
#include "hot/hot_table.h"

struct hot_shown {
	const struct hot_profile *profile; /* of the span */
	const struct hot_table *table;     /* in scope */
	struct hot_scope scope;
	const char *event;           /* "cpu-clock, 199 Hz per busy CPU": printable */
	bool refused, may_not;       /* nothing is sampled; the kernel does not permit it */
	const char *whose;           /* "all processes", "game (5207)": printable */
	double busy;                 /* CPU time of the scope, percent of one CPU; NaN: not known */
	double seconds;              /* the span */
	const struct hot_past *past; /* in scope */
	double one_cpu;              /* samples per second of a busy CPU; NaN: not known */
	double lost, cost;           /* lost samples; cost in percent of a CPU, over the span */
	double given_up;             /* files and names that would take too much, in the span */
};

/* Return the identity of a row for its selection. It is the same in every frame. */
uint64_t hot_row_item(const struct hot_profile *profile, const struct hot_row *row);

#endif
