/* tap: the samples for one reader, in a ring (ring.h) per source, so that each ring has the size
 * its source needs and one producer thread. The reader gets the samples that are available in the
 * order in which they ended.
 *
 * A tap has several owners: the reader, and every thread that pushes into it. The last one frees
 * it, so that it stays valid for a thread that returns late from a call.
 */
#ifndef MALITOP_TAP_H
#define MALITOP_TAP_H

#include "model/ring.h"

struct tap;

/* Create a tap for sources 0 .. n - 1, with rings of bytes[i] bytes (ring_bytes); 0 means no ring,
 * so that source is ignored. Samples are stored with the sums, and with what of enum tap_part is
 * asked for. TAP_FEW: the instances of sources that have few. */
enum tap_part { TAP_INSTANCES = 1, TAP_MORE = 2, TAP_FEW = 4 };
/* How many values such a tap stores of a source. */
unsigned tap_values(unsigned parts, unsigned n_sums, unsigned n_slots);
struct tap *tap_new(const size_t *bytes, unsigned n, unsigned parts);
/* Add an owner. Any thread that owns the tap. */
struct tap *tap_share(struct tap *tap);
/* Remove an owner. NULL is fine. */
void tap_free(struct tap *tap);

/* The producer of sample->source: copy the sample, with tap_values values. A source with more words
 * has no instances. */
void tap_push(struct tap *tap, struct sample *sample, uint32_t n_sums, uint32_t n_slots);
/* The reader: return the sample that ended first, in place, valid until tap_release; NULL if there
 * is none. */
const struct sample *tap_peek(struct tap *tap);
void tap_release(struct tap *tap);
/* Samples lost so far because a ring was full. Any thread. */
uint64_t tap_lost(const struct tap *tap);

#endif
