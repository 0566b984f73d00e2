/* command: a command that is measured. Its process is held before its first instruction, so that
 * counting can be set up first; then it is released and waited for.
 *
 * Ctrl-C in a terminal reaches the command and us alike; the caller passes other signals on.
 */
#ifndef MALITOP_COMMAND_H
#define MALITOP_COMMAND_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* Zero means no command; all functions except command_hold then do nothing. */
struct command {
	pid_t pid;
	int socket; /* socket to the held process; -1 after release */
	bool released, ended;
	int status;                 /* as in a shell: 128 + signal, 127 not found, 126 not run */
	int64_t begin_ns, end_ns;   /* released, ended: CLOCK_MONOTONIC */
	int64_t user_ns, system_ns; /* CPU time, including the children that it waited for */
};

/* Start a process that will become `cmd`, with the signal mask and the limit of open files that we
 * had at the first call. It ends if we end first. */
bool command_hold(struct command *command, char **cmd, struct err *err);
/* Let it run. Returns false if it cannot run: err->code is the reason, and status is set. */
bool command_release(struct command *command, char **cmd, int64_t now_ns, struct err *err);
/* Whether it has ended; all fields are then valid. Never waits. */
bool command_reap(struct command *command, int64_t now_ns);
/* End a process that is still held, without running `cmd`. */
void command_drop(struct command *command);

#endif
