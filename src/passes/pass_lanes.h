/* pass_lanes: the frames of a sample of the passes source, pass by pass, and its regions. They are
 * words after the values of the sample (sample.n_more), because their number varies and history
 * does not keep them. A sequence of records:
 *
 *   LANE_FRAME, number, age, time, present, wait, n, and n times: row and queue, begin, time
 *   LANE_REGION, row and thread, age, time
 *
 * Times are in us. `age` is from the begin to the end of the sample, `begin` is since that of the
 * frame. Rows are those of the sample (from 1), in the low six bits; the queue or thread follows. A
 * log may hold any numbers. */
#ifndef MALITOP_PASS_LANES_H
#define MALITOP_PASS_LANES_H

#include "model/sample.h"
#include "passes/pass_table.h"

#define PASS_LANES_WORDS 4096 /* of a sample at most */
#define LANE_US_MOST 3600000000ull

enum lane_kind { LANE_FRAME = 1, LANE_REGION };
enum {
	LANE_FRAME_WORDS = 7,
	LANE_PASS_WORDS = 3,
	LANE_REGION_WORDS = 4,
};

/* What is collected for a sample. Times of records are CLOCK_MONOTONIC ns until lanes_finish. */
struct lanes {
	unsigned n;
	uint64_t dropped; /* frames and regions without room */
	uint64_t words[PASS_LANES_WORDS];
};

/* Return the place for n_words words, or NULL if there is no room: that counts as dropped. */
uint64_t *lanes_add(struct lanes *lanes, unsigned n_words);
/* Copy the words of a sample that ends at end_ns into `more`, and begin the next sample. Returns
 * their number. */
unsigned lanes_finish(struct lanes *lanes, int64_t end_ns, uint64_t *more, unsigned room);

static inline uint64_t lane_us(int64_t ns)
{
	uint64_t us = ns > 0 ? (uint64_t)ns / 1000 : 0;

	return us < LANE_US_MOST ? us : LANE_US_MOST;
}

static inline uint64_t lane_row(unsigned row, unsigned queue)
{
	return row | (queue < 7 ? queue : 7) << 6;
}

struct lane_record {
	enum lane_kind kind;
	double number;              /* of a frame */
	int64_t begin_ns, end_ns;   /* CLOCK_MONOTONIC */
	double present_ms, wait_ms; /* of a frame */
	unsigned row, thread;       /* of a region */
	unsigned n;                 /* passes of a frame; lane_pass reads them */
	const uint64_t *passes;
};

/* Read the next record of a sample; *at is 0 at first. Returns false behind the last one, or if
 * what follows is not valid. */
bool lanes_next(const struct sample *sample, unsigned *at, struct lane_record *record);
/* Return whether pass i of the frame is valid. */
bool lane_pass(const struct lane_record *frame, unsigned i, struct frame_span *pass);

/* Make the frame that lanes are drawn from: this one, with the passes of the frames before and
 * after it that ran meanwhile, and the regions in it. */
void lanes_read_frame(struct pass_frame *frame, const struct sample *sample, unsigned number);
/* Return how many frames the sample has. */
unsigned lanes_count(const struct sample *sample);

#endif
