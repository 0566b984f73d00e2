#include "views/widget.h"

#include "base/alloc.h"
#include "base/real.h"
#include "views/compared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* table: every counter of the GPU, block by block, and every event of the CPUs: per second, since
 * the start and as counted, or its rates over several times; `c` spreads it over cores, slices and
 * CPUs. It scrolls. */

enum {
	TABLE_NO_BLOCK = BLOCK_COUNT, /* in no block of the GPU */
	TABLE_CPUS,
	TABLE_BLOCKS
};

struct table_item {
	const struct feed *feed;
	bool heading;
	int block;
	unsigned slot;
	const struct gpu_counter *counter; /* NULL if in no block */
};

struct table_items {
	struct table_item *list;
	unsigned n, cap;
};

/* ---- the rows: a heading for each block, then its counters, as filtered and sorted ---- */

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

/* Whether a slot is listed: of the CPUs, only events, without the times PerfRunning... and
 * PerfEnabled... */
static bool is_listed(const struct walk *w, const struct slot *slot)
{
	return slot->instance == INSTANCE_ALL && !(is_cpu(w) && strncmp(slot->name, "Perf", 4) == 0);
}

/* Whether the filter or `only_counted` excludes a row. Without a filter, counters whose values are
 * unknown are left out. */
static bool is_left_out(const struct walk *w, const struct table_item *item)
{
	const struct slot *slot = &w->set->slots[item->slot];
	const char *text = w->data->filter;
	const struct metric *metric;

	double total = w->feed->total[VECTOR_CONSTANTS + item->slot];

	if (w->data->only_counted && !(total > 0))
		return true;
	if (!text || !text[0])
		return isnan(total);
	if (has_text(slot->name, text) || has_text(item->counter ? item->counter->hw_name : NULL, text))
		return false;
	metric = metric_find(w->set, span_of(slot->name));
	return !has_text(metric ? metric->def->title : NULL, text);
}

/* The i-th source whose counters are shown, in their order; NULL after the last. */
static const struct feed *table_feed(const struct view_data *data, unsigned i)
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

/* All rows, sorted within their blocks. The caller frees the list. */
static struct table_items list_items(const struct view_data *data)
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

/* ---- drawing ---- */

enum {
	TITLE_MIN = 24,
	TITLE_EACH = 29,
	NAME_W = 29,
	HW_W = 38,
	VALUE_W = 12,
	RAW_W = 14,
	COMPARED_W = 35, /* without a word, because a count is neither good nor bad */
	EACH_W = 8,
	GAP = 1
};

static const char *const block_titles[TABLE_BLOCKS] = {
	[BLOCK_FRONT_END] = "Front end",
	[BLOCK_TILER] = "Tiler",
	[BLOCK_MEMORY] = "Memory system, all L2 slices",
	[BLOCK_CORE] = "Shader cores, all together",
	[TABLE_NO_BLOCK] = "Beside the counters",
	[TABLE_CPUS] = "CPUs, all together",
};
static const enum instance_kind block_instances[TABLE_BLOCKS] = {
	[BLOCK_MEMORY] = INSTANCE_SLICE,
	[BLOCK_CORE] = INSTANCE_CORE,
	[TABLE_CPUS] = INSTANCE_CPU,
};

struct table_columns {
	struct rect title, name, hw, rate, total, raw, low, high, each, compared;
	struct rect windows[FEED_WINDOWS], whole; /* rates, as `rate` is */
};

enum table_shape {
	SHAPE_COUNTS,
	SHAPE_WINDOWS,  /* rates over several times */
	SHAPE_SPREAD,   /* a column per instance */
	SHAPE_COMPARED, /* was, now and the change */
	SHAPES
};

#define WANTED_MOST 6

/* The least important columns are omitted first: their width is 0. */
static struct table_columns cut_columns(struct rect row, enum table_shape shape)
{
	bool per_instance = shape == SHAPE_SPREAD;
	struct table_columns c = {.name.w = 0};
	const struct {
		struct rect *column;
		int w;
	} wanted[SHAPES][WANTED_MOST] =
		{
			[SHAPE_COUNTS] = {{&c.rate, VALUE_W},
					  {&c.total, VALUE_W},
					  {&c.name, NAME_W},
					  {&c.raw, RAW_W},
					  {&c.hw, HW_W}},
			[SHAPE_WINDOWS] = {{&c.rate, VALUE_W},
					   {&c.windows[0], VALUE_W},
					   {&c.windows[1], VALUE_W},
					   {&c.whole, VALUE_W},
					   {&c.name, NAME_W},
					   {&c.hw, HW_W}},
			[SHAPE_SPREAD] = {{&c.rate, VALUE_W}, {&c.low, EACH_W}, {&c.high, EACH_W}},
			[SHAPE_COMPARED] = {{&c.compared, COMPARED_W}, {&c.name, NAME_W}, {&c.hw, HW_W}},
		},
	  *from = wanted[shape];
	size_t fit = 0;
	int title_w = per_instance ? TITLE_EACH : TITLE_MIN, spare = row.w - title_w;

