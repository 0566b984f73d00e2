/* feeds_records: the frames of the last samples, one by one (passes/pass_records.h), which
 * history does not keep: RECORDS_BYTES of them, about one or two minutes; of a log what was played
 * last. Thread: ui. */
#ifndef MALITOP_FEEDS_RECORDS_H
#define MALITOP_FEEDS_RECORDS_H

#include "passes/frame_stats.h"

#define RECORDS_SAMPLES 8192
#define RECORDS_BYTES (512u << 10)

struct packed_sample;

struct feeds_records {
	struct pass_run *run;           /* names, and what all frames were; NULL before the first sample */
	struct packed_sample **samples; /* a ring of copies; NULL before the first */
	uint64_t n, oldest;
	size_t bytes;
	struct sample *scratch; /* the unpacked one, with `room` values */
	size_t room;
	struct packed_sample *kept[WORST_FRAMES]; /* older ones, with the longest frames */
	int64_t chosen_ns;                        /* the moment of which a frame was chosen */
	unsigned back; /* that frame, counted from the newest one of the moment, which is 0 */
	bool first;    /* of other moments show the first frame, not the newest */
	double wanted; /* or the one of this number, if the moment has it */
};

void feeds_records_fini(struct feeds_records *records);
/* Keep the records of a sample, if it has some. */
void feeds_records_take(struct feeds_records *records, const struct metric_set *set,
			const struct sample *sample);
void feeds_records_clear(struct feeds_records *records);
/* Sample i from `oldest` up to `n`. It and the one below are valid until the next call. */
const struct sample *feeds_records_sample(const struct feeds_records *records, uint64_t i);
/* Find the frame to show of the samples that ended in (from_ns, to_ns]: its sample, and *number in
 * that; without one the last frame before; NULL if there is none. */
const struct sample *feeds_records_find(const struct feeds_records *records, int64_t from_ns, int64_t to_ns,
					unsigned *number);

/* Show the next frame of the shown moment for 1, the one before for -1. Returns false at the end:
 * show the next moment then, which will begin with its first frame, or the one before. */
struct feeds;
bool feeds_turn_frame(struct feeds *f, int step);
/* Show the frame of that number in the moment that has it. */
void feeds_choose_frame(struct feeds *f, double number);
/* When the shown frame began, or the shown moment without one. */
int64_t feeds_frame_ns(const struct feeds *f);

#endif
