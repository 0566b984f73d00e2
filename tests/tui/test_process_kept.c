/* The lists of processes that are kept for a paused screen. */
#include "tests/support/test.h"
#include "tui/process_pane.h"
#include "base/alloc.h"

#include <stdlib.h>

#define SECOND 1000000000ll

/* A list of the interval between two seconds, with as many processes as that. */
static struct process_list *list_of(int64_t begin_s, int64_t end_s, unsigned n)
{
	struct process_list *list = xcalloc(1, sizeof(*list));

	list->processes = xcalloc(n, sizeof(*list->processes));
	list->begin_ns = begin_s * SECOND;
	list->end_ns = end_s * SECOND;
	for (; list->n < n; list->n++)
		list->processes[list->n] =
			(struct process){.pid = (int32_t)list->n + 1, .cpu_percent = (float)end_s};
	return list;
}

TEST(a_moment_has_the_list_of_its_interval)
{
	static const struct {
		double at_s;
		int64_t end_s; /* of the list; 0: none */
	} cases[] = {{9.5, 0}, {10, 12}, {11, 12}, {12, 12},   {12.5, 14}, {14, 14},
		     {15, 0},  {20, 22}, {22, 22}, {25.9, 22}, {26.1, 0}};
	struct process_kept kept = {0};

	assert_null(process_kept_at(&kept, SECOND));
	assert_null(process_kept_newest(&kept));
	process_kept_add(&kept, list_of(0, 10, 3)); /* without percentages: the next one replaces it */
	assert_int_equal(process_kept_at(&kept, 11 * SECOND)->end_ns, 10 * SECOND);
	process_kept_add(&kept, list_of(10, 12, 3));
	process_kept_add(&kept, list_of(12, 14, 3));
	process_kept_add(&kept, list_of(20, 22, 3)); /* another view was shown meanwhile */
	assert_int_equal(kept.n, 3);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct process_list *list = process_kept_at(&kept, (int64_t)(cases[i].at_s * 1e9));

		if ((list ? list->end_ns / SECOND : 0) != cases[i].end_s)
			fail_msg("%g s: %lld", cases[i].at_s, list ? (long long)list->end_ns : 0);
	}
	process_kept_fini(&kept);
}

TEST(an_older_list_has_the_history_that_it_had)
{
	struct process_kept kept = {0};
	const struct process_list *list;

	for (int64_t s = 1; s < 30; s++)
		process_kept_add(&kept, list_of(s, s + 1, 2));
	assert_null(kept.lists[5]->past); /* only of those that are shown */
	list = process_kept_at(&kept, 15 * SECOND);
	for (int i = 0; i < 10; i++)
		assert_int_equal(list->past[1][PROCESS_PAST - 1 - i], 15 - i);
	process_kept_add(&kept, list_of(30, 31, 2));
	list = process_kept_newest(&kept);
	for (int i = 0; i < 20; i++)
		assert_int_equal(list->past[0][PROCESS_PAST - 1 - i], 31 - i);
	process_kept_fini(&kept);
}

TEST(the_same_interval_again_replaces_its_list)
{
	struct process_kept kept = {0};

	process_kept_add(&kept, list_of(1, 2, 2));
	process_kept_add(&kept, list_of(1, 2, 5)); /* as with command lines */
	assert_int_equal(kept.n, 1);
	assert_int_equal(process_kept_newest(&kept)->n, 5);
	process_kept_fini(&kept);
}

TEST(memory_is_bounded_but_the_newest_list_is_always_there)
{
	static const struct {
		unsigned processes, most;
	} cases[] = {
		{1, PROCESS_KEPT}, {100, 1 + PROCESS_KEPT_BYTES / (100 * sizeof(struct process))}, {5000, 1}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_kept kept = {0};

		for (int64_t s = 1; s < 300; s++)
			process_kept_add(&kept, list_of(s, s + 1, cases[i].processes));
		assert_int_equal(kept.n, cases[i].most);
		assert_int_equal(process_kept_newest(&kept)->end_ns, 300 * SECOND);
		assert_null(process_kept_at(&kept, 2 * SECOND));
		process_kept_fini(&kept);
	}
}
