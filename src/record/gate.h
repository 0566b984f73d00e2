/* gate: keeps the samples of times at which counting is disabled (--control) out of a recording.
 *
 * A sample belongs to the state in which it ends; a caller that cuts the running intervals first
 * (sampler_cut) gets exact regions. The samples that pass are numbered as if the others had never
 * been, so that they are no loss, and the first one after a pause has the flag SAMPLE_GAP.
 *
 * Threads: gate_pass belongs to one thread at a time, the other functions to any.
 */
#ifndef MALITOP_GATE_H
#define MALITOP_GATE_H

#include "base/sys.h"
#include "model/sample.h"

struct gate;

/* A closed gate for sources 0 .. n - 1. */
struct gate *gate_new(unsigned n);
/* NULL is fine. */
void gate_free(struct gate *gate);
/* Open or close it now. Returns whether it was not like that already. */
bool gate_set(struct gate *gate, const struct sys *sys, bool open);
/* How long it has been open so far, and how often it was opened. */
int64_t gate_open_ns(struct gate *gate, const struct sys *sys, unsigned *times);
/* Samples in the order in which they ended. Returns the sample, or a copy that is valid until the
 * next call, or NULL for one that is kept out. A NULL gate is open. */
const struct sample *gate_pass(struct gate *gate, const struct sample *sample);

#endif
