#include "views/widget.h"

#include "base/alloc.h"
#include "base/real.h"
#include "views/compared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* table: every counter of the GPU, block by block, and every event of the CPUs: per second, since
 * the start and the raw count, or its rates over several times. `c` shows cores, slices and CPUs.
 * It scrolls. */

enum {
	TABLE_NO_BLOCK = BLOCK_COUNT, /* not in a block of the GPU */
	TABLE_CPUS,
	TABLE_BLOCKS
};

struct table_item {
	const struct feed *feed;
	bool heading; /* a row with the name of the block */
	int block;
	unsigned index;
	const struct slot *slot;
	const struct metric *metric;       /* the metric named like the slot; NULL: none */
	const struct gpu_counter *counter; /* NULL if it is not in a block */
};

struct table_items {
	struct table_item *list;
	unsigned n, cap;
};

/* ---- the rows: a heading for each block, then its counters, as filtered and sorted ---- */

static const enum source_kind feed_kinds[] = {SOURCE_GPU, SOURCE_PERF};

static bool is_shown(const struct feed *feed)
{
	return feed->set && feed->now && feed->total;
}

/* Slots are in the order of the layout, so the search continues where the last one ended. */
static const struct gpu_counter *find_counter(const struct gpu_layout *layout, unsigned *at, const char *name)
{
	unsigned n = layout ? layout->n_counters : 0;

	for (unsigned i = 0; i < n; i++) {
		const struct gpu_counter *c = &layout->counters[(*at + i) % n];

		if (strcmp(c->name ? c->name : c->hw_name, name) == 0) {
			*at = (*at + i + 1) % n;
			return c;
		}
	}
	return NULL;
}

static bool has_text(const char *name, const char *text)
{
	return name && strcasestr(name, text);
}

/* Whether the filter or `only_counted` excludes a row. Without a filter, counters with unknown
 * values are excluded, too. */
static bool is_left_out(const struct view_data *data, const struct table_item *item)
{
	double total = item->feed->total[VECTOR_CONSTANTS + item->index];
	const char *text = data->filter;

	if (data->only_counted && !(total > 0))
		return true;
	if (!text || !text[0])
		return isnan(total);
	return !has_text(item->slot->name, text) &&
	       !has_text(item->counter ? item->counter->hw_name : NULL, text) &&
	       !has_text(item->metric ? item->metric->def->title : NULL, text);
}

static void add_item(struct table_items *items, const struct table_item *item)
{
	GROW(items->list, items->n, items->cap);
	items->list[items->n++] = *item;
}

static void add_feed(struct table_items *items, const struct view_data *data, const struct feed *feed)
{
	bool cpu = feed == &data->feeds[SOURCE_PERF];
	unsigned at = 0;

	for (unsigned i = 0; i < feed->set->n_slots; i++) {
		const struct slot *slot = &feed->set->slots[i];
		struct table_item item = {.feed = feed, .index = i, .slot = slot, .heading = true};

		/* events of the CPUs, without the times PerfRunning... and PerfEnabled... */
		if (slot->instance != INSTANCE_ALL || (cpu && strncmp(slot->name, "Perf", 4) == 0))
			continue;
		item.counter = find_counter(feed->set->layout, &at, slot->name);
		item.metric = metric_find(feed->set, span_of(slot->name));
		item.block = cpu ? TABLE_CPUS : item.counter ? (int)item.counter->block : TABLE_NO_BLOCK;
		if (is_left_out(data, &item))
			continue;
		if (!items->n || items->list[items->n - 1].block != item.block)
			add_item(items, &item);
		item.heading = false;
		add_item(items, &item);
	}
}

static double counted_total(const struct table_item *item)
{
	double total = item->feed->total[VECTOR_CONSTANTS + item->index] * item->slot->scale;

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

	return strcmp(x->slot->name, y->slot->name);
}

/* List all rows, sorted within their blocks. The caller frees the list. */
static struct table_items list_items(const struct view_data *data)
{
	static int (*const compare[TABLE_ORDERS])(const void *, const void *) = {
		[TABLE_BY_COUNT] = compare_counts, [TABLE_BY_NAME] = compare_names};
	struct table_items items = {0};
	unsigned from = 0;

