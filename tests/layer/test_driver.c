/* The layer on drivers as they can be: icd.c has their clocks, losses and failures, and ends the
 * program if the layer does what Vulkan forbids. */
#include "tests/layer/forks.h"
#include "tests/layer/listener.h"
#include "tests/support/test.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>

#define MS 1000000ll

/* 20 frames of two queues with a transfer and a render pass each, and of one queue that cannot
 * reset queries. A command takes a millisecond of the driver's own clock. */
static const struct {
	const char *words;
	unsigned passes;
	uint64_t counts[PASSES_COUNTS]; /* lost, disjoint, untimed */
	enum passes_stamp stamp;
	int64_t tick_ns;
} drivers[] = {
	{"bits=64", 80, {0, 0, 20}, PASSES_STAMP_BOTTOM, 1},
	{"bits=36 from=68719000000", 80, {0, 0, 20}, PASSES_STAMP_BOTTOM, 1}, /* wraps after 476 ms */
	{"bits=64 from=0xfffffffffffff000", 80, {0, 0, 20}, PASSES_STAMP_BOTTOM, 1},
	{"period=52", 80, {0, 0, 20}, PASSES_STAMP_BOTTOM, 52},
	{"bits=0", 0, {0, 0, 100}, PASSES_STAMP_NONE, 1},
	{"period=0", 0, {0, 0, 100}, PASSES_STAMP_NONE, 1},
	{"never", 0, {80, 0, 20}, PASSES_STAMP_BOTTOM, 1},
	{"back from=0x1000000000000", 0, {0, 80, 20}, PASSES_STAMP_BOTTOM, 1},
	{"oom=1", 0, {0, 0, 100}, PASSES_STAMP_BOTTOM, 1},
};

static void play(const char *words, const char *how)
{
	static const char *const layer[] = {"VK_INSTANCE_LAYERS=VK_LAYER_MALITOP_passes", NULL};
	char *const argv[] = {(char *)(uintptr_t) "tests/layer/bare", (char *)(uintptr_t) "20",
			      (char *)(uintptr_t)how, NULL};

	setenv("FAKEICD", words, 1);
	assert_true(listener_play(&listener, argv, layer, 0));
	if (listener.output[0])
		fail_msg("%s: %s", words, listener.output);
	assert_int_equal(listener.status, 0);
}

/* The transfer of the second queue has 41 commands, every other pass has one. */
static void check_times(int64_t tick_ns)
{
	for (unsigned i = 0; i < listener.n; i++) {
		const struct passes_event *e = &listener.events[i];
		int64_t ns = MS * (e->queue == 1 && e->kind == PASSES_TRANSFER ? 41 : 1);

		if (e->type == PASSES_PASS)
			assert_in_range(e->end_ns - e->begin_ns, ns - tick_ns, ns + tick_ns);
	}
}

TEST(every_driver_gives_true_times_or_counted_losses)
{
	for (size_t d = 0; d < sizeof(drivers) / sizeof(drivers[0]); d++) {
		print_message("%s\n", drivers[d].words);
		play(drivers[d].words, NULL);
		assert_int_equal(listener_count(&listener, PASSES_FRAME, NULL), 60);
		assert_int_equal(listener_count(&listener, PASSES_PASS, NULL), drivers[d].passes);
		assert_int_equal(listener.stamp, drivers[d].stamp);
		for (unsigned i = 0; i < PASSES_COUNTS; i++)
			assert_int_equal(listener.reader.counts[i], drivers[d].counts[i]);
		check_times(drivers[d].tick_ns);
	}
}

TEST(without_calibration_no_pass_begins_before_its_submission)
{
	int64_t least = INT64_MAX;

	play("bits=64", NULL);
	for (unsigned i = 0; i < listener.n; i++) {
		const struct passes_event *e = &listener.events[i];

		if (e->type == PASSES_PASS) {
			assert_int_equal(e->flags, PASSES_UNCALIBRATED | PASSES_COUNTED);
			least = e->begin_ns < least ? e->begin_ns : least;
		}
	}
	for (unsigned i = 0; i < listener.n; i++)
		if (listener.events[i].type == PASSES_FRAME && listener.events[i].frame == 0)
			assert_true(least >= listener.events[i].begin_ns);
}

