#include "model/history.h"

#include "base/alloc.h"
#include "base/real.h"
#include "base/search.h"
#include "base/wire.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ll
#define TIERS 4
#define ALLOCATION_BYTES 16 /* of malloc, beside what was asked for */

/* The finest first. */
static const struct {
	unsigned columns;
	int64_t ns;
} tiers[TIERS] = {{600, HISTORY_FINE_NS}, {600, SECOND}, {540, 10 * SECOND}, {300, 300 * SECOND}};

/* Columns, oldest first. All but the newest are closed: they no longer change, and take no more
 * memory than their values need. */
struct tier {
	struct closed {
		struct column *column; /* owned */
		uint32_t bytes;        /* with what its allocation costs */
	} * closed;                    /* a ring of `room`, which grows up to `most` */
	struct column *newest;         /* valid if n */
	unsigned most, room, first, n;
	int64_t column_ns;
	size_t bytes; /* of the closed columns */
};

struct history {
	uint8_t *kinds; /* enum slot_kind by slot */
	unsigned n_slots, n_kept;
	struct tier tiers[TIERS]; /* the finest first, each with longer columns than the one before */
	unsigned n_tiers;
	size_t most_bytes;
	struct column *total; /* n_slots values */
	uint8_t *bytes;       /* scratch: the values of a closed column */
	uint64_t lost, last_seq;
};

/* The newest column of a tier has its n_kept values in half the memory. All are whole numbers:
 * those below 2^31 are kept as they are; others, and NaN, as a float without its last bit, marked
 * by the top bit.
 *
 * A closed column has their number, then each of them plus 1, or 0 if it is unknown, as varints.
 * The length of the run follows those that are unknown or zero, as many of a GPU or a frame are. */
#define PACKED_FLOAT ((uint32_t)1 << 31)
#define PACKED_UNKNOWN UINT32_MAX /* a NaN */

static uint32_t pack_value(double v)
{
	float near = (float)v;
	uint32_t bits;

	if (v >= 0 && v < PACKED_FLOAT)
		return (uint32_t)v;
	if (isnan(v))
		return PACKED_UNKNOWN;
	memcpy(&bits, &near, sizeof(bits));
	return PACKED_FLOAT | (bits / 2 + bits % 2);
}

static double unpack_value(uint32_t packed)
{
	uint32_t bits = packed << 1;
	float near;

	if (packed < PACKED_FLOAT)
		return packed;
	memcpy(&near, &bits, sizeof(near));
	return (double)near;
}

static uint32_t *packed_values(const struct column *c)
{
	return (uint32_t *)(uintptr_t)(c + 1);
}

static struct column *tier_at(const struct tier *tier, unsigned i)
{
	return i + 1 < tier->n ? tier->closed[(tier->first + i) % tier->room].column : tier->newest;
}

void column_clear(struct column *c, unsigned n)
{
	*c = (struct column){0};
	for (unsigned i = 0; i < n; i++)
		c->value[i] = NAN;
}

static void packed_clear(struct column *c, unsigned from, unsigned n)
{
	for (unsigned i = from; i < n; i++)
		packed_values(c)[i] = PACKED_UNKNOWN;
}

/* Make room for more columns: few logs are as long as a tier. */
static void tier_grow(struct tier *tier)
{
	unsigned twice = tier->room ? 2 * tier->room : 16, room = twice < tier->most ? twice : tier->most;
	struct closed *closed = xcalloc(room, sizeof(*closed));

	for (unsigned i = 0; i < tier->n; i++)
		closed[i] = tier->closed[(tier->first + i) % tier->room];
	free(tier->closed);
	tier->closed = closed;
	tier->room = room;
	tier->first = 0;
}

static void tier_clear(struct tier *tier)
{
	for (unsigned i = 0; i < tier->room; i++)
		free(take_ptr(&tier->closed[i].column));
	tier->n = tier->first = 0;
	tier->bytes = 0;
}

static void tier_fini(struct tier *tier)
{
	tier_clear(tier);
	free(tier->closed);
	free(tier->newest);
}

static void tier_widen(struct tier *tier, unsigned from, unsigned n_kept)
{
	tier->newest = xreallocarray(tier->newest, 1, sizeof(*tier->newest) + n_kept * sizeof(uint32_t));
	packed_clear(tier->newest, from, n_kept);
}

struct history *history_new(const struct slot *slots, unsigned n_slots, unsigned n_kept, int64_t interval_ns)
{
	struct history *h = xcalloc(1, sizeof(*h));

