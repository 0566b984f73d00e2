/* malitop doctor: its findings and advice on all kinds of machines. */
#include "cli/doctor.h"
#include "backends/registry.h"
#include "base/alloc.h"
#include "tests/fake/fake_sys.h"
#include "tests/support/fixture.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine: fake Mali devices, files of a fixture, and a kernel with or without CPU counters. */
struct doctor_bench {
	struct fixture files;
	struct fake_sys fake;
	struct options options;
	struct strbuf out;
	struct err err;
};

FIXTURE(bench_init)
{
	struct doctor_bench *b = xcalloc(1, sizeof(*b));

	fixture_init(&b->files, "bare");
	fixture_write(&b->files, "proc/stat", "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
	fake_sys_init(&b->fake, b->files.root);
	b->options = (struct options){.interval_ns = 100000000, .format = FORMAT_TABLE};
	*state = b;
	return 0;
}

FIXTURE(bench_fini)
{
	struct doctor_bench *b = *state;
	const char *leaks = fake_sys_leaks(&b->fake);

	if (leaks)
		fail_msg("%s", leaks);
	fake_sys_fini(&b->fake);
	fixture_fini(&b->files);
	strbuf_fini(&b->out);
	free(b);
	return 0;
}

TEST_EACH(bench_init, bench_fini)

static enum exit_status run_program(struct doctor_bench *b)
{
	strbuf_clear(&b->out);
	b->err = (struct err){0};
	return doctor_run(&b->fake.sys, &b->options, &b->out, &b->err);
}

/* The output with line breaks and indentation as single blanks. */
static bool says(const struct doctor_bench *b, const char *words)
{
	AUTO_STRBUF struct strbuf flat = {0};
	struct span rest = {b->out.p, b->out.n};
	char *p;

	for (; rest.n; strbuf_str(&flat, " ")) {
		struct span line = span_trim(span_until(&rest, '\n')), word;

		while ((word = span_word(&line)).n) {
			strbuf_add(&flat, word.p, word.n);
			strbuf_str(&flat, " ");
		}
		if (flat.n)
			flat.p[--flat.n] = 0;
	}
	p = flat.n ? strstr(flat.p, words) : NULL;
	return p != NULL;
}

#define SAYS(b, words)                                                   \
	do {                                                             \
		if (!says(b, words))                                     \
			fail_msg("not said: %s\n%s", words, (b)->out.p); \
	} while (0)

TEST(a_gpu_that_gives_a_sample_works)
{
	struct doctor_bench *b = *state;

	if (!registry_find(span_of("kbase")))
		skip();
	fake_sys_add_gpu(&b->fake, "r44p0", 0x74021000, 3);
	assert_int_equal(run_program(b), EXIT_DONE);
	SAYS(b, "ok /dev/mali0: Mali-G52 2 cores (kbase r44p0): a sample of ");
	SAYS(b, "driver: K:r44p0-00eac0(GPL), API 11.39 (job manager)");
	SAYS(b, "counters: vinstr: ");
	SAYS(b, "A GPU can be measured");
	assert_string_equal(b->err.text, "");
}

TEST(without_a_gpu_it_fails_and_says_what_was_looked_for)
{
	struct doctor_bench *b = *state;

	assert_int_equal(run_program(b), EXIT_FAILED);
	assert_string_equal(b->err.text, "");
	SAYS(b, "missing /dev/mali0: no device node of Arm's driver");
	SAYS(b, "No GPU of this machine can be measured");
}

TEST(each_refusal_has_its_words_and_its_help)
{
	static const struct {
		enum fake_call call;
		unsigned at;
		int code;
		const char *said, *help;
	} cases[] = {
		/* the first open checks that the node exists */
		{FAKE_CALL_OPEN, 17, EACCES, "refused /dev/mali0: cannot open: Permission denied",
		 "-> sudo chmod a+rw /dev/mali0"},
		{FAKE_CALL_OPEN, 17, EIO, "cannot open: Input/output error", "loads firmware"},
		{FAKE_CALL_OPEN, 17, ENODEV, "missing /dev/mali0: ", "-> check dmesg"},
		{FAKE_CALL_OPEN, 17, EBUSY, "refused /dev/mali0: ", "stop other profilers"},
	};
	struct doctor_bench *b = *state;

	if (!registry_find(span_of("kbase")))
		skip();
	fake_sys_add_gpu(&b->fake, "r54p1", 0xb8520000, 3);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		b->fake.fault = (struct fake_fault){cases[i].call, cases[i].at, 1, cases[i].code};
		assert_int_equal(run_program(b), EXIT_FAILED);
		SAYS(b, cases[i].said);
		SAYS(b, cases[i].help);
		assert_false(says(b, "malitop doctor"));
	}
}

