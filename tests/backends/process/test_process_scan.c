/* Processes and threads of a captured machine at two moments, of one that fails, and of this one
 * while processes come and go. */
#include "tests/fake/fake_sys.h"
#include "tests/support/fixture.h"

#include "backends/process/process_scan.h"
#include "base/alloc.h"
#include "model/sample.h"
#include "tests/support/test.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND 1000000000ll
#define UNKNOWN SAMPLE_UNKNOWN

static const struct process_query processes = {0},
				  all = {.threads_of = PROCESS_QUERY_ALL, .gpu_memory = true};

struct process_scan_bench {
	struct fixture f;
	struct process_scan *scan;
	struct process_list *list;
	int (*real_stat)(const struct sys *sys, const char *path, struct stat *st);
	int stat_errno; /* of an owner; 0: it is told */
	unsigned stats; /* owners that were asked for */
	uint32_t uid_900;
};
static struct process_scan_bench b;

/* A checkout has one owner. */
static int owner_stat(const struct sys *sys, const char *path, struct stat *st)
{
	int result = b.real_stat(sys, path, st), pid;

	if (sscanf(path, "proc/%d", &pid) != 1)
		return result;
	b.stats++;
	st->st_uid = pid < 100 ? 0 : pid == 900 ? b.uid_900 : pid == 4711 ? 10123 : 1000;
	errno = b.stat_errno;
	return b.stat_errno ? -1 : result;
}

static void set_up(const char *board)
{
	memset(&b, 0, sizeof(b));
	fixture_init(&b.f, board);
	b.uid_900 = 1000;
	b.real_stat = b.f.sys.stat;
	b.f.sys.stat = owner_stat;
	b.scan = process_scan_new(&b.f.sys);
}

static void tear_down(void)
{
	process_list_free(b.list);
	process_scan_free(b.scan);
	fixture_fini(&b.f);
}

static void read_list(const struct process_query *query)
{
	process_list_free(b.list);
	b.list = process_scan_read(b.scan, query, b.f.monotonic_ns);
}

static void read_later(const struct process_query *query, int64_t ns)
{
	b.f.monotonic_ns += ns;
	read_list(query);
}

static const struct process *of(int32_t pid)
{
	const struct process *p = process_find(b.list, pid);

	if (!p)
		fail_msg("process %d is not there", pid);
	return p;
}

TEST(a_process_is_listed_as_it_is)
{
	static const struct {
		int32_t pid, parent;
		char state;
		uint32_t uid, threads;
		uint64_t start, cpu_ms, rss_pages;
		const char *name, *user;
	} cases[] = {
		{1, 0, 'S', 0, 1, 4, 4200, 3100, "systemd", "root"},
		{2, 0, 'S', 0, 1, 4, 50, 0, "[kthreadd]", "root"},
		{17, 2, 'I', 0, 1, 7, 400, 0, "[kworker/0:1-mm_percpu_wq]", "root"},
		{812, 1, 'S', 1000, 3, 900, 15000, 21000, "surfaceflinger", "ann"},
		{900, 1, 'S', 1000, 1, 1500, 80, 210, "a) R 1 (b", "ann"},
		{901, 900, 'S', 1000, 1, 1510, 60, 220, "?[31mred", "ann"},
		{902, 900, 'S', 1000, 1, 1511, 300, 230, "two?lines ?", "ann"},
		{903, 1, 'S', 1000, 1, 1512, 1000, 240, "fifteen-letters-and-more", "ann"},
		{904, 900, 'Z', 1000, 1, 1513, 180, 0, "defunct-one", "ann"},
		{4711, 1, 'R', 10123, 1, 5000, 100000, 103000, "com.studio.bigger.game", "10123"},
		{5000, 900, 'S', 1000, 1, 6000, 4000, 900, "make", "ann"},
	};

	set_up("processes");
	read_list(&processes);
	assert_int_equal(b.list->n, ARRAY_LEN(cases));
	assert_false(b.list->threads);
	assert_int_equal(b.list->begin_ns, 0);
	assert_int_equal(b.list->end_ns, b.f.monotonic_ns);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct process *p = &b.list->processes[i];

		assert_int_equal(p->pid, cases[i].pid);
		assert_int_equal(p->parent, cases[i].parent);
		assert_false(p->is_thread);
		assert_int_equal(p->state, cases[i].state);
		assert_int_equal(p->uid, cases[i].uid);
		assert_int_equal(p->threads, cases[i].threads);
		assert_int_equal(p->start, cases[i].start);
		assert_int_equal(p->cpu_ns, cases[i].cpu_ms * 1000000);
		assert_int_equal(p->rss_bytes, cases[i].rss_pages * (uint64_t)sysconf(_SC_PAGESIZE));
		assert_string_equal(p->name, cases[i].name);
		assert_string_equal(p->user, cases[i].user);
		assert_true(p->gpu_bytes == UNKNOWN);
		assert_true(isnan(p->cpu_percent) && isnan(p->gpu_percent) && isnan(p->ipc));
	}
	tear_down();
}

