/* command: a command under measurement. It is a process that is held before its first instruction, so that everything can be made ready
 * to count it, then released, and waited for.
 *
 * A terminal sends Ctrl-C to it and to us alike; what else asks us to end is passed on by whoever owns it.
 */
#ifndef MALITOP_COMMAND_H
#define MALITOP_COMMAND_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* Zero: there is none; all functions but command_hold then do nothing. */
struct command {
	pid_t pid;
	int line; /* to it, while it is held; -1 */
	bool released, ended;
	int status;                 /* once it ended, as a shell has it: 128 + signal; 127 not found, 126 not executable */
	int64_t begin_ns, end_ns;   /* released, ended: CLOCK_MONOTONIC */
	int64_t user_ns, system_ns; /* CPU time, with that of the children it waited for */
};

/* Start a process that will be `cmd`. It has the signal mask of now. If we end, so does it. */
bool command_hold(struct command *command, char **cmd, struct err *err);
/* Let it run. What cannot be run is an error, with its status; err->code is why. */
bool command_release(struct command *command, char **cmd, int64_t now_ns, struct err *err);
/* Has it ended? Then all is known of it. Never waits. Returns command->ended. */
bool command_reap(struct command *command, int64_t now_ns);
/* Never run what is still held. */
void command_drop(struct command *command);

#endif
