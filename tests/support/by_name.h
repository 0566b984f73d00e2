/* by_name: a source whose metrics a test sets by name, and the judge of it. */
#ifndef MALITOP_TEST_BY_NAME_H
#define MALITOP_TEST_BY_NAME_H

#include "model/judge.h"
#include "tests/support/gpu_set.h"

#include <stdio.h>

#define S 1000000000ll

/* A CPU with all that one can report. */
static inline struct metric_set *set_of_cpu_names(const struct gpudb *db)
{
	static char names[256][32]; /* slots keep them */
	struct slots s = {0};
	struct metric_set *set;
	struct err err;

	for (unsigned i = 0; i < db->n_slot_names && i < ARRAY_LEN(names); i++) {
		snprintf(names[i], sizeof(names[i]), "%.*s", SPAN_ARG(db->slot_names[i]));
		slots_add(&s, (struct slot){.name = names[i], .kind = SLOT_LEVEL, .scale = 1});
	}
	set = metric_set_new(db, &(struct metric_source){.slots = s.slots, .n_slots = s.n}, &err);
	free(s.slots);
	if (!set)
		fail_msg("%s", err.text);
	return set;
}

/* A source whose slots are the metrics of another one, so that a test sets them by name. */
struct by_name {
	struct metric_set *set;
	struct judge *judge;
	double *vector;
	struct judge_facts facts;
};

static const char *const by_name_frames[] = {"frame.fps",       "frame.cpu_ms",    "frame.gpu_ms",
					     "frame.busy_ms",   "frame.in_flight", "frame.gpu_share",
					     "frame.busy_share"};

/* As named_init, with frames if they are named in `with`. */
static inline void named_init_with(struct by_name *t, const struct gpudb *db, const struct metric_set *like,
				   bool gpu, const char *with)
{
	bool frames = strstr(with, "frame.") != NULL;
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct slots s = {0};
	struct err err;

	for (unsigned i = 0; i < like->n_metrics; i++)
		slots_add(&s,
			  (struct slot){.name = like->metrics[i].def->name, .kind = SLOT_LEVEL, .scale = 1});
	if (gpu && !metric_find(like, SPAN_LIT("GPUTemp"))) /* a counter block has no temperature */
		slots_add(&s, (struct slot){.name = "GPUTemp", .kind = SLOT_LEVEL, .scale = 1});
	if (gpu && !metric_find(like, SPAN_LIT("GPUProtected"))) /* most drivers do not tell it */
		slots_add(&s, (struct slot){.name = "GPUProtected", .kind = SLOT_LEVEL, .scale = 1});
	for (size_t i = 0; i < ARRAY_LEN(by_name_frames) && frames; i++)
		slots_add(&s, (struct slot){.name = by_name_frames[i], .kind = SLOT_LEVEL, .scale = 1});
	t->set = metric_set_new(db,
				&(struct metric_source){.product = like->product,
							.slots = s.slots,
							.n_slots = s.n,
							.frames_per_second = 60,
							.screen_pixels = 1920 * 1080,
							.constants.top_hz = 1e9},
				&err);
	free(s.slots);
	if (!t->set)
		fail_msg("%s", err.text);
	sets[gpu ? SOURCE_GPU : SOURCE_CPU] = t->set;
	t->judge = judge_new(db, sets);
	t->vector = xcalloc(t->set->n_vector, sizeof(double));
	memcpy(t->vector, t->set->constants, sizeof(t->set->constants));
	t->vector[VECTOR_SECONDS] = 1;
	t->facts = (struct judge_facts){.value = {NAN, NAN}};
}

static inline void named_init(struct by_name *t, const struct gpudb *db, const struct metric_set *like,
			      bool gpu)
{
	named_init_with(t, db, like, gpu, "");
}

static inline void named_fini(struct by_name *t)
{
	free(t->vector);
	judge_free(t->judge);
	metric_set_free(t->set);
}

/* Names that the source does not have are ignored: the usual values are for all GPUs. */
static inline void named_put(struct by_name *t, struct span name, double value)
{
	for (unsigned i = 0; i < FACT_COUNT; i++)
		if (span_is(name, finding_facts[i].name))
			t->facts.value[i] = value;
	for (unsigned i = 0; i < t->set->n_slots; i++)
		if (span_is(name, t->set->slots[i].name))
			t->vector[VECTOR_CONSTANTS + i] = value;
}

/* "A=1 B=2 C=?": C is unknown. */
static inline void named_put_all(struct by_name *t, const char *text)
{
	struct span rest = span_of(text), word;

	while ((word = span_word(&rest)).n) {
		struct span name = span_until(&word, '=');
		double value = NAN;

		assert_true(span_is(word, "?") || span_double(word, &value));
		named_put(t, name, value);
	}
}

static inline const struct judged *find_judged(const struct judge *judge, const char *name)
{
	for (unsigned i = 0; i < judge->n_findings; i++)
		if (strcmp(judge->findings[i].def->name, name) == 0)
			return &judge->findings[i];
	return NULL;
}

static inline void named_step(struct by_name *t, bool gpu, int64_t begin_ns, int64_t end_ns)
{
	const double *vectors[SOURCE_KINDS] = {0};

	vectors[gpu ? SOURCE_GPU : SOURCE_CPU] = t->vector;
	judge_step(t->judge, begin_ns, end_ns, vectors, &t->facts);
}

#endif
