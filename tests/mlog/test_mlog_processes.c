/* Lists of processes in a log: whatever changes from one to the next, a reader has the same list as
 * the writer. */
#include "tests/support/mlog_bench.h"

#include "mlog/mlog_processes.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

#define S 1000000000ll
#define ROWS_MAX 8

static void assert_same(const struct process *a, const struct process *b)
{
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->parent, b->parent);
	assert_int_equal(a->is_thread, b->is_thread);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->uid, b->uid);
	assert_int_equal(a->threads, b->threads);
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->cpu_ns, b->cpu_ns);
	assert_int_equal(a->rss_bytes, b->rss_bytes);
	assert_int_equal(a->gpu_bytes, b->gpu_bytes);
	assert_memory_equal(&a->cpu_percent, &b->cpu_percent,
			    sizeof(a->cpu_percent)); /* NaN is the same as NaN */
	assert_memory_equal(&a->gpu_percent, &b->gpu_percent, sizeof(a->gpu_percent));
	assert_memory_equal(&a->ipc, &b->ipc, sizeof(a->ipc));
	assert_int_equal(a->gpu_queues, b->gpu_queues);
	assert_memory_equal(&a->gpu_fragment_percent, &b->gpu_fragment_percent, sizeof(float));
	assert_memory_equal(&a->gpu_vertex_percent, &b->gpu_vertex_percent, sizeof(float));
	assert_memory_equal(&a->gpu_user_percent, &b->gpu_user_percent, sizeof(float));
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->user, b->user);
}

static void assert_same_list(const struct process_list *a, const struct process_list *b)
{
	assert_non_null(a);
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->threads, b->threads);
	assert_int_equal(a->n_hidden, b->n_hidden);
	assert_int_equal(a->begin_ns, b->begin_ns);
	assert_int_equal(a->end_ns, b->end_ns);
	assert_int_equal(a->cost_ns, b->cost_ns);
	for (unsigned i = 0; i < a->n; i++)
		assert_same(&a->processes[i], &b->processes[i]);
}

/* A writer and a reader that goes along. */
struct mlog_processes_bench {
	struct mlog_builder *builder;
	struct mlog_head head;
	struct strbuf payload;
	struct mlog_block block;
	struct process_list *list;
};

static void bench_init(struct mlog_processes_bench *b)
{
	*b = (struct mlog_processes_bench){.builder = bench_builder()};
}

static void bench_fini(struct mlog_processes_bench *b)
{
	mlog_builder_free(b->builder);
	strbuf_fini(&b->payload);
	mlog_block_fini(&b->block);
	process_list_free(b->list);
}

/* Returns the length of the payload. */
static size_t pass_list(struct mlog_processes_bench *b, const struct process_list *list)
{
	mlog_builder_processes(b->builder, list);
	assert_true(mlog_builder_take(b->builder, &b->head, &b->payload));
	assert_true(bench_decode(&b->block, &bench_about, &b->head, b->payload.p, b->payload.n));
	mlog_block_processes(&b->block, &b->list);
	assert_same_list(b->list, list);
	return b->payload.n;
}

/* ---- what can happen from one list to the next ---- */

#define P(id) .pid = (id), .state = 'S'
#define Q(f, v) .gpu_queues = true, .gpu_fragment_percent = (f), .gpu_vertex_percent = (v)
#define T(id, of) .pid = (id), .parent = (of), .is_thread = true, .state = 'R'

