#include "session/devices.h"
#include "backends/registry.h"
#include "backends/process/process_scan.h"
#include "base/alloc.h"
#include "tests/support/fixture.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

struct devices_bench {
	struct fixture fixture;
	struct gpudb *db;
	struct options options;
	struct source_options what;
	struct devices devices;
	struct err err;
};

FIXTURE(set_up)
{
	static struct devices_bench b;

	b = (struct devices_bench){0};
	fixture_init(&b.fixture, "rk3399");
	b.db = gpudb_load(NULL, 0, &b.err);
	assert_non_null(b.db);
	b.what = (struct source_options){.db = b.db, .seed = 1, .interval_ns = 100000000};
	*state = &b;
	return 0;
}

FIXTURE(tear_down)
{
	struct devices_bench *b = *state;

	devices_fini(&b->devices);
	gpudb_free(b->db);
	fixture_fini(&b->fixture);
	return 0;
}

static bool open_sources(struct devices_bench *b)
{
	return devices_open(&b->fixture.sys, &b->options, &b->what, &b->devices, &b->err);
}

TEST(every_backend_is_found_by_its_name)
{
	for (unsigned i = 0; registry[i]; i++) {
		const struct backend *b = registry[i];

		assert_ptr_equal(registry_find(span_of(b->name)), b->part_of ? NULL : b);
		assert_true(b->probe && b->open && b->start && b->read && b->stop && b->close && b->describe);
	}
	assert_null(registry_find(span_of("pro")));
	assert_null(registry_find(span_of("")));
}

TEST_WITH(without_a_gpu_the_cpu_opens_and_a_line_says_what_was_looked_for, set_up, tear_down)
{
	struct devices_bench *b = *state;

	b->options.command = COMMAND_RECORD; /* the live screen listens to applications, too */
	assert_true(open_sources(b));
	assert_int_equal(b->devices.n, 1);
	assert_int_equal(b->devices.sources[0]->kind, SOURCE_CPU);
	assert_string_equal(b->devices.notes.p,
			    "no GPU: looked for kbase (/dev/mali*: not there), Panfrost and Panthor "
			    "(/dev/dri/renderD*: not there); try --demo\n");
	assert_string_equal(b->devices.no_gpu.p, "looked for\n"
						 "/dev/mali*\tnot there\n"
						 "/dev/dri/renderD*\tnot there\n"
						 "\n"
						 "to try\n"
						 "malitop doctor\tsays why, step by step\n"
						 "malitop --demo\ta simulated GPU\n"
						 "malitop run.mlog\treplay of a log\n");
}

/* libdrm finds no node in a captured tree, so none is opened. */
static const char *there(const char *driver)
{
	return registry_find(span_of(driver))
		       ? "(/dev/dri/renderD*: there)"
		       : "(/dev/dri/renderD*: there, but this build has no backend for it)";
}

/* Whose node it is, the kernel driver tells, not the name. */
TEST_WITH(a_display_node_is_no_mali_gpu, set_up, tear_down)
{
	const struct {
		const char *uevent, *text;
	} cases[] = {
		{"DRIVER=v3d\nOF_NAME=gpu\n", "(/dev/dri/renderD*: of v3d, not a Mali driver)"},
		{"DRIVER=virtio_gpu\nMODALIAS=virtio:d00000010v00001AF4\n",
		 "(/dev/dri/renderD*: of virtio_gpu, not a Mali driver)"},
		{"OF_NAME=gpu\nDRIVER=panfrost\n", there("panfrost")},
		{"DRIVER=panthor", there("panthor")},
		{"DRIVER=panfrostx\n", "(/dev/dri/renderD*: of panfrostx, not a Mali driver)"},
		{"DRIVER=\033[2J\n", "(/dev/dri/renderD*: of ?[2J, not a Mali driver)"},
		{"", "(/dev/dri/renderD*: there, but its kernel driver is unknown)"},
	};
	struct devices_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fixture_write(&b->fixture, "dev/dri/renderD128", "");
		fixture_write(&b->fixture, "dev/dri/card0", "");
		fixture_write(&b->fixture, "sys/class/drm/renderD128/device/uevent", cases[i].uevent);
		assert_true(open_sources(b));
		if (!strstr(b->devices.notes.p, cases[i].text))
			fail_msg("'%s' does not say '%s'", b->devices.notes.p, cases[i].text);
		devices_fini(&b->devices);
	}
}

