#include "views/widget.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* table: every counter of the GPU, block by block: per second, since the start and as counted; `c` spreads it over cores and
 * slices. It scrolls. */

enum { TITLE_MIN = 24, TITLE_EACH = 29, NAME_W = 29, HW_W = 38, VALUE_W = 12, RAW_W = 14, EACH_W = 8, GAP = 1 };

static const char *const block_titles[BLOCK_COUNT + 1] = {
	[BLOCK_FRONT_END] = "Front end",
	[BLOCK_TILER] = "Tiler",
	[BLOCK_MEMORY] = "Memory system, all L2 slices",
	[BLOCK_CORE] = "Shader cores, all together",
	[BLOCK_COUNT] = "Beside the counters",
};
static const enum instance_kind block_instances[BLOCK_COUNT + 1] = {
	[BLOCK_MEMORY] = INSTANCE_SLICE,
	[BLOCK_CORE] = INSTANCE_CORE,
};

/* The rows from top to bottom: a heading where a block begins, then its counters. */
struct walk {
	const struct metric_set *set;
	const struct gpu_layout *layout; /* NULL: none */
	unsigned slot, counter;          /* the next ones */
	int block;                       /* the last one; -1 before the first */
};

struct item {
	bool heading;
	int block; /* BLOCK_COUNT: in none */
	unsigned slot;
	const struct gpu_counter *counter; /* NULL: in no block */
};

/* Slots stand in the order of the layout, so the search goes on where it ended. */
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

static bool next_item(struct walk *w, struct item *item)
{
	while (w->slot < w->set->n_slots && w->set->slots[w->slot].instance != INSTANCE_ALL)
		w->slot++;
	if (w->slot >= w->set->n_slots)
		return false;
	item->slot = w->slot;
	item->counter = find_counter(w, w->set->slots[w->slot].name);
	item->block = item->counter ? (int)item->counter->block : BLOCK_COUNT;
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

static struct walk walk_start(const struct feed *feed)
{
	return (struct walk){.set = feed->set, .layout = feed->set->layout, .block = -1};
}

static int count_rows(const struct feed *feed)
{
	struct walk w = walk_start(feed);
	struct item item;
	int n = 0;

	while (next_item(&w, &item))
		n++;
	return n;
}

struct columns {
	struct rect title, name, hw, rate, total, raw, low, high, each;
};

/* The least important column gives way first; 0 wide then. */
static struct columns cut(struct rect row, bool per_instance)
{
	struct columns c = {.name.w = 0};
	const struct {
		struct rect *column;
		int w;
	} wanted[] = {{&c.rate, VALUE_W}, {&c.total, VALUE_W}, {&c.name, NAME_W}, {&c.raw, RAW_W}, {&c.hw, HW_W}},
	  spread[] = {{&c.rate, VALUE_W}, {&c.low, EACH_W}, {&c.high, EACH_W}}, *from = per_instance ? spread : wanted;
	size_t n = per_instance ? ARRAY_LEN(spread) : ARRAY_LEN(wanted), fit = 0;
	int title_w = per_instance ? TITLE_EACH : TITLE_MIN, spare = row.w - title_w;

	while (fit < n && spare >= from[fit].w + GAP)
		spare -= from[fit++].w + GAP;
	for (size_t i = 0; i < fit; i++)
		from[i].column->w = from[i].w;
	c.title = rect_left(&row, title_w + (per_instance ? spare % EACH_W : spare));
	/* as they stand from left to right */
	struct rect *const order[] = {&c.hw, &c.name, &c.rate, &c.total, &c.raw, &c.low, &c.high};

	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (order[i]->w) {
			rect_left(&row, GAP);
			*order[i] = rect_left(&row, order[i]->w);
		}
	c.each = per_instance ? row : c.each;
	return c;
}

static void draw_headings(struct canvas *canvas, struct rect free, const struct columns *c, double refresh_s)
{
	char raw[UNITS_TEXT], span[UNITS_TEXT];
	const struct {
		struct rect at;
		const char *text;
		bool left;
	} headings[] = {
		{c->hw, "hardware name", true},   {c->name, "name", true}, {c->rate, "per second", false},
		{c->total, "since start", false}, {c->raw, raw, false},    {c->low, "min", false},
		{c->high, "max", false},
	};

	snprintf(raw, sizeof(raw), "in %.20s", time_format(span, (int64_t)(refresh_s * 1e9)));
	for (size_t i = 0; i < ARRAY_LEN(headings); i++) {
		struct rect at = headings[i].at;

		at.y = free.y;
		at.h = free.h;
		if (at.w && at.x >= free.x)
			(headings[i].left ? canvas_text : canvas_text_right)(canvas, at, STYLE_DIM, headings[i].text);
	}
}

/* A number with its prefix alone, where the column says what it is. */
static void draw_short(struct canvas *canvas, struct rect r, double value)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT];
	struct rect behind = rect_right(&r, 1);

	unit_split(number, suffix, value, unit_find(SPAN_LIT("count")), false, canvas->ascii);
	rect_right(&r, 1);
	canvas_text_right(canvas, r, STYLE_TEXT, number);
	canvas_text(canvas, behind, STYLE_DIM, suffix);
}

static bool grows(const struct slot *slot)
{
	return slot->kind == SLOT_DELTA || slot->kind == SLOT_STEADY;
}

