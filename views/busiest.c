#include "views/process_cells.h"
#include "views/processes.h"
#include "views/widget.h"

/* busiest: the processes or threads that use the CPUs most, as many as there is room for. */

enum { ROWS_MIN = 2 }; /* the headings and the busiest one */

static void busiest_size(const struct chart *chart, const struct view_data *data, int cols, int *min,
			 int *most)
{
	(void)chart, (void)cols;
	*min = data->busiest ? ROWS_MIN : 0;
	*most = *min;
	if (data->busiest && 1 + (int)data->busiest->n > *most)
		*most = 1 + (int)data->busiest->n;
}

static void busiest_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas,
			 struct rect r)
{
	const struct process_table *t = data->busiest;
	struct process_cells cells;

	(void)chart;
	*t->page = r.h > 0 ? (unsigned)r.h : 0;
	if (!t->list) {
		canvas_text(canvas, r, STYLE_DIM, t->missing ? t->missing : "reading processes...");
		return;
	}
	process_cells_init(&cells, t, r.w);
	process_cells_headings(&cells, t, NULL, canvas, rect_top(&r, 1));
	for (unsigned i = 0; i < t->n && r.h > 0; i++)
		process_cells_row(&cells, t, i, canvas, rect_top(&r, 1));
}

static void busiest_corner(const struct chart *chart, const struct view_data *data, bool ascii, char *text,
			   size_t size)
{
	(void)chart, (void)ascii;
	if (data->busiest)
		process_table_counts(data->busiest, text, size);
}

static const char *const busiest_options[] = {"of threads", NULL};

const struct widget widget_busiest = {.name = "busiest",
				      .options = busiest_options,
				      .seriesless = true,
				      .companion = true,
				      .size = busiest_size,
				      .draw = busiest_draw,
				      .corner = busiest_corner};
