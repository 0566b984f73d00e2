#include "cli/commands.h"

#include "record/log_file.h"
#include "record/remote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define PIECE 65536

static volatile sig_atomic_t asked; /* how often a signal asked to end */

static void note_signal(int signal)
{
	(void)signal;
	asked++;
}

/* The first signal closes standard input there, which ends a recording; the second one ends the
 * program here. */
static bool pass_output(const struct sys *sys, struct remote_program *p, struct log_file *file,
			struct err *err)
{
	struct pollfd fd = {.fd = p->out_fd, .events = POLLIN};
	char bytes[PIECE];
	int handled = 0;

	for (;;) {
		ssize_t n;

		if (asked != handled && p->in_fd >= 0)
			close(take_fd(&p->in_fd));
		else if (asked != handled)
			kill(-p->pid, SIGTERM);
		handled = asked;
		if (sys->poll(sys, &fd, 1, 500) <= 0)
			continue;
		n = read(p->out_fd, bytes, sizeof(bytes));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return true;
		if (!log_file_write(file, bytes, (size_t)n, err))
			return err->code == EPIPE;
	}
}

int on_run(const struct sys *sys, const struct options *options, struct err *err)
{
	const struct sigaction action = {.sa_handler = note_signal};
	struct remote_program p;
	struct log_file *file;
	int status = EXIT_FAILED;
	bool ok;

	file = log_file_open(sys, options->log ? options->log : "-",
			     &(struct log_file_options){.force = options->force}, err);
	if (!file)
		return EXIT_FAILED;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	ok = remote_program_start(&p, options, options->where, err);
	if (ok) {
		ok = pass_output(sys, &p, file, err);
		status = remote_program_end(&p);
	}
	if (status == REMOTE_NOT_FOUND)
		err_set(err, 0, "%.80s: no malitop there: give --push, or install it in its PATH",
			options->where);
	if (!log_file_close(file, ok ? err : NULL) || !ok)
		return EXIT_FAILED;
	return status;
}
