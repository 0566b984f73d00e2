/* The GLES library in programs of our own, without a window: on the driver of this machine
 * (llvmpipe), and on drivers as they can be (fakegles.c). */
#include "tests/layer/forks.h"
#include "tests/layer/listener.h"
#include "tests/support/test.h"

#include <dlfcn.h>
#include <sys/wait.h>

#define FRAMES 20
#define MS 1000000ll

static char preload[512], fake_path[512], next_library[512];

static bool play(const char *program, const char *scene, const char *words)
{
	char name[32], frames[16], fake[64];
	char *const argv[] = {(char *)(uintptr_t)program, name, frames, NULL};
	const char *const environment[] = {preload, words ? fake_path : NULL, fake, NULL};
	bool connected;

	snprintf(name, sizeof(name), "%s", scene);
	snprintf(frames, sizeof(frames), "%d", FRAMES);
	snprintf(fake, sizeof(fake), "FAKEGLES=%s", words ? words : "");
	connected = listener_play(&listener, argv, environment, 0);
	assert_true(WIFEXITED(listener.status));
	if (WEXITSTATUS(listener.status) == 77)
		skip();
	if (WEXITSTATUS(listener.status) || listener.output[0])
		fail_msg("%s %s %s: status %d: %s", program, scene, words ? words : "",
			 WEXITSTATUS(listener.status), listener.output);
	return connected;
}

/* Four passes a frame, of which the last one needs a surface. */
static const struct {
	const char *program, *scene;
	enum passes_boundary boundary;
	unsigned frames;
	const char *surface;
} scenes[] = {
	{"tests/layer/gles_linked", "swap", PASSES_PRESENT, FRAMES, "300x300 surface"},
	{"tests/layer/gles_linked", "proc-swap", PASSES_PRESENT, FRAMES, "300x300 surface"},
	{"tests/layer/gles_scene", "swap", PASSES_PRESENT, FRAMES, "300x300 surface"},
	{"tests/layer/gles_scene", "proc-swap", PASSES_PRESENT, FRAMES, "300x300 surface"},
	{"tests/layer/gles_linked", "finish", PASSES_WAIT, FRAMES, NULL},
	{"tests/layer/gles_scene", "read", PASSES_WAIT, FRAMES, NULL},
	{"tests/layer/gles_scene", "contexts", PASSES_WAIT, 4 * FRAMES, NULL},
};

static void check_frames(enum passes_boundary boundary, unsigned passes)
{
	for (unsigned i = 0; i < listener.n; i++) {
		const struct passes_event *e = &listener.events[i];

		assert_true(e->end_ns <= listener.stamp_ns);
		if (e->type != PASSES_FRAME)
			continue;
		assert_int_equal(e->kind, boundary);
		assert_int_equal(e->passes, passes);
		assert_true(e->submits >= 1);
	}
}

/* This driver measures the first query of a context from the start of the machine's clock on, which
 * throws out that frame. */
TEST(programs_are_timed_however_they_find_their_functions)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		const uint64_t *counts = listener.reader.counts;
		unsigned passes = scenes[i].surface ? 4 : 3, timed;

		print_message("%s %s\n", scenes[i].program, scenes[i].scene);
		assert_true(play(scenes[i].program, scenes[i].scene, NULL));
		assert_int_equal(listener.stamp, PASSES_STAMP_ELAPSED);
		assert_int_equal(listener_count(&listener, PASSES_FRAME, NULL), scenes[i].frames);
		assert_int_equal(counts[PASSES_LOST] + counts[PASSES_UNTIMED], 0);
		assert_in_range(counts[PASSES_DISJOINT], 0, scenes[i].frames / FRAMES * passes);
		timed = scenes[i].frames - (unsigned)counts[PASSES_DISJOINT] / passes;
		assert_int_equal(listener_count(&listener, PASSES_PASS, "shadow"), timed);
		assert_int_equal(listener_count(&listener, PASSES_PASS, "bloom"), timed);
		assert_int_equal(listener_count(&listener, PASSES_PASS, "512x512 framebuffer 1"), timed);
		if (scenes[i].surface)
			assert_int_equal(listener_count(&listener, PASSES_PASS, scenes[i].surface), timed);
		check_frames(scenes[i].boundary, passes);
	}
}

/* The pass that is drawn when the application begins its own timer, and all until it ends. */
TEST(passes_are_untimed_while_the_application_times_its_own_work)
{
	assert_true(play("tests/layer/gles_scene", "timer", NULL));
	assert_int_equal(listener_count(&listener, PASSES_PASS, "bloom"), 0);
	assert_int_equal(listener_count(&listener, PASSES_PASS, "300x300 surface"), FRAMES);
	assert_int_equal(listener.reader.counts[PASSES_UNTIMED], 2 * FRAMES);
	check_frames(PASSES_PRESENT, 3);
}

/* The answer to RTLD_NEXT depends on the library that asks. */
TEST(another_preloaded_library_still_finds_what_comes_next)
{
	char *const argv[] = {(char *)(uintptr_t) "tests/layer/gles_linked", (char *)(uintptr_t) "finish",
			      (char *)(uintptr_t) "3", NULL};
	char both[1100];
	const char *const environment[] = {both, NULL};

	snprintf(both, sizeof(both), "%s:%s", preload, next_library);
	assert_true(listener_play(&listener, argv, environment, 0));
	assert_int_equal(listener.status, 0);
	assert_int_equal(listener_count(&listener, PASSES_FRAME, NULL), 3);
}

