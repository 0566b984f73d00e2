/* drm_usage: reports of an open driver besides counters: the use of its clients, whether the GPU
 * was powered, clock and heat. The backends of Panfrost and Panthor share it. With it a GPU without
 * available counters is still a source.
 *
 * Nothing here wakes a sleeping GPU: all of it comes from /proc and /sys.
 *
 * Threads: as in gpu_system.h. */
#ifndef MALITOP_DRM_USAGE_H
#define MALITOP_DRM_USAGE_H

#include "backends/drm/drm_clients.h"
#include "backends/gpu/gpu_system.h"
#include "backends/sysfs.h"

/* drm_profiling: the kernel's switch for timing the jobs of a GPU's queues, which is off by
 * default: `profiling` of the device in sysfs (Linux 6.10 and later), or `profile` in debugfs
 * (Panfrost of 6.7 to 6.9). Root may set it. It belongs to the device, and outlives the process
 * that set it.
 *
 * So the process that turns it on notes the old value in /run. Each one that wants it on has a lock
 * of the switch meanwhile, which all share and which the kernel ends with the process; the one that
 * ends last restores the old value. If that one is killed, the next process knows what was left on,
 * and what to restore.
 *
 * Thread: set and restore, one at a time for a switch; the rest any. */

enum drm_profiling {
	DRM_PROFILING_ABSENT,  /* the kernel has no switch that we can see */
	DRM_PROFILING_UNKNOWN, /* it cannot be read */
	DRM_PROFILING_OFF,
	DRM_PROFILING_ON
};

struct drm_profiling_switch {
	const struct sys *sys;
	char path[SYSFS_PATH]; /* "" if there is none */
	char note[SYSFS_PATH]; /* "run/malitop-profiling-renderD128" */
	unsigned on;           /* the value that times jobs */
	int lock_fd;           /* -1: it is not wanted, or may not be changed */
};

/* Find the switch of a node ("renderD128"). */
void drm_profiling_init(struct drm_profiling_switch *s, const struct sys *sys, const char *node, unsigned on);
enum drm_profiling drm_profiling_state(const struct drm_profiling_switch *s);
/* Want it on, and turn it on unless it is. Returns false with errno if that is not permitted. May
 * be called again if it is off again. */
bool drm_profiling_set(struct drm_profiling_switch *s);
/* Want it no longer. If no other malitop does, put back the old value, unless another program has
 * changed it since. */
void drm_profiling_restore(struct drm_profiling_switch *s);
/* Whether a malitop that does not run any more left it on. *before gets the value to put back. */
bool drm_profiling_left_on(const struct drm_profiling_switch *s, unsigned *before);

#define DRM_USAGE_ENGINES 2
#define DRM_USAGE_PERIOD_NS 500000000ll /* the clients are not read more often */

/* What one driver's engines are called, and their slots. */
struct drm_usage_engine {
	const char *name; /* in fdinfo: "fragment" */
	const char *time_slot, *cycles_slot;
};

struct drm_usage_driver {
	const char *name; /* of the kernel driver: "panfrost" */
	struct drm_usage_engine engines[DRM_USAGE_ENGINES];
	unsigned n_engines;
	unsigned profiling_on; /* what its profiling file must hold, for times to be reported */
	/* For messages: the releases of Linux that report clients, and that have the switch. */
	const char *reports_since, *switch_since;
	const char *shared;  /* the interface beside a program that counts; NULL: none */
	bool unsafe_unbound; /* a call after it was unbound from its GPU may crash the kernel */
};

struct drm_usage {
	const struct sys *sys;
	const struct drm_usage_driver *driver;
	char node[32]; /* "renderD128" */
	struct gpu_system system;
	struct drm_profiling_switch profiling;
	bool asked;   /* --profiling */
	int refused;  /* errno: --profiling could not turn it on; 0: not asked, or it is on */
	bool reports; /* the kernel reports clients: it does so for our own file */
	unsigned clock_slot, level_slot, powered_slot, client_slot;
	bool has_powered, counts;

	/* Used by the sampler: */
	struct drm_clients clients;
	struct gpu_system_values levels;
	struct sysfs_file powered_file;
	int64_t read_ns, levels_ns, clock_ns; /* of the last read of each */
	int64_t period_ns;                    /* of the samples */
	int64_t hz;                           /* the clock as the system reports it, 0 if unknown */
	uint64_t powered_ms;
	int64_t powered_at_ns, powered_over_ns; /* of its last read; what that had beyond the time */
	bool has_read;
	int64_t mend_ns;  /* profiling is not turned on again before */
	bool mend_failed; /* the last time */
	const char *news; /* for source->news */
	/* The last read of the clients: */
	uint64_t used_ns[DRM_USAGE_ENGINES], used_cycles[DRM_USAGE_ENGINES], powered_ns, bytes;
	int64_t window_ns;
};

/* Find the files of a node, which is open as `fd`. `profiling`: turn the switch on until
 * drm_usage_close. */
void drm_usage_open(struct drm_usage *u, const struct sys *sys, const struct drm_usage_driver *driver,
		    const char *path, int fd, bool profiling);
void drm_usage_close(struct drm_usage *u); /* no effect if zeroed or closed already */

/* Append the slots. `clock_slot` is what source_add_gpu_sums returned, or source_add_gpu_clock if
 * it does not count.
 *   GPUFreq ...     level    gpu_system_add_slots
 *   GPUPoweredTime  delta    ns in which the GPU was powered, and
 *   GPUPoweredOf    delta    ns for which that is known
 *   DRMTime         delta    ns for which the clients' use is known
 *   DRM...Time      delta    ns in which an engine was busy, of all clients together
 *   DRM...Cy        delta    cycles of it
 *   GPUMem          level    bytes of all clients
 *   DRMClients      level
 * Those of clients are SAMPLE_UNKNOWN where the kernel does not report clients. */
void drm_usage_add_slots(struct drm_usage *u, struct source *source, unsigned clock_slot, bool counts);
void drm_usage_start(struct drm_usage *u, int64_t period_ns, int64_t now_ns);
/* Write the slots of a sample, which has its start and end, clock slots included; `active` is the
 * count of GPU_ACTIVE, or SAMPLE_UNKNOWN. May flag SAMPLE_CLOCK. Reads the clients if that is
 * due. */
void drm_usage_fill(struct drm_usage *u, int64_t now_ns, uint64_t active, struct sample *sample);

/* Any thread: */
/* What the header must say: that times are missing, or that profiling was left on. `path` is the
 * whole path of the node. */
void drm_usage_note(const struct drm_usage *u, const char *path, struct strbuf *text);
/* Append lines for doctor: what the driver gives, with its counters or without; and the rest. */
void drm_usage_describe_gives(const struct drm_usage *u, struct strbuf *text);
void drm_usage_describe(const struct drm_usage *u, struct strbuf *text);

#endif
