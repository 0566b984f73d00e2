/* passes: the parts of the backend that reads frames and passes from applications with malitop's
 * layer. Each sample describes one application, the one that renders most. */
#ifndef MALITOP_BACKENDS_PASSES_H
#define MALITOP_BACKENDS_PASSES_H

#include "backends/backend.h"
#include "passes/passes_reader.h"
#include "passes/regions.h"

#define APPS_MOST 16
#define PID_UNSEEN (1ull << 32) /* it is in no namespace that malitop sees; the rest is its own number */
#define NEWCOMERS_MOST 16
#define NEWCOMER_NS 1000000000ll /* then it is closed; applications send at once */
#define MARKS_MOST 16            /* in a sample; more of them are counted as events not read */

struct app {
	int fd;         /* of the connection; -1: free */
	int process_fd; /* readable when its process has ended; -1 before Linux 5.3 */
	void *memory;
	size_t bytes;
	struct passes_reader reader;
	uint8_t device; /* whose frames count */
	bool has_device;
	int64_t frame_ns;                    /* when the last frame came */
	uint64_t frames;                     /* in this sample */
	bool gone;                           /* hung up, and read to its end */
	uint64_t pid;                        /* as malitop's namespace has it, or PID_UNSEEN */
	uint64_t dropped[PASSES_COUNTS + 1]; /* counts at the last sample */
	uint64_t missed;                     /* events that the reader could not read, before the last one */
};

struct passes {
	const struct source *source;
	int listen_fd;
	char path[108];
	struct app apps[APPS_MOST];
	struct newcomer {
		int fd; /* -1: free */
		int64_t since_ns;
	} newcomers[NEWCOMERS_MOST]; /* connected, and have not yet sent their memory */
	struct turned_away {
		char title[PASS_NAME_TEXT];
		uint64_t pid;
		int64_t seen_ns; /* it comes again every second */
	} other;                 /* an application with frames that CMD has not started */
	struct app *shown;       /* of the samples, or NULL */
	uint64_t asked;          /* the pid that the user has chosen, 0: none */
	uint64_t shown_pid;      /* pid of the application that was shown last; 0 if none was yet */
	struct source_mark marks[MARKS_MOST];
	unsigned n_marks;
	struct pass_fold fold;
	struct regions regions;
	int64_t since_ns; /* events before it are not of this measurement */
	int64_t asked_ns; /* the period while applications are there */
	int64_t begin_ns, due_ns;
	int64_t alone_ns; /* when the last one was there, or it was started */
};

/* passes_app.c: connections. passes_listen waits at most a second, and fails with a message. */
bool passes_listen(struct passes *p, struct err *err);
void passes_unlisten(struct passes *p);
/* Accept new applications. All who connect are answered or turned away: connections that say
 * nothing are closed after a second, and earlier if newer ones need their place. An application
 * that finds no place is turned away and tries again a second later, as is one that CMD has not
 * started, if there is a CMD. */
void passes_connect(struct passes *p, int64_t now_ns);
void app_release(const struct passes *p, struct app *app);
/* Whether it writes no more. A child of fork that never calls malitop.h keeps the connection, so
 * its end is not the only sign. */
bool app_has_ended(const struct passes *p, const struct app *app);

#endif
