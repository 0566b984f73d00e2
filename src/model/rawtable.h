/* rawtable: the raw counter table that `eval` reads, with the hardware's counts for one interval of
 * one GPU:
 *
 *   block <tab> instance <tab> index <tab> name <tab> value
 *
 * One header line with these words, '#' comments, LF or CRLF. `block`: constant, front_end, tiler,
 * memory_system or shader_core. A constant has a name and an empty index. A counter has the index
 * of its slot; its name is empty, or the hardware or machine name of that slot. Values are unsigned
 * 64-bit integers before the multiplier; sample_seconds and the constants after it are decimals.
 * A text may have several tables, each with its header: samples one after the other.
 *
 * Parsing is a pure function of untrusted text.
 */
#ifndef MALITOP_RAWTABLE_H
#define MALITOP_RAWTABLE_H

#include "base/err.h"
#include "base/str.h"
#include "model/gpudb.h"

#define RAWTABLE_HEADER "block\tinstance\tindex\tname\tvalue"
#define RAWTABLE_CONSTANT_BLOCK "constant"

enum rawtable_constant {
	RAWTABLE_CORES,
	RAWTABLE_SLICES,
	RAWTABLE_BUS_BITS,
	RAWTABLE_SECONDS,
	/* For findings: how many frames were shown in the sample, or the mean time from one to the
	 * next; clocks; the hottest sensor; the busiest thread in percent of a CPU. */
	RAWTABLE_FRAMES,
	RAWTABLE_FRAME_MS,
	RAWTABLE_CLOCK,
	RAWTABLE_TOP_CLOCK,
	RAWTABLE_TEMPERATURE,
	RAWTABLE_THREAD,
	RAWTABLE_CONSTANTS
};
extern const char *const rawtable_constant_names[RAWTABLE_CONSTANTS];

struct rawtable_row {
	uint64_t instance, value;
	unsigned line;
	unsigned counter; /* index into layout->counters */
};

struct rawtable {
	const struct gpu_layout *layout;
	struct {
		unsigned line;  /* 0: not in the table */
		uint64_t value; /* of the integers */
		double decimal; /* from RAWTABLE_SECONDS on */
	} constants[RAWTABLE_CONSTANTS];
	unsigned instances[BLOCK_COUNT]; /* of every counter of that block; 0: the block has no rows */
	struct rawtable_row *rows;       /* by counter, then by instance */
	unsigned n_rows, cap_rows;
};

/* Parse the table of a GPU with that layout. Errors read "file:line: what: what to try".
 * rawtable_fini frees the table, also after a failure; the text must outlive it. */
bool rawtable_parse(struct rawtable *table, const struct gpu_layout *layout, const char *file,
		    struct span text, struct err *err);
/* Parse the first of several tables, and take it off *text; *line is the number of lines before it.
 * The same errors. */
bool rawtable_next(struct rawtable *table, const struct gpu_layout *layout, const char *file,
		   struct span *text, unsigned *line, struct err *err);
void rawtable_fini(struct rawtable *table);

#endif
