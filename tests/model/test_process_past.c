/* The last minute of each process, from list to list. */
#include "base/alloc.h"
#include "model/process.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN PROCESS_PAST_UNKNOWN

/* A list of the interval between two times, of up to four processes; pid 0 ends them. */
struct moment {
	double begin_s, end_s;
	struct {
		int32_t pid;
		uint64_t start;
		float percent;
		int32_t thread_of;
	} p[4];
};

static struct process_list *list_of(const struct moment *m)
{
	struct process_list *list = xcalloc(1, sizeof(*list));

	list->processes = xcalloc(4, sizeof(*list->processes));
	list->begin_ns = (int64_t)(m->begin_s * 1e9);
	list->end_ns = (int64_t)(m->end_s * 1e9);
	for (; list->n < 4 && m->p[list->n].pid; list->n++)
		list->processes[list->n] = (struct process){.pid = m->p[list->n].pid,
							    .start = m->p[list->n].start,
							    .parent = m->p[list->n].thread_of,
							    .is_thread = m->p[list->n].thread_of != 0,
							    .cpu_percent = m->p[list->n].percent};
	return list;
}

static void follow_list(struct process_list **list, const struct moment *m)
{
	struct process_list *next = list_of(m);

	process_list_follow(next, *list);
	process_list_free(*list);
	*list = next;
}

/* The newest seconds of a process, the newest last. */
static void expect_past(const struct process_list *list, unsigned process, const uint8_t *past, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (list->past[process][PROCESS_PAST - n + i] != past[i])
			fail_msg("process %u, %u s ago: %u, not %u", process, n - 1 - i,
				 list->past[process][PROCESS_PAST - n + i], past[i]);
}

TEST(a_second_has_the_share_of_the_interval_that_covers_it)
{
	static const struct moment moments[] = {
		{0, 10, {{1, 5, NAN, 0}}},       {10, 11, {{1, 5, 40, 0}}}, {11, 13, {{1, 5, 20, 0}}},
		{13, 13.4, {{1, 5, 250.5f, 0}}}, {17, 18, {{1, 5, 7, 0}}},
	};
	static const uint8_t past[] = {40, 20, 100, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, 7};
	struct process_list *list = NULL;

	for (size_t i = 0; i < ARRAY_LEN(moments); i++)
		follow_list(&list, &moments[i]);
	expect_past(list, 0, past, ARRAY_LEN(past));
	assert_int_equal(list->past[0][0], UNKNOWN);
	process_list_free(list);
}

TEST(only_the_same_process_continues_a_history)
{
	static const struct moment before = {1,
					     2,
					     {{3, 1, 30, 0}, {7, 2, 50, 0}, {7, 2, 20, 7}, {9, 3, 1, 7}}},
				   after = {
					   2, 3, {{7, 2, 60, 0}, {9, 3, 2, 7}, {9, 4, 5, 0}, {10, 5, 80, 0}}};
	struct process_list *list = NULL;

	follow_list(&list, &before);
	follow_list(&list, &after);
	expect_past(list, 0, (const uint8_t[]){50, 60}, 2);
	expect_past(list, 1, (const uint8_t[]){1, 2}, 2);
	expect_past(list, 2, (const uint8_t[]){UNKNOWN, 5}, 2); /* a thread had its pid */
	expect_past(list, 3, (const uint8_t[]){UNKNOWN, 80}, 2);
	process_list_free(list);
}

TEST(a_pid_that_is_reused_begins_anew)
{
	struct process_list *list = NULL;

	follow_list(&list, &(struct moment){1, 2, {{7, 100, 50, 0}}});
	follow_list(&list, &(struct moment){2, 3, {{7, 101, 60, 0}}});
	expect_past(list, 0, (const uint8_t[]){UNKNOWN, 60}, 2);
	process_list_free(list);
}

TEST(the_same_interval_again_changes_nothing)
{
	static const struct moment moment = {1, 2, {{7, 1, 50, 0}}};
	struct process_list *list = NULL;

	follow_list(&list, &moment);
	follow_list(&list, &moment);
	expect_past(list, 0, (const uint8_t[]){UNKNOWN, 50}, 2);
	process_list_free(list);
}

TEST(an_earlier_list_begins_anew)
{
	struct process_list *list = NULL;

	follow_list(&list, &(struct moment){8, 9, {{7, 1, 50, 0}}});
	follow_list(&list, &(struct moment){2, 3, {{7, 1, 60, 0}}});
	expect_past(list, 0, (const uint8_t[]){UNKNOWN, 60}, 2);
	process_list_free(list);
}

TEST(a_minute_is_kept)
{
	struct process_list *list = NULL;

	for (int i = 1; i <= 100; i++)
		follow_list(&list, &(struct moment){i, i + 1, {{7, 1, (float)i, 0}}});
	for (int i = 0; i < PROCESS_PAST; i++)
		assert_int_equal(list->past[0][i], 100 - PROCESS_PAST + 1 + i);
	process_list_free(list);
}
