/* history_log: kept histories as a log of raw counters, for what reads logs. Thread: one at a
 * time. */
#ifndef MALITOP_HISTORY_LOG_H
#define MALITOP_HISTORY_LOG_H

#include "mlog/mlog_writer.h"
#include "model/history.h"
#include "session/session.h"

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

#endif
