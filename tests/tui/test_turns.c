/* What the shares of a thread and of the GPU tell. */
#include "tests/support/test.h"
#include "tui/screen.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define TAKEN ": they seem to take turns (scheduling bound): find waits for the GPU"
#define NOTHING "%"
#define THREAD_BUSY ": the thread runs all the time (CPU bound)"
#define GPU_BUSY ": the GPU is busy all the time"
#define BOTH_BUSY ": both are busy all the time"
#define UNKNOWN ""

TEST(shares_tell_who_waits_for_whom)
{
	static const struct {
		double thread, gpu;
		const char *want;
	} cases[] = {
		/* Neither is busy all the time, and together they are. */
		{62, 36, TAKEN},
		{36, 62, TAKEN},
		{15, 84, TAKEN},
		{84, 15, TAKEN},
		{50, 35, TAKEN},
		{50, 59, TAKEN},
		{89.4, 15, TAKEN},
		/* Too little, and so much that they work side by side. */
		{50, 34, NOTHING},
		{50, 60, NOTHING},
		{14, 80, NOTHING},
		{80, 14, NOTHING},
		{89, 89, NOTHING},
		{30, 30, NOTHING},
		{0, 0, NOTHING},
		/* One is busy all the time. */
		{90, 10, THREAD_BUSY},
		{89.5, 10, THREAD_BUSY},
		{100, 89, THREAD_BUSY},
		{100, 0, THREAD_BUSY},
		{10, 90, GPU_BUSY},
		{89, 100, GPU_BUSY},
		{0, 100, GPU_BUSY},
		{90, 90, BOTH_BUSY},
		{100, 100, BOTH_BUSY},
		/* What is not known is no zero. */
		{NAN, 50, UNKNOWN},
		{50, NAN, UNKNOWN},
		{NAN, 100, UNKNOWN},
		{100, NAN, UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *want = cases[i].want;
		char got[256];
		size_t n;

		screen_turns_text(got, sizeof(got), cases[i].thread, cases[i].gpu);
		n = strcspn(got, ":");
		if (!want[0] ? got[0] : strcmp(got + n, want[0] == ':' ? want : "") != 0 || got[n - 1] != '%')
			fail_msg("thread %g, GPU %g: got '%s', not '%s'", cases[i].thread, cases[i].gpu, got,
				 want);
	}
}

TEST(numbers_stand_before_what_they_tell)
{
	static const struct {
		double thread, gpu;
		const char *want;
	} cases[] = {
		{61.6, 35.6,
		 "thread 62 % + GPU 36 % = 98 %: they seem to take turns (scheduling bound): find waits for "
		 "the GPU"},
		{97, 36, "thread 97 %, GPU 36 %: the thread runs all the time (CPU bound)"},
		{36, 99.6, "thread 36 %, GPU 100 %: the GPU is busy all the time"},
		{99, 97, "thread 99 %, GPU 97 %: both are busy all the time"},
		{20, 5, "thread 20 %, GPU 5 %"},
		{NAN, 5, ""},
		{5, NAN, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[256] = "before";

		screen_turns_text(got, sizeof(got), cases[i].thread, cases[i].gpu);
		assert_string_equal(got, cases[i].want);
	}
}
