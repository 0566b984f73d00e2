/* metric_mix: metrics whose formulas name several sources, such as a GPU's counters and frames.
 *
 * Sources have their own intervals, and their samples are never merged. A mix makes a column of the
 * columns of its sources for spans that overlap, as if all had been measured as long as the
 * longest: counts of the others are extended to that time. Its metrics are those that no source has
 * alone.
 *
 * A mix is immutable after metric_mix_new. A fold has one thread.
 */
#ifndef MALITOP_METRIC_MIX_H
#define MALITOP_METRIC_MIX_H

#include "model/metric.h"

struct metric_mix {
	struct metric_set *set; /* its slots are those of all sources, without their instances */
	const struct metric_set *sources[SOURCE_KINDS]; /* NULL: there is none */
	bool uses[SOURCE_KINDS];                        /* some metric names a slot of it */
};

/* The metrics that these sources have together and not alone; *mix is NULL if there are none. Only
 * definitions of the user's own files are looked at: ours need no mix. A name that neither has is
 * no error, as for metric_set_new. The sets must outlive it. */
bool metric_mix_new(const struct gpudb *db, const struct metric_set *const sets[SOURCE_KINDS],
		    struct metric_mix **mix, struct err *err);
void metric_mix_free(struct metric_mix *mix); /* NULL is fine */
/* Make a column of mix->set. NULL for a source that measured nothing then: its slots are
 * unknown. */
void metric_mix_column(const struct metric_mix *mix, const struct column *const columns[SOURCE_KINDS],
		       struct column *out);

/* What the sources of a mix measured since its last column. The slowest sets the step. */
struct mix_fold {
	const struct metric_mix *mix;
	struct column *waiting[SOURCE_KINDS]; /* NULL: not used */
	struct column *column;                /* of the last step */
};
void mix_fold_init(struct mix_fold *fold, const struct metric_mix *mix); /* NULL: it has no steps */
void mix_fold_fini(struct mix_fold *fold);
/* Add a column of a source; those of others are ignored. */
void mix_fold_add(struct mix_fold *fold, enum source_kind kind, const struct column *column);
/* Make fold->column once every source has measured something; one that is silent for 3 s is not
 * waited for. Returns NULL while a step lasts. */
const struct column *mix_fold_step(struct mix_fold *fold);

#endif
