#include "model/history.h"

#include "base/alloc.h"
#include "base/search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FINE_COLUMNS 600
#define COARSE_COLUMNS 600
#define COARSE_NS 1000000000ll

/* A ring of columns, oldest first. */
struct shelf {
	char *memory;
	unsigned size, first, n;
	int64_t column_ns;
};

struct history {
	struct slot *slots;
	unsigned n_slots, n_kept;
	size_t stride; /* bytes of a column on a shelf */
	struct shelf fine, coarse;
	struct column *total; /* n_slots values */
	struct column *one;   /* scratch, as long */
	uint64_t lost, last_seq;
};

/* A column on a shelf has its n_kept values in half the memory. All are whole numbers: those below
 * 2^31 are kept as they are; others, and NaN, as a float without its last bit, marked by the top
 * bit. */
#define PACKED_FLOAT ((uint32_t)1 << 31)

static uint32_t pack_value(double v)
{
	float near = (float)v;
	uint32_t bits;

	if (v >= 0 && v < PACKED_FLOAT)
		return (uint32_t)v;
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

static size_t stride_of(unsigned n_kept)
{
	return sizeof(struct column) + (n_kept + 1) / 2 * (2 * sizeof(uint32_t)); /* aligned */
}

static struct column *shelf_at(const struct history *h, const struct shelf *shelf, unsigned i)
{
	return (struct column *)(void *)(shelf->memory + (shelf->first + i) % shelf->size * h->stride);
}

static void column_clear(struct column *c, unsigned n)
{
	*c = (struct column){0};
	for (unsigned i = 0; i < n; i++)
		c->value[i] = NAN;
}

static void packed_clear(struct column *c, unsigned n)
{
	uint32_t unknown = pack_value((double)NAN);

	*c = (struct column){0};
	for (unsigned i = 0; i < n; i++)
		packed_values(c)[i] = unknown;
}

static void shelf_init(struct history *h, struct shelf *shelf, unsigned size, int64_t column_ns)
{
	*shelf = (struct shelf){.memory = xcalloc(size, h->stride), .size = size, .column_ns = column_ns};
}

struct history *history_new(const struct slot *slots, unsigned n_slots, unsigned n_kept, int64_t interval_ns)
{
	struct history *h = xcalloc(1, sizeof(*h));

	assert(n_kept <= n_slots);
	h->slots = xcalloc(n_slots, sizeof(*slots));
	if (n_slots)
		memcpy(h->slots, slots, n_slots * sizeof(*slots));
	h->n_slots = n_slots;
	h->n_kept = n_kept;
	h->stride = stride_of(n_kept);
	shelf_init(h, &h->fine, FINE_COLUMNS, interval_ns > HISTORY_FINE_NS ? interval_ns : HISTORY_FINE_NS);
	shelf_init(h, &h->coarse, COARSE_COLUMNS, interval_ns > COARSE_NS ? interval_ns : COARSE_NS);
	h->total = history_column_new(h);
	h->one = history_column_new(h);
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	free(h->fine.memory);
	free(h->coarse.memory);
	free(h->total);
	free(h->one);
	free(h->slots);
	free(h);
}

static void shelf_widen(struct history *h, struct shelf *shelf, unsigned n_kept)
{
	size_t wide = stride_of(n_kept);
	char *memory = xcalloc(shelf->size, wide);

	for (unsigned i = 0; i < shelf->n; i++) {
		struct column *to = (struct column *)(void *)(memory + i * wide);

		packed_clear(to, n_kept);
		memcpy(to, shelf_at(h, shelf, i), sizeof(*to) + h->n_kept * sizeof(uint32_t));
	}
	free(shelf->memory);
	shelf->memory = memory;
	shelf->first = 0;
}

void history_keep(struct history *h, unsigned n_kept)
{
	assert(n_kept <= h->n_slots);
	if (n_kept <= h->n_kept)
		return;
	shelf_widen(h, &h->fine, n_kept);
	shelf_widen(h, &h->coarse, n_kept);
	h->n_kept = n_kept;
	h->stride = stride_of(n_kept);
}

void history_clear(struct history *h)
{
	h->fine.n = h->fine.first = h->coarse.n = h->coarse.first = 0;
	column_clear(h->total, h->n_slots);
	h->lost = h->last_seq = 0;
}

static double slot_value(const struct slot *slot, uint64_t raw)
{
	if (raw == SAMPLE_UNKNOWN)
		return NAN;
	return slot->kind == SLOT_LEVEL || slot->kind == SLOT_PEAK ? (double)(int64_t)raw : (double)raw;
}

static inline void fold_value(enum slot_kind kind, double *to, double v)
{
	if (isnan(v))
		return;
	if (isnan(*to) || kind == SLOT_LEVEL)
		*to = v;
	else if (kind == SLOT_PEAK)
		*to = fmax(*to, v);
	else
		*to += v;
}

static void fold_header(struct column *to, int64_t begin_ns, int64_t end_ns, int64_t time_ns, uint32_t flags,
			uint32_t samples, uint64_t lost)
{
	if (!to->n_samples && to->begin_ns == to->end_ns)
		to->begin_ns = begin_ns;
	to->end_ns = end_ns;
	to->time_ns = sample_add_time(to->time_ns, time_ns);
	to->flags |= flags;
	to->n_samples += samples;
	to->lost += lost;
}

static void fold_sample(struct column *to, const struct sample *s, const struct slot *slots, unsigned n)
{
	bool failed = s->flags & SAMPLE_ERROR, unsteady = s->flags & SAMPLE_CLOCK;

	fold_header(to, s->begin_ns, s->end_ns, failed ? 0 : s->end_ns - s->begin_ns, s->flags, 1, 0);
	if (failed)
		return;
	if (n > s->n_values)
		n = s->n_values;
	for (unsigned i = 0; i < n; i++)
		if (!(unsteady && slots[i].kind == SLOT_STEADY))
			fold_value(slots[i].kind, &to->value[i], slot_value(&slots[i], s->value[i]));
}

void column_fold(struct column *to, const struct column *from, const struct slot *slots, unsigned n)
{
	fold_header(to, from->begin_ns, from->end_ns, from->time_ns, from->flags, from->n_samples,
		    from->lost);
	for (unsigned i = 0; i < n; i++)
		fold_value(slots[i].kind, &to->value[i], from->value[i]);
}

/* Fold a column into one on a shelf. */
static void packed_fold(const struct history *h, struct column *to, const struct column *from)
{
	uint32_t *values = packed_values(to);

	fold_header(to, from->begin_ns, from->end_ns, from->time_ns, from->flags, from->n_samples,
		    from->lost);
	for (unsigned i = 0; i < h->n_kept; i++) {
		double sum = unpack_value(values[i]);

		fold_value(h->slots[i].kind, &sum, from->value[i]);
		values[i] = pack_value(sum);
	}
}

/* Fold one on a shelf into a column. */
static void unpack_fold(const struct history *h, struct column *to, const struct column *from)
{
	const uint32_t *values = packed_values(from);

	fold_header(to, from->begin_ns, from->end_ns, from->time_ns, from->flags, from->n_samples,
		    from->lost);
	for (unsigned i = 0; i < h->n_kept; i++)
		fold_value(h->slots[i].kind, &to->value[i], unpack_value(values[i]));
}

static struct column *shelf_last(const struct history *h, const struct shelf *shelf)
{
	return shelf->n ? shelf_at(h, shelf, shelf->n - 1) : NULL;
}

/* Return whether a sample that ends at end_ns belongs to the last column, which ends at the next
 * multiple of the column length. */
static bool is_in_last(const struct history *h, const struct shelf *shelf, int64_t end_ns)
{
	const struct column *last = shelf_last(h, shelf);

	return last && (end_ns - 1) / shelf->column_ns == (last->end_ns - 1) / shelf->column_ns;
}

/* Return the column for a sample that ends at end_ns: the last one, or a new one. */
static struct column *shelf_column(struct history *h, struct shelf *shelf, int64_t end_ns)
{
	struct column *last;

	if (is_in_last(h, shelf, end_ns))
		return shelf_last(h, shelf);
	if (shelf->n == shelf->size)
		shelf->first = (shelf->first + 1) % shelf->size;
	else
		shelf->n++;
	last = shelf_last(h, shelf);
	packed_clear(last, h->n_kept);
	return last;
}

void history_push(struct history *h, const struct sample *sample)
{
	const struct column *done;
	struct column *fine;

	if (h->total->n_samples && sample->seq <= h->last_seq)
		return; /* a reader that changes rings may see a sample twice */
	done = is_in_last(h, &h->fine, sample->end_ns) ? NULL : shelf_last(h, &h->fine);
	if (done) {
		column_clear(h->one, h->n_kept);
		unpack_fold(h, h->one, done);
		packed_fold(h, shelf_column(h, &h->coarse, done->end_ns), h->one);
	}
	column_from_sample(h->one, sample, h->slots, h->n_slots);
	fine = shelf_column(h, &h->fine, sample->end_ns);
	packed_fold(h, fine, h->one);
	column_fold(h->total, h->one, h->slots, h->n_slots);
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

struct shelf_of {
	const struct history *history;
	const struct shelf *shelf;
};

static bool column_ends_after(const void *things, unsigned i, int64_t t)
{
	const struct shelf_of *of = things;

	return shelf_at(of->history, of->shelf, i)->end_ns > t;
}

/* Return the first column that ended after t. */
static unsigned shelf_after(const struct history *h, const struct shelf *shelf, int64_t t)
{
	return search_first(shelf->n, column_ends_after, &(struct shelf_of){h, shelf}, t);
}

static void fold_shelf(const struct history *h, const struct shelf *shelf, int64_t from_ns, int64_t to_ns,
		       struct column *out)
{
	for (unsigned i = shelf_after(h, shelf, from_ns); i < shelf->n; i++) {
		const struct column *c = shelf_at(h, shelf, i);

		if (c->end_ns > to_ns)
			return;
		unpack_fold(h, out, c);
	}
}

/* Return the time after which fine columns are used, and coarse ones before. It is the end of a
 * coarse column, so that no sample is missed or counted twice and adjacent windows add up. */
static int64_t fine_since(const struct history *h)
{
	int64_t first = h->fine.n ? shelf_at(h, &h->fine, 0)->begin_ns : 0;
	unsigned i = shelf_after(h, &h->coarse, first);
	const struct column *c = i < h->coarse.n ? shelf_at(h, &h->coarse, i) : NULL;

	return c && c->begin_ns < first ? c->end_ns : first;
}

void history_span(const struct history *h, int64_t from_ns, int64_t to_ns, struct column *out)
{
	int64_t since = fine_since(h);

	column_clear(out, h->n_slots);
	if (from_ns < since)
		fold_shelf(h, &h->coarse, from_ns, to_ns < since ? to_ns : since, out);
	fold_shelf(h, &h->fine, from_ns > since ? from_ns : since, to_ns, out);
}

bool history_around(const struct history *h, int64_t at_ns, struct column *out)
{
	const struct shelf *shelf = at_ns > fine_since(h) ? &h->fine : &h->coarse;
	unsigned i = shelf_after(h, shelf, at_ns - 1);
	const struct column *c = i < shelf->n ? shelf_at(h, shelf, i) : NULL;

	column_clear(out, h->n_slots);
	if (c && c->begin_ns < at_ns)
		unpack_fold(h, out, c);
	return out->n_samples;
}

const struct column *history_total(const struct history *h)
{
	return h->total;
}

int64_t history_newest_ns(const struct history *h)
{
	return h->fine.n ? shelf_at(h, &h->fine, h->fine.n - 1)->end_ns : 0;
}

int64_t history_oldest_ns(const struct history *h)
{
	if (h->coarse.n)
		return shelf_at(h, &h->coarse, 0)->begin_ns;
	return h->fine.n ? shelf_at(h, &h->fine, 0)->begin_ns : 0;
}

uint64_t history_lost(const struct history *h)
{
	return h->lost;
}

void column_from_sample(struct column *out, const struct sample *sample, const struct slot *slots,
			unsigned n_slots)
{
	column_clear(out, n_slots);
	fold_sample(out, sample, slots, n_slots);
}