	for (size_t i = 0; i < ARRAY_LEN(feed_kinds); i++)
		if (is_shown(&data->feeds[feed_kinds[i]]))
			add_feed(&items, data, &data->feeds[feed_kinds[i]]);
	for (unsigned to = 1; compare[data->order] && to <= items.n; to++)
		if (to == items.n || items.list[to].heading) {
			qsort(items.list + from + 1, to - from - 1, sizeof(*items.list),
			      compare[data->order]);
			from = to;
		}
	return items;
}

/* ---- drawing ---- */

#define TITLE_MIN 24
#define TITLE_EACH 29
#define EACH_W 8

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

enum table_column {
	TITLE,
	HW,
	NAME,
	RATE,
	WINDOWS,
	WHOLE = WINDOWS + FEED_WINDOWS,
	TOTAL,
	RAW,
	LOW,
	HIGH,
	COMPARED,
	COLUMNS
};

/* The rate columns are for `now`, for some longer times, and for the whole run. */
static const struct widget_column columns[COLUMNS] = {
	[TITLE] = {NULL, TITLE_MIN, 0, true},
	[HW] = {"hardware name", 38, 11, true},
	[NAME] = {"name", 29, 9, true},
	[RATE] = {"per second", 12, 1, false},
	[WINDOWS] = {NULL, 12, 2, false},
	[WINDOWS + 1] = {NULL, 12, 3, false},
	[WHOLE] = {"since start", 12, 4, false},
	[TOTAL] = {"since start", 12, 7, false},
	[RAW] = {NULL, 14, 10, false},
	[LOW] = {"min", EACH_W, 5, false},
	[HIGH] = {"max", EACH_W, 6, false},
	[COMPARED] = {NULL, 35, 8, false}, /* without a word, because a count is neither good nor bad */
};

#define BIT(column) (1u << (column))
#define NAMES (BIT(TITLE) | BIT(NAME) | BIT(HW))

/* Sets of columns. */
enum table_shape {
	SHAPE_COUNTS = NAMES | BIT(RATE) | BIT(TOTAL) | BIT(RAW),
	SHAPE_WINDOWS = NAMES | BIT(RATE) | BIT(WINDOWS) | BIT(WINDOWS + 1) | BIT(WHOLE),
	SHAPE_SPREAD = BIT(TITLE) | BIT(RATE) | BIT(LOW) | BIT(HIGH), /* plus one per instance */
	SHAPE_COMPARED = NAMES | BIT(COMPARED)
};

struct table_columns {
	struct rect at[COLUMNS], each;
};

static struct table_columns cut_columns(struct rect row, enum table_shape shape)
{
	int w[COLUMNS], more = shape == SHAPE_SPREAD ? TITLE_EACH - TITLE_MIN : 0;
	int spare = widget_fit(columns, COLUMNS, ~(uint32_t)shape, false, row.w + 1 - more, w);
	struct table_columns c;

	w[TITLE] += more + (shape == SHAPE_SPREAD ? spare % EACH_W : spare);
	widget_place(w, COLUMNS, &row, c.at);
	c.each = row;
	return c;
}

static void draw_headings(struct canvas *canvas, const struct table_columns *c, double refresh_s)
{
	char now[UNITS_TEXT + 8], windows[FEED_WINDOWS][UNITS_TEXT], span[UNITS_TEXT];
	struct widget_column heads[COLUMNS];

	memcpy(heads, columns, sizeof(heads));
	snprintf(now, sizeof(now), "in %.20s", time_format(span, (int64_t)(refresh_s * 1e9)));
	heads[RAW].head = now;
	if (c->at[WHOLE].w)
		heads[RATE].head = now;
	for (unsigned i = 0; i < FEED_WINDOWS; i++) {
		snprintf(windows[i], sizeof(windows[i]), "in %g s", feed_windows_s[i]);
		heads[WINDOWS + i].head = windows[i];
	}
	widget_heads(heads, COLUMNS, c->at, canvas);
	if (c->at[COMPARED].w)
		compared_head(canvas, c->at[COMPARED]);
}

