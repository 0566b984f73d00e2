/* pass_lanes: what travels beside the slots of a sample of the passes source: its frames, pass by
 * pass, its regions, and the names that its slots have as numbers. They are words after the values
 * of the sample (sample.n_more), because their number varies and history does not keep them. A
 * sequence of records:
 *
 *   LANE_FRAME, number, age, time, present, wait, n, cpu, gpu,
 *     and n times: row and queue, begin, time
 *   LANE_REGION, row and thread, age, time
 *   LANE_NAME, number, n, and n words of text
 *   LANE_OLD_FRAME, of earlier versions: as LANE_FRAME without cpu and gpu
 *
 * Times are in us. `age` is from the begin to the end of the sample, `begin` is since that of the
 * frame; `cpu` is the CPU time of the thread that ended the frame, `gpu` the time in which its
 * passes ran, either may be LANE_UNKNOWN. Rows are those of the sample (from 1), in the low six
 * bits; the queue or thread follows. A log may hold any numbers. */
#ifndef MALITOP_PASS_LANES_H
#define MALITOP_PASS_LANES_H

#include "model/sample.h"
#include "passes/pass_table.h"

#define PASS_LANES_WORDS 8192 /* of a sample at most */
#define LANE_US_MOST 3600000000ull
#define LANE_UNKNOWN UINT32_MAX

enum lane_kind { LANE_OLD_FRAME = 1, LANE_REGION, LANE_NAME, LANE_FRAME };
enum {
	LANE_OLD_FRAME_WORDS = 7,
	LANE_FRAME_WORDS = 9,
	LANE_PASS_WORDS = 3,
	LANE_REGION_WORDS = 4,
	LANE_NAME_WORDS = 3, /* before the text */
	LANE_TEXT_WORDS = (PASS_NAME_TEXT + 7) / 8,
	PASS_NAME_RECORDS = PASS_TABLE_ROWS + REGION_ROWS + 2,
	PASS_MORE_WORDS = PASS_LANES_WORDS + PASS_NAME_RECORDS * (LANE_NAME_WORDS + LANE_TEXT_WORDS),
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
	double cpu_ms, gpu_ms;      /* of a frame; NaN: unknown */
	unsigned row, thread;       /* of a region */
	unsigned n;                 /* passes of a frame; lane_pass reads them */
	const uint64_t *passes;
	char name[PASS_NAME_TEXT]; /* of a name, printable; `row` is its number */
};

/* Write the record of a name into `words`, and return how many there are. */
unsigned lane_name(unsigned number, const char *text, uint64_t words[LANE_NAME_WORDS + LANE_TEXT_WORDS]);

/* Copy the records of a sample into `more`, without the passes of frames up to budget_us that are
 * not beside a longer one in it. Returns their number. */
unsigned lanes_keep_late(const struct sample *sample, uint64_t budget_us, uint64_t *more);

/* Read the next record of a sample; *at is 0 at first. Returns false after the last one, or if
 * what follows is not valid. Frames of both kinds are LANE_FRAME. */
bool lanes_next(const struct sample *sample, unsigned *at, struct lane_record *record);
/* Return whether pass i of the frame is valid. */
bool lane_pass(const struct lane_record *frame, unsigned i, struct frame_span *pass);

/* Make the frame that lanes are drawn from: this one, with the passes of the frames before and
 * after it that ran meanwhile, and the regions in it. */
void lanes_read_frame(struct pass_frame *frame, const struct sample *sample, unsigned number);
/* Return how many frames the sample has. */
unsigned lanes_count(const struct sample *sample);

#endif
