/* pass_groups: the passes of a frame as rows of a table: `shadow/cascade2` is below `shadow`. */
#ifndef MALITOP_PASS_GROUPS_H
#define MALITOP_PASS_GROUPS_H

#include "passes/pass_table.h"
#include "views/feed.h"

#define PASS_ROWS_SHOWN (PASS_TABLE_ROWS + PASS_TABLE_ROWS / 2)

struct grouped_pass {
	struct pass_line line; /* of a group: the sum, row 0, and NaN for values without a sum */
	uint64_t group;        /* of the row of a group: its number in view_folds; 0: a pass */
	unsigned passes;       /* of a group */
	bool folded;           /* of a group: its passes have no rows */
	bool inside;           /* a pass of the group above; its name omits the name of the group */
};

/* Group the passes that share their first label, if there are several. Groups and other passes are
 * in the order of their time, and so are the passes in a group. folds may be NULL. Returns how many
 * rows there are. */
unsigned pass_groups(const struct pass_table *table, const struct view_folds *folds,
		     struct grouped_pass rows[PASS_ROWS_SHOWN]);

/* Get the passes and regions of `now`, or since the start if those are known. Returns false without
 * passes. */
bool pass_table_of(const struct view_data *data, bool total, struct pass_table *table);
/* Add the times of a pass to a sum. */
void pass_sum_add(struct pass_line *sum, const struct pass_line *line);

#endif