TEST(a_gpu_whose_samples_all_fail_says_how_many_and_why)
{
	static const struct {
		const char *driver;
		bool is_late; /* the time stamps are wrong; else the driver marks samples as failed */
		unsigned failed;
		enum exit_status status;
		const char *said;
	} cases[] = {
		{"r54p1", false, 1000, EXIT_FAILED,
		 "limited /dev/mali0: Mali-G615 2 cores (kbase r54p1): all 21 samples failed, the last one "
		 "because the driver "
		 "could "
		 "not read the counters"},
		{"r54p1", true, 1000, EXIT_FAILED,
		 "all 21 samples failed, the last one because its timestamps are impossible"},
		{"r42p0", true, 1000, EXIT_FAILED,
		 "all 21 samples failed, the last one because its timestamps are impossible"},
		{"r54p1", true, 3, EXIT_DONE,
		 "3 samples failed before that, the last one because its timestamps are impossible"},
	};

	if (!registry_find(span_of("kbase")))
		skip();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fake_gpu *gpu;
		void *own;
		struct doctor_bench *b;

		bench_init(&own);
		b = own;
		gpu = fake_sys_add_gpu(&b->fake, cases[i].driver, 0xb8520000, 3);
		*(cases[i].is_late ? &gpu->endless_samples : &gpu->failed_samples) = cases[i].failed;
		gpu->endless_stamp = INT64_MAX;
		assert_int_equal(run_program(b), cases[i].status);
		SAYS(b, cases[i].said);
		assert_false(says(b, "run something that draws"));
		bench_fini(&own);
	}
}

TEST(a_gpu_that_gives_no_sample_is_asked_to_draw)
{
	struct doctor_bench *b = *state;

	if (!registry_find(span_of("kbase")))
		skip();
	fake_sys_add_gpu(&b->fake, "r54p1", 0xb8520000, 3)->raises_to_ns = 4000000000;
	assert_int_equal(run_program(b), EXIT_FAILED);
	SAYS(b, "limited /dev/mali0: Mali-G615 2 cores (kbase r54p1): no sample within 2 s");
}

