/* backends: every source of numbers there is. The registry lists them in the order in which they are tried. */
#ifndef MALITOP_BACKENDS_H
#define MALITOP_BACKENDS_H

#include "backends/backend.h"

extern const struct backend backend_kbase; /* Mali GPUs with Arm's kernel driver */
extern const struct backend backend_perf;  /* the counters of the CPUs, through perf_event_open */
extern const struct backend backend_proc;  /* the machine's CPU, memory and heat, from proc and sysfs */
extern const struct backend backend_sim;   /* a GPU that is not there */

#endif
