/* gpu_system: what a machine says of its Mali GPU beside the hardware counters: clock, temperature, the driver's own utilization, GPU
 * memory in all and per process. Not a backend: the backend of a GPU opens one beside its counters.
 *
 * Which files there are depends on driver, vendor and rights; each is optional, and what none tells is unknown. Formats and units
 * differ: a clock may be in Hz, kHz or MHz, which its magnitude tells without doubt (no GPU runs below 10 MHz or above 3 GHz); what
 * cannot be told is not used. Nothing that a file says is trusted.
 *
 * Threads: open and close as in a backend; clock, read and suspended belong to the sampler; describe and processes may run in the
 * ui thread meanwhile: they use only what is constant after open, and open files anew.
 */
#ifndef MALITOP_GPU_SYSTEM_H
#define MALITOP_GPU_SYSTEM_H

#include "backends/backend.h"
#include "backends/machine/sysfs.h"

enum gpu_system_thing {
	GPU_SYSTEM_CLOCK,                         /* Hz */
	GPU_SYSTEM_TEMPERATURE,                   /* thousandths of a degree Celsius, int64 in disguise */
	GPU_SYSTEM_UTILIZATION,                   /* percent, over the driver's own interval or since the last read */
	GPU_SYSTEM_MEMORY,                        /* bytes that the driver has allocated for the GPU */
	GPU_SYSTEM_LEVELS,                        /* the rest is no level: */
	GPU_SYSTEM_TOP_CLOCK = GPU_SYSTEM_LEVELS, /* read once, by open */
	GPU_SYSTEM_POWER,                         /* whether the GPU sleeps */
	GPU_SYSTEM_PROCESSES,                     /* memory per process, when asked for */
	GPU_SYSTEM_THINGS
};

struct gpu_system_values {
	uint64_t level[GPU_SYSTEM_LEVELS]; /* SAMPLE_UNKNOWN where nobody tells */
};

struct gpu_system;

/* Reads one format. `text` is the file, or as many of its lines as there is room for. */
enum gpu_system_told { TOLD_STRANGE, TOLD_NOTHING_NOW, TOLD };
typedef enum gpu_system_told gpu_system_parse(struct gpu_system *g, struct span text, uint64_t *value);

/* The file that tells a thing, or why none does. Constant after open but for file.fd. */
struct gpu_system_source {
	struct sysfs_file file;  /* path "" where there is none */
	gpu_system_parse *parse; /* NULL: not read by gpu_system_read */
	char refused[SYSFS_PATH];
	int refused_errno; /* EACCES or EPERM, 0: nothing was refused */
};

#define GPU_SYSTEM_ZONES 4

struct gpu_system {
	const struct sys *sys;
	unsigned number;     /* of the device: 0 is /dev/mali0 */
	unsigned page_bytes; /* of the kernel */
	uint64_t top_hz;     /* highest clock, SAMPLE_UNKNOWN; constant after open */
	struct gpu_system_source source[GPU_SYSTEM_THINGS];
	struct sysfs_file zones[GPU_SYSTEM_ZONES];
	unsigned n_zones;
	struct { /* of the driver's counts of busy and idle time; the sampler's */
		uint32_t busy, idle;
		int64_t at_ns;
		bool known;
	} counts;
};

/* Find the files for /dev/mali<number>. Finding none is fine. *g need not be initialized; it keeps `sys`. */
void gpu_system_open(struct gpu_system *g, const struct sys *sys, unsigned number);
/* Likewise, but only what tells the memory of processes. Whether anything does. */
bool gpu_system_open_processes(struct gpu_system *g, const struct sys *sys, unsigned number);
void gpu_system_close(struct gpu_system *g); /* zeroed, or closed already: nothing to do */

/* Everything. Some preads of files that are kept open: no allocation, no lock. Once a second is often enough. */
void gpu_system_read(struct gpu_system *g, struct gpu_system_values *values);
/* The clock alone, cheap enough for every sample. false: unknown, also while the GPU sleeps. */
bool gpu_system_clock(struct gpu_system *g, int64_t *hz);
/* Whether the kernel says that the GPU is powered down. */
bool gpu_system_suspended(struct gpu_system *g);

/* Whether there is a file that tells the thing. Constant after open. */
bool gpu_system_tells(const struct gpu_system *g, enum gpu_system_thing thing);
/* Append a slot for each level that this machine tells, in the order of enum gpu_system_thing, between source_add_gpu_sums and
 * source_add_gpu_instances. Returns how many.
 *   GPUFreq         level   Hz that the driver says it runs at
 *   GPUTemp         level   thousandths of a degree Celsius
 *   GPUDriverUtil   level   percent that the driver calls its utilization
 *   GPUMem          level   bytes
 */
unsigned gpu_system_add_slots(const struct gpu_system *g, struct source *source);
/* Write the values of these slots; value points to that of the first. */
void gpu_system_fill(const struct gpu_system *g, const struct gpu_system_values *values, uint64_t *value);

struct gpu_system_process {
	unsigned pid;
	uint64_t bytes;
};

/* The processes that hold GPU memory, the greatest first, in an array that the caller frees. Returns how many, or -1 where nobody
 * tells. */
int gpu_system_process_list(const struct gpu_system *g, struct gpu_system_process **list);
/* "GPU memory 734 MB: com.studio.game 412 MB, surfaceflinger 96 MB"; nothing where nobody tells. No newline. */
void gpu_system_processes(const struct gpu_system *g, struct strbuf *text);
/* Lines for doctor: which file tells what, what was refused and what would help, what nobody tells. */
void gpu_system_describe(const struct gpu_system *g, struct strbuf *text);

#endif
