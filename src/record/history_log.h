/* history_log: kept histories as a log of raw counters, for what reads logs. Thread: one at a
 * time. */
#ifndef MALITOP_HISTORY_LOG_H
#define MALITOP_HISTORY_LOG_H

#include "record/control.h"
#include "mlog/mlog_writer.h"
#include "model/history.h"
#include "session/session.h"

#include <sys/utsname.h>

struct history_log {
	const struct session *session;
	const struct history *histories[SESSION_SOURCES_MAX]; /* of its sources, in their order */
	int64_t from_ns;                                      /* 0: from the oldest on */
	int64_t step_ns;               /* the least length of a sample; longer if there are many */
	const struct mlog_note *marks; /* in the order of time */
	unsigned n_marks;
};

/* Write the log. It has sums only: cores, processes, frames one by one and profiles are not in it.
 * false if nothing is kept, or if `write` failed. */
bool history_log(const struct history_log *what, mlog_write_fn *write, void *ctx, struct err *err);

/* log_about: the start block of a log of a session. Thread: the session's owner. */

struct log_about {
	struct mlog_about about; /* owns the slots of its sources, and nothing else */
	struct mlog_source sources[SESSION_SOURCES_MAX];
	struct utsname machine;
	char kernel[200], scope[256], control[CONTROL_VOCABULARY];
};

/* Describe everything but the clocks. It points into itself and to the session: do not move it. */
void log_about_init(struct log_about *log, const struct session *session);
void log_about_fini(struct log_about *log);

#endif
