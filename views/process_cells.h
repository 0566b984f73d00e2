/* process_cells: the columns of the Processes view: which of them fit, and the cell of a row in
 * each. For processes.c only. */
#ifndef MALITOP_PROCESS_CELLS_H
#define MALITOP_PROCESS_CELLS_H

#include "base/units.h"
#include "views/processes.h"
#include "views/widget.h"

struct process_cells {
	int w[COLUMNS_MOST]; /* widths of the columns, 0 for those that do not fit */
	double cpu_full;     /* the value of a full bar of CPU time, in percent of one CPU */
	uint64_t lines; /* of the tree, for the last drawn row: bit k for a line that continues at depth k */
	unsigned next;  /* the row after that one */
};

/* Choose the columns that fit; the least important are omitted first. */
void process_cells_init(struct process_cells *cells, const struct process_table *table, int cols);
/* Draw the headings; add them to `hits` if that is not NULL. */
void process_cells_headings(const struct process_cells *cells, const struct process_table *table,
			    struct hits *hits, struct canvas *canvas, struct rect r);
void process_cells_row(struct process_cells *cells, const struct process_table *table, unsigned row,
		       struct canvas *canvas, struct rect r);

/* Draw the details of the selected process, a row per topic. (process_details.c) */
int process_details_rows(const struct process_table *table);
void process_details_draw(const struct drawing *d, const struct process_table *table, struct rect r);
/* "1:02.34", from 100 minutes on "3h12m", from 100 hours on "12d07h". */
void process_time_text(char out[UNITS_TEXT], uint64_t ns);

#endif
