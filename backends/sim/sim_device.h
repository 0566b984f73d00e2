/* sim_device: the phone around the simulated GPU: its CPUs, and the threads of a game and of the
 * system that run on them.
 *
 * Each source for a part of it (CPU load, CPU events, processes) has its own device. They agree
 * because their state depends only on seed, scenario and time since the start.
 *
 * Thread: one at a time. */
#ifndef MALITOP_SIM_DEVICE_H
#define MALITOP_SIM_DEVICE_H

#include "backends/cpu/cpu_ticks.h"
#include "backends/sim/sim.h"

#define SIM_CLUSTERS_MAX 3
#define SIM_CPUS 8

/* Cores that are alike. The row's name is the phone, and their title follows the numbers. */
struct sim_cluster {
	struct sim_row row;
	double cpus, top_khz, ipc, memory; /* memory: in GiB, together that of the phone */
	unsigned first, n;                 /* CPUs */
	char title[32];                    /* "Cortex-A715 x3" */
};

/* A process, or a thread of the process above it. The row's name is the user; name and command line
 * follow the numbers. src/data/demo.scenario says what these are. */
struct sim_task {
	struct sim_row row;
	double pid, parent, uid, threads, cluster, rss_mib, gpu_mib, gpu, main, render, worker, active,
		always, loading;
};
#define SIM_TASKS 28

/* An event of a CPU. The row's name is the slot. */
struct sim_event {
	struct sim_row row;
	double per[3], loading, ipc;
	const char *slot;
	unsigned of; /* enum base, or SIM_BASES plus the index of an earlier event */
};
#define SIM_EVENTS 25
#define SIM_BASES 4 /* bases of event counts: see sim_device.c */

struct sim_cpu {
	unsigned cluster;
	double khz, busy;          /* in this step */
	double time_ns[CPU_TICKS]; /* spent in each state */
	double passed[SIM_BASES];  /* amount not yet turned into events */
	double events[SIM_EVENTS];
};

/* Read from and written to the disk, received and sent by the network: bytes per second. */
struct sim_traffic {
	struct sim_row row;
	double always, active, loading; /* active: at full load of the GPU */
	double moved;                   /* bytes so far */
};
#define SIM_TRAFFIC 4

struct sim_device {
	struct sim_scenario scenario;
	struct sim_task tasks[SIM_TASKS];
	struct sim_cluster clusters[SIM_CLUSTERS_MAX];
	unsigned n_tasks, n_events, n_clusters, n_cpus;
	uint64_t memory_kib;
	uint64_t seed;
	int64_t now_ns;
	bool counts_events;     /* otherwise events[] stay 0 */
	bool hitch;             /* the game loads data */
	double gpu_busy;        /* share of time that the scenario demands */
	double mean[SIM_TASKS]; /* share of one CPU that a thread needs; 1: it never waits */
	double load[SIM_TASKS]; /* share that it gets in this step */
	uint8_t cpu_of[SIM_TASKS];
	double task_ns[SIM_TASKS], gpu_ns;
	double events_per[SIM_CLUSTERS_MAX][SIM_EVENTS]; /* per second or cycle */
	double load_average[3], celsius, available_kib;
	struct sim_traffic traffic[SIM_TRAFFIC];
	struct sim_cpu cpus[SIM_CPUS];
	struct sim_event events[SIM_EVENTS];
};

/* An unknown scenario is an error; options->gpu_name selects the phone. */
bool sim_device_init(struct sim_device *device, const struct source_options *options, struct err *err);
/* Run until `ns` after the start. */
void sim_device_run(struct sim_device *device, int64_t ns);
extern const struct process_reader sim_processes;

#endif
