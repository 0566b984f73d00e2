/* process_cells: the columns of the Processes view: which of them fit, and what a row has in each. For processes.c only. */
#ifndef MALITOP_PROCESS_CELLS_H
#define MALITOP_PROCESS_CELLS_H

#include "views/canvas.h"
#include "views/processes.h"

struct process_cells {
	unsigned shown; /* bits 1 << enum process_key */
	uint64_t lines; /* of the tree, for the row drawn last: bit k for one that goes on below at depth k */
	unsigned next;  /* the row behind that one */
};

/* The columns that fit, the least important given up first. */
void process_cells_init(struct process_cells *cells, const struct process_table *table, int cols);
void process_cells_headings(const struct process_cells *cells, const struct process_table *table, struct canvas *canvas,
			    struct rect r);
void process_cells_row(struct process_cells *cells, const struct process_table *table, unsigned row, struct canvas *canvas,
		       struct rect r);

#endif
