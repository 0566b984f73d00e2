/* What a screen makes of a list of processes, and of what a GPU did meanwhile. */
#include "tests/support/test.h"
#include "tui/screen.h"
#include "base/alloc.h"
#include "tests/support/people.h"

#include <stdlib.h>

#define MS 1000000ll
#define GAME 4711
#define RENDER_THREAD 4715

static const struct slot slots[] = {{.name = "GPUClockCy", .kind = SLOT_STEADY, .scale = 1},
				    {.name = "GPUSteadyCy", .kind = SLOT_STEADY, .scale = 1},
				    {.name = "GPUSteadyTime", .kind = SLOT_STEADY, .scale = 1}};

/* A screen that shows the CPU view beside a GPU. */
struct screen_processes_bench {
	struct session session;
	struct feeds feeds;
	struct view view;
	struct screen screen;
};

static void bench_init(struct screen_processes_bench *b)
{
	struct session_source *gpu = &b->session.sources[0];
	struct err err;

	*b = (struct screen_processes_bench){.view = {.name = "cpu", .foot = FOOT_CPU}};
	b->session.db = gpudb_load(NULL, 0, &err);
	assert_non_null(b->session.db);
	*gpu = (struct session_source){.kind = SOURCE_GPU,
				       .n_slots = ARRAY_LEN(slots),
				       .period_ns = 100 * MS,
				       .product = gpudb_by_name(b->session.db, "G715")};
	gpu->set = metric_set_new(b->session.db,
				  &(struct metric_source){.product = gpu->product,
							  .slots = (struct slot *)(uintptr_t)slots,
							  .n_slots = ARRAY_LEN(slots)},
				  &err);
	assert_non_null(gpu->set);
	b->session.n = 1;
	b->session.gpu = gpu;
	b->feeds.session = &b->session;
	b->feeds.n = 1;
	b->feeds.feeds[0] = (struct feed_state){
		.source = gpu,
		.history = history_new(slots, ARRAY_LEN(slots), ARRAY_LEN(slots), 100 * MS),
		.scratch = xcalloc(gpu->set->n_vector, sizeof(double))};
	b->screen = (struct screen){.session = &b->session, .feeds = &b->feeds, .view = &b->view};
}

static void bench_fini(struct screen_processes_bench *b)
{
	process_pane_fini(&b->screen.pane);
	history_free(b->feeds.feeds[0].history);
	free(b->feeds.feeds[0].scratch);
	metric_set_free(b->session.sources[0].set);
	gpudb_free(b->session.db);
}

/* Two seconds in which the GPU is active for so much of the time; from the first to the last
 * sample, flags meanwhile. */
static void measure_cost(struct screen_processes_bench *b, double busy, int first, int last, uint32_t flags)
{
	AUTOFREE struct sample *sample = xcalloc(1, sizeof(*sample) + sizeof(slots));

	sample->n_values = b->session.sources[0].set->n_slots;
	for (int i = 0; i < 20; i++) {
		sample->seq++;
		sample->begin_ns = i * 100 * MS;
		sample->end_ns = sample->begin_ns + 100 * MS;
		sample->flags = i >= first && i <= last ? flags : 0;
		sample->value[0] = 50000000;
		sample->value[1] = (uint64_t)(50000000 * busy / 100);
		sample->value[2] = 100 * MS;
		history_push(b->feeds.feeds[0].history, sample);
	}
}

/* The game's RenderThread ran for so much of the second from 1 s on. */
static struct process_list *list_of(double percent, int64_t begin_ns)
{
	struct process_list *list = people_list(true);

	for (unsigned i = 0; i < list->n; i++)
		if (list->processes[i].pid == GAME || list->processes[i].pid == RENDER_THREAD)
			list->processes[i].cpu_percent = (float)percent;
		else
			list->processes[i].cpu_percent = 0;
	list->begin_ns = begin_ns;
	list->end_ns = 2000 * MS;
	return list;
}

TEST(the_busiest_thread_stands_under_the_charts)
{
	static const struct {
		double percent;
		const char *want;
	} cases[] = {
		{62, "busiest thread   62 % of the time  RenderThread of com.studio.game (4711)"},
		{101, "busiest thread  100 % of the time  RenderThread of com.studio.game (4711)"},
		{0, "busiest thread    \u2013"},
		{NAN, "busiest thread    \u2013"},
	};
	struct screen_processes_bench b;

	bench_init(&b);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(screen_take_processes(&b.screen, list_of(cases[i].percent, 1000 * MS)),
				 false);
		assert_string_equal(b.screen.foot[1], cases[i].want);
		assert_string_equal(b.screen.foot[2], ""); /* the GPU was not measured */
	}
	bench_fini(&b);
}

TEST(a_process_with_one_thread_stands_for_it)
{
	struct screen_processes_bench b;
	struct process_list *list = list_of(0, 1000 * MS);

	bench_init(&b);
	b.session.gpu = NULL;
	list->processes[2].cpu_percent = 7;
	assert_true(screen_take_processes(&b.screen, list));
	assert_string_equal(b.screen.foot[1],
			    "busiest thread    7 % of the time  [kworker/u16:3-mali_jobs] (97)");
	bench_fini(&b);
}

