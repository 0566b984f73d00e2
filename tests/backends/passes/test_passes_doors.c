/* The passes source and programs that connect and are no applications of ours: same user, any
 * message or none. Their side is plain sockets in this process. */
#include "backends/backends.h"
#include "backends/passes/passes.h"
#include "base/alloc.h"
#include "base/sys_socket.h"
#include "layer/channel.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000ll
#define SECOND 1000000000ll
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#define SILENT 200 /* more than the source and the kernel keep */

struct door_bench {
	struct sys sys;
	struct source source;
	struct sample *sample;
	int64_t now_ns;
};

static char directory[128];

FIXTURE(make_directory)
{
	static char runtime[] = "/tmp/malitop-doors-XXXXXX";

	assert_non_null(mkdtemp(runtime));
	setenv("XDG_RUNTIME_DIR", runtime, 1);
	assert_true(passes_directory(directory, sizeof(directory)));
	*state = runtime;
	return 0;
}

FIXTURE(remove_directory)
{
	rmdir(directory);
	return rmdir(*state);
}

static void bench_init(struct door_bench *b)
{
	struct err err = {0};

	*b = (struct door_bench){.now_ns = passes_now_ns()};
	assert_true(sys_init(&b->sys, NULL, &err));
	b->source = (struct source){.backend = &backend_passes,
				    .sys = &b->sys,
				    .options.frames_per_second = 60,
				    .priv = xcalloc(1, backend_passes.priv_size)};
	assert_true(backend_passes.open(&b->source, "", &err));
	b->sample =
		xcalloc(1, sizeof(*b->sample) + (b->source.n_slots + b->source.n_more) * sizeof(uint64_t));
	assert_true(backend_passes.start(&b->source, 100 * MS, b->now_ns, &err));
}

static void bench_fini(struct door_bench *b)
{
	backend_passes.close(&b->source);
	free(b->source.priv);
	free(b->source.slots);
	free(b->sample);
	sys_fini(&b->sys);
}

/* The number of applications 100 ms later. */
static unsigned read_apps(struct door_bench *b)
{
	b->now_ns += 100 * MS;
	assert_int_equal(backend_passes.read(&b->source, b->now_ns, b->sample), READ_GOT);
	return (unsigned)b->sample->value[FRAME_APPS];
}

static unsigned open_descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(list);
	while (readdir(list))
		n++;
	closedir(list);
	return n;
}

/* A connection to the source, or -1 if the kernel keeps no more. */
static int connect_program(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(passes_socket_path(address.sun_path, sizeof(address.sun_path), 0));
	assert_true(fd >= 0);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	assert_int_equal(errno, EAGAIN);
	close(fd);
	return -1;
}

static void send_descriptors(int to, const char *text, int fd, unsigned n)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec words = {(void *)(uintptr_t)text, strlen(text)};
	struct msghdr message = {.msg_iov = &words, .msg_iovlen = 1};

	if (n) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(n * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(n * sizeof(int));
		for (unsigned i = 0; i < n; i++)
			memcpy(CMSG_DATA(&control.header) + i * sizeof(int), &fd, sizeof(fd));
	}
	assert_true(sendmsg(to, &message, MSG_NOSIGNAL) == (ssize_t)strlen(text));
}

