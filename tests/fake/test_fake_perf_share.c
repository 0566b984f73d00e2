/* The fake against the facts of counting: groups that share too few counters, tasks that move,
 * start others and end, CPUs that go. */
#include "base/alloc.h"
#include "tests/support/perf_bench.h"
#include "tests/support/test.h"

#define GROUP 8

struct group {
	int fds[GROUP];
};

static struct perf_event_attr timed(uint64_t config)
{
	struct perf_event_attr attr = RAW(config);

	attr.read_format = TIMES;
	return attr;
}

/* n events from number `first` on, in one group that runs at once. */
static struct group open_group(struct perf_bench *b, uint64_t first, int n, pid_t pid, int cpu,
			       struct perf_event_attr like)
{
	struct group g = {{0}};

	for (int i = 0; i < n; i++) {
		struct perf_event_attr attr = timed(first + (uint64_t)i);

		attr.disabled = i == 0;
		attr.pinned = like.pinned && !i;
		attr.inherit = like.inherit;
		g.fds[i] = perf_open(b, attr, pid, cpu, i ? g.fds[0] : -1);
		assert_true(g.fds[i] >= 0);
	}
	assert_int_equal(perf_control(b, g.fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	return g;
}

static const struct perf_event_attr plain;

/* count x enabled / running is what would have been counted. */
static bool is_exact(struct perf_bench *b, int fd)
{
	struct perf_words w = perf_words(b, fd);
	uint64_t truth = fake_perf_truth(b->perf, fd);

	return w.running_ns > 0 && w.count * w.enabled_ns == truth * w.running_ns && truth > 0;
}

static int percent(struct perf_bench *b, int fd)
{
	struct perf_words w = perf_words(b, fd);

	return w.enabled_ns ? (int)(w.running_ns * 100 / w.enabled_ns) : -1;
}

/* ---- counting ---- */

TEST(reads_go_beyond_a_counters_width_unless_the_driver_forgets)
{
	static const struct {
		const char *machine, *pmu;
		unsigned type, width;
		uint64_t config;
	} cases[] = {
		{"a72x4", "armv8_cortex_a72", 8, 32, 0x08},
		{"x86", "cpu", 4, 48, 0xc4},
	};

	for (size_t i = 0; i < 4; i++) {
		uint64_t expected = 3ull << cases[i / 2].width, word;
		struct perf_event_attr attr = {.type = cases[i / 2].type, .config = cases[i / 2].config};
		struct perf_bench b;
		int fd;

		perf_begin(&b, cases[i / 2].machine);
		fake_perf_pmu(b.perf, cases[i / 2].pmu)->wraps = i % 2;
		fake_perf_rate(b.perf, 0, cases[i / 2].pmu, attr.config, expected / 1000000 + 1);
		fd = perf_open(&b, attr, -1, 0, -1);
		fake_sys_run(&b.fake, 1000 * MS);
		expected = (expected / 1000000 + 1) * 1000000;
		assert_int_equal(perf_read(&b, fd, &word, 1), 1);
		assert_true(word == (i % 2 ? expected % (1ull << cases[i / 2].width) : expected));
		fake_sys_fini(&b.fake);
	}
}

/* ---- too few counters ---- */

TEST(groups_take_turns_and_the_estimate_is_exact)
{
	static const struct {
		int groups, percent;
	} cases[] = {{1, 100}, {2, 50}, {3, 33}, {4, 25}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct group g[4];
		struct perf_bench b;

		perf_begin(&b, "a72x4");
		for (int k = 0; k < cases[i].groups; k++)
			g[k] = open_group(&b, 0x01 + (uint64_t)k * 6, 4, -1, 0, plain);
		fake_sys_run(&b.fake, 12 * 100 * MS);
		for (int k = 0; k < cases[i].groups; k++) {
			assert_in_range(percent(&b, g[k].fds[0]), cases[i].percent - 1, cases[i].percent + 1);
			for (int e = 0; e < 4; e++)
				assert_true(is_exact(&b, g[k].fds[e]) ||
					    fake_perf_truth(b.perf, g[k].fds[e]) == 0);
		}
		fake_sys_fini(&b.fake);
	}
}

TEST(shares_are_uneven_when_somebody_takes_counters_for_a_while)
{
	struct group a;
	struct perf_bench b;
	int single;

	perf_begin(&b, "a72x4");
	a = open_group(&b, 0x12, 5, -1, 0, plain);
	single = perf_open(&b, timed(0x03), -1, 0, -1);
	fake_sys_run(&b.fake, 30 * MS);
	fake_perf_steal(b.perf, 0, 2);
	fake_sys_run(&b.fake, 17 * MS);
	assert_int_equal(perf_words(&b, a.fds[0]).running_ns, 30 * MS);
	/* A group that does not fit stands in the way of the next, every second turn. */
	assert_int_equal(perf_words(&b, single).running_ns, 30 * MS + 8 * MS);
	fake_perf_steal(b.perf, 0, 0);
	fake_sys_run(&b.fake, 53 * MS);
	assert_int_equal(perf_words(&b, a.fds[0]).running_ns, 83 * MS);
	assert_true(is_exact(&b, a.fds[4]) && is_exact(&b, single));
	fake_sys_fini(&b.fake);
}

TEST(a_group_one_too_large_opens_and_never_runs)
{
	struct perf_words w;
	struct perf_bench b;
	struct group g;

	perf_begin(&b, "a72x4");
	g = open_group(&b, 0x12, 7, -1, 0, plain);
	fake_sys_run(&b.fake, 100 * MS);
	w = perf_words(&b, g.fds[6]);
	assert_true(w.count == 0 && w.enabled_ns == 100 * MS && w.running_ns == 0);
	fake_sys_fini(&b.fake);
}

TEST(the_second_cycle_event_needs_a_common_counter)
{
	struct group g;
	struct perf_bench b;
	int fds[2];

	perf_begin(&b, "a72x4");
	fds[0] = perf_open(&b, timed(0x11), -1, 0, -1);
	g = open_group(&b, 0x12, 6, -1, 0, plain);
	fake_sys_run(&b.fake, 100 * MS);
	assert_int_equal(percent(&b, fds[0]), 100);
	assert_int_equal(percent(&b, g.fds[0]), 100);
	fds[1] = perf_open(&b, timed(0x11), -1, 0, -1);
	fake_sys_run(&b.fake, 400 * MS);
	assert_in_range(percent(&b, fds[1]), 30, 70);
	fake_sys_fini(&b.fake);
}

TEST(a_64_bit_event_takes_two_counters)
{
	struct perf_event_attr wide = timed(0x08);
	struct perf_bench b;
	int fd, other;

	perf_begin(&b, "tiny2");
	wide.config1 = 1;
	fd = perf_open(&b, wide, -1, 0, -1);
	other = perf_open(&b, timed(0x03), -1, 0, -1);
	fake_sys_run(&b.fake, 80 * MS);
	assert_int_equal(percent(&b, fd), 50);
	assert_int_equal(percent(&b, other), 50);
	fake_sys_fini(&b.fake);
}

TEST(a_pinned_group_runs_always_or_is_in_error)
{
	struct perf_event_attr pinned = {.pinned = 1};
	struct group a, c;
	struct perf_bench b;
	uint64_t words[3];

	perf_begin(&b, "a72x4");
	a = open_group(&b, 0x01, 4, -1, 0, plain);
	c = open_group(&b, 0x12, 5, -1, 0, pinned);
	fake_sys_run(&b.fake, 100 * MS);
	assert_int_equal(percent(&b, c.fds[0]), 100);
	assert_int_equal(percent(&b, a.fds[0]), 0);
	fake_perf_steal(b.perf, 0, 2);
	assert_int_equal(perf_read(&b, c.fds[0], words, 3), 0);
	assert_int_equal(perf_read(&b, c.fds[0], words, 1), 0); /* not ENOSPC */
	assert_int_equal(perf_read(&b, c.fds[1], words, 3), 3);
	fake_perf_steal(b.perf, 0, 0);
	assert_int_equal(perf_read(&b, c.fds[0], words, 3), 0); /* until it is enabled again */
	perf_control(&b, c.fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	assert_int_equal(perf_read(&b, c.fds[0], words, 3), 3);
	fake_sys_fini(&b.fake);
}

TEST(the_members_of_a_closed_leader_count_alone)
{
	struct perf_event_attr leader = timed(0x11);
	struct perf_bench b;
	int fds[2];

	perf_begin(&b, "a72x4");
	leader.disabled = 1;
	fds[0] = perf_open(&b, leader, -1, 0, -1);
	fds[1] = perf_open(&b, timed(0x08), -1, 0, fds[0]);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_words(&b, fds[1]).enabled_ns, 0); /* waits for its leader */
	b.sys->close(b.sys, fds[0]);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_words(&b, fds[1]).running_ns, 10 * MS);
	fake_sys_fini(&b.fake);
}

TEST(where_the_rate_changes_meanwhile_an_estimate_is_only_that)
{
	struct group a, c;
	struct perf_bench b;

	perf_begin(&b, "tiny2");
	b.perf->phase_ns = 4 * MS;
	a = open_group(&b, 0x03, 2, -1, 0, plain);
	c = open_group(&b, 0x12, 2, -1, 0, plain);
	fake_sys_run(&b.fake, 800 * MS);
	assert_int_equal(percent(&b, a.fds[0]), 50);
	assert_false(is_exact(&b, a.fds[0]));
	assert_false(is_exact(&b, c.fds[0]));
	fake_sys_fini(&b.fake);
}

/* ---- tasks ---- */

TEST(an_event_of_a_task_counts_where_the_task_runs)
{
	struct perf_words w;
	struct perf_bench b;
	int fd;

	perf_begin(&b, "a72x4");
	for (int cpu = 0; cpu < 4; cpu++)
		fake_perf_rate(b.perf, cpu, "armv8_cortex_a72", 0x08, 1000u * (unsigned)(cpu + 1));
	fd = perf_open(&b, timed(0x08), 0, -1, -1);
	fake_sys_run(&b.fake, 10 * MS);
	fake_perf_move(b.perf, 1000, 3);
	fake_sys_run(&b.fake, 10 * MS);
	fake_perf_move(b.perf, 1000, -1);
	fake_sys_run(&b.fake, 10 * MS);
	w = perf_words(&b, fd);
	assert_int_equal(w.count, 10000000 + 40000000);
	assert_int_equal(w.enabled_ns, 20 * MS);
	fake_sys_fini(&b.fake);
}

TEST(on_the_other_cluster_an_event_is_enabled_and_does_not_run)
{
	struct perf_event_attr big = timed(0x11);
	struct perf_bench b;
	int fds[2];

	perf_begin(&b, "rk3588");
	big.type = 9;
	fds[0] = perf_open(&b, timed(0x11), 0, -1, -1);
	fds[1] = perf_open(&b, big, 0, -1, -1);
	fake_perf_alternate(b.perf, 1000, 10 * MS, 0, 4);
	fake_sys_run(&b.fake, 100 * MS);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(perf_words(&b, fds[i]).enabled_ns, 100 * MS);
		assert_int_equal(perf_words(&b, fds[i]).running_ns, 50 * MS);
		assert_int_equal(perf_words(&b, fds[i]).count, fake_perf_truth(b.perf, fds[i]));
	}
	fake_sys_fini(&b.fake);
}

