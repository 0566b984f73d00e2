/* What views draw of samples: the points of a history. */
#include "tui/feeds.h"

#include "tests/support/await.h"
#include "tests/support/gpu_set.h"
#include "tests/support/export_machine.h"

#include <math.h>

#define POINTS 16
#define MS 1000000ll

struct feeds_bench {
	struct export_machine *machine;
	struct session session;
	struct feeds feeds;
	uint64_t seq;
};

/* A CPU that is sampled every 500 ms, as often as the screen is refreshed. */
FIXTURE(bench_init)
{
	static struct feeds_bench b;
	void *machine;

	if (machine_init(&machine) != 0)
		return -1;
	b = (struct feeds_bench){.machine = machine};
	b.session.sources[0] = (struct session_source){.kind = SOURCE_CPU,
						       .index = CPU,
						       .set = b.machine->cpu,
						       .n_slots = ARRAY_LEN(cpu_slots),
						       .n_sums = 2,
						       .asked_ns = 100 * MS,
						       .period_ns = 500 * MS};
	b.session.n = 1;
	feeds_init(&b.feeds, &b.session, 0, 500 * MS);
	feeds_want_points(&b.feeds, POINTS);
	*state = &b;
	return 0;
}

FIXTURE(bench_fini)
{
	struct feeds_bench *b = *state;
	void *machine = b->machine;

	feeds_fini(&b->feeds);
	return machine_fini(&machine);
}

static void add_sample(struct feeds_bench *b, int64_t begin_ns, int64_t end_ns)
{
	AUTOFREE struct sample *s = xcalloc(1, sizeof(*s) + 2 * sizeof(uint64_t));

	*s = (struct sample){
		.source = CPU, .n_values = 2, .seq = ++b->seq, .begin_ns = begin_ns, .end_ns = end_ns};
	s->value[0] = (uint64_t)(end_ns - begin_ns);
	feeds_take(&b->feeds, s);
}

static unsigned count_holes(const struct feeds_bench *b)
{
	struct feed feed = feeds_view(&b->feeds, SOURCE_CPU);
	unsigned holes = 0;

	assert_int_equal(feed.n_points, POINTS);
	for (int i = 0; i < POINTS; i++)
		holes += isnan(points_seconds(feed.points, i));
	return holes;
}

TEST_WITH(where_samples_jitter_no_point_is_empty, bench_init, bench_fini)
{
	static const int64_t jitter_ms[] = {0, 3, 40, -40, 200, -3, 0, -200, 7};
	struct feeds_bench *b = *state;
	int64_t begin_ns = 1000000 * MS;

	for (int i = 1; i <= 2 * POINTS; i++) {
		int64_t end_ns = (1000000 + i * 500 + jitter_ms[i % ARRAY_LEN(jitter_ms)]) * MS;

		add_sample(b, begin_ns, end_ns);
		begin_ns = end_ns;
	}
	feeds_show(&b->feeds, 0, 0);
	assert_int_equal(count_holes(b), 0);
}

TEST_WITH(where_nothing_was_measured_points_are_empty, bench_init, bench_fini)
{
	struct feeds_bench *b = *state;
	int64_t end_ns = 1000000 * MS;

	for (int i = 0; i < 2 * POINTS; i++) {
		end_ns += (i == 2 * POINTS - 4 ? 3000 : 500) * MS; /* away for 2.5 s */
		add_sample(b, end_ns - 500 * MS, end_ns);
	}
	feeds_show(&b->feeds, 0, 0);
	assert_int_equal(count_holes(b), 5);
}

static double now_of(const struct feeds_bench *b)
{
	return feeds_view(&b->feeds, SOURCE_CPU).now[VECTOR_CONSTANTS];
}

/* Each sample counts its number: 1, 2, 3, ... */
static void add_numbers(struct feeds_bench *b, int64_t begin_ns, unsigned n)
{
	for (unsigned i = 1; i <= n; i++) {
		AUTOFREE struct sample *s = xcalloc(1, sizeof(*s) + 2 * sizeof(uint64_t));

		*s = (struct sample){.source = CPU,
				     .n_values = 2,
				     .seq = ++b->seq,
				     .begin_ns = begin_ns + (i - 1) * 500 * MS,
				     .end_ns = begin_ns + i * 500 * MS};
		s->value[0] = i;
		feeds_take(&b->feeds, s);
	}
}

