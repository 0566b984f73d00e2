/* How active a device was, for the timeline; and any formula over a time. */
#include "base/alloc.h"
#include "tui/feeds.h"

#include <math.h>

static const struct feed_state *activity_feed(const struct feeds *f)
{
	const struct feed_state *gpu = feeds_shown(f, SOURCE_GPU);

	return gpu ? gpu : feeds_shown(f, SOURCE_CPU);
}

const struct session_source *feeds_activity_source(const struct feeds *f)
{
	const struct feed_state *feed = activity_feed(f);

	return feed ? feed->source : NULL;
}

float feeds_activity_of(const struct session_source *source, const struct column *column, double *scratch)
{
	const char *name = source->kind == SOURCE_GPU ? "GPUBusy" : "CPUActivityUser";
	const struct metric *metric = metric_find(source->set, span_of(name));

	if (!metric || !column->n_samples)
		return NAN;
	metric_vector(source->set, column, scratch);
	return (float)(metric_value(metric, scratch) / 100);
}

void feeds_activity(const struct feeds *f, int64_t begin_ns, int64_t end_ns, int n,
		    struct timeline_cell *cells)
{
	const struct feed_state *feed = activity_feed(f);
	AUTOFREE struct column *column = feed ? history_column_new(feed->history) : NULL;
	double length = (double)(end_ns - begin_ns) / n;

	for (int i = 0; i < n; i++) {
		int64_t from = begin_ns + (int64_t)(length * i), to = begin_ns + (int64_t)(length * (i + 1));

		cells[i] = (struct timeline_cell){.share = NAN};
		if (!feed)
			continue;
		history_span(feed->history, from, to, column);
		if (!column->n_samples)
			history_around(feed->history, (from + to) / 2, column);
		cells[i].share = feeds_activity_of(feed->source, column, feed->scratch);
		cells[i].lost = column->lost > 0;
	}
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