static const struct {
	const char *what;
	struct process before[ROWS_MAX], now[ROWS_MAX];
} steps[] = {
	{"nothing changes", {{P(1)}, {P(2)}}, {{P(1)}, {P(2)}}},
	{"the first ones", {{0}}, {{P(1)}, {P(2)}}},
	{"all are gone", {{P(1)}, {P(2)}}, {{0}}},
	{"one is new between others", {{P(1)}, {P(9)}}, {{P(1)}, {P(5)}, {P(9)}}},
	{"one is new at each end", {{P(5)}}, {{P(1)}, {P(5)}, {P(9)}}},
	{"one in the middle is gone", {{P(1)}, {P(5)}, {P(9)}}, {{P(1)}, {P(9)}}},
	{"some come, some go", {{P(1)}, {P(2)}, {P(3)}, {P(4)}}, {{P(2)}, {P(4)}, {P(5)}, {P(6)}}},
	{"one has another name", {{P(1)}, {P(2)}}, {{P(1)}, {P(2), .name = "renamed"}}},
	{"one has another user", {{P(1)}, {P(2)}}, {{P(1)}, {P(2), .user = "bob"}}},
	{"one has another parent", {{P(1)}, {P(2), .parent = 7}}, {{P(1)}, {P(2), .parent = 1}}},
	{"one changes its state", {{P(1)}}, {{.pid = 1, .state = 'Z'}}},
	{"a pid is used again", {{P(1)}, {P(2), .start = 5}}, {{P(1)}, {P(2), .start = 6, .name = "other"}}},
	{"queues are told of one", {{P(1)}, {P(2)}}, {{P(1)}, {P(2), Q(40, 10.5f)}}},
	{"and no longer", {{P(1)}, {P(2), Q(40, 10.5f)}}, {{P(1)}, {P(2)}}},
	{"they change", {{P(1), Q(7, 0)}, {P(2), Q(40, 10.5f)}}, {{P(1), Q(7, 0)}, {P(2), Q(0, 300)}}},
	{"they stay while another changes",
	 {{P(1), Q(1e-30f, 3.4e38f)}, {P(2)}},
	 {{P(1), Q(1e-30f, 3.4e38f)}, {P(2), .cpu_ns = 9}}},
	{"the time of a user is not told apart",
	 {{P(1)}, {P(2), .gpu_percent = 40}},
	 {{P(1), .gpu_percent = NAN, .gpu_user_percent = 51.5f},
	  {P(2), .gpu_percent = NAN, .gpu_user_percent = 51.5f}}},
	{"and is again", {{P(1), .gpu_percent = NAN, .gpu_user_percent = 51.5f}}, {{P(1)}}},
	{"threads come", {{P(1)}, {P(9)}}, {{P(1), .threads = 2}, {T(1, 1)}, {T(4, 1)}, {P(9)}}},
	{"a thread goes",
	 {{P(1)}, {T(1, 1)}, {T(4, 1)}, {T(5, 1)}, {P(9)}},
	 {{P(1)}, {T(1, 1)}, {T(5, 1)}, {P(9)}}},
	{"a process goes with its threads", {{P(1)}, {T(1, 1)}, {T(4, 1)}, {P(9)}}, {{P(9)}}},
	{"the only thread left is no row", {{P(1)}, {T(1, 1)}, {T(4, 1)}, {P(9)}}, {{P(1)}, {P(9)}}},
	{"the first thread goes, the others stay",
	 {{P(1)}, {T(1, 1)}, {T(4, 1)}, {P(9)}},
	 {{P(1)}, {T(4, 1)}, {P(9)}}},
	{"a thread's number becomes a process", {{P(1)}, {T(4, 1)}, {P(9)}}, {{P(1)}, {P(4)}, {P(9)}}},
	{"a process' number becomes a thread", {{P(1)}, {P(4)}, {P(9)}}, {{P(1)}, {T(4, 1)}, {P(9)}}},
	{"a thread's number moves to a later process",
	 {{P(1)}, {T(4, 1)}, {P(9)}},
	 {{P(1)}, {P(9)}, {T(4, 9)}}},
	{"and to an earlier one", {{P(1)}, {P(9)}, {T(4, 9)}}, {{P(1)}, {T(4, 1)}, {P(9)}}},
	{"a thread is not of its process any more, which stays",
	 {{P(3)}, {T(3, 3)}, {P(9)}},
	 {{P(3)}, {P(9)}, {T(3, 9)}}},
	{"a process goes, a thread of its number stays", {{P(3)}, {P(9)}, {T(3, 9)}}, {{P(9)}, {T(3, 9)}}},
	{"a thread whose process is not there", {{T(4, 1)}, {P(9)}}, {{T(4, 1), .cpu_ns = 7}, {P(9)}}},
};

static struct process_list list_of(const struct process *rows, unsigned n, int64_t end_ns)
{
	return (struct process_list){.processes = (struct process *)(uintptr_t)rows,
				     .n = n,
				     .begin_ns = end_ns - S,
				     .end_ns = end_ns};
}

