/* Lean streams: what a block becomes in one sum, and what stays unknown. */
#include "base/alloc.h"
#include "passes/frame_stats.h"
#include "passes/pass_fold.h"
#include "record/recorder_sink.h"
#include "tests/support/shared_data.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ll
#define PERIOD (100 * MS)

/* A session with one source: the passes of a game. */
struct lean_bench {
	struct session session;
	struct slot slots[PASS_FOLD_SLOTS];
	struct pass_fold fold;
	struct metric_set *set;
	struct sample *sample;
	struct lean *lean;
	uint64_t frame;
};

static const char *const pass_names[] = {"shadow", "scene", "interface"};

static void name_pass(const void *names, unsigned name, unsigned ordinal, char *text, size_t size)
{
	(void)names, (void)ordinal;
	snprintf(text, size, "%s", pass_names[name]);
}

static struct lean_bench *bench_new(void)
{
	static const uint64_t seq[SESSION_SOURCES_MAX] = {0};
	struct lean_bench *b = xcalloc(1, sizeof(*b));

	pass_fold_slots(&b->fold, b->slots);
	pass_fold_start(&b->fold, 60);
	b->set = metric_set_new(db,
				&(struct metric_source){.slots = b->slots,
							.n_slots = PASS_FOLD_SLOTS,
							.frames_per_second = 60},
				NULL);
	assert_non_null(b->set);
	b->session.db = db;
	b->session.n = 1;
	b->session.sources[0] =
		(struct session_source){.kind = SOURCE_PASSES, .set = b->set, .n_slots = PASS_FOLD_SLOTS};
	b->sample = xcalloc(1, sizeof(*b->sample) + (PASS_FOLD_SLOTS + PASS_MORE_WORDS) * sizeof(uint64_t));
	b->lean = lean_new(&b->session, seq);
	return b;
}

static void bench_free(struct lean_bench *b)
{
	lean_free(b->lean);
	metric_set_free(b->set);
	free(b->sample);
	free(b);
}

/* A sample with ten frames of the first n passes, a millisecond each. */
static const struct sample *next_sample(struct lean_bench *b, unsigned n)
{
	const struct pass_fold_app app = {
		.apps = 1, .pid = 4711, .title = "game", .driver = "a driver", .name = name_pass};

	for (unsigned f = 0; f < 10; f++, b->frame++) {
		int64_t at = (int64_t)b->frame * 10 * MS;

		for (unsigned i = 0; i < n; i++)
			pass_fold_event(&b->fold,
					&(struct passes_event){.type = PASSES_PASS,
							       .name = (uint16_t)i,
							       .frame = b->frame,
							       .begin_ns = at + i * MS,
							       .end_ns = at + (i + 1) * MS},
					at);
		pass_fold_event(&b->fold,
				&(struct passes_event){.type = PASSES_FRAME,
						       .frame = b->frame,
						       .begin_ns = at,
						       .end_ns = at + 10 * MS,
						       .passes = (uint16_t)n},
				at);
	}
	b->sample->seq++;
	b->sample->begin_ns = b->sample->end_ns;
	b->sample->end_ns += PERIOD;
	b->sample->n_values = PASS_FOLD_SLOTS;
	b->sample->n_more = PASS_MORE_WORDS;
	pass_fold_sample(&b->fold, &app, b->sample->value);
	pass_fold_records(&b->fold, b->sample->end_ns, PASS_FOLD_SLOTS, b->sample);
	return b->sample;
}

static uint64_t value_of(const struct lean_bench *b, const struct sample *sample, const char *name)
{
	for (unsigned i = 0; i < PASS_FOLD_SLOTS; i++)
		if (strcmp(b->slots[i].name, name) == 0)
			return sample->value[i];
	fail_msg("no slot %s", name);
	return 0;
}

TEST(a_block_is_one_sum_with_what_a_screen_shows_first)
{
	struct lean_bench *b = bench_new();
	const struct sample *sum;

	for (unsigned i = 0; i < 5; i++)
		assert_null(lean_add(b->lean, next_sample(b, 2)));
	sum = lean_take(b->lean, 0);
	assert_non_null(sum);
	assert_true(sum->seq == 1 && sum->begin_ns == 0 && sum->end_ns == 5 * PERIOD);
	assert_int_equal(value_of(b, sum, "FrameCount"), 49); /* the first one does not count */
	assert_true(value_of(b, sum, "FramePresentTime") == SAMPLE_UNKNOWN);
	assert_true(value_of(b, sum, "Pass1P95") == SAMPLE_UNKNOWN);
	assert_null(lean_take(b->lean, 0));
	bench_free(b);
}

