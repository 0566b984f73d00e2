/* The feed of metrics that name several sources. It has no samples: its columns are computed from
 * the histories of its sources on request. */
#include "tui/feeds.h"

#include "base/alloc.h"

#include <stdlib.h>

#define SILENT_NS 3000000000ll /* a source that lags this far is not waited for */

/* The feed of a source that the mix uses; NULL if it uses none, or another one is shown. */
static const struct feed_state *used_feed(const struct feeds *f, enum source_kind kind)
{
	const struct feed_state *feed = f->mix->uses[kind] ? feeds_shown(f, kind) : NULL;

	return feed && feed->source->set->n_slots == f->mix->sources[kind]->n_slots ? feed : NULL;
}

struct column *feed_column_new(const struct feed_state *feed)
{
	return feed->history ? history_column_new(feed->history) : column_new(feed->source->n_slots);
}

static const struct column *history_part(const struct feed_state *feed, enum feed_part part, int64_t from_ns,
					 int64_t to_ns, struct column *out)
{
	if (part == FEED_TOTAL)
		return history_total(feed->history);
	if (part == FEED_SPAN)
		history_span(feed->history, from_ns, to_ns, out);
	else
		history_around(feed->history, from_ns, out);
	return out;
}

const struct column *feed_part(const struct feed_state *feed, enum feed_part part, int64_t from_ns,
			       int64_t to_ns, struct column *out)
{
	const struct column *columns[SOURCE_KINDS] = {0};

	if (feed->history)
		return history_part(feed, part, from_ns, to_ns, out);
	for (enum source_kind kind = 0; kind < SOURCE_MIX; kind++) {
		const struct feed_state *used = used_feed(feed->feeds, kind);

		if (used)
			columns[kind] = history_part(used, part, from_ns, to_ns, used->frames);
	}
	metric_mix_column(feed->feeds->mix, columns, out);
	return out;
}

/* Return the time up to which all sources have data, except silent ones. */
int64_t feed_newest_ns(const struct feed_state *feed)
{
	int64_t newest = 0, common = 0;

	if (feed->history)
		return history_newest_ns(feed->history);
	for (int pass = 0; pass < 2; pass++)
		for (enum source_kind kind = 0; kind < SOURCE_MIX; kind++) {
			const struct feed_state *used = used_feed(feed->feeds, kind);
			int64_t end = used ? history_newest_ns(used->history) : 0;

			if (!pass)
				newest = end > newest ? end : newest;
			else if (end && newest - end < SILENT_NS && (!common || end < common))
				common = end;
		}
	return common;
}

int64_t feed_oldest_ns(const struct feed_state *feed)
{
	int64_t oldest = 0;

	if (feed->history)
		return history_oldest_ns(feed->history);
	for (enum source_kind kind = 0; kind < SOURCE_MIX; kind++) {
		const struct feed_state *used = used_feed(feed->feeds, kind);
		int64_t begin = used ? history_oldest_ns(used->history) : 0;

		oldest = begin > oldest ? begin : oldest;
	}
	return oldest;
}

int64_t feed_period_ns(const struct feed_state *mix)
{
	int64_t slowest = 0;

	for (enum source_kind kind = 0; kind < SOURCE_MIX; kind++) {
		const struct feed_state *used = used_feed(mix->feeds, kind);

		if (used && used->source->period_ns > slowest)
			slowest = used->source->period_ns;
	}
	return slowest;
}
