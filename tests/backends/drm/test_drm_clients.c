/* The clients of a GPU in /proc: each counted once, what they used between two reads, and what goes
 * away meanwhile. */
#include "backends/drm/drm_clients.h"
#include "backends/process/process_gpu.h"
#include "base/alloc.h"
#include "tests/support/drm_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define S (1000 * MS)

struct clients_bench {
	struct drm_run r;
	struct drm_clients c;
};

static void begin_bench(struct clients_bench *b)
{
	drm_run_init(&b->r, &backend_panfrost, "panfrost-6.10", 0x74021000, 3);
	b->c = (struct drm_clients){.sys = &b->r.fake.sys};
	drm_clients_add(&b->c, "renderD128", "panfrost");
}

static void end_bench(struct clients_bench *b)
{
	drm_clients_fini(&b->c);
	drm_run_fini(&b->r);
}

static void read_after(struct clients_bench *b, int64_t ns)
{
	fake_sys_run(&b->r.fake, ns);
	drm_clients_read(&b->c, b->r.fake.now_ns);
}

static void put_client(struct clients_bench *b, int pid, int fd, unsigned client, unsigned long long ns)
{
	AUTOFREE char *text = xasprintf("drm-engine-fragment:\t%llu ns\ndrm-total-memory:\t1 MiB\n", ns);

	drm_run_client(&b->r, pid, fd, 128, "panfrost", client, text);
}

TEST(a_browser_with_twelve_clients_has_twelve)
{
	struct clients_bench b;

	begin_bench(&b);
	for (int i = 0; i < 12; i++)
		put_client(&b, 2000 + i / 3, 10 + i, 100 + (unsigned)i, 1000);
	read_after(&b, S);
	assert_int_equal(b.c.n, 12);
	for (int i = 0; i < 12; i++) {
		assert_int_equal(b.c.clients[i].info.client, 100 + i);
		assert_int_equal(b.c.clients[i].pid, 2000 + i / 3);
		assert_true(b.c.clients[i].ns[0] == SAMPLE_UNKNOWN); /* since when is not known */
	}
	end_bench(&b);
}

TEST(a_file_that_was_duped_or_inherited_counts_once)
{
	struct clients_bench b;

	begin_bench(&b);
	put_client(&b, 300, 5, 7, 1000);
	put_client(&b, 300, 6, 7, 1000); /* dup */
	put_client(&b, 301, 5, 7, 1000); /* fork */
	put_client(&b, 302, 9, 8, 500);
	read_after(&b, S);
	put_client(&b, 300, 5, 7, 4000);
	put_client(&b, 300, 6, 7, 4000);
	put_client(&b, 301, 5, 7, 4000);
	put_client(&b, 302, 9, 8, 700);
	read_after(&b, S);
	assert_int_equal(b.c.n, 2);
	assert_int_equal(b.c.clients[0].pid, 300);
	assert_int_equal(b.c.clients[0].ns[0], 3000);
	assert_int_equal(b.c.clients[1].ns[0], 200);
	assert_int_equal(b.c.end_ns - b.c.begin_ns, S);
	/* the first holder ends, and the child keeps the file */
	fixture_remove(&b.r.files, "proc/300/fd/5");
	fixture_remove(&b.r.files, "proc/300/fdinfo/5");
	fixture_remove(&b.r.files, "proc/300/fdinfo/6");
	put_client(&b, 301, 5, 7, 4500);
	read_after(&b, S);
	assert_int_equal(b.c.n, 2);
	assert_int_equal(b.c.clients[0].pid, 301);
	assert_int_equal(b.c.clients[0].ns[0], 500);
	end_bench(&b);
}

TEST(the_card_node_of_the_same_gpu_counts_and_other_devices_do_not)
{
	struct clients_bench b;

	begin_bench(&b);
	drm_run_add(&b.r, "v3d", 0, 0);
	drm_run_client(&b.r, 400, 3, 0, "panfrost", 1, "");
	drm_run_client(&b.r, 400, 4, 129, "v3d", 2, "");
	drm_run_client(&b.r, 400, 5, 128, "v3d", 3, ""); /* says it is another driver's */
	drm_run_write(&b.r, "1:3", "proc/400/fd/6");     /* /dev/null */
	read_after(&b, S);
	assert_int_equal(b.c.n, 1);
	assert_int_equal(b.c.clients[0].info.client, 1);
	end_bench(&b);
}

