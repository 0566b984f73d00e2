/* sim_pace: which interval a simulated source measures next. */
#ifndef MALITOP_SIM_PACE_H
#define MALITOP_SIM_PACE_H

#include "backends/backend.h"

struct sim_pace {
	int64_t period_ns;
	int64_t next_ns; /* begin of the next interval */
	int64_t live_ns; /* what ended before is history, in intervals of SOURCE_HISTORY_STEP_NS at least */
	int64_t sim_ns;  /* simulated so far: skipped intervals are not */
	bool begun;
};

/* Measure from now on. The first start goes back by history_ns, as far as the clock reaches. */
void sim_pace_start(struct sim_pace *pace, int64_t period_ns, int64_t now_ns, int64_t history_ns);
/* The next interval that has ended by now, into the sample's times, flags and lost; sim_ns is its
 * end in simulated time. Far behind, where the machine slept, intervals are skipped, as lost ones.
 * false: none has ended. */
bool sim_pace_next(struct sim_pace *pace, int64_t now_ns, struct sample *sample);

#endif