/* Draw a number with its prefix only, because another column shows the unit. */
static void draw_short(struct canvas *canvas, struct rect r, double value)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT];
	struct rect behind = rect_right(&r, 1);

	unit_split(number, suffix, value, unit_find(SPAN_LIT("count")), false, false);
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

/* Get the rate of a slot of one instance. Returns false if there is none. */
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

/* Draw the values of the instances of a kind that fit, and the least and greatest of all. */
static void draw_spread(const struct table_item *item, struct canvas *canvas, const struct table_columns *c)
{
	const struct feed *feed = item->feed;
	double low = NAN, high = NAN, v;
	struct rect each = c->each;
	bool any = false;

	for (unsigned i = 0; i < feed->set->n_instances; i++) {
		const struct metric_instance *instance = &feed->set->instances[i];

		if (instance->kind != block_instances[item->block] ||
		    !instance_rate(feed, instance, item->index, &v))
			continue;
		low = real_min(low, v);
		high = real_max(high, v);
		any = true;
		if (each.w >= EACH_W)
			draw_short(canvas, rect_left(&each, EACH_W), v);
	}
	if (any && c->at[LOW].w)
		draw_short(canvas, c->at[LOW], low);
	if (any && c->at[HIGH].w)
		draw_short(canvas, c->at[HIGH], high);
}

/* Return the part of the time for which a CPU event was counted; below 1 its numbers are estimates.
 * NaN for a GPU, whose driver does not report it. */
static double counted_share(const struct table_item *item)
{
	const double *slots = item->feed->now + VECTOR_CONSTANTS;

	if (item->block != TABLE_CPUS)
		return (double)NAN;
	return item->slot->running ? slots[item->slot->running] / slots[item->slot->enabled] : 1;
}

/* Draw the title if it fits, otherwise the short title. If there are columns for each instance,
 * draw the name, which is shorter and unique. */
static void draw_names(const struct table_item *item, struct canvas *canvas, const struct table_columns *c,
		       double share)
{
	const struct gpu_counter *counter = item->counter;
	const struct metric_def *def = item->metric && !c->each.w ? item->metric->def : NULL;
	const char *title = def ? def->title : item->slot->name;

	if (def && text_width(title) > c->at[TITLE].w)
		title = def->short_title;
	canvas_text_cut(canvas, c->at[TITLE], STYLE_TEXT, title);
	canvas_text_cut(canvas, c->at[NAME], STYLE_DIM,
			!counter || counter->name ? item->slot->name : "\u2013");
	if (counter || isnan(share))
		canvas_text_cut(canvas, c->at[HW], STYLE_DIM, counter ? counter->hw_name : "\u2013");
	else
		canvas_printf(canvas, c->at[HW], STYLE_DIM, "counted %.0f %% of the time", share * 100);
}

/* Draw the rate and the compared one, and rates over longer times in the columns that fit. */
static void draw_rates(const struct table_item *item, const struct table_columns *c, struct canvas *canvas,
		       const struct unit *unit, bool estimated)
{
	const struct feed *feed = item->feed;
	const struct metric_set *set = feed->set;
	struct comparison compared = {
		.unit = unit,
		.grows = is_counting(item->slot),
		.was = feed->mark                  ? slot_rate(set, feed->mark, item->index)
		       : feed->was && item->metric ? feed->was[item->metric - set->metrics]
						   : (double)NAN,
		.now = slot_rate(set, feed->now, item->index),
	};

	if (c->at[COMPARED].w)
		compared_draw(&compared, 1, canvas, c->at[COMPARED]);
	else if (feed_compares(feed))
		widget_compared(canvas, c->at[RATE], unit, compared.grows, compared.was, compared.now,
				STYLE_TEXT);
	else
		widget_number(canvas, c->at[RATE], unit, compared.now, compared.grows, estimated, STYLE_TEXT);
	for (unsigned i = 0; i < FEED_WINDOWS; i++)
		if (feed->windows[i])
			widget_number(canvas, c->at[WINDOWS + i], unit,
				      slot_rate(set, feed->windows[i], item->index), compared.grows,
				      estimated, STYLE_TEXT);
	if (compared.grows)
		widget_number(canvas, c->at[WHOLE], unit, slot_rate(set, feed->total, item->index), true,
			      estimated, STYLE_TEXT);
}