TEST(a_generic_event_of_a_task_sees_one_cluster_only)
{
	struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE, .read_format = TIMES};
	struct perf_words w;
	struct perf_bench b;
	int fd;

	perf_begin(&b, "rk3588");
	fd = perf_open(&b, cycles, 0, -1, -1);
	fake_sys_run(&b.fake, 10 * MS);
	w = perf_words(&b, fd);
	assert_true(w.enabled_ns == 10 * MS && w.running_ns == 0 && w.count == 0);
	fake_perf_move(b.perf, 1000, 5);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_words(&b, fd).running_ns, 10 * MS);
	fake_sys_fini(&b.fake);
}

TEST(a_software_leader_waits_for_its_members_cluster)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .read_format = TIMES};
	struct perf_bench b;
	int fds[2];

	perf_begin(&b, "rk3588");
	fake_perf_move(b.perf, 1000, 4);
	fds[0] = perf_open(&b, clock, 0, -1, -1);
	fds[1] = perf_open(&b, timed(0x11), 0, -1, fds[0]);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_words(&b, fds[0]).running_ns, 0);
	fake_perf_move(b.perf, 1000, 3);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_words(&b, fds[0]).running_ns, 10 * MS);
	assert_int_equal(perf_words(&b, fds[1]).running_ns, 10 * MS);
	fake_sys_fini(&b.fake);
}

