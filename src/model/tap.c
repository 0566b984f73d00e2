#include "model/tap.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>

#define FEW_INSTANCES 128 /* slots: the time of 8 CPUs, a GPU of one core */

struct tap {
	pthread_mutex_t lock; /* for the owners */
	unsigned owners;
	unsigned parts;
	unsigned n, at; /* at: the ring that the reader peeked at */
	struct ring *rings[];
};

unsigned tap_values(unsigned parts, unsigned n_sums, unsigned n_slots)
{
	bool few = parts & TAP_FEW && n_slots - n_sums <= FEW_INSTANCES;

	return parts & TAP_INSTANCES || few ? n_slots : n_sums;
}

struct tap *tap_new(const size_t *bytes, unsigned n, unsigned parts)
{
	struct tap *tap = xcalloc(1, sizeof(*tap) + n * sizeof(tap->rings[0]));

	*tap = (struct tap){.owners = 1, .parts = parts, .n = n};
	pthread_mutex_init(&tap->lock, NULL);
	for (unsigned i = 0; i < n; i++)
		tap->rings[i] = bytes[i] ? ring_new(bytes[i]) : NULL;
	return tap;
}

static unsigned count_owners(struct tap *tap, int more)
{
	unsigned owners;

	pthread_mutex_lock(&tap->lock);
	owners = tap->owners += (unsigned)more;
	pthread_mutex_unlock(&tap->lock);
	return owners;
}

struct tap *tap_share(struct tap *tap)
{
	count_owners(tap, 1);
	return tap;
}

void tap_free(struct tap *tap)
{
	if (!tap || count_owners(tap, -1))
		return;
	for (unsigned i = 0; i < tap->n; i++)
		ring_free(tap->rings[i]);
	pthread_mutex_destroy(&tap->lock);
	free(tap);
}

void tap_push(struct tap *tap, struct sample *sample, uint32_t n_sums, uint32_t n_slots)
{
	struct ring *ring = sample->source < tap->n ? tap->rings[sample->source] : NULL;

	uint16_t n_more = sample->n_more;

	if (!ring)
		return;
	sample->n_values = (uint16_t)tap_values(tap->parts, n_sums, n_slots);
	sample->n_more = tap->parts & TAP_MORE ? n_more : 0;
	ring_push(ring, sample);
	sample->n_more = n_more;
}

const struct sample *tap_peek(struct tap *tap)
{
	const struct sample *first = NULL;

	for (unsigned i = 0; i < tap->n; i++) {
		const struct sample *sample = tap->rings[i] ? ring_peek(tap->rings[i]) : NULL;

		if (!sample || (first && first->end_ns <= sample->end_ns))
			continue;
		first = sample;
		tap->at = i;
	}
	return first;
}

void tap_release(struct tap *tap)
{
	ring_release(tap->rings[tap->at]);
}

uint64_t tap_lost(const struct tap *tap)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < tap->n; i++)
		lost += tap->rings[i] ? ring_lost(tap->rings[i]) : 0;
	return lost;
}