TEST(a_lost_device_ends_the_times_and_not_the_application)
{
	char words[16];

	for (unsigned n = 1; n <= 9; n++) {
		snprintf(words, sizeof(words), "lost=%u", n);
		play(words, NULL);
		assert_true(listener_count(&listener, PASSES_PASS, NULL) <= 2 * n);
	}
}

/* Five frames of each size. */
TEST(frames_go_on_when_the_swapchain_is_made_again)
{
	uint64_t next = 0;
	char name[32];

	play("resize=5", "present");
	for (unsigned i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%ux32 no target", 64 + i);
		assert_int_equal(listener_count(&listener, PASSES_PASS, name), 5);
	}
	for (unsigned i = 0; i < listener.n; i++)
		if (listener.events[i].type == PASSES_FRAME) {
			assert_int_equal(listener.events[i].kind, PASSES_PRESENT);
			assert_int_equal(listener.events[i].passes, 2);
			assert_int_equal(listener.events[i].frame, next++);
		}
	assert_int_equal(next, 20);
	assert_int_equal(listener_count_untold(&listener), 0);
}

/* A number in a label may be that of a frame, so it stands before no other. */
TEST(nested_markers_name_passes)
{
	static const char *const names[] = {"shadow/cascade2", "lights/spot1", "inner", "deep"};

	play("bits=64", "markers");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (listener_count(&listener, PASSES_PASS, names[i]) != 20)
			fail_msg("%s: %u passes", names[i], listener_count(&listener, PASSES_PASS, names[i]));
	assert_int_equal(listener_count(&listener, PASSES_PASS, "named pass"), 15);
	assert_int_equal(listener_count(&listener, PASSES_PASS, "renamed pass"), 5);
}

/* What cannot be counted is unknown, and so is any sum with it. */
TEST(draws_and_dispatches_of_a_pass_are_counted)
{
	static const struct {
		const char *name;
		uint32_t draws, dispatches;
		uint64_t vertices;
	} passes[] = {
		{"1x1 no target", 2, 0, 12},
		{"2x1 no target", 7, 0, PASSES_VERTICES_UNKNOWN},
		{"3x1 no target", PASSES_COUNT_UNKNOWN, 0, PASSES_VERTICES_UNKNOWN},
		{"4x1 no target", 0, 0, 0},
		{"5x1 no target", 8, 0, 24},
		{"compute", 0, 3, 0},
		{"transfer", 0, 0, 0},
	};

	play("bits=64", "draws");
	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
		assert_int_equal(listener_count(&listener, PASSES_PASS, passes[i].name), 20);
		for (unsigned n = 0; n < listener.n; n++) {
			const struct passes_event *e = &listener.events[n];

			if (e->type != PASSES_PASS || strcmp(listener.names[n], passes[i].name) != 0)
				continue;
			if (!(e->flags & PASSES_COUNTED) || e->draws != passes[i].draws ||
			    e->dispatches != passes[i].dispatches || e->vertices != passes[i].vertices)
				fail_msg("%s: %u draws, %u dispatches", passes[i].name, e->draws,
					 e->dispatches);
		}
	}
}

/* A thread that is in the layer while another forks has locks of both. */
TEST(children_end_whatever_the_threads_of_their_parent_did)
{
	if (!FORKS_ALLOCATE)
		skip();
	play("bits=64", "forks");
	assert_int_equal(listener_count(&listener, PASSES_FRAME, NULL), 60);
}

/* The C library keeps the address of what it calls in a child of fork, and some do so for good. */
TEST(the_library_stays_when_it_is_closed)
{
	void *library = dlopen("layer/libVkLayer_malitop.so", RTLD_NOW);

	assert_non_null(library);
	dlclose(library);
	assert_non_null(dlopen("layer/libVkLayer_malitop.so", RTLD_NOW | RTLD_NOLOAD));
}

TEST_GROUP(listener_begin, listener_end)

int main(void)
{
	setenv("VK_ADD_LAYER_PATH", "layer", 1);
	setenv("VK_ICD_FILENAMES", "tests/layer/icd.json", 1);

	return test_run();
}