TEST(passes_keep_their_times_and_names_and_lose_their_frames)
{
	struct lean_bench *b = bench_new();
	struct pass_names *names = xcalloc(1, sizeof(*names));
	struct pass_table table;
	const struct sample *sum;

	lean_add(b->lean, next_sample(b, 1));
	lean_add(b->lean, next_sample(b, 3)); /* a name that comes later */
	lean_add(b->lean, next_sample(b, 2));
	sum = lean_take(b->lean, 0);
	assert_non_null(sum);
	assert_int_equal(pass_records_count(sum), 0);
	pass_names_take(names, sum);
	pass_table_sample(&table, b->set, sum, names);
	assert_string_equal(table.app, "game");
	assert_string_equal(table.driver, "a driver");
	assert_int_equal(table.pid, 4711);
	assert_int_equal(table.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		static const double times[] = {28, 19, 10};

		assert_string_equal(table.lines[i].name, pass_names[i]);
		assert_true(fabs(table.lines[i].ms * table.frames - times[i]) < 1e-6);
	}
	/* a later block names what it has, alone */
	lean_add(b->lean, next_sample(b, 1));
	memset(names, 0, sizeof(*names));
	pass_names_take(names, lean_take(b->lean, 0));
	pass_table_sample(&table, b->set, b->sample, names);
	assert_string_equal(table.app, "game");
	assert_string_equal(table.lines[0].name, "shadow");
	free(names);
	bench_free(b);
}

TEST(a_hole_or_another_clock_ends_a_sum)
{
	static const struct {
		uint32_t flags, lost;
		uint64_t missed;
		int64_t gap_ns;
	} cases[] = {{SAMPLE_CLOCK, 0, 0, 0},
		     {0, 2, 2, 0},
		     {SAMPLE_GAP, 0, 0, 0},
		     {SAMPLE_ERROR, 0, 0, 0},
		     {0, 0, 0, 5}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct lean_bench *b = bench_new();
		const struct sample *sum;

		assert_null(lean_add(b->lean, next_sample(b, 1)));
		assert_null(lean_add(b->lean, next_sample(b, 1)));
		next_sample(b, 1);
		b->sample->seq += cases[i].missed;
		b->sample->lost = cases[i].lost;
		b->sample->flags = cases[i].flags;
		b->sample->begin_ns += cases[i].gap_ns;
		sum = lean_add(b->lean, b->sample);
		assert_non_null(sum);
		assert_true(sum->seq == 1 && sum->end_ns == 2 * PERIOD && !sum->flags && sum->n_more > 0);
		sum = lean_take(b->lean, 0);
		assert_true(sum->seq == 2 + cases[i].missed && sum->flags == cases[i].flags);
		bench_free(b);
	}
}

/* After sums, numbers go on by one. */
TEST(a_whole_sample_has_the_number_that_follows)
{
	struct lean_bench *b = bench_new();
	const struct sample *whole;

	for (unsigned i = 0; i < 3; i++)
		lean_add(b->lean, next_sample(b, 1));
	assert_int_equal(lean_take(b->lean, 0)->seq, 1);
	whole = lean_pass(b->lean, next_sample(b, 1));
	assert_int_equal(whole->seq, 2);
	assert_int_equal(pass_records_count(whole), pass_records_count(b->sample));
	assert_memory_equal(whole->value, b->sample->value, sample_size(whole) - sizeof(*whole));
	bench_free(b);
}

TEST(the_busiest_processes_stay_with_the_owners_of_threads)
{
	struct process list[3 * LEAN_PROCESSES] = {0};
	struct process_list all = {.processes = list, .n = ARRAY_LEN(list)};
	unsigned owners = 0;

	for (unsigned i = 0; i < ARRAY_LEN(list); i++) {
		list[i].pid = (int32_t)i + 1;
		list[i].cpu_percent = (float)i;
	}
	list[1].cpu_percent = NAN;                  /* a process of the first list */
	list[ARRAY_LEN(list) - 1].is_thread = true; /* of the process before it, which is idle */
	list[ARRAY_LEN(list) - 2].cpu_percent = 0;
	lean_processes(&all);
	assert_int_equal(all.n, LEAN_PROCESSES + 1);
	for (unsigned i = 0; i < all.n; i++) {
		owners += all.processes[i].pid == ARRAY_LEN(list) - 1;
		assert_true(all.processes[i].cpu_percent >= 2 * LEAN_PROCESSES - 1 ||
			    all.processes[i].pid == ARRAY_LEN(list) - 1);
	}
	assert_int_equal(owners, 1);
}

TEST_GROUP(load_data, unload_data)
