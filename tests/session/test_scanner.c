/* Lists of this machine's processes from a thread of their own, whose calls of the kernel are
 * counted and can be held up. */
#include "session/scanner.h"
#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MS 1000000ll
#define HOUR (3600000 * MS)

static struct sys sys, real; /* as long as the process: a read that is stuck keeps it */
static const struct process_query processes = {0}, all = {.threads_of = PROCESS_QUERY_ALL};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool shut, reached;
	bool resting, asleep; /* until it is woken */
	unsigned lists, rests;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static int counted_list(const struct sys *unused, const char *path, int32_t **numbers, unsigned *cap)
{
	(void)unused;
	pthread_mutex_lock(&gate.lock);
	gate.lists += strcmp(path, "proc") == 0;
	pthread_mutex_unlock(&gate.lock);
	return real.list_numbers(&real, path, numbers, cap);
}

static int counted_poll(const struct sys *unused, struct pollfd *fds, unsigned n, int timeout_ms)
{
	int ready;

	(void)unused;
	pthread_mutex_lock(&gate.lock);
	gate.rests++;
	gate.resting = true;
	gate.asleep = timeout_ms < 0;
	pthread_mutex_unlock(&gate.lock);
	ready = real.poll(&real, fds, n, timeout_ms);
	pthread_mutex_lock(&gate.lock);
	gate.resting = gate.asleep = false;
	pthread_mutex_unlock(&gate.lock);
	return ready;
}

static ssize_t gated_pread(const struct sys *unused, int fd, void *buf, size_t n, off_t at)
{
	(void)unused;
	pthread_mutex_lock(&gate.lock);
	gate.reached = true;
	pthread_cond_broadcast(&gate.changed);
	while (gate.shut)
		pthread_cond_wait(&gate.changed, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
	return real.pread(&real, fd, buf, n, at);
}

static void set_gate(bool shut)
{
	pthread_mutex_lock(&gate.lock);
	gate.shut = shut;
	gate.reached = false;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.lock);
}