	while (fit < WANTED_MOST && from[fit].column && spare >= from[fit].w + GAP)
		spare -= from[fit++].w + GAP;
	for (size_t i = 0; i < fit; i++)
		from[i].column->w = from[i].w;
	c.title = rect_left(&row, title_w + (per_instance ? spare % EACH_W : spare));
	/* from left to right */
	struct rect *const order[] = {&c.hw,    &c.name, &c.rate, &c.windows[0], &c.windows[1], &c.whole,
				      &c.total, &c.raw,  &c.low,  &c.high,       &c.compared};

	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (order[i]->w) {
			rect_left(&row, GAP);
			*order[i] = rect_left(&row, order[i]->w);
		}
	c.each = per_instance ? row : c.each;
	return c;
}

static void draw_headings(struct canvas *canvas, struct rect free, const struct table_columns *c,
			  double refresh_s)
{
	char raw[64], now[64], windows[FEED_WINDOWS][64], span[UNITS_TEXT];
	const struct {
		struct rect at;
		const char *text;
		bool left;
	} headings[] = {
		{c->hw, "hardware name", true},
		{c->name, "name", true},
		{c->rate, c->whole.w ? now : "per second", false},
		{c->windows[0], windows[0], false},
		{c->windows[1], windows[1], false},
		{c->whole, "since start", false},
		{c->total, "since start", false},
		{c->raw, raw, false},
		{c->low, "min", false},
		{c->high, "max", false},
	};

	if (c->compared.w)
		compared_head(canvas, (struct rect){c->compared.x, free.y, c->compared.w, free.h});
	snprintf(now, sizeof(now), "in %.20s", time_format(span, (int64_t)(refresh_s * 1e9)));
	for (unsigned i = 0; i < FEED_WINDOWS; i++)
		snprintf(windows[i], sizeof(windows[i]), "in %g s", feed_windows_s[i]);
	snprintf(raw, sizeof(raw), "in %.20s", time_format(span, (int64_t)(refresh_s * 1e9)));
	for (size_t i = 0; i < ARRAY_LEN(headings); i++) {
		struct rect at = headings[i].at;

		at.y = free.y;
		at.h = free.h;
		if (at.w && at.x >= free.x)
			(headings[i].left ? canvas_text : canvas_text_right)(canvas, at, STYLE_DIM,
									     headings[i].text);
	}
}

/* Draw a number with its prefix only, because the column shows the unit. */
static void draw_short(struct canvas *canvas, struct rect r, double value)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT];
	struct rect behind = rect_right(&r, 1);

	unit_split(number, suffix, value, unit_find(SPAN_LIT("count")), false, canvas->ascii);
	rect_right(&r, 1);
	canvas_text_right(canvas, r, STYLE_TEXT, number);
	canvas_text(canvas, behind, STYLE_DIM, suffix);
}

static bool is_counting(const struct slot *slot)
{
	return slot->kind == SLOT_DELTA || slot->kind == SLOT_STEADY;
}

/* Return the slot's value in that vector, per second if it grows with time. */
static double slot_rate(const struct metric_set *set, const double *vector, unsigned slot)
{
	double v = vector[VECTOR_CONSTANTS + slot] * set->slots[slot].scale;

	return is_counting(&set->slots[slot]) ? v / vector[VECTOR_SECONDS] : v;
}

/* Get the rate of an instance's part of a slot. Returns false if it has none. */
static bool instance_rate(const struct feed *feed, const struct metric_instance *instance, unsigned slot,
			  double *rate)
{
	for (unsigned i = 0; i < instance->n_parts; i++)
		if (instance->parts[i].sum == VECTOR_CONSTANTS + slot) {
			*rate = slot_rate(feed->set, feed->now, instance->parts[i].own - VECTOR_CONSTANTS);
			return true;
		}
	return false;
}

