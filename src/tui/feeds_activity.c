/* The activity of a device for the timeline; and any formula over a time. */
#include "base/alloc.h"
#include "tui/feeds.h"

#include <math.h>

const struct feed_state *feeds_activity_feed(const struct feeds *f)
{
	const struct feed_state *gpu = feeds_shown(f, SOURCE_GPU);

	return gpu ? gpu : feeds_shown(f, SOURCE_CPU);
}

bool feeds_activity_of(const struct session_source *source, const struct column *column, double *scratch,
		       struct timeline_cell *cell)
{
	const char *name = source->kind == SOURCE_GPU ? "GPUBusy" : "CPUActivityUser";
	const struct metric *metric = metric_find(source->set, span_of(name));

	cell->share = NAN;
	cell->scene = scene_unknown;
	if (!metric || !column->n_samples)
		return false;
	metric_vector(source->set, column, scratch);
	cell->share = (float)(metric_value(metric, scratch) / 100);
	scene_read(&cell->scene, source->set, scratch);
	return !isnan(cell->share);
}

void feeds_activity(const struct feeds *f, int64_t begin_ns, int64_t end_ns, int n,
		    struct timeline_cell *cells)
{
	const struct feed_state *feed = feeds_activity_feed(f);
	AUTOFREE struct column *column = feed ? history_column_new(feed->history) : NULL;
	double length = (double)(end_ns - begin_ns) / n;

	for (int i = 0; i < n; i++) {
		int64_t from = begin_ns + (int64_t)(length * i), to = begin_ns + (int64_t)(length * (i + 1));

		cells[i] = (struct timeline_cell){.share = NAN, .scene = scene_unknown};
		if (!feed)
			continue;
		history_span(feed->history, from, to, column);
		if (!column->n_samples)
			history_around(feed->history, (from + to) / 2, column);
		feeds_activity_of(feed->source, column, feed->scratch, &cells[i]);
		cells[i].lost = column->lost > 0;
	}
}

/* ---- scenes ---- */

struct scene_part {
	const struct feed_state *feed;
	struct column *column;
	int64_t length_ns;
};

static bool read_part(void *user, int64_t from_ns, struct scene_rates *scene)
{
	const struct scene_part *p = user;
	struct timeline_cell cell;

	history_span(p->feed->history, from_ns, from_ns + p->length_ns, p->column);
	if (!feeds_activity_of(p->feed->source, p->column, p->feed->scratch, &cell))
		return false;
	*scene = cell.scene;
	return true;
}

unsigned feeds_scenes(const struct feeds *f, const struct timeline *line, int64_t at_ns[TIMELINE_SCENES])
{
	const struct feed_state *feed = feeds_activity_feed(f);
	AUTOFREE struct column *column = feed ? history_column_new(feed->history) : NULL;
	struct scene_part part = {feed, column, f->refresh_ns};
	struct scene_change changes[TIMELINE_SCENES];
	unsigned n = feed ? timeline_scenes(line, changes) : 0;

	for (unsigned i = 0; i < n; i++)
		at_ns[i] = scene_moment(&changes[i], timeline_cell_ns(line, changes[i].cell - 1),
					timeline_cell_ns(line, changes[i].cell + 1), part.length_ns,
					read_part, &part);
	return n;
}

double feeds_over(const struct feeds *f, enum source_kind kind, const char *formula, int64_t from_ns,
		  int64_t to_ns)
{
	const struct feed_state *feed = feeds_shown(f, kind);
	AUTOFREE struct column *column = NULL;
	struct expr expr;
	double value;

	if (!feed || !metric_compile(feed->source->set, f->session->db, span_of(formula), false, &expr, NULL))
		return NAN;
	column = history_column_new(feed->history);
	history_span(feed->history, from_ns, to_ns, column);
	metric_vector(feed->source->set, column, feed->scratch);
	value = expr_eval(&expr, feed->scratch);
	expr_fini(&expr);
	return value;
}
