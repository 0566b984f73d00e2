/* tiny_source: a source of four slots A to D and some metrics over them, for tests of views. */
#ifndef TINY_SOURCE_H
#define TINY_SOURCE_H

#include "base/alloc.h"
#include "tests/support/point.h"
#include "tests/support/test.h"
#include "views/widget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What views are made for. */
#define SETS(gpu, cpu) \
	((const struct metric_set *const[SOURCE_KINDS]){[SOURCE_GPU] = (gpu), [SOURCE_CPU] = (cpu)})

#define TINY_SLOTS 4
#define TINY_POINTS 40

static const char tiny_metrics[] = "slots test\n"
				   "  names A B C D\n"
				   "metric Share\n"
				   "  title Share of B\n"
				   "  short A share\n"
				   "  unit percent\n"
				   "  group G\n"
				   "  expr A / B * 100\n"
				   "metric Double\n"
				   "  title Double\n"
				   "  unit percent\n"
				   "  group H\n"
				   "  expr A / B * 200\n"
				   "metric Watched\n"
				   "  title Watched\n"
				   "  unit percent\n"
				   "  group G\n"
				   "  expr A / B * 100\n"
				   "  alert above 10\n"
				   "metric Wanted\n"
				   "  title Wanted\n"
				   "  unit percent\n"
				   "  group G\n"
				   "  expr A / B * 100\n"
				   "  alert below 60\n"
				   "metric Bytes\n"
				   "  title Bytes\n"
				   "  unit bytes\n"
				   "  group G\n"
				   "  expr C * 1\n"
				   "metric Clock\n"
				   "  title Clock\n"
				   "  unit hertz\n"
				   "  group G\n"
				   "  expr D * 1\n";

/* A set, and vectors for now, the total and the history, all with the same values at first. */
struct tiny {
	struct gpudb *db;
	struct metric_set *set;
	double *now, *total;
	double *vectors[TINY_POINTS];
	const double *history[TINY_POINTS];
	struct point_rows rows;
	struct points *points;
	struct column *column;
	struct views views;
	struct view_data data;
};

static inline void tiny_values(double *vector, double a, double b, double c, double d)
{
	vector[VECTOR_SECONDS] = 0.5;
	vector[VECTOR_CONSTANTS] = a;
	vector[VECTOR_CONSTANTS + 1] = b;
	vector[VECTOR_CONSTANTS + 2] = c;
	vector[VECTOR_CONSTANTS + 3] = d;
}

/* After a change of a vector of the history. */
static inline void tiny_changed(struct tiny *t)
{
	points_reset(t->points, t->set, t->set->n_vector, TINY_POINTS);
}

static inline void tiny_point(struct tiny *t, int back, double a, double b, double c, double d)
{
	double vector[VECTOR_CONSTANTS + TINY_SLOTS];

	tiny_values(vector, a, b, c, d);
	for (unsigned i = VECTOR_CONSTANTS; i < ARRAY_LEN(vector); i++)
		t->vectors[TINY_POINTS - 1 - back][i] = vector[i];
	tiny_changed(t);
}

static inline double *tiny_vector(const struct tiny *t)
{
	double *vector = xcalloc(t->set->n_vector, sizeof(*vector));

	memcpy(vector, t->set->constants, sizeof(t->set->constants));
	tiny_values(vector, 50, 100, 1e9, 2e9);
	return vector;
}

static inline void tiny_init(struct tiny *t)
{
	static const char *const names[TINY_SLOTS] = {"A", "B", "C", "D"};
	struct slot slots[TINY_SLOTS + 2];
	struct err err;

	*t = (struct tiny){0};
	t->db = gpudb_load_texts(&(struct gpudb_text){"tiny.metrics", span_of(tiny_metrics)}, 1, &err);
	if (!t->db)
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < TINY_SLOTS; i++)
		slots[i] = (struct slot){.name = names[i], .scale = 1};
	for (unsigned i = 0; i < 2; i++)
		slots[TINY_SLOTS + i] = (struct slot){.name = "A",
						      .instance = INSTANCE_CLUSTER,
						      .number = (uint16_t)i,
						      .scale = 1,
						      .title = i ? "Cortex-A76 x4" : NULL};
	t->set = metric_set_new(t->db, &(struct metric_source){.slots = slots, .n_slots = TINY_SLOTS + 2},
				&err);
	if (!t->set)
		fail_msg("%s", err.text);
	t->now = tiny_vector(t);
	t->total = tiny_vector(t);
	t->now[VECTOR_CONSTANTS + TINY_SLOTS] = 20;
	t->now[VECTOR_CONSTANTS + TINY_SLOTS + 1] = 30;
	for (unsigned i = 0; i < TINY_POINTS; i++)
		t->history[i] = t->vectors[i] = tiny_vector(t);
	t->rows = (struct point_rows){t->history, TINY_POINTS, t->set->n_vector};
	t->points = points_of(&t->rows, t->set);
	t->column = xcalloc(1, sizeof(*t->column));
	t->data = (struct view_data){
		.feeds[SOURCE_GPU] = {.set = t->set,
				      .n_vector = t->set->n_vector,
				      .now = t->now,
				      .total = t->total,
				      .now_column = t->column,
				      .points = t->points,
				      .n_points = TINY_POINTS},
		.refresh_s = 0.5,
		.point_s = 0.5,
		.fps = 50,
		.width = 1920,
		.height = 1080,
	};
}

/* Read screens from a text; returns chart_read's answer. */
static inline bool tiny_read(struct tiny *t, const char *text, struct err *err)
{
	views_fini(&t->views);
	if (!chart_read(&t->views, NULL, &(struct gpudb_text){"tiny.chart", span_of(text)},
			SETS(t->set, NULL), err))
		return false;
	chart_prune(&t->views);
	return true;
}

static inline void tiny_fini(struct tiny *t)
{
	views_fini(&t->views);
	points_free(t->points);
	for (unsigned i = 0; i < TINY_POINTS; i++)
		free(t->vectors[i]);
	free(t->now);
	free(t->total);
	free(t->column);
	metric_set_free(t->set);
	gpudb_free(t->db);
}

/* The body of the first view of `text`, as a dump. */
static inline char *tiny_shown(struct tiny *t, const char *text, int cols, int rows, bool ascii)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct canvas c;
	struct err err;

	if (!tiny_read(t, text, &err))
		fail_msg("%s", err.text);
	assert_int_not_equal(t->views.n_views, 0);
	canvas_init(&c, cols, rows, ascii);
	view_draw(&t->views.views[0], &t->data, &c, canvas_rect(&c));
	canvas_dump(&c, &out);
	canvas_fini(&c);
	return take_ptr(&out.p);
}

#endif
