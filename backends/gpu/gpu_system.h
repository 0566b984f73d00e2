/* gpu_system: what a machine reports about its Mali GPU besides the hardware counters: clock,
 * temperature, the driver's own utilization, GPU memory in total and per process. Not a backend: a
 * GPU backend opens one besides its counters.
 *
 * The available files depend on driver, vendor and rights. Each is optional; a value that no file
 * reports is unknown. Formats and units differ: a clock may be in Hz, kHz or MHz, which its
 * magnitude shows (no GPU runs below 10 MHz or above 3 GHz). An ambiguous value is
 * not used. The contents of files are not trusted.
 *
 * Threads: open and close as in a backend; clock, read and suspended belong to the sampler;
 * describe and processes may run in the ui thread at the same time: they use only what is constant
 * after open, and open the files anew.
 */
#ifndef MALITOP_GPU_SYSTEM_H
#define MALITOP_GPU_SYSTEM_H

#include "backends/backend.h"
#include "backends/sysfs.h"

#include <sys/types.h>

enum gpu_system_thing {
	GPU_SYSTEM_CLOCK,       /* Hz */
	GPU_SYSTEM_TEMPERATURE, /* thousandths of a degree Celsius, as int64 */
	GPU_SYSTEM_UTILIZATION, /* percent, of the driver's interval or since the last read */
	GPU_SYSTEM_MEMORY,      /* bytes allocated for the GPU */
	GPU_SYSTEM_LEVELS,      /* the following are not levels: */
	GPU_SYSTEM_TOP_CLOCK = GPU_SYSTEM_LEVELS, /* read once, by open */
	GPU_SYSTEM_POWER,                         /* whether the GPU is suspended */
	GPU_SYSTEM_PROCESSES,                     /* memory per process, read on request */
	GPU_SYSTEM_THINGS
};

struct gpu_system_values {
	uint64_t level[GPU_SYSTEM_LEVELS]; /* SAMPLE_UNKNOWN if no file reports it */
};

struct gpu_system;

/* Parses one format. `text` is the file, or as many of its lines as fit the buffer. */
enum gpu_system_answer { ANSWER_STRANGE, ANSWER_NOTHING_NOW, ANSWER_VALUE };
typedef enum gpu_system_answer gpu_system_parse(struct gpu_system *g, struct span text, uint64_t *value);

/* The file that reports a value, or why there is none. Constant after open, except file.fd. */
struct gpu_system_source {
	struct sysfs_file file; /* path "" if there is none */
	gpu_system_parse *parse;
	const char *entry; /* NULL, or the file is a directory, with this file for each process */
	char refused[SYSFS_PATH];
	int refused_errno; /* EACCES or EPERM, 0: nothing was refused */
};

#define GPU_SYSTEM_ZONES 4

/* The trace event of drivers that report the GPU time of each user (process/gpu_work.c). */
#define GPU_WORK_EVENT "power/gpu_work_period"

struct gpu_system {
	const struct sys *sys;
	unsigned number;     /* of the device: 0 is /dev/mali0 */
	bool is_node;        /* a render node, without files for memory */
	unsigned page_bytes; /* of the kernel */
	uint64_t top_hz;     /* highest clock, SAMPLE_UNKNOWN; constant after open */
	struct gpu_system_source source[GPU_SYSTEM_THINGS];
	struct sysfs_file zones[GPU_SYSTEM_ZONES];
	unsigned n_zones;
	struct { /* from the driver's counts of busy and idle time; used by the sampler */
		uint32_t busy, idle;
		int64_t at_ns;
		bool known;
	} counts;
};

/* Find the files of /dev/mali<number>. Finding none is not an error. *g need not be initialized; it
 * keeps `sys`. */
void gpu_system_open(struct gpu_system *g, const struct sys *sys, unsigned number);
/* The same for a render node ("renderD128"). Its memory and its processes are not in these files
 * but with its clients (drm_clients.h). `first`: the machine's only GPU, as far as is known. */
void gpu_system_open_node(struct gpu_system *g, const struct sys *sys, const char *node, bool first);
/* As gpu_system_open, but only for the memory of processes. Returns whether any file reports it. */
bool gpu_system_open_processes(struct gpu_system *g, const struct sys *sys, unsigned number);
void gpu_system_close(struct gpu_system *g); /* no effect if zeroed or closed already */

