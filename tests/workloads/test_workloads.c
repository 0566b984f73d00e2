/* The workloads do what they predict, as far as this machine counts it; and they count of
 * themselves what is counted around them. */
#include "backends/perf/perf_name.h"
#include "backends/perf/perf_group.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS 8
#define NOTHING_COUNTED 77

/* Where everything runs: on a machine with two kinds of cores a group counts one kind. */
static int cpu;

/* What a workload printed, what it cost, and what a group around it counted. */
struct workload_report {
	struct strbuf text;
	int status;
	double cpu_ns;
	uint64_t around; /* UINT64_MAX: not counted */
};

static void exec_held(const char *const *args, const int hold[2], int out)
{
	char path[64], go;

	snprintf(path, sizeof(path), "tests/workloads/%s", args[0]);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	close(hold[1]);
	if (read(hold[0], &go, 1) == 1)
		execv(path, (char **)(uintptr_t)args);
	_exit(127);
}

static void read_all(struct strbuf *text, int fd)
{
	char part[4096];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) > 0)
		strbuf_add(text, part, (size_t)n);
}

/* Run tests/workloads/ARGS[0], and count `event` (or nothing) from its first instruction to its
 * end. */
static void run_program(struct workload_report *r, const char *event, const char *const args[ARGS])
{
	struct perf_event counted = {.name = event};
	struct perf_reading reading;
	struct perf_group group = {0};
	int hold[2], out[2], status;
	struct rusage usage;
	struct sys sys;
	pid_t pid;

	*r = (struct workload_report){.around = UINT64_MAX};
	assert_true(sys_init(&sys, NULL, NULL));
	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		exec_held(args, hold, out[1]);
	close(out[1]);
	perf_group_init(&group, &sys,
			&(struct perf_target){
				.pid = pid, .cpu = cpu, .user_only = true, .inherit = true, .on_exec = true});
	if (event) {
		assert_true(perf_generic_find(span_of(event), &counted));
		perf_group_add(&group, &counted, NULL);
	}
	assert_int_equal(write(hold[1], "", 1), 1);
	read_all(&r->text, out[0]);
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	r->status = WEXITSTATUS(status);
	r->cpu_ns = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
		    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
	if (group.n && perf_group_read(&group, &reading) && reading.running_ns)
		r->around = perf_estimate(reading.count[0], reading.enabled_ns, reading.running_ns, NULL);
	perf_group_fini(&group);
	close(hold[0]);
	close(hold[1]);
	close(out[0]);
	sys_fini(&sys);
	if (r->status && r->status != NOTHING_COUNTED && r->status != 2)
		fail_msg("%s: %s", args[0], r->text.p ? r->text.p : "");
}

static void report_fini(struct workload_report *r)
{
	strbuf_fini(&r->text);
}

static double number(struct span word)
{
	char digits[64];
	size_t n = 0;
	double v;

	for (size_t i = 0; i < word.n && n < sizeof(digits); i++)
		if (word.p[i] != ',')
			digits[n++] = word.p[i];
	return span_double((struct span){digits, n}, &v) ? v : NAN;
}

/* The row "NAME PREDICTED MEASURED" behind the title that holds `title`; NAN for a dash and for a
 * row that is not there. */
static void find_row(const struct workload_report *r, const char *title, const char *name, double *predicted,
		     double *measured)
{
	const char *from = r->text.p ? strstr(r->text.p, title) : NULL;
	struct span rest = span_of(from);

	*predicted = *measured = NAN;
	assert_non_null(from);
	span_until(&rest, '\n');
	while (rest.n) {
		struct span line = span_until(&rest, '\n'), word = span_word(&line);

		if (word.n && word.p[word.n - 1] == ':')
			return; /* the next title */
		if (!span_is(word, name))
			continue;
		*predicted = number(span_word(&line));
		*measured = number(span_word(&line));
		return;
	}
}

static double measured_of(const struct workload_report *r, const char *title, const char *name)
{
	double predicted, measured;

	find_row(r, title, name, &predicted, &measured);
	return measured;
}

static void assert_between(double value, double low, double high)
{
	if (!(value >= low && value <= high))
		fail_msg("%.9g is not between %.9g and %.9g", value, low, high);
}

static void skip_uncounted(const char *what)
{
	print_message("%s cannot be counted here\n", what);
	skip();
}

