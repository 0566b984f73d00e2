#include "backends/registry.h"
#include "base/alloc.h"
#include "tests/support/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct bench {
	struct fixture fixture;
	struct gpudb *db;
	struct options options;
	struct source_options what;
	struct registry_result result;
	struct err err;
};

static int set_up(void **state)
{
	static struct bench b;

	b = (struct bench){0};
	fixture_init(&b.fixture, "rk3399");
	b.db = gpudb_load(NULL, 0, &b.err);
	assert_non_null(b.db);
	b.what = (struct source_options){.db = b.db, .seed = 1, .interval_ns = 100000000};
	*state = &b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	registry_result_fini(&b->result);
	gpudb_free(b->db);
	fixture_fini(&b->fixture);
	return 0;
}

static bool open_sources(struct bench *b)
{
	return registry_open(&b->fixture.sys, &b->options, &b->what, &b->result, &b->err);
}

static void every_backend_is_found_by_its_name(void **state)
{
	(void)state;
	for (unsigned i = 0; registry[i]; i++) {
		const struct backend *b = registry[i];

		assert_ptr_equal(registry_find(span_of(b->name)), b);
		assert_true(b->probe && b->open && b->start && b->fd && b->read && b->stop && b->close && b->describe);
	}
	assert_null(registry_find(span_of("pro")));
	assert_null(registry_find(span_of("")));
}

static void without_a_gpu_the_cpu_opens_and_a_line_says_what_was_looked_for(void **state)
{
	struct bench *b = *state;

	assert_true(open_sources(b));
	assert_int_equal(b->result.n, 1);
	assert_int_equal(b->result.sources[0]->kind, SOURCE_CPU);
	assert_string_equal(b->result.notes.p, "no GPU: looked for kbase (/dev/mali*: not there), Panfrost and Panthor "
					       "(/dev/dri/renderD*: not there); try --demo\n");
}

static void a_driver_that_is_there_is_not_called_missing(void **state)
{
	struct bench *b = *state;

	fixture_write(&b->fixture, "dev/dri/renderD128", "");
	assert_true(open_sources(b));
	assert_non_null(strstr(b->result.notes.p, "Panthor (/dev/dri/renderD*: there, but this build has no backend for it)"));
}

static void a_node_that_is_no_mali_driver_is_a_note(void **state)
{
	struct bench *b = *state;

	if (!registry_find(span_of("kbase")))
		skip();
	fixture_write(&b->fixture, "dev/mali0", "");
	assert_true(open_sources(b));
	assert_non_null(strstr(b->result.notes.p, "kbase: /dev/mali0: this is no Mali driver that malitop knows"));
	assert_non_null(strstr(b->result.notes.p, "kbase (/dev/mali*: there)"));
}

static void a_demo_is_simulated_and_says_nothing_of_drivers(void **state)
{
	struct bench *b = *state;

	b->options.scenario = "mixed";
	b->what.scenario = "mixed";
	assert_true(open_sources(b));
	assert_int_equal(b->result.n, 2);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(b->result.sources[i]->simulated, b->result.sources[i]->kind == SOURCE_GPU);
	assert_null(b->result.notes.p);
}

static void a_backend_by_name_is_the_only_one(void **state)
{
	struct bench *b = *state;

	b->options.backends = "sim";
	assert_true(open_sources(b));
	assert_int_equal(b->result.n, 1);
	assert_string_equal(b->result.sources[0]->backend->name, "sim");
}

static void an_unknown_backend_is_wrong_usage(void **state)
{
	struct bench *b = *state;

	b->options.backends = "proc,simm";
	assert_false(open_sources(b));
	assert_int_equal(b->err.code, ERR_USAGE);
	assert_non_null(strstr(b->err.text, "'simm' is not a backend of this build"));
}

static void an_asked_for_backend_that_cannot_open_is_an_error(void **state)
{
	struct bench *b = *state;

	b->options.scenario = b->what.scenario = "nonsense";
	assert_false(open_sources(b));
	assert_non_null(strstr(b->err.text, "nonsense"));
}