TEST_WITH(a_report_on_a_command_needs_no_gpu, set_up, tear_down)
{
	static char word[] = "true", *cmd[] = {word, NULL};
	static const struct {
		enum command_word command;
		char **cmd;
		bool told;
	} cases[] = {{COMMAND_STAT, cmd, false},
		     {COMMAND_STAT, NULL, true},
		     {COMMAND_RECORD, cmd, true},
		     {COMMAND_LIVE, NULL, true}};
	struct devices_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		b->options.command = cases[i].command;
		b->options.cmd = cases[i].cmd;
		assert_true(open_sources(b));
		assert_int_equal(b->devices.notes.p && strstr(b->devices.notes.p, "no GPU"), cases[i].told);
		assert_int_equal(b->devices.no_gpu.n > 0, cases[i].told);
		devices_fini(&b->devices);
	}
}

TEST_WITH(a_driver_that_is_there_is_not_called_missing, set_up, tear_down)
{
	struct devices_bench *b = *state;

	fixture_write(&b->fixture, "dev/dri/renderD128", "");
	assert_true(open_sources(b));
	assert_non_null(strstr(b->devices.notes.p,
			       "Panthor (/dev/dri/renderD*: there, but its kernel driver is unknown)"));
}

TEST_WITH(a_node_that_is_no_mali_driver_is_a_note, set_up, tear_down)
{
	struct devices_bench *b = *state;

	if (!registry_find(span_of("kbase")))
		skip();
	fixture_write(&b->fixture, "dev/mali0", "");
	assert_true(open_sources(b));
	assert_non_null(
		strstr(b->devices.notes.p, "kbase: /dev/mali0: not a Mali driver that malitop supports"));
	assert_non_null(strstr(b->devices.notes.p, "kbase (/dev/mali*: there)"));
	assert_non_null(strstr(b->devices.no_gpu.p, "\n/dev/mali*\tthere\n"));
	assert_non_null(strstr(b->devices.no_gpu.p,
			       "\n\nkbase: /dev/mali0: not a Mali driver that malitop supports"));
}

TEST_WITH(only_the_live_screen_and_passes_listen_to_applications, set_up, tear_down)
{
	static const struct {
		enum command_word command;
		bool passes, listens;
	} rows[] = {{COMMAND_LIVE, false, true},
		    {COMMAND_RECORD, false, false},
		    {COMMAND_RECORD, true, true},
		    {COMMAND_STAT, true, true}};
	struct devices_bench *b = *state;

	if (!registry_find(span_of("passes")))
		skip();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool listens = false;

		b->options.command = rows[i].command;
		b->options.passes = rows[i].passes;
		assert_true(open_sources(b));
		for (unsigned s = 0; s < b->devices.n; s++)
			listens |= b->devices.sources[s]->kind == SOURCE_PASSES;
		assert_int_equal(listens, rows[i].listens);
		devices_fini(&b->devices);
	}
}

TEST_WITH(a_live_screen_that_cannot_listen_is_a_note_and_passes_an_error, set_up, tear_down)
{
	struct devices_bench *b = *state;
	const char *before = getenv("XDG_RUNTIME_DIR");

	if (!registry_find(span_of("passes")))
		skip();
	setenv("XDG_RUNTIME_DIR", "/proc", 1);
	assert_true(open_sources(b));
	assert_non_null(strstr(b->devices.notes.p, "passes: /proc/malitop: cannot use this directory"));
	devices_fini(&b->devices);
	b->options.command = COMMAND_STAT;
	b->options.passes = true;
	assert_false(open_sources(b));
	before ? setenv("XDG_RUNTIME_DIR", before, 1) : unsetenv("XDG_RUNTIME_DIR");
}

