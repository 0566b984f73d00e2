/* listener: runs a program and collects what the layer in it writes. */
#ifndef MALITOP_TESTS_LISTENER_H
#define MALITOP_TESTS_LISTENER_H

#include "passes/passes_reader.h"

#include <stdbool.h>
#include <sys/types.h>

#define LISTENER_EVENTS 40000

struct listener {
	char directory[64]; /* XDG_RUNTIME_DIR of the program */
	int fd;
	struct passes_event *events; /* the first LISTENER_EVENTS */
	unsigned n;
	char (*names)[80]; /* of each event */
	char title[64], driver[64];
	enum passes_stamp stamp;
	struct passes_reader reader; /* its counts stay valid */
	int status;                  /* of the program, as waitpid reports it */
	int64_t stamp_ns;            /* the clock at the end */
	char output[4096];           /* of the program: its standard output and error */
};

/* The one of a test: listener_begin and listener_end are the set-up and tear-down of its group. */
extern struct listener listener;
int listener_begin(void **state);
int listener_end(void **state);
/* Run a program (argv ends with NULL) with additional environment ("NAME=value", NULL at the end)
 * until it ends. Returns whether it connected. kill_after: SIGKILL after this many events; 0:
 * never. */
bool listener_play(struct listener *l, char *const argv[], const char *const environment[],
		   unsigned kill_after);
/* Number of events of a type, and with this name (NULL: any). */
unsigned listener_count(const struct listener *l, enum passes_type type, const char *name);
/* Number of passes that were submitted, but whose times are not known. */
unsigned listener_count_untold(const struct listener *l);
/* Duration of the shortest pass with this name. */
int64_t listener_least_ns(const struct listener *l, const char *name);

#endif
