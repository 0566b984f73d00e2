/* gpu_set: metric sets of GPUs and of a CPU, with the slots that a backend would have, for tests of
 * the model. */
#ifndef MALITOP_TEST_GPU_SET_H
#define MALITOP_TEST_GPU_SET_H

#include "base/alloc.h"
#include "model/metric.h"
#include "tests/support/shipped.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slots {
	struct slot *slots;
	unsigned n, cap;
};

static inline void slots_add(struct slots *s, struct slot slot)
{
	GROW(s->slots, s->n, s->cap);
	s->slots[s->n++] = slot;
}

static inline void slots_add_counters(struct slots *s, const struct gpu_layout *layout, int block,
				      enum instance_kind kind, unsigned number)
{
	for (unsigned i = 0; i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		if (block < 0 || c->block == (enum gpu_block)block)
			slots_add(s, (struct slot){.name = c->name ? c->name : c->hw_name,
						   .instance = kind,
						   .number = (uint16_t)number,
						   .scale = c->scale});
	}
}

/* As source_add_gpu_sums (backends/backend.h) has them: sums, clock, then `cores` cores and
 * `slices` slices by themselves. */
static inline void slots_of_gpu(struct slots *s, const struct gpu_layout *layout, unsigned cores,
				unsigned slices)
{
	static const char *const clock[] = {"GPUClockCy", "GPUSteadyCy", "GPUSteadyTime", "GPUShaderClockCy"},
				 *const balance[] = {"GPUCoreMostCy", "GPUCoreMeanCy"};

	*s = (struct slots){0};
	slots_add_counters(s, layout, -1, INSTANCE_ALL, 0);
	for (size_t i = 0; i < ARRAY_LEN(clock); i++)
		slots_add(s, (struct slot){.name = clock[i], .kind = SLOT_STEADY, .scale = 1});
	for (size_t i = 0; i < ARRAY_LEN(balance); i++)
		slots_add(s, (struct slot){.name = balance[i], .scale = 1});
	for (unsigned i = 0; i < cores; i++)
		slots_add_counters(s, layout, BLOCK_CORE, INSTANCE_CORE, i);
	for (unsigned i = 0; i < slices; i++)
		slots_add_counters(s, layout, BLOCK_MEMORY, INSTANCE_SLICE, i);
}

#define SET_CORES 4
#define SET_SLICES 2
#define SET_BUS_BITS 128

static inline struct metric_set *set_of_gpu(const struct gpudb *db, const struct gpu_product *product,
					    enum definitions definitions, bool instances)
{
	struct metric_source source = {
		.product = product,
		.constants.core_count = SET_CORES,
		.constants.l2_slice_count = SET_SLICES,
		.constants.bus_width_bits = SET_BUS_BITS,
		.definitions = definitions,
	};
	struct metric_set *set;
	struct slots s;
	struct err err;

	slots_of_gpu(&s, product->layout, instances ? SET_CORES : 0, instances ? SET_SLICES : 0);
	source.slots = s.slots;
	source.n_slots = s.n;
	set = metric_set_new(db, &source, &err);
	if (!set)
		fail_msg("%s: %s", product->name, err.text);
	free(s.slots);
	return set;
}

/* Everything that `slots` stanzas name. */
static inline struct metric_set *set_of_cpu(const struct gpudb *db, char ***names)
{
	struct metric_source source = {.n_slots = db->n_slot_names};
	struct slot *slots = xcalloc(db->n_slot_names, sizeof(*slots));
	struct metric_set *set;
	struct err err;

	*names = xcalloc(db->n_slot_names, sizeof(**names));
	for (unsigned i = 0; i < db->n_slot_names; i++) {
		(*names)[i] = span_dup(db->slot_names[i]);
		slots[i] = (struct slot){.name = (*names)[i], .scale = 1};
	}
	source.slots = slots;
	set = metric_set_new(db, &source, &err);
	if (!set)
		fail_msg("%s", err.text);
	free(slots);
	return set;
}

static inline void names_free(const struct gpudb *db, char **names)
{
	for (unsigned i = 0; i < db->n_slot_names; i++)
		free(names[i]);
	free(names);
}

/* A column of the set with every slot unknown; freed by free. */
static inline struct column *column_of(const struct metric_set *set, double seconds)
{
	struct column *c = xcalloc(1, sizeof(*c) + set->n_slots * sizeof(double));

	for (unsigned i = 0; i < set->n_slots; i++)
		c->value[i] = NAN;
	c->n_samples = 1;
	c->time_ns = (int64_t)(seconds * 1e9);
	return c;
}

static inline void column_put(struct column *c, const struct metric_set *set, const char *name,
			      enum instance_kind kind, unsigned number, double value)
{
	for (unsigned i = 0; i < set->n_slots; i++)
		if (set->slots[i].instance == kind && set->slots[i].number == number &&
		    strcmp(set->slots[i].name, name) == 0) {
			c->value[i] = value;
			return;
		}
	fail_msg("no slot %s", name);
}

static inline const struct metric *metric_of(const struct metric_set *set, const char *name)
{
	const struct metric *m = metric_find(set, span_of(name));

	if (!m)
		fail_msg("no metric %s", name);
	return m;
}

#endif
