/* sample_filter: keeps the samples of times at which counting is disabled (--control) out of a
 * recording.
 *
 * A sample belongs to the state in which it ends; a caller that cuts the running intervals first
 * (sampler_cut) gets exact regions. The samples that pass are numbered as if the others had never
 * been, so that they are no loss, and the first one after a pause has the flag SAMPLE_GAP.
 *
 * Threads: sample_filter_pass belongs to one thread at a time, the other functions to any.
 */
#ifndef MALITOP_SAMPLE_FILTER_H
#define MALITOP_SAMPLE_FILTER_H

#include "base/sys.h"
#include "model/sample.h"

struct sample_filter;

/* A closed filter for sources 0 .. n - 1. */
struct sample_filter *sample_filter_new(unsigned n);
/* NULL is fine. */
void sample_filter_free(struct sample_filter *filter);
/* Open or close it now. Returns whether it was not like that already. */
bool sample_filter_set(struct sample_filter *filter, const struct sys *sys, bool open);
/* How long it has been open so far, and how often it was opened. */
int64_t sample_filter_open_ns(struct sample_filter *filter, const struct sys *sys, unsigned *times);
/* Samples in the order in which they ended. Returns the sample, or a copy that is valid until the
 * next call, or NULL for one that is kept out. A NULL filter is open. */
const struct sample *sample_filter_pass(struct sample_filter *filter, const struct sample *sample);

#endif
