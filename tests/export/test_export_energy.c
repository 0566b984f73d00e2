/* The energy of a frame: watts of the machine by the frames of a command. */
#include "export/export_priv.h"
#include "tests/support/gpu_set.h"

#include <stdio.h>

static struct metric_set *set_with(const struct gpudb *db, const char *const *names, unsigned n)
{
	struct slot slots[8] = {0};
	struct metric_set *set;
	struct err err;

	for (unsigned i = 0; i < n; i++)
		slots[i] = (struct slot){.name = names[i], .scale = 1};
	set = metric_set_new(db, &(struct metric_source){.slots = slots, .n_slots = n}, &err);
	if (!set)
		fail_msg("%s", err.text);
	return set;
}

static const char *const frames[] = {"FrameCount"}, *const rails[] = {"EnergyGPU", "EnergyGPUTime"};

/* 120 frames in 2 s; the GPU takes 3 J in 1.5 s of them, 2 W: 1/30 J for each frame. */
TEST(energy_per_frame_is_power_by_frames_per_second)
{
	struct gpudb *db = load_shipped();
	struct metric_set *sets[] = {set_with(db, frames, 1), set_with(db, rails, 2)};
	struct column *sums[] = {column_of(sets[0], 2), column_of(sets[1], 2)};
	const struct export_source sources[] = {{.set = sets[0], .kind = SOURCE_PASSES}, {.set = sets[1]}};
	const struct export_table table = {.sources = sources, .n_sources = 2};
	const struct export_row row = {.sums = (const struct column *const *)sums};
	AUTO_STRBUF struct strbuf out = {0};

	column_put(sums[0], sets[0], "FrameCount", INSTANCE_ALL, 0, 120);
	column_put(sums[1], sets[1], "EnergyGPU", INSTANCE_ALL, 0, 3);
	column_put(sums[1], sets[1], "EnergyGPUTime", INSTANCE_ALL, 0, 1.5);
	export_frame_energy(&table, &row, &out);
	assert_string_equal(out.p, "    0.033333 J   per frame, GPU\n");
	strbuf_clear(&out);
	column_put(sums[0], sets[0], "FrameCount", INSTANCE_ALL, 0, 0); /* no frame */
	export_frame_energy(&table, &row, &out);
	assert_int_equal(out.n, 0);
	for (size_t i = 0; i < 2; i++) {
		metric_set_free(sets[i]);
		free(sums[i]);
	}
	gpudb_free(db);
}
