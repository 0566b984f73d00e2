/* The longest frames, and what is said of them. */
#include "base/alloc.h"
#include "passes/frame_stats.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 10000

/* Frames of 16 ms: 8 of the CPU, 10 of the GPU, 5 of waits. */
static struct frame_facts usual_frame(unsigned number)
{
	return (struct frame_facts){.number = number,
				    .ms = 16,
				    .cpu_ms = 8,
				    .gpu_ms = 10,
				    .wait_ms = 5,
				    .pass_ms = 7,
				    .pass_over_ms = 0,
				    .pass = "scene",
				    .end_ns = number * 16000000ll};
}

static struct frame_stats *usual_frames(const struct frame_facts *instead)
{
	struct frame_stats *s = xcalloc(1, sizeof(*s));

	for (unsigned i = 1; i <= FRAMES; i++) {
		struct frame_facts frame = usual_frame(i);

		frame_stats_add(s, instead && instead->number == i ? instead : &frame, 1000.0 / 60);
	}
	return s;
}

TEST(one_long_frame_of_ten_thousand_is_found)
{
	struct frame_facts frame = usual_frame(4711);
	struct frame_stats *s;

	frame.ms = 304;
	s = usual_frames(&frame);
	assert_int_equal(s->times.n, FRAMES);
	assert_int_equal(s->late, 1);
	assert_int_equal(s->n_worst, WORST_FRAMES);
	assert_true(s->worst[0].number == 4711 && s->worst[0].ms == 304 && s->worst[1].ms == 16);
	assert_true(times_at(&s->times, 1) == 304);
	assert_true(fabs(times_at(&s->times, 0.999) - 16) < 0.1);
	free(s);
}

/* Each millionth of a time that has one is found with less than 1 % of error. */
TEST(percentiles_are_less_than_one_percent_off)
{
	static const double times[] = {0.001, 0.25, 0.3, 1,    7.77,  16.6,
				       33.4,  99.9, 304, 4321, 65000, 3600000};

	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		struct frame_times *t = xcalloc(1, sizeof(*t));

		for (unsigned n = 0; n < 10; n++)
			times_add(t, times[i] * (1 + n * 1e-4));
		if (!(fabs(times_at(t, 0.5) / times[i] - 1) < 0.01) && times[i] > 0.001)
			fail_msg("%g ms became %g", times[i], times_at(t, 0.5));
		free(t);
	}
}

TEST(a_long_frame_has_a_cause)
{
	static const struct {
		const char *what;
		double ms, cpu_ms, gpu_ms, wait_ms, pass_over_ms;
		const char *cause;
	} cases[] = {
		{"the thread works longer", 60, 52, 10, 5, 0, "CPU work"},
		{"one pass takes longer", 60, 8, 54, 49, 44, "scene"},
		{"all passes take a little longer", 60, 8, 54, 49, 6, "GPU, all passes"},
		{"it waits, and the GPU does not work longer", 60, 8, 10, 49, 0, "waits, present"},
		{"it works and waits longer", 350, 161, 10, 184, 0, "waits, present +179.0; CPU work +153.0"},
		{"it neither works nor waits", 304, 8, 10, 5, 0, "blocked or asleep"},
		{"nothing is longer", 16, 8, 10, 5, 0, ""},
		{"nothing is known", 60, NAN, NAN, NAN, NAN, ""},
	};
	struct frame_stats *s = usual_frames(NULL);
	char text[FRAME_CAUSE_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct frame_facts f = usual_frame(1);

		f.ms = cases[i].ms;
		f.cpu_ms = cases[i].cpu_ms;
		f.gpu_ms = cases[i].gpu_ms;
		f.wait_ms = cases[i].wait_ms;
		f.pass_over_ms = cases[i].pass_over_ms;
		if (strcmp(frame_cause(s, &f, text), cases[i].cause) != 0)
			fail_msg("%s: '%s'", cases[i].what, text);
	}
	free(s);
}

/* The cursor of a still screen blinks every 667 ms; then it scrolls, and one frame is late. */
TEST(frames_of_a_still_screen_come_after_late_ones)
{
	struct frame_stats *s = xcalloc(1, sizeof(*s));
	char text[FRAME_CAUSE_TEXT];

	for (unsigned i = 1; i <= 400; i++) {
		struct frame_facts f = usual_frame(i);

		if (i % 200 < 50) { /* nothing to do */
			f.ms = 667;
			f.cpu_ms = 2;
			f.gpu_ms = 3;
			f.wait_ms = 0;
		} else if (i == 100) { /* work */
			f.ms = f.cpu_ms = 40;
		} else if (i == 300) { /* blocked, alone */
			f.ms = 304;
		}
		frame_stats_add(s, &f, 1000.0 / 60);
	}
	assert_int_equal(s->late, 3); /* the last frame is alone, too */
	assert_true(s->worst[0].ms == 667 && s->worst[0].number == 400);
	assert_true(s->worst[1].number == 300 && s->worst[2].number == 100);
	assert_true(s->worst[3].ms == 16 && !s->worst[3].idle);
	assert_string_equal(frame_cause(s, &(struct frame_facts){.idle = true}, text), "idle");
	free(s);
}

TEST(a_renderer_on_the_cpu_is_known_by_its_device_or_name)
{
	static const struct {
		const char *driver;
		bool is_software;
		const char *name;
	} cases[] = {{"llvmpipe (LLVM 15.0.6, 256 bits)", true, "llvmpipe (LLVM 15.0.6, 256 bits)"},
		     {"SwiftShader Device (LLVM 10.0.0)", true, "SwiftShader Device (LLVM 10.0.0)"},
		     {"Another renderer (CPU)", true, "Another renderer"},
		     {"Mali-G715", false, "Mali-G715"},
		     {"CPU)", false, "CPU)"},
		     {" (CPU)", true, ""},
		     {"", false, ""}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char driver[PASS_NAME_TEXT];

		snprintf(driver, sizeof(driver), "%s", cases[i].driver);
		assert_int_equal(pass_driver_is_software(driver), cases[i].is_software);
		assert_string_equal(driver, cases[i].name);
	}
}