static unsigned count_rows(const struct process rows[ROWS_MAX])
{
	unsigned n = 0;

	while (n < ROWS_MAX && rows[n].pid)
		n++;
	return n;
}

TEST(a_reader_has_what_the_writer_has_whatever_changes)
{
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		for (unsigned back = 0; back < 2; back++) {
			const struct process *from = back ? steps[i].now : steps[i].before,
					     *to = back ? steps[i].before : steps[i].now;
			struct process_list before = list_of(from, count_rows(from), 5 * S),
					    now = list_of(to, count_rows(to), 6 * S);
			struct mlog_processes_bench b;

			print_message("           %s%s\n", steps[i].what, back ? ", and back" : "");
			bench_init(&b);
			pass_list(&b, &before);
			assert_int_equal(b.head.flags, MLOG_ALL_PROCESSES);
			pass_list(&b, &now);
			assert_int_equal(b.head.flags, 0);
			bench_fini(&b);
		}
}

TEST(what_does_not_change_takes_next_to_nothing)
{
	struct process people[200] = {0};
	struct process_list list = list_of(people, ARRAY_LEN(people), 5 * S);
	struct mlog_processes_bench b;
	size_t all;

	for (unsigned i = 0; i < list.n; i++)
		people[i] = (struct process){P((int32_t)i + 1), .cpu_ns = 1000 * i, .rss_bytes = 4096 * i};
	bench_init(&b);
	all = pass_list(&b, &list);
	assert_in_range(all, 200 * 15, 200 * 40);
	list.end_ns += S;
	assert_in_range(pass_list(&b, &list), 5, 30);
	list.end_ns += S;
	people[77].cpu_ns += 5;
	assert_in_range(pass_list(&b, &list), 30, 60);
	bench_fini(&b);
}

TEST(every_number_comes_back_to_the_bit)
{
	struct process people[] = {
		{.pid = INT32_MAX,
		 .parent = INT32_MAX,
		 .state = '~',
		 .uid = UINT32_MAX,
		 .threads = UINT32_MAX,
		 .start = UINT64_MAX,
		 .cpu_ns = UINT64_MAX,
		 .rss_bytes = SAMPLE_UNKNOWN,
		 .gpu_bytes = SAMPLE_UNKNOWN,
		 .cpu_percent = NAN,
		 .gpu_percent = -NAN,
		 .ipc = INFINITY,
		 .name = "",
		 .user = ""},
		{.pid = INT32_MAX,
		 .parent = INT32_MAX,
		 .is_thread = true,
		 .state = '!',
		 .rss_bytes = SAMPLE_UNKNOWN - 1,
		 .gpu_bytes = 0,
		 .cpu_percent = 1e-30f,
		 .gpu_percent = -0.0f,
		 .ipc = 3.4e38f,
		 .name = "12345678901234567890123456789012345678901234567",
		 .user = "123456789012345"},
		{.pid = 1,
		 .state = '?',
		 .gpu_bytes = 1ull << 63,
		 .cpu_percent = 100,
		 .name = "gr\xc3\xbc\xc3\x9f [kernel] a b"},
	};
	struct process_list list = {.processes = people,
				    .n = ARRAY_LEN(people),
				    .threads = true,
				    .n_hidden = UINT32_MAX,
				    .begin_ns = 1,
				    .end_ns = 7 * S,
				    .cost_ns = INT64_MAX};
	struct mlog_processes_bench b;

	bench_init(&b);
	pass_list(&b, &list);
	list.n = 1;
	list.threads = false;
	list.begin_ns = 0; /* no percentages yet */
	pass_list(&b, &list);
	bench_fini(&b);
}

/* Each second some of fifty processes start, end, run, have threads, and numbers are used again as
 * what they were not. */
static unsigned live_a_second(struct process *people, bool threads, uint64_t *random)
{
	uint64_t taken = 0; /* numbers of threads */
	unsigned n = 0;

	for (int32_t pid = 1; pid <= 50; pid++) {
		unsigned dice = bench_random(random) % 16;

		if (dice < 3)
			continue;
		people[n++] = (struct process){P(pid), .cpu_ns = dice < 6, .start = dice == 7,
					       .cpu_percent = NAN, .name = "p"};
		for (int32_t tid = pid; threads && dice > 12 && tid < pid + 3; tid++)
			if (!(taken >> tid & 1) && (tid == pid || bench_random(random) & 1)) {
				people[n++] = (struct process){
					T(tid, pid), .cpu_ns = bench_random(random) & 1, .name = "t"};
				taken |= 1ull << tid;
			}
	}
	return n;
}