TEST(each_step_of_perf_rights_is_reported_with_what_lifts_it)
{
	static const struct {
		const char *machine;
		int paranoid, filtered;
		unsigned stolen; /* counters of each CPU */
		const char *said, *help;
	} cases[] = {
		{"a72x4", -1, 0, 0, "ok perf: all CPUs, kernel and user (perf): a sample of ", NULL},
		{"a72x4", -1, 0, 7,
		 "limited perf: 13 of 19 events had no counter for 104 ms: other programs or the kernel use "
		 "the counters",
		 "stop other programs that count"},
		{"a72x4", 1, 0, 0, "limited rights: own processes, kernel and user:",
		 "sudo sysctl kernel.perf_event_paranoid=0"},
		{"a72x4", 2, 0, 0,
		 "limited rights: own processes, user only:", "sudo setcap cap_perfmon+ep on malitop"},
		{"a72x4", 3, 0, 0, "refused perf: CPU events cannot be counted: Permission denied",
		 "perf_event_paranoid=0"},
		{"a72x4", -1, EPERM, 0, "refused perf: CPU events cannot be counted: Operation not permitted",
		 "seccomp profile"},
		{"vm", -1, 0, 0, "ok perf: all CPUs, kernel and user",
		 "a virtual machine without a virtual PMU?"},
		{"vm", 2, 0, 0, "limited rights: own processes, user only", "perf_event_paranoid=0"},
		{NULL, 0, 0, 0, "missing perf: the kernel was built without perf events",
		 "CONFIG_PERF_EVENTS"},
	};

	if (!registry_find(span_of("perf")))
		skip();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		void *own;
		struct doctor_bench *b;
		struct fake_perf *perf;

		bench_init(&own);
		b = own;
		if (cases[i].machine) {
			perf = fake_sys_add_perf(&b->fake, cases[i].machine);
			perf->paranoid = cases[i].paranoid;
			perf->filtered = cases[i].filtered;
			fake_perf_steal(perf, -1, cases[i].stolen);
			fake_perf_tree(perf, b->files.root);
		}
		fixture_write(&b->files, "proc/self/status",
			      "Name:\tmalitop\nUid:\t1000\t1000\t1000\t1000\n");
		fixture_write(&b->files, "proc/1000/status",
			      "Name:\tmalitop\nUid:\t1000\t1000\t1000\t1000\n");
		fixture_write(&b->files, "proc/1000/task/1000/stat", "1000 (malitop) R\n");
		run_program(b);
		SAYS(b, cases[i].said);
		if (cases[i].help)
			SAYS(b, cases[i].help);
		bench_fini(&own);
	}
}

TEST(a_gpu_without_a_driver_is_one_command_away)
{
	struct doctor_bench *b = *state;

	fixture_write(&b->files, "sys/bus/platform/devices/fb000000.gpu/of_node/compatible",
		      "arm,mali-valhall-csf");
	fixture_write(&b->files, "sys/bus/platform/devices/fe000000.uart/of_node/compatible", "arm,pl011");
	run_program(b);
	SAYS(b, "fb000000.gpu: a GPU in the device tree: arm,mali-valhall-csf -> sudo modprobe panthor");
	assert_false(says(b, "uart"));
}

TEST(a_node_that_this_build_has_no_backend_for_is_reported)
{
	static const char *const drivers[] = {"panfrost", "panthor"};
	struct doctor_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(drivers); i++) {
		AUTOFREE char *uevent = xasprintf("DRIVER=%s\n", drivers[i]);

		fixture_write(&b->files, "dev/dri/renderD128", "");
		fixture_write(&b->files, "sys/class/drm/renderD128/device/uevent", uevent);
		run_program(b);
		assert_int_equal(says(b, "unsupported /dev/dri/renderD128: driver "),
				 !registry_find(span_of(drivers[i])));
	}
}

TEST(json_lines_are_objects_and_the_last_one_sums_up)
{
	struct doctor_bench *b = *state;
	struct span rest;
	struct span line = {0};
	unsigned n = 0;

	fixture_write(&b->files, "proc/sys/kernel/perf_event_paranoid",
		      "2\"\033[2J\n"); /* the kernel is untrusted */
	b->options.format = FORMAT_JSONL;
	assert_int_equal(run_program(b), EXIT_FAILED);
	for (rest = (struct span){b->out.p, b->out.n}; rest.n; n++) {
		line = span_until(&rest, '\n');
		assert_true(line.n > 2 && line.p[0] == '{' && line.p[line.n - 1] == '}');
	}
	assert_true(n > 5);
	assert_non_null(memmem(line.p, line.n, "\"gpu_works\":false", 17));
	assert_non_null(strstr(b->out.p, "\"words\":\"2\\\"?[2J\""));
	assert_null(strchr(b->out.p, '\033'));
}