/* Read all levels. Does some preads of files that stay open; no allocation, no lock. Once a second
 * is enough. */
void gpu_system_read(struct gpu_system *g, struct gpu_system_values *values);
/* Read only the clock, which is cheap enough for every sample. Returns false if it is unknown, also
 * while the GPU is suspended. */
bool gpu_system_clock(struct gpu_system *g, int64_t *hz);
/* Whether the kernel reports that the GPU is powered down. */
bool gpu_system_suspended(struct gpu_system *g);

/* Whether any file reports this value. Constant after open. */
bool gpu_system_reports(const struct gpu_system *g, enum gpu_system_thing thing);
/* The slots of the levels: "GPUFreq" and so on, in their units. */
extern const struct slot gpu_system_slots[GPU_SYSTEM_LEVELS];
/* Append a slot for each level that this machine reports, in the order of enum gpu_system_thing.
 * Call between source_add_gpu_sums and source_add_gpu_instances. Returns the number of slots. */
unsigned gpu_system_add_slots(const struct gpu_system *g, struct source *source);
/* Write the values of these slots; value points to the first one. */
void gpu_system_fill(const struct gpu_system *g, const struct gpu_system_values *values, uint64_t *value);

struct gpu_system_process {
	unsigned pid;
	uint64_t bytes; /* SAMPLE_UNKNOWN: it has a context, but its memory is not reported */
};

/* The processes that have a context of the GPU, the largest first and those of unknown memory last,
 * in an array that the caller frees. Returns their number, or -1 if no file reports them. */
int gpu_system_process_list(const struct gpu_system *g, struct gpu_system_process **list);
/* "GPU memory 734 MB: com.studio.game 412 MB, surfaceflinger 96 MB"; nothing if no file reports it.
 * No newline. */
void gpu_system_processes(const struct gpu_system *g, struct strbuf *text);
/* Lines for doctor: which file reports which value, what was refused and how to get it, and what no
 * file reports. */
void gpu_system_describe(const struct gpu_system *g, struct strbuf *text);

/* gpu_system_parse: the file formats of a GPU (gpu_system.h). Units are recognized, never
 * assumed. */

gpu_system_parse gpu_system_parse_clock;         /* one number in Hz, kHz or MHz */
gpu_system_parse gpu_system_parse_indexed_clock; /* an index and such a number (MediaTek) */
gpu_system_parse gpu_system_parse_top_clock;     /* the highest of several */
gpu_system_parse gpu_system_parse_percent;       /* "37", " 37%", "37@800000000Hz", "37 2 61" */
gpu_system_parse gpu_system_parse_counts;        /* "busy_time: N idle_time: N" (kbase's debugfs) */
gpu_system_parse gpu_system_parse_bytes;
gpu_system_parse gpu_system_parse_table;   /* device total of kbase's page table gpu_memory */
gpu_system_parse gpu_system_parse_pids;    /* whether the table lists processes; no value */
gpu_system_parse gpu_system_parse_profile; /* total of a context's mem_profile */
gpu_system_parse gpu_system_parse_power;   /* runtime_status: 1 while the GPU is suspended */

/* The complete lines in a buffer of `size` with n bytes of a file (-1: none); the file may be
 * longer. */
struct span gpu_system_lines(const char *buf, ssize_t n, size_t size);

/* A walk through kbase's table of pages, which has two forms:
 *
 *   mali0                  1234             mali0            total used_pages       1234
 *     kctx-0x00000000a0c016f1  1000         ----------------------------------------------------
 *                                           kctx             pid              used_pages
 *                                           ----------------------------------------------------
 *                                           00000000a0c016f1       4711       1000
 *
 * A page is the kernel's: only where kbase fills in page tables does it multiply by the GPU pages
 * in one CPU page. Lines of other devices are skipped, as are lines that are neither a device nor
 * a context. */
struct gpu_system_table {
	struct span rest;
	const struct gpu_system *g;
	bool own;  /* in the lines of its own device */
	bool pids; /* the table has a column for processes */
};

struct gpu_system_row {
	bool device;  /* total of the device; false: a context */
	unsigned pid; /* 0: not reported */
	uint64_t bytes;
};

void gpu_system_table_init(struct gpu_system_table *table, const struct gpu_system *g, struct span text);
bool gpu_system_table_next(struct gpu_system_table *table, struct gpu_system_row *row);

#endif