TEST(a_thousand_seconds_of_a_busy_machine_come_back)
{
	struct process people[50 * 4] = {0};
	struct process_list list = list_of(people, 0, 0);
	uint64_t random = 1234567;
	struct mlog_processes_bench b;

	bench_init(&b);
	for (unsigned second = 1; second <= 1000; second++) {
		list.threads = bench_random(&random) & 1;
		list.n = live_a_second(people, list.threads, &random);
		list.begin_ns = (second - 1) * S;
		list.end_ns = second * S;
		pass_list(&b, &list);
		assert_int_equal(b.head.flags, second % 30 == 1 ? MLOG_ALL_PROCESSES : 0);
	}
	bench_fini(&b);
}

/* ---- when everything is said ---- */

TEST(everything_is_said_every_30_s_and_when_time_jumps_back)
{
	static const struct {
		int64_t end_ns;
		bool all;
	} lists[] = {
		{100 * S, true}, {101 * S, false}, {130 * S - 1, false}, {130 * S, true},  {131 * S, false},
		{20 * S, true},  {21 * S, false},  {500 * S, true},      {501 * S, false},
	};
	struct process people[] = {{P(1)}, {P(2)}};
	struct mlog_processes_bench b;

	bench_init(&b);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct process_list list = list_of(people, ARRAY_LEN(people), lists[i].end_ns);

		pass_list(&b, &list);
		assert_int_equal(b.head.flags, lists[i].all ? MLOG_ALL_PROCESSES : 0);
		assert_int_equal(b.block.changes.complete, lists[i].all);
	}
	bench_fini(&b);
}

TEST(another_log_begins_with_everything)
{
	struct process people[] = {{P(1)}, {P(2)}};
	struct process_list list = list_of(people, ARRAY_LEN(people), 5 * S);
	struct mlog_processes_bench b;

	bench_init(&b);
	pass_list(&b, &list);
	mlog_builder_restart(b.builder, 0);
	list.end_ns += S;
	process_list_free(b.list);
	b.list = NULL;
	pass_list(&b, &list);
	assert_int_equal(b.head.flags, MLOG_ALL_PROCESSES);
	bench_fini(&b);
}

TEST(changes_alone_tell_nothing)
{
	struct process people[] = {{P(1)}, {P(2)}};
	struct process_list list = list_of(people, ARRAY_LEN(people), 5 * S);
	struct process_list *unknown = NULL;
	struct mlog_processes_bench b;

	bench_init(&b);
	pass_list(&b, &list);
	list.end_ns += S;
	people[0].cpu_ns++;
	pass_list(&b, &list);
	mlog_block_processes(&b.block, &unknown);
	assert_null(unknown);
	bench_fini(&b);
}

TEST(of_two_lists_in_a_block_the_later_one_stands)
{
	struct process people[] = {{P(1)}, {P(2)}, {P(3)}};
	struct process_list one = list_of(people, 1, 5 * S), many = list_of(people, 3, 6 * S),
			    two = list_of(people + 1, 2, 7 * S);
	struct mlog_processes_bench b;

	bench_init(&b);
	pass_list(&b, &one);
	mlog_builder_processes(b.builder, &many);
	pass_list(&b, &two);
	assert_int_equal(b.head.begin_ns, 6 * S);
	assert_int_equal(b.head.end_ns, 7 * S);
	bench_fini(&b);
}

TEST(a_block_without_a_list_leaves_it_as_it_was)
{
	struct process people[] = {{P(1)}, {P(2)}};
	struct process_list list = list_of(people, ARRAY_LEN(people), 5 * S);
	struct mlog_processes_bench b;

	bench_init(&b);
	pass_list(&b, &list);
	mlog_builder_note(b.builder, &(struct mlog_note){.kind = MLOG_NOTE_MARK, .source = -1});
	assert_true(mlog_builder_take(b.builder, &b.head, &b.payload));
	assert_true(bench_decode(&b.block, &bench_about, &b.head, b.payload.p, b.payload.n));
	assert_false(b.block.has_processes);
	mlog_block_processes(&b.block, &b.list);
	assert_same_list(b.list, &list);
	bench_fini(&b);
}

