/* pass_fold: frames and render passes of one application (passes/passes.h)
 * as the slots of a sample.
 *
 * Its passes have rows: a row keeps its pass until the pass has been away for two seconds, and the
 * number of its name is in the sample too. The names, and all frames pass by pass, are in records
 * beside the slots (pass_records.h). Thread: that of the source. Nothing here allocates. */
#ifndef MALITOP_PASS_FOLD_H
#define MALITOP_PASS_FOLD_H

#include "passes/pass_records.h"

#define PASS_ROWS PASS_TABLE_ROWS /* the last one has all passes that find no row */
#define PASS_AWAY_NS 2000000000ll
#define SPANS_MOST 4096 /* of five frames */
#define FRAMES_RANKED 256
#define ROWS_RANKED 64
#define SLOT_NAME 24

/* The slots: those of frames, then of each row. FRAME_ON_TIME and what follows it count frames by
 * the budget, FRAME_AT_120 and what follows it those on time at other budgets. */
enum frame_slot {
	FRAME_COUNT,
	FRAME_TIME,
	FRAME_PRESENT,
	FRAME_WAIT,
	FRAME_THREAD, /* CPU time of the threads that ended frames, and the frames that have one */
	FRAME_THREAD_TIMED,
	FRAME_PROCESS, /* likewise of all threads */
	FRAME_PROCESS_TIMED,
	FRAME_SUBMITS,
	FRAME_PASSES,
	FRAME_IN_FLIGHT,
	FRAME_MISSED,
	FRAME_TIMED, /* frames whose passes were timed */
	FRAME_GPU,   /* of those: time in which passes ran, each moment once */
	FRAME_WORST,
	FRAME_P50,
	FRAME_P95,
	FRAME_P99,
	FRAME_P100,
	FRAME_GPU_P50,
	FRAME_GPU_P95,
	FRAME_GPU_P99,
	FRAME_LOST,
	FRAME_DISJOINT,
	FRAME_UNTIMED,
	FRAME_DROPPED,
	FRAME_UNKEPT,
	FRAME_OMITTED, /* first frames, which have no time */
	FRAME_CHANGES,
	FRAME_APPS,
	FRAME_PID,
	FRAME_WRITER,
	FRAME_STAMP,
	FRAME_BOUNDARY,
	FRAME_ON_TIME,
	FRAME_TO_125,
	FRAME_TO_150,
	FRAME_TO_200,
	FRAME_TO_300,
	FRAME_OVER_300,
	FRAME_AT_120,
	FRAME_AT_90,
	FRAME_AT_60,
	FRAME_AT_45,
	FRAME_AT_30,
	FRAME_NAME,   /* number of the application's name */
	FRAME_DRIVER, /* likewise of its driver's */
	FRAME_SLOTS
};
enum row_slot {
	ROW_TIME,
	ROW_SPAN,
	ROW_COUNT,
	ROW_WIDTH,
	ROW_HEIGHT,
	ROW_KIND,
	ROW_P95, /* of its own times in the last ROWS_RANKED frames */
	ROW_NAME,
	ROW_SPAN_P50, /* of its times from begin to end, likewise */
	ROW_LEAST,    /* own times again */
	ROW_P50,
	ROW_MOST,
	ROW_DRAWS, /* in all frames together, as ROW_COUNT; unknown if they are of any pass */
	ROW_DISPATCHES,
	ROW_VERTICES,
	ROW_SLOTS
};
enum { PASS_FOLD_SLOTS = FRAME_SLOTS + PASS_ROWS * ROW_SLOTS };

/* The names of a source, and those that the slots of this sample have. */
struct fold_names {
	struct pass_names all;
	unsigned n;
	bool used[PASS_NAMES_MOST + 1];
};

struct pass_row {
	bool used;
	uint8_t kind, queue;
	uint16_t name, ordinal, width, height;
	int64_t seen_ns;
};

struct sweep_span {
	int64_t begin_ns, end_ns;
	uint64_t frame;
	uint16_t row;
	uint64_t work[ROW_SLOTS - ROW_DRAWS]; /* SAMPLE_UNKNOWN likewise */
};

