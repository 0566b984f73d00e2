/* sampler: the thread that reads every source on time and hands the samples to the rings of its readers.
 *
 * It waits for nothing but time and its sources. Below a 10 ms interval it does not wake per sample: it sleeps
 * min(16 intervals, 16 ms) on an absolute timer and then drains every waiting sample. It never spins, whatever an fd does: one that
 * is ready without a sample, or never runs dry, waits for the source's next deadline; one that hung up and gives nothing is gone.
 *
 * Threads: all functions are called by the ui (or record's main) thread; start, read, stop and close of a backend run on the
 * sampler's own. Requests are taken between reads.
 */
#ifndef MALITOP_SAMPLER_H
#define MALITOP_SAMPLER_H

#include "backends/backend.h"
#include "model/ring.h"

struct sampler;

/* sys must outlive it. */
struct sampler *sampler_new(const struct sys *sys, struct err *err);
/* Stops the thread, closes and frees every source it still has. NULL is fine. */
void sampler_free(struct sampler *s);

/* Hand over an opened source: started with that period, read until it goes. Returns its index (sample.source), counted from 0 in
 * the order of the calls and never used again. */
uint32_t sampler_adopt(struct sampler *s, struct source *source, int64_t period_ns);
/* A source that was told to be gone or failed is back: into its own seat. The count goes on, and its first sample has a gap. Its
 * slots must be those it had. */
void sampler_readopt(struct sampler *s, uint32_t index, struct source *source, int64_t period_ns);
/* Stop and close a source; its seat stays, to be readopted. Returns when it has ended. */
void sampler_drop(struct sampler *s, uint32_t index);
/* Start a source anew with another period. */
void sampler_set_period(struct sampler *s, uint32_t index, int64_t period_ns);
/* A reader's ring: pushed to from now on, until it is detached (then it is the caller's again). Instances are left out of a ring
 * that does not ask for them: its samples have n_sums values. */
void sampler_attach(struct sampler *s, struct ring *ring, bool instances);
void sampler_detach(struct sampler *s, struct ring *ring);
/* Every source that can ends the interval that runs (source->cut). Returns when they have. */
void sampler_cut(struct sampler *s);

/* What happened since the last call; the event fd is readable when there is something. */
enum sampler_event_kind { SAMPLER_STARTED, SAMPLER_FAILED, SAMPLER_GONE };
struct sampler_event {
	enum sampler_event_kind kind;
	uint32_t source;
	int64_t period_ns; /* SAMPLER_STARTED: the true one; told again when the source corrects it */
	struct err err;    /* SAMPLER_FAILED, SAMPLER_GONE */
};
int sampler_fd(const struct sampler *s);
bool sampler_next_event(struct sampler *s, struct sampler_event *event);

/* What backend->describe says of a source; nothing once it is gone. Any thread: excludes close. */
void sampler_describe(struct sampler *s, uint32_t index, struct strbuf *text);

#endif
