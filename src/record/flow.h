/* flow: how much a stream may send, so that what arrives is new however slow the connection is.
 *
 * The reader acknowledges the bytes that it has taken. From the time that takes, this knows how
 * fast the connection is and what is on its way. Without acknowledgements nothing is limited.
 *
 * Thread: one.
 */
#ifndef MALITOP_FLOW_H
#define MALITOP_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_WRITES 64

struct flow {
	bool on, slow;
	double rate; /* bytes per second; 0: not measured */
	uint64_t written, acked;
	struct {
		uint64_t end; /* bytes of the stream */
		int64_t at_ns;
	} writes[FLOW_WRITES]; /* those that were not acknowledged, the oldest first */
	unsigned n;
};

/* n bytes were written. */
void flow_wrote(struct flow *flow, size_t n, int64_t now_ns);
/* The reader has taken `bytes` of the stream so far. */
void flow_acked(struct flow *flow, uint64_t bytes, int64_t now_ns);
/* How many bytes may be written now: 0 if those on their way have to arrive first, SIZE_MAX without
 * acknowledgements. */
size_t flow_room(const struct flow *flow, int64_t now_ns);

#endif