/* The instances of a kind, left to right, as far as they fit, and the least and greatest of all. */
static void draw_spread(const struct table_item *item, struct canvas *canvas, const struct table_columns *c)
{
	const struct feed *feed = item->feed;
	double low = NAN, high = NAN, v;
	struct rect each = c->each;
	bool any = false;

	for (unsigned i = 0; i < feed->set->n_instances; i++) {
		const struct metric_instance *instance = &feed->set->instances[i];

		if (instance->kind != block_instances[item->block] ||
		    !instance_rate(feed, instance, item->slot, &v))
			continue;
		low = real_min(low, v);
		high = real_max(high, v);
		any = true;
		if (each.w >= EACH_W)
			draw_short(canvas, rect_left(&each, EACH_W), v);
	}
	if (any && c->low.w)
		draw_short(canvas, c->low, low);
	if (any && c->high.w)
		draw_short(canvas, c->high, high);
}

/* Draw the name, or the other name if it does not fit; a truncated one ends with an ellipsis. */
static void draw_name(struct canvas *canvas, struct rect r, const char *name, const char *other)
{
	if (text_width(name) > r.w)
		name = other;
	canvas_text_cut(canvas, r, STYLE_TEXT, name);
}

/* The part of the time for which a CPU event was counted; below 1 its numbers are estimates. NaN
 * for a GPU, whose driver does not say. */
static double counted_share(const struct table_item *item)
{
	const struct slot *slot = &item->feed->set->slots[item->slot];
	const double *slots = item->feed->now + VECTOR_CONSTANTS;

	if (item->block != TABLE_CPUS)
		return (double)NAN;
	return slot->running ? slots[slot->running] / slots[slot->enabled] : 1;
}

/* Draw the hardware's name of a counter, or the share of time for which a CPU event was counted. */
static void draw_hardware(struct canvas *canvas, struct rect r, const struct table_item *item, double share)
{
	if (item->counter)
		canvas_text_cut(canvas, r, STYLE_DIM, item->counter->hw_name);
	else if (share >= 0)
		canvas_printf(canvas, r, STYLE_DIM, "counted %.0f %% of the time", share * 100);
	else
		canvas_text(canvas, r, STYLE_DIM, canvas->ascii ? "-" : "\u2013");
}

/* Per second, beside what it was. */
static void draw_rate(const struct table_item *item, const struct table_columns *c, struct canvas *canvas,
		      const struct metric *metric, const struct unit *unit, bool estimated)
{
	const struct feed *feed = item->feed;
	struct comparison compared = {
		.unit = unit,
		.grows = is_counting(&feed->set->slots[item->slot]),
		.was = feed->mark            ? slot_rate(feed->set, feed->mark, item->slot)
		       : feed->was && metric ? feed->was[metric - feed->set->metrics]
					     : (double)NAN,
		.now = slot_rate(feed->set, feed->now, item->slot),
	};

	if (c->compared.w)
		compared_draw(&compared, 1, canvas, c->compared);
	else if (feed_compares(feed))
		widget_compared(canvas, c->rate, unit, compared.grows, compared.was, compared.now,
				STYLE_TEXT);
	else
		widget_number(canvas, c->rate, unit, compared.now, compared.grows, estimated, STYLE_TEXT);
}

/* Rates over longer times, in the columns that have room. */
static void draw_windows(const struct table_item *item, const struct table_columns *c, struct canvas *canvas,
			 const struct unit *unit, bool estimated)
{
	const struct feed *feed = item->feed;
	bool grows = is_counting(&feed->set->slots[item->slot]);

	for (unsigned i = 0; i < FEED_WINDOWS; i++)
		if (feed->windows[i])
			widget_number(canvas, c->windows[i], unit,
				      slot_rate(feed->set, feed->windows[i], item->slot), grows, estimated,
				      STYLE_TEXT);
	if (grows)
		widget_number(canvas, c->whole, unit, slot_rate(feed->set, feed->total, item->slot), grows,
			      estimated, STYLE_TEXT);
}