static void a_device_that_nobody_found_is_an_error(void **state)
{
	struct bench *b = *state;

	b->options.device = "/dev/mali7";
	assert_false(open_sources(b));
	assert_non_null(strstr(b->err.text, "/dev/mali7"));
}

static void a_device_that_was_named_and_cannot_be_opened_says_why(void **state)
{
	struct bench *b = *state;

	if (!registry_find(span_of("kbase")))
		skip();
	fixture_write(&b->fixture, "dev/mali0", "");
	fixture_write(&b->fixture, "dev/mali1", "");
	b->options.device = "/dev/mali1";
	assert_false(open_sources(b));
	assert_non_null(strstr(b->err.text, "kbase: /dev/mali1: this is no Mali driver that malitop knows"));
	b->options.device = "/dev/mali7";
	assert_false(open_sources(b));
	assert_non_null(strstr(b->err.text,
			       "--device: /dev/mali7: no backend of this build found a GPU there: there are /dev/mali0 "
			       "/dev/mali1"));
}

static void of_several_devices_each_that_fails_is_a_note(void **state)
{
	struct bench *b = *state;

	if (!registry_find(span_of("kbase")))
		skip();
	fixture_write(&b->fixture, "dev/mali0", "");
	fixture_write(&b->fixture, "dev/mali1", "");
	assert_true(open_sources(b));
	assert_non_null(strstr(b->result.notes.p, "/dev/mali0: this is no"));
	assert_non_null(strstr(b->result.notes.p, "/dev/mali1: this is no"));
	registry_result_fini(&b->result);
	b->options.backends = "kbase"; /* asked for, and none opens */
	assert_false(open_sources(b));
	assert_non_null(strstr(b->err.text, "this is no Mali driver"));
}

static void lists_may_have_blanks_and_interfaces(void **state)
{
	static const struct {
		const char *list, *scenario;
		unsigned n;
	} cases[] = {
		{" sim , proc ", NULL, 2}, {"sim:any", NULL, 1}, {"proc,proc", NULL, 1}, {"proc", "idle", 2}, {"sim", "idle", 1}};
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		b->options.backends = cases[i].list;
		b->options.scenario = b->what.scenario = cases[i].scenario;
		if (!open_sources(b))
			fail_msg("'%s': %s", cases[i].list, b->err.text);
		assert_int_equal(b->result.n, cases[i].n);
		registry_result_fini(&b->result);
	}
}

/* Which error it is, the machine that runs the test decides. */
static void events_that_nobody_counts_are_an_error_never_a_note(void **state)
{
	static const char *const events[] = {"no-such-event"};
	struct bench *b = *state;

	b->what.events = events;
	b->what.n_events = 1;
	assert_false(open_sources(b));
	assert_true(strstr(b->err.text, "perf") || strstr(b->err.text, "--event"));
	registry_result_fini(&b->result);
	b->options.backends = "proc";
	assert_false(open_sources(b));
	assert_int_equal(b->err.code, ERR_USAGE);
	assert_memory_equal(b->err.text, "--event: nothing counts CPU events: ", 36);
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_backend_is_found_by_its_name),
		WITH_BENCH(without_a_gpu_the_cpu_opens_and_a_line_says_what_was_looked_for),
		WITH_BENCH(a_driver_that_is_there_is_not_called_missing),
		WITH_BENCH(a_node_that_is_no_mali_driver_is_a_note),
		WITH_BENCH(a_demo_is_simulated_and_says_nothing_of_drivers),
		WITH_BENCH(a_backend_by_name_is_the_only_one),
		WITH_BENCH(lists_may_have_blanks_and_interfaces),
		WITH_BENCH(an_unknown_backend_is_wrong_usage),
		WITH_BENCH(an_asked_for_backend_that_cannot_open_is_an_error),
		WITH_BENCH(a_device_that_nobody_found_is_an_error),
		WITH_BENCH(a_device_that_was_named_and_cannot_be_opened_says_why),
		WITH_BENCH(of_several_devices_each_that_fails_is_a_note),
		WITH_BENCH(events_that_nobody_counts_are_an_error_never_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
