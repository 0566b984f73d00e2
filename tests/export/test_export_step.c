/* Rows of steps: which samples are one row, what becomes of gaps, failures and flags in it, and
 * where marks go. */
#include "tests/support/export_machine.h"

TEST_EACH(machine_init, machine_fini)

/* The rows without the header. */
static const char *rows(const struct export_machine *m)
{
	return strchr(m->out.p, '\n') + 1;
}

static struct export *start_steps(struct export_machine *m, int64_t step_ms, int64_t from_ms,
				  unsigned n_sources)
{
	struct export *ex;

	m->options.step_ns = step_ms * 1000000;
	m->options.step_from_ns = from_ms * 1000000;
	m->options.epoch_offset_ns = 0;
	ex = start_export(m, &export_csv, m->sources, n_sources);
	return ex;
}

static void end_export(struct export *ex)
{
	struct err err;

	assert_true(export_end(ex, &err));
	export_free(ex);
}

TEST(step_is_the_sum_of_the_samples_that_ended_in_it)
{
	struct export_machine *m = *state;
	struct export *ex = start_steps(m, 300, 0, 1);

	push_gpu(ex, 0, 100, 100, 50);
	push_gpu(ex, 100, 200, 300, 50);
	push_gpu(ex, 200, 300, 400, 100); /* ends with the step: still in it */
	push_gpu(ex, 300, 400, 8, 2);
	end_export(ex);
	assert_string_equal(rows(m), "0.000000000,0.300000000,,25.0,800.0\r\n"
				     "0.300000000,0.100000000,,25.0,8.0\r\n");
}

TEST(steps_lie_on_a_grid_and_empty_ones_are_left_out)
{
	struct export_machine *m = *state;
	struct export *ex = start_steps(m, 200, 50, 1);

	push_gpu(ex, 50, 150, 1, 1);
	push_gpu(ex, 150, 260, 2, 1); /* in (250, 450] */
	push_gpu(ex, 800, 900, 4, 1);
	push_gpu(ex, 900, 1000, 4, 1);
	end_export(ex);
	assert_string_equal(rows(m), "0.050000000,0.100000000,,100.0,1.0\r\n"
				     "0.150000000,0.110000000,,50.0,2.0\r\n"
				     "0.800000000,0.200000000,,25.0,8.0\r\n");
}

/* A step of one interval is what there is without one. */
TEST(step_of_one_interval_changes_nothing)
{
	AUTOFREE char *plain = NULL;
	struct export_machine *m = *state;

	for (int64_t step_ms = 0; step_ms <= 100; step_ms += 100) {
		struct export *ex = start_steps(m, step_ms, 0, 2);

		push_cpu(ex, 0, 100, 4, 30);
		push_gpu(ex, 0, 100, 100, 50);
		push_cpu(ex, 100, 200, 8, 31);
		push_sample(ex, GPU, 100, 200, SAMPLE_ERROR, (uint64_t[]){999, 999, 999, 999}, 4);
		push_cpu(ex, 200, 300, 12, 32);
		push_sample(ex, GPU, 200, 300, SAMPLE_GAP | SAMPLE_STRETCHED, (uint64_t[]){4, 1, 1, 0}, 4);
		end_export(ex);
		if (plain)
			assert_string_equal(m->out.p, plain);
		else
			plain = xstrdup(m->out.p);
		strbuf_clear(&m->out);
	}
}

TEST(failed_samples_and_gaps_are_no_part_of_a_step_but_flags_of_it)
{
	struct export_machine *m = *state;
	struct export *ex = start_steps(m, 1000, 0, 1);

	push_gpu(ex, 0, 100, 100, 50);
	push_sample(ex, GPU, 100, 200, SAMPLE_ERROR, (uint64_t[]){999, 999, 999, 999}, 4);
	push_sample(ex, GPU, 600, 700, SAMPLE_GAP, (uint64_t[]){300, 50, 40, 10}, 4);
	push_sample(ex, GPU, 1000, 1100, SAMPLE_ERROR, (uint64_t[]){999, 999, 999, 999}, 4);
	push_sample(ex, GPU, 1100, 1300, SAMPLE_ERROR, (uint64_t[]){999, 999, 999, 999}, 4);
	end_export(ex);
	assert_string_equal(rows(m), "0.000000000,0.200000000,gap error,25.0,400.0\r\n"
				     "1.000000000,0.300000000,error,,\r\n");
}