TEST(cpu_time_is_over_the_time_that_has_passed)
{
	static const struct {
		int32_t pid;
		double percent; /* over two seconds; NaN: seen for the first time */
	} cases[] = {{1, 5},     {17, 0.5},   {812, 50},   {900, 0},   {902, 0},
		     {903, 100}, {4711, 100}, {5000, NAN}, {5001, NAN}};

	set_up("processes");
	read_list(&processes);
	fixture_next(&b.f, "processes");
	read_later(&processes, 2 * SECOND);
	assert_int_equal(b.list->end_ns - b.list->begin_ns, 2 * SECOND);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		float got = of(cases[i].pid)->cpu_percent;

		assert_int_equal(isnan(got) != 0, isnan(cases[i].percent) != 0);
		assert_true(isnan(got) || fabs((double)got - cases[i].percent) < 1e-4);
	}
	assert_int_equal(of(902)->cpu_ns, 300000000); /* never less than it was */
	assert_int_equal(of(5000)->cpu_ns, 20000000);
	assert_string_equal(of(5000)->name, "sh");
	assert_string_equal(of(17)->name, "[kworker/0:1-events]");
	tear_down();
}

TEST(a_list_that_comes_too_soon_repeats_the_percentages_of_the_last)
{
	int64_t begin;

	set_up("processes");
	read_list(&processes);
	read_later(&processes, SECOND / 10);
	assert_int_equal(b.list->begin_ns, 0);
	assert_true(isnan(of(4711)->cpu_percent));
	begin = b.list->end_ns;
	fixture_next(&b.f, "processes");
	read_later(&processes, SECOND * 9 / 10);
	assert_true(fabs((double)of(4711)->cpu_percent - 200) < 1e-3);
	read_later(&processes, SECOND / 10);
	assert_true(fabs((double)of(4711)->cpu_percent - 200) < 1e-3);
	assert_int_equal(b.list->begin_ns, begin);
	assert_int_equal(b.list->end_ns, begin + SECOND);
	read_later(&processes, SECOND);
	assert_true(of(4711)->cpu_percent == 0);
	tear_down();
}

TEST(threads_stand_behind_their_process)
{
	static const struct {
		int32_t pid;
		const char *name;
		double percent;
	} cases[] = {{812, "surfaceflinger", 30}, {813, "Binder:812_1", 0}, {840, "RenderEngine", 60}};
	const struct process *p;

	set_up("processes");
	read_list(&all);
	fixture_next(&b.f, "processes");
	read_later(&all, SECOND);
	assert_true(b.list->threads);
	assert_int_equal(b.list->n, 15);
	p = of(812);
	assert_true(fabs((double)p->cpu_percent - 100) < 1e-3);
	assert_int_equal((++p + 3)->pid, 900);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++, p++) {
		assert_true(p->is_thread);
		assert_int_equal(p->pid, cases[i].pid);
		assert_int_equal(p->parent, 812);
		assert_int_equal(p->threads, 0);
		assert_string_equal(p->name, cases[i].name);
		assert_string_equal(p->user, "ann");
		assert_true(p->rss_bytes == UNKNOWN && p->gpu_bytes == UNKNOWN);
		assert_true(fabs((double)p->cpu_percent - cases[i].percent) < 1e-4);
	}
	tear_down();
}

