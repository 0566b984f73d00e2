#include "backends/perf/sampling.h"

#include "base/alloc.h"

#include <string.h>

#define TIME_BYTES 8 /* of the trailer of records that are not samples: pid, tid, time */

/* Copy bytes of a ring, which may wrap. */
static void copy_bytes(const struct sampling_ring *r, uint64_t at, void *to, size_t n)
{
	const unsigned char *data = (const unsigned char *)r->page + r->page->data_offset;
	size_t from = (size_t)(at & (r->size - 1)), first = r->size - from < n ? r->size - from : n;

	memcpy(to, data + from, first);
	memcpy((unsigned char *)to + first, data, n - first);
}

/* The next record's head and time; false if there is none, or the ring is inconsistent. */
static bool peek_record(struct sampling_ring *r, struct perf_event_header *head, int64_t *time_ns)
{
	uint64_t time;
	size_t at;

	if (r->head - r->tail < sizeof(*head))
		return false;
	copy_bytes(r, r->tail, head, sizeof(*head));
	if (head->size < sizeof(*head) + TIME_BYTES || head->size > r->head - r->tail || head->size % 8) {
		r->tail = r->head;
		return false;
	}
	/* A sample has address, pid and tid, time; others end with pid and tid, time. */
	at = head->type == PERF_RECORD_SAMPLE ? sizeof(*head) + 16 : head->size - (size_t)TIME_BYTES;
	copy_bytes(r, r->tail + at, &time, sizeof(time));
	*time_ns = time < (uint64_t)SAMPLE_NS_MAX ? (int64_t)time : SAMPLE_NS_MAX;
	return true;
}

static struct sampling_ring *find_earliest(struct sampling *s, struct perf_event_header *head,
					   int64_t *time_ns)
{
	struct sampling_ring *first = NULL;

	for (unsigned i = 0; i < s->n_rings; i++) {
		struct perf_event_header one;
		int64_t at_ns;

		if (!peek_record(&s->rings[i], &one, &at_ns) || (first && at_ns >= *time_ns))
			continue;
		first = &s->rings[i];
		*head = one;
		*time_ns = at_ns;
	}
	return first;
}

void sampling_drain(struct sampling *s, int64_t until_ns)
{
	struct perf_event_header head = {0};
	struct sampling_ring *r;
	int64_t time_ns = 0;

	hot_maps_look(s->maps);
	for (unsigned i = 0; i < s->n_rings; i++)
		s->rings[i].head = __atomic_load_n(&s->rings[i].page->data_head, __ATOMIC_ACQUIRE);
	while ((r = find_earliest(s, &head, &time_ns)) && time_ns <= until_ns) {
		copy_bytes(r, r->tail, s->record, head.size);
		sampling_take(s, (const struct perf_event_header *)(const void *)s->record, time_ns);
		r->tail += head.size;
	}
	for (unsigned i = 0; i < s->n_rings; i++)
		__atomic_store_n(&s->rings[i].page->data_tail, s->rings[i].tail, __ATOMIC_RELEASE);
}
