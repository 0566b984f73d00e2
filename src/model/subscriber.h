/* subscriber: the samples for one reader, in a ring (ring.h) per source, so that each ring has the
 * size its source needs and one producer thread. The reader gets the samples that are available in
 * the order in which they ended.
 *
 * A subscriber has several owners: the reader, and every thread that pushes into it. The last one
 * frees it, so that it stays valid for a thread that returns late from a call.
 */
#ifndef MALITOP_SUBSCRIBER_H
#define MALITOP_SUBSCRIBER_H

#include "model/ring.h"

struct subscriber;

/* Create a subscriber for sources 0 .. n - 1, with rings of bytes[i] bytes (ring_bytes); 0 means
 * no ring, so that source is ignored. Samples are stored with the sums, and with what of enum
 * subscriber_part is asked for. SUBSCRIBER_FEW: the instances of sources that have few. */
enum subscriber_part { SUBSCRIBER_INSTANCES = 1, SUBSCRIBER_MORE = 2, SUBSCRIBER_FEW = 4 };
/* How many values such a subscriber stores of a source. */
unsigned subscriber_values(unsigned parts, unsigned n_sums, unsigned n_slots);
struct subscriber *subscriber_new(const size_t *bytes, unsigned n, unsigned parts);
/* Add an owner. Any thread that owns the subscriber. */
struct subscriber *subscriber_share(struct subscriber *subscriber);
/* Remove an owner. NULL is fine. */
void subscriber_free(struct subscriber *subscriber);

/* The producer of sample->source: copy the sample, with subscriber_values values. A source with
 * more words has no instances. */
void subscriber_push(struct subscriber *subscriber, struct sample *sample, uint32_t n_sums, uint32_t n_slots);
/* The reader: return the sample that ended first, in place, valid until subscriber_release; NULL
 * if there is none. */
const struct sample *subscriber_peek(struct subscriber *subscriber);
void subscriber_release(struct subscriber *subscriber);
/* Samples lost so far because a ring was full. Any thread. */
uint64_t subscriber_lost(const struct subscriber *subscriber);

#endif