TEST(a_thread_and_the_gpu_are_compared_over_the_same_time)
{
	static const char taken[] =
		"thread 62 % + GPU 36 % = 98 %: they seem to take turns (scheduling bound): "
		"find waits for the GPU";
	static const struct {
		const char *what;
		int64_t begin_ns, period_ns;
		bool simulated, demo; /* the GPU; with it the CPUs and processes */
		enum session_away away;
		int first, last; /* samples with these flags */
		uint32_t flags;
		const char *want;
	} cases[] = {
		{"plain", 1000 * MS, 100 * MS, .want = taken},
		{"a quick GPU", 1000 * MS, 1 * MS, .want = taken},
		{"a second of short samples", 1200 * MS, 100 * MS, .want = taken},
		{"too short for the columns", 1300 * MS, 100 * MS, .want = ""},
		{"a slow GPU", 1000 * MS, 200 * MS, .want = ""},
		{"nothing to compare with yet", 0, 100 * MS, .want = ""},
		{"a simulated GPU beside real threads", 1000 * MS, 100 * MS, .simulated = true, .want = ""},
		{"a simulated device", 1000 * MS, 100 * MS, .simulated = true, .demo = true, .want = taken},
		{"gone", 1000 * MS, 100 * MS, .away = AWAY_GONE, .want = ""},
		{"two changes of the clock", 1000 * MS, 100 * MS, .first = 12, .last = 13,
		 .flags = SAMPLE_CLOCK, .want = taken},
		{"three", 1000 * MS, 100 * MS, .first = 12, .last = 14, .flags = SAMPLE_CLOCK, .want = ""},
		{"changes before", 1000 * MS, 100 * MS, .first = 0, .last = 9, .flags = SAMPLE_CLOCK,
		 .want = taken},
		{"failed samples", 1000 * MS, 100 * MS, .first = 17, .last = 19, .flags = SAMPLE_ERROR,
		 .want = ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct screen_processes_bench b;
		bool whole;

		bench_init(&b);
		measure_cost(&b, 36, cases[i].first, cases[i].last, cases[i].flags);
		b.session.sources[0].period_ns = cases[i].period_ns;
		b.session.sources[0].simulated = cases[i].simulated;
		b.session.sources[1] =
			(struct session_source){.kind = SOURCE_CPU, .simulated = cases[i].demo};
		b.session.n = 2;
		b.session.sources[0].away = cases[i].away;
		whole = screen_take_processes(&b.screen, list_of(62, cases[i].begin_ns));
		if (strcmp(b.screen.foot[2], cases[i].want) != 0 ||
		    whole != (cases[i].want[0] || cases[i].simulated || cases[i].away))
			fail_msg("%s: %d, '%s'", cases[i].what, whole, b.screen.foot[2]);
		bench_fini(&b);
	}
}

TEST(no_share_is_more_than_the_whole_time)
{
	struct screen_processes_bench b;

	bench_init(&b);
	measure_cost(&b, 160, 0, 0, 0);
	assert_true(screen_take_processes(&b.screen, list_of(101, 1000 * MS)));
	assert_string_equal(b.screen.foot[2], "thread 100 %, GPU 100 %: both are busy all the time");
	bench_fini(&b);
}

TEST(the_cpu_view_reads_the_threads_of_few_processes_and_others_nothing)
{
	static const struct {
		struct view view;
		bool threads, wanted, gpu_memory;
		unsigned threads_of;
		enum pane_busiest busiest;
		bool gives_way;
		int64_t cost_us, period_s;
	} cases[] = {
		{{.name = "cpu", .foot = FOOT_CPU}, .wanted = true, .threads_of = 4, .period_s = 1},
		{{.name = "cpu", .foot = FOOT_CPU},
		 .threads = true,
		 .wanted = true,
		 .threads_of = 4,
		 .busiest = BUSIEST_THREADS,
		 .period_s = 1},
		{{.name = "processes"},
		 .wanted = true,
		 .gpu_memory = true,
		 .threads_of = 4,
		 .cost_us = 90000,
		 .period_s = 1},
		{{.name = "processes"},
		 .threads = true,
		 .wanted = true,
		 .gpu_memory = true,
		 .threads_of = PROCESS_QUERY_ALL,
		 .period_s = 1},
		{{.name = "memory", .foot = FOOT_GPU}, .wanted = false, .period_s = 2},
		{{.name = "overview"}, .wanted = false, .period_s = 2},
		{{.name = "overview"},
		 .busiest = BUSIEST_PROCESSES,
		 .wanted = true,
		 .gpu_memory = true,
		 .cost_us = 300,
		 .period_s = 2},
		{{.name = "overview"}, .busiest = BUSIEST_PROCESSES, .gives_way = true, .period_s = 2},
		/* a larger machine is read less often, but not never */
		{{.name = "overview"},
		 .busiest = BUSIEST_PROCESSES,
		 .wanted = true,
		 .gpu_memory = true,
		 .cost_us = 1300,
		 .period_s = 4},
		{{.name = "overview"},
		 .busiest = BUSIEST_PROCESSES,
		 .wanted = true,
		 .gpu_memory = true,
		 .cost_us = 90000,
		 .period_s = 10},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_list list = {.cost_ns = cases[i].cost_us * 1000};
		struct feeds feeds = {.refresh_ns = 100000000};
		struct screen screen = {.view = &cases[i].view,
					.feeds = &feeds,
					.gives_way = cases[i].gives_way,
					.pane = {.threads = cases[i].threads,
						 .list = &list,
						 .wants_busiest = cases[i].busiest}};
		struct process_query query;
		int64_t period_ns;

		assert_int_equal(screen_wants_processes(&screen, &query, &period_ns), cases[i].wanted);
		assert_int_equal(query.threads_of, cases[i].threads_of);
		assert_int_equal(query.gpu_memory, cases[i].gpu_memory);
		assert_int_equal(period_ns, cases[i].period_s * 1000000000);
		feeds.refresh_ns = 20000000000;
		screen_wants_processes(&screen, &query, &period_ns);
		assert_int_equal(period_ns, 20000000000);
	}
}

TEST(what_is_counted_of_one_stands_in_its_row_only)
{
	static const struct {
		struct process_id who;
		double ipc;
		int row; /* -1: none */
	} cases[] = {
		{{4711, 5711, false}, 1.25, 7}, {{4715, 5715, true}, 0.5, 8},
		{{4711, 5711, false}, 0, 7},    /* ran, and got nothing done */
		{{4711, 5711, false}, NAN, -1}, /* did not run */
		{{4711, 99, false}, 1.25, -1},  /* its pid belongs to another one now */
		{{4711, 5711, true}, 1.25, -1}, {{4712, 5712, false}, 1.25, -1},
		{{0, 0, false}, 1.25, -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_list *list = people_list(true);

		screen_fill_ipc(list, cases[i].who, cases[i].ipc);
		for (int row = 0; row < (int)list->n; row++) {
			float got = list->processes[row].ipc;

			if (row == cases[i].row ? got != (float)cases[i].ipc : !isnan(got))
				fail_msg("case %zu, row %d: %g", i, row, (double)got);
		}
		process_list_free(list);
	}
}

TEST(the_pane_gets_the_counted_one_with_its_ipc)
{
	static const struct slot perf_slots[] = {{.name = "CPUCycles", .kind = SLOT_DELTA, .scale = 1},
						 {.name = "CPUInstructions", .kind = SLOT_DELTA, .scale = 1}};
	const struct metric_source counters = {.slots = (struct slot *)(uintptr_t)perf_slots,
					       .n_slots = ARRAY_LEN(perf_slots)};
	struct session_source *perf;
	struct process_pane *pane;
	struct screen_processes_bench b;

	bench_init(&b);
	perf = &b.session.sources[0];
	metric_set_free(perf->set);
	history_free(b.feeds.feeds[0].history);
	perf->kind = SOURCE_PERF;
	perf->set = metric_set_new(b.session.db, &counters, NULL);
	b.feeds.feeds[0].history =
		history_new(perf_slots, ARRAY_LEN(perf_slots), ARRAY_LEN(perf_slots), 100 * MS);
	b.view = (struct view){.name = "processes"};
	pane = &b.screen.pane;
	process_pane_init(pane, NULL, NULL);
	measure_cost(&b, 150, 0, 0, 0); /* cycles, and half as many more instructions */
	assert_true(screen_take_processes(&b.screen, list_of(62, 1000 * MS)));
	pane->table.counted = process_id_of(process_find(pane->list, GAME));
	assert_true(screen_take_processes(&b.screen, list_of(62, 1000 * MS)));
	assert_true(isnan(process_find(pane->list, GAME)
				  ->ipc)); /* it is still being opened: what is counted is the machine */
	b.session.counting = true;
	b.session.picked = perf;
	assert_true(screen_take_processes(&b.screen, list_of(62, 1000 * MS)));
	assert_true(process_find(pane->list, GAME)->ipc == 1.5f);
	assert_false(pane->table.unknown & 1u << PROCESS_BY_IPC);
	assert_false(screen_take_processes(&b.screen, list_of(62, 0)));
	bench_fini(&b);
}

TEST(the_panel_of_busy_threads_has_the_busiest)
{
	struct screen_processes_bench b;
	const struct process_pane *pane = &b.screen.pane;

	bench_init(&b);
	process_pane_want_busiest(&b.screen.pane, BUSIEST_THREADS);
	screen_take_processes(&b.screen, list_of(62, 1000 * MS));
	assert_int_equal(pane->busiest.rows[0].process->pid, RENDER_THREAD);
	/* the Processes view lists processes, until threads are asked for */
	for (unsigned i = 0; i < pane->table.n; i++)
		assert_false(pane->table.rows[i].process->is_thread);
	bench_fini(&b);
}