TEST(events_of_the_cpu_come_before_those_of_its_task)
{
	struct group cpu, task;
	struct perf_bench b;

	perf_begin(&b, "tiny2");
	task = open_group(&b, 0x03, 2, 0, -1, plain);
	cpu = open_group(&b, 0x12, 2, -1, 0, plain);
	fake_sys_run(&b.fake, 100 * MS);
	assert_int_equal(percent(&b, cpu.fds[0]), 100);
	assert_true(percent(&b, task.fds[0]) == 0);
	fake_sys_fini(&b.fake);
}

TEST(what_a_task_starts_is_counted_when_inherited)
{
	struct perf_event_attr inherit = {.inherit = 1};
	struct group with, without;
	struct perf_words w;
	struct perf_bench b;

	perf_begin(&b, "a72x4");
	fake_perf_rate(b.perf, -1, "armv8_cortex_a72", 0x08, 1000);
	with = open_group(&b, 0x08, 2, 0, -1, inherit);
	without = open_group(&b, 0x08, 1, 0, -1, plain);
	fake_sys_run(&b.fake, 10 * MS);
	fake_perf_fork(b.perf, 1000, 1001, 1, true);
	fake_perf_fork(b.perf, 1001, 1002, 2, false);
	fake_sys_run(&b.fake, 10 * MS);
	w = perf_words(&b, with.fds[0]);
	assert_int_equal(w.count, 40000000);
	assert_int_equal(w.enabled_ns, 40 * MS);
	assert_int_equal(perf_words(&b, without.fds[0]).count, 20000000);
	fake_perf_exit(b.perf, 1001);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_words(&b, with.fds[0]).count, 60000000);
	assert_int_equal(perf_words(&b, with.fds[1]).running_ns, 60 * MS);
	perf_control(&b, with.fds[0], PERF_EVENT_IOC_RESET, 0);
	assert_int_equal(perf_words(&b, with.fds[0]).count,
			 10000000); /* of those that ended the count stays */
	perf_control(&b, with.fds[0], PERF_EVENT_IOC_DISABLE, 0);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_words(&b, with.fds[0]).count, 10000000);
	for (int i = 0; i < 2; i++)
		b.sys->close(b.sys, with.fds[i]);
	b.sys->close(b.sys, without.fds[0]);
	assert_int_equal(b.perf->n_events, 0);
	fake_sys_fini(&b.fake);
}

