/* backends: every source of numbers there is. registry.c has the order in which they are tried. */
#ifndef MALITOP_BACKENDS_H
#define MALITOP_BACKENDS_H

#include "backends/backend.h"

extern const struct backend backend_perf_hot; /* which functions run, through perf_event_open */
extern const struct backend backend_kbase;    /* Mali GPUs with Arm's kernel driver */
extern const struct backend backend_panfrost; /* Mali GPUs with Mesa's driver Panfrost */
extern const struct backend backend_panthor;  /* Mali GPUs with Mesa's driver Panthor */
extern const struct backend backend_passes;   /* frames and passes of applications with malitop's layer */
extern const struct backend backend_perf;     /* the counters of the CPUs, through perf_event_open */
extern const struct backend backend_proc;     /* the machine's CPU, memory and heat, from proc and sysfs */
extern const struct backend backend_sim;      /* a GPU that is not there, and with it the rest of a phone: */
extern const struct backend backend_sim_cpu, backend_sim_passes, backend_sim_perf;

#endif
