#include "model/gpudb.h"

const char *const gpu_block_names[BLOCK_COUNT] = {"front_end", "tiler", "memory_system", "shader_core"};
const char *const gpu_family_names[FAMILY_COUNT] = {"Midgard", "Bifrost", "Valhall-JM", "Valhall-CSF",
						    "5thGen"};

static const struct {
	const char *architecture, *front_end;
} families[FAMILY_COUNT] = {
	[FAMILY_MIDGARD] = {"Midgard", "JM"},         [FAMILY_BIFROST] = {"Bifrost", "JM"},
	[FAMILY_VALHALL_JM] = {"Valhall", "JM"},      [FAMILY_VALHALL_CSF] = {"Valhall", "CSF"},
	[FAMILY_5TH_GEN] = {"5th Generation", "CSF"},
};

const char *gpu_family_architecture(enum gpu_family family)
{
	return families[family].architecture;
}

const char *gpu_family_front_end(enum gpu_family family)
{
	return families[family].front_end;
}

const char *gpu_product_shown_name(const struct gpu_product *product, unsigned cores)
{
	const char *name = product->name;
	unsigned from = 0;

	for (unsigned i = 0; i < product->n_names; i++)
		if (cores >= product->names[i].cores && product->names[i].cores >= from) {
			from = product->names[i].cores;
			name = product->names[i].name;
		}
	return name;
}

const struct gpu_counter *gpu_layout_at(const struct gpu_layout *layout, enum gpu_block block, unsigned index)
{
	for (unsigned i = 0; i < layout->n_counters; i++)
		if (layout->counters[i].block == block && layout->counters[i].index == index)
			return &layout->counters[i];
	return NULL;
}

void gpudb_scenarios(const struct gpudb *db, struct strbuf *names)
{
	const char *comma = "";

	for (unsigned i = 0; i < db->n_parts; i++) {
		const struct gpudb_part *part = &db->parts[i];
		unsigned first = 0;

		while (!span_eq(db->parts[first].keyword, part->keyword) ||
		       !span_eq(db->parts[first].name, part->name))
			first++;
		if (first != i || !span_is(part->keyword, "scenario"))
			continue;
		strbuf_printf(names, "%s%.*s", comma, SPAN_ARG(part->name));
		comma = ", ";
	}
}
