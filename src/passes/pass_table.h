/* pass_table: the passes of an application, from a vector of the passes source. What the source
 * packs into numbers (backends/passes/passes.h) is unpacked here, for live samples and logs alike;
 * a log may hold any numbers. */
#ifndef MALITOP_PASS_TABLE_H
#define MALITOP_PASS_TABLE_H

#include "model/metric.h"
#include "passes/passes_reader.h"

#include <stdbool.h>

#define PASS_TABLE_ROWS 24
#define PASS_NAME_TEXT 48
#define PASS_NAMES_MOST 511 /* numbers of names, from 1 */
#define FRAME_SPANS 192     /* of one frame: the rows of all queues */
#define PASS_SPANS 256      /* and of those beside it */
#define REGION_ROWS 12
#define REGION_SPANS 24

/* The texts that slots of the passes source have as numbers, from 1; "" is unknown. Those of a
 * source never change. A reader of samples keeps them (pass_names_take), because they are in
 * records (pass_records.h) and not in slots. */
struct pass_names {
	char text[PASS_NAMES_MOST + 1][PASS_NAME_TEXT];
};

struct pass_line {
	unsigned row;                     /* from 1, as in the metrics passN.ms */
	char name[PASS_NAME_TEXT];        /* printable */
	double ms, span_ms, share;        /* per frame; share in percent of the GPU's frame; NaN if unknown */
	double p95_ms, span_p50_ms;       /* of its last frames: own time, from begin to end; NaN: unknown */
	double least_ms, p50_ms, most_ms; /* likewise of own times; most_ms: of all in this time */
	double count, per_frame;          /* how often it ran; passes that look alike share a line */
	double draws, dispatches, vertices; /* per frame, as recorded; NaN: unknown */
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
	char app[PASS_NAME_TEXT];    /* printable; "" if no application renders */
	char driver[PASS_NAME_TEXT]; /* likewise; "" if unknown, as in logs of earlier versions */
	char other[PASS_NAME_TEXT];  /* an application with frames that CMD did not start, or "" */
	unsigned other_pid;          /* likewise; 0: unknown */
	bool software;               /* a CPU renders */
	unsigned pid, apps;          /* pid 0: unknown; apps: how many there are to choose from */
	double frames, missed;       /* those that were timed; those over the budget */
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
	double number, ms;          /* ms: from present to present */
	double present_ms, wait_ms; /* parts of its time */
	double cpu_ms, gpu_ms;      /* CPU time of its thread, time of its passes; NaN if unknown */
	double age_ms;              /* from its start to the end of the sample; NaN if unknown */
	unsigned n;                 /* 0: no frame is known */
	struct frame_span spans[PASS_SPANS];
	unsigned n_regions;
	struct frame_span regions[REGION_SPANS]; /* queue: the thread */
};

/* Whether a CPU renders: then stamps do not measure compute passes, and each finishes all work.
 * Takes PASSES_ON_CPU from the text; other writers and earlier layers have only names. */
bool pass_driver_is_software(char *driver);
/* Whether the set is that of a passes source. */
bool pass_table_has(const struct metric_set *set);
/* Fill the table; without an application it has no lines. names: NULL if there are none yet. */
void pass_table_read(struct pass_table *table, const struct metric_set *set, const double *vector,
		     const struct pass_names *names);
/* Fill the frame from the slots that logs of earlier versions have; without one it has no spans. */
void pass_frame_read(struct pass_frame *frame, const struct metric_set *set, const double *vector);

#endif