TEST_WITH(a_range_has_the_sum_of_its_samples_and_all_of_its_time, bench_init, bench_fini)
{
	struct feeds_bench *b = *state;
	int64_t begin_ns = 1000000 * MS;

	add_numbers(b, begin_ns, 10);
	feeds_show(&b->feeds, 0, 0);
	assert_float_equal(now_of(b), 10, 0);
	feeds_range(&b->feeds, begin_ns + 1000 * MS, begin_ns + 3000 * MS);
	feeds_show(&b->feeds, 0, 0);
	assert_float_equal(now_of(b), 3 + 4 + 5 + 6, 0);
	assert_float_equal(feeds_view(&b->feeds, SOURCE_CPU).now[VECTOR_SECONDS], 2, 1e-9);
	feeds_range(&b->feeds, 0, 0);
	feeds_show(&b->feeds, 0, 0);
	assert_float_equal(now_of(b), 10, 0);
}

TEST_WITH(a_range_that_history_does_not_hold_is_unknown, bench_init, bench_fini)
{
	static const int64_t ranges_ms[][2] = {{-2000, 3000}, {1000, 7000}};
	struct feeds_bench *b = *state;
	int64_t begin_ns = 1000000 * MS;

	add_numbers(b, begin_ns, 10);
	for (size_t i = 0; i < ARRAY_LEN(ranges_ms); i++) {
		feeds_range(&b->feeds, begin_ns + ranges_ms[i][0] * MS, begin_ns + ranges_ms[i][1] * MS);
		feeds_show(&b->feeds, 0, 0);
		assert_true(isnan(now_of(b)));
	}
}

/* 30 s are not kept yet: their mean is that of what is. */
TEST_WITH(longer_times_end_with_now, bench_init, bench_fini)
{
	struct feeds_bench *b = *state;
	int64_t begin_ns = 1000000 * MS;
	struct feed feed;

	add_numbers(b, begin_ns, 20); /* of half a second each */
	feeds_show(&b->feeds, 0, 0);
	assert_null(feeds_view(&b->feeds, SOURCE_CPU).windows[0]);
	feeds_want_windows(&b->feeds, true);
	feed = feeds_view(&b->feeds, SOURCE_CPU);
	assert_float_equal(feed.windows[0][VECTOR_CONSTANTS], 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19 + 20,
			   0);
	assert_float_equal(feed.windows[0][VECTOR_SECONDS], 5, 1e-9);
	assert_float_equal(feed.windows[1][VECTOR_CONSTANTS], 20 * 21 / 2, 0);
	assert_float_equal(feed.windows[1][VECTOR_SECONDS], 10, 1e-9);
	feeds_show(&b->feeds, 0, begin_ns + 2000 * MS); /* a moment of the past */
	assert_float_equal(feeds_view(&b->feeds, SOURCE_CPU).windows[0][VECTOR_CONSTANTS], 1 + 2 + 3 + 4, 0);
	feeds_want_windows(&b->feeds, false);
	assert_null(feeds_view(&b->feeds, SOURCE_CPU).windows[0]);
}

TEST_WITH(what_is_compared_with_stays_while_numbers_go_on, bench_init, bench_fini)
{
	struct feeds_bench *b = *state;
	int64_t begin_ns = 1000000 * MS;

	add_numbers(b, begin_ns, 4);
	feeds_show(&b->feeds, 0, 0);
	assert_null(feeds_view(&b->feeds, SOURCE_CPU).mark);
	feeds_compare(&b->feeds, true, 0);
	add_numbers(b, begin_ns + 2000 * MS, 6);
	feeds_show(&b->feeds, 0, 0);
	assert_float_equal(feeds_view(&b->feeds, SOURCE_CPU).mark[VECTOR_CONSTANTS], 4, 0);
	assert_float_equal(now_of(b), 6, 0);
	feeds_compare(&b->feeds, false, 0);
	assert_null(feeds_view(&b->feeds, SOURCE_CPU).mark);
}

