/* pass_table: the passes of an application, from a vector of the passes source. What the source
 * packs into numbers (backends/passes/passes.h) is unpacked here, for live samples and logs alike;
 * a log may hold any numbers. */
#ifndef MALITOP_PASS_TABLE_H
#define MALITOP_PASS_TABLE_H

#include "model/metric.h"
#include "passes/passes_reader.h"

#include <stdbool.h>

#define PASS_TABLE_ROWS 24
#define PASS_WORD_BYTES 3 /* of a text in a slot: history keeps 31 bits exactly */
#define PASS_NAME_WORDS 10
#define PASS_APP_WORDS 8
#define PASS_NAME_TEXT (PASS_NAME_WORDS * PASS_WORD_BYTES + 1)
#define PASS_APP_TEXT (PASS_APP_WORDS * PASS_WORD_BYTES + 1)
#define PASS_SPANS 48
#define REGION_ROWS 12
#define REGION_SPANS 24
#define PASS_SPAN_US (1 << 20) /* times within a frame are shorter */
#define PASS_NUMBER_MOST (1u << 31)

struct pass_line {
	unsigned row;              /* from 1, as in the metrics passN.ms */
	char name[PASS_NAME_TEXT]; /* printable */
	double ms, span_ms, share; /* per frame; share in percent of the GPU's frame; NaN if unknown */
	double p95_ms, count;      /* own time of the last frames; how often it ran */
	enum passes_kind kind;
	unsigned width, height; /* 0: none */
};

/* A region of the program's own code (malitop.h); sums over the time of the vector. */
struct region_line {
	unsigned row; /* from 1 */
	char name[PASS_NAME_TEXT];
	double ms, calls;
	double cycles, instructions; /* NaN: not counted */
};

struct pass_table {
	char app[PASS_APP_TEXT]; /* printable; "" if no application renders */
	unsigned pid, apps;      /* apps: how many there are to choose from */
	double frames, missed;   /* those that were timed; those over the budget */
	enum passes_stamp stamp;
	enum passes_boundary boundary;
	unsigned n;
	struct pass_line lines[PASS_TABLE_ROWS]; /* those that ran, the row that has run longest first */
	unsigned n_regions;
	struct region_line regions[REGION_ROWS]; /* those that ran */
};

/* A pass in one frame, in ms since the frame began. */
struct frame_span {
	unsigned row;                                                           /* from 1 */
	unsigned queue;                                                         /* 7: that or a higher one */
	enum pass_span_of { SPAN_OF_EARLIER, SPAN_OF_FRAME, SPAN_OF_LATER } of; /* of which frame it is */
	double begin_ms, end_ms;
};

/* The newest complete frame. Its passes may end long after it was presented. */
struct pass_frame {
	double number, ms, next_ms; /* ms: from present to present, of it and of the frame after it */
	double present_ms, wait_ms; /* parts of its time */
	double age_ms;              /* from its begin to the end of the sample; NaN if unknown */
	unsigned n;                 /* 0: no frame is known */
	struct frame_span spans[PASS_SPANS];
	unsigned n_regions;
	struct frame_span regions[REGION_SPANS]; /* queue: the thread */
};

/* A span in a slot, but for its length, which is in the next one; 0 is none. */
static inline uint64_t pass_span_pack(unsigned row, unsigned queue, unsigned of, uint64_t begin_us)
{
	return row | (uint64_t)(queue < 7 ? queue : 7) << 6 | (uint64_t)of << 9 | begin_us << 11;
}

/* Whether the set is that of a passes source. */
bool pass_table_has(const struct metric_set *set);
/* Fill the table; without an application it has no lines. */
void pass_table_read(struct pass_table *table, const struct metric_set *set, const double *vector);
/* Fill the frame; without one it has no spans. */
void pass_frame_read(struct pass_frame *frame, const struct metric_set *set, const double *vector);

#endif
