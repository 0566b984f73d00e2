/* Where the work of an application changes: numbers that people wrote down, not the simulator's. */
#include "base/alloc.h"
#include "model/scene.h"
#include "tests/support/test.h"

#include <string.h>

#define CELLS 60
#define LEAST 5

/* Primitives, pixels and jobs per second of a run of cells. */
struct like_cells {
	int cells;
	float rate[SCENE_RATES];
};

static int lay_cells(struct scene_rates *cells, const struct like_cells *runs)
{
	int n = 0;

	for (; runs->cells; runs++)
		for (int i = 0; i < runs->cells; i++)
			memcpy(cells[n++].rate, runs->rate, sizeof(runs->rate));
	return n;
}

TEST(scenes_begin_where_two_rates_change_together)
{
	static const struct {
		const char *why;
		struct like_cells runs[8];
		int begins[4]; /* 0 after the last */
	} cases[] = {
		{"one scene has none", {{40, {1e6f, 60e6f, 180}}}, {0}},
		{"a menu in a game",
		 {{20, {1e6f, 120e6f, 180}}, {10, {1e4f, 60e6f, 60}}, {20, {1e6f, 120e6f, 180}}},
		 {20, 30}},
		{"one rate alone is another camera, no scene",
		 {{20, {1e6f, 120e6f, 180}}, {20, {3e6f, 120e6f, 180}}},
		 {0}},
		{"a fifth more of all is the same scene",
		 {{20, {1e6f, 120e6f, 180}}, {20, {1.2e6f, 144e6f, 216}}},
		 {0}},
		{"nothing is drawn any more", {{20, {1e6f, 120e6f, 180}}, {20, {0, 0, 0}}}, {20}},
		{"a hitch of one cell",
		 {{20, {1e6f, 120e6f, 180}}, {1, {0, 0, 0}}, {20, {1e6f, 120e6f, 180}}},
		 {0}},
		{"a gap without samples is no scene",
		 {{20, {1e6f, 120e6f, 180}}, {8, {NAN, NAN, NAN}}, {20, {1e6f, 120e6f, 180}}},
		 {0}},
		{"jobs are unknown on some GPUs",
		 {{20, {1e6f, 120e6f, NAN}}, {20, {3e6f, 60e6f, NAN}}},
		 {20}},
		{"one known rate is too few", {{20, {1e6f, NAN, NAN}}, {20, {3e6f, NAN, NAN}}}, {0}},
		{"less cells than two scenes have", {{2, {1e6f, 120e6f, 180}}, {2, {0, 0, 0}}}, {0}},
	};

	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct scene_rates cells[CELLS];
		struct scene_change found[4];
		unsigned n = scene_changes(cells, lay_cells(cells, cases[c].runs), LEAST, found, 4);

		for (unsigned i = 0; i < 4; i++)
			if ((i < n ? found[i].cell : 0) != cases[c].begins[i])
				fail_msg("%s: scene %u at %d", cases[c].why, i, i < n ? found[i].cell : 0);
	}
}

/* Frames of 30 and 60 ms in turn, with a wide spread: the means of ten cells differ, too. */
TEST(what_varies_all_the_time_is_one_scene)
{
	static const float factors[] = {1, 1.8f, 0.7f, 1.4f, 0.6f, 1.7f, 0.9f};
	struct scene_rates cells[CELLS];
	struct scene_change found[4];

	for (int i = 0; i < CELLS; i++)
		for (unsigned r = 0; r < SCENE_RATES; r++)
			cells[i].rate[r] = 1e6f * factors[i % 7] * factors[i % 5];
	assert_int_equal(scene_changes(cells, CELLS, LEAST, found, 4), 0);
}

/* A still screen, of which every other cell or so has a frame. */
TEST(cells_with_and_without_a_frame_are_one_scene)
{
	static const char frames[] = "0010100111011010010001101110100101";
	struct scene_rates cells[CELLS];
	struct scene_change found[4];
	int n = (int)strlen(frames);

	for (int i = 0; i < n; i++)
		for (unsigned r = 0; r < SCENE_RATES; r++)
			cells[i].rate[r] = frames[i] == '1' ? 5e3f : 0;
	assert_int_equal(scene_changes(cells, n, LEAST, found, 4), 0);
}

TEST(no_more_scenes_are_written_than_there_is_room_for)
{
	struct scene_rates cells[CELLS];
	struct scene_change found[2];

	for (int i = 0; i < CELLS; i++)
		for (unsigned r = 0; r < SCENE_RATES; r++)
			cells[i].rate[r] = i / 10 % 2 ? 1 : 100;
	assert_int_equal(scene_changes(cells, CELLS, LEAST, found, 2), 2);
	assert_int_equal(found[0].cell, 10);
	assert_int_equal(found[1].cell, 20);
}

/* A source that changed at that time, and knows nothing of the time before 1 s. */
static bool read_at(void *user, int64_t from_ns, struct scene_rates *part)
{
	bool after = from_ns >= *(int64_t *)user;

	*part = (struct scene_rates){{after ? 1e6f : 3e6f, after ? 60e6f : 20e6f, 60}};
	return from_ns >= 1000000000;
}

TEST(a_change_is_found_to_a_part)
{
	static const struct scene_change change = {1, {{3e6f, 20e6f, 60}}, {{1e6f, 60e6f, 60}}};
	int64_t at_ns = 7654321000, found;

	found = scene_moment(&change, 2000000000, 52000000000, 1000000, read_at, &at_ns);
	assert_in_range(found, at_ns - 1000000, at_ns + 1000000);
	assert_int_equal(scene_moment(&change, 0, 900000000, 1000000, read_at, &at_ns), 900000000);
}
