#include "backends/gpu/gpu_identity.h"

#include <inttypes.h>
#include <stdio.h>

const struct gpu_product *gpu_identity_find(const struct source *source, uint64_t gpu_id, bool *assumed)
{
	const struct gpu_product *product = gpudb_by_id(source->options.db, gpu_id);

	*assumed = !product && source->options.gpu_name;
	return *assumed ? gpudb_by_name(source->options.db, source->options.gpu_name) : product;
}

void gpu_identity_name(struct source *source, uint64_t gpu_id, bool assumed)
{
	unsigned cores = source->constants.core_count;
	char name[40];

	snprintf(name, sizeof(name), "Mali 0x%" PRIx64, gpu_id);
	if (source->product)
		snprintf(source->title, sizeof(source->title), "%s %u core%s%s",
			 gpu_product_shown_name(source->product, cores), cores, plural_ending(cores),
			 assumed ? " (assumed)" : "");
	else
		snprintf(source->title, sizeof(source->title), "%s %u core%s, unknown", name, cores,
			 plural_ending(cores));
	if (!source->product)
		snprintf(source->note, sizeof(source->note),
			 "%s: malitop has no data for this GPU: raw counters are shown by block and index; "
			 "--gpu NAME treats it as a known one",
			 name);
	else if (assumed)
		snprintf(source->note, sizeof(source->note),
			 "%s: unknown to malitop; treated as %s because of --gpu", name,
			 source->product->name);
}

unsigned gpu_identity_engines(const struct gpu_product *product, uint32_t core_features,
			      uint32_t thread_features, unsigned cores)
{
	int8_t engines = product ? product->engines[core_features & 15] : -1;

	if (product && product->lone_registers && cores == 1 &&
	    (thread_features & 0xffff) == product->lone_registers)
		return 1;
	return engines > 0 ? (unsigned)engines : 0;
}

void gpu_identity_describe(const struct source_constants *c, unsigned engines, struct strbuf *text)
{
	strbuf_printf(text, "GPU       %u core%s (mask 0x%" PRIx64 "), %u L2 slice%s", c->core_count,
		      plural_ending(c->core_count), c->core_mask, c->l2_slice_count,
		      plural_ending(c->l2_slice_count));
	if (c->bus_width_bits)
		strbuf_printf(text, ", bus of %u bits", c->bus_width_bits);
	if (engines)
		strbuf_printf(text, ", %u execution engine%s a core", engines, plural_ending(engines));
	if (c->top_hz > 0)
		strbuf_printf(text, ", up to %.0f MHz", c->top_hz * 1e-6);
	strbuf_str(text, "\n");
}
