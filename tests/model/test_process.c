/* A list of processes by hand: found by pid, and brought into the order of a screen. */
#include "model/process.h"

#include "base/alloc.h"
#include "model/sample.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN SAMPLE_UNKNOWN

static struct process machine[] = {
	{.pid = 1,
	 .state = 'S',
	 .threads = 1,
	 .cpu_ns = 50,
	 .rss_bytes = 10,
	 .gpu_bytes = UNKNOWN,
	 .cpu_percent = 0,
	 .name = "init",
	 .user = "root",
	 .uid = 0,
	 .gpu_percent = NAN,
	 .ipc = NAN,
	 .wait_percent = NAN,
	 .misses = NAN},
	{.pid = 20,
	 .parent = 1,
	 .state = 'S',
	 .threads = 3,
	 .cpu_ns = 900,
	 .rss_bytes = 400,
	 .gpu_bytes = 7,
	 .cpu_percent = 12.5f,
	 .name = "Xorg",
	 .user = "root",
	 .uid = 0,
	 .gpu_percent = 3,
	 .gpu_queues = true,
	 .gpu_fragment_percent = 3,
	 .ipc = 1.5f},
	{.pid = 20,
	 .parent = 20,
	 .is_thread = true,
	 .state = 'S',
	 .cpu_ns = 400,
	 .rss_bytes = UNKNOWN,
	 .gpu_bytes = UNKNOWN,
	 .cpu_percent = 2,
	 .name = "Xorg",
	 .user = "root",
	 .uid = 0,
	 .gpu_percent = NAN,
	 .ipc = NAN,
	 .wait_percent = NAN,
	 .misses = NAN},
	{.pid = 310,
	 .parent = 20,
	 .is_thread = true,
	 .state = 'R',
	 .cpu_ns = 500,
	 .rss_bytes = UNKNOWN,
	 .gpu_bytes = UNKNOWN,
	 .cpu_percent = 10.5f,
	 .name = "InputThread",
	 .user = "root",
	 .uid = 0,
	 .gpu_percent = NAN,
	 .ipc = NAN,
	 .wait_percent = NAN,
	 .misses = NAN},
	{.pid = 30,
	 .parent = 1,
	 .state = 'S',
	 .threads = 1,
	 .cpu_ns = 5,
	 .rss_bytes = 20,
	 .gpu_bytes = 0,
	 .cpu_percent = 0,
	 .name = "bash",
	 .user = "ann",
	 .uid = 1000,
	 .gpu_percent = 0,
	 .ipc = NAN,
	 .wait_percent = NAN,
	 .misses = NAN},
	{.pid = 44,
	 .parent = 30,
	 .state = 'R',
	 .threads = 1,
	 .cpu_ns = 7000,
	 .rss_bytes = 900,
	 .gpu_bytes = 9,
	 .cpu_percent = 99,
	 .name = "game-10",
	 .user = "ann",
	 .uid = 1000,
	 .gpu_queues = true,
	 .gpu_vertex_percent = 80,
	 .gpu_percent = 80,
	 .ipc = 0.25f},
	{.pid = 45,
	 .parent = 30,
	 .state = 'Z',
	 .threads = 1,
	 .cpu_ns = 0,
	 .rss_bytes = 0,
	 .gpu_bytes = 0,
	 .cpu_percent = NAN,
	 .name = "Game-9",
	 .user = "ann",
	 .uid = 1000,
	 .gpu_percent = NAN,
	 .ipc = NAN,
	 .wait_percent = NAN,
	 .misses = NAN},
	{.pid = 99,
	 .parent = 77,
	 .state = 'D',
	 .threads = 1,
	 .cpu_ns = 1,
	 .rss_bytes = 20,
	 .gpu_bytes = UNKNOWN,
	 .cpu_percent = 1,
	 .name = "cp",
	 .user = "4711",
	 .uid = 4711,
	 .gpu_percent = NAN,
	 .ipc = NAN,
	 .wait_percent = NAN,
	 .misses = NAN},
};
static const struct process_list list = {.processes = machine, .n = ARRAY_LEN(machine), .threads = true};