/* 60 s at once: more than the rings hold that come after it. */
TEST(a_simulated_past_is_taken_whole_and_leaves_small_rings)
{
	static const struct options options = {.backends = "sim",
					       .interval_ns = 100 * MS,
					       .fps = 60,
					       .resolution = {1920, 1080},
					       .command = COMMAND_LIVE};
	int64_t oldest, newest, live_ns;
	struct session session;
	struct feeds feeds;
	struct subscriber *first;
	struct err err;
	static struct sys sys; /* as long as the process */

	assert_true(sys_init(&sys, NULL, &err));
	assert_true(session_open(&session, &sys, &options, 0, false, &err));
	live_ns = session.what.epoch_ns + session.what.history_ns;
	feeds_init(&feeds, &session, 0, 1000 * MS);
	first = feeds.subscriber;
	assert_true(session.has_past);
	AWAIT((feeds_drain(&feeds), feeds_step(&feeds), !session.has_past));
	assert_ptr_not_equal(feeds.subscriber, first);
	AWAIT((feeds_drain(&feeds), feeds_reach(&feeds, &oldest, &newest) && newest > live_ns));
	assert_true(newest - oldest >= session.what.history_ns);
	assert_int_equal(feeds_lost(&feeds), 0);
	feeds_fini(&feeds);
	session_close(&session);
	sys_fini(&sys);
}

/* Five samples of 100 ms are a refresh; each counts 1 in every slot that it has. */
static void add_fifths(struct feeds_bench *b, int64_t *at_ns, unsigned n, uint32_t n_values)
{
	for (unsigned i = 0; i < n; i++) {
		AUTOFREE struct sample *s = xcalloc(1, sizeof(*s) + n_values * sizeof(uint64_t));

		*s = (struct sample){.source = CPU,
				     .n_values = n_values,
				     .seq = ++b->seq,
				     .begin_ns = *at_ns,
				     .end_ns = *at_ns + 100 * MS};
		for (uint32_t k = 0; k < n_values; k++)
			s->value[k] = 1;
		*at_ns += 100 * MS;
		feeds_take(&b->feeds, s);
	}
	feeds_show(&b->feeds, 0, 0);
}

TEST_WITH(cores_are_unknown_until_they_were_kept_for_a_whole_refresh, bench_init, bench_fini)
{
	struct feeds_bench *b = *state;
	unsigned first = b->session.sources[0].n_sums, n = b->session.sources[0].n_slots;
	int64_t at_ns = 1000000 * MS;

	add_fifths(b, &at_ns, 5, first);
	feeds_keep_instances(&b->feeds);
	add_fifths(b, &at_ns, 4, n);
	assert_float_equal(now_of(b), 5, 0);
	assert_true(isnan(feeds_view(&b->feeds, SOURCE_CPU).now[VECTOR_CONSTANTS + first]));
	add_fifths(b, &at_ns, 1, n);
	assert_float_equal(feeds_view(&b->feeds, SOURCE_CPU).now[VECTOR_CONSTANTS + first], 5, 0);
}

TEST_WITH(few_cores_have_a_history_when_one_asks_for_them, bench_init, bench_fini)
{
	struct feeds_bench *b = *state;
	unsigned first = b->session.sources[0].n_sums, n = b->session.sources[0].n_slots;
	int64_t at_ns = 1000000 * MS;

	feeds_fini(&b->feeds);
	feeds_init(&b->feeds, &b->session, SUBSCRIBER_FEW, 500 * MS);
	add_fifths(b, &at_ns, 5, n);
	feeds_keep_instances(&b->feeds);
	assert_float_equal(feeds_view(&b->feeds, SOURCE_CPU).now[VECTOR_CONSTANTS + first], 5, 0);
}