TEST(a_thread_is_never_busier_than_one_cpu)
{
	set_up("processes");
	read_list(&all);
	fixture_next(&b.f, "processes");
	read_later(&all, SECOND / 2);
	assert_true(process_find(b.list, 840)->cpu_percent == 100);
	assert_true(fabs((double)of(812)->cpu_percent - 200) < 1e-3);
	tear_down();
}

TEST(threads_of_the_busiest_only_are_read_when_no_more_are_wanted)
{
	static const struct {
		unsigned threads_of, n, n_next;
	} cases[] = {
		{0, 11, 12}, {1, 11, 12}, /* the game has no second thread */
		{2, 14, 12},              /* the longest runners at first, then the busiest */
		{3, 14, 15}, {1000, 14, 15},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_query query = {.threads_of = cases[i].threads_of};

		set_up("processes");
		read_list(&query);
		assert_int_equal(b.list->n, cases[i].n);
		fixture_next(&b.f, "processes");
		read_later(&query, SECOND);
		assert_int_equal(b.list->n, cases[i].n_next);
		tear_down();
	}
}

TEST(gpu_memory_is_read_once_a_second_and_without_a_file_it_is_unknown)
{
	set_up("processes");
	read_list(&all);
	assert_int_equal(of(812)->gpu_bytes, 101000000);
	assert_int_equal(of(4711)->gpu_bytes, 432013312);
	assert_int_equal(of(1)->gpu_bytes, 0);
	fixture_next(&b.f, "processes");
	read_later(&all, SECOND / 2);
	assert_int_equal(of(4711)->gpu_bytes, 432013312);
	read_later(&all, SECOND / 2);
	assert_int_equal(of(4711)->gpu_bytes, 432017408);
	fixture_remove(&b.f, "sys/class/misc/mali0/device/kprcs");
	read_later(&all, SECOND);
	assert_true(of(4711)->gpu_bytes == UNKNOWN);
	read_list(&processes);
	assert_true(of(4711)->gpu_bytes == UNKNOWN);
	tear_down();
}

TEST(a_gpu_that_comes_later_is_found)
{
	set_up("processes");
	fixture_remove(&b.f, "sys");
	read_list(&all);
	assert_true(of(4711)->gpu_bytes == UNKNOWN);
	fixture_write(&b.f, "sys/class/misc/mali1/device/kprcs/4711/total_gpu_mem", "5\n");
	fixture_write(&b.f, "sys/class/misc/mali3/device/kprcs/4711/total_gpu_mem", "7\n");
	read_later(&all, SECOND);
	assert_true(of(4711)->gpu_bytes == UNKNOWN);
	read_later(&all, 10 * SECOND);
	assert_int_equal(of(4711)->gpu_bytes, 12);
	tear_down();
}

TEST(memory_of_a_program_that_does_not_report_it_is_unknown)
{
	set_up("processes");
	fixture_remove(&b.f, "sys");
	fixture_write(&b.f, "sys/kernel/debug/mali0/ctx/4711_2/mem_profile", "Total allocated memory: 5\n");
	fixture_write(&b.f, "sys/kernel/debug/mali0/ctx/812_1/mem_view", "\n");
	read_list(&all);
	assert_int_equal(of(4711)->gpu_bytes, 5);
	assert_true(of(812)->gpu_bytes == UNKNOWN);
	assert_int_equal(of(1)->gpu_bytes, 0);
	tear_down();
}