/* "20 (310 20t) 30": as rows say it, "pid", "t" for a thread, each with its depth in front of it
 * where that is not 0. */
static const char *said(const struct process_list *of, const struct process_order *order)
{
	static char text[512];
	AUTOFREE struct process_row *rows = xcalloc(of->n + 1, sizeof(*rows));
	unsigned n = process_arrange(of, order, rows);
	size_t at = 0;

	text[0] = 0;
	assert_true(n <= of->n);
	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s%d%s%s", i ? " " : "",
				       rows[i].depth, ">>>>>>>>", rows[i].process->pid,
				       rows[i].process->is_thread ? "t" : "", rows[i].last ? "." : "");
	return text;
}

TEST(a_process_is_found_before_its_thread_of_the_same_id)
{
	static const struct {
		int32_t pid;
		int index; /* -1: not there */
	} cases[] = {{1, 0},  {20, 1}, {310, 3}, {30, 4},  {44, 5},   {45, 6},
		     {99, 7}, {0, -1}, {2, -1},  {46, -1}, {100, -1}, {-1, -1}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_ptr_equal(process_find(&list, cases[i].pid),
				 cases[i].index < 0 ? NULL : &machine[cases[i].index]);
	assert_null(process_find(&(struct process_list){0}, 1));
}

TEST(every_key_has_its_order_and_the_unknown_comes_last)
{
	static const struct {
		enum process_key key;
		const char *rows, *reversed;
	} cases[] = {
		{PROCESS_BY_CPU, "44 20 310t 20t 99 1 30 45", "1 30 99 20t 310t 20 44 45"},
		{PROCESS_BY_MEMORY, "44 20 30 99 1 45 20t 310t", "45 1 30 99 20 44 20t 310t"},
		{PROCESS_BY_GPU, "44 20 30 1 20t 310t 45 99", "30 20 44 1 20t 310t 45 99"},
		{PROCESS_BY_GPU_MEMORY, "44 20 30 45 1 20t 310t 99", "30 45 20 44 1 20t 310t 99"},
		{PROCESS_BY_TIME, "44 20 310t 20t 1 30 99 45", "45 99 30 1 20t 310t 20 44"},
		{PROCESS_BY_PID, "1 20 20t 30 44 45 99 310t", "310t 99 45 44 30 20 20t 1"},
		{PROCESS_BY_NAME, "30 99 44 45 1 310t 20 20t", "20 20t 310t 1 45 44 99 30"},
		{PROCESS_BY_USER, "99 30 44 45 1 20 20t 310t", "1 20 20t 310t 30 44 45 99"},
		{PROCESS_BY_THREADS, "20 1 30 44 45 99 20t 310t", "1 30 44 45 99 20 20t 310t"},
		{PROCESS_BY_STATE, "310t 44 99 45 1 20 20t 30", "1 20 20t 30 45 99 310t 44"},
		{PROCESS_BY_IPC, "20 44 1 20t 310t 30 45 99", "44 20 1 20t 310t 30 45 99"},
		{PROCESS_BY_GPU_FRAGMENT, "20 1 20t 310t 30 44 45 99", "1 20t 310t 30 44 45 99 20"},
		{PROCESS_BY_WAIT, "20 44 1 20t 310t 30 45 99", "20 44 1 20t 310t 30 45 99"},
		{PROCESS_BY_MISSES, "20 44 1 20t 310t 30 45 99", "20 44 1 20t 310t 30 45 99"},
		{PROCESS_BY_GPU_VERTEX, "44 1 20 20t 310t 30 45 99", "1 20 20t 310t 30 45 99 44"},
	};

	assert_int_equal(ARRAY_LEN(cases), PROCESS_KEYS);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_string_equal(said(&list, &(struct process_order){.key = cases[i].key}), cases[i].rows);
		assert_string_equal(
			said(&list, &(struct process_order){.key = cases[i].key, .reversed = true}),
			cases[i].reversed);
	}
}

