/* gpu_system_parse: the file formats of a GPU (gpu_system.h). Units are recognized, never
 * assumed. */
#ifndef MALITOP_GPU_SYSTEM_PARSE_H
#define MALITOP_GPU_SYSTEM_PARSE_H

#include "backends/gpu/gpu_system.h"

#include <sys/types.h>

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
