/* ring: a lock-free queue of samples from one producer thread to one consumer thread.
 *
 * A full ring keeps the old samples and counts the new one as lost, so the producer never waits for
 * a slow terminal or disk. Only this module uses atomics.
 */
#ifndef MALITOP_RING_H
#define MALITOP_RING_H

#include "model/sample.h"

#include <stddef.h>

struct ring;

/* bytes is rounded up to a power of two. */
struct ring *ring_new(size_t bytes);
void ring_free(struct ring *ring);
/* Return the bytes that a ring needs for this many samples of n_values each. */
size_t ring_bytes(size_t samples, uint32_t n_values);

/* Producer: copy a sample into the ring. Returns false if it is full: the sample is lost, as are
 * those that its driver lost before it. */
bool ring_push(struct ring *ring, const struct sample *sample);
/* Consumer: return the oldest sample, in place, valid until ring_release; NULL if empty. */
const struct sample *ring_peek(struct ring *ring);
void ring_release(struct ring *ring);
/* Samples lost so far, without the losses that samples in the ring report. Any thread. */
uint64_t ring_lost(const struct ring *ring);

#endif
