/* sim_pace: what all simulated sources do alike: which interval comes next. */
#ifndef MALITOP_SIM_PACE_H
#define MALITOP_SIM_PACE_H

#include "backends/backend.h"

/* The first member of what a source holds. */
struct sim_pace {
	int64_t least_ns; /* shortest period; set by open */
	int64_t period_ns;
	int64_t next_ns; /* begin of the next interval */
	int64_t live_ns; /* what ended before is history, in intervals of SOURCE_HISTORY_STEP_NS at least */
	int64_t sim_ns;  /* simulated so far: skipped intervals are not */
	bool begun;
};

/* For struct backend. A simulated source is never found, only on request, and does nothing between
 * reads. start: measure from now on; the first start goes back by history_ns, as far as the clock
 * reaches. */
bool sim_probe(const struct sys *sys, struct source_found **found, struct err *err);
bool sim_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err);
void sim_stop(struct source *source);
/* The next interval that has ended by now, into the sample's times, flags and lost; sim_ns is its
 * end in simulated time. Far behind, where the machine slept, intervals are skipped, as lost ones.
 * false: none has ended. */
bool sim_pace_next(struct sim_pace *pace, int64_t now_ns, struct sample *sample);

#endif
