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
#define SPANS_MOST 131072 /* of five frames */
#define PASS_ALIKE UINT16_MAX
#define ALIKE_MOST 4 /* passes of a name in a frame that have a row each */
#define GROUP_BUCKETS 256
#define GROUP_WAYS 8
#define FRAMES_RANKED 256
#define ROWS_RANKED 64
#define SLOT_NAME 24

/* The slots: those of frames, then of each row. FRAME_ON_TIME and what follows it count frames by
 * the budget, FRAME_AT_120 and what follows it those on time at other budgets. */
#define FRAME_SLOT_LIST(X)                                                                                 \
	X(FRAME_COUNT, "FrameCount", SLOT_DELTA, 1)                                                        \
	X(FRAME_TIME, "FrameTime", SLOT_DELTA, 1e-6)                                                       \
	X(FRAME_PRESENT, "FramePresentTime", SLOT_DELTA, 1e-6)                                             \
	X(FRAME_WAIT, "FrameWaitTime", SLOT_DELTA, 1e-6)                                                   \
	X(FRAME_THREAD, "FrameThreadTime", SLOT_DELTA, 1e-6)     /* CPU time of threads that end frames */ \
	X(FRAME_THREAD_TIMED, "FrameThreadTimed", SLOT_DELTA, 1) /* frames that have that */               \
	X(FRAME_PROCESS, "FrameProcessTime", SLOT_DELTA, 1e-6)   /* likewise of all threads */             \
	X(FRAME_PROCESS_TIMED, "FrameProcessTimed", SLOT_DELTA, 1)                                         \
	X(FRAME_SUBMITS, "FrameSubmits", SLOT_DELTA, 1)                                                    \
	X(FRAME_PASSES, "FramePasses", SLOT_DELTA, 1)                                                      \
	X(FRAME_IN_FLIGHT, "FrameInFlight", SLOT_DELTA, 1)                                                 \
	X(FRAME_MISSED, "FrameMissed", SLOT_DELTA, 1)                                                      \
	X(FRAME_TIMED, "FrameTimed", SLOT_DELTA, 1)    /* frames whose passes were timed */                \
	X(FRAME_GPU, "FrameGPUTime", SLOT_DELTA, 1e-6) /* of those: in which passes ran */                 \
	X(FRAME_WORST, "FrameTimeWorst", SLOT_PEAK, 1e-6)                                                  \
	X(FRAME_P50, "FrameTimeP50", SLOT_LEVEL, 1e-6)                                                     \
	X(FRAME_P95, "FrameTimeP95", SLOT_LEVEL, 1e-6)                                                     \
	X(FRAME_P99, "FrameTimeP99", SLOT_LEVEL, 1e-6)                                                     \
	X(FRAME_P100, "FrameTimeLongest", SLOT_LEVEL, 1e-6)                                                \
	X(FRAME_GPU_P50, "FrameGPUTimeP50", SLOT_LEVEL, 1e-6)                                              \
	X(FRAME_GPU_P95, "FrameGPUTimeP95", SLOT_LEVEL, 1e-6)                                              \
	X(FRAME_GPU_P99, "FrameGPUTimeP99", SLOT_LEVEL, 1e-6)                                              \
	X(FRAME_LOST, "PassesLost", SLOT_DELTA, 1)                                                         \
	X(FRAME_DISJOINT, "PassesDisjoint", SLOT_DELTA, 1)                                                 \
	X(FRAME_UNTIMED, "PassesUntimed", SLOT_DELTA, 1)                                                   \
	X(FRAME_DROPPED, "PassesDropped", SLOT_DELTA, 1)                                                   \
	X(FRAME_UNKEPT, "PassesUnkept", SLOT_DELTA, 1)                                                     \
	X(FRAME_CROWDED, "PassesCrowded", SLOT_DELTA, 1) /* frames with more than are kept */              \
	X(FRAME_OMITTED, "FrameOmitted", SLOT_DELTA, 1)  /* first frames, which have no time */            \
	X(FRAME_CHANGES, "PassesChanges", SLOT_DELTA, 1)                                                   \
	X(FRAME_APPS, "PassesApps", SLOT_LEVEL, 1)                                                         \
	X(FRAME_PID, "PassesPid", SLOT_LEVEL, 1)                                                           \
	X(FRAME_WRITER, "PassesWriter", SLOT_LEVEL, 1)                                                     \
	X(FRAME_STAMP, "PassesStamp", SLOT_LEVEL, 1)                                                       \
	X(FRAME_BOUNDARY, "PassesBoundary", SLOT_LEVEL, 1)                                                 \
	X(FRAME_ON_TIME, "FrameOnTime", SLOT_DELTA, 1)                                                     \
	X(FRAME_TO_125, "FrameTo125", SLOT_DELTA, 1)                                                       \
	X(FRAME_TO_150, "FrameTo150", SLOT_DELTA, 1)                                                       \
	X(FRAME_TO_200, "FrameTo200", SLOT_DELTA, 1)                                                       \
	X(FRAME_TO_300, "FrameTo300", SLOT_DELTA, 1)                                                       \
	X(FRAME_OVER_300, "FrameOver300", SLOT_DELTA, 1)                                                   \
	X(FRAME_AT_120, "FrameAt120", SLOT_DELTA, 1)                                                       \
	X(FRAME_AT_90, "FrameAt90", SLOT_DELTA, 1)                                                         \
	X(FRAME_AT_60, "FrameAt60", SLOT_DELTA, 1)                                                         \
	X(FRAME_AT_45, "FrameAt45", SLOT_DELTA, 1)                                                         \
	X(FRAME_AT_30, "FrameAt30", SLOT_DELTA, 1)                                                         \
	X(FRAME_NAME, "PassesAppName", SLOT_LEVEL, 1)  /* number of the application's name */              \
	X(FRAME_DRIVER, "PassesDriver", SLOT_LEVEL, 1) /* likewise of its driver's */                      \
	X(FRAME_OTHER, "PassesOther", SLOT_LEVEL, 1)   /* likewise of one that is not wanted */            \
	X(FRAME_OTHER_PID, "PassesOtherPid", SLOT_LEVEL, 1)
