/* measure: what `malitop record` and `malitop stat` have in common: sources that are written to a file without a screen, until --duration,
 * CMD's end, SIGINT or SIGTERM.
 *
 * CMD is held while the sources open and start, and runs when the recorder does. Thread: the main one.
 */
#ifndef MALITOP_MEASURE_H
#define MALITOP_MEASURE_H

#include "record/command.h"
#include "record/recorder.h"

#include <signal.h>

#define MEASURE_CLEAR "\r\033[K"

struct measure {
	const struct sys *sys;
	struct options *options;
	struct session session;
	struct recorder *recorder;
	struct command command;
	sigset_t signals;
	int status;       /* of the exit, if it cannot begin */
	bool clears_line; /* `tick` leaves a line on the terminal: before a message it is cleared */
};

/* Hold CMD (options->held), open the sources and wait until they have started. Notes go to standard error. On failure nothing is left behind. */
bool measure_open(struct measure *m, const struct sys *sys, struct options *options, struct err *err);
/* Start to write, and let CMD run. form: NULL for a log. On failure nothing is left behind, and m->status is what to exit with. */
bool measure_begin(struct measure *m, const struct recorder_form *form, struct err *err);
/* Until it is over. `tick` (or NULL) is called at least once a second. A command that outlives --duration is asked to end, as timeout(1)
 * does, and waited for, so that its status can be passed on. */
void measure_wait(struct measure *m, void (*tick)(const struct measure *m, double seconds));
/* Write what waits, close everything. Returns the exit status; a log that failed has its message in *err. */
int measure_end(struct measure *m, struct recorder_state *state, struct err *err);

#endif
