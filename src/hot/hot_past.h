/* hot_past: how often each function of a profile was sampled in each of the last seconds. */
#ifndef MALITOP_HOT_PAST_H
#define MALITOP_HOT_PAST_H

#include "hot/hot_table.h"
#include "hot/hot_words.h"

#define HOT_PAST 16 /* seconds */

/* Zero-initialise it. */
struct hot_past {
	uint16_t (*seconds)[HOT_PAST]; /* by function, the newest second last */
	unsigned n;                    /* functions; those after them were not sampled */
};

void hot_past_clear(struct hot_past *past);
void hot_past_fini(struct hot_past *past);
/* Add the words of a sample to the profile (spans: NULL or only what was sampled in them), and the
 * times of those in scope to the past, which ends at end_ns. */
void hot_past_add(struct hot_past *past, struct hot_profile *p, const struct hot_scope *scope,
		  const struct hot_spans *spans, const struct sample *sample, int64_t end_ns);

#endif
