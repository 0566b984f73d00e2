/* pass_records: what travels beside the slots of a sample of the passes source: its frames, pass by
 * pass, its regions, and the names that its slots have as numbers. They are words after the values
 * of the sample (sample.n_more), because their number varies and history does not keep them. A
 * sequence of records:
 *
 *   RECORD_FRAME, number, age, time, present, wait, n, cpu, gpu,
 *     and n times: row and queue, begin, time
 *   RECORD_REGION, row and thread, age, time
 *   RECORD_NAME, number, n, and n words of text
 *   RECORD_OLD_FRAME, of earlier versions: as RECORD_FRAME without cpu and gpu
 *
 * Times are in us. `age` is from the start to the end of the sample, `begin` is since the start of
 * the frame; `cpu` is the CPU time of the thread that ended the frame, `gpu` the time in which its
 * passes ran, either may be RECORD_UNKNOWN. Rows are those of the sample (from 1), in the low six
 * bits; the queue or thread follows. A log may hold any numbers. */
#ifndef MALITOP_PASS_RECORDS_H
#define MALITOP_PASS_RECORDS_H

#include "model/sample.h"
#include "passes/pass_table.h"

#define PASS_RECORDS_WORDS 8192 /* of a sample at most */
#define RECORD_US_MOST 3600000000ull
#define RECORD_UNKNOWN UINT32_MAX

enum pass_record_kind { RECORD_OLD_FRAME = 1, RECORD_REGION, RECORD_NAME, RECORD_FRAME };
enum {
	RECORD_OLD_FRAME_WORDS = 7,
	RECORD_FRAME_WORDS = 9,
	RECORD_PASS_WORDS = 3,
	RECORD_REGION_WORDS = 4,
	RECORD_NAME_WORDS = 3, /* before the text */
	RECORD_TEXT_WORDS = (PASS_NAME_TEXT + 7) / 8,
	RECORD_PASSES_MOST = 512, /* of a frame one by one */
	PASS_NAME_RECORDS = PASS_TABLE_ROWS + REGION_ROWS + 3,
	PASS_MORE_WORDS = PASS_RECORDS_WORDS + PASS_NAME_RECORDS * (RECORD_NAME_WORDS + RECORD_TEXT_WORDS),
};

/* What is collected for a sample. Times of records are CLOCK_MONOTONIC ns until
 * pass_records_finish. */
struct pass_records {
	unsigned n;
	uint64_t dropped; /* frames and regions without room */
	uint64_t words[PASS_RECORDS_WORDS];
};

static inline unsigned pass_records_room(const struct pass_records *records)
{
	return PASS_RECORDS_WORDS - records->n;
}

/* The passes of a frame by row and queue (pass_record_row): zero-initialise it. The sums of a queue
 * follow one another, each from its first pass on or from the end of the one before. */
struct merged_passes {
	unsigned n;
	uint8_t at[64 * 8]; /* index + 1 */
	struct merged_pass {
		uint64_t row;
		int64_t begin_ns, ns;
	} of[PASS_TABLE_ROWS * 8];
};

/* Add a pass with a row of the table, in the order of their begin; then set where sums begin. */
void merged_add(struct merged_passes *merged, uint64_t row, int64_t begin_ns, int64_t ns);
void merged_finish(struct merged_passes *merged);
/* Return the place for n_words words, or NULL if there is no room: that counts as dropped. */
uint64_t *pass_records_add(struct pass_records *records, unsigned n_words);
/* Copy the words of a sample that ends at end_ns into `more`, and begin the next sample. Returns
 * their number. */
unsigned pass_records_finish(struct pass_records *records, int64_t end_ns, uint64_t *more, unsigned room);

static inline uint64_t pass_record_us(int64_t ns)
{
	uint64_t us = ns > 0 ? (uint64_t)ns / 1000 : 0;

	return us < RECORD_US_MOST ? us : RECORD_US_MOST;
}

static inline uint64_t pass_record_row(unsigned row, unsigned queue)
{
	return row | (queue < 7 ? queue : 7) << 6;
}

struct pass_record {
	enum pass_record_kind kind;
	double number;              /* of a frame */
	int64_t begin_ns, end_ns;   /* CLOCK_MONOTONIC */
	double present_ms, wait_ms; /* of a frame */
	double cpu_ms, gpu_ms;      /* of a frame; NaN: unknown */
	bool old;                   /* it has neither */
	unsigned row, thread;       /* of a region */
	unsigned n;                 /* passes of a frame; pass_record_pass reads them */
	const uint64_t *passes;
	char name[PASS_NAME_TEXT]; /* of a name, printable; `row` is its number */
};

/* Write the record of a name into `words`, and return how many there are. */
unsigned pass_record_name(unsigned number, const char *text,
			  uint64_t words[RECORD_NAME_WORDS + RECORD_TEXT_WORDS]);

/* Copy the records of a sample into `more`, without the passes of frames up to budget_us that are
 * not beside a longer one in it. Returns their number. */
unsigned pass_records_keep_late(const struct sample *sample, uint64_t budget_us, uint64_t *more);

/* Read the next record of a sample; *at is 0 at first. Returns false after the last one, or if
 * what follows is not valid. Frames of both kinds are RECORD_FRAME. */
bool pass_records_next(const struct sample *sample, unsigned *at, struct pass_record *record);
/* Return whether pass i of the frame is valid. */
bool pass_record_pass(const struct pass_record *frame, unsigned i, struct frame_span *pass);
/* Read all passes of the frame, merged if they are more than FRAME_SPANS. Returns their number. */
unsigned pass_record_passes(const struct pass_record *frame, struct frame_span passes[FRAME_SPANS]);

/* Make the frame that records are drawn from: this one, with the passes of the frames before and
 * after it that ran meanwhile, and the regions in it. */
void pass_records_read_frame(struct pass_frame *frame, const struct sample *sample, unsigned number);
/* Return how many frames the sample has. */
unsigned pass_records_count(const struct sample *sample);

#endif
