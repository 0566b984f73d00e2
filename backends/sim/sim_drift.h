/* sim_drift: gradual and sudden changes of content, which is never still: a camera cuts from shot
 * to shot, drifts within a shot, and trembles. A drift is one such number from -1 to 1. Ratios
 * follow one or two of them, so that related ratios change together. */
#ifndef MALITOP_SIM_DRIFT_H
#define MALITOP_SIM_DRIFT_H

#include <stdint.h>

#define SIM_DRIFTS 8

/* The drifts at `at_ns` after the start, which must not be negative. */
void sim_drift(uint64_t seed, int64_t at_ns, double drifts[SIM_DRIFTS]);

#endif
