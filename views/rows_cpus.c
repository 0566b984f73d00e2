/* The CPUs below the rows of a chart, each with its value and its history:
 *
 *   each CPU ──────────────────────────────────────────────
 *   cpu0    33.5 %  ▃▃▃▃▂▂▂▂▃▃▃▃▃   cpu2    31.0 %  ▃▃▃▃▂▃▃▃▃▃▃▃▂
 *   cpu1    35.2 %  ▃▃▃▂▂▂▃▃▃▃▃▃▃   cpu3    29.8 %  ▂▂▃▃▃▃▃▃▂▂▃▃▃
 */
#include "views/rows.h"

#define CELL_MIN 30 /* columns that label, value and a history need */
#define CELL_GAP 2

/* Whether the rows have room for all CPUs. */
static bool are_few(const struct metric_set *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->n_instances; i++)
		n += set->instances[i].kind == INSTANCE_CPU;
	return n <= ROWS_MAX;
}

/* Whether history has what the metric needs of that CPU. */
static bool is_kept(const struct feed *feed, const struct metric *metric, const struct metric_instance *cpu)
{
	for (unsigned i = 0; i < metric->expr.n; i++)
		for (unsigned k = 0; metric->expr.ops[i].kind == EXPR_LOAD && k < cpu->n_parts; k++)
			if (cpu->parts[k].sum == metric->expr.ops[i].slot &&
			    cpu->parts[k].own >= feed->n_vector)
				return false;
	return true;
}

void rows_cpus_init(struct rows_cpus *cpus, const struct chart *chart, const struct view_data *data,
		    const char *key, int cols)
{
	const struct feed *feed;

	cpus->n = 0;
	cpus->columns = cpus->lines = 0;
	if (data->per_instance || !chart_option_series(chart, data, key, &cpus->series))
		return;
	feed = series_feed(&cpus->series, data);
	if (!are_few(feed->set))
		return;
	cpus->chart = (struct chart){
		.name = chart->name,
		.title = "",
		.widget = &widget_rows,
		.series = &cpus->series,
		.n_series = 1,
		.options = {{SPAN_LIT("each"), SPAN_LIT("cpu")}, {SPAN_LIT("bars"), SPAN_LIT("no")}},
		.n_options = 1,
		.loads = chart->loads,
	};
	cpus->data = *data;
	cpus->data.hits = NULL;
	cpus->n = rows_list(&cpus->chart, &cpus->data, cpus->rows);
	if (!cpus->n || !cpus->rows[0].instance ||
	    !is_kept(feed, cpus->series.metric, cpus->rows[0].instance)) {
		cpus->n = 0;
		return;
	}
	cpus->columns = cols < CELL_MIN ? 1 : (cols + CELL_GAP) / (CELL_MIN + CELL_GAP);
	cpus->lines = ((int)cpus->n + cpus->columns - 1) / cpus->columns;
	cpus->columns = ((int)cpus->n + cpus->lines - 1) / cpus->lines;
	cpus->chart.n_options = cpus->columns > 1 ? 2 : 1;
}

void rows_cpus_head(struct canvas *canvas, struct rect head)
{
	rect_left(&head, canvas_text(canvas, head, STYLE_DIM, "each CPU") + 1);
	canvas_fill(canvas, head, STYLE_TRACK, 0x2500);
}

void rows_cpus_draw(const struct rows_cpus *cpus, struct canvas *canvas, struct rect r)
{
	int cell = (r.w - (cpus->columns - 1) * CELL_GAP) / cpus->columns;
	struct row_columns c = rows_columns(&cpus->chart, cpus->rows, cpus->n, cell);

	for (int i = 0; i < (int)cpus->n; i++)
		rows_draw_row(&cpus->rows[i], &c, canvas,
			      (struct rect){r.x + i / cpus->lines * (cell + CELL_GAP), r.y + i % cpus->lines,
					    cell, 1});
}
