/* What the shares of a thread and of the GPU tell. */
#include "tui/turns.h"
#include "base/alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void shares_tell_who_waits_for_whom(void **state)
{
	static const struct {
		double thread, gpu;
		enum turns want;
	} cases[] = {
		/* Neither is busy all the time, and together they are. */
		{62, 36, TURNS_TAKEN},
		{36, 62, TURNS_TAKEN},
		{15, 84, TURNS_TAKEN},
		{84, 15, TURNS_TAKEN},
		{50, 35, TURNS_TAKEN},
		{50, 59, TURNS_TAKEN},
		{89.4, 15, TURNS_TAKEN},
		/* Too little, and so much that they work side by side. */
		{50, 34, TURNS_NONE},
		{50, 60, TURNS_NONE},
		{14, 80, TURNS_NONE},
		{80, 14, TURNS_NONE},
		{89, 89, TURNS_NONE},
		{30, 30, TURNS_NONE},
		{0, 0, TURNS_NONE},
		/* One is busy all the time. */
		{90, 10, TURNS_THREAD_BUSY},
		{89.5, 10, TURNS_THREAD_BUSY},
		{100, 89, TURNS_THREAD_BUSY},
		{100, 0, TURNS_THREAD_BUSY},
		{10, 90, TURNS_GPU_BUSY},
		{89, 100, TURNS_GPU_BUSY},
		{0, 100, TURNS_GPU_BUSY},
		{90, 90, TURNS_BOTH_BUSY},
		{100, 100, TURNS_BOTH_BUSY},
		/* What is not known is no zero. */
		{NAN, 50, TURNS_UNKNOWN},
		{50, NAN, TURNS_UNKNOWN},
		{NAN, 100, TURNS_UNKNOWN},
		{100, NAN, TURNS_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (turns_of(cases[i].thread, cases[i].gpu) != cases[i].want)
			fail_msg("thread %g, GPU %g: got %d, not %d", cases[i].thread, cases[i].gpu,
				 (int)turns_of(cases[i].thread, cases[i].gpu), (int)cases[i].want);
}

static void numbers_stand_before_what_they_tell(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[256] = "before";

		turns_text(got, sizeof(got), cases[i].thread, cases[i].gpu);
		assert_string_equal(got, cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_tell_who_waits_for_whom),
		cmocka_unit_test(numbers_stand_before_what_they_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
