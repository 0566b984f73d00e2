/* regions: the regions of the program's own code (malitop.h), the longest first: ms per frame and
 * per call, calls per frame, cycles and instructions per cycle if they are counted, history. */
#include "views/pass_groups.h"
#include "views/widget.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>

#define NAME_W 30
#define NUMBER_W 12
#define HISTORY_MAX 40
#define GAP 1

enum region_column { IN_FRAME, IN_CALL, CALLS, CYCLES, IPC, COLUMNS };

static const struct {
	const char *head, *unit;
	int decimals;
} columns[COLUMNS] = {
	[IN_FRAME] = {"in a frame", " ms", 2},
	[IN_CALL] = {"in a call", " ms", 3},
	[CALLS] = {"calls", "", 1},
	[CYCLES] = {"in a call", " Mcy", 2},
	[IPC] = {"IPC", "", 2},
};

/* Get the regions, the longest first; false if there are none. */
static bool read_regions(const struct view_data *data, struct pass_table *table)
{
	if (!pass_table_of(data, false, table))
		return false;
	for (unsigned i = 1; i < table->n_regions; i++) {
		struct region_line line = table->regions[i];
		unsigned at = i;

		for (; at > 0 && table->regions[at - 1].ms < line.ms; at--)
			table->regions[at] = table->regions[at - 1];
		table->regions[at] = line;
	}
	return table->n_regions > 0;
}

static const struct metric *metric_of(const struct feed *feed, unsigned row, const char *what)
{
	char name[24];

	snprintf(name, sizeof(name), "region%u.%s", row, what);
	return metric_find(feed->set, span_of(name));
}

static struct need regions_size(const struct drawing *d, int cols)
{
	struct pass_table table;
	int rows = read_regions(d->data, &table) ? (int)table.n_regions + 1 : 0;

	(void)cols;
	return (struct need){rows, rows};
}

static struct rect next_column(struct rect *row)
{
	struct rect r = row->w >= NUMBER_W + GAP ? rect_left(row, NUMBER_W) : (struct rect){.w = 0};

	rect_left(row, r.w ? GAP : 0);
	return r;
}

static void draw_number(struct canvas *canvas, struct rect r, enum region_column column, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*f%s", columns[column].decimals, value, columns[column].unit);
	if (r.w && isfinite(value))
		canvas_text_right(canvas, r, STYLE_TEXT, text);
	else if (r.w)
		canvas_text_right(canvas, r, STYLE_DIM, "\u2013");
}

static void draw_line(const struct drawing *d, struct rect row, const struct region_line *line)
{
	const struct feed *feed = &d->data->feeds[SOURCE_PASSES];
	const struct metric *ms = metric_of(feed, line->row, "ms"),
			    *calls = metric_of(feed, line->row, "calls");
	const struct series series = series_of(ms, SOURCE_PASSES);
	struct rect at = row;

	if (!ms || !calls)
		return;
	const double values[COLUMNS] = {
		[IN_FRAME] = metric_value(ms, feed->now),  [IN_CALL] = line->ms / line->calls,
		[CALLS] = metric_value(calls, feed->now),  [CYCLES] = line->cycles / line->calls * 1e-6,
		[IPC] = line->instructions / line->cycles,
	};

	canvas_text(d->canvas, rect_left(&at, NAME_W), STYLE_TEXT, line->name);
	for (unsigned i = 0; i < COLUMNS; i++)
		draw_number(d->canvas, next_column(&at), (enum region_column)i, values[i]);
	at.w = at.w < HISTORY_MAX ? at.w : HISTORY_MAX;
	widget_draw_history(d, &series, NULL, series_top(&series, d->data), at);
	widget_hit(d, row, row, (struct row_subject){.chart = d->chart, .metric = ms});
}

static void draw_heads(struct canvas *canvas, struct rect row)
{
	canvas_text(canvas, rect_left(&row, NAME_W), STYLE_DIM, "region");
	for (unsigned i = 0; i < COLUMNS; i++)
		canvas_text_right(canvas, next_column(&row), STYLE_DIM, columns[i].head);
	canvas_text(canvas, row, STYLE_DIM, "in a frame, history");
}

static void regions_draw(const struct drawing *d, struct rect r)
{
	struct pass_table table;

	if (!read_regions(d->data, &table))
		return;
	draw_heads(d->canvas, widget_head(&r));
	for (unsigned i = 0; i < table.n_regions && r.h > 0; i++)
		draw_line(d, rect_top(&r, 1), &table.regions[i]);
}

const struct widget widget_regions = {.name = "regions",
				      .seriesless = true,
				      .companion = true,
				      .heads = 1,
				      .size = regions_size,
				      .draw = regions_draw};