TEST(an_empty_list_is_a_list)
{
	struct process_list list = {.begin_ns = 4 * S, .end_ns = 5 * S, .n_hidden = 3};
	struct mlog_processes_bench b;

	bench_init(&b);
	pass_list(&b, &list);
	list.end_ns += S;
	pass_list(&b, &list);
	bench_fini(&b);
}

/* ---- bounds ---- */

TEST(a_list_is_bounded_both_ways)
{
	AUTOFREE struct process *people = xcalloc(MLOG_PROCESSES_MAX + 1, sizeof(*people));
	struct process_list list = list_of(people, MLOG_PROCESSES_MAX, 5 * S);
	struct mlog_changes more = {.list = {.n = 1}};
	struct mlog_processes_bench b;

	for (int32_t i = 0; i <= MLOG_PROCESSES_MAX; i++)
		people[i] = (struct process){P(i + 1)};
	bench_init(&b);
	pass_list(&b, &list);
	list.n++;
	mlog_builder_processes(b.builder, &list);
	assert_false(mlog_builder_take(b.builder, &b.head, &b.payload));

	/* One more, of a file that says so. */
	more.list.processes = &people[MLOG_PROCESSES_MAX];
	mlog_changes_apply(&more, &b.list);
	assert_null(b.list);
	bench_fini(&b);
}

