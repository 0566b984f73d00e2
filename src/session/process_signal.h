/* process_signal: send a signal to a process of a list, and never to another process that has
 * reused its pid. */
#ifndef MALITOP_PROCESS_SIGNAL_H
#define MALITOP_PROCESS_SIGNAL_H

#include "base/sys.h"
#include "model/process.h"

/* The signals to choose from: those that end, stop or reload, the mildest first, then the others by
 * name. */
struct process_signal {
	int number;
	const char *name; /* "SIGTERM" */
	const char *what; /* what it does */
};
extern const struct process_signal process_signals[];
extern const unsigned process_signals_n;

/* Whether the process may get signals: not pid 1, malitop itself, or a simulated process. *err has
 * the reason. */
bool process_signal_allowed(const struct process *process, struct err *err);
/* Send by pidfd; without pidfds (before Linux 5.3) by pid, right after checking the start time
 * again. */
bool process_signal_send(const struct sys *sys, const struct process *process,
			 const struct process_signal *signal, struct err *err);

#endif
