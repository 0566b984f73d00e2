#include "backends/sim_fill.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct sim_name *find(const char *name)
{
	for (unsigned i = 0; i < sim_n_names; i++)
		if (!strcmp(sim_names[i].name, name))
			return &sim_names[i];
	return NULL;
}

bool sim_fills(const char *counter_name)
{
	return find(counter_name) != NULL;
}

/* Cores are numbered with the holes of the core mask; the model has none. */
static unsigned core_place(const struct source *source, unsigned number)
{
	return (unsigned)__builtin_popcountll(source->constants.core_mask & ((1ull << number) - 1));
}

static struct sim_slot plan(const struct source *source, const struct sim_model *m, const struct slot *slot)
{
	const uint64_t *totals[SIM_SECTIONS] = {
		[IN_GPU] = m->gpu_total,
		[IN_VERTEX] = m->queue_total[STREAM_VERTEX],
		[IN_FRAGMENT] = m->queue_total[STREAM_FRAGMENT],
		[IN_COMPUTE] = m->queue_total[STREAM_COMPUTE],
		[IN_NONFRAG] = m->queue_total[STREAM_VERTEX],
		[IN_TILER] = m->tiler_total,
		[IN_SLICE] = m->slices[slot->instance == INSTANCE_SLICE ? slot->number : 0].total,
		[IN_CORE] = m->cores[slot->instance == INSTANCE_CORE ? core_place(source, slot->number) : 0].total,
	};
	const struct sim_name *name = find(slot->name);
	struct sim_slot p = {.instances = 1, .scale = (uint16_t)slot->scale};

	if (!name)
		return p;
	p.first = totals[name->section] + name->quantity;
	if (name->second)
		p.second = totals[name->section] + name->second;
	if (name->section == IN_NONFRAG)
		p.second = m->queue_total[STREAM_COMPUTE] + name->quantity;
	if (name->section == IN_CORE) {
		p.stride = sizeof(m->cores[0]);
		p.instances = slot->instance == INSTANCE_CORE ? 1 : m->gpu.cores;
	} else if (name->section == IN_SLICE) {
		p.stride = sizeof(m->slices[0]);
		p.instances = slot->instance == INSTANCE_SLICE ? 1 : m->gpu.slices;
	}
	return p;
}

void sim_fill_init(struct sim_fill *fill, const struct source *source, const struct sim_model *model)
{
	fill->n = source->n_slots;
	fill->slots = xcalloc(fill->n, sizeof(*fill->slots));
	fill->last = xcalloc(fill->n, sizeof(*fill->last));
	for (unsigned i = 0; i < fill->n; i++)
		fill->slots[i] = plan(source, model, &source->slots[i]);
}

void sim_fill_fini(struct sim_fill *fill)
{
	free(fill->slots);
	free(fill->last);
	*fill = (struct sim_fill){0};
}

static uint64_t counted(const struct sim_slot *slot)
{
	const char *first = (const char *)slot->first, *second = (const char *)slot->second;
	uint64_t sum = 0;

	for (unsigned i = 0; i < slot->instances; i++) {
		uint64_t x = *(const uint64_t *)(const void *)(first + i * slot->stride);

		if (second)
			x += *(const uint64_t *)(const void *)(second + i * slot->stride);
		sum += slot->scale > 1 ? x / slot->scale : x;
	}
	return sum;
}

void sim_fill_read(struct sim_fill *fill, uint64_t *value)
{
	for (unsigned i = 0; i < fill->n; i++) {
		uint64_t now;

		if (!fill->slots[i].first) {
			value[i] = SAMPLE_UNKNOWN;
			continue;
		}
		now = counted(&fill->slots[i]);
		value[i] = now - fill->last[i];
		fill->last[i] = now;
	}
}
