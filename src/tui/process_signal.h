/* process_signal: send a signal to a process of a list, and never to another one that has its pid by now. */
#ifndef MALITOP_PROCESS_SIGNAL_H
#define MALITOP_PROCESS_SIGNAL_H

#include "base/sys.h"
#include "model/process.h"

/* The signals that can be chosen, the mildest first. */
struct process_signal {
	int number;
	const char *name; /* "SIGTERM" */
	const char *what; /* what it does, for people */
};
extern const struct process_signal process_signals[];
extern const unsigned process_signals_n;

/* pid 1 and ourselves are left alone: false, with the word for it. */
bool process_signal_allowed(const struct process *process, struct err *err);
/* By pidfd; where there are none (before Linux 5.3), by pid, right after its start time was read once more. */
bool process_signal_send(const struct sys *sys, const struct process *process, const struct process_signal *signal,
			 struct err *err);

#endif