TEST(a_new_program_is_found_within_a_second_and_an_old_one_within_some)
{
	struct clients_bench b;
	int rounds = 0;

	begin_bench(&b);
	drm_run_write(&b.r, "1:3", "proc/500/fd/6");
	read_after(&b, S);
	put_client(&b, 501, 5, 1, 0); /* a new process */
	read_after(&b, S);
	assert_int_equal(b.c.n, 1);
	for (int i = 0; i < 10; i++)
		read_after(&b, S);
	put_client(&b, 500, 7, 2, 0); /* an old one */
	while (b.c.n < 2 && rounds < 20) {
		read_after(&b, S);
		rounds++;
	}
	assert_in_range(rounds, 1, 8);
	end_bench(&b);
}

TEST(a_client_that_goes_away_while_it_is_read_is_gone)
{
	struct clients_bench b;

	begin_bench(&b);
	put_client(&b, 600, 5, 1, 0);
	put_client(&b, 601, 5, 2, 0);
	read_after(&b, S);
	assert_int_equal(b.c.n, 2);
	/* found, but its text cannot be read any more */
	b.r.fake.fault = (struct fake_fault){FAKE_CALL_OPEN, 1, 1, ESRCH};
	read_after(&b, S / 2);
	assert_int_equal(b.c.n, 1);
	assert_int_equal(b.c.clients[0].info.client, 2);
	end_bench(&b);
}

TEST(counts_that_step_back_or_jump_tell_nothing)
{
	static const struct {
		unsigned long long before, now;
		uint64_t used;
	} cases[] = {{100, 100, 0},
		     {100, 90, SAMPLE_UNKNOWN},
		     {0, 1ull << 52, 1ull << 52},
		     {0, 1ull << 60, SAMPLE_UNKNOWN}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct clients_bench b;

		begin_bench(&b);
		put_client(&b, 700, 5, 1, cases[i].before);
		read_after(&b, S);
		put_client(&b, 700, 5, 1, cases[i].now);
		read_after(&b, S);
		assert_true(b.c.clients[0].ns[0] == cases[i].used);
		end_bench(&b);
	}
}

TEST(processes_of_other_users_are_counted_as_hidden)
{
	struct clients_bench b;

	begin_bench(&b);
	put_client(&b, 800, 5, 1, 0);
	drm_run_write(&b.r, "1:3", "proc/801/fd/3");
	b.r.fake.fault = (struct fake_fault){FAKE_CALL_LIST, 2, 1, EACCES}; /* the first process's files */
	read_after(&b, S);
	assert_int_equal(b.c.n_hidden, 1);
	assert_int_equal(b.c.n, 0);
	end_bench(&b);
}

TEST(a_process_has_the_memory_and_the_busiest_queue_of_its_clients)
{
	struct process_gpu gpu = {0};
	struct process_gpu_use use;
	struct clients_bench b;
	unsigned cursor = 0;

	begin_bench(&b);
	for (int second = 0; second < 2; second++) {
		AUTOFREE char *text =
			xasprintf("drm-engine-fragment:\t%d ns\ndrm-engine-vertex-tiler:\t%d ns\n"
				  "drm-total-memory:\t4 MiB\ndrm-resident-memory:\t3 MiB\n",
				  second * 400000000, second * 100000000);

		drm_run_client(&b.r, 900, 5, 128, "panfrost", 1, text);
		drm_run_client(&b.r, 900, 6, 128, "panfrost", 2, "drm-total-memory:\t1 MiB\n");
		fake_sys_run(&b.r.fake, S);
		process_gpu_refresh(&gpu, &b.r.fake.sys, b.r.fake.now_ns);
	}
	use = process_gpu_of(&gpu, 899, &cursor);
	assert_int_equal(use.bytes, 0);
	assert_true(use.percent <= 0);
	use = process_gpu_of(&gpu, 900, &cursor);
	assert_int_equal(use.bytes, 4 << 20);
	assert_true(fabs(use.percent - 40) < 0.01);
	assert_true(fabs(use.fragment - 40) < 0.01 && fabs(use.vertex - 10) < 0.01);
	process_gpu_fini(&gpu);
	end_bench(&b);
}

