/* pass_groups: the passes of a frame as rows of a table: `shadow/cascade2` is below `shadow`. */
#ifndef MALITOP_PASS_GROUPS_H
#define MALITOP_PASS_GROUPS_H

#include "passes/pass_table.h"
#include "views/feed.h"

#define PASS_ROWS_SHOWN (PASS_TABLE_ROWS + PASS_TABLE_ROWS / 2)

struct grouped_pass {
	struct pass_line line; /* of a group: its sum; line.row 0, and NaN for what does not add up */
	uint64_t group;        /* of the row of a group: what view_folds has; 0: a pass */
	unsigned passes;       /* of a group */
	bool folded;           /* of a group: its passes have no rows */
	bool inside;           /* a pass in the group above; its name is without that of the group */
};

/* Passes with the same first label are a group if there are several of them; groups and other
 * passes are in the order of their time, the passes in a group likewise. folds may be NULL. Returns
 * how many rows there are. */
unsigned pass_groups(const struct pass_table *table, const struct view_folds *folds,
		     struct grouped_pass rows[PASS_ROWS_SHOWN]);

/* The passes and regions of now, or since the start where that is known. Returns false without
 * passes. */
bool pass_table_of(const struct view_data *data, bool total, struct pass_table *table);
/* Add the times of a pass to a sum. */
void pass_sum_add(struct pass_line *sum, const struct pass_line *line);

#endif
