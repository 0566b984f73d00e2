/* board: a GPU of the shipped data that counts whatever a test says, and what its screens show. */
#ifndef BOARD_H
#define BOARD_H

#include "tests/support/tiny_source.h"

/* With vectors for now, the total and the history that are the same. */
struct board {
	struct gpudb *db;
	struct metric_set *set;
	struct slot *slots;
	unsigned n_slots;
	double *now;
	double *past;
	const double *history[TINY_POINTS];
	struct point_rows rows;
	struct points *points;
	struct column *column;
	struct views views;
	struct view_data data;
	struct view_scroll scroll;
};

static struct gpudb *shipped(void)
{
	struct err err;
	struct gpudb *db = gpudb_load(NULL, 0, &err);

	if (!db)
		fail_msg("%s", err.text);
	return db;
}

static void add_slots(struct board *b, const struct gpu_layout *layout, int block, enum instance_kind kind,
		      unsigned number)
{
	for (unsigned i = 0; i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		if (block >= 0 && c->block != (enum gpu_block)block)
			continue;
		b->slots = xreallocarray(b->slots, b->n_slots + 1, sizeof(*b->slots));
		b->slots[b->n_slots++] = (struct slot){.name = c->name ? c->name : c->hw_name,
						       .instance = kind,
						       .number = (uint16_t)number,
						       .scale = c->scale};
	}
}

/* A GPU that counts something everywhere, with the sums that its parts make. */
static double busy(const struct slot *slot, unsigned cores, unsigned slices)
{
	double v = 1e6 * (double)(3 + span_hash(span_of(slot->name)) % 5);

	/* whatever is a sum of others, so that no difference is zero or below */
	if (strcmp(slot->name, "MaliExtBusRdBt") == 0 || strcmp(slot->name, "MaliFragWarp") == 0 ||
	    strcmp(slot->name, "MaliExtBusRd") == 0 || strcmp(slot->name, "MaliExtBusWr") == 0)
		v = 100e6;
	if (slot->instance == INSTANCE_CORE)
		v /= cores;
	if (slot->instance == INSTANCE_SLICE)
		v /= slices;
	return v / slot->scale;
}

static void board_init(struct board *b, struct gpudb *db, const char *gpu, unsigned cores, unsigned slices)
{
	const struct gpu_product *product = gpudb_by_name(db, gpu);
	struct err err;

	*b = (struct board){.db = db};
	add_slots(b, product->layout, -1, INSTANCE_ALL, 0);
	for (unsigned i = 0; i < cores; i++)
		add_slots(b, product->layout, BLOCK_CORE, INSTANCE_CORE, i);
	for (unsigned i = 0; i < slices; i++)
		add_slots(b, product->layout, BLOCK_MEMORY, INSTANCE_SLICE, i);
	b->set = metric_set_new(db,
				&(struct metric_source){.product = product,
							.slots = b->slots,
							.n_slots = b->n_slots,
							.constants.core_count = cores ? cores : 1,
							.constants.l2_slice_count = slices ? slices : 1,
							.constants.bus_width_bits = 128,
							.frames_per_second = 60,
							.screen_pixels = 1920 * 1080,
							.constants.top_hz = 850e6},
				&err);
	if (!b->set)
		fail_msg("%s", err.text);
	b->now = xcalloc(b->set->n_vector, sizeof(double));
	memcpy(b->now, b->set->constants, sizeof(b->set->constants));
	b->now[VECTOR_SECONDS] = 0.5;
	b->now[VECTOR_FRAME_RATE] = 60;
	for (unsigned i = 0; i < b->n_slots; i++)
		b->now[VECTOR_CONSTANTS + i] = busy(&b->slots[i], cores, slices);
	b->past = xmalloc(b->set->n_vector * sizeof(*b->past));
	memcpy(b->past, b->now, b->set->n_vector * sizeof(*b->past));
	for (unsigned i = 0; i < TINY_POINTS; i++)
		b->history[i] = b->past;
	b->rows = (struct point_rows){b->history, TINY_POINTS, b->set->n_vector};
	b->points = points_of(&b->rows, b->set);
	b->column = xcalloc(1, sizeof(*b->column));
	b->data = (struct view_data){
		.feeds[SOURCE_GPU] = {.set = b->set,
				      .n_vector = b->set->n_vector,
				      .now = b->now,
				      .total = b->now,
				      .now_column = b->column,
				      .points = b->points,
				      .n_points = TINY_POINTS},
		.refresh_s = 0.5,
		.point_s = 0.5,
		.fps = 60,
		.scroll = &b->scroll,
	};
	if (!views_init(&b->views, NULL, SETS(b->set, NULL), &err))
		fail_msg("%s", err.text);
}

static void board_fini(struct board *b)
{
	views_fini(&b->views);
	points_free(b->points);
	metric_set_free(b->set);
	free(b->slots);
	free(b->now);
	free(b->past);
	free(b->column);
}

static inline double *slot_of(struct board *b, const char *name, enum instance_kind kind, unsigned number)
{
	for (unsigned i = 0; i < b->n_slots; i++)
		if (strcmp(b->slots[i].name, name) == 0 && b->slots[i].instance == kind &&
		    b->slots[i].number == number)
			return &b->now[VECTOR_CONSTANTS + i];
	fail_msg("no slot %s", name);
	return NULL;
}

static inline char *shown(const struct board *b, const char *view, int cols, int rows, bool ascii)
{
	const struct view *v = views_find(&b->views, view);
	AUTO_STRBUF struct strbuf out = {0};
	struct canvas c;

	assert_non_null(v);
	memcpy(b->past, b->now, b->set->n_vector * sizeof(*b->past));
	points_reset(b->points, b->set, b->set->n_vector, TINY_POINTS);
	canvas_init(&c, cols, rows, ascii);
	view_draw(v, &b->data, &c, canvas_rect(&c));
	canvas_dump(&c, &out);
	canvas_fini(&c);
	return take_ptr(&out.p);
}

static inline void expect_text(const char *got, const char *want)
{
	if (!strstr(got, want))
		fail_msg("'%s' is not in\n%s", want, got);
}

#endif