/* A job counts when it ends. Cut off at 100 % alone, the mean would be too low. */
TEST(a_program_that_never_rests_has_all_of_the_gpu)
{
	const unsigned long long job = 43000000;
	struct process_gpu gpu = {0};
	struct clients_bench b;
	double sum = 0;

	begin_bench(&b);
	for (unsigned second = 0; second <= 102; second++) {
		unsigned cursor = 0;
		double share;

		put_client(&b, 900, 5, 1, second * 1000000000ull / job * job);
		fake_sys_run(&b.r.fake, S);
		process_gpu_refresh(&gpu, &b.r.fake.sys, b.r.fake.now_ns);
		share = process_gpu_of(&gpu, 900, &cursor).percent;
		if (second <= 2)
			continue;
		assert_true(share <= 100 && share > 96);
		sum += share;
	}
	assert_true(sum / 100 > 99.9);
	process_gpu_fini(&gpu);
	end_bench(&b);
}

/* The second of two jobs in a queue is timed while it waits. */
TEST(jobs_that_wait_behind_each_other_are_no_more_than_the_gpu)
{
	struct process_gpu gpu = {0};
	struct process_gpu_use use;
	struct clients_bench b;
	unsigned cursor = 0;

	begin_bench(&b);
	for (unsigned second = 0; second < 2; second++) {
		put_client(&b, 900, 5, 1, second * 1600000000ull);
		fake_sys_run(&b.r.fake, S);
		process_gpu_refresh(&gpu, &b.r.fake.sys, b.r.fake.now_ns);
	}
	use = process_gpu_of(&gpu, 900, &cursor);
	assert_true(fabs(use.percent - 100) < 0.01);
	assert_true(fabs(use.fragment - 160) < 0.01);
	process_gpu_fini(&gpu);
	end_bench(&b);
}

TEST(without_profiling_a_process_has_memory_and_no_time)
{
	struct process_gpu gpu = {0};
	struct process_gpu_use use;
	struct clients_bench b;
	unsigned cursor = 0;

	begin_bench(&b);
	drm_run_client(&b.r, 900, 5, 128, "panfrost", 1, "drm-total-memory:\t4 MiB\n");
	for (int second = 0; second < 3; second++) {
		fake_sys_run(&b.r.fake, S);
		process_gpu_refresh(&gpu, &b.r.fake.sys, b.r.fake.now_ns);
	}
	use = process_gpu_of(&gpu, 900, &cursor);
	assert_int_equal(use.bytes, 4 << 20);
	assert_true(isnan(use.percent) && isnan(use.fragment) && isnan(use.vertex));
	process_gpu_fini(&gpu);
	end_bench(&b);
}

/* What a client used before it was found belongs to the window if it was opened since the last look
 * at its process; else when it was used is unknown. */