	assert(n_kept <= n_slots);
	h->kinds = xmalloc(n_slots);
	for (unsigned i = 0; i < n_slots; i++)
		h->kinds[i] = (uint8_t)slots[i].kind;
	h->n_slots = n_slots;
	h->most_bytes = HISTORY_BYTES;
	for (unsigned i = 0; i < TIERS; i++) {
		if (i && tiers[i].ns <= interval_ns)
			continue; /* the first one has columns as long */
		h->tiers[h->n_tiers++] =
			(struct tier){.most = tiers[i].columns,
				      .column_ns = interval_ns > tiers[i].ns ? interval_ns : tiers[i].ns};
	}
	h->total = history_column_new(h);
	h->bytes = xmalloc((n_slots + 1) * (size_t)WIRE_VARINT_MAX);
	for (unsigned i = 0; i < h->n_tiers; i++)
		tier_widen(&h->tiers[i], 0, n_kept);
	h->n_kept = n_kept;
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	for (unsigned i = 0; i < h->n_tiers; i++)
		tier_fini(&h->tiers[i]);
	free(h->total);
	free(h->bytes);
	free(h->kinds);
	free(h);
}

void history_keep(struct history *h, unsigned n_kept)
{
	assert(n_kept <= h->n_slots);
	if (n_kept <= h->n_kept)
		return;
	for (unsigned i = 0; i < h->n_tiers; i++)
		tier_widen(&h->tiers[i], h->n_kept, n_kept);
	h->n_kept = n_kept;
}

void history_clear(struct history *h)
{
	for (unsigned i = 0; i < h->n_tiers; i++)
		tier_clear(&h->tiers[i]);
	column_clear(h->total, h->n_slots);
	h->lost = h->last_seq = 0;
}

/* What a sample adds to a slot; NaN: nothing. */
static inline double sample_value(const struct sample *s, unsigned i, enum slot_kind kind)
{
	uint64_t raw = s->value[i];

	if (raw == SAMPLE_UNKNOWN || (kind == SLOT_STEADY && s->flags & SAMPLE_CLOCK))
		return NAN;
	return kind == SLOT_LEVEL || kind == SLOT_PEAK ? (double)(int64_t)raw : (double)raw;
}

static inline void fold_value(enum slot_kind kind, double *to, double v)
{
	if (isnan(v))
		return;
	if (isnan(*to) || kind == SLOT_LEVEL)
		*to = v;
	else if (kind == SLOT_PEAK)
		*to = real_max(*to, v);
	else
		*to += v;
}

static void fold_header(struct column *to, const struct column *from)
{
	if (!to->n_samples && to->begin_ns == to->end_ns)
		to->begin_ns = from->begin_ns;
	to->end_ns = from->end_ns;
	to->time_ns = sample_add_time(to->time_ns, from->time_ns);
	to->flags |= from->flags;
	to->n_samples += from->n_samples;
	to->lost += from->lost;
}

/* Returns how many of n slots the sample has a value for: its first ones. */
static unsigned fold_sample_header(struct column *to, const struct sample *s, unsigned n)
{
	bool failed = s->flags & SAMPLE_ERROR;

	fold_header(to, &(struct column){.begin_ns = s->begin_ns,
					 .end_ns = s->end_ns,
					 .time_ns = failed ? 0 : s->end_ns - s->begin_ns,
					 .flags = s->flags,
					 .n_samples = 1});
	return failed ? 0 : n < s->n_values ? n : s->n_values;
}

void column_fold(struct column *to, const struct column *from, const struct slot *slots, unsigned n)
{
	fold_header(to, from);
	for (unsigned i = 0; i < n; i++)
		fold_value(slots[i].kind, &to->value[i], from->value[i]);
}

static inline uint32_t fold_packed(enum slot_kind kind, uint32_t to, uint32_t more)
{
	double sum;

	if (to == PACKED_UNKNOWN || more == PACKED_UNKNOWN)
		return more == PACKED_UNKNOWN ? to : more;
	if (kind <= SLOT_STEADY && !((to | more | (to + more)) & PACKED_FLOAT))
		return to + more;
	sum = unpack_value(to);
	fold_value(kind, &sum, unpack_value(more));
	return pack_value(sum);
}

/* Fold a sample into a column on a tier. */
static void tier_take(const struct history *h, struct column *to, const struct sample *s)
{
	unsigned n = fold_sample_header(to, s, h->n_kept);
	uint32_t *values = packed_values(to);

	for (unsigned i = 0; i < n; i++)
		values[i] = fold_packed(h->kinds[i], values[i], pack_value(sample_value(s, i, h->kinds[i])));
}