#define ROW_SLOT_LIST(X)                                                                            \
	X(ROW_TIME, "Time", SLOT_DELTA, 1e-6)                                                       \
	X(ROW_SPAN, "Span", SLOT_DELTA, 1e-6)                                                       \
	X(ROW_COUNT, "Count", SLOT_DELTA, 1)                                                        \
	X(ROW_WIDTH, "Width", SLOT_LEVEL, 1)                                                        \
	X(ROW_HEIGHT, "Height", SLOT_LEVEL, 1)                                                      \
	X(ROW_KIND, "Kind", SLOT_LEVEL, 1)                                                          \
	X(ROW_P95, "P95", SLOT_LEVEL, 1e-6) /* of its own times in the last ROWS_RANKED frames */   \
	X(ROW_NAME, "Name", SLOT_LEVEL, 1)                                                          \
	X(ROW_SPAN_P50, "SpanP50", SLOT_LEVEL, 1e-6) /* of its times from begin to end, likewise */ \
	X(ROW_LEAST, "Least", SLOT_LEVEL, 1e-6)      /* own times again */                          \
	X(ROW_P50, "P50", SLOT_LEVEL, 1e-6)                                                         \
	X(ROW_MOST, "Longest", SLOT_PEAK, 1e-6)                                                     \
	X(ROW_DRAWS, "Draws", SLOT_DELTA,                                                           \
	  1) /* in all frames together, as ROW_COUNT; unknown if they are of any pass */            \
	X(ROW_DISPATCHES, "Dispatches", SLOT_DELTA, 1)                                              \
	X(ROW_VERTICES, "Vertices", SLOT_DELTA, 1)

#define SLOT_ID(id, name, kind, scale) id,
enum frame_slot { FRAME_SLOT_LIST(SLOT_ID) FRAME_SLOTS };
enum row_slot { ROW_SLOT_LIST(SLOT_ID) ROW_SLOTS };
enum { PASS_FOLD_SLOTS = FRAME_SLOTS + PASS_ROWS * ROW_SLOTS };

/* The names of a source, and those that the slots of this sample have. */
struct fold_names {
	struct pass_names all;
	unsigned n;
	bool used[PASS_NAMES_MOST + 1];
};