/* The last frames of a program that ends are not yet read where results come two frames late. */
static const struct {
	const char *words;
	unsigned passes, least_lost, most_lost;
	uint64_t disjoint, untimed;
	enum passes_stamp stamp;
} drivers[] = {
	{"", 4 * FRAMES, 0, 8, 0, 0, PASSES_STAMP_ELAPSED},
	{"disjoint=10", 4 * FRAMES, 0, 8, 8, 0, PASSES_STAMP_ELAPSED},
	{"never", 0, 4 * FRAMES, 4 * FRAMES, 0, 0, PASSES_STAMP_ELAPSED},
	{"noext", 0, 0, 0, 0, 4 * FRAMES, PASSES_STAMP_NONE},
	{"bits=0", 0, 0, 0, 0, 4 * FRAMES, PASSES_STAMP_NONE},
};

TEST(every_driver_gives_true_times_or_counted_losses)
{
	for (size_t d = 0; d < sizeof(drivers) / sizeof(drivers[0]); d++) {
		const uint64_t *counts = listener.reader.counts;
		uint64_t lost;

		print_message("%s\n", drivers[d].words);
		assert_true(play("tests/layer/gles_scene", "swap", drivers[d].words));
		lost = counts[PASSES_LOST];
		assert_int_equal(listener_count(&listener, PASSES_FRAME, NULL), FRAMES);
		assert_int_equal(listener.stamp, drivers[d].stamp);
		assert_string_equal(listener.driver, "fakegles");
		assert_in_range(lost, drivers[d].least_lost, drivers[d].most_lost);
		assert_int_equal(counts[PASSES_DISJOINT], drivers[d].disjoint);
		assert_int_equal(counts[PASSES_UNTIMED], drivers[d].untimed);
		if (drivers[d].passes)
			assert_int_equal(listener_count(&listener, PASSES_PASS, NULL) + lost +
						 drivers[d].disjoint,
					 drivers[d].passes);
	}
}

TEST(a_pass_lasts_as_long_as_the_driver_measured)
{
	int64_t end = 0;

	assert_true(play("tests/layer/gles_scene", "swap", ""));
	assert_int_equal(listener_least_ns(&listener, "shadow"), 3 * MS);
	assert_int_equal(listener_least_ns(&listener, "bloom"), 2 * MS);
	assert_int_equal(listener_least_ns(&listener, "300x300 surface"), MS);
	for (unsigned i = 0; i < listener.n; i++)
		if (listener.events[i].type == PASSES_PASS) {
			assert_true(listener.events[i].flags & PASSES_UNCALIBRATED);
			assert_true(listener.events[i].end_ns >= end);
			end = listener.events[i].end_ns;
		}
}

/* A thread that is in the library while another forks has locks of both. */
TEST(children_end_whatever_the_threads_of_their_parent_did)
{
	if (!FORKS_ALLOCATE)
		skip();
	assert_true(play("tests/layer/gles_scene", "forks", "noext"));
}

/* A program of others with a window, which draws frames until it is killed. */
TEST(every_frame_of_es2gears_is_seen)
{
	char *const argv[] = {(char *)(uintptr_t) "xvfb-run",     (char *)(uintptr_t) "-a",
			      (char *)(uintptr_t) "timeout",      (char *)(uintptr_t) "100",
			      (char *)(uintptr_t) "es2gears_x11", NULL};
	const char *const environment[] = {preload, NULL};
	unsigned frames, passes;

	if (access("/usr/bin/xvfb-run", X_OK) != 0 || access("/usr/bin/es2gears_x11", X_OK) != 0)
		skip();
	assert_true(listener_play(&listener, argv, environment, 60));
	assert_string_equal(listener.title, "es2gears_x11");
	frames = listener_count(&listener, PASSES_FRAME, NULL);
	passes = listener_count(&listener, PASSES_PASS, "300x300 surface") + listener_count_untold(&listener);
	assert_true(frames > 0);
	assert_in_range(passes, frames, frames + 8 + 1); /* of frames that are not complete, too */
}

/* The C library keeps the address of what it calls in a child of fork, and some do so for good. */
TEST(the_library_stays_when_it_is_closed)
{
	void *library = dlopen("layer/libmalitop-gles.so", RTLD_NOW);

	assert_non_null(library);
	dlclose(library);
	assert_non_null(dlopen("layer/libmalitop-gles.so", RTLD_NOW | RTLD_NOLOAD));
}

TEST_GROUP(listener_begin, listener_end)

int main(void)
{
	char here[400];

	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s/layer/libmalitop-gles.so", here);
	snprintf(fake_path, sizeof(fake_path), "LD_LIBRARY_PATH=%s/tests/layer/fakegles", here);
	snprintf(next_library, sizeof(next_library), "%s/tests/layer/libnext.so", here);
	/* The driver leaks, and the library is loaded before ASan's. */
	setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0", 1);

	return test_run();
}
