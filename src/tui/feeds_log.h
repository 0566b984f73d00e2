/* feeds_log: the kept history as a log of raw counters, for what reads logs. Thread: ui. */
#ifndef MALITOP_FEEDS_LOG_H
#define MALITOP_FEEDS_LOG_H

#include "tui/feeds.h"

/* Append the log of all that is kept, in samples of a refresh, or longer ones if there are many,
 * with these marks. Sums only: cores, processes, frames one by one and profiles are not in it. */
bool feeds_log(const struct feeds *feeds, const struct timeline_mark *marks, unsigned n_marks,
	       struct strbuf *out, struct err *err);

#endif