/* The groups of parent and child are compared; events that are read one by one are not. */
TEST(a_group_with_a_child_that_ends_cannot_be_read_at_once)
{
	static const bool unmatched[] = {false, true};

	for (size_t i = 0; i < ARRAY_LEN(unmatched); i++) {
		struct perf_event_attr attr = timed(0x08);
		struct perf_bench b;
		uint64_t words[5];
		int leader, member;

		perf_begin(&b, "a72x4");
		b.perf->unmatched = unmatched[i];
		attr.inherit = 1;
		attr.read_format |= PERF_FORMAT_GROUP;
		leader = perf_open(&b, attr, 0, -1, -1);
		attr.config = 0x11;
		attr.read_format = TIMES;
		member = perf_open(&b, attr, 0, -1, leader);
		fake_perf_fork(b.perf, 1000, 1001, 1, true);
		fake_sys_run(&b.fake, 10 * MS);
		assert_int_equal(perf_read(&b, leader, words, 5), 5);
		fake_perf_exit_begins(b.perf, 1001);
		assert_int_equal(perf_read(&b, leader, words, 5), unmatched[i] ? 5 : -1);
		assert_int_equal(errno, unmatched[i] ? 0 : ECHILD);
		assert_int_equal(perf_words(&b, member).enabled_ns, 20 * MS);
		fake_perf_exit(b.perf, 1001);
		assert_int_equal(perf_read(&b, leader, words, 5), 5);
		assert_true(words[0] == 2 && words[1] == 20 * MS);
		b.sys->close(b.sys, member);
		b.sys->close(b.sys, leader);
		fake_sys_fini(&b.fake);
	}
}

/* ---- CPUs ---- */

TEST(events_of_a_cpu_that_went_stop_for_good_and_their_group_falls_apart)
{
	struct perf_event_attr attr = timed(0x11);
	struct perf_bench b;
	uint64_t words[8];
	int fds[2];

	perf_begin(&b, "a72x4");
	attr.read_format = TIMES | PERF_FORMAT_GROUP;
	fds[0] = perf_open(&b, attr, -1, 1, -1);
	fds[1] = perf_open(&b, attr, -1, 1, fds[0]);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_read(&b, fds[0], words, 8), 5);
	fake_perf_online(b.perf, 1, false);
	fake_sys_run(&b.fake, 10 * MS);
	fake_perf_online(b.perf, 1, true);
	perf_control(&b, fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_read(&b, fds[0], words, 8), 4);
	assert_true(words[0] == 1 && words[1] == 10 * MS && words[2] == 10 * MS);
	fake_sys_fini(&b.fake);
}
