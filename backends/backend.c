#include "backends/backend.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

const struct backend_extras backend_extras_none;

void source_found_add(struct source_found **found, const struct backend *backend, const char *device)
{
	while (*found)
		found = &(*found)->next;
	*found = xcalloc(1, sizeof(**found));
	(*found)->backend = backend;
	snprintf((*found)->device, sizeof((*found)->device), "%s", device);
}

int64_t source_suspended_ns(const struct sys *sys)
{
	int64_t monotonic = sys->monotonic_ns(sys);

	return sys->boottime_ns(sys) - monotonic;
}

const char *code_text_find(const struct code_text *texts, size_t n, int code)
{
	for (size_t i = 0; i < n; i++)
		if (texts[i].code == code)
			return texts[i].text;
	return NULL;
}

unsigned source_add_slot(struct source *source, const struct slot *slot)
{
	if (source->n_slots == source->slots_room) {
		source->slots_room += source->slots_room / 2 + 16;
		source->slots = xreallocarray(source->slots, source->slots_room, sizeof(*slot));
	}
	source->slots[source->n_slots] = *slot;
	return source->n_slots++;
}

static void add_counters(struct source *source, int block, enum instance_kind kind, unsigned number)
{
	const struct gpu_layout *layout = source->layout;

	for (unsigned i = 0; i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		if ((block < 0 || c->block == (enum gpu_block)block) && source_counts(source, c))
			source_add_slot(source, &(struct slot){.name = c->name ? c->name : c->hw_name,
							       .kind = SLOT_DELTA,
							       .instance = kind,
							       .number = (uint16_t)number,
							       .scale = c->scale});
	}
}

static unsigned add_clock_slots(struct source *source, const char *const *names, unsigned n)
{
	unsigned first = source->n_slots;

	for (unsigned i = 0; i < n; i++)
		source_add_slot(source, &(struct slot){.name = names[i], .kind = SLOT_STEADY, .scale = 1});
	return first;
}

bool source_is_core_active(const struct gpu_counter *counter)
{
	return counter->block == BLOCK_CORE && counter->name &&
	       strcmp(counter->name, "MaliCoreActiveCy") == 0;
}

/* With one core there is nothing to compare. */
static void add_balance(struct source *source)
{
	for (unsigned i = 0; i < source->layout->n_counters; i++)
		if (source_is_core_active(&source->layout->counters[i]) &&
		    source_counts(source, &source->layout->counters[i]) &&
		    __builtin_popcountll(source->constants.core_mask) > 1) {
			source_add_slot(source, &(struct slot){.name = SOURCE_BUSIEST_CORE, .scale = 1});
			source_add_slot(source, &(struct slot){.name = SOURCE_MEAN_CORE, .scale = 1});
			return;
		}
}

unsigned source_add_gpu_sums(struct source *source)
{
	static const char *const clock_names[GPU_CLOCK_SLOTS] = {
		[GPU_CLOCK_CY] = "GPUClockCy",
		[GPU_CLOCK_ACTIVE] = "GPUSteadyCy",
		[GPU_CLOCK_TIME] = "GPUSteadyTime",
		[GPU_CLOCK_SHADER_CY] = "GPUShaderClockCy",
	};
	unsigned first;

	source->layout = source->product ? source->product->layout : gpudb_raw_layout(source->options.db);
	add_counters(source, -1, INSTANCE_ALL, 0);
	first = add_clock_slots(source, clock_names, GPU_CLOCK_SLOTS);
	add_balance(source);
	return first;
}

unsigned source_add_gpu_clock(struct source *source)
{
	static const char *const names[] = {"GPUClockCy", "GPUSteadyTime"};

	return add_clock_slots(source, names, ARRAY_LEN(names));
}

void source_add_gpu_instances(struct source *source)
{
	source->n_sums = source->n_slots;
	if (!source->options.per_instance)
		return;
	for (unsigned core = 0; core < 64; core++)
		if (source->constants.core_mask >> core & 1)
			add_counters(source, BLOCK_CORE, INSTANCE_CORE, core);
	for (unsigned slice = 0; slice < source->constants.l2_slice_count; slice++)
		add_counters(source, BLOCK_MEMORY, INSTANCE_SLICE, slice);
}
