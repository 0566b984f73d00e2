/* history: the recent samples of a source, in columns that hold SUMS of deltas and of time, never
 * averaged ratios, so that a ratio over any span is a ratio of sums. Fine columns reach back 60 s,
 * those of 1 s 10 minutes, of 10 s 90 minutes, of 5 minutes 25 hours. The values of a column are
 * exact below 2^31, and to six digits above; the total is exact.
 *
 * Thread: the owner's (ui). Views only read it.
 */
#ifndef MALITOP_HISTORY_H
#define MALITOP_HISTORY_H

#include "model/sample.h"

/* A fold of samples. `value` has one double per slot: the sum of deltas (raw counts, before scale),
 * the last or maximum of levels, NaN if unknown. time_ns does not include gaps. */
struct column {
	int64_t begin_ns, end_ns; /* span covered; begin == end: empty */
	int64_t time_ns;          /* time measured, without failed samples */
	uint32_t flags;           /* of all its samples */
	uint32_t n_samples;
	uint64_t lost;
	double value[];
};

struct history;

/* Of slots, their kinds are kept. A column is as long as the interval, at least HISTORY_FINE_NS.
 * Only the first n_kept slots are kept (the sums, because a GPU has many times as many instances);
 * the others are NaN. history_keep keeps more from now on. */
#define HISTORY_FINE_NS 100000000ll
struct history *history_new(const struct slot *slots, unsigned n_slots, unsigned n_kept, int64_t interval_ns);
void history_free(struct history *h);
void history_keep(struct history *h, unsigned n_kept);
/* What all columns take at most: from then on the oldest of a tier go. HISTORY_BYTES at first. */
#define HISTORY_BYTES ((size_t)4 << 20)
void history_limit(struct history *h, size_t bytes);
size_t history_bytes(const struct history *h);
void history_clear(struct history *h); /* as new, but keeps the same slots */
/* Add samples in the order of seq. A sample that was already added is ignored; a jump of seq counts
 * as loss. */
void history_push(struct history *h, const struct sample *sample);

/* Allocate a column for the spans below; free it with free. */
struct column *history_column_new(const struct history *h);
/* Fold everything that ended in (from_ns, to_ns] into *out, from fine columns as far back as they
 * reach, then from longer ones. */
void history_span(const struct history *h, int64_t from_ns, int64_t to_ns, struct column *out);
/* Fold the column that covers at_ns into *out. Returns false if nothing was measured then. */
bool history_around(const struct history *h, int64_t at_ns, struct column *out);
/* Everything since the start (levels: the latest). */
const struct column *history_total(const struct history *h);
/* The end of the newest sample, and the start of the oldest column; 0 before the first sample. */
int64_t history_newest_ns(const struct history *h);
int64_t history_oldest_ns(const struct history *h);
uint64_t history_lost(const struct history *h);

/* Allocate an empty column of n_slots values; free it with free. */
struct column *column_new(unsigned n_slots);
void column_clear(struct column *c, unsigned n_slots); /* as new */
/* Fold a later column into *to: deltas by sum, levels by last, peaks by maximum. Unknown values
 * change nothing. */
void column_fold(struct column *to, const struct column *from, const struct slot *slots, unsigned n_slots);
/* Fold a later sample into *to, which has n_slots values; those that it lacks do not change. */
void column_add(struct column *to, const struct sample *sample, const struct slot *slots, unsigned n_slots);
/* Make a column (of n_slots values) of one sample, for logs. A failed sample gives NaNs. */
void column_from_sample(struct column *out, const struct sample *sample, const struct slot *slots,
			unsigned n_slots);

#endif
