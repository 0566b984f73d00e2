/* ring: samples from one producer thread to one consumer thread, without locks and without waiting.
 *
 * A full ring keeps the old samples and counts the new one as lost: the producer never waits for a slow terminal or disk.
 * Only this module uses atomics.
 */
#ifndef MALITOP_RING_H
#define MALITOP_RING_H

#include "model/sample.h"

#include <stddef.h>

struct ring;

/* bytes is rounded up to a power of two. */
struct ring *ring_new(size_t bytes);
void ring_free(struct ring *ring);
/* What a ring needs for so many samples of so many values. */
size_t ring_bytes(size_t samples, uint32_t n_values);

/* Producer: copies. false (and one more lost) when there is no room. */
bool ring_push(struct ring *ring, const struct sample *sample);
/* Consumer: the oldest sample, in place, valid until ring_release; NULL when empty. */
const struct sample *ring_peek(struct ring *ring);
void ring_release(struct ring *ring);
/* Samples lost so far; any thread. */
uint64_t ring_lost(const struct ring *ring);

#endif