/* Texts that are as long as their file says, and as nasty. */
TEST(texts_are_printable_and_cut)
{
	static const struct {
		const char *text, *name, *user;
	} cases[] = {
		{"a\nb\x1b[2J", "a?b?[2J", "a?b?[2J"},
		{"\xff\xe2\x80\xae", "??", "??"},
		{"1234567890123456789012345678901234567890123456789",
		 "12345678901234567890123456789012345678901234567", "123456789012345"},
		{"12345678901234\xc3\xbc", "12345678901234\xc3\xbc", "12345678901234"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf section = {0};
		struct mlog_changes changes = {0};
		struct wire in;

		for (unsigned k = 0; k < 7; k++)
			wire_varint(&section, 0);
		wire_varint(&section, 1);
		for (unsigned k = 0; k < 13; k++)
			wire_signed(&section, k == 3 ? '\n' : 1);
		wire_text(&section, span_of(cases[i].text));
		wire_text(&section, span_of(cases[i].text));
		in = (struct wire){(const uint8_t *)section.p, (const uint8_t *)section.p + section.n, false};
		assert_true(mlog_changes_get(&changes, 0, &in));
		assert_string_equal(changes.list.processes[0].name, cases[i].name);
		assert_string_equal(changes.list.processes[0].user, cases[i].user);
		assert_int_equal(changes.list.processes[0].state, '?');
		mlog_changes_fini(&changes);
	}
}

TEST(what_a_log_does_not_tell_is_unset)
{
	static const struct {
		const char *name;
		int32_t parent;
		bool kernel;
	} cases[] = {{"[kworker]", 2, true}, {"[kworker]", 7, false}, {"kworker", 2, false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf section = {0};
		struct mlog_changes changes = {.list.processes = xmalloc(sizeof(struct process)), .cap = 1};
		struct wire in;

		memset(changes.list.processes, 0x7f, sizeof(struct process)); /* of a list before */
		for (unsigned k = 0; k < 7; k++)
			wire_varint(&section, 0);
		wire_varint(&section, 1);
		for (unsigned k = 0; k < 13; k++)
			wire_signed(&section, k == 0 ? 30 : k == 1 ? cases[i].parent : 0);
		wire_text(&section, span_of(cases[i].name));
		wire_text(&section, span_of("root"));
		in = (struct wire){(const uint8_t *)section.p, (const uint8_t *)section.p + section.n, false};
		assert_true(mlog_changes_get(&changes, 0, &in));
		assert_null(changes.list.processes[0].command);
		assert_false(changes.list.processes[0].simulated);
		assert_int_equal(changes.list.processes[0].kernel, cases[i].kernel);
		mlog_changes_fini(&changes);
	}
}

TEST(numbers_that_do_not_fit_are_refused)
{
	static const struct {
		unsigned column;
		uint64_t most;
	} cases[] = {{0, UINT32_MAX},  {1, UINT32_MAX},  {2, 1},          {3, UINT8_MAX},  {4, UINT32_MAX},
		     {5, UINT32_MAX},  {6, UINT64_MAX},  {7, UINT64_MAX}, {8, UINT64_MAX}, {9, UINT64_MAX},
		     {10, UINT32_MAX}, {11, UINT32_MAX}, {12, UINT32_MAX}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (unsigned over = 0; over < 2 && cases[i].most + over; over++) {
			AUTO_STRBUF struct strbuf section = {0};
			struct mlog_changes changes = {0};
			struct wire in;

			for (unsigned k = 0; k < 7; k++)
				wire_varint(&section, 0);
			wire_varint(&section, 1);
			for (unsigned k = 0; k < 13; k++)
				wire_signed(&section,
					    k == cases[i].column ? (int64_t)(cases[i].most + over) : 0);
			wire_varint(&section, 0);
			wire_varint(&section, 0);
			in = (struct wire){(const uint8_t *)section.p, (const uint8_t *)section.p + section.n,
					   false};
			assert_int_equal(mlog_changes_get(&changes, 0, &in), !over);
			mlog_changes_fini(&changes);
		}
}

TEST(what_a_section_says_of_itself_is_bounded)
{
	/* Form, begin, end, cost, hidden, threads, gone, n. */
	static const struct {
		uint64_t numbers[8];
		bool ok;
	} cases[] = {
		{{0, 0, 0, 0, 0, 0, 0, 0}, true},
		{{1, 0, 0, INT64_MAX, UINT32_MAX, 1, 0, 0}, true},
		{{2, 0, 0, 0, 0, 0, 0, 0}, false},
		{{0, 2, 0, 0, 0, 0, 0, 0}, false}, /* ends before it begins */
		{{0, 0, 0, 1ull << 63, 0, 0, 0, 0}, false},
		{{0, 0, 0, 0, 1ull << 32, 0, 0, 0}, false},
		{{0, 0, 0, 0, 0, 2, 0, 0}, false},
		{{0, 0, 0, 0, 0, 0, 1, 0}, false}, /* its pid is the 0, and there is no n */
		{{0, 0, 0, 0, 0, 0, MLOG_PROCESSES_MAX + 1, 0}, false},
		{{0, 0, 0, 0, 0, 0, 0, 1}, false},
		{{0, 0, 0, 0, 0, 0, 0, MLOG_PROCESSES_MAX + 1}, false},
		{{0, 0, 0, 0, 0, 0, 0, UINT64_MAX}, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf section = {0};
		struct mlog_changes changes = {0};
		struct wire in;

		for (size_t k = 0; k < ARRAY_LEN(cases[i].numbers); k++)
			wire_varint(&section, cases[i].numbers[k]);
		in = (struct wire){(const uint8_t *)section.p, (const uint8_t *)section.p + section.n, false};
		if (mlog_changes_get(&changes, 0, &in) != cases[i].ok)
			fail_msg("case %zu", i);
		mlog_changes_fini(&changes);
	}
}

/* Whatever a file says, one change after another. */
TEST(bent_changes_do_no_harm)
{
	uint64_t random = 99;
	unsigned believed = 0;
	struct mlog_processes_bench b;

	for (unsigned round = 0; round < 200; round++) {
		size_t i = round % ARRAY_LEN(steps);
		struct process_list before = list_of(steps[i].before, count_rows(steps[i].before), 5 * S);
		struct process_list now = list_of(steps[i].now, count_rows(steps[i].now), 6 * S);

		bench_init(&b);
		pass_list(&b, &before);
		pass_list(&b, &now);
		for (unsigned k = 0; k < 50; k++) {
			AUTOFREE char *bent = xmalloc(b.payload.n);

			memcpy(bent, b.payload.p, b.payload.n);
			bent[bench_random(&random) % b.payload.n] ^= (char)(1u << bench_random(&random) % 8);
			if (bench_decode(&b.block, &bench_about, &b.head, bent, b.payload.n)) {
				mlog_block_processes(&b.block, &b.list);
				believed++;
			}
		}
		bench_fini(&b);
	}
	assert_in_range(believed, 100, 9900);
}
