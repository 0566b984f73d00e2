/* malitop.h in a program of our own. */
#include "tests/layer/listener.h"
#include "tests/support/test.h"

#include <sys/wait.h>

static void play(const char *scene)
{
	char name[16];
	char *const argv[] = {(char *)(uintptr_t) "tests/layer/regions", name, NULL};

	snprintf(name, sizeof(name), "%s", scene);
	assert_true(listener_play(&listener, argv, NULL, 0));
	assert_int_equal(listener.status, 0);
	assert_string_equal(listener.output, "");
	assert_int_equal(listener.reader.invalid, 0);
	/* a program that marks without a pause overtakes its reader */
	assert_true(listener.n == LISTENER_EVENTS || listener.reader.torn == 0);
}

static const struct passes_event *event_named(const char *name)
{
	for (unsigned i = 0; i < listener.n; i++)
		if (strcmp(listener.names[i], name) == 0)
			return &listener.events[i];
	fail_msg("no event \"%s\"", name);
	return NULL;
}

TEST(regions_nest_and_frames_follow_each_other)
{
	const struct passes_event *outer, *inner, *mark;
	int64_t end = 0;

	play("nested");
	assert_string_equal(listener.title, "regions");
	assert_int_equal(listener.stamp, PASSES_STAMP_NONE);
	assert_int_equal(listener_count(&listener, PASSES_REGION, "physics"), 10);
	assert_int_equal(listener_count(&listener, PASSES_REGION, "solver"), 20);
	assert_int_equal(listener_count(&listener, PASSES_REGION, "other file"), 10);
	assert_int_equal(listener_count(&listener, PASSES_FRAME, NULL), 10);
	outer = event_named("physics");
	inner = event_named("solver");
	assert_true(inner->begin_ns >= outer->begin_ns && inner->end_ns <= outer->end_ns);
	for (unsigned i = 0; i < listener.n; i++)
		if (listener.events[i].type == PASSES_FRAME) {
			assert_int_equal(listener.events[i].kind, PASSES_CALLED);
			assert_true(!end || listener.events[i].begin_ns == end);
			end = listener.events[i].end_ns;
		}
	mark = &listener.events[listener.n - 1];
	assert_int_equal(mark->type, PASSES_MARK);
	assert_non_null(strstr(listener.names[listener.n - 1], "level"));
	assert_null(strchr(listener.names[listener.n - 1], '\033'));
}

TEST(regions_deeper_than_32_are_not_recorded)
{
	play("deep");
	assert_int_equal(listener_count(&listener, PASSES_REGION, "deep"), 32);
}

TEST(each_thread_has_its_own_regions)
{
	play("threads");
	assert_int_equal(listener_count(&listener, PASSES_REGION, "other file"), 81);
	for (unsigned i = 0; i < 8; i++) {
		const struct passes_event *first;
		char name[16];

		snprintf(name, sizeof(name), "worker %u", i);
		assert_int_equal(listener_count(&listener, PASSES_REGION, name), 10);
		first = event_named(name);
		assert_true(first->thread > 0);
		for (unsigned n = 0; n < listener.n; n++)
			if (listener.events[n].thread == first->thread)
				assert_true(strcmp(listener.names[n], name) == 0 ||
					    strcmp(listener.names[n], "other file") == 0);
	}
}

TEST(a_child_of_fork_records_nothing)
{
	play("fork");
	assert_int_equal(listener.n, 1);
	assert_string_equal(listener.names[0], "parent");
}

/* A thread that is in the middle of a mark while another forks has the lock of both. */
TEST(children_end_whatever_the_threads_of_their_parent_did)
{
	play("forks");
	assert_int_equal(listener_count(&listener, PASSES_REGION, "child"), 0);
	assert_int_equal(listener_count(&listener, PASSES_MARK, "child"), 0);
	assert_int_equal(listener_count(&listener, PASSES_FRAME, NULL), 0);
}

TEST(a_program_is_gone_when_it_ends_though_its_child_lives)
{
	play("daemon");
	assert_int_equal(listener.n, 1);
	assert_in_range(listener.stamp_ns - listener.events[0].end_ns, 0, 10 * 1000000000ll);
}

/* The program is built with MALITOP_COUNTERS. */
TEST(counts_of_a_thread_are_there_or_unknown_and_never_zero)
{
	const struct passes_event *outer;

	play("nested");
	outer = event_named("physics");
	if (outer->cycles == UINT64_MAX) {
		print_message("the kernel has no counters for this user\n");
		assert_int_equal(outer->instructions, UINT64_MAX);
		return;
	}
	assert_true(outer->cycles > 0 && outer->instructions > event_named("solver")->instructions);
}

TEST(a_plugin_is_unloaded_while_a_thread_that_called_it_lives)
{
	char *const argv[] = {(char *)(uintptr_t) "tests/layer/plugin_host",
			      (char *)(uintptr_t) "tests/layer/plugin.so", NULL};

	assert_true(listener_play(&listener, argv, NULL, 0));
	assert_string_equal(listener.output, "");
	assert_int_equal(listener.status, 0);
	assert_int_equal(listener_count(&listener, PASSES_REGION, "plugin"), 21);
	assert_int_equal(event_named("plugin")->cycles, 0);
}

TEST_GROUP(listener_begin, listener_end)