TEST_WITH(numbers_are_compared_with_an_earlier_moment, bench_init, bench_fini)
{
	struct feeds_bench *b = *state;
	int64_t begin_ns = 1000000 * MS;
	struct feed feed;

	add_numbers(b, begin_ns, 6);
	feeds_show(&b->feeds, 0, 0);
	feeds_compare(&b->feeds, true, begin_ns + 1500 * MS);
	feed = feeds_view(&b->feeds, SOURCE_CPU);
	assert_float_equal(feed.mark[VECTOR_CONSTANTS], 3, 0); /* the third number ended then */
	assert_float_equal(now_of(b), 6, 0);
	assert_int_equal(feed.now_column->end_ns, begin_ns + 3000 * MS); /* with its flags and times */
}

/* A screen that began with the oldest moment of a simulated past would say so when it is paused. */
TEST_WITH(a_part_of_a_simulated_past_is_not_shown, bench_init, bench_fini)
{
	struct feeds_bench *b = *state;

	b->session.sources[0].simulated = b->session.has_past = true;
	b->session.what.epoch_ns = 1000000 * MS;
	b->session.what.history_ns = 2000 * MS;
	for (int i = 0; i < 4; i++) {
		assert_true(b->session.has_past);
		feeds_step(&b->feeds);
		assert_true(feeds_shown_ns(&b->feeds) == 0 && isnan(now_of(b)));
		add_sample(b, (1000000 + 500 * i) * MS, (1000500 + 500 * i) * MS);
	}
	feeds_step(&b->feeds);
	assert_true(feeds_shown_ns(&b->feeds) == 1002000 * MS && !isnan(now_of(b)));
}

/* The i-th sample of half a second. */
static void put_sample(struct feeds *feeds, uint32_t source, unsigned i, const uint64_t *values, unsigned n)
{
	AUTOFREE struct sample *s = xcalloc(1, sizeof(*s) + n * sizeof(uint64_t));

	*s = (struct sample){.source = source,
			     .n_values = n,
			     .seq = i,
			     .begin_ns = (1000000 + (int64_t)i * 500) * MS,
			     .end_ns = (1000500 + (int64_t)i * 500) * MS};
	memcpy(s->value, values, n * sizeof(uint64_t));
	feeds_take(feeds, s);
}

/* Frames of 26 ms in samples of 100 ms are 3 or 4: their rate is that of the frames' times. */
TEST(a_frame_rate_does_not_jump_with_the_frames_of_short_samples)
{
	static const struct slot counts[] = {{.name = "FrameCount", .scale = 1},
					     {.name = "FrameTime", .scale = 1e-6}};
	static const struct {
		uint64_t frames, frame_ms, column_ms;
		double rate;
	} cases[] = {
		{4, 104, 100, 1000 / 26.0},
		{3, 78, 100, 1000 / 26.0},
		{30, 500, 500, 60},
		{60, 1000, 3000, 20}, /* a run with its start: sums are divided by the frames in it */
		{1, 5000, 100, 10},
		{0, 0, 100, 0},
	};
	struct gpudb *db = load_shipped();
	struct err err;
	struct metric_set *set =
		metric_set_new(db, &(struct metric_source){.slots = counts, .n_slots = 2}, &err);
	struct column *c = column_new(2);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct metric_frames frames = METRIC_FRAMES_UNKNOWN;

		c->n_samples = 1;
		c->time_ns = (int64_t)cases[i].column_ms * MS;
		c->value[0] = (double)cases[i].frames;
		c->value[1] = (double)cases[i].frame_ms * MS;
		metric_frames_add(&frames, set, c);
		assert_float_equal(frames.rate, cases[i].rate, 1e-6);
	}
	free(c);
	metric_set_free(set);
	gpudb_free(db);
}

/* 30 frames a second, and a GPU that takes 3 W: 100 mJ per frame, known to the source
 * of the power although another source counts the frames. */