static void draw_counter(const struct table_item *item, struct canvas *canvas, const struct table_columns *c)
{
	const struct feed *feed = item->feed;
	const struct slot *slot = &feed->set->slots[item->slot];
	const struct metric *metric = metric_find(feed->set, span_of(slot->name));
	const struct unit *unit = metric ? metric->unit : unit_find(SPAN_LIT("count"));
	double raw = feed->now[VECTOR_CONSTANTS + item->slot];
	const char *dash = canvas->ascii ? "-" : "\u2013";
	bool published = !item->counter || item->counter->name;
	double share = counted_share(item);
	bool estimated = feed->now_column && feed->now_column->flags & SAMPLE_ESTIMATED && !(share >= 1);

	if (c->each.w || !metric)
		draw_name(canvas, c->title, slot->name,
			  slot->name); /* shorter than titles, and no two are the same */
	else
		draw_name(canvas, c->title, metric->def->title, metric->def->short_title);
	canvas_text_cut(canvas, c->name, STYLE_DIM, published ? slot->name : dash);
	draw_hardware(canvas, c->hw, item, share);
	draw_rate(item, c, canvas, metric, unit, estimated);
	draw_windows(item, c, canvas, unit, estimated);
	if (c->total.w && is_counting(slot))
		widget_number(canvas, c->total, unit,
			      feed->total[VECTOR_CONSTANTS + item->slot] * slot->scale, false, estimated,
			      STYLE_TEXT);
	if (isnan(raw))
		canvas_text_right(canvas, c->raw, STYLE_DIM, dash);
	else
		canvas_printf(canvas, c->raw, STYLE_DIM, "%*.0f", c->raw.w, raw);
	if (c->each.w)
		draw_spread(item, canvas, c);
}

/* Draw the name of the block, and the numbers of its cores or slices if they have columns. */
static void draw_block(const struct table_item *item, struct canvas *canvas, struct rect row,
		       const struct table_columns *c)
{
	const struct feed *feed = item->feed;
	enum instance_kind kind = block_instances[item->block];
	struct rect each = c->each;

	canvas_text(canvas, row, STYLE_TITLE, block_titles[item->block]);
	for (unsigned i = 0; kind != INSTANCE_ALL && i < feed->set->n_instances; i++)
		if (feed->set->instances[i].kind == kind && each.w >= EACH_W) {
			struct rect heading = rect_left(&each, EACH_W);

			rect_right(&heading, 2);
			canvas_text_right(canvas, heading, STYLE_DIM, feed->set->instances[i].label);
		}
}

/* The subject of a counter's row; a heading has none. */
static struct row_subject subject_of(const struct chart *chart, const struct table_item *item)
{
	const struct metric_set *set = item->feed->set;
	const struct metric *m = metric_find(set, span_of(set->slots[item->slot].name));

	return item->heading || !m ? (struct row_subject){0}
				   : (struct row_subject){.chart = chart, .metric = m};
}

/* The position of the selected row, -1 if there is none. */
static int selected_row(const struct chart *chart, const struct view_data *data,
			const struct table_items *items)
{
	for (unsigned at = 0; data->selected.chart == chart && at < items->n; at++) {
		struct row_subject subject = subject_of(chart, &items->list[at]);

		if (subject.chart && subject_same(&subject, &data->selected))
			return (int)at;
	}
	return -1;
}

static struct need table_size(const struct chart *chart, const struct view_data *data, int cols)
{
	struct table_items items = list_items(data);
	int rows = (int)items.n;

	free(items.list);
	(void)chart;
	(void)cols;
	return table_feed(data, 0) ? (struct need){2, (rows ? rows : 1) + 1} : (struct need){0, 0};
}

static bool has_instances(const struct view_data *data)
{
	const struct feed *feed;

	for (unsigned i = 0; (feed = table_feed(data, i)); i++)
		if (feed->set->n_instances)
			return true;
	return false;
}

static void table_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas,
		       struct rect r)
{
	enum table_shape shape = data->per_instance && has_instances(data) ? SHAPE_SPREAD
				 : data->changes                           ? SHAPE_COMPARED
				 : data->windows                           ? SHAPE_WINDOWS
									   : SHAPE_COUNTS;
	struct table_columns c = cut_columns(r, shape);
	struct table_items items = list_items(data);
	int skip;

	draw_headings(canvas, widget_head(&r), &c, data->range_s > 0 ? data->range_s : data->refresh_s);
	if (!items.n)
		canvas_text(canvas, r, STYLE_DIM, "no counter fits the filter: Esc shows all again");
	skip = widget_scroll(data, (int)items.n, r.h, selected_row(chart, data, &items));
	for (int at = 0; at < (int)items.n; at++) {
		const struct table_item *item = &items.list[at];
		struct rect row = rect_top(&r, at < skip ? 0 : 1);
		struct row_subject subject = subject_of(chart, item);

		if (subject.chart)
			hits_add(data->hits,
				 &(struct hit){.at = row, .mark = row, .kind = HIT_ROW, .subject = subject});
		if (!row.h)
			continue;
		c = cut_columns(row, shape);
		/* the first row always shows its block */
		if (item->heading || at == skip)
			draw_block(item, canvas, row, &c);
		else
			draw_counter(item, canvas, &c);
	}
	free(items.list);
}

const struct widget widget_table = {
	.name = "table", .breaks_down = true, .seriesless = true, .size = table_size, .draw = table_draw};