/* Fold a column on a tier into one on the next tier. */
static void tier_fold(const struct history *h, struct column *to, const struct column *from)
{
	uint32_t *values = packed_values(to);

	fold_header(to, from);
	for (unsigned i = 0; i < h->n_kept; i++)
		values[i] = fold_packed(h->kinds[i], values[i], packed_values(from)[i]);
}

/* Fold a closed column of a tier into one with values. */
static void unpack_closed(const struct history *h, struct column *to, const struct column *from)
{
	const uint8_t *p = (const uint8_t *)(from + 1);
	uint64_t n, code, run;

	p = wire_take(p, &n);
	for (unsigned i = 0; i < n; i += (unsigned)run) {
		run = 1;
		p = wire_take(p, &code);
		if (code > 1)
			fold_value(h->kinds[i], &to->value[i], unpack_value((uint32_t)(code - 1)));
		else
			p = wire_take(p, &run);
		for (uint64_t k = 0; k < run && code == 1; k++)
			fold_value(h->kinds[i + k], &to->value[i + k], 0);
	}
}

/* Fold a column of a tier into one with values. */
static void fold_at(const struct history *h, const struct tier *tier, unsigned i, struct column *to)
{
	const struct column *from = tier_at(tier, i);

	fold_header(to, from);
	if (i + 1 < tier->n) {
		unpack_closed(h, to, from);
		return;
	}
	for (unsigned k = 0; k < h->n_kept; k++)
		fold_value(h->kinds[k], &to->value[k], unpack_value(packed_values(from)[k]));
}

/* Return whether a sample that ends at end_ns belongs to the last column, which ends at the next
 * multiple of the column length. */
static bool is_in_last(const struct tier *tier, int64_t end_ns)
{
	return tier->n && (end_ns - 1) / tier->column_ns == (tier->newest->end_ns - 1) / tier->column_ns;
}

static void close_newest(struct history *h, struct tier *tier)
{
	const uint32_t *values = packed_values(tier->newest);
	struct closed *closed = &tier->closed[(tier->first + tier->n - 1) % tier->room];
	uint8_t *p = wire_put(h->bytes, h->n_kept);
	size_t n;

	for (unsigned i = 0, run; i < h->n_kept; i += run) {
		run = 1;
		p = wire_put(p, values[i] == PACKED_UNKNOWN ? 0 : values[i] + 1ull);
		if (values[i] != PACKED_UNKNOWN && values[i])
			continue;
		while (i + run < h->n_kept && values[i + run] == values[i])
			run++;
		p = wire_put(p, run);
	}
	n = sizeof(*closed->column) + (size_t)(p - h->bytes);
	closed->column = xmalloc(n);
	*closed->column = *tier->newest;
	memcpy(closed->column + 1, h->bytes, (size_t)(p - h->bytes));
	closed->bytes = (uint32_t)n + ALLOCATION_BYTES;
	tier->bytes += closed->bytes;
}

/* Free the oldest column, which must be closed. */
static void drop_oldest(struct tier *tier)
{
	struct closed *oldest = &tier->closed[tier->first];

	tier->bytes -= oldest->bytes;
	free(take_ptr(&oldest->column));
	tier->first = (tier->first + 1) % tier->room;
	tier->n--;
}

size_t history_bytes(const struct history *h)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < h->n_tiers; i++)
		bytes += h->tiers[i].bytes;
	return bytes;
}

/* Whichever tier takes the most loses what is oldest on it. */
static void keep_limit(struct history *h)
{
	while (history_bytes(h) > h->most_bytes) {
		struct tier *largest = &h->tiers[0];

		for (unsigned i = 1; i < h->n_tiers; i++)
			if (h->tiers[i].bytes > largest->bytes)
				largest = &h->tiers[i];
		drop_oldest(largest);
	}
}

void history_limit(struct history *h, size_t bytes)
{
	h->most_bytes = bytes;
	keep_limit(h);
}

/* Return the column for a sample that ends at end_ns: the last one, or a new one. */
static struct column *tier_column(struct history *h, unsigned i, int64_t end_ns)
{
	struct tier *tier = &h->tiers[i];

	if (is_in_last(tier, end_ns))
		return tier->newest;
	if (tier->n && i + 1 < h->n_tiers)
		tier_fold(h, tier_column(h, i + 1, tier->newest->end_ns), tier->newest);
	if (tier->n == tier->most)
		drop_oldest(tier);
	if (tier->n) {
		close_newest(h, tier);
		keep_limit(h);
	}
	if (tier->n == tier->room)
		tier_grow(tier);
	tier->n++;
	*tier->newest = (struct column){0};
	packed_clear(tier->newest, 0, h->n_kept);
	return tier->newest;
}

