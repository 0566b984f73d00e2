#include "record/measure.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/sys.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_EXECUTABLE 126
#define NOT_FOUND 127
#define NAME 80

/* The signal mask and the limit of open files at our first call: once it measures, malitop blocks
 * signals and may open more files, but all runs of CMD must begin alike. */
static struct {
	bool known;
	sigset_t mask;
	struct rlimit files;
} start;

static int status_of_failure(int code)
{
	return code == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

/* In the child: wait for the release byte, then become CMD, or send the errno to the parent. The
 * socket closes on exec, or when we exit. */
static void run_child(char **cmd, int socket)
{
	char release;
	ssize_t n;
	int code;

	setrlimit(RLIMIT_NOFILE, &start.files);
	sigprocmask(SIG_SETMASK, &start.mask, NULL);
	while ((n = read(socket, &release, sizeof(release))) < 0 && errno == EINTR)
		;
	if (n != sizeof(release))
		_exit(0);
	execvp(cmd[0], cmd);
	code = errno;
	n = send(socket, &code, sizeof(code), MSG_NOSIGNAL);
	_exit(n < 0 ? NOT_EXECUTABLE : status_of_failure(code));
}

bool command_hold(struct command *command, char **cmd, struct err *err)
{
	char name[NAME];
	int ends[2];

	*command = (struct command){.socket = -1};
	str_printable(name, sizeof(name), cmd[0]);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return err_set(err, errno, "%s: cannot start: %s", name, strerror(errno));
	if (!start.known) {
		start.known = true;
		sigprocmask(SIG_SETMASK, NULL, &start.mask);
		getrlimit(RLIMIT_NOFILE, &start.files);
	}
	signal(SIGCHLD, SIG_DFL); /* if it is ignored, the status of CMD is lost */
	command->pid = fork();
	if (command->pid == 0) {
		close(ends[0]);
		run_child(cmd, ends[1]);
	}
	close(ends[1]);
	command->socket = ends[0];
	if (command->pid > 0)
		return true;
	err_set(err, errno, "%s: cannot start: %s", name, strerror(errno));
	sys_cleanup_close(&command->socket);
	*command = (struct command){.socket = -1};
	return false;
}

static int64_t ns_of(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000000 + (int64_t)t->tv_usec * 1000;
}

static bool collect_status(struct command *command, int flags, int64_t now_ns)
{
	struct rusage used;
	int status;
	pid_t pid;

	while ((pid = wait4(command->pid, &status, flags, &used)) < 0 && errno == EINTR)
		;
	if (pid != command->pid)
		return false;
	command->ended = true;
	command->end_ns = now_ns;
	command->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	command->user_ns = ns_of(&used.ru_utime);
	command->system_ns = ns_of(&used.ru_stime);
	return true;
}

bool command_release(struct command *command, char **cmd, int64_t now_ns, struct err *err)
{
	char name[NAME];
	int code = 0;
	ssize_t n;

	if (!command->pid)
		return true;
	command->begin_ns = now_ns;
	command->released = true;
	if (send(command->socket, "!", 1, MSG_NOSIGNAL) == 1)
		while ((n = recv(command->socket, &code, sizeof(code), 0)) < 0 && errno == EINTR)
			;
	sys_cleanup_close(&command->socket);
	if (!code)
		return true;
	collect_status(command, 0, now_ns);
	command->status = status_of_failure(code);
	str_printable(name, sizeof(name), cmd[0]);
	return err_set(err, code, "%s: cannot run: %s: check the name and that it is executable", name,
		       strerror(code));
}

bool command_reap(struct command *command, int64_t now_ns)
{
	return command->pid && (command->ended || collect_status(command, WNOHANG, now_ns));
}

void command_drop(struct command *command)
{
	if (!command->pid || command->released)
		return;
	sys_cleanup_close(&command->socket);
	collect_status(command, 0, 0);
}

/* ---- what it uses of the GPU ---- */

#define ANCESTORS_MOST 64

static int32_t parent_of(const struct sys *sys, int32_t pid)
{
	char path[32], text[512], *at;
	int32_t parent = 0;

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	if (sys_read_file(sys, path, text, sizeof(text)) < 0)
		return 0;
	at = strrchr(text, ')'); /* the name before may have any character */
	return at && sscanf(at, ") %*c %d", &parent) == 1 ? parent : 0;
}

static bool is_below(const struct sys *sys, int32_t pid, pid_t ancestor)
{
	for (unsigned i = 0; i < ANCESTORS_MOST && pid > 1; i++, pid = parent_of(sys, pid))
		if (pid == ancestor)
			return true;
	return false;
}

/* A client stays ours, even if its parent ends. */
static struct command_gpu_client *own_client(struct command_gpu *gpu, const struct drm_client *client,
					     pid_t pid)
{
	for (unsigned i = 0; i < gpu->n; i++)
		if (gpu->own[i].device == client->device && gpu->own[i].id == client->info.client)
			return &gpu->own[i];
	if (!is_below(gpu->clients.sys, client->pid, pid))
		return NULL;
	GROW(gpu->own, gpu->n, gpu->cap);
	gpu->own[gpu->n] = (struct command_gpu_client){client->device, client->info.client, SAMPLE_UNKNOWN};
	return &gpu->own[gpu->n++];
}

static void add_clients(struct command_gpu *gpu, pid_t pid)
{
	uint64_t bytes = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < gpu->clients.n; i++) {
		const struct drm_client *client = &gpu->clients.clients[i];
		struct command_gpu_client *own = own_client(gpu, client, pid);
		uint64_t has = drm_fdinfo_bytes(&client->info);

		for (unsigned k = 0; own && k < client->info.n_engines; k++) {
			uint64_t ns = client->info.engines[k].ns;

			if (ns != SAMPLE_UNKNOWN && (own->ns == SAMPLE_UNKNOWN || ns > own->ns))
				own->ns = ns;
		}
		if (!own || has == SAMPLE_UNKNOWN)
			continue;
		bytes += has;
		n++;
	}
	if (n && (gpu->most_bytes == SAMPLE_UNKNOWN || bytes > gpu->most_bytes))
		gpu->most_bytes = bytes;
}

void command_gpu_look(struct command_gpu *gpu, const struct sys *sys, pid_t pid, int64_t now_ns)
{
	bool first = !gpu->clients.sys;

	if (now_ns < gpu->next_ns)
		return;
	if (first) {
		gpu->most_bytes = SAMPLE_UNKNOWN;
		gpu->clients.sys = sys;
		drm_clients_find(&gpu->clients);
	}
	gpu->next_ns = gpu->clients.n_devices ? now_ns + COMMAND_GPU_NS : INT64_MAX;
	if (!gpu->clients.n_devices)
		return;
	drm_clients_read(&gpu->clients, now_ns);
	if (first)
		drm_clients_expect(&gpu->clients, pid);
	add_clients(gpu, pid);
}

uint64_t command_gpu_ns(const struct command_gpu *gpu)
{
	uint64_t ns = SAMPLE_UNKNOWN;

	for (unsigned i = 0; i < gpu->n; i++)
		if (gpu->own[i].ns != SAMPLE_UNKNOWN)
			ns = (ns == SAMPLE_UNKNOWN ? 0 : ns) + gpu->own[i].ns;
	return ns;
}

void command_gpu_fini(struct command_gpu *gpu)
{
	drm_clients_fini(&gpu->clients);
	free(gpu->own);
	*gpu = (struct command_gpu){0};
}
