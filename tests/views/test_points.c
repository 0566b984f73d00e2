/* What metrics were at the points of graphs. */
#include "tests/support/tiny_source.h"

/* The vectors of tiny, and how often they were asked for. */
struct counted_points {
	struct tiny t;
	struct points *points;
	unsigned asked;
};

static bool count_vector(void *owner, int back, double *vector)
{
	struct counted_points *c = owner;

	c->asked++;
	return back != 3 && point_vector_of(&c->t.rows, back, vector);
}

static void begin_case(struct counted_points *c)
{
	*c = (struct counted_points){0};
	tiny_init(&c->t);
	for (int back = 0; back < TINY_POINTS; back++)
		tiny_point(&c->t, back, back, 100, 1e9, 2e9);
	c->points = points_new(count_vector, c);
	points_reset(c->points, c->t.set, c->t.set->n_vector, TINY_POINTS);
}

static void end_case(struct counted_points *c)
{
	points_free(c->points);
	tiny_fini(&c->t);
}

static double value_of(const struct counted_points *c, const char *metric, int back)
{
	return points_value(c->points, metric_find(c->t.set, span_of(metric)), NULL, back);
}

TEST(vectors_are_computed_once_for_all_metrics_that_are_collected)
{
	struct counted_points c;

	begin_case(&c);
	points_collect(c.points);
	assert_true(isnan(value_of(&c, "Share", 7)) && isnan(value_of(&c, "Bytes", 7)));
	assert_int_equal(c.asked, 0);
	assert_true(points_fill(c.points));
	assert_int_equal(c.asked, TINY_POINTS);
	assert_true(value_of(&c, "Share", 7) == 7 && value_of(&c, "Bytes", 7) == 1e9);
	points_collect(c.points);
	assert_true(value_of(&c, "Share", 0) == 0);
	assert_false(points_fill(c.points));
	assert_int_equal(c.asked, TINY_POINTS);
	end_case(&c);
}

TEST(a_single_metric_is_there_at_once)
{
	struct counted_points c;

	begin_case(&c);
	assert_true(value_of(&c, "Share", 8) == 8);
	assert_true(value_of(&c, "Clock", 8) == 2e9);
	assert_int_equal(c.asked, 2 * TINY_POINTS);
	end_case(&c);
}

TEST(a_point_without_a_measurement_is_unknown)
{
	struct counted_points c;

	begin_case(&c);
	assert_true(isnan(value_of(&c, "Share", 3)) && isnan(points_seconds(c.points, 3)));
	assert_true(points_seconds(c.points, 4) == 0.5);
	assert_true(isnan(value_of(&c, "Share", TINY_POINTS)));
	end_case(&c);
}

TEST(a_new_point_moves_the_others_and_asks_for_nothing)
{
	struct counted_points c;

	begin_case(&c);
	value_of(&c, "Share", 0);
	c.t.vectors[0][VECTOR_CONSTANTS] = 42;
	points_shift(c.points, 1, c.t.vectors[0]);
	assert_true(value_of(&c, "Share", 0) == 42 && value_of(&c, "Share", 1) == 0);
	assert_true(value_of(&c, "Share", TINY_POINTS - 1) == TINY_POINTS - 2);
	assert_true(isnan(value_of(&c, "Share", 4)));
	assert_int_equal(c.asked, TINY_POINTS);
	points_reset(c.points, c.t.set, c.t.set->n_vector, TINY_POINTS);
	assert_true(value_of(&c, "Share", 5) == 5);
	assert_int_equal(c.asked, 2 * TINY_POINTS);
	end_case(&c);
}

TEST(each_instance_has_values_of_its_own)
{
	struct counted_points c;
	const struct metric *m;

	begin_case(&c);
	m = metric_find(c.t.set, SPAN_LIT("Share"));
	c.t.vectors[TINY_POINTS - 1][VECTOR_CONSTANTS + TINY_SLOTS] = 20;
	c.t.vectors[TINY_POINTS - 1][VECTOR_CONSTANTS + TINY_SLOTS + 1] = 30;
	assert_true(points_value(c.points, m, &c.t.set->instances[0], 0) == 20);
	assert_true(points_value(c.points, m, &c.t.set->instances[1], 0) == 30);
	assert_true(points_value(c.points, m, NULL, 0) == 0);
	end_case(&c);
}

/* More than are kept: those of the frame stay. */
TEST(whatever_a_frame_asks_for_is_there)
{
	enum { METRICS = 300 };
	struct counted_points c;
	struct metric *many = xcalloc(METRICS, sizeof(*many));

	begin_case(&c);
	for (int i = 0; i < METRICS; i++)
		many[i] = *metric_find(c.t.set, SPAN_LIT("Share"));
	for (int frame = 0; frame < 3; frame++) {
		points_collect(c.points);
		for (int i = frame * 50; i < METRICS; i++)
			points_value(c.points, &many[i], NULL, 0);
		points_fill(c.points);
		for (int i = frame * 50; i < METRICS; i++)
			assert_true(points_value(c.points, &many[i], NULL, i % 3) == i % 3);
		points_settle(c.points);
	}
	assert_int_equal(c.asked, TINY_POINTS);
	assert_true(points_value(c.points, &many[0], NULL, 7) == 7);
	end_case(&c);
	free(many);
}
