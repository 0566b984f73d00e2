#include "model/ring.h"

#include "base/alloc.h"
#include "base/sys.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Records are contiguous in a power-of-two array of 8-byte words; head and tail only grow. If a
 * record does not fit before the end of the array, a filler precedes it. The first word of a record
 * is its length in words, or WRAP for a filler.
 *
 * An empty ring restarts at the start of the array, so that memory reserved for the worst case is
 * not touched until it is needed. While head == tail the consumer does not write tail, so the
 * producer may move it, before head. A thread that sees the new head also sees the new tail; the
 * new tail with the old head is ahead of it, which also means empty.
 *
 * After a reader was late, all of the memory may be touched. All of an empty ring belongs to the
 * producer, which gives back what is beyond the first quarter, a piece at each restart, because a
 * sampler must not wait long. */
#define WRAP UINT64_MAX
#define UNLOAD_WORDS ((size_t)128 << 10)

struct ring {
	uint64_t *words;
	size_t size;                     /* in words */
	size_t touched;                  /* the producer's: words up to there may be in memory */
	_Alignas(64) atomic_size_t head; /* written by the producer */
	_Alignas(64)
		atomic_size_t tail; /* written by the consumer; by the producer while the ring is empty */
	_Alignas(64) atomic_uint_fast64_t lost;
};

static size_t record_words(uint32_t n_values)
{
	return 1 + (sizeof(struct sample) + 7) / 8 + n_values;
}

size_t ring_bytes(size_t samples, uint32_t n_values)
{
	return samples * record_words(n_values) * 8;
}

struct ring *ring_new(size_t bytes)
{
	struct ring *ring = aligned_alloc(64, sizeof(*ring));
	size_t size = 512;

	while (size * 8 < bytes)
		size *= 2;
	if (!ring)
		ring = xmalloc(sizeof(*ring)); /* fails with the usual message */
	*ring = (struct ring){.words = xcalloc(size, 8), .size = size};
	return ring;
}

void ring_free(struct ring *ring)
{
	if (!ring)
		return;
	free(ring->words);
	free(ring);
}

static void unload_piece(struct ring *ring)
{
	size_t most = ring->size / 4, from = ring->touched;

	if (from <= most)
		return;
	from = from - most > UNLOAD_WORDS ? from - UNLOAD_WORDS : most;
	sys_unload((const char *)&ring->words[from], (const char *)&ring->words[ring->touched]);
	ring->touched = from;
}

bool ring_push(struct ring *ring, const struct sample *sample)
{
	size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	size_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	size_t need = record_words((uint32_t)sample->n_values + sample->n_more), at = head & (ring->size - 1),
	       room = ring->size - at;
	size_t fill = room < need ? room : 0;
	bool restart = head == tail && at;

	if (restart) {
		unload_piece(ring);
		head = tail = head + room;
		at = fill = 0;
	}
	if (fill + need > ring->size - (head - tail)) {
		atomic_fetch_add_explicit(&ring->lost, 1 + sample->lost, memory_order_relaxed);
		return false;
	}
	if (restart)
		atomic_store_explicit(&ring->tail, tail, memory_order_release);
	if (fill) {
		ring->words[at] = WRAP;
		at = 0;
	}
	if (at + need > ring->touched)
		ring->touched = at + need;
	ring->words[at] = need;
	memcpy(&ring->words[at + 1], sample, sample_size(sample));
	atomic_store_explicit(&ring->head, head + fill + need, memory_order_release);
	return true;
}

const struct sample *ring_peek(struct ring *ring)
{
	size_t head = atomic_load_explicit(&ring->head, memory_order_acquire); /* must be read before tail */
	size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	size_t at = tail & (ring->size - 1);

	if ((ptrdiff_t)(head - tail) <= 0)
		return NULL;
	if (ring->words[at] == WRAP) {
		tail += ring->size - at; /* a filler is always followed by a record */
		atomic_store_explicit(&ring->tail, tail, memory_order_release);
		at = 0;
	}
	return (const struct sample *)&ring->words[at + 1];
}

void ring_release(struct ring *ring)
{
	size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

	assert(tail != atomic_load_explicit(&ring->head, memory_order_acquire));
	atomic_store_explicit(&ring->tail, tail + ring->words[tail & (ring->size - 1)], memory_order_release);
}

uint64_t ring_lost(const struct ring *ring)
{
	return atomic_load_explicit(&((struct ring *)(uintptr_t)ring)->lost, memory_order_relaxed);
}
