/* The Vulkan layer in programs of our own on a software driver (lavapipe), without a window. */
#include "tests/layer/listener.h"
#include "tests/support/test.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define FRAMES 6

/* A layer with a sanitizer in it can be loaded only by programs that have one, too. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FOREIGN_PROGRAMS 0
#else
#define FOREIGN_PROGRAMS 1
#endif
#define SYSTEM_LAYERS "/usr/share/vulkan/explicit_layer.d"

static const char *const layer_on[] = {"VK_INSTANCE_LAYERS=VK_LAYER_MALITOP_passes", NULL};

static bool play(const char *scene, unsigned frames, const char *const *environment)
{
	char number[16], name[32];
	char *const argv[] = {(char *)(uintptr_t) "tests/layer/scene", name, number, NULL};

	snprintf(name, sizeof(name), "%s", scene);
	snprintf(number, sizeof(number), "%u", frames);
	return listener_play(&listener, argv, environment, 0);
}

static void assert_clean_end(void)
{
	assert_true(WIFEXITED(listener.status));
	if (WEXITSTATUS(listener.status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(listener.status), 0);
	assert_string_equal(listener.output, "");
}

/* What each scene renders per frame, and how many of its frames can be lost before the queries are
 * known to be reset: on devices without host reset, the first runs. */
static const struct {
	const char *scene;
	unsigned warm_up;
	struct {
		const char *name;
		enum passes_kind kind;
	} passes[6];
} scenes[] = {
	{"recorded",
	 0,
	 {{"shadow", PASSES_RENDER}, {"main", PASSES_RENDER}, {"512x512 RGBA8", PASSES_RENDER}}},
	{"recorded-1.0",
	 0,
	 {{"shadow", PASSES_RENDER}, {"main", PASSES_RENDER}, {"512x512 RGBA8", PASSES_RENDER}}},
	{"recorded-unversioned", 0, {{"shadow", PASSES_RENDER}, {"main", PASSES_RENDER}}},
	{"resize", 0, {{"shadow", PASSES_RENDER}, {"main", PASSES_RENDER}}},
	{"prerecorded",
	 0,
	 {{"shadow", PASSES_RENDER}, {"main", PASSES_RENDER}, {"512x512 RGBA8", PASSES_RENDER}}},
	{"prerecorded-1.0", 0, {{"shadow", PASSES_RENDER}, {"main", PASSES_RENDER}}},
	{"freed", 0, {{"shadow", PASSES_RENDER}, {"main", PASSES_RENDER}, {"512x512 RGBA8", PASSES_RENDER}}},
	{"dynamic", 0, {{"1024x1024 RGBA8", PASSES_RENDER}, {"1024x1024 RGBA8 #2", PASSES_RENDER}}},
	{"compute",
	 0,
	 {{"compute", PASSES_COMPUTE},
	  {"transfer", PASSES_TRANSFER},
	  {"512x512 RGBA8", PASSES_RENDER},
	  {"compute #2", PASSES_COMPUTE}}},
	{"secondary", 0, {{"secondary buffers", PASSES_SECONDARY}, {"1024x1024 RGBA8", PASSES_RENDER}}},
	{"threads",
	 0,
	 {{"thread", PASSES_RENDER}, {"thread #2", PASSES_RENDER}, {"thread #8", PASSES_RENDER}}},
	{"devices", 0, {{"shadow", PASSES_RENDER}}},
	{"fork", 0, {{"main", PASSES_RENDER}}},
	{"many", 0, {{"512x512 RGBA8", PASSES_RENDER}, {"512x512 RGBA8 #200", PASSES_RENDER}}},
};

static void check_kind(const char *name, enum passes_kind kind)
{
	for (unsigned i = 0; i < listener.n; i++)
		if (listener.events[i].type == PASSES_PASS && strcmp(listener.names[i], name) == 0)
			assert_int_equal(listener.events[i].kind, kind);
}

static void check_scene(size_t row, const char *const *environment)
{
	unsigned frames;

	print_message("%s\n", scenes[row].scene);
	assert_true(play(scenes[row].scene, FRAMES, environment));
	assert_clean_end();
	frames = FRAMES * (strcmp(scenes[row].scene, "devices") == 0 ? 2 : 1);
	assert_int_equal(listener_count(&listener, PASSES_FRAME, NULL), frames);
	for (size_t i = 0; scenes[row].passes[i].name; i++) {
		assert_int_equal(listener_count(&listener, PASSES_PASS, scenes[row].passes[i].name), frames);
		check_kind(scenes[row].passes[i].name, scenes[row].passes[i].kind);
	}
	for (unsigned i = 0; i < PASSES_COUNTS; i++)
		assert_int_equal(listener.reader.counts[i], 0);
}

TEST(every_pass_of_every_scene_is_timed)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		check_scene(i, layer_on);
}

/* The loader puts layers into the order in which it finds their files, whatever order they are
 * named in. */