TEST_WITH(a_demo_is_simulated_and_says_nothing_of_drivers, set_up, tear_down)
{
	struct devices_bench *b = *state;

	b->options.scenario = "mixed";
	b->what.scenario = "mixed";
	assert_true(open_sources(b));
	assert_int_equal(b->devices.n, SOURCE_HOT); /* this and the mix are no simulated kinds */
	for (unsigned i = 0; i < SOURCE_HOT; i++) {
		assert_true(b->devices.sources[i]->simulated);
		assert_int_equal(b->devices.sources[i]->kind, i);
	}
	assert_non_null(devices_processes(&b->options));
	assert_null(b->devices.notes.p);
}

/* A kernel that must not be asked: every call of it would be one to NULL. */
TEST_WITH(a_demo_reads_nothing_of_the_machine_that_it_runs_on, set_up, tear_down)
{
	static const struct sys none;
	struct devices_bench *b = *state;
	struct sample *sample = xcalloc(1, sizeof(*sample) + 20000 * sizeof(uint64_t));
	const struct process_reader *processes;
	struct process_list *list;
	AUTO_STRBUF struct strbuf text = {0};
	void *reader;

	b->options.scenario = "mixed";
	b->what.scenario = "mixed";
	b->what.per_instance = true;
	if (!devices_open(&none, &b->options, &b->what, &b->devices, &b->err))
		fail_msg("%s", b->err.text);
	for (unsigned i = 0; i < b->devices.n; i++) {
		struct source *source = b->devices.sources[i];

		assert_true(source->n_slots < 20000);
		assert_true(source->backend->start(source, 500000000, 0, &b->err));
		assert_int_equal(source->backend->read(source, 500000000, sample), READ_GOT);
		source->backend->describe(source, &text);
		source->backend->stop(source);
	}
	processes = devices_processes(&b->options);
	reader = processes->new (&none, &b->what);
	list = processes->read(reader, &(struct process_query){.threads_of = 5}, 1000000000);
	assert_true(list->n > 10);
	process_list_free(list);
	processes->free(reader);
	free(sample);
}

TEST_WITH(beside_the_cpus_of_this_machine_only_the_gpu_is_simulated, set_up, tear_down)
{
	static const char *const lists[] = {"proc", "sim,proc", "perf", "sim:gpu"};
	struct devices_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		if (strcmp(lists[i], "perf") == 0 && !registry_find(span_of("perf")))
			continue;
		b->options.backends = lists[i];
		b->options.scenario = b->what.scenario = lists[i][0] == 's' ? NULL : "mixed";
		assert_null(devices_processes(&b->options));
	}
}

TEST_WITH(a_backend_by_name_is_the_only_one, set_up, tear_down)
{
	struct devices_bench *b = *state;

	b->options.backends = "sim";
	assert_true(open_sources(b));
	assert_int_equal(b->devices.n, 4);
	for (unsigned i = 0; i < b->devices.n; i++)
		assert_memory_equal(b->devices.sources[i]->backend->name, "sim", 3);
}

TEST_WITH(an_asked_for_backend_that_cannot_open_is_an_error, set_up, tear_down)
{
	struct devices_bench *b = *state;

	b->options.scenario = b->what.scenario = "nonsense";
	assert_false(open_sources(b));
	assert_non_null(strstr(b->err.text, "nonsense"));
}

TEST_WITH(a_device_that_nobody_found_is_an_error, set_up, tear_down)
{
	struct devices_bench *b = *state;

	b->options.device = "/dev/mali7";
	assert_false(open_sources(b));
	assert_non_null(strstr(b->err.text, "/dev/mali7"));
}