TEST(energy_per_frame_takes_the_frames_of_another_source)
{
	static const struct slot rails[] = {{.name = "EnergyGPU", .scale = 1e-6},
					    {.name = "EnergyGPUTime", .scale = 1e-9}},
				 counts[] = {{.name = "FrameCount", .scale = 1}};
	struct gpudb *db = load_shipped();
	struct err err;
	struct metric_set *power = metric_set_new(db, &(struct metric_source){.slots = rails, .n_slots = 2},
						  &err),
			  *frames = metric_set_new(db, &(struct metric_source){.slots = counts, .n_slots = 1},
						   &err);
	struct session session = {.n = 2};
	struct feeds feeds;

	session.sources[0] =
		(struct session_source){.kind = SOURCE_CPU, .set = power, .n_slots = 2, .n_sums = 2};
	session.sources[1] = (struct session_source){
		.kind = SOURCE_PASSES, .index = 1, .set = frames, .n_slots = 1, .n_sums = 1};
	for (unsigned i = 0; i < 2; i++)
		session.sources[i].asked_ns = session.sources[i].period_ns = 500 * MS;
	feeds_init(&feeds, &session, 0, 500 * MS);
	feeds_want_points(&feeds, POINTS);
	for (unsigned i = 1; i <= 8; i++) {
		put_sample(&feeds, 1, i, (uint64_t[]){15}, 1);
		put_sample(&feeds, 0, i, (uint64_t[]){1500000, 500000000}, 2);
	}
	feeds_show(&feeds, 0, 0);
	assert_float_equal(
		metric_value(metric_of(power, "FrameEnergyGPU"), feeds_view(&feeds, SOURCE_CPU).now), 100,
		1e-6);
	feeds_fini(&feeds);
	session.n = 1; /* without frames it is unknown */
	feeds_init(&feeds, &session, 0, 500 * MS);
	feeds_want_points(&feeds, POINTS);
	put_sample(&feeds, 0, 1, (uint64_t[]){1500000, 500000000}, 2);
	feeds_show(&feeds, 0, 0);
	assert_true(
		isnan(metric_value(metric_of(power, "FrameEnergyGPU"), feeds_view(&feeds, SOURCE_CPU).now)));
	feeds_fini(&feeds);
	metric_set_free(power);
	metric_set_free(frames);
	gpudb_free(db);
}

/* Whatever a cell holds, points are next to each other, each has what ended in it, and they are the
 * same whether they were added one after the other or made at once. */
TEST_WITH(points_of_every_scale_have_the_time_that_they_show, bench_init, bench_fini)
{
	struct feeds_bench *b = *state;
	int64_t at_ns = 1000000 * MS, cell_ns = 0, next;
	unsigned scales = 0;

	for (int by = -1; (next = feeds_next_cell(&b->feeds, by)) || by<0; scales += by> 0) {
		float steps[POINTS];
		double sum = 0, point_s;

		if (!next) {
			by = 1; /* from the shortest one on */
			continue;
		}
		assert_true(by < 0 || next > cell_ns);
		cell_ns = next;
		feeds_set_cell(&b->feeds, cell_ns);
		point_s = (double)cell_ns * 1e-9 / 2;
		points_seconds(b->feeds.feeds[0].points, 0); /* from now on they are added */
		for (int i = 0; i < 40; i++) {
			add_sample(b, at_ns, at_ns + 500 * MS);
			at_ns += 500 * MS;
			feeds_step(&b->feeds);
		}
		for (int i = 0; i < POINTS; i++)
			steps[i] = (float)points_seconds(b->feeds.feeds[0].points, i);
		feeds_show(&b->feeds, 0, 0);
		for (int i = 0; i < POINTS; i++) {
			float shown = (float)points_seconds(b->feeds.feeds[0].points, i);

			assert_true(shown == steps[i] || (isnan(shown) && isnan(steps[i])));
			sum += isnan(shown) ? 0 : shown;
			if (point_s < 0.5) /* within a sample */
				assert_true(shown == 0.5F);
		}
		if (point_s >= 0.5)
			assert_true(sum >= 20 - point_s || sum >= (POINTS - 1) * point_s);
		if (point_s >= 0.5 && point_s < 20)
			assert_true(fabs(points_seconds(b->feeds.feeds[0].points, 1) - point_s) < 1e-6);
	}
	assert_int_equal(scales, 8);
}