/* Of the counter that is meant for samples of one clock, only those are in the sum. */
TEST(sample_in_which_the_clock_changed_is_left_out_where_cycles_meet_time)
{
	static const struct slot steady[] = {SLOT("MaliGPUActiveCy", SLOT_DELTA, INSTANCE_ALL, 0),
					     SLOT("MaliFragActiveCy", SLOT_STEADY, INSTANCE_ALL, 0)};
	struct export_machine *m = *state;
	struct metric_source source = {
		.product = gpudb_product(m->db, 0), .slots = steady, .n_slots = 2, .constants.core_count = 2};
	struct err err;
	struct metric_set *set = metric_set_new(m->db, &source, &err);
	struct export *ex;

	assert_non_null(set);
	m->sources[GPU].set = set;
	m->options.metrics = "MaliGPUActiveCy,MaliFragActiveCy";
	ex = start_steps(m, 1000, 0, 1);
	push_sample(ex, GPU, 0, 100, 0, (uint64_t[]){100, 10}, 2);
	push_sample(ex, GPU, 100, 200, SAMPLE_CLOCK, (uint64_t[]){200, 20}, 2);
	push_sample(ex, GPU, 200, 300, 0, (uint64_t[]){400, 40}, 2);
	end_export(ex);
	metric_set_free(set);
	assert_string_equal(rows(m), "0.000000000,0.300000000,clock,700.0,50.0\r\n");
}

TEST(other_sources_fill_the_step_in_which_they_ended)
{
	struct export_machine *m = *state;
	struct export *ex;

	m->options.metrics = "CPULoad,Heat";
	ex = start_steps(m, 1000, 0, 2);
	push_gpu(ex, 0, 900, 1, 1);
	push_cpu(ex, 0, 500, 4, 30);
	push_cpu(ex, 500, 1000, 4, 31);
	push_cpu(ex, 1000, 1500, 8, 32); /* in the second, though the GPU has not come to it yet */
	push_cpu(ex, 1500, 2000, 8, 33);
	push_cpu(ex, 2000, 2001, 40, 34); /* in none: the last row ends before */
	push_gpu(ex, 900, 1900, 1, 1);
	end_export(ex);
	assert_string_equal(rows(m), "0.000000000,0.900000000,,2.0,1.5,0.5,31.0\r\n"
				     "0.900000000,1.000000000,,4.0,3.5,0.5,33.0\r\n");
}

/* Sources that are read in batches: what belongs to later rows waits for them, and nothing gets
 * lost, however much it is. */
TEST(samples_that_come_early_wait_for_their_rows)
{
	struct export_machine *m = *state;
	struct export *ex;

	m->options.metrics = "CPULoad";
	m->options.exact = true;
	ex = start_steps(m, 0, 0, 2);
	for (int64_t i = 0; i < 3; i++)
		push_cpu(ex, i, i + 1, 4 * ((uint64_t)i + 1), 30);
	for (int64_t i = 0; i < 3; i++)
		push_gpu(ex, i, i + 1, 1, 1);
	for (int64_t i = 3; i < 100; i++)
		push_cpu(ex, i, i + 1, 4, 30);
	push_gpu(ex, 3, 100, 1, 1);
	end_export(ex);
	assert_string_equal(rows(m), "0.000000000,0.001000000,,1.0\r\n"
				     "0.001000000,0.001000000,,2.0\r\n"
				     "0.002000000,0.001000000,,3.0\r\n"
				     "0.003000000,0.097000000,,97.0\r\n");
}

TEST(table_has_a_row_of_every_source_and_step)
{
	struct export_machine *m = *state;
	struct export *ex;
	struct err err;

	m->options.metrics = "MaliGPUActiveCy,CPULoad";
	m->options.exact = true;
	m->options.step_ns = 200000000;
	ex = start_export(m, &export_text, m->sources, 2);
	push_gpu(ex, 0, 100, 100, 50);
	push_gpu(ex, 100, 200, 100, 50);
	push_cpu(ex, 0, 250, 4, 30);
	push_gpu(ex, 200, 300, 30, 50);
	assert_true(export_end(ex, &err));
	export_free(ex);
	assert_string_equal(m->out.p, "      time  name                value  unit      flags\n"
				      "     0.200  MaliGPUActiveCy      1.00  kcy/s\n"
				      "     0.300  MaliGPUActiveCy       300  cy/s\n"
				      "     0.250  CPULoad                 4  /s\n");
}

TEST(a_jump_in_the_count_of_samples_is_a_gap)
{
	static const uint64_t seqs[] = {5, 6, 9, 10};
	struct export_machine *m = *state;
	struct export *ex;
	struct err err;

	m->options.metrics = "MaliGPUActiveCy";
	ex = start_steps(m, 0, 0, 1);
	for (unsigned i = 0; i < ARRAY_LEN(seqs); i++) {
		struct sample s = {.source = GPU, .seq = seqs[i], .begin_ns = i, .end_ns = i + 1};

		assert_true(export_sample(ex, &s, &err));
	}
	end_export(ex);
	assert_string_equal(rows(m), "0.000000000,0.000000001,,\r\n"
				     "0.000000001,0.000000001,,\r\n"
				     "0.000000002,0.000000001,gap lost,\r\n"
				     "0.000000003,0.000000001,,\r\n");
}