TEST(what_seldom_changes_is_not_read_each_time)
{
	unsigned opens;

	set_up("processes");
	read_list(&processes);
	opens = b.f.opens; /* stat of each, two command lines, the users, and how long the ready one waited */
	assert_int_equal(opens, 11 + 2 + 1 + 1);
	assert_int_equal(b.stats, 11);
	read_later(&processes, SECOND);
	assert_int_equal(b.f.opens - opens, 11 + 1);
	assert_int_equal(b.stats, 11);
	read_later(&processes, 17 * SECOND);
	assert_int_equal(b.stats, 22);
	tear_down();
}

/* 310 of 1000 ms ready while another ran. Of one that sleeps, or has several threads, nothing is
 * read. */
TEST(the_time_that_a_ready_thread_waited_is_a_share_of_the_interval)
{
	set_up("processes");
	fixture_write(&b.f, "proc/4711/schedstat", "9000000000 5000000000 77\n");
	read_list(&all);
	assert_true(isnan(of(4711)->wait_percent));
	fixture_write(&b.f, "proc/4711/schedstat", "9600000000 5310000000 99\n");
	read_later(&all, SECOND);
	assert_true(fabsf(of(4711)->wait_percent - 31) < 1);
	assert_true(isnan(of(903)->wait_percent) && isnan(of(812)->wait_percent));
	fixture_write(&b.f, "proc/4711/schedstat", "not of this kernel\n");
	read_later(&all, SECOND);
	assert_true(isnan(of(4711)->wait_percent));
	fixture_write(&b.f, "proc/4711/schedstat", "9600000000 5610000000 99\n");
	read_later(&all, SECOND);
	assert_true(isnan(of(4711)->wait_percent)); /* since when is unknown */
	tear_down();
}

TEST(another_program_has_another_name_and_owner_at_once)
{
	static const char text[] = "900 (%s) S 1 1 1 0 -1 %u 0 0 0 0 7 1 0 0 20 0 1 0 1500 0 210 1\n";
	static const struct {
		const char *comm;
		unsigned flags;
		const char *user;
	} cases[] = {
		{"sh", 0x400100, "root"}, /* the first program of its own */
		{"sudo", 0x400140, "root"},
		{"sh", 0x400140, "ann"}, /* none; its owner is asked for later */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *before = xasprintf(text, "sh", 0x400140u);
		AUTOFREE char *after = xasprintf(text, cases[i].comm, cases[i].flags);

		set_up("processes");
		fixture_write(&b.f, "proc/900/stat", before);
		read_list(&processes);
		assert_string_equal(of(900)->user, "ann");
		fixture_write(&b.f, "proc/900/stat", after);
		b.uid_900 = 0;
		read_later(&processes, SECOND);
		assert_string_equal(of(900)->name, cases[i].comm);
		assert_string_equal(of(900)->user, cases[i].user);
		read_later(&processes, 17 * SECOND);
		assert_string_equal(of(900)->user, "root");
		tear_down();
	}
}

TEST(a_command_line_is_not_read_while_its_process_waits_for_a_device)
{
	static const char text[] =
		"903 (fifteen-letters) %c 1 1 1 0 -1 4194560 0 0 0 0 7 1 0 0 20 0 1 0 1512 0 210 1\n";
	AUTOFREE char *waits = xasprintf(text, 'D'), *runs = xasprintf(text, 'R');

	set_up("processes");
	fixture_write(&b.f, "proc/903/stat", waits);
	read_list(&processes);
	assert_string_equal(of(903)->name, "fifteen-letters");
	read_later(&processes, SECOND);
	assert_string_equal(of(903)->name, "fifteen-letters");
	fixture_write(&b.f, "proc/903/stat", runs);
	read_later(&processes, SECOND);
	assert_string_equal(of(903)->name, "fifteen-letters-and-more");
	tear_down();
}