TEST(a_program_has_all_that_it_used_since_it_opened_the_gpu)
{
	enum { NEW, YOUNG, OLD, HIDDEN, FIRST };
	static const struct {
		int process;
		unsigned long long ns;
		uint64_t used;
	} cases[] = {
		{NEW, 207000000, 207000000},        {NEW, 3999000000, 3999000000},
		{NEW, 9000000000, SAMPLE_UNKNOWN},  {YOUNG, 500000000, 500000000},
		{OLD, 300000000, 300000000},        {HIDDEN, 207000000, SAMPLE_UNKNOWN},
		{FIRST, 207000000, SAMPLE_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct clients_bench b;
		int rounds = 0;

		begin_bench(&b);
		if (cases[i].process == OLD || cases[i].process == HIDDEN)
			drm_run_write(&b.r, "1:3", "proc/500/fd/6");
		if (cases[i].process == HIDDEN) /* it can be read from the second look on */
			b.r.fake.fault = (struct fake_fault){FAKE_CALL_LIST, 2, 1, EACCES};
		if (cases[i].process != FIRST)
			read_after(&b, S);
		for (int k = 0; k < 6 && (cases[i].process == YOUNG || cases[i].process == OLD); k++) {
			if (cases[i].process == YOUNG && k == 2)
				drm_run_write(&b.r, "1:3", "proc/500/fd/6");
			read_after(&b, S);
		}
		put_client(&b, 500, 5, 1, cases[i].ns);
		while (!b.c.n && rounds++ < 10)
			read_after(&b, S);
		assert_int_equal(b.c.n, 1);
		assert_true(cases[i].process == OLD || rounds == 1);
		if (b.c.clients[0].ns[0] != cases[i].used)
			fail_msg("case %zu: %llu", i, (unsigned long long)b.c.clients[0].ns[0]);
		put_client(&b, 500, 5, 1, cases[i].ns + 1000);
		read_after(&b, S);
		assert_int_equal(b.c.clients[0].ns[0], 1000);
		end_bench(&b);
	}
}

TEST(a_file_that_another_process_takes_over_counts_once)
{
	struct clients_bench b;

	begin_bench(&b);
	put_client(&b, 300, 5, 7, 1000);
	drm_run_write(&b.r, "1:3", "proc/400/fd/3");
	for (int i = 0; i < 3; i++)
		read_after(&b, S);
	fixture_remove(&b.r.files, "proc/300");
	put_client(&b, 400, 5, 7, 500000);
	read_after(&b, S);
	assert_int_equal(b.c.n, 0);
	while (!b.c.n)
		read_after(&b, S);
	assert_int_equal(b.c.clients[0].pid, 400);
	assert_in_range(b.c.clients[0].ns[0], 1, 499000 / 2); /* a share of several windows */
	put_client(&b, 400, 5, 7, 500300);
	read_after(&b, S);
	assert_int_equal(b.c.clients[0].ns[0], 300);
	end_bench(&b);
}

TEST(a_file_that_cannot_be_read_for_once_loses_nothing_and_counts_nothing_twice)
{
	struct clients_bench b;

	begin_bench(&b);
	put_client(&b, 600, 5, 1, 4000);
	read_after(&b, S);
	put_client(&b, 600, 5, 1, 5000);
	b.r.fake.fault = (struct fake_fault){FAKE_CALL_OPEN, 1, 1, EMFILE};
	read_after(&b, S);
	assert_int_equal(b.c.n, 1);
	assert_true(b.c.clients[0].ns[0] == SAMPLE_UNKNOWN);
	put_client(&b, 600, 5, 1, 6000);
	read_after(&b, S);
	assert_int_equal(b.c.clients[0].ns[0], 1000); /* the mean of two windows */
	end_bench(&b);
}

TEST(the_time_of_a_program_that_closes_the_gpu_is_unknown_and_then_none)
{
	struct process_gpu gpu = {0};
	struct clients_bench b;

	begin_bench(&b);
	for (unsigned second = 0; second < 5; second++) {
		unsigned cursor = 0;
		struct process_gpu_use use;

		put_client(&b, 800, 5, 2, second * 100000000ull); /* another one goes on */
		if (second < 3)
			put_client(&b, 900, 5, 1, second * 400000000ull);
		if (second == 3)
			fixture_remove(&b.r.files, "proc/900");
		fake_sys_run(&b.r.fake, S);
		process_gpu_refresh(&gpu, &b.r.fake.sys, b.r.fake.now_ns);
		assert_true(second == 0 || fabs(process_gpu_of(&gpu, 800, &cursor).percent - 10) < 0.01);
		use = process_gpu_of(&gpu, 900, &cursor);
		assert_true(second == 0   ? isnan(use.percent)
			    : second < 3  ? fabs(use.percent - 40) < 0.01 && fabs(use.fragment - 40) < 0.01
			    : second == 3 ? isnan(use.percent) && isnan(use.fragment) && use.bytes == 0
					  : use.percent <= 0 && use.fragment <= 0);
	}
	process_gpu_fini(&gpu);
	end_bench(&b);
}

/* A client of which nothing is known yet is not one that used nothing. */
TEST(a_program_of_unknown_time_has_none_beside_one_of_known_time)
{
	struct process_gpu gpu = {0};
	struct clients_bench b;
	unsigned cursor = 0;

	begin_bench(&b);
	put_client(&b, 800, 5, 2, 0);
	fake_sys_run(&b.r.fake, S);
	process_gpu_refresh(&gpu, &b.r.fake.sys, b.r.fake.now_ns);
	put_client(&b, 800, 5, 2, 100000000);
	put_client(&b, 900, 5, 1, 3600ull * 1000000000); /* it cannot have used that in a second */
	fake_sys_run(&b.r.fake, S);
	process_gpu_refresh(&gpu, &b.r.fake.sys, b.r.fake.now_ns);
	assert_true(fabs(process_gpu_of(&gpu, 800, &cursor).percent - 10) < 0.01);
	assert_true(isnan(process_gpu_of(&gpu, 900, &cursor).percent));
	process_gpu_fini(&gpu);
	end_bench(&b);
}
