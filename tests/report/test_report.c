/* What a report makes of a log: its frames, its phases, and a long one in bounded memory. */
#include "report/report.h"
#include "report/report_page.h"
#include "report/report_log.h"
#include "base/file.h"
#include "tests/support/log_bench.h"

#define FRAMES 1000
#define PAGE_MOST 1000000 /* bytes, of an hour and longer */

/* ---- changes ---- */

/* Two builds of n runs each differ if their means are further apart than chance explains. */
TEST(only_what_chance_does_not_explain_differs)
{
	static const struct {
		struct report_mean was, now;
		bool differ;
	} cases[] = {
		{{10, 1, 5}, {12, 1, 5}, true},           /* t = 3.16, 2.31 for 8 degrees of freedom */
		{{10, 1, 5}, {11.2, 1, 5}, false},        /* t = 1.9 */
		{{10, 1, 2}, {12.5, 1, 2}, false},        /* t = 2.5, 4.30 for 2: two runs say little */
		{{10, 1, 2}, {14.5, 1, 2}, true},         /* t = 4.5 */
		{{10, 0.1, 30}, {10.09, 0.1, 30}, false}, /* within the deviation of single runs */
		{{10, 0.1, 30}, {10.2, 0.1, 30}, true},
		{{10, 0, 3}, {10.5, 0, 3}, true}, /* runs that do not differ at all */
		{{10, 0, 3}, {10, 0, 3}, false},
		{{10, NAN, 1}, {90, NAN, 1}, false}, /* one run each */
		{{10, 1, 5}, {90, NAN, 1}, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (report_differ(&cases[i].was, &cases[i].now) != cases[i].differ)
			fail_msg("case %zu", i);
}

/* ---- frames ---- */

/* Frames of 10 ms, of which every hundredth takes 50 ms. */
static struct frame_stats *some_frames(void)
{
	struct frame_stats *f = xcalloc(1, sizeof(*f));

	for (unsigned i = 1; i <= FRAMES; i++)
		frame_stats_add(f, &(struct frame_facts){.number = i, .ms = i % 100 ? 10 : 50 + i / 100},
				1000.0 / 60);
	return f;
}

TEST(percentiles_and_lows_are_of_all_frames)
{
	struct frame_stats *f = some_frames();

	assert_int_equal(f->times.n, FRAMES);
	assert_int_equal(f->late, 10);
	assert_true(fabs(times_at(&f->times, 0.5) - 10) < 0.05);
	assert_true(fabs(times_at(&f->times, 0.99) - 10) < 0.05);
	assert_true(fabs(times_at(&f->times, 0.995) - 55) < 0.25);
	/* the ten longest take 51 to 60 ms, 55.5 in the mean; the longest one takes 60 */
	assert_true(fabs(times_low(&f->times, 0.01) - 1000 / 55.5) < 0.1);
	assert_true(fabs(times_low(&f->times, 0.001) - 1000 / 60.0) < 0.1);
	assert_true(fabs(times_between(&f->times, 9.5, 10.5) - 99) < 1e-9);
	free(f);
}

TEST(the_longest_frames_are_kept_in_order)
{
	struct frame_stats *f = some_frames();

	assert_int_equal(f->n_worst, WORST_FRAMES);
	for (unsigned i = 0; i < WORST_FRAMES; i++)
		assert_true(i < 10 ? f->worst[i].number == FRAMES - 100.0 * i : f->worst[i].ms == 10);
	free(f);
}

TEST(no_frames_have_no_numbers)
{
	struct frame_stats *f = xcalloc(1, sizeof(*f));

	assert_true(isnan(times_at(&f->times, 0.5)));
	assert_true(isnan(times_low(&f->times, 0.01)));
	frame_stats_add(f, &(struct frame_facts){.ms = NAN}, 16);
	frame_stats_add(f, &(struct frame_facts){.ms = -1}, 16);
	assert_int_equal(f->times.n, 0);
	frame_stats_add(f, &(struct frame_facts){.ms = 1e12}, 16);
	assert_true(times_at(&f->times, 0.5) == 1e12);
	free(f);
}

/* ---- logs ---- */

struct report_bench {
	struct log_bench log;
	struct sys sys;
	struct options options;
	const char *paths[2];
	char out[80];
	struct report_log *read;
};

static void bench_begin(struct report_bench *b)
{
	struct err err;

	*b = (struct report_bench){.read = xcalloc(1, sizeof(*b->read))};
	log_begin(&b->log, &(struct log_what){.gpus = {"Mali-G715"},
					      .periods_ns = {100 * MS},
					      .scenario = "bandwidth-bound"});
	assert_true(sys_init(&b->sys, NULL, &err));
}

static void bench_read(struct report_bench *b)
{
	struct err err = {0};

	log_end(&b->log);
	b->paths[0] = b->log.path;
	snprintf(b->out, sizeof(b->out), "%s/page.html", b->log.dir);
	b->options = (struct options){.command = COMMAND_REPORT,
				      .findings = true,
				      .format = FORMAT_HTML,
				      .log = b->out,
				      .logs = b->paths,
				      .n_logs = 1};
	if (!report_log_read(b->read, &b->sys, &b->options, b->log.path, &err))
		fail_msg("%s", err.text);
}

static void bench_end(struct report_bench *b)
{
	report_log_fini(b->read);
	free(b->read);
	unlink(b->out);
	log_fini(&b->log);
	sys_fini(&b->sys);
}

TEST(a_mark_begins_a_phase)
{
	struct report_bench b;

	bench_begin(&b);
	log_until(&b.log, 4 * SECOND_NS);
	log_note(&b.log, MLOG_NOTE_MARK, -1, 0, "verdict: Memory bound"); /* the recorder's own */
	log_until(&b.log, 5 * SECOND_NS);
	log_note(&b.log, MLOG_NOTE_MARK, -1, 0, "level <1>");
	log_until(&b.log, 10 * SECOND_NS);
	bench_read(&b);
	assert_int_equal(b.read->n_marks, 1);
	assert_int_equal(b.read->n_phases, 2);
	assert_string_equal(b.read->phases[0].name, "start");
	assert_string_equal(b.read->phases[1].name, "level <1>");
	assert_int_equal(b.read->phases[1].begin_ns, LOG_BEGIN_NS + 5 * SECOND_NS);
	bench_end(&b);
}

/* Steps and phases have the same sums as the whole. */
TEST(nothing_is_counted_twice)
{
	struct report_bench b;
	const struct report_source *gpu;

	bench_begin(&b);
	log_until(&b.log, 3 * SECOND_NS);
	log_note(&b.log, MLOG_NOTE_MARK, -1, 0, "next");
	log_until(&b.log, 70 * SECOND_NS);
	bench_read(&b);
	gpu = &b.read->sources[SOURCE_GPU];
	assert_int_equal(gpu->n_samples, 700);
	assert_in_range(b.read->n_steps, 100, REPORT_STEPS);
	for (unsigned slot = 0; slot < gpu->n_kept; slot++) {
		double steps = 0, phases = 0;

		if (gpu->source->set->slots[slot].kind != SLOT_DELTA ||
		    isnan(gpu->phases[b.read->n_phases]->value[slot]))
			continue;
		for (unsigned i = 0; i < b.read->n_steps; i++)
			if (gpu->steps[i] && !isnan(gpu->steps[i]->value[slot]))
				steps += gpu->steps[i]->value[slot];
		for (unsigned i = 0; i < b.read->n_phases; i++)
			phases += gpu->phases[i]->value[slot];
		assert_true(steps == gpu->phases[b.read->n_phases]->value[slot]);
		assert_true(phases == gpu->phases[b.read->n_phases]->value[slot]);
	}
	bench_end(&b);
}

TEST(the_verdict_covers_the_log)
{
	struct report_bench b;
	const struct judged *verdict;

	bench_begin(&b);
	log_until(&b.log, 20 * SECOND_NS);
	bench_read(&b);
	verdict = report_verdict(b.read, b.read->begin_ns, b.read->end_ns);
	assert_non_null(verdict);
	assert_string_equal(verdict->def->name, "memory");
	assert_true(report_held_s(b.read, verdict, b.read->n_phases) > 19);
	bench_end(&b);
}

/* MALITOP_TEST_HOURS is how long the log is (1). The samples repeat one second. */
TEST(a_long_log_makes_a_small_page)
{
	const char *hours = getenv("MALITOP_TEST_HOURS");
	uint64_t n = (hours ? strtoull(hours, NULL, 10) : 1) * 36000;
	struct report_bench b;
	struct err err = {0};
	char *text;
	size_t size;

	bench_begin(&b);
	log_until(&b.log, SECOND_NS);
	for (uint64_t i = b.log.n; i < n; i++) {
		struct sample *sample = b.log.samples[i % 10];

		b.log.now_ns += 100 * MS;
		sample->seq = ++b.log.seq[0];
		sample->end_ns = b.log.now_ns;
		sample->begin_ns = b.log.now_ns - 100 * MS;
		assert_true(mlog_writer_sample(b.log.writer, sample, &err));
		if (i % 100 == 0)
			log_flush(&b.log);
		if (i % 3000 == 0)
			log_note(&b.log, MLOG_NOTE_MARK, -1, 0, "five minutes");
	}
	bench_read(&b);
	assert_in_range(b.read->n_steps, 100, REPORT_STEPS);
	assert_in_range(b.read->n_phases, 2, REPORT_PHASES);
	assert_int_equal(report_run(&b.sys, &b.options, &err), EXIT_DONE);
	assert_true(file_read(b.out, PAGE_MOST, &text, &size, &err));
	free(text);
	bench_end(&b);
}