TEST(command_lines_are_read_for_the_wanted_rows_only)
{
	static const struct process_query one = {.n_commands = 2, .commands = {4711, 77777}},
					  more = {.n_commands = 1, .commands = {903}, .again = true},
					  every = {.all_commands = true};
	unsigned opens;

	set_up("processes");
	read_list(&processes);
	assert_null(of(4711)->command);
	opens = b.f.opens;
	read_later(&one, SECOND);
	assert_int_equal(b.f.opens - opens, 11 + 1 + 1);
	assert_string_equal(of(4711)->command, "com.studio.bigger.game");
	assert_null(of(903)->command);
	opens = b.f.opens;
	read_later(&more, SECOND); /* no process is read again */
	assert_int_equal(b.f.opens - opens, 1);
	assert_int_equal(b.list->end_ns, b.f.monotonic_ns - SECOND);
	assert_non_null(of(903)->command);
	opens = b.f.opens;
	read_later(&every, SECOND); /* not of kernel threads; of the others once */
	assert_int_equal(b.f.opens - opens, 11 + 1 + 7);
	assert_null(of(17)->command);
	opens = b.f.opens;
	read_later(&every, SECOND);
	assert_int_equal(b.f.opens - opens, 11 + 1);
	assert_non_null(of(903)->command);
	tear_down();
}

TEST(a_command_line_is_bounded_and_printable)
{
	static const struct process_query every = {.all_commands = true};
	AUTOFREE char *huge = xmalloc((128 << 10) + 1), *accents = xmalloc(1001);
	const struct {
		const char *text, *command;
	} cases[] = {
		{"./game --level 3   ", "./game --level 3"},
		{"\33[31m\33]0;title\7 \302\233x \342\200\256 \377\r\n", "?[31m?]0;title? ?x ? ???"},
		{"\303\251t\303\251", "\303\251t\303\251"},
		{"", NULL},
		{"   ", NULL},
		{huge, NULL},
		{accents, NULL},
	};

	memset(huge, 'x', 128 << 10);
	huge[128 << 10] = 0;
	for (unsigned i = 0; i < 500; i++)
		memcpy(accents + 2 * i, "\303\251", 2);
	accents[1000] = 0;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got;

		set_up("processes");
		fixture_write(&b.f, "proc/4711/cmdline", cases[i].text);
		read_list(&every);
		got = of(4711)->command;
		if (cases[i].text == huge)
			assert_int_equal(strspn(got, "x"), PROCESS_COMMAND - 1);
		else if (cases[i].text == accents)
			assert_int_equal(strlen(got), PROCESS_COMMAND - 2);
		else if (cases[i].command)
			assert_string_equal(got, cases[i].command);
		else
			assert_null(got);
		if (got)
			assert_true(strlen(got) < PROCESS_COMMAND);
		tear_down();
	}
}

TEST(a_reused_pid_has_the_command_line_of_the_new_process)
{
	static const struct process_query every = {.all_commands = true};

	set_up("processes");
	fixture_write(&b.f, "proc/900/cmdline", "old --first");
	read_list(&every);
	assert_string_equal(of(900)->command, "old --first");
	fixture_write(&b.f, "proc/900/cmdline", "new --second");
	read_later(&every, SECOND);
	assert_string_equal(of(900)->command, "old --first"); /* it is read again after some seconds */
	fixture_write(&b.f, "proc/900/stat",
		      "900 (a) R 1 (b) S 1 1 1 0 -1 4194560 0 0 0 0 7 1 0 0 20 0 1 0 99999 0 210 1\n");
	read_later(&every, SECOND);
	assert_string_equal(of(900)->command, "new --second");
	fixture_write(&b.f, "proc/900/cmdline", "third");
	read_later(&every, 40 * SECOND);
	read_later(&every, SECOND);
	assert_string_equal(of(900)->command, "third");
	tear_down();
}

