/* report_frames: the times of all frames of a span: a count for each hundredth of a millisecond,
 * and the longest ones.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_REPORT_FRAMES_H
#define MALITOP_REPORT_FRAMES_H

#include <stdint.h>

#define REPORT_FRAME_BINS 100000 /* of REPORT_BIN_MS; longer frames are in the last one */
#define REPORT_BIN_MS 0.01
#define REPORT_LATE 1.05 /* of the budget: as the metric frame.missed */
#define REPORT_WORST 10

struct report_frame {
	double number, ms, present_ms, wait_ms, gpu_ms; /* gpu_ms: sum of its passes; NaN: none is known */
	double longest_ms;                              /* of one pass */
	char longest[32];                               /* its name, printable; "" if unknown */
	int64_t begin_ns;
};

/* Zero-initialised: no frames. */
struct report_frames {
	uint64_t n, late;
	double sum_ms, most_ms;
	uint32_t bins[REPORT_FRAME_BINS];
	struct report_frame worst[REPORT_WORST]; /* the longest first */
	unsigned n_worst;
};

void report_frames_add(struct report_frames *f, const struct report_frame *frame, double budget_ms);
/* The time that this share (0 to 1) of the frames did not exceed; NaN without frames. */
double report_frames_at(const struct report_frames *f, double share);
/* Frames per second of the mean of that share of the longest frames: 0.01 is the "1 % low". NaN
 * with fewer than one such frame. */
double report_frames_low(const struct report_frames *f, double share);
/* The share of the frames that took from..to ms, in percent. */
double report_frames_between(const struct report_frames *f, double from_ms, double to_ms);

#endif
