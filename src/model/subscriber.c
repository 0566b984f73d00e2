#include "model/subscriber.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>

#define FEW_INSTANCES 128 /* slots: the time of 8 CPUs, a GPU of one core */

struct subscriber {
	pthread_mutex_t lock; /* for the owners */
	unsigned owners;
	unsigned parts;
	unsigned n, at; /* at: the ring that the reader peeked at */
	struct ring *rings[];
};

unsigned subscriber_values(unsigned parts, unsigned n_sums, unsigned n_slots)
{
	bool few = parts & SUBSCRIBER_FEW && n_slots - n_sums <= FEW_INSTANCES;

	return parts & SUBSCRIBER_INSTANCES || few ? n_slots : n_sums;
}

struct subscriber *subscriber_new(const size_t *bytes, unsigned n, unsigned parts)
{
	struct subscriber *subscriber = xcalloc(1, sizeof(*subscriber) + n * sizeof(subscriber->rings[0]));

	*subscriber = (struct subscriber){.owners = 1, .parts = parts, .n = n};
	pthread_mutex_init(&subscriber->lock, NULL);
	for (unsigned i = 0; i < n; i++)
		subscriber->rings[i] = bytes[i] ? ring_new(bytes[i]) : NULL;
	return subscriber;
}

static unsigned count_owners(struct subscriber *subscriber, int more)
{
	unsigned owners;

	pthread_mutex_lock(&subscriber->lock);
	owners = subscriber->owners += (unsigned)more;
	pthread_mutex_unlock(&subscriber->lock);
	return owners;
}

struct subscriber *subscriber_share(struct subscriber *subscriber)
{
	count_owners(subscriber, 1);
	return subscriber;
}

void subscriber_free(struct subscriber *subscriber)
{
	if (!subscriber || count_owners(subscriber, -1))
		return;
	for (unsigned i = 0; i < subscriber->n; i++)
		ring_free(subscriber->rings[i]);
	pthread_mutex_destroy(&subscriber->lock);
	free(subscriber);
}

void subscriber_push(struct subscriber *subscriber, struct sample *sample, uint32_t n_sums, uint32_t n_slots)
{
	struct ring *ring = sample->source < subscriber->n ? subscriber->rings[sample->source] : NULL;

	uint16_t n_more = sample->n_more;

	if (!ring)
		return;
	sample->n_values = (uint16_t)subscriber_values(subscriber->parts, n_sums, n_slots);
	sample->n_more = subscriber->parts & SUBSCRIBER_MORE ? n_more : 0;
	ring_push(ring, sample);
	sample->n_more = n_more;
}

const struct sample *subscriber_peek(struct subscriber *subscriber)
{
	const struct sample *first = NULL;

	for (unsigned i = 0; i < subscriber->n; i++) {
		const struct sample *sample = subscriber->rings[i] ? ring_peek(subscriber->rings[i]) : NULL;

		if (!sample || (first && first->end_ns <= sample->end_ns))
			continue;
		first = sample;
		subscriber->at = i;
	}
	return first;
}

void subscriber_release(struct subscriber *subscriber)
{
	ring_release(subscriber->rings[subscriber->at]);
}

uint64_t subscriber_lost(const struct subscriber *subscriber)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < subscriber->n; i++)
		lost += subscriber->rings[i] ? ring_lost(subscriber->rings[i]) : 0;
	return lost;
}
