/* sampler: the threads that read every source on time and hand the samples to the subscribers of
 * their readers.
 *
 * Every real GPU has its own thread; all other sources share one. A driver call that does not
 * return therefore stalls only the sources of its thread. A thread waits only for time and for its
 * sources, on a grid that does not drift; sources that started together wake it together. Below a
 * 10 ms interval it does not wake for each sample: it sleeps min(16 intervals, 16 ms) and then
 * drains every waiting sample. It never spins: a source whose fd is ready but yields no sample, or
 * that never stops yielding samples, waits for its next deadline; one that hangs up and yields
 * nothing is gone.
 *
 * Threads: one thread calls all functions, the ui thread (in record, the main one). A backend's
 * start, read, stop and close run on the sampler's threads, which take requests between reads. A
 * function that is said to wait does so for at most SAMPLER_PATIENCE_NS after a thread entered a
 * call or got the request. It then goes on without the answer, and the thread takes the request
 * when the call returns.
 */
#ifndef MALITOP_SAMPLER_H
#define MALITOP_SAMPLER_H

#include "backends/backend.h"
#include "model/subscriber.h"

#include <sys/types.h>

struct sampler;

#define SAMPLER_PATIENCE_NS 800000000ll
#define SAMPLER_SILENT_NS 2000000000ll /* a longer call is reported */
#define SAMPLER_INVALID_NS 1000000000ll
/* Intervals are judged by their mean over this long, and over at least this many samples. */
#define SAMPLER_PACE_NS 2000000000ll
#define SAMPLER_PACE_SAMPLES 4
/* Whether an interval is the other one, as far as a timer and a busy machine keep to it. */
static inline bool sampler_is_pace(int64_t period_ns, int64_t other_ns)
{
	return period_ns <= other_ns + other_ns / 4 && period_ns >= other_ns - other_ns / 4;
}

/* `sys` must live as long as the process, because a call may take that long. */
struct sampler *sampler_new(const struct sys *sys, struct err *err);
/* Make every thread close and free its sources and end. Waits. Returns false if a thread has not
 * answered (see sampler_silence). Only sampler_silence and sampler_free may follow. */
bool sampler_end(struct sampler *s);
/* End the sampler. A thread that does not answer is abandoned and frees its own data when the call
 * returns. NULL is fine. */
void sampler_free(struct sampler *s);

/* Hand over an opened source, to be started with this period and read until it goes. Returns its
 * index (sample.source): indices count from 0 in the order of calls and are never reused. */
uint32_t sampler_adopt(struct sampler *s, struct source *source, int64_t period_ns);
/* Put a source that was reported gone or failed back under its old index. Its sample count
 * continues, and its first sample is flagged as a gap. Its slots must be the same as before. */
void sampler_readopt(struct sampler *s, uint32_t index, struct source *source, int64_t period_ns);
/* Stop and close a source, if there is one under this index. The index can be readopted. Waits
 * until the source has ended. */
void sampler_drop(struct sampler *s, uint32_t index);
/* Restart a source with another period. */
void sampler_set_period(struct sampler *s, uint32_t index, int64_t period_ns);
/* Have a source measure as its backend->prefer says; others ignore it. */
void sampler_prefer(struct sampler *s, uint32_t index, const struct source_priority *priority);
/* Have a source measure another process (backend->choose). */
void sampler_choose(struct sampler *s, uint32_t index, pid_t pid);
/* Attach a subscriber (arguments as in subscriber_new). The sampler pushes to it until it is
 * detached. Detaching waits until all samples that have ended by now are in the subscriber. The
 * caller owns the subscriber and drains and frees it, also after sampler_free. */
struct subscriber *sampler_attach(struct sampler *s, const size_t *bytes, unsigned n, unsigned parts);
void sampler_detach(struct sampler *s, struct subscriber *subscriber);
/* Make every source that supports it end its current interval (source->cut). Waits until they
 * have. */
void sampler_cut(struct sampler *s);

/* What happened since the last call. The event fd is readable while there are events. */
enum sampler_event_kind {
	SAMPLER_STARTED,
	SAMPLER_PERIOD, /* the source has changed its period_ns */
	/* The mean interval of the last SAMPLER_PACE_NS. Nothing is reported before it is another
	 * one than that of the start. */
	SAMPLER_PACE,
	SAMPLER_FAILED,
	SAMPLER_GONE,
	SAMPLER_MARK,    /* the measured program has set one */
	SAMPLER_NEWS,    /* err.text: what the source has to say (source->news) */
	SAMPLER_ANSWERS, /* a call of more than SAMPLER_SILENT_NS has returned */
	/* A sample has failed, and none for the same reason in the second before: err.text: why;
	 * the mark has its time. */
	SAMPLER_INVALID_ONE,
	SAMPLER_INVALID, /* for SAMPLER_INVALID_NS all samples have failed; err.text: why */
	SAMPLER_VALID    /* that is over */
};
struct sampler_event {
	enum sampler_event_kind kind;
	uint32_t source;
	int64_t period_ns; /* SAMPLER_STARTED, SAMPLER_PERIOD: the source's; SAMPLER_PACE: the mean */
	int64_t asked_ns;  /* of the same three: the one that was asked for */
	struct err err;    /* SAMPLER_FAILED, SAMPLER_GONE, SAMPLER_NEWS, SAMPLER_INVALID, ..._ONE */
	struct source_mark mark;
};
int sampler_fd(const struct sampler *s);
bool sampler_next_event(struct sampler *s, struct sampler_event *event);

/* How long the current call has kept a source from being read; 0 if there is none. *whose is the
 * source of that call: this one, or another source of the same thread. An index without a source is
 * not waiting. */
int64_t sampler_silence(struct sampler *s, uint32_t index, uint32_t *whose);
/* Add the text of backend->describe. Adds nothing if the source is gone or does not answer. Never
 * runs at the same time as close. */
void sampler_describe(struct sampler *s, uint32_t index, struct strbuf *text);

#endif
