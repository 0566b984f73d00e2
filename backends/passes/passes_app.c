#include "backends/passes/passes.h"

#include "backends/backend.h"
#include "backends/process_file.h"
#include "base/sys_socket.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define ACCEPTED_MOST 128 /* at a time: more than the kernel keeps */

static bool report_listen(const struct passes *p, const char *directory, int error, struct err *err)
{
	if (error == EWOULDBLOCK)
		return err_set(err, error,
			       "passes: %s: another process has locked this directory for over a second: "
			       "end that process (lslocks lists it)",
			       directory);
	return err_set(err, error, "passes: %s: cannot listen: %s", p->path,
		       error == EADDRINUSE ? "four malitops do already: end one of them" : strerror(error));
}

bool passes_listen(struct passes *p, struct err *err)
{
	char directory[sizeof(p->path)];
	int error = 0;

	p->listen_fd = -1;
	for (unsigned i = 0; i < APPS_MOST; i++)
		p->apps[i].fd = -1;
	for (unsigned i = 0; i < NEWCOMERS_MOST; i++)
		p->newcomers[i].fd = -1;
	if (!passes_directory(directory, sizeof(directory)))
		return err_set(err, 0, "passes: XDG_RUNTIME_DIR is too long: set it to a shorter path");
	if (sys_private_directory(directory) < 0)
		return err_set(err, errno,
			       "passes: %s: cannot use this directory: %s: "
			       "it must be yours, and closed to others",
			       directory, strerror(errno));
	for (unsigned i = 0; i < PASSES_SOCKETS && p->listen_fd < 0; i++) {
		passes_socket_path(p->path, sizeof(p->path), i);
		p->listen_fd = sys_listen_local(directory, p->path);
		error = errno;
		if (p->listen_fd < 0 && error != EADDRINUSE)
			break;
	}
	return p->listen_fd >= 0 || report_listen(p, directory, error, err);
}

void app_release(const struct passes *p, struct app *app)
{
	if (app->fd >= 0) {
		close(app->fd);
		if (app->process_fd >= 0)
			p->source->sys->close(p->source->sys, app->process_fd);
	}
	sys_unmap(app->memory, app->bytes);
	*app = (struct app){.fd = -1};
}

bool app_has_ended(const struct passes *p, const struct app *app)
{
	const struct sys *sys = p->source->sys;
	struct pollfd process = {app->process_fd, POLLIN, 0};

	return sys_hung_up(app->fd) || (app->process_fd >= 0 && sys->poll(sys, &process, 1, 0) > 0);
}

void passes_unlisten(struct passes *p)
{
	for (unsigned i = 0; i < APPS_MOST; i++)
		app_release(p, &p->apps[i]);
	for (unsigned i = 0; i < NEWCOMERS_MOST; i++)
		if (p->newcomers[i].fd >= 0)
			close(p->newcomers[i].fd);
	sys_unlisten_local(p->listen_fd, p->path);
	p->listen_fd = -1;
}

/* What the memory says is the number in the namespace of the application, often 1. */
static uint64_t pid_of(int fd, const uint64_t *memory)
{
	uint64_t pid = (uint64_t)sys_peer_process(fd);

	return pid ? pid : PID_UNSEEN | (passes_load(&memory[PASSES_WORD_PID]) & UINT32_MAX);
}

/* Make an application of a connection that has sent its memory. */
static bool admit_app(struct passes *p, int fd, void *memory, size_t bytes)
{
	const struct sys *sys = p->source->sys;
	struct app *app = p->apps;

	while (app < p->apps + APPS_MOST && app->fd >= 0)
		app++;
	if (app == p->apps + APPS_MOST || !passes_reader_init(&app->reader, memory, bytes, NULL))
		return false;
	app->fd = fd;
	app->memory = memory;
	app->bytes = bytes;
	app->pid = pid_of(fd, memory);
	app->process_fd = app->pid < PID_UNSEEN ? sys->pidfd_open(sys, (int)app->pid) : -1;
	return true;
}

/* Note an application that CMD has not started, if it has frames. */
static bool is_wanted(struct passes *p, int fd, const void *memory, size_t bytes, int64_t now_ns)
{
	pid_t command = p->source->options.command;
	struct passes_reader reader;

	if (!command || process_descends(p->source->sys, sys_peer_process(fd), command))
		return true;
	if (passes_reader_init(&reader, memory, bytes, NULL) &&
	    passes_reader_writer(&reader) != PASSES_REGIONS &&
	    passes_load(&reader.memory[PASSES_WORD_HEAD])) {
		passes_reader_text(&reader, PASSES_RECORD_TITLE, p->other.title, sizeof(p->other.title));
		p->other.pid = pid_of(fd, memory);
		p->other.seen_ns = now_ns;
	}
	return false;
}

/* Take the message of a newcomer, if it is there. All but an application are turned away. */
static void receive_app(struct passes *p, struct newcomer *newcomer, int64_t now_ns)
{
	char hello[sizeof(PASSES_HELLO)];
	size_t bytes = PASSES_BYTES;
	void *memory;
	ssize_t n = sys_receive_memory(newcomer->fd, hello, sizeof(hello), &bytes, &memory);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != sizeof(PASSES_HELLO) - 1 || memcmp(hello, PASSES_HELLO, (size_t)n) != 0 ||
	    !is_wanted(p, newcomer->fd, memory, bytes, now_ns) ||
	    !admit_app(p, newcomer->fd, memory, bytes)) {
		sys_unmap(memory, bytes);
		close(newcomer->fd);
	}
	newcomer->fd = -1;
}

/* The place of a new connection: a free one, or that of the oldest. */
static struct newcomer *newcomer_place(struct passes *p)
{
	struct newcomer *place = &p->newcomers[0];

	for (unsigned i = 1; i < NEWCOMERS_MOST && place->fd >= 0; i++)
		if (p->newcomers[i].fd < 0 || p->newcomers[i].since_ns < place->since_ns)
			place = &p->newcomers[i];
	if (place->fd >= 0)
		close(place->fd);
	return place;
}

/* An application sends right after it connects, so most are received with their connection. */
static void accept_newcomers(struct passes *p, int64_t now_ns)
{
	for (unsigned i = 0; i < ACCEPTED_MOST; i++) {
		int fd = sys_accept_user(p->listen_fd);
		struct newcomer *place;

		if (fd < 0 && errno == EPERM)
			continue;
		if (fd < 0)
			return;
		place = newcomer_place(p);
		*place = (struct newcomer){fd, now_ns};
		receive_app(p, place, now_ns);
	}
}

void passes_connect(struct passes *p, int64_t now_ns)
{
	for (unsigned i = 0; i < NEWCOMERS_MOST; i++) {
		struct newcomer *newcomer = &p->newcomers[i];

		if (newcomer->fd >= 0)
			receive_app(p, newcomer, now_ns);
		if (newcomer->fd >= 0 && now_ns - newcomer->since_ns >= NEWCOMER_NS) {
			close(newcomer->fd);
			newcomer->fd = -1;
		}
	}
	accept_newcomers(p, now_ns);
}