static void draw_counter(const struct table_item *item, struct canvas *canvas, const struct table_columns *c)
{
	const struct feed *feed = item->feed;
	const struct unit *unit = item->metric ? item->metric->unit : unit_find(SPAN_LIT("count"));
	double raw = feed->now[VECTOR_CONSTANTS + item->index], share = counted_share(item);
	bool estimated = feed->now_column && feed->now_column->flags & SAMPLE_ESTIMATED && !(share >= 1);

	draw_names(item, canvas, c, share);
	draw_rates(item, c, canvas, unit, estimated);
	if (is_counting(item->slot))
		widget_number(canvas, c->at[TOTAL], unit,
			      feed->total[VECTOR_CONSTANTS + item->index] * item->slot->scale, false,
			      estimated, STYLE_TEXT);
	if (isnan(raw))
		canvas_text_right(canvas, c->at[RAW], STYLE_DIM, "\u2013");
	else
		canvas_printf(canvas, c->at[RAW], STYLE_DIM, "%*.0f", c->at[RAW].w, raw);
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
	return item->heading || !item->metric ? (struct row_subject){0}
					      : (struct row_subject){.chart = chart, .metric = item->metric};
}

/* The position of the selected row, -1 if there is none. */
static int selected_row(const struct drawing *d, const struct table_items *items)
{
	for (unsigned at = 0; d->data->selected.chart == d->chart && at < items->n; at++) {
		struct row_subject subject = subject_of(d->chart, &items->list[at]);

		if (subject.chart && subject_same(&subject, &d->data->selected))
			return (int)at;
	}
	return -1;
}

static struct need table_size(const struct drawing *d, int cols)
{
	struct table_items items = list_items(d->data);
	int rows = (int)items.n;

	free(items.list);
	(void)cols;
	for (size_t i = 0; i < ARRAY_LEN(feed_kinds); i++)
		if (is_shown(&d->data->feeds[feed_kinds[i]]))
			return (struct need){2, (rows ? rows : 1) + 1};
	return (struct need){0, 0};
}

static enum table_shape shape_of(const struct view_data *data)
{
	for (size_t i = 0; data->per_instance && i < ARRAY_LEN(feed_kinds); i++)
		if (is_shown(&data->feeds[feed_kinds[i]]) && data->feeds[feed_kinds[i]].set->n_instances)
			return SHAPE_SPREAD;
	return data->changes ? SHAPE_COMPARED : data->windows ? SHAPE_WINDOWS : SHAPE_COUNTS;
}

static void table_draw(const struct drawing *d, struct rect r)
{
	enum table_shape shape = shape_of(d->data);
	struct table_columns c = cut_columns(widget_head(&r), shape);
	struct table_items items = list_items(d->data);
	int skip;

	draw_headings(d->canvas, &c, d->data->range_s > 0 ? d->data->range_s : d->data->refresh_s);
	if (!items.n)
		canvas_text(d->canvas, r, STYLE_DIM, "No counter matches. Esc clears the filter.");
	skip = widget_scroll(d->data, (int)items.n, r.h, selected_row(d, &items));
	for (int at = 0; at < (int)items.n; at++) {
		const struct table_item *item = &items.list[at];
		struct rect row = rect_top(&r, at < skip ? 0 : 1);

		widget_hit(d, row, row, subject_of(d->chart, item));
		if (!row.h)
			continue;
		c = cut_columns(row, shape);
		/* the first row always shows its block */
		if (item->heading || at == skip)
			draw_block(item, d->canvas, row, &c);
		else
			draw_counter(item, d->canvas, &c);
	}
	free(items.list);
}

const struct widget widget_table = {.name = "table",
				    .breaks_down = true,
				    .seriesless = true,
				    .heads = 1,
				    .size = table_size,
				    .draw = table_draw};