TEST(both_products_are_equal)
{
	struct workload_report r;

	run_program(&r, NULL, (const char *const[ARGS]){"matrix", "--size", "65", "--iterations", "1"});
	assert_non_null(strstr(r.text.p, "interchanged: 65 rows"));
	assert_null(strstr(r.text.p, "WRONG"));
	report_fini(&r);
}

TEST(a_workload_says_why_nothing_was_counted)
{
	struct workload_report r;

	run_program(&r, NULL, (const char *const[ARGS]){"pages", "--size", "1", "--iterations", "1"});
	assert_true((r.status == NOTHING_COUNTED) ==
		    (strstr(r.text.p, "skipped: no hardware events: cycles: ") != NULL));
	report_fini(&r);
	run_program(&r, NULL,
		    (const char *const[ARGS]){"pages", "--size", "1", "--iterations", "1", "--software"});
	assert_int_equal(r.status, 0);
	report_fini(&r);
}

TEST(wrong_options_are_refused)
{
	static const char *const cases[][ARGS] = {{"branches", "--size", "0"},
						  {"branches", "--size", "-1"},
						  {"matrix", "--iterations", "many"},
						  {"pages", "--no-such-option"},
						  {"pages", "one"},
						  {"chase", "--size", "1"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct workload_report r;

		run_program(&r, NULL, cases[i]);
		assert_int_equal(r.status, 2);
		report_fini(&r);
	}
}

TEST(every_new_page_is_one_fault)
{
	double predicted, measured;
	struct workload_report r;

	run_program(&r, NULL, (const char *const[ARGS]){"pages", "--size", "3000", "--iterations", "2"});
	find_row(&r, "pages: first write", "page-faults", &predicted, &measured);
	report_fini(&r);
	assert_true(predicted == 6000);
	if (isnan(measured))
		skip_uncounted("page faults");
	assert_between(measured, 6000, 6060);
}

TEST(warm_loops_have_no_faults)
{
	static const char *const cases[][ARGS] = {{"branches", "--size", "1000000", "--iterations", "2"},
						  {"matrix", "--size", "100", "--iterations", "2"},
						  {"chase", "--size", "1000000", "--iterations", "100000"}};
	static const char *const titles[] = {"branches: random", "matrix: interchanged", "chase: 976 KiB"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double measured;
		struct workload_report r;

		run_program(&r, NULL, cases[i]);
		measured = measured_of(&r, titles[i], "page-faults");
		report_fini(&r);
		if (isnan(measured))
			skip_uncounted("page faults");
		assert_between(measured, 0, 100); /* the memory has some 250 and 60 pages */
	}
}

/* Durations are only as good as the machine is quiet: the largest number of tries. */
#define ATTEMPTS 50

TEST(the_task_clock_is_the_cpu_time_inside_and_around)
{
	bool agree = false;

	for (int i = 0; i < ATTEMPTS && !agree; i++) {
		double inside, used;
		struct workload_report r;

		run_program(&r, "task-clock",
			    (const char *const[ARGS]){"branches", "--size", "2000000", "--iterations", "60",
						      "--software"});
		inside = measured_of(&r, "branches: random", "task-clock");
		used = measured_of(&r, "branches: random", "CPU-time");
		report_fini(&r);
		if (isnan(inside) || r.around == UINT64_MAX)
			skip_uncounted("the task clock");
		assert_true(inside < (double)r.around);
		/* getrusage is as old as the last tick of the kernel, 10 ms at most, and does not
		 * count what the host of a virtual machine took. */
		agree = fabs(inside - used) < used * 0.05 + 2e7 &&
			fabs((double)r.around - r.cpu_ns) < r.cpu_ns * 0.05 + 2e7;
	}
	assert_true(agree);
}

/* What a workload counts of itself, and what is counted around it, differ by what its start takes:
 * compare long runs with short ones. */
static void assert_agree(const char *event, const char *title, const char *const args[2][ARGS])
{
	double inside[2], around[2];

	for (int i = 0; i < 2; i++) {
		struct workload_report r;

		run_program(&r, event, args[i]);
		inside[i] = measured_of(&r, title, event) * measured_of(&r, title, "runs");
		around[i] = r.around == UINT64_MAX ? NAN : (double)r.around;
		report_fini(&r);
	}
	if (isnan(inside[0]) || isnan(around[0]))
		skip_uncounted(event);
	assert_between((around[0] - around[1]) / (inside[0] - inside[1]), 0.98, 1.02);
}

TEST(faults_inside_agree_with_those_around)
{
	assert_agree("page-faults", "pages: first write",
		     (const char *const[2][ARGS]){{"pages", "--size", "5000", "--iterations", "5"},
						  {"pages", "--size", "1", "--iterations", "5"}});
}

TEST(instructions_inside_agree_with_those_around)
{
	assert_agree("instructions", "chase: 8 KiB",
		     (const char *const[2][ARGS]){{"chase", "--size", "8192", "--iterations", "100000000"},
						  {"chase", "--size", "8192", "--iterations", "10000000"}});
}

TEST(random_text_costs_more_time_than_text_that_can_be_guessed)
{
	bool more = false;

	for (int i = 0; i < ATTEMPTS && !more; i++) {
		double random, ones, zeroes;
		struct workload_report r;

		run_program(&r, NULL,
			    (const char *const[ARGS]){"branches", "--size", "2000000", "--iterations", "10",
						      "--software"});
		random = measured_of(&r, "branches: random", "task-clock");
		ones = measured_of(&r, "branches: ones", "task-clock");
		zeroes = measured_of(&r, "branches: zeroes", "task-clock");
		report_fini(&r);
		if (isnan(random))
			skip_uncounted("the task clock");
		more = random > 1.2 * ones && random > 1.2 * zeroes;
	}
	assert_true(more);
}

static double ns_per_access(const char *size)
{
	struct workload_report r;
	double ns;

	run_program(
		&r, NULL,
		(const char *const[ARGS]){"chase", "--size", size, "--iterations", "400000", "--software"});
	ns = measured_of(&r, "chase: ", "ns-per-access");
	assert_true(measured_of(&r, "chase: ", "median-ns") >= 0);
	report_fini(&r);
	return ns;
}

TEST(memory_costs_more_time_than_a_cache)
{
	bool more = false;

	for (int i = 0; i < ATTEMPTS && !more; i++)
		more = ns_per_access("33554432") > 1.5 * ns_per_access("8192");
	assert_true(more);
}

TEST(hardware_counts_what_the_code_predicts)
{
	/* Ratio of the measured to the predicted value, or, where it is 0, the measured one. */
	static const struct {
		const char *args[ARGS], *title, *row;
		double low, high;
	} cases[] = {
		{{"branches", "--iterations", "2"}, "branches: random", "instructions", 0.99, 1.02},
		{{"branches", "--iterations", "2"}, "branches: random", "branches", 0.99, 1.1},
		{{"branches", "--iterations", "2"}, "branches: random", "mispredict-ratio", 0.8, 1.2},
		{{"branches", "--iterations", "2"}, "branches: ones", "mispredict-ratio", 0, 0.02},
		{{"branches", "--iterations", "2"}, "branches: zeroes", "mispredict-ratio", 0, 0.02},
		{{"matrix", "--size", "200"}, "matrix: textbook", "instructions", 0.99, 1.05},
		{{"matrix", "--size", "200"}, "matrix: interchanged", "instructions", 0.99, 1.05},
		{{"chase", "--size", "4096"}, "chase: 4 KiB", "instructions", 0.99, 1.02},
		{{"chase", "--size", "4096"}, "chase: 4 KiB", "L1D-reads", 0.9, 1.5},
		{{"chase", "--size", "4096"}, "chase: 4 KiB", "L1D-miss-ratio", 0, 0.1},
		{{"chase", "--size", "4194304"}, "chase: 4096 KiB", "L1D-miss-ratio", 0.5, 2},
	};
	unsigned counted = 0;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double predicted, measured;
		struct workload_report r;

		run_program(&r, NULL, cases[i].args);
		find_row(&r, cases[i].title, cases[i].row, &predicted, &measured);
		report_fini(&r);
		if (r.status == NOTHING_COUNTED)
			break;
		if (isnan(predicted) || isnan(measured))
			continue; /* not every CPU has every event */
		print_message("%s, %s: %g predicted, %g measured\n", cases[i].title, cases[i].row, predicted,
			      measured);
		assert_between(predicted ? measured / predicted : measured, cases[i].low, cases[i].high);
		counted++;
	}
	if (!counted)
		skip_uncounted("hardware events");
}

TEST(the_example_counts_its_loop)
{
	struct workload_report r;

	run_program(&r, NULL, (const char *const[ARGS]){"loop"});
	assert_true(r.status == NOTHING_COUNTED || strstr(r.text.p, "task-clock "));
	report_fini(&r);
}

static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	cpu = sched_getcpu();
	CPU_ZERO(&set);
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		cpu = -1;
}

int main(void)
{
	stay_on_one_cpu();

	return test_run();
}
