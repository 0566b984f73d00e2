/* timeline: a row for the whole kept history or log: GPU activity (without a GPU, CPU activity),
 * the cursor, marks, changes of the scene, and missing samples. */
#ifndef MALITOP_TIMELINE_H
#define MALITOP_TIMELINE_H

#include "model/scene.h"
#include "views/hits.h"

#include <stdint.h>

/* A time where something is: a mark of the user's, another scene, a finding. */
struct timeline_place {
	int64_t at_ns;
	char text[96]; /* printable */
};
#define TIMELINE_MARK 24 /* bytes of the text of a mark, "mark 1": it is drawn on graphs */

struct timeline_cell {
	float share; /* 0 to 1; NaN: nothing was measured in this cell */
	bool lost;   /* samples are missing */
	struct scene_rates scene;
};

#define TIMELINE_MARKS 64
#define TIMELINE_SCENES 32

struct timeline {
	int64_t begin_ns, end_ns;          /* of the kept history or log, on the clock of the samples */
	int64_t at_ns;                     /* the cursor */
	int64_t from_ns, to_ns;            /* the selected range; 0, 0: none */
	const struct timeline_cell *cells; /* parts of equal length */
	int n_cells;
	const struct timeline_place *marks; /* in the order of time */
	unsigned n_marks;
	const int64_t *scenes; /* starts of scenes, in the order of time */
	unsigned n_scenes;
	char begin[16], end[16]; /* both ends as times of day */
};

/* Take this place instead of *found (at_ns 0: none) if it is after from_ns, or before it (`way`
 * below 0), and nearer; or the scene that is. */
void timeline_take_nearer(struct timeline_place *found, const struct timeline_place *place, int64_t from_ns,
			  int way);
void timeline_take_scene(struct timeline_place *found, const struct timeline *timeline, int64_t from_ns,
			 int way);
/* When a cell begins. */
int64_t timeline_cell_ns(const struct timeline *timeline, int cell);
/* Return the number of cells in a terminal of this width; 0 if not even one fits. */
int timeline_cells(int cols);
/* Draw the timeline in one row; it may have more or fewer cells than fit. */
void timeline_draw(const struct timeline *timeline, struct canvas *canvas, struct rect row,
		   struct hits *hits);
/* Return the time at column x of a row that was drawn at `at`. Columns beside it return its
 * ends. */
int64_t timeline_moment(const struct timeline *timeline, const struct rect *at, int x);

/* Find, to a cell, the starts of scenes of at least SCENE_LEAST_NS. Returns their number. */
#define SCENE_LEAST_NS 3000000000ll
unsigned timeline_scenes(const struct timeline *timeline, struct scene_change changes[TIMELINE_SCENES]);

#endif