TEST(kernel_threads_are_known_by_the_kernels_flag_not_by_their_name)
{
	set_up("processes");
	fixture_write(&b.f, "proc/900/stat",
		      "900 ([kworker]) S 2 1 1 0 -1 4194560 0 0 0 0 7 1 0 0 20 0 1 0 1500 0 210 1\n");
	read_list(&processes);
	for (unsigned i = 0; i < b.list->n; i++)
		assert_int_equal(b.list->processes[i].kernel,
				 b.list->processes[i].pid == 2 || b.list->processes[i].pid == 17);
	tear_down();
}

TEST(users_are_those_of_the_file_whenever_it_changes)
{
	static const struct {
		const char *text, *user; /* of 1000; text NULL: no file */
	} cases[] = {
		{"ann:x:1000:1000::/:/bin/sh\n", "ann"},
		{"root:x:0:0\nbob:x:1000:1000", "bob"},
		{"with\033escape:x:1000:0\n", "with?escape"},
		{"a-name-that-is-much-too-long:x:1000:0\n", "a-name-that-is-"},
		{"", "1000"},
		{":x:1000:0\nx:1000\nann:x:10000\nann:x:-1000\nann:x:4294968296:1\n\n::::\n+\nann:x:1000x:\n",
		 "1000"},
		{NULL, "1000"},
	};

	set_up("processes");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (cases[i].text)
			fixture_write(&b.f, "etc/passwd", cases[i].text);
		else
			fixture_remove(&b.f, "etc/passwd");
		read_later(&processes, SECOND);
		assert_string_equal(of(812)->user, cases[i].user);
	}
	tear_down();
}

TEST(users_whose_file_cannot_be_read_now_are_read_later)
{
	set_up("processes");
	b.f.broken = "etc/passwd";
	b.f.broken_errno = EIO;
	read_list(&processes);
	assert_string_equal(of(812)->user, "1000");
	b.f.broken = NULL;
	read_later(&processes, SECOND);
	assert_string_equal(of(812)->user, "ann");
	tear_down();
}

TEST(what_ends_meanwhile_is_left_out_and_what_is_refused_is_counted)
{
	static const struct {
		int code;
		unsigned n_hidden;
	} cases[] = {{ESRCH, 0}, {ENOENT, 0}, {EACCES, 1}, {EPERM, 1}, {EIO, 1}, {ENOMEM, 1}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		set_up("processes");
		read_list(&processes);
		b.f.broken = "proc/900/";
		b.f.broken_errno = cases[i].code;
		read_later(&processes, SECOND);
		assert_int_equal(b.list->n, 10);
		assert_int_equal(b.list->n_hidden, cases[i].n_hidden);
		assert_null(process_find(b.list, 900));
		b.f.broken = NULL;
		read_later(&processes, SECOND);
		assert_int_equal(b.list->n, 11);
		assert_int_equal(b.list->n_hidden, 0);
		assert_true(isnan(of(900)->cpu_percent));
		tear_down();
	}
}

TEST(a_process_that_tells_nonsense_is_counted_and_one_without_an_owner_has_no_user)
{
	set_up("processes");
	fixture_write(&b.f, "proc/900/stat", "");
	fixture_write(&b.f, "proc/901/stat", "901 (x) R 1\n");
	fixture_write(&b.f, "proc/0/stat", "0 (x) R 1\n"); /* no pids: */
	fixture_write(&b.f, "proc/05/stat", "5 (x) R 1\n");
	fixture_write(&b.f, "proc/4x/stat", "4 (x) R 1\n");
	fixture_write(&b.f, "proc/99999999999999999999/stat", "9 (x) R 1\n");
	b.stat_errno = EACCES;
	read_list(&processes);
	assert_int_equal(b.list->n, 9);
	assert_int_equal(b.list->n_hidden, 2);
	assert_true(of(812)->uid == UINT32_MAX);
	assert_string_equal(of(812)->user, "");
	tear_down();
}

