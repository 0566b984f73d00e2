/* The other side of a comparison: what a log had in a phase, and what processes had. */
#include "report/report_log.h"
#include "tests/support/log_bench.h"
#include "tui/compare.h"

static struct process a_process(int pid, const char *name, double cpu)
{
	struct process p = {.pid = pid,
			    .start = 100,
			    .cpu_percent = (float)cpu,
			    .gpu_percent = NAN,
			    .rss_bytes = 1000000,
			    .gpu_bytes = SAMPLE_UNKNOWN};

	snprintf(p.name, sizeof(p.name), "%s", name);
	return p;
}

TEST(a_process_is_compared_with_itself)
{
	struct process before[] = {a_process(1, "sh", 10), a_process(2, "sh", 20), a_process(3, "old", 5)};
	struct process now[] = {a_process(1, "sh", 11), a_process(2, "sh", 22), a_process(3, "old", 5),
				a_process(4, "sh", 30)};
	struct process_list was = {.processes = before, .n = ARRAY_LEN(before), .end_ns = 1};
	struct process_list list = {.processes = now, .n = ARRAY_LEN(now), .end_ns = 2};
	const struct process_was *pairs;
	struct compare c = {0};

	now[2].start++; /* the number was given again */
	compare_begin(&c, "then", &was);
	pairs = compare_processes(&c, &list);
	assert_true(!pairs[0].is_new && pairs[0].cpu_percent == 10 && pairs[0].rss_bytes == 1e6);
	assert_true(!pairs[1].is_new && pairs[1].cpu_percent == 20 && isnan(pairs[1].gpu_percent));
	assert_true(pairs[2].is_new && isnan(pairs[2].cpu_percent));
	assert_true(pairs[3].is_new);
	assert_string_equal(c.gone, "1 gone: old 5.0 %");
	compare_end(&c);
	assert_null(compare_processes(&c, &list));
	compare_fini(&c);
}

TEST(without_processes_none_is_new)
{
	struct process now[] = {a_process(1, "sh", 11)};
	struct process_list list = {.processes = now, .n = 1};
	struct compare c = {0};

	compare_begin(&c, "then", NULL);
	assert_null(compare_processes(&c, &list));
	compare_fini(&c);
}

static void write_run(struct log_bench *log)
{
	log_begin(log,
		  &(struct log_what){.gpus = {"Mali-G715"}, .periods_ns = {100 * MS}, .scenario = "mixed"});
	log_until(log, 3 * SECOND_NS);
	log_note(log, MLOG_NOTE_MARK, -1, 0, "level 2");
	log_until(log, 8 * SECOND_NS);
	log_end(log);
}

TEST(a_phase_has_the_values_of_the_phase_of_that_name)
{
	static const struct {
		const char *asked;
		unsigned phase; /* from 1; 0: the whole log */
	} cases[] = {{"level 2", 2}, {"start", 1}, {"", 0}, {"level 3", 0}};
	struct options options = {.command = COMMAND_REPLAY, .findings = true};
	struct report_log *read = xcalloc(1, sizeof(*read));
	const struct metric_set *sets[SOURCE_KINDS] = {NULL};
	struct compare c = {0};
	struct log_bench log;
	struct sys sys;
	struct err err;

	write_run(&log);
	assert_true(sys_init(&sys, NULL, &err));
	if (!report_log_read(read, &sys, &options, log.path, &err) ||
	    !compare_read(&c, &sys, &options, log.path, &err))
		fail_msg("%s", err.text);
	sets[SOURCE_GPU] = read->sets[SOURCE_GPU];
	compare_begin_log(&c);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned n = 0, phase = cases[i].phase;
		struct report_span span = phase ? report_phase_span(read, phase - 1) : report_all(read);

		compare_phase(&c, cases[i].asked, sets);
		assert_int_equal(c.phase, phase);
		for (unsigned m = 0; m < sets[SOURCE_GPU]->n_metrics; m++) {
			double want =
				report_value(read, SOURCE_GPU, &sets[SOURCE_GPU]->metrics[m], NULL, &span);

			assert_true(c.was[SOURCE_GPU][m] == want || isnan(want));
			n += !isnan(want);
		}
		assert_true(n > 50);
	}
	compare_fini(&c);
	report_log_fini(read);
	free(read);
	log_fini(&log);
	sys_fini(&sys);
}
