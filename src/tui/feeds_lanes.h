/* feeds_lanes: the frames of the last samples of a log, one by one (passes/pass_lanes.h). History
 * does not keep them, so only what was played last is there. Thread: ui. */
#ifndef MALITOP_FEEDS_LANES_H
#define MALITOP_FEEDS_LANES_H

#include "model/sample.h"

#define LANES_SAMPLES 64

struct feeds_lanes {
	struct sample *samples[LANES_SAMPLES]; /* a ring of copies */
	uint64_t n;
	int64_t chosen_ns; /* the moment of which a frame was chosen */
	unsigned back;     /* that frame, counted from the newest one of the moment, which is 0 */
	bool first;        /* of other moments show the first frame, not the newest */
	double wanted;     /* or the one of this number, if the moment has it */
};

void feeds_lanes_fini(struct feeds_lanes *lanes);
/* Keep the lanes of a sample, if it has some. */
void feeds_lanes_take(struct feeds_lanes *lanes, const struct sample *sample);
void feeds_lanes_clear(struct feeds_lanes *lanes);
/* Find the frame to show of the samples that ended in (from_ns, to_ns]: its sample, and *number in
 * that; NULL if there is none. */
const struct sample *feeds_lanes_find(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns,
				      unsigned *number);

/* Show the next frame of the shown moment for 1, the one before for -1. Returns false at the end:
 * show the next moment then, which will begin with its first frame, or the one before. */
struct feeds;
bool feeds_turn_lanes(struct feeds *f, int step);

#endif