static void until_reached(void)
{
	pthread_mutex_lock(&gate.lock);
	while (!gate.reached)
		pthread_cond_wait(&gate.changed, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
}

static unsigned read_counter(const unsigned *counter)
{
	unsigned n;

	pthread_mutex_lock(&gate.lock);
	n = *counter;
	pthread_mutex_unlock(&gate.lock);
	return n;
}

static bool is_asleep(void)
{
	bool asleep;

	pthread_mutex_lock(&gate.lock);
	asleep = gate.asleep;
	pthread_mutex_unlock(&gate.lock);
	return asleep;
}

/* The thread has handed over that many lists, and rests. */
static void until_rests_after(unsigned lists)
{
	for (bool over = false; !over; usleep(1000)) {
		pthread_mutex_lock(&gate.lock);
		over = gate.lists >= lists && gate.resting;
		pthread_mutex_unlock(&gate.lock);
	}
}

static bool is_ready(const struct scanner *s, int ms)
{
	struct pollfd fd = {.fd = scanner_fd(s), .events = POLLIN};

	return poll(&fd, 1, ms) == 1;
}

static struct process_list *next_list(struct scanner *s)
{
	struct process_list *list;

	assert_true(is_ready(s, AWAIT_MS));
	list = scanner_take(s);
	assert_non_null(list);
	assert_non_null(process_find(list, getpid()));
	return list;
}

FIXTURE(set_up)
{
	struct err err;

	if (!real.open) { /* once: a thread that was left may still use them */
		assert_true(sys_init(&real, NULL, &err));
		sys = real;
		sys.list_numbers = counted_list;
		sys.poll = counted_poll;
		sys.pread = gated_pread;
	}
	set_gate(false);
	gate.lists = gate.rests = 0;
	*state = scanner_new(&sys, NULL, NULL, &err);
	return *state ? 0 : -1;
}

FIXTURE(tear_down)
{
	scanner_free(*state);
	return 0;
}

TEST_EACH(set_up, tear_down)

TEST(nothing_is_read_until_it_is_wanted)
{
	assert_false(is_ready(*state, 50));
	assert_null(scanner_take(*state));
	assert_int_equal(read_counter(&gate.lists), 0);
}

TEST(the_first_list_comes_at_once_and_the_second_soon_with_percentages)
{
	struct process_list *list;
	int64_t end;

	scanner_want(*state, &processes, HOUR);
	list = next_list(*state);
	assert_int_equal(list->begin_ns, 0);
	assert_false(list->threads);
	end = list->end_ns;
	process_list_free(list);
	list = next_list(*state);
	assert_int_equal(list->begin_ns, end);
	process_list_free(list);
	assert_false(is_ready(*state, 50));
	assert_int_equal(read_counter(&gate.lists), 2);
}

TEST(another_query_is_answered_at_once)
{
	scanner_want(*state, &processes, HOUR);
	process_list_free(next_list(*state));
	process_list_free(next_list(*state));
	scanner_want(*state, &all, HOUR);
	{
		struct process_list *list = next_list(*state);

		assert_true(list->threads);
		process_list_free(list);
	}
	assert_int_equal(read_counter(&gate.lists), 3);
}

TEST(other_command_lines_come_without_reading_processes)
{
	struct process_query own = {.n_commands = 1, .commands = {getpid()}};
	struct process_list *list, *before;

	scanner_want(*state, &processes, HOUR);
	process_list_free(next_list(*state));
	before = next_list(*state);
	assert_null(process_find(before, getpid())->command);
	scanner_want(*state, &own, HOUR);
	list = next_list(*state);
	assert_non_null(strstr(process_find(list, getpid())->command, "test_scanner"));
	assert_int_equal(list->end_ns, before->end_ns);
	assert_int_equal(read_counter(&gate.lists), 2);
	process_list_free(before);
	process_list_free(list);
}

TEST(the_newest_list_replaces_one_that_nobody_took)
{
	struct process_list *list;

	scanner_want(*state, &processes, HOUR);
	until_rests_after(2);
	list = next_list(*state);
	assert_true(list->begin_ns != 0);
	process_list_free(list);
	assert_null(scanner_take(*state));
	assert_false(is_ready(*state, 0));
}

TEST(a_query_that_is_known_wakes_no_thread)
{
	unsigned rests;

	scanner_want(*state, &processes, HOUR);
	process_list_free(next_list(*state));
	process_list_free(next_list(*state));
	until_rests_after(2);
	rests = read_counter(&gate.rests);
	for (int i = 0; i < 100; i++)
		scanner_want(*state, &processes, HOUR);
	give_time_ms(20); /* to wake */
	assert_int_equal(read_counter(&gate.rests), rests);
}

TEST(it_sleeps_when_nothing_is_wanted_and_begins_anew)
{
	struct process_list *list;
	unsigned lists, rests;

	scanner_want(*state, &processes, MS);
	process_list_free(next_list(*state));
	scanner_want(*state, &processes, 0);
	AWAIT(is_asleep());
	process_list_free(scanner_take(*state));
	lists = read_counter(&gate.lists);
	rests = read_counter(&gate.rests);
	assert_false(is_ready(*state, 100));
	assert_int_equal(read_counter(&gate.lists), lists);
	assert_in_range(read_counter(&gate.rests), rests,
			rests + 1); /* that nothing is wanted may reach it twice */
	scanner_want(*state, &processes, HOUR);
	list = next_list(*state);
	assert_int_equal(list->begin_ns, 0);
	process_list_free(list);
}

TEST(a_machine_that_is_read_slowly_is_read_less_often)
{
	int64_t begin;

	scanner_want(*state, &processes, MS);
	process_list_free(next_list(*state));
	set_gate(true);
	until_reached();
	process_list_free(scanner_take(*state)); /* the one before, if it came as quickly */
	give_time_ms(100);
	begin = real.monotonic_ns(&real);
	set_gate(false);
	process_list_free(next_list(*state)); /* that one */
	process_list_free(next_list(*state));
	assert_true(real.monotonic_ns(&real) - begin >= 100 * MS);
}

TEST(a_read_that_is_stuck_does_not_hold_up_the_end)
{
	struct err err;
	struct scanner *s = scanner_new(&sys, NULL, NULL, &err);
	int fd;

	assert_non_null(s);
	fd = scanner_fd(s);
	set_gate(true);
	scanner_want(s, &all, HOUR);
	until_reached();
	scanner_free(s);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	set_gate(false);
	AWAIT(fcntl(fd, F_GETFD) < 0); /* the thread has cleaned up */
	give_time_ms(20);              /* the rest of it: sanitizers watch */
}

TEST(it_ends_whatever_it_does)
{
	struct err err;

	scanner_free(NULL);
	for (int i = 0; i < 20; i++) {
		struct scanner *s = scanner_new(&sys, NULL, NULL, &err);

		assert_non_null(s);
		if (i)
			scanner_want(s, i & 1 ? &all : &processes, MS);
		usleep((unsigned)i * 500); /* wherever it is by then */
		scanner_free(s);
	}
}

TEST(without_descriptors_there_is_no_scanner)
{
	struct rlimit before, none;
	struct scanner *s;
	struct err err;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	s = scanner_new(&sys, NULL, NULL, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_null(s);
	assert_int_equal(err.code, EMFILE);
	assert_string_equal(err.text, "processes: cannot start reading: Too many open files");
}
