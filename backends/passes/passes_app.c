#include "backends/passes/passes.h"

#include "base/sys_socket.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool passes_listen(struct passes *p, struct err *err)
{
	char directory[sizeof(p->path)];
	int error = 0;

	p->listen_fd = -1;
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
	if (p->listen_fd >= 0)
		return true;
	return err_set(err, error, "passes: %s: cannot listen: %s", p->path,
		       error == EADDRINUSE ? "four malitops do already: end one of them" : strerror(error));
}

void app_release(struct app *app)
{
	if (app->fd >= 0)
		close(app->fd);
	sys_unmap(app->memory, PASSES_BYTES);
	*app = (struct app){.fd = -1};
}

void passes_unlisten(struct passes *p)
{
	for (unsigned i = 0; i < APPS_MOST; i++)
		app_release(&p->apps[i]);
	sys_unlisten_local(p->listen_fd, p->path);
	p->listen_fd = -1;
}

static struct app *free_app(struct passes *p)
{
	for (unsigned i = 0; i < APPS_MOST; i++)
		if (p->apps[i].fd < 0)
			return &p->apps[i];
	return NULL;
}

/* The memory comes right after the connection, or never. All else is turned away. */
static void receive_app(struct app *app)
{
	char hello[sizeof(PASSES_HELLO)];
	ssize_t n = sys_receive_memory(app->fd, hello, sizeof(hello), PASSES_BYTES, &app->memory);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != sizeof(PASSES_HELLO) - 1 || memcmp(hello, PASSES_HELLO, (size_t)n) != 0 ||
	    !passes_reader_init(&app->reader, app->memory, PASSES_BYTES, NULL)) {
		app_release(app);
		return;
	}
	app->pid = passes_load(&app->reader.memory[PASSES_WORD_PID]);
	app->announced = true;
}

void passes_connect(struct passes *p)
{
	struct app *app;
	int fd;

	while ((app = free_app(p)) && (fd = sys_accept_user(p->listen_fd)) >= 0)
		app->fd = fd;
	for (unsigned i = 0; i < APPS_MOST; i++)
		if (p->apps[i].fd >= 0 && !p->apps[i].announced)
			receive_app(&p->apps[i]);
}
