#include "mlog/mlog_index.h"

#include "base/alloc.h"
#include "base/wire.h"

#include <stdlib.h>

#define INDEX_VERSION 1

_Static_assert(MLOG_PLACES_MAX % 2 == 0, "thin_places merges pairs");

void mlog_index_fini(struct mlog_index *index)
{
	free(index->places);
	*index = (struct mlog_index){0};
}

static void thin_places(struct mlog_index *index)
{
	for (unsigned i = 0; i < index->n / 2; i++) {
		index->places[i] = index->places[2 * i];
		index->places[i].flags |= index->places[2 * i + 1].flags;
	}
	index->n /= 2;
	index->stride *= 2;
}

void mlog_index_add(struct mlog_index *index, const struct mlog_head *head)
{
	if (!index->n_blocks) {
		index->stride = 1;
		index->begin_ns = head->begin_ns;
		index->end_ns = head->end_ns;
	}
	if (head->end_ns > index->end_ns)
		index->end_ns = head->end_ns;
	if (index->n_blocks++ % index->stride) {
		index->places[index->n - 1].flags |= head->flags;
		return;
	}
	if (index->n == MLOG_PLACES_MAX)
		thin_places(index);
	GROW(index->places, index->n, index->cap);
	index->places[index->n++] = (struct mlog_place){head->at, index->end_ns, head->flags};
}

void mlog_index_format(const struct mlog_index *index, uint64_t at, struct strbuf *payload)
{
	struct mlog_place last = {0};

	strbuf_clear(payload);
	wire_varint(payload, INDEX_VERSION);
	wire_varint(payload, index->n_blocks);
	wire_varint(payload, index->n_samples);
	wire_varint(payload, index->n_lost);
	wire_signed(payload, index->begin_ns);
	wire_signed(payload, index->end_ns);
	wire_varint(payload, index->stride);
	wire_varint(payload, index->n);
	for (unsigned i = 0; i < index->n; i++) {
		const struct mlog_place *place = &index->places[i];

		wire_varint(payload, place->at - last.at);
		wire_signed(payload, (int64_t)((uint64_t)place->end_ns - (uint64_t)last.end_ns));
		wire_varint(payload, place->flags);
		last = *place;
	}
	wire_u64((uint8_t *)strbuf_more(payload, 8), at);
}

/* Parse the places, which must be ascending and before `at`. */
static void parse_places(struct mlog_index *index, uint64_t at, unsigned n, struct wire *in)
{
	struct mlog_place place = {0};

	index->places = xcalloc(n, sizeof(*index->places));
	index->cap = n;
	while (index->n < n && !in->bad) {
		uint64_t step = wire_get_most(in, at - place.at);
		int64_t before = place.end_ns;

		place.at += step;
		place.end_ns = (int64_t)((uint64_t)before + (uint64_t)wire_get_signed(in));
		place.flags = (unsigned)wire_get_most(in, UINT8_MAX);
		in->bad |= step < MLOG_HEAD || (index->n && place.end_ns < before) ||
			   place.end_ns > index->end_ns;
		index->places[index->n++] = place;
	}
	in->bad |= place.at + MLOG_HEAD > at && n;
}

bool mlog_index_parse(struct mlog_index *index, uint64_t at, struct span payload)
{
	struct wire in = {(const uint8_t *)payload.p, (const uint8_t *)payload.p + payload.n, false};
	uint64_t n;

	*index = (struct mlog_index){0};
	if (payload.n < 8 || wire_get_u64(in.end - 8) != at)
		return false;
	in.end -= 8;
	in.bad = wire_get(&in) != INDEX_VERSION;
	index->n_blocks = wire_get_most(&in, at / MLOG_HEAD);
	index->n_samples = wire_get(&in);
	index->n_lost = wire_get(&in);
	index->begin_ns = wire_get_signed(&in);
	index->end_ns = wire_get_signed(&in);
	index->stride = wire_get(&in);
	n = wire_get_most(&in, MLOG_PLACES_MAX);
	if (!in.bad && index->n_blocks && index->stride)
		in.bad = n != (index->n_blocks - 1) / index->stride + 1;
	else
		in.bad |= n || index->n_blocks;
	if (!in.bad)
		parse_places(index, at, (unsigned)n, &in);
	if (!in.bad && in.p == in.end)
		return true;
	mlog_index_fini(index);
	return false;
}
