/* watch: judges the samples of a run: it folds them into steps and hands these to a judge, so that
 * stat, record and export have the same findings as the screen.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_WATCH_H
#define MALITOP_WATCH_H

#include "model/judge.h"
#include "model/metric_mix.h"
#include "model/process.h"

struct watch_source {
	uint32_t index; /* sample.source */
	enum source_kind kind;
	const struct metric_set *set;
};

struct watch;

/* Watch the first source of each kind, and their mix (NULL: none). db, the sets and the mix must
 * outlive the watch. */
struct watch *watch_new(const struct gpudb *db, const struct watch_source *sources, unsigned n,
			const struct metric_mix *mix);
void watch_free(struct watch *watch); /* NULL is fine */
/* Add a sample, in the order of their ends. Samples of other sources are ignored. */
void watch_sample(struct watch *watch, const struct sample *sample);
/* Take the busiest thread from a list of processes, as known from its end on. */
void watch_processes(struct watch *watch, const struct process_list *list);
/* After the last sample: judge the unfinished step, and let short runs count. */
void watch_finish(struct watch *watch);
const struct judge *watch_judge(const struct watch *watch);
/* The value of a metric in the last step of the first source that has it; NaN if none has. */
double watch_value(const struct watch *watch, struct span metric);
/* judge_news of this watch. */
bool watch_news(struct watch *watch, char text[JUDGE_NEWS_TEXT]);

/* Set the fact of the busiest thread from a list: its share and its name. Returns false and leaves
 * the facts as they are if the list does not know it, as the first list of a scan. */
bool judge_facts_thread(struct judge_facts *facts, const struct process_list *list);

#endif