/* Passes that are one row: with that name, number in its frame, kind and queue. */
struct pass_group {
	bool used;
	uint8_t kind, queue;
	uint16_t name, ordinal; /* PASS_ALIKE: all of that name */
	uint16_t width, height;
	uint8_t row;      /* + 1; 0: none */
	uint8_t dearer;   /* in this many frames, one after the other, than the row that cost least */
	bool alike;       /* of PASS_ALIKE: a frame had more than ALIKE_MOST, so they share a row */
	unsigned n;       /* in the frame that is folded */
	uint64_t own_ns;  /* likewise */
	uint64_t cost_ns; /* in a frame, the mean of the last ones */
	int64_t seen_ns;
};

struct sweep_span {
	int64_t begin_ns, end_ns;
	uint64_t frame;
	uint64_t own_ns;  /* from sweep_frame */
	uint64_t work[3]; /* draws, dispatches, vertices; SAMPLE_UNKNOWN */
	uint16_t name, ordinal, width, height;
	uint16_t group; /* + 1; 0: none */
	uint8_t kind, queue;
};

/* The passes of the last five frames, and the work space of their sweep: memory as far as it is
 * used. */
struct sweep {
	unsigned n;
	bool full;      /* spans had no room, or were too many to look at */
	uint64_t looks; /* at spans, in this sample */
	struct sweep_span spans[SPANS_MOST];
	struct sweep_edge {
		int64_t at_ns;
		uint32_t span;
		bool begins;
	} edges[2 * SPANS_MOST];
};

struct pass_fold {
	struct pass_group groups[GROUP_BUCKETS * GROUP_WAYS];
	uint16_t rows[PASS_ROWS]; /* their groups, + 1; the last one has all others */
	bool others;              /* there were some */
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
	bool missed, before_missed; /* events of the frame that is read, and of the one before */
	struct pass_records records;
	struct fold_names names;
	char slot_names[PASS_FOLD_SLOTS][SLOT_NAME];
};

/* What the sample says of the application. `name` writes the name of a pass, as
 * passes_reader_name. */
struct pass_fold_app {
	unsigned apps; /* how many there are */
	uint64_t pid;  /* unknown if it has more than 32 bits */
	unsigned writer, stamp;
	const char *title, *driver; /* printable; driver may be "" */
	const char *other;          /* an application with frames that was turned away, or "" */
	uint64_t other_pid;
	uint64_t losses[PASSES_COUNTS + 1]; /* in this sample; the last: events that were not read */
	void (*name)(const void *names, unsigned name, unsigned ordinal, char *text, size_t size);
	const void *names;
};

/* Describe the slots of the sample; their names are in `fold`. */
void pass_fold_slots(struct pass_fold *fold, struct slot slots[PASS_FOLD_SLOTS]);
/* Start to measure against a budget of this frame rate. */
void pass_fold_start(struct pass_fold *fold, double frames_per_second);
/* Take a frame or a pass; the passes of a frame come before it. The first frame was in progress
 * when the measurement started, or its start is unknown: its passes are not summed. */
void pass_fold_event(struct pass_fold *fold, const struct passes_event *event, int64_t now_ns);
/* Events were not read: passes of the frame that comes next may be missing. */
void pass_fold_miss(struct pass_fold *fold);
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

/* Describe `rows` rows with the same slots: "Pass1Time" with the prefix "Pass". */
struct slot_row {
	const char *name;
	enum slot_kind kind;
	double scale;
};
#define SLOT_ROW(id, name, kind, scale) {name, kind, scale},
void row_slots_describe(const struct slot_row *row, unsigned n, unsigned rows, const char *prefix,
			char (*names)[SLOT_NAME], struct slot *slots);

/* Add to a sum of work; it is unknown with anything that is. */
static inline void fold_work(uint64_t *sum, uint64_t n)
{
	*sum = n < SAMPLE_UNKNOWN - *sum ? *sum + n : SAMPLE_UNKNOWN;
}

/* pass_sweep.c */
/* Add a pass of a frame, if there is room. */
void sweep_add(struct sweep *s, const struct sweep_span *span);
/* Once the passes of frame + 1 are added: set the own time of each pass of the frame, with an
 * overlap with other passes divided evenly among them, and *n to their number. Returns the time in
 * which at least one of them ran, with an overlap with other frames divided likewise; -1 if there
 * is none. */
int64_t sweep_frame(struct sweep *s, uint64_t frame, unsigned *n);
/* Forget the frames that are over once this one is folded. */
void sweep_forget(struct sweep *s, uint64_t frame);

#endif