static bool is_closed(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

static int make_memory(unsigned pid)
{
	int fd = memfd_create("malitop-passes", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	uint64_t *memory;

	assert_true(fd >= 0 && ftruncate(fd, PASSES_BYTES) == 0);
	memory = mmap(NULL, PASSES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(memory != MAP_FAILED);
	passes_init(memory, PASSES_VULKAN, PASSES_STAMP_BOTTOM);
	passes_store(&memory[PASSES_WORD_PID], pid);
	munmap(memory, PASSES_BYTES);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	return fd;
}

static int connect_app(unsigned pid)
{
	int fd = connect_program(), memory = make_memory(pid);

	assert_true(fd >= 0);
	send_descriptors(fd, PASSES_HELLO, memory, 1);
	close(memory);
	return fd;
}

static const struct {
	const char *text;
	unsigned descriptors;
	bool memory; /* else the descriptors are those of a directory */
} messages[] = {
	{"", 1, true},
	{"", 4, false},
	{"", 8, true},
	{"hello", 1, true},
	{"hello", 4, false},
	{"hello", 0, false},
	{PASSES_HELLO, 0, false},
	{PASSES_HELLO, 1, false},
	{PASSES_HELLO, 8, false},
};

TEST(a_message_that_is_none_leaves_no_descriptor)
{
	struct door_bench b;
	unsigned before;

	bench_init(&b);
	before = open_descriptors();
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		int fd = messages[i].memory ? make_memory(1) : open("/", O_RDONLY | O_CLOEXEC);
		int to = connect_program();

		send_descriptors(to, messages[i].text, fd, messages[i].descriptors);
		close(fd);
		assert_int_equal(read_apps(&b), 0);
		assert_true(is_closed(to));
		close(to);
		if (open_descriptors() != before)
			fail_msg("\"%s\" with %u descriptors: %u descriptors, before %u", messages[i].text,
				 messages[i].descriptors, open_descriptors(), before);
	}
	bench_fini(&b);
}

/* An application makes its connections once a second, so its clock runs faster here. */
TEST(silent_connections_keep_no_application_out)
{
	int silent[SILENT];
	struct door_bench b;
	unsigned n = 0, apps = 0;

	bench_init(&b);
	for (unsigned round = 0; round < 3; round++) {
		while (n < SILENT && (silent[n] = connect_program()) >= 0)
			n++;
		read_apps(&b);
	}
	assert_true(n >= 76);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	for (unsigned i = 1; i <= 3; i++) {
		channel_tend(passes_now_ns() + i * 2 * SECOND);
		apps = read_apps(&b);
	}
	assert_int_equal(apps, 1);
	channel_close();
	while (n)
		close(silent[--n]);
	bench_fini(&b);
}

TEST(a_connection_without_a_message_is_closed_after_a_second)
{
	struct door_bench b;
	unsigned before, steps;
	int fd;

	bench_init(&b);
	fd = connect_program();
	before = open_descriptors();
	for (steps = 0; steps < 100 && !is_closed(fd); steps++)
		read_apps(&b);
	assert_in_range(steps, 10, 12);
	assert_int_equal(open_descriptors(), before);
	close(fd);
	bench_fini(&b);
}

/* The places that are taken; several of one process are one application. */
static unsigned read_places(struct door_bench *b)
{
	const struct passes *p = b->source.priv;
	unsigned n = 0;

	assert_int_equal(read_apps(b), 1);
	for (unsigned i = 0; i < APPS_MOST; i++)
		n += p->apps[i].fd >= 0;
	return n;
}

/* It tries again once a second. */
TEST(an_application_without_a_place_is_turned_away_and_gets_the_next_one)
{
	struct door_bench b;
	int apps[APPS_MOST], late;

	bench_init(&b);
	for (unsigned i = 0; i < APPS_MOST; i++)
		apps[i] = connect_app(1000 + i);
	assert_int_equal(read_places(&b), APPS_MOST);
	late = connect_app(2000);
	assert_int_equal(read_places(&b), APPS_MOST);
	assert_true(is_closed(late));
	close(late);
	close(apps[3]);
	for (unsigned i = 0; i < 2; i++) /* until it is read to its end */
		read_apps(&b);
	late = connect_app(2000);
	assert_int_equal(read_places(&b), APPS_MOST);
	assert_false(is_closed(late));
	close(late);
	for (unsigned i = 0; i < APPS_MOST; i++)
		if (i != 3)
			close(apps[i]);
	bench_fini(&b);
}

/* In its namespace the number of the first program of a container is 1. */
TEST(the_number_of_an_application_is_that_of_our_namespace)
{
	struct door_bench b;
	int ours, ready[2];
	pid_t child;
	char byte;

	bench_init(&b);
	ours = connect_app(1);
	assert_int_equal(read_apps(&b), 1);
	assert_int_equal(b.sample->value[FRAME_PID], getpid());
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		connect_app(1);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_true(read(ready[0], &byte, 1) == 1);
	assert_int_equal(read_apps(&b), 2);
	backend_passes.extras->choose(&b.source, SOURCE_NEXT_PROCESS);
	read_apps(&b);
	assert_int_equal(b.sample->value[FRAME_PID], child);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(ready[0]);
	close(ready[1]);
	close(ours);
	bench_fini(&b);
}

/* A child of fork that never calls malitop.h does not close what its parent opened. */
TEST(an_application_ends_though_its_child_keeps_the_connection)
{
	int status, ends[2], child_pid = 0;
	struct door_bench b;
	pid_t pid;

	bench_init(&b);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		connect_app((unsigned)getpid());
		child_pid = fork();
		if (child_pid > 0 && write(ends[1], &child_pid, sizeof(child_pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &child_pid, sizeof(child_pid)), sizeof(child_pid));
	assert_int_equal(read_apps(&b), 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	read_apps(&b); /* to its end */
	assert_int_equal(read_apps(&b), syscall(SYS_pidfd_open, getpid(), 0) < 0 ? 1 : 0);
	kill(child_pid, SIGKILL);
	close(ends[0]);
	close(ends[1]);
	bench_fini(&b);
}

TEST(a_directory_that_another_process_has_locked_is_reported)
{
	struct source source = {.backend = &backend_passes, .priv = xcalloc(1, backend_passes.priv_size)};
	struct err err = {0};
	int lock;

	assert_int_equal(sys_private_directory(directory), 0);
	lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	alarm(30);
	assert_false(backend_passes.open(&source, "", &err));
	alarm(0);
	if (!strstr(err.text, "has locked") || !strstr(err.text, directory))
		fail_msg("%s", err.text);
	close(lock);
	free(source.priv);
}

TEST_GROUP(make_directory, remove_directory)
