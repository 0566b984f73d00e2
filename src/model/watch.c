#include "model/watch.h"

#include "base/alloc.h"
#include "model/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATEST_NS 3000000000ll /* how long a slow source and a list of processes stay true */
#define SLACK_NS 1000000       /* samples jitter: a step may be this much shorter */

struct watched {
	uint32_t index;
	const struct metric_set *set; /* NULL: there is no such source */
	struct column *sum;           /* of the step so far */
	double *vector;               /* of its last step with samples */
	struct metric_frames frames;  /* that it counted in that step */
	int64_t end_ns;               /* of that step; 0: none yet */
};

struct watch {
	struct judge *judge;
	struct watched sources[SOURCE_KINDS];
	struct mix_fold mix;
	struct watched *lead; /* the source whose samples end the steps */
	struct judge_facts facts;
	int64_t thread_ns; /* end of the list that the thread is from */
	struct judge_reported reported;
};

struct watch *watch_new(const struct gpudb *db, const struct watch_source *sources, unsigned n,
			const struct metric_mix *mix)
{
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct watch *w = xcalloc(1, sizeof(*w));

	mix_fold_init(&w->mix, mix);
	for (unsigned i = 0; i < n; i++) {
		struct watched *mine = &w->sources[sources[i].kind];

		if (mine->set)
			continue;
		mine->set = sets[sources[i].kind] = sources[i].set;
		mine->index = sources[i].index;
		mine->sum = column_new(mine->set->n_slots);
		mine->vector = xcalloc(mine->set->n_vector, sizeof(*mine->vector));
	}
	if (mix) {
		struct watched *mine = &w->sources[SOURCE_MIX];

		mine->set = sets[SOURCE_MIX] = mix->set;
		mine->index = UINT32_MAX; /* it has no samples */
		mine->vector = xcalloc(mix->set->n_vector, sizeof(*mine->vector));
	}
	for (enum source_kind kind = SOURCE_MIX; kind-- > 0;)
		if (w->sources[kind].set)
			w->lead = &w->sources[kind];
	w->judge = judge_new(db, sets);
	w->facts = w->judge->facts;
	return w;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		free(w->sources[kind].sum);
		free(w->sources[kind].vector);
	}
	mix_fold_fini(&w->mix);
	judge_free(w->judge);
	free(w);
}

/* Take the vector of the step that ends, if the source measured anything in it; the mix, if all its
 * sources measured something since its last one. */
static void end_vector(struct watch *w, struct watched *s)
{
	enum source_kind kind = (enum source_kind)(s - w->sources);
	const struct column *column = kind == SOURCE_MIX ? mix_fold_step(&w->mix) : s->sum;

	if (!column || !column->n_samples)
		return;
	metric_vector(s->set, column, s->vector);
	s->frames = METRIC_FRAMES_UNKNOWN;
	s->end_ns = column->end_ns;
	if (kind == SOURCE_MIX)
		return;
	metric_frames_add(&s->frames, s->set, column);
	mix_fold_add(&w->mix, kind, column);
	column_clear(s->sum, s->set->n_slots);
}

/* The frames that one of them counted are those of all. */
static void share_frames(struct watch *w, const double *const vectors[SOURCE_KINDS])
{
	struct metric_frames best = METRIC_FRAMES_UNKNOWN;

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct metric_frames *own = &w->sources[kind].frames;

		if (vectors[kind] && !isnan(own->rate) && (isnan(best.rate) || own->display < best.display))
			best = *own;
	}
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (vectors[kind])
			metric_frames_put(&best, w->sources[kind].vector);
}

static void judge_watched(struct watch *w)
{
	const double *vectors[SOURCE_KINDS] = {0};
	int64_t begin_ns = w->lead->sum->begin_ns, end_ns = w->lead->sum->end_ns;
	struct judge_facts facts = w->facts;

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		struct watched *s = &w->sources[kind];

		if (!s->set)
			continue;
		end_vector(w, s);
		if (s->end_ns && end_ns - s->end_ns < LATEST_NS)
			vectors[kind] = s->vector;
	}
	share_frames(w, vectors);
	if (end_ns - w->thread_ns > LATEST_NS) {
		facts.value[FACT_BUSIEST_THREAD] = facts.value[FACT_THREAD_WAITS] = NAN;
		facts.thread[0] = 0;
	}
	judge_step(w->judge, begin_ns, end_ns, vectors, &facts);
}

void watch_sample(struct watch *w, const struct sample *sample)
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		struct watched *s = &w->sources[kind];

		if (!s->set || s->index != sample->source)
			continue;
		column_add(s->sum, sample, s->set->slots, s->set->n_slots);
		if (s == w->lead && s->sum->end_ns - s->sum->begin_ns >= JUDGE_STEP_NS - SLACK_NS)
			judge_watched(w);
	}
}

void watch_finish(struct watch *w)
{
	if (w->lead && w->lead->sum->n_samples)
		judge_watched(w);
	judge_finish(w->judge);
}

const struct judge *watch_judge(const struct watch *w)
{
	return w->judge;
}

double watch_value(const struct watch *w, struct span name)
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct watched *s = &w->sources[kind];
		const struct metric *metric = s->set && s->end_ns && w->judge->end_ns - s->end_ns < LATEST_NS
						      ? metric_find(s->set, name)
						      : NULL;

		if (metric)
			return metric->grows ? metric_value(metric, s->vector) / s->vector[VECTOR_SECONDS]
					     : metric_value(metric, s->vector);
	}
	return NAN;
}

bool watch_news(struct watch *w, char text[JUDGE_NEWS_TEXT])
{
	return judge_news(w->judge, &w->reported, text);
}

bool judge_facts_thread(struct judge_facts *facts, const struct process_list *list)
{
	const struct process *thread = process_busiest(list), *owner;

	if (!thread || isnan(thread->cpu_percent))
		return false;
	facts->value[FACT_BUSIEST_THREAD] = thread->cpu_percent;
	facts->value[FACT_THREAD_WAITS] = thread->wait_percent;
	facts->thread_id = thread->pid;
	owner = thread->is_thread ? process_find(list, thread->parent) : NULL;
	if (owner && strcmp(owner->name, thread->name) != 0)
		snprintf(facts->thread, sizeof(facts->thread), "%.30s of %.30s (%d)", thread->name,
			 owner->name, (int)owner->pid);
	else
		snprintf(facts->thread, sizeof(facts->thread), "%.47s (%d)", thread->name, (int)thread->pid);
	return true;
}

void watch_processes(struct watch *w, const struct process_list *list)
{
	if (judge_facts_thread(&w->facts, list))
		w->thread_ns = list->end_ns;
}