/* What the slot says in that vector, per second if it grows with time. */
static double slot_rate(const struct metric_set *set, const double *vector, unsigned slot)
{
	double v = vector[VECTOR_CONSTANTS + slot] * set->slots[slot].scale;

	return grows(&set->slots[slot]) ? v / vector[VECTOR_SECONDS] : v;
}

/* The part that an instance has in a slot, per second; false if it has none. */
static bool instance_rate(const struct feed *feed, const struct metric_instance *instance, unsigned slot, double *rate)
{
	for (unsigned i = 0; i < instance->n_parts; i++)
		if (instance->parts[i].sum == VECTOR_CONSTANTS + slot) {
			*rate = slot_rate(feed->set, feed->now, instance->parts[i].own - VECTOR_CONSTANTS);
			return true;
		}
	return false;
}

/* The instances of a kind, left to right, as far as they fit, and the least and greatest of all. */
static void draw_spread(const struct feed *feed, const struct item *item, struct canvas *canvas, const struct columns *c)
{
	double low = NAN, high = NAN, v;
	struct rect each = c->each;
	bool any = false;

	for (unsigned i = 0; i < feed->set->n_instances; i++) {
		const struct metric_instance *instance = &feed->set->instances[i];

		if (instance->kind != block_instances[item->block] || !instance_rate(feed, instance, item->slot, &v))
			continue;
		low = fmin(low, v);
		high = fmax(high, v);
		any = true;
		if (each.w >= EACH_W)
			draw_short(canvas, rect_left(&each, EACH_W), v);
	}
	if (any && c->low.w)
		draw_short(canvas, c->low, low);
	if (any && c->high.w)
		draw_short(canvas, c->high, high);
}

/* The name, the other one where that does not fit, and a sign that something is cut. */
static void draw_name(struct canvas *canvas, struct rect r, const char *name, const char *other)
{
	if (text_width(name) > r.w)
		name = other;
	canvas_text(canvas, r, STYLE_TEXT, name);
	if (text_width(name) > r.w)
		canvas_text(canvas, rect_right(&r, 1), STYLE_DIM, "\u2026");
}

static void draw_counter(const struct feed *feed, const struct item *item, struct canvas *canvas, const struct columns *c)
{
	const struct slot *slot = &feed->set->slots[item->slot];
	const struct metric *metric = metric_find(feed->set, span_of(slot->name));
	const struct unit *unit = metric ? metric->unit : unit_find(SPAN_LIT("count"));
	double raw = feed->now[VECTOR_CONSTANTS + item->slot];
	const char *dash = canvas->ascii ? "-" : "\u2013";
	bool published = !item->counter || item->counter->name;
	bool estimated = feed->now_column && feed->now_column->flags & SAMPLE_ESTIMATED;

	if (c->each.w || !metric)
		draw_name(canvas, c->title, slot->name, slot->name); /* shorter than titles, and no two are the same */
	else
		draw_name(canvas, c->title, metric->def->title, metric->def->short_title);
	canvas_text(canvas, c->name, STYLE_DIM, published ? slot->name : dash);
	canvas_text(canvas, c->hw, STYLE_DIM, item->counter ? item->counter->hw_name : dash);
	widget_number(canvas, c->rate, unit, slot_rate(feed->set, feed->now, item->slot), grows(slot), estimated, STYLE_TEXT);
	if (c->total.w && grows(slot))
		widget_number(canvas, c->total, unit, feed->total[VECTOR_CONSTANTS + item->slot] * slot->scale, false, estimated,
			      STYLE_TEXT);
	if (isnan(raw))
		canvas_text_right(canvas, c->raw, STYLE_DIM, dash);
	else
		canvas_printf(canvas, c->raw, STYLE_DIM, "%*.0f", c->raw.w, raw);
	if (c->each.w)
		draw_spread(feed, item, canvas, c);
}

/* The name of the block, and the numbers of its cores or slices where they have columns. */
static void draw_block(const struct feed *feed, const struct item *item, struct canvas *canvas, struct rect row,
		       const struct columns *c)
{
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

/* Keeps the scroll within the rows there are. */
static int scroll_to(const struct view_data *data, int rows, int h)
{
	int most = rows > h ? rows - h : 0;

	if (data->scroll_max)
		*data->scroll_max = most;
	return data->scroll < 0 ? 0 : data->scroll > most ? most : data->scroll;
}

static void table_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	const struct feed *gpu = &data->feeds[SOURCE_GPU];

	(void)cols;
	*min = *most = 0;
	if (gpu->set && gpu->now && gpu->total) {
		*min = 2 + widget_title_rows(chart);
		*most = count_rows(gpu) + widget_title_rows(chart);
	}
}

static void table_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	const struct feed *feed = &data->feeds[SOURCE_GPU];
	bool spread = data->per_instance && feed->set->n_instances;
	struct columns c = cut(r, spread);
	struct walk walk = walk_start(feed);
	struct item item;
	int skip;

	draw_headings(canvas, widget_title(chart, canvas, &r), &c, data->refresh_s);
	skip = scroll_to(data, count_rows(feed), r.h);
	for (int at = 0; r.h > 0 && next_item(&walk, &item); at++) {
		struct rect row;

		if (at < skip)
			continue;
		row = rect_top(&r, 1);
		c = cut(row, spread);
		/* the first row always says which block it is */
		if (item.heading || at == skip)
			draw_block(feed, &item, canvas, row, &c);
		else
			draw_counter(feed, &item, canvas, &c);
	}
}

const struct widget widget_table = {.name = "table", .seriesless = true, .size = table_size, .draw = table_draw};