void history_push(struct history *h, const struct sample *sample)
{
	unsigned n = h->n_slots;
	struct column *fine;

	if (h->total->n_samples && sample->seq <= h->last_seq)
		return; /* a reader that changes rings may see a sample twice */
	fine = tier_column(h, 0, sample->end_ns);
	tier_take(h, fine, sample);
	n = fold_sample_header(h->total, sample, n);
	for (unsigned i = 0; i < n; i++)
		fold_value(h->kinds[i], &h->total->value[i], sample_value(sample, i, h->kinds[i]));
	if (h->last_seq && sample->seq > h->last_seq + 1) {
		fine->lost += sample->seq - h->last_seq - 1;
		h->lost += sample->seq - h->last_seq - 1;
	}
	h->last_seq = sample->seq;
}

struct column *column_new(unsigned n_slots)
{
	struct column *c = xcalloc(1, sizeof(*c) + n_slots * sizeof(c->value[0]));

	column_clear(c, n_slots);
	return c;
}

struct column *history_column_new(const struct history *h)
{
	return column_new(h->n_slots);
}

/* Return the first column that ended after t. */
static unsigned tier_after(const struct tier *tier, int64_t t)
{
	return search_first(tier->n, i, tier_at(tier, i)->end_ns > t);
}

static void fold_tier(const struct history *h, const struct tier *tier, int64_t from_ns, int64_t to_ns,
		      struct column *out)
{
	for (unsigned i = tier_after(tier, from_ns); i < tier->n; i++) {
		if (tier_at(tier, i)->end_ns > to_ns)
			return;
		fold_at(h, tier, i, out);
	}
}

/* Return the time after which a tier is used, and the next one before. It is the end of a column of
 * the next tier, so that no sample is missed or counted twice and adjacent windows add up. */
static int64_t tier_since(const struct history *h, unsigned i)
{
	const struct tier *tier = &h->tiers[i], *next = tier + 1;
	int64_t first = tier->n ? tier_at(tier, 0)->begin_ns : 0;
	const struct column *c;
	unsigned at;

	if (i + 1 == h->n_tiers)
		return INT64_MIN;
	at = tier_after(next, first);
	c = at < next->n ? tier_at(next, at) : NULL;
	return c && c->begin_ns < first ? c->end_ns : first;
}

void history_span(const struct history *h, int64_t from_ns, int64_t to_ns, struct column *out)
{
	int64_t since[TIERS];

	column_clear(out, h->n_kept); /* the others are never set */
	for (unsigned i = 0; i < h->n_tiers; i++)
		since[i] = tier_since(h, i);
	for (unsigned i = h->n_tiers; i-- > 0;) {
		int64_t to = i && since[i - 1] < to_ns ? since[i - 1] : to_ns;

		fold_tier(h, &h->tiers[i], from_ns > since[i] ? from_ns : since[i], to, out);
	}
}

bool history_around(const struct history *h, int64_t at_ns, struct column *out)
{
	unsigned k = 0, i;

	while (at_ns <= tier_since(h, k))
		k++;
	i = tier_after(&h->tiers[k], at_ns - 1);
	column_clear(out, h->n_kept); /* the others are never set */
	if (i < h->tiers[k].n && tier_at(&h->tiers[k], i)->begin_ns < at_ns)
		fold_at(h, &h->tiers[k], i, out);
	return out->n_samples;
}

const struct column *history_total(const struct history *h)
{
	return h->total;
}

int64_t history_newest_ns(const struct history *h)
{
	return h->tiers[0].n ? h->tiers[0].newest->end_ns : 0;
}

int64_t history_oldest_ns(const struct history *h)
{
	for (unsigned i = h->n_tiers; i-- > 0;)
		if (h->tiers[i].n)
			return tier_at(&h->tiers[i], 0)->begin_ns;
	return 0;
}

uint64_t history_lost(const struct history *h)
{
	return h->lost;
}

void column_add(struct column *to, const struct sample *sample, const struct slot *slots, unsigned n_slots)
{
	n_slots = fold_sample_header(to, sample, n_slots);
	for (unsigned i = 0; i < n_slots; i++)
		fold_value(slots[i].kind, &to->value[i], sample_value(sample, i, slots[i].kind));
}

void column_from_sample(struct column *out, const struct sample *sample, const struct slot *slots,
			unsigned n_slots)
{
	column_clear(out, n_slots);
	column_add(out, sample, slots, n_slots);
}
