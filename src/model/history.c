#include "model/history.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FINE_COLUMNS 600
#define COARSE_COLUMNS 600
#define COARSE_NS 1000000000ll

/* Columns by their end, oldest first, in a ring. */
struct shelf {
	char *memory;
	unsigned size, first, n;
	int64_t column_ns;
};

struct history {
	struct slot *slots;
	unsigned n_slots, n_kept;
	size_t stride; /* bytes of a column with n_kept values */
	struct shelf fine, coarse;
	struct column *total; /* n_slots values */
	uint64_t lost, last_seq;
};

static size_t column_bytes(unsigned n)
{
	return sizeof(struct column) + n * sizeof(double);
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
	h->stride = column_bytes(n_kept);
	shelf_init(h, &h->fine, FINE_COLUMNS, interval_ns > HISTORY_FINE_NS ? interval_ns : HISTORY_FINE_NS);
	shelf_init(h, &h->coarse, COARSE_COLUMNS, interval_ns > COARSE_NS ? interval_ns : COARSE_NS);
	h->total = history_column_new(h);
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	free(h->fine.memory);
	free(h->coarse.memory);
	free(h->total);
	free(h->slots);
	free(h);
}

static void shelf_widen(struct history *h, struct shelf *shelf, unsigned n_kept)
{
	size_t wide = column_bytes(n_kept);
	char *memory = xcalloc(shelf->size, wide);

	for (unsigned i = 0; i < shelf->n; i++) {
		struct column *to = (struct column *)(void *)(memory + i * wide);

		column_clear(to, n_kept);
		memcpy(to, shelf_at(h, shelf, i), h->stride);
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
	h->stride = column_bytes(n_kept);
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

static void fold_header(struct column *to, int64_t begin_ns, int64_t end_ns, int64_t time_ns, uint32_t flags, uint32_t samples,
			uint64_t lost)
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
	fold_header(to, from->begin_ns, from->end_ns, from->time_ns, from->flags, from->n_samples, from->lost);
	for (unsigned i = 0; i < n; i++)
		fold_value(slots[i].kind, &to->value[i], from->value[i]);
}

/* The column that something which ended at end_ns belongs to: the newest, or a new one when it lies beyond a multiple of the column
 * length. *opened tells the caller that the one before is complete. */
static struct column *shelf_column(struct history *h, struct shelf *shelf, int64_t end_ns, bool *opened)
{
	struct column *last = shelf->n ? shelf_at(h, shelf, shelf->n - 1) : NULL;

	*opened = !last || (end_ns - 1) / shelf->column_ns != (last->end_ns - 1) / shelf->column_ns;
	if (!*opened)
		return last;
	if (shelf->n == shelf->size)
		shelf->first = (shelf->first + 1) % shelf->size;
	else
		shelf->n++;
	last = shelf_at(h, shelf, shelf->n - 1);
	column_clear(last, h->n_kept);
	return last;
}

void history_push(struct history *h, const struct sample *sample)
{
	struct column *done = NULL, *fine;
	bool opened;

	if (h->total->n_samples && sample->seq <= h->last_seq)
		return; /* a reader that changes rings may see a sample twice */
	fine = h->fine.n ? shelf_at(h, &h->fine, h->fine.n - 1) : NULL;
	if (fine && (sample->end_ns - 1) / h->fine.column_ns != (fine->end_ns - 1) / h->fine.column_ns)
		done = fine;
	if (done)
		column_fold(shelf_column(h, &h->coarse, done->end_ns, &opened), done, h->slots, h->n_kept);
	fine = shelf_column(h, &h->fine, sample->end_ns, &opened);
	fold_sample(fine, sample, h->slots, h->n_kept);
	fold_sample(h->total, sample, h->slots, h->n_slots);
	if (h->last_seq && sample->seq > h->last_seq + 1) {
		fine->lost += sample->seq - h->last_seq - 1;
		h->lost += sample->seq - h->last_seq - 1;
	}
	h->last_seq = sample->seq;
}

struct column *column_new(unsigned n_slots)
{
	struct column *c = xcalloc(1, column_bytes(n_slots));

	column_clear(c, n_slots);
	return c;
}

struct column *history_column_new(const struct history *h)
{
	return column_new(h->n_slots);
}

/* First column that ended after t. */
static unsigned shelf_after(const struct history *h, const struct shelf *shelf, int64_t t)
{
	unsigned low = 0, high = shelf->n;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (shelf_at(h, shelf, mid)->end_ns > t)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static void fold_shelf(const struct history *h, const struct shelf *shelf, int64_t from_ns, int64_t to_ns, struct column *out)
{
	for (unsigned i = shelf_after(h, shelf, from_ns); i < shelf->n; i++) {
		const struct column *c = shelf_at(h, shelf, i);

		if (c->end_ns > to_ns)
			return;
		column_fold(out, c, h->slots, h->n_kept);
	}
}

/* What ended later comes from fine columns, the rest from coarse ones: the border is the end of a coarse column, so that nothing
 * falls in between and windows that meet add up. */
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

void column_from_sample(struct column *out, const struct sample *sample, const struct slot *slots, unsigned n_slots)
{
	column_clear(out, n_slots);
	fold_sample(out, sample, slots, n_slots);
}
