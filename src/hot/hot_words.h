/* hot_words: a profile as the words after the values of a sample (doc/mlog-format.md, section 5).
 *
 * Every sample is whole: it names all that it refers to. The samples of a hit have their times, so
 * that they can be matched with frames. A word begins each record: its kind, and how many words it
 * has, in bits 8 and up.
 */
#ifndef MALITOP_HOT_WORDS_H
#define MALITOP_HOT_WORDS_H

#include "hot/hot_profile.h"
#include "model/sample.h"

#define HOT_WORDS 32768 /* of a sample, at most */

enum hot_record { HOT_TEXT = 1, HOT_FUNCTION_RECORD, HOT_THREAD, HOT_NODE, HOT_HIT };

/* A sample of running code, before it is written. */
struct hot_moment {
	uint32_t hit;
	int64_t time_ns;
};

/* Write as much as fits; `moments` are sorted. Adds to *unkept the samples that did not fit.
 * Returns the number of words. */
unsigned hot_words_put(struct hot_profile *p, struct hot_moment *moments, unsigned n, int64_t begin_ns,
		       uint64_t *words, unsigned room, uint64_t *unkept);

/* Add the words of a sample to a profile. What is cut or impossible ends it. */
void hot_words_add(struct hot_profile *p, const struct sample *sample);
/* The same, only of what was sampled in these spans of time, which are sorted; and call `take` for
 * each sample taken, if it is not NULL. */
struct hot_spans {
	const int64_t *begin_ns, *end_ns;
	unsigned n;
};
void hot_words_walk(struct hot_profile *p, const struct sample *sample, const struct hot_spans *spans,
		    void (*take)(void *ctx, const struct hot_profile *p, const struct hot_hit *hit,
				 int64_t time_ns),
		    void *ctx);

#endif
