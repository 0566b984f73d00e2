#include "tests/layer/listener.h"

#include "base/alloc.h"
#include "base/sys_socket.h"

#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

struct listener listener;

int listener_begin(void **state)
{
	struct listener *l = &listener;
	char path[128];

	(void)state;
	*l = (struct listener){.directory = "/tmp/malitop-layer-XXXXXX"};
	assert(mkdtemp(l->directory));
	setenv("XDG_RUNTIME_DIR", l->directory, 1);
	assert(passes_directory(path, sizeof(path)));
	assert(sys_private_directory(path) == 0);
	l->events = xcalloc(LISTENER_EVENTS, sizeof(*l->events));
	l->names = xcalloc(LISTENER_EVENTS, sizeof(*l->names));
	assert(passes_socket_path(path, sizeof(path), 0));
	char directory[128];

	passes_directory(directory, sizeof(directory));
	l->fd = sys_listen_local(directory, path);
	assert(l->fd >= 0);
	return 0;
}

int listener_end(void **state)
{
	struct listener *l = &listener;
	char path[128];

	(void)state;
	passes_socket_path(path, sizeof(path), 0);
	sys_unlisten_local(l->fd, path);
	passes_directory(path, sizeof(path));
	rmdir(path);
	rmdir(l->directory);
	free(l->events);
	free(l->names);
	return 0;
}

static pid_t start_program(char *const argv[], const char *const environment[], int output)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (; environment && *environment; environment++)
		putenv((char *)(uintptr_t)*environment);
	dup2(output, 1);
	dup2(output, 2);
	execvp(argv[0], argv);
	_exit(127);
}

static void take_events(struct listener *l)
{
	struct passes_event e;

	while (passes_reader_next(&l->reader, now_ns(), &e)) {
		if (l->n == LISTENER_EVENTS)
			continue;
		l->events[l->n] = e;
		passes_reader_name(&l->reader, e.name, e.ordinal, l->names[l->n], sizeof(l->names[0]));
		l->n++;
	}
	passes_reader_counts(&l->reader);
}

/* Wait until the program connects and sends its memory, or has ended. */
static int accept_program(struct listener *l, pid_t pid, void **memory)
{
	struct pollfd p = {l->fd, POLLIN, 0};
	char hello[64];
	size_t bytes = PASSES_BYTES;
	int fd;

	while (poll(&p, 1, 20) == 0) {
		siginfo_t info = {.si_pid = 0};

		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid &&
		    poll(&p, 1, 0) == 0)
			return -1;
	}
	fd = sys_accept_user(l->fd);
	assert(fd >= 0);
	p.fd = fd;
	poll(&p, 1, -1);
	assert(sys_receive_memory(fd, hello, sizeof(hello), &bytes, memory) == sizeof(PASSES_HELLO) - 1);
	assert(memcmp(hello, PASSES_HELLO, sizeof(PASSES_HELLO) - 1) == 0);
	assert(passes_reader_init(&l->reader, *memory, PASSES_BYTES, NULL));
	return fd;
}

/* The program that connected may be a child of the one that was started. */
static void follow_program(struct listener *l, int fd, unsigned kill_after)
{
	int process = (int)syscall(SYS_pidfd_open, sys_peer_process(fd), 0); /* since Linux 5.3 */
	struct pollfd p[] = {{fd, POLLIN, 0}, {process, POLLIN, 0}};

	passes_reader_text(&l->reader, PASSES_RECORD_TITLE, l->title, sizeof(l->title));
	passes_reader_text(&l->reader, PASSES_RECORD_DRIVER, l->driver, sizeof(l->driver));
	l->stamp = passes_reader_stamp(&l->reader);
	while (poll(p, 2, kill_after ? 0 : 5) == 0) {
		take_events(l);
		if (kill_after && l->n >= kill_after) {
			kill((pid_t)passes_load(&l->reader.memory[PASSES_WORD_PID]), SIGKILL);
			kill_after = 0;
		}
	}
	take_events(l);
	if (process >= 0)
		close(process);
}

bool listener_play(struct listener *l, char *const argv[], const char *const environment[],
		   unsigned kill_after)
{
	FILE *output = tmpfile();
	void *memory = NULL;
	pid_t pid;
	int fd;

	assert(output);
	pid = start_program(argv, environment, fileno(output));
	l->n = 0;
	fd = accept_program(l, pid, &memory);
	if (fd >= 0) {
		follow_program(l, fd, kill_after);
		close(fd);
	}
	waitpid(pid, &l->status, 0);
	if (fd >= 0)
		take_events(l);
	/* the next program would be taken for one that connects again */
	assert(poll(&(struct pollfd){l->fd, POLLIN, 0}, 1, 0) == 0);
	sys_unmap(memory, PASSES_BYTES);
	l->stamp_ns = now_ns();
	rewind(output);
	l->output[fread(l->output, 1, sizeof(l->output) - 1, output)] = 0;
	fclose(output);
	return fd >= 0;
}

unsigned listener_count(const struct listener *l, enum passes_type type, const char *name)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++)
		n += l->events[i].type == type && (!name || strcmp(l->names[i], name) == 0);
	return n;
}

unsigned listener_count_untold(const struct listener *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < PASSES_COUNTS; i++)
		n += (unsigned)l->reader.counts[i];
	return n;
}

int64_t listener_least_ns(const struct listener *l, const char *name)
{
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < l->n; i++) {
		int64_t ns = l->events[i].end_ns - l->events[i].begin_ns;

		if (l->events[i].type == PASSES_PASS && strcmp(l->names[i], name) == 0 && ns < least)
			least = ns;
	}
	return least;
}
