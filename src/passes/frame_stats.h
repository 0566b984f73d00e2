/* frame_stats: the times of all frames of a span in fixed memory, the longest ones, and late ones.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_FRAME_STATS_H
#define MALITOP_FRAME_STATS_H

#include "passes/pass_records.h"

#define FRAME_LATE 1.05 /* of the budget: as the metric frame.missed */
#define WORST_FRAMES 100

/* Counts of times: an octave has 128 bins, so the middle of a bin is at most 0.4 % off. */
struct frame_times {
	uint64_t n;
	double sum_ms, most_ms;
	uint32_t bins[3328];
};

/* Add a time, unless it is negative or NaN. */
void times_add(struct frame_times *times, double ms);
/* The time that this share (0 to 1) of them did not exceed; NaN without any. */
double times_at(const struct frame_times *times, double share);
/* Frames per second of the mean of that share of the longest ones: 0.01 is the "1 % low". NaN with
 * fewer than one such frame. */
double times_low(const struct frame_times *times, double share);
/* The share that took from..to ms, in percent. */
double times_between(const struct frame_times *times, double from_ms, double to_ms);

/* One frame and its longest pass; NaN and "" are unknown. */
struct frame_facts {
	double number, ms, cpu_ms, gpu_ms, present_ms, wait_ms;
	double pass_ms, pass_over_ms; /* over: more than the pass took in the median of its last frames */
	char pass[PASS_NAME_TEXT];
	bool idle; /* one of several in which there was nothing to do, as on a still screen */
	int64_t begin_ns, end_ns, seen_ns; /* seen: end of the sample that has it */
};

/* The passes of the last frames: a ring, zero-initialised. */
struct frame_window {
	unsigned n;
	struct window_span {
		unsigned row;
		int64_t begin_ns, end_ns;
	} spans[512];
};

/* The longest pass is the one that took most of the time of the frame; with frames in flight it may
 * be of an earlier one, for which this one waited, so frames come in their order. The GPU time of a
 * frame of earlier versions is the sum of its passes. The table names the rows. */
void frame_facts_read(struct frame_facts *facts, const struct pass_record *frame,
		      const struct pass_table *table, struct frame_window *window);

/* Zero-initialised: no frames. */
struct frame_stats {
	struct frame_times times, cpu, gpu, waits;
	uint64_t late;                          /* without idle ones */
	struct frame_facts before;              /* the last frame */
	struct frame_facts worst[WORST_FRAMES]; /* the longest first, idle ones after all others */
	unsigned n_worst;
};

void frame_stats_add(struct frame_stats *stats, const struct frame_facts *frame, double budget_ms);
/* Whether CPU and GPU had nothing to do for most of a long frame. */
bool frame_rests(double ms, double cpu_ms, double gpu_ms);
static inline bool frame_is_late(const struct frame_facts *frame, double budget_ms)
{
	return !frame->idle && budget_ms > 0 && frame->ms > budget_ms * FRAME_LATE;
}
/* Name what a frame had more of than the median frame, the most first, and of several how many ms:
 * a pass, "CPU work", "waits, present"; "idle", or "" if nothing is known. Returns text. */
#define FRAME_CAUSE_TEXT 128
const char *frame_cause(const struct frame_stats *stats, const struct frame_facts *frame,
			char text[FRAME_CAUSE_TEXT]);

/* What the samples of a passes source say one by one. */
struct pass_run {
	struct pass_names names;
	struct frame_stats stats;
	struct frame_window window;
	struct pass_table table; /* of the newest sample with frames: the names of its rows */
};

static inline const struct pass_names *pass_run_names(const struct pass_run *run)
{
	return run ? &run->names : NULL;
}

/* Keep the names that a sample brings. */
void pass_names_take(struct pass_names *names, const struct sample *sample);
/* Keep its names and add its frames, with names of their passes if there is a set. */
void pass_run_take(struct pass_run *run, const struct metric_set *set, const struct sample *sample,
		   double budget_ms);
/* Read the table of one sample. */
void pass_table_sample(struct pass_table *table, const struct metric_set *set, const struct sample *sample,
		       const struct pass_names *names);

/* When frames that took too long ran: spans of time, sorted, none of which overlap.
 * Zero-initialise it. */
struct late_frames {
	int64_t *begin_ns, *end_ns; /* CLOCK_MONOTONIC */
	unsigned n, cap_begin, cap_end;
};

void late_frames_fini(struct late_frames *late);
/* Add the frames of a sample that ended in (from_ns, to_ns], in their order. */
void late_frames_add(struct late_frames *late, const struct sample *sample, int64_t from_ns, int64_t to_ns);
/* Keep those over the budget (0: none is) or, if they are most of all, the slowest 5 %. Returns
 * how long they took together, seconds. */
double late_frames_keep(struct late_frames *late, double budget_ms);

#endif