/* The passes of the last five frames, and the work space of their sweep. */
struct sweep {
	unsigned n;
	uint64_t dropped;
	struct sweep_span spans[SPANS_MOST];
	uint16_t open[SPANS_MOST];
	struct sweep_edge {
		int64_t at_ns;
		uint16_t span;
		bool begins;
	} edges[2 * SPANS_MOST];
};

struct pass_fold {
	struct pass_row rows[PASS_ROWS];
	struct sweep sweep;
	int64_t budget_ns;
	uint64_t frame[FRAME_SLOTS], row[PASS_ROWS][ROW_SLOTS]; /* of this sample */
	int64_t times[2 * FRAMES_RANKED]; /* of the last frames: a ring, then the same sorted */
	unsigned n_times;
	int64_t gpu_times[2 * FRAMES_RANKED]; /* the same of the frames' GPU time */
	unsigned n_gpu_times;
	int64_t row_times[PASS_ROWS][2 * ROWS_RANKED];
	unsigned n_row_times[PASS_ROWS];
	int64_t row_spans[PASS_ROWS][2 * ROWS_RANKED];
	unsigned n_row_spans[PASS_ROWS];
	struct passes_event before; /* the frame before; type 0: none */
	bool whole;                 /* all passes of the frame before were seen */
	struct pass_records records;
	struct fold_names names;
	char slot_names[PASS_FOLD_SLOTS][SLOT_NAME];
};

/* What the sample says of the application. `name` writes the name of a pass, as
 * passes_reader_name. */
struct pass_fold_app {
	unsigned apps; /* how many there are */
	uint64_t pid;
	unsigned writer, stamp;
	const char *title, *driver;         /* printable; driver may be "" */
	uint64_t losses[PASSES_COUNTS + 1]; /* in this sample; the last: events that were not read */
	void (*name)(const void *names, unsigned name, unsigned ordinal, char *text, size_t size);
	const void *names;
};

/* Describe the slots of the sample; their names are in `fold`. */
void pass_fold_slots(struct pass_fold *fold, struct slot slots[PASS_FOLD_SLOTS]);
/* Start to measure against a budget of this frame rate. */
void pass_fold_start(struct pass_fold *fold, double frames_per_second);
/* Take a frame or a pass; the passes of a frame come before it. The first frame that comes is in
 * progress when the measurement begins, or has no begin of its own: its passes are not summed. */
void pass_fold_event(struct pass_fold *fold, const struct passes_event *event, int64_t now_ns);
/* The last frame of an application that has ended has no successor: take its passes now. */
void pass_fold_finish(struct pass_fold *fold);
/* Forget everything, because another application follows. The caller counts that
 * (FRAME_CHANGES) if one was shown before. */
void pass_fold_forget(struct pass_fold *fold);
/* Return the number of a name for the slots of this sample, 0 for none. */
unsigned pass_fold_name(struct pass_fold *fold, const char *name);
/* Write all slots of a sample, and begin the next one. Without a title there is
 * no application. */
void pass_fold_sample(struct pass_fold *fold, const struct pass_fold_app *app, uint64_t *value);
/* Write the records of a sample that ends at end_ns after its n_slots slots, once they are all
 * written. sample->n_more is the room. */
void pass_fold_records(struct pass_fold *fold, int64_t end_ns, unsigned n_slots, struct sample *sample);

/* Add to a sum of work; it is unknown with anything that is. */
static inline void fold_work(uint64_t *sum, uint64_t n)
{
	*sum = n < SAMPLE_UNKNOWN - *sum ? *sum + n : SAMPLE_UNKNOWN;
}

/* pass_sweep.c */
/* Add a pass of a frame; counts it as dropped if there is no room. */
void sweep_add(struct sweep *s, const struct sweep_span *span);
/* Once the passes of frame + 1 are added: add to rows[row] the times of each pass of the frame:
 * ROW_SPAN from begin to end, ROW_TIME with an overlap with other passes divided evenly among them,
 * and to ROW_COUNT how many there were, and what was recorded in them.
 * Returns the time in which at least one pass of the frame ran, with an overlap with other frames
 * divided likewise, -1 if there is none of it. Forgets frames that are long over. */
int64_t sweep_frame(struct sweep *s, uint64_t frame, uint64_t rows[PASS_ROWS][ROW_SLOTS]);

#endif