/* Times in ms of marks and of the ends of samples; which rows are marked. */
TEST(marks_are_flags_of_the_row_in_which_they_fell)
{
	static const struct {
		int64_t step_ms, marks[3];
		unsigned n_marks;
		const char *flags; /* of rows that end at 100, 200, 300 ms, or of steps */
	} cases[] = {
		{0, {0}, 0, "|||"},
		{0, {50}, 1, "mark|||"},
		{0, {100}, 1, "mark|||"}, /* it ended then: (0, 100] */
		{0, {101}, 1, "|mark||"},
		{0, {10, 20, 90}, 3, "mark|||"},
		{0, {10, 150, 160}, 3, "mark|mark||"},
		{0, {10, 150, 250}, 3, "mark|mark|mark|"},
		{0, {250, 301, 350}, 3, "||mark|mark|mark|"}, /* nothing ended after them */
		{200, {50}, 1, "mark||"},
		{200, {150, 201}, 2, "mark|mark|"},
		{200, {250}, 1, "|mark|"},
		{200, {350}, 1, "|mark|"}, /* within the last step */
	};
	struct export_machine *m = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct export *ex = start_steps(m, cases[i].step_ms, 0, 1);
		AUTO_STRBUF struct strbuf got = {0};
		struct span rest;
		struct err err;
		unsigned n = 0;

		for (int64_t at = 0; at < 300; at += 100) {
			for (; n < cases[i].n_marks && cases[i].marks[n] <= at + 100; n++)
				assert_true(export_mark(ex, cases[i].marks[n] * 1000000, "", &err));
			push_gpu(ex, at, at + 100, 1, 1);
		}
		for (; n < cases[i].n_marks; n++)
			assert_true(export_mark(ex, cases[i].marks[n] * 1000000, "", &err));
		end_export(ex);
		for (rest = span_of(rows(m)); rest.n;) {
			struct span row = span_until(&rest, '\n'), flags = {0};

			for (unsigned column = 0; column < 3; column++)
				flags = span_until(&row, ',');
			strbuf_printf(&got, "%.*s|", SPAN_ARG(flags));
		}
		assert_string_equal(got.p, cases[i].flags);
		strbuf_clear(&m->out);
	}
}

TEST(mark_of_later_is_not_of_this_row)
{
	struct export_machine *m = *state;
	struct export *ex = start_steps(m, 0, 0, 1);
	struct err err;

	assert_true(export_mark(ex, 50000000, JUDGE_NEWS "Idle", &err)); /* the user did not set it */
	assert_true(export_mark(ex, 150000000, "", &err));               /* before the samples of its time */
	push_sample(ex, GPU, 0, 100, SAMPLE_SIMULATED, (uint64_t[]){1, 1, 1, 0}, 4);
	push_sample(ex, GPU, 100, 200, SAMPLE_SIMULATED, (uint64_t[]){1, 1, 1, 0}, 4);
	end_export(ex);
	assert_non_null(strstr(rows(m), "0.000000000,0.100000000,simulated,"));
	assert_non_null(strstr(rows(m), "0.100000000,0.100000000,simulated mark,"));
}

/* A log may say what it likes. */
TEST(times_at_the_end_of_time_are_no_harm)
{
	struct export_machine *m = *state;
	struct export *ex = start_steps(m, 1000000, 0, 1);
	struct sample s = {.source = GPU, .begin_ns = INT64_MAX - 10, .end_ns = INT64_MAX - 5};
	struct err err;

	assert_true(export_sample(ex, &s, &err));
	s.end_ns = INT64_MAX;
	assert_true(export_sample(ex, &s, &err));
	end_export(ex);
	assert_non_null(strchr(rows(m), '\n'));
}

TEST(time_of_samples_that_last_for_ever_stays_within_bounds)
{
	struct export_machine *m = *state;
	struct export *ex = start_steps(m, SAMPLE_NS_MAX / 1000000, 0, 1);
	struct sample s = {.source = GPU, .end_ns = SAMPLE_NS_MAX};
	struct err err;

	for (unsigned i = 0; i < 40; i++) {
		s.seq = i + 1;
		s.flags = i & 1 ? SAMPLE_ERROR : 0;
		assert_true(export_sample(ex, &s, &err));
	}
	end_export(ex);
	assert_non_null(strstr(rows(m), "0.000000000,1152921504.606846976,error,"));
}
