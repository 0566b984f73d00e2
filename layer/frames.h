/* frames: the frames of a Vulkan device or an EGL context, from their boundaries until they are
 * written. A frame is written when all results of its passes are settled, after them and in order.
 *
 * Nothing here allocates or locks: the caller serialises the calls for one struct, except
 * frames_add_wait and frames_add_present.
 */
#ifndef MALITOP_LAYER_FRAMES_H
#define MALITOP_LAYER_FRAMES_H

#include "layer/channel.h"

#define FRAMES_OPEN 16                 /* a power of two */
#define FRAME_LARGE (PASSES_RING / 32) /* with more passes, its application needs the large ring */
#define FRAMES_LATE 8                  /* results that are not there after this many frames are lost */

struct open_frame {
	unsigned outstanding; /* results, of one pass or many, that are still to be read */
	bool closed;
	uint64_t stamped; /* passes that have events unless their results are lost */
	struct passes_event event;
};

struct frames {
	uint64_t now, emitted; /* the running frame, and the first one not yet written */
	struct open_frame open[FRAMES_OPEN];
	int64_t boundary_ns;      /* of the last boundary */
	struct passes_cpu cpu;    /* likewise */
	uint64_t present_ns;      /* time of its present call; atomic */
	uint64_t submits, passes; /* of the running frame */
	uint64_t wait_ns;         /* likewise; atomic */
};

/* The passes of a name so far, in the last frame that had one. */
struct ordinals {
	uint64_t frame[PASSES_NAMES]; /* + 1 */
	uint16_t n[PASSES_NAMES];
};

static inline struct open_frame *frames_at(struct frames *f, uint64_t frame)
{
	return &f->open[frame % FRAMES_OPEN];
}

/* Add time in which the application waited, or was inside its present call. Any thread. */
void frames_add_wait(struct frames *f, int64_t begin_ns, int64_t end_ns);
void frames_add_present(struct frames *f, int64_t begin_ns, int64_t end_ns);
/* End the running frame at now_ns, on the thread whose CPU time it has. `event` has type, kind,
 * device and flags; the rest is set. */
void frames_end(struct frames *f, struct passes_event *event, int64_t now_ns);
/* Return whether the first frame not yet written can be; frames_write writes it. */
bool frames_is_complete(struct frames *f);
void frames_write(struct frames *f);

/* Number the passes of a name within a frame, from 0. */
uint16_t ordinals_next(struct ordinals *o, uint16_t name, uint64_t frame);

#endif
