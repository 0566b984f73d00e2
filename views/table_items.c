#include "views/table.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum source_kind feed_kinds[] = {SOURCE_GPU, SOURCE_PERF};

/* List the rows from top to bottom: a heading for each block, then its counters. */
struct walk {
	const struct view_data *data;
	const struct feed *feed; /* NULL before the first */
	unsigned next_feed;
	const struct metric_set *set;
	const struct gpu_layout *layout; /* NULL for none */
	unsigned slot, counter;          /* the next ones */
	int block;                       /* the last one; -1 before the first */
};

/* Slots are in the order of the layout, so the search continues where it ended. */
static const struct gpu_counter *find_counter(struct walk *w, const char *name)
{
	unsigned n = w->layout ? w->layout->n_counters : 0;

	for (unsigned i = 0; i < n; i++) {
		const struct gpu_counter *c = &w->layout->counters[(w->counter + i) % n];

		if (strcmp(c->name ? c->name : c->hw_name, name) == 0) {
			w->counter = (w->counter + i + 1) % n;
			return c;
		}
	}
	return NULL;
}

static bool has_text(const char *name, const char *text)
{
	return name && strcasestr(name, text);
}

static bool is_cpu(const struct walk *w)
{
	return w->feed == &w->data->feeds[SOURCE_PERF];
}

/* Of the CPUs the events only: PerfRunning... and PerfEnabled... are the times of others. */
static bool is_listed(const struct walk *w, const struct slot *slot)
{
	return slot->instance == INSTANCE_ALL && !(is_cpu(w) && strncmp(slot->name, "Perf", 4) == 0);
}

/* Whether a row is left out, because the filter or `only_counted` does not want it. */
static bool is_left_out(const struct walk *w, const struct table_item *item)
{
	const struct slot *slot = &w->set->slots[item->slot];
	const char *text = w->data->filter;
	const struct metric *metric;

	if (w->data->only_counted && !(w->feed->total[VECTOR_CONSTANTS + item->slot] > 0))
		return true;
	if (!text || !text[0] || has_text(slot->name, text) ||
	    has_text(item->counter ? item->counter->hw_name : NULL, text))
		return false;
	metric = metric_find(w->set, span_of(slot->name));
	return !has_text(metric ? metric->def->title : NULL, text);
}

const struct feed *table_feed(const struct view_data *data, unsigned i)
{
	for (size_t k = 0; k < ARRAY_LEN(feed_kinds); k++) {
		const struct feed *feed = &data->feeds[feed_kinds[k]];

		if (feed->set && feed->now && feed->total && i-- == 0)
			return feed;
	}
	return NULL;
}

static bool next_feed(struct walk *w)
{
	const struct feed *feed = table_feed(w->data, w->next_feed);

	if (!feed)
		return false;
	w->next_feed++;
	w->feed = feed;
	w->set = feed->set;
	w->layout = feed->set->layout;
	w->slot = w->counter = 0;
	return true;
}

/* Find the next slot of this source that is shown, and its counter. */
static bool next_slot(struct walk *w, struct table_item *item)
{
	for (; w->set && w->slot < w->set->n_slots; w->slot++) {
		if (!is_listed(w, &w->set->slots[w->slot]))
			continue;
		item->slot = w->slot;
		item->counter = find_counter(w, w->set->slots[w->slot].name);
		if (!is_left_out(w, item))
			return true;
	}
	return false;
}

static bool next_item(struct walk *w, struct table_item *item)
{
	while (!next_slot(w, item))
		if (!next_feed(w))
			return false;
	item->feed = w->feed;
	item->block = is_cpu(w) ? TABLE_CPUS : item->counter ? (int)item->counter->block : TABLE_NO_BLOCK;
	item->heading = item->block != w->block;
	if (item->heading) {
		w->block = item->block;
		if (item->counter) /* found again for the counter's own row */
			w->counter = (unsigned)(item->counter - w->layout->counters);
	} else {
		w->slot++;
	}
	return true;
}

static double counted_total(const struct table_item *item)
{
	double total =
		item->feed->total[VECTOR_CONSTANTS + item->slot] * item->feed->set->slots[item->slot].scale;

	return isnan(total) ? -1 : total;
}

static int compare_counts(const void *a, const void *b)
{
	double x = counted_total(a), y = counted_total(b);

	return (y > x) - (y < x);
}

static int compare_names(const void *a, const void *b)
{
	const struct table_item *x = a, *y = b;

	return strcmp(x->feed->set->slots[x->slot].name, y->feed->set->slots[y->slot].name);
}

struct table_items table_items(const struct view_data *data)
{
	static int (*const compare[TABLE_ORDERS])(const void *, const void *) = {
		[TABLE_BY_COUNT] = compare_counts, [TABLE_BY_NAME] = compare_names};
	struct walk w = {.data = data, .block = -1};
	struct table_items items = {0};
	struct table_item item;
	unsigned from = 0;

	while (next_item(&w, &item)) {
		GROW(items.list, items.n, items.cap);
		items.list[items.n++] = item;
	}
	for (unsigned to = 1; compare[data->order] && to <= items.n; to++)
		if (to == items.n || items.list[to].heading) {
			qsort(items.list + from + 1, to - from - 1, sizeof(*items.list),
			      compare[data->order]);
			from = to;
		}
	return items;
}