TEST(texts_are_compared_as_a_whole_without_regard_to_case)
{
	struct process p[] = {
		{.pid = 1, .name = "kworker/1:0-events"},
		{.pid = 2, .name = "KWORKER/0:1"},
		{.pid = 3, .name = "kworker/0:0"},
		{.pid = 4, .name = ""},
		{.pid = 5, .name = "kworker"},
		{.pid = 6, .name = "kworker/0:0"},
		{.pid = 8, .name = "a-name-of-20-bytes-b"},
		{.pid = 9, .name = "a-name-of-20-bytes-A"},
		{.pid = 7, .name = "\xc3\xa9t\xc3\xa9"},
	};
	struct process_list names = {.processes = p, .n = ARRAY_LEN(p)};

	assert_string_equal(said(&names, &(struct process_order){.key = PROCESS_BY_NAME}),
			    "9 8 5 3 6 2 1 7 4");
	assert_string_equal(said(&names, &(struct process_order){.key = PROCESS_BY_NAME, .reversed = true}),
			    "7 1 2 3 6 5 8 9 4");
}

TEST(a_filter_looks_at_names_pids_and_users)
{
	static const struct {
		const char *filter, *user, *rows;
	} cases[] = {
		{"game", NULL, "44 45"},
		{"GAME-1", NULL, "44"},
		{"ann", NULL, "30 44 45"},
		{"4", NULL, "44 45 99"},
		{"10", NULL, "44 310t"},
		{"31", NULL, "310t"},
		{"", NULL, "1 20 20t 30 44 45 99 310t"},
		{"nobody", NULL, ""},
		{"game-100", NULL, ""},
		{"44 ", NULL, ""},
		{NULL, "ann", "30 44 45"},
		{NULL, "1000", "30 44 45"},
		{NULL, "4711", "99"},
		{NULL, "an", ""},
		{"9", "ann", "45"},
		{"g", "root", "20 20t"},
		{NULL, "99999999999", ""},
		{NULL, "0x3e8", "30 44 45"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_order order = {
			.key = PROCESS_BY_PID, .filter = cases[i].filter, .user = cases[i].user};

		assert_string_equal(said(&list, &order), cases[i].rows);
	}
}

TEST(kernel_threads_and_processes_with_rows_for_their_threads_may_be_left_out)
{
	struct process p[] = {
		{.pid = 1, .threads = 1, .name = "init"},
		{.pid = 2, .threads = 1, .kernel = true, .name = "[kthreadd]"},
		{.pid = 5, .parent = 2, .threads = 1, .kernel = true, .name = "[kworker]"},
		{.pid = 7, .parent = 1, .threads = 2, .name = "game", .command = "./Game --level 3"},
		{.pid = 7, .parent = 7, .is_thread = true, .name = "main"},
		{.pid = 8, .parent = 7, .is_thread = true, .name = "render"},
	};
	struct process_list few = {.processes = p, .n = ARRAY_LEN(p)};
	static const struct {
		struct process_order order;
		const char *rows;
	} cases[] = {
		{{.key = PROCESS_BY_PID}, "1 2 5 7 7t 8t"},
		{{.key = PROCESS_BY_PID, .no_kernel = true}, "1 7 7t 8t"},
		{{.key = PROCESS_BY_PID, .no_kernel = true, .tree = true}, "1. >7. >>7t >>8t."},
		{{.key = PROCESS_BY_PID, .no_kernel = true, .tree = true, .filter = "kworker"}, ""},
		{{.key = PROCESS_BY_PID, .tasks = true}, "1 2 5 7t 8t"},
		{{.key = PROCESS_BY_PID, .filter = "LEVEL"}, "7"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(said(&few, &cases[i].order), cases[i].rows);
}

TEST(a_tree_has_children_and_threads_below_their_parent_in_the_order_of_the_key)
{
	static const struct {
		struct process_order order;
		const char *rows;
	} cases[] = {
		{{.key = PROCESS_BY_PID}, "1 >20 >>20t >>310t. >30. >>44 >>45. 99."},
		{{.key = PROCESS_BY_CPU}, "99 1. >20 >>310t >>20t. >30. >>44 >>45."},
		{{.key = PROCESS_BY_CPU, .reversed = true}, "1 >30 >>44 >>45. >20. >>20t >>310t. 99."},
		{{.filter = "game-10"}, "1. >30. >>44."},
		{{.filter = "input"}, "1. >20. >>310t."},
		{{.filter = "nobody"}, ""},
		{{.user = "ann"}, "30. >44 >45."},
		{{.user = "ann", .filter = "45"}, "30. >45."},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_order order = cases[i].order;

		order.tree = true;
		assert_string_equal(said(&list, &order), cases[i].rows);
	}
}

TEST(parents_that_are_missing_or_go_round_lose_no_row)
{
	static const struct {
		struct {
			int32_t pid, parent;
		} p[6];
		const char *rows;
	} cases[] = {
		{{{1, 0}, {2, 2}}, "1 2."},
		{{{1, 2}, {2, 1}}, "2. >1."},
		{{{1, 3}, {2, 1}, {3, 2}, {4, 3}, {5, 0}}, "2 >3. >>1 >>4. 5."},
		{{{1, 2}, {2, 3}, {3, 2}}, "3. >2. >>1."},
		{{{4, 9}, {6, -1}, {8, INT32_MAX}, {9, INT32_MIN}}, "6 8 9. >4."},
		{{{1, 1}, {1, 1}, {1, 1}}, "1 >1 >1."}, /* no kernel says so */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process p[6] = {{0}};
		struct process_list odd = {.processes = p};

		for (; odd.n < 6 && cases[i].p[odd.n].pid; odd.n++) {
			p[odd.n].pid = cases[i].p[odd.n].pid;
			p[odd.n].parent = cases[i].p[odd.n].parent;
		}
		if (i + 1 < ARRAY_LEN(cases))
			assert_string_equal(
				said(&odd, &(struct process_order){.key = PROCESS_BY_PID, .tree = true}),
				cases[i].rows);
		else
			said(&odd, &(struct process_order){.tree = true});
	}
}

/* Any parent, any value, every order: all rows are there once, each but the first below or beside
 * the one before. */
TEST(every_row_of_any_list_stands_once)
{
	struct process *p = xcalloc(3000, sizeof(*p));
	struct process_row *rows = xcalloc(3000, sizeof(*rows));
	unsigned char *seen = xcalloc(3000, 1);
	unsigned seed = 1;

	for (unsigned round = 0; round < 66; round++) {
		struct process_list any = {.processes = p, .n = round < 64 ? round : 3000};
		struct process_order order = {
			.key = round % PROCESS_KEYS, .tree = true, .reversed = round & 1};

		for (unsigned i = 0; i < any.n; i++) {
			p[i] = (struct process){.pid = (int32_t)(2 * i),
						.cpu_percent = (float)(rand_r(&seed) % 50)};
			p[i].parent = rand_r(&seed) % (int)(3 * any.n);
			p[i].is_thread = rand_r(&seed) % 4 == 0;
			snprintf(p[i].name, sizeof(p[i].name), "name %d", rand_r(&seed) % 100);
		}
		memset(seen, 0, 3000);
		assert_int_equal(process_arrange(&any, &order, rows), any.n);
		for (unsigned i = 0; i < any.n; i++) {
			assert_int_equal(seen[rows[i].process - p]++, 0);
			assert_true(rows[i].depth <= (i ? rows[i - 1].depth + 1 : 0));
		}
	}
	free(p);
	free(rows);
	free(seen);
}

TEST(a_chain_is_as_deep_as_a_depth_can_be)
{
	enum { N = 70000 };
	struct process *p = xcalloc(N, sizeof(*p));
	struct process_row *rows = xcalloc(N, sizeof(*rows));
	struct process_list chain = {.processes = p, .n = N};

	for (int i = 0; i < N; i++) {
		p[i].pid = i + 1;
		p[i].parent = i;
	}
	assert_int_equal(process_arrange(&chain, &(struct process_order){.tree = true}, rows), N);
	assert_int_equal(rows[1000].depth, 1000);
	assert_int_equal(rows[N - 1].depth, UINT16_MAX);
	assert_int_equal(rows[N - 1].process->pid, N);
	free(p);
	free(rows);
}

TEST(the_busiest_thread_is_known_unless_another_may_be_hidden)
{
	/* threads: 0 for a thread of the process above it; pid 0 ends */
	static const struct {
		struct {
			int32_t pid;
			unsigned threads;
			double percent;
		} rows[6];
		int32_t want; /* 0: unknown */
	} cases[] = {
		{{{10, 1, 40}, {20, 1, 60}, {30, 1, 5}}, 20},
		{{{10, 2, 90}, {10, 0, 30}, {11, 0, 60}, {20, 1, 50}}, 11},
		{{{10, 2, 90}, {10, 0, 45}, {11, 0, 45}, {20, 1, 50}}, 20},
		{{{10, 8, 40}, {20, 2, 90}, {20, 0, 20}, {21, 0, 70}},
		 21}, /* 40 % may be of one thread, and no matter */
		{{{10, 8, 75}, {20, 2, 90}, {20, 0, 20}, {21, 0, 70}}, 0}, /* but 75 % do */
		{{{20, 2, 90}, {20, 0, 20}, {21, 0, 70}, {30, 8, 75}}, 0}, /* wherever it stands */
		{{{10, 3, 95}, {10, 0, 30}, {11, 0, NAN}, {20, 1, 50}},
		 0}, /* a thread that was read once only */
		{{{10, 3, 95}, {10, 0, 60}, {11, 0, NAN}, {20, 1, 50}}, 10}, /* it has 35 % at most */
		{{{10, 1, NAN}, {20, 4, NAN}, {30, 1, 2}}, 30},
		{{{10, 1, NAN}, {20, 4, NAN}}, 0},
		{{{10, 1, 0}, {20, 1, 0}}, 0},
		{{{0, 0, 0}}, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process rows[ARRAY_LEN(cases[0].rows)];
		struct process_list made = {.processes = rows, .threads = true};
		const struct process *got;

		for (; made.n < ARRAY_LEN(rows) && cases[i].rows[made.n].pid; made.n++)
			rows[made.n] = (struct process){.pid = cases[i].rows[made.n].pid,
							.is_thread = !cases[i].rows[made.n].threads,
							.threads = cases[i].rows[made.n].threads,
							.cpu_percent = (float)cases[i].rows[made.n].percent};
		got = process_busiest(&made);
		if ((got ? got->pid : 0) != cases[i].want || (got && !got->is_thread && got->threads > 1))
			fail_msg("case %zu: got %d, not %d", i, got ? got->pid : 0, cases[i].want);
	}
}

/* Queues of several processes overlap. */
TEST(shares_of_the_gpu_add_up_to_at_most_its_activity)
{
	static const struct {
		float percents[3];
		double active;
		float want[3];
	} cases[] = {
		{{90, 20, 10}, 60, {45, 10, 5}},
		{{40, 10, 0}, 60, {40, 10, 0}}, /* less is left as it is: some may be unknown */
		{{90, 20, 10}, NAN, {90, 20, 10}},
		{{90, 20, 10}, 0, {0, 0, 0}},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process p[5] = {{.pid = 1, .gpu_percent = cases[i].percents[0]},
				       {.pid = 9, .is_thread = true, .gpu_percent = NAN},
				       {.pid = 2, .gpu_percent = cases[i].percents[1]},
				       {.pid = 3, .gpu_percent = NAN},
				       {.pid = 4, .gpu_percent = cases[i].percents[2]}};
		struct process_list five = {.processes = p, .n = ARRAY_LEN(p)};

		process_list_bound(&five, cases[i].active);
		assert_true(p[0].gpu_percent == cases[i].want[0]);
		assert_true(p[2].gpu_percent == cases[i].want[1]);
		assert_true(p[4].gpu_percent == cases[i].want[2]);
		assert_true(isnan(p[1].gpu_percent) && isnan(p[3].gpu_percent));
	}
}

TEST(an_empty_list_has_no_rows)
{
	struct process_list empty = {0};

	assert_int_equal(process_arrange(&empty, &(struct process_order){0}, NULL), 0);
	assert_int_equal(process_arrange(&empty, &(struct process_order){.tree = true}, NULL), 0);
	process_list_free(NULL);
}
