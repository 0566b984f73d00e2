/* history: what a source measured lately, in columns that hold SUMS of deltas and of time, never averaged ratios, so that a ratio
 * over any span is a ratio of sums. Fine columns reach back 60 s, 1 s columns 10 minutes.
 *
 * Thread: the one that owns it (ui). Views read it, never write it.
 */
#ifndef MALITOP_HISTORY_H
#define MALITOP_HISTORY_H

#include "model/sample.h"

/* The fold of some samples. `value` has one double per slot: sums of deltas (raw counts, before scale), last or maximum of levels,
 * NaN where nothing is known. Time that lies in gaps is not counted in time_ns. */
struct column {
	int64_t begin_ns, end_ns; /* span covered; begin == end: empty */
	int64_t time_ns;          /* time that was measured (error samples left out) */
	uint32_t flags;           /* of all samples in it */
	uint32_t n_samples;
	uint64_t lost;
	double value[];
};

struct history;

/* slots are copied. Columns are as long as the interval, at least HISTORY_FINE_NS. Only the first n_kept slots are remembered (the
 * sums; a GPU has many times more instances), the rest is NaN; history_keep remembers more from now on. */
#define HISTORY_FINE_NS 100000000ll
struct history *history_new(const struct slot *slots, unsigned n_slots, unsigned n_kept, int64_t interval_ns);
void history_free(struct history *h);
void history_keep(struct history *h, unsigned n_kept);
void history_clear(struct history *h); /* as new, with as many slots kept */
/* Samples in the order of their seq; one that was pushed already is ignored, a jump counts as loss. */
void history_push(struct history *h, const struct sample *sample);

/* A column for the caller to keep (free with free). */
struct column *history_column_new(const struct history *h);
/* Fold everything that ended in (from_ns, to_ns] into *out. Uses fine columns where they reach, else 1 s columns. */
void history_span(const struct history *h, int64_t from_ns, int64_t to_ns, struct column *out);
/* Everything since the start (levels: the latest). */
const struct column *history_total(const struct history *h);
/* When the newest sample ended; when the oldest column begins. 0 before the first sample. */
int64_t history_newest_ns(const struct history *h);
int64_t history_oldest_ns(const struct history *h);
uint64_t history_lost(const struct history *h);

/* An empty column of n_slots values, for the caller to keep (free with free). */
struct column *column_new(unsigned n_slots);
/* Add what was measured next, as history folds: deltas by sum, levels by last, peaks by maximum; what is unknown changes nothing. */
void column_fold(struct column *to, const struct column *from, const struct slot *slots, unsigned n_slots);
/* A sample by itself as a column (of n_slots values), for logs. An error sample gives NaNs. */
void column_from_sample(struct column *out, const struct sample *sample, const struct slot *slots, unsigned n_slots);

#endif
