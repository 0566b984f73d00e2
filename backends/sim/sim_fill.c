#include "backends/sim/sim_fill.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct sim_name *find_name(const char *name)
{
	for (unsigned i = 0; i < sim_n_names; i++)
		if (!strcmp(sim_names[i].name, name))
			return &sim_names[i];
	return NULL;
}

/* Core numbers include the holes of the core mask; the model has no holes. */
static unsigned core_place(const struct source *source, unsigned number)
{
	return (unsigned)__builtin_popcountll(source->constants.core_mask & ((1ull << number) - 1));
}

/* Position of the totals of a section: lane `lane` in rows of SIM_LANES. */
struct fill_place {
	const uint64_t (*total)[SIM_LANES];
	unsigned lane, instances;
	size_t row_size;
	struct sim_wants *wants;
};

static struct fill_place place_of(const struct source *source, const struct sim_model *m,
				  const struct slot *slot, enum sim_section section, struct sim_shown *shown)
{
	unsigned core = slot->instance == INSTANCE_CORE ? core_place(source, slot->number) : 0;
	unsigned slice = slot->instance == INSTANCE_SLICE ? slot->number : 0;
	const struct fill_place places[SIM_SECTIONS] = {
		[IN_GPU] = {m->gpu_total, 0, 1, 0, &shown->gpu},
		[IN_VERTEX] = {m->queue_total, STREAM_VERTEX, 1, 0, &shown->queue},
		[IN_FRAGMENT] = {m->queue_total, STREAM_FRAGMENT, 1, 0, &shown->queue},
		[IN_COMPUTE] = {m->queue_total, STREAM_COMPUTE, 1, 0, &shown->queue},
		[IN_NONFRAG] = {m->queue_total, STREAM_VERTEX, 1, 0, &shown->queue},
		[IN_TILER] = {m->tiler_total, 0, 1, 0, &shown->tiler},
		[IN_SLICE] = {m->slice_rows[slice / SIM_LANES].total, slice % SIM_LANES,
			      slot->instance == INSTANCE_SLICE ? 1 : m->gpu.slices, sizeof(m->slice_rows[0]),
			      &shown->slice},
		[IN_CORE] = {m->core_rows[core / SIM_LANES].total, core % SIM_LANES,
			     slot->instance == INSTANCE_CORE ? 1 : m->gpu.cores, sizeof(m->core_rows[0]),
			     &shown->core},
	};

	return places[section];
}

static struct sim_slot plan_slot(const struct source *source, const struct sim_model *m,
				 const struct slot *slot, struct sim_shown *shown)
{
	const struct sim_name *name = find_name(slot->name);
	struct sim_slot p = {.scale = (uint16_t)slot->scale};
	struct fill_place place;

	if (!name)
		return p;
	place = place_of(source, m, slot, (enum sim_section)name->section, shown);
	p.first = &place.total[name->quantity][place.lane];
	place.wants->shown[name->quantity] = true;
	if (name->second) {
		p.second = &place.total[name->second][place.lane];
		place.wants->shown[name->second] = true;
	}
	if (name->section == IN_NONFRAG)
		p.second = &m->queue_total[name->quantity][STREAM_COMPUTE];
	p.rows = (uint16_t)(place.instances > 1 ? sim_rows(place.instances) : 0);
	p.stride = (uint32_t)(place.row_size / sizeof(uint64_t));
	return p;
}

static void plan_balance(struct sim_fill *fill, const struct source *source, const struct sim_model *m,
			 struct sim_shown *shown)
{
	const struct slot slot = {.name = "MaliCoreActiveCy", .instance = INSTANCE_CORE, .scale = 1};

	gpu_balance_init(&fill->balance, source);
	fill->n_cores = fill->balance.slot < 0 ? 0 : m->gpu.cores;
	for (unsigned rank = 0, core = 0; rank < fill->n_cores; core++) {
		struct slot own = slot;

		if (!(source->constants.core_mask >> core & 1))
			continue;
		own.number = (uint16_t)core;
		fill->cores[rank++].cycles = plan_slot(source, m, &own, shown).first;
	}
}

void sim_fill_init(struct sim_fill *fill, const struct source *source, const struct sim_model *model,
		   struct sim_shown *shown)
{
	fill->n = source->n_slots;
	fill->slots = xcalloc(fill->n, sizeof(*fill->slots));
	fill->last = xcalloc(fill->n, sizeof(*fill->last));
	for (unsigned i = 0; i < fill->n; i++)
		fill->slots[i] = plan_slot(source, model, &source->slots[i], shown);
	plan_balance(fill, source, model, shown);
}

void sim_fill_fini(struct sim_fill *fill)
{
	free(fill->slots);
	free(fill->last);
	*fill = (struct sim_fill){0};
}

static uint64_t row_sum(const uint64_t *row)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SIM_LANES; i++)
		sum += row[i];
	return sum;
}

/* Each instance counts in its own units of `scale`. */
static uint64_t row_sum_scaled(const uint64_t *first, const uint64_t *second, unsigned scale, unsigned lanes)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < lanes; i++)
		sum += (first[i] + (second ? second[i] : 0)) / scale;
	return sum;
}

static uint64_t slot_count(const struct sim_slot *slot)
{
	uint64_t sum = 0;

	if (slot->scale > 1 && !slot->rows)
		return row_sum_scaled(slot->first, slot->second, slot->scale, 1);
	if (!slot->rows)
		return *slot->first + (slot->second ? *slot->second : 0);
	for (unsigned i = 0; i < slot->rows; i++) {
		const uint64_t *first = slot->first + i * slot->stride;
		const uint64_t *second = slot->second ? slot->second + i * slot->stride : NULL;

		if (slot->scale > 1)
			sum += row_sum_scaled(first, second, slot->scale, SIM_LANES);
		else
			sum += row_sum(first) + (second ? row_sum(second) : 0);
	}
	return sum;
}

void sim_fill_read(struct sim_fill *fill, int64_t sample_ns, uint64_t *value)
{
	for (unsigned i = 0; i < fill->n; i++) {
		uint64_t now;

		if (!fill->slots[i].first) {
			value[i] = SAMPLE_UNKNOWN;
			continue;
		}
		now = slot_count(&fill->slots[i]);
		value[i] = now - fill->last[i];
		fill->last[i] = now;
	}
	for (unsigned i = 0; i < fill->n_cores; i++) {
		gpu_balance_add(&fill->balance, i, *fill->cores[i].cycles - fill->cores[i].last);
		fill->cores[i].last = *fill->cores[i].cycles;
	}
	gpu_balance_fill(&fill->balance, sample_ns, value);
}