TEST_WITH(a_device_that_was_named_and_cannot_be_opened_says_why, set_up, tear_down)
{
	struct devices_bench *b = *state;

	if (!registry_find(span_of("kbase")))
		skip();
	fixture_write(&b->fixture, "dev/mali0", "");
	fixture_write(&b->fixture, "dev/mali1", "");
	b->options.device = "/dev/mali1";
	assert_false(open_sources(b));
	assert_non_null(strstr(b->err.text, "kbase: /dev/mali1: not a Mali driver that malitop supports"));
	b->options.device = "/dev/mali7";
	assert_false(open_sources(b));
	assert_non_null(strstr(
		b->err.text,
		"--device: /dev/mali7: no backend of this build found a GPU there: there are /dev/mali0 "
		"/dev/mali1"));
}

TEST_WITH(of_several_devices_each_that_fails_is_a_note, set_up, tear_down)
{
	struct devices_bench *b = *state;

	if (!registry_find(span_of("kbase")))
		skip();
	fixture_write(&b->fixture, "dev/mali0", "");
	fixture_write(&b->fixture, "dev/mali1", "");
	assert_true(open_sources(b));
	assert_non_null(strstr(b->devices.notes.p, "/dev/mali0: not a"));
	assert_non_null(strstr(b->devices.notes.p, "/dev/mali1: not a"));
	devices_fini(&b->devices);
	b->options.backends = "kbase"; /* asked for, and none opens */
	assert_false(open_sources(b));
	assert_non_null(strstr(b->err.text, "not a Mali driver"));
}

TEST_WITH(lists_may_have_blanks_and_interfaces, set_up, tear_down)
{
	static const struct {
		const char *list, *scenario;
		unsigned n;
	} cases[] = {{" sim , proc ", NULL, 2}, {"sim:gpu", NULL, 1}, {"proc,proc", NULL, 1},
		     {"proc", "idle", 2},       {"sim", "idle", 4},   {NULL, "idle", 4}};
	struct devices_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		b->options.backends = cases[i].list;
		b->options.scenario = b->what.scenario = cases[i].scenario;
		if (!open_sources(b))
			fail_msg("'%s': %s", cases[i].list, b->err.text);
		assert_int_equal(b->devices.n, cases[i].n);
		devices_fini(&b->devices);
	}
}

/* Which error it is, the machine that runs the test decides. */
TEST_WITH(events_that_nobody_counts_are_an_error_never_a_note, set_up, tear_down)
{
	static const char *const events[] = {"no-such-event"};
	struct devices_bench *b = *state;

	b->what.events = events;
	b->what.n_events = 1;
	assert_false(open_sources(b));
	assert_true(strstr(b->err.text, "perf") || strstr(b->err.text, "--event"));
	devices_fini(&b->devices);
	b->options.backends = "proc";
	assert_false(open_sources(b));
	assert_int_equal(b->err.code, ERR_USAGE);
	assert_memory_equal(b->err.text, "--event: nothing counts CPU events: ", 36);
}

TEST_WITH(whose_events_were_asked_for_and_cannot_be_counted_is_an_error_never_a_note, set_up, tear_down)
{
	static const struct {
		struct scope scope;
		const char *text;
	} cases[] = {
		{{.kind = SCOPE_PROCESS, .pid = 99999}, "--pid: nothing counts CPU events: "},
		{{.kind = SCOPE_THREAD, .pid = 99999}, "--tid: nothing counts CPU events: "},
		{{.kind = SCOPE_CPUS, .cpus = "77"}, "--cpu: nothing counts CPU events: "},
	};
	struct devices_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		b->what.scope = cases[i].scope;
		b->options.backends = NULL;
		assert_false(open_sources(b));
		assert_null(b->devices.notes.p);
		devices_fini(&b->devices);
		b->options.backends = "proc";
		assert_false(open_sources(b));
		assert_int_equal(b->err.code, ERR_USAGE);
		assert_memory_equal(b->err.text, cases[i].text, strlen(cases[i].text));
		devices_fini(&b->devices);
	}
}