TEST(the_validation_layer_finds_nothing_above_and_below)
{
	static const char named[] = "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation:VK_LAYER_MALITOP_passes";
	static const char *const orders[][3] = {
		{named, "VK_LAYER_PATH=" SYSTEM_LAYERS ":layer", NULL},
		{named, "VK_LAYER_PATH=layer:" SYSTEM_LAYERS, NULL},
	};

	if (access(SYSTEM_LAYERS "/VkLayer_khronos_validation.json", R_OK) != 0)
		skip();
	for (size_t order = 0; order < 2; order++)
		for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
			assert_true(play(scenes[i].scene, 3, orders[order]));
			if (listener.output[0])
				fail_msg("%s: %s", scenes[i].scene, listener.output);
		}
}

TEST(a_target_of_another_size_is_another_pass)
{
	assert_true(play("resize", FRAMES, layer_on));
	assert_clean_end();
	assert_int_equal(listener_count(&listener, PASSES_PASS, "512x512 RGBA8"), 2);
	assert_int_equal(listener_count(&listener, PASSES_PASS, "256x256 RGBA8"), 2);
	assert_int_equal(listener_count(&listener, PASSES_PASS, "128x128 RGBA8"), 2);
}

/* How long a pass takes is test_driver.c's: this driver renders on CPUs that others use, too. */
TEST(passes_of_a_queue_follow_each_other_on_the_clock_of_the_frames)
{
	int64_t begin = 0, end = 0;

	assert_true(play("recorded", FRAMES, layer_on));
	assert_clean_end();
	for (unsigned i = 0; i < listener.n; i++) {
		const struct passes_event *e = &listener.events[i];

		assert_true(e->begin_ns <= e->end_ns && e->end_ns <= listener.stamp_ns);
		if (e->type == PASSES_PASS) {
			assert_int_equal(e->flags, PASSES_COUNTED);
			assert_true(e->begin_ns >= end - 1000);
			begin = begin ? begin : e->begin_ns;
			end = e->end_ns;
		} else if (e->type == PASSES_FRAME) {
			assert_int_equal(e->kind, PASSES_WAIT);
			assert_int_equal(e->submits, 1);
			assert_int_equal(e->passes, 3);
			assert_true(begin >= e->begin_ns - 1000 && end <= e->end_ns + 1000);
			begin = 0;
		}
	}
}

TEST(the_header_names_program_driver_and_stamp)
{
	static const char *const top[] = {"VK_INSTANCE_LAYERS=VK_LAYER_MALITOP_passes", "MALITOP_STAMP=top",
					  NULL};

	assert_true(play("recorded", 1, layer_on));
	assert_string_equal(listener.title, "scene");
	assert_non_null(strstr(listener.driver, "llvmpipe"));
	assert_non_null(strstr(listener.driver, PASSES_ON_CPU));
	assert_int_equal(listener.stamp, PASSES_STAMP_BOTTOM);
	assert_true(play("recorded", 1, top));
	assert_int_equal(listener.stamp, PASSES_STAMP_TOP);
}

/* A program of others with a window, Vulkan 1.0, and buffers that it records once. */
TEST(every_frame_of_vkcube_is_seen)
{
	char *const argv[] = {(char *)(uintptr_t) "xvfb-run", (char *)(uintptr_t) "-a",
			      (char *)(uintptr_t) "vkcube",   (char *)(uintptr_t) "--c",
			      (char *)(uintptr_t) "30",       NULL};

	if (!FOREIGN_PROGRAMS || access("/usr/bin/xvfb-run", X_OK) != 0 ||
	    access("/usr/bin/vkcube", X_OK) != 0)
		skip();
	assert_true(listener_play(&listener, argv, layer_on, 0));
	assert_int_equal(listener.status, 0);
	assert_string_equal(listener.title, "vkcube");
	assert_int_equal(listener_count(&listener, PASSES_FRAME, NULL), 30);
	assert_int_equal(listener_count(&listener, PASSES_PASS, "500x500 BGRA8 + depth") +
				 listener_count_untold(&listener),
			 30);
	for (unsigned i = 0; i < listener.n; i++)
		if (listener.events[i].type == PASSES_FRAME)
			assert_int_equal(listener.events[i].kind, PASSES_PRESENT);
}

TEST(a_program_killed_at_any_point_leaves_valid_events)
{
	char *const argv[] = {(char *)(uintptr_t) "tests/layer/scene", (char *)(uintptr_t) "many",
			      (char *)(uintptr_t) "1000000", NULL};

	for (unsigned i = 1; i <= 5; i++) {
		assert_true(listener_play(&listener, argv, layer_on, i * 37));
		assert_true(WIFSIGNALED(listener.status));
		assert_true(listener.n >= i * 37);
		assert_int_equal(listener.reader.invalid, 0);
	}
}

TEST(a_directory_that_others_may_enter_is_not_used)
{
	char path[128];

	assert_true(passes_directory(path, sizeof(path)));
	chmod(path, 0755);
	assert_false(play("recorded", 1, layer_on));
	assert_clean_end();
	chmod(path, 0700);
	assert_true(play("recorded", 1, layer_on));
}

TEST_GROUP(listener_begin, listener_end)

int main(void)
{
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* of the programs: the driver leaks */
	setenv("VK_ADD_LAYER_PATH", "layer", 1);
	if (access("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", R_OK) == 0)
		setenv("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", 1);

	return test_run();
}