TEST(without_proc_there_is_an_empty_list)
{
	set_up(NULL);
	read_list(&all);
	assert_int_equal(b.list->n, 0);
	assert_int_equal(b.list->n_hidden, 0);
	tear_down();
	process_scan_free(NULL);
}

static void assert_in_order(const struct process_list *list)
{
	const struct process *group = NULL, *before = NULL;

	for (unsigned i = 0; i < list->n; i++) {
		const struct process *p = &list->processes[i];

		assert_true(p->is_thread ? group && p->parent == group->pid : !group || p->pid > group->pid);
		assert_true(!p->is_thread || !before->is_thread || p->pid > before->pid);
		assert_true(isnan(p->cpu_percent) || p->cpu_percent >= 0);
		before = p;
		group = p->is_thread ? group : p;
	}
}

/* Any call of the kernel fails once, or from then on: a list that is in order comes out, and
 * nothing stays open. */
TEST(whatever_fails_the_list_is_in_order_and_nothing_leaks)
{
	static const int codes[] = {EIO, ENOENT, EMFILE};
	unsigned at = 1, fired = 0;

	set_up("processes");
	for (bool more = true; more; at++) {
		more = false;
		for (size_t i = 0; i < 2 * ARRAY_LEN(codes); i++) {
			struct fake_sys fake;
			struct process_scan *scan;
			struct fake_fault fault = {FAKE_CALL_ANY, at, i & 1 ? 1 : UINT32_MAX, codes[i / 2]};

			fake_sys_init(&fake, b.f.root);
			scan = process_scan_new(&fake.sys);
			fake.fault = fault;
			for (int round = 0; round < 3; round++) {
				struct process_list *list = process_scan_read(scan, &all, fake.now_ns);

				assert_in_order(list);
				assert_true(list->n <= 14);
				process_list_free(list);
				fake_sys_run(&fake, SECOND);
			}
			fired += fake.fault.times != fault.times;
			more |= fake.fault.times != fault.times;
			process_scan_free(scan);
			if (fake_sys_leaks(&fake))
				fail_msg("call %u: %s", at, fake_sys_leaks(&fake));
			fake_sys_fini(&fake);
		}
	}
	assert_true(fired > 600);
	tear_down();
}

static void make_storm(void)
{
	for (;;) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

TEST(this_machine_is_read_while_processes_come_and_go)
{
	struct process_scan *scan;
	unsigned lists = 0, seen = 0;
	pid_t storms[3];
	struct err err;
	struct sys sys;
	int64_t end;

	assert_true(sys_init(&sys, NULL, &err));
	for (size_t i = 0; i < ARRAY_LEN(storms); i++) {
		storms[i] = fork();
		if (storms[i] == 0)
			make_storm();
	}
	scan = process_scan_new(&sys);
	end = sys.monotonic_ns(&sys) + 60 * SECOND;
	for (; lists < 200 || (!seen && sys.monotonic_ns(&sys) < end); lists++) {
		struct process_list *list = process_scan_read(scan, &all, sys.monotonic_ns(&sys));
		const struct process *own = process_find(list, getpid());

		assert_in_order(list);
		assert_non_null(own);
		assert_int_equal(own->parent, getppid());
		assert_int_equal(own->uid, geteuid());
		assert_int_equal(own->state, 'R');
		assert_int_equal(own->threads, 1);
		assert_string_equal(own->name, "test_process_scan");
		for (size_t i = 0; i < ARRAY_LEN(storms); i++)
			assert_int_equal(process_find(list, storms[i])->parent, getpid());
		for (unsigned i = 0; i < list->n; i++)
			seen += list->processes[i].parent == storms[0];
		process_list_free(list);
	}
	for (size_t i = 0; i < ARRAY_LEN(storms); i++) {
		kill(storms[i], SIGKILL);
		waitpid(storms[i], NULL, 0);
	}
	assert_true(seen > 0);
	process_scan_free(scan);
	sys_fini(&sys);
}
