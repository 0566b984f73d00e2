/* GPUs by number and by name, and sets of them. Layouts are read when the first product with them
 * is asked for. */
#include "base/alloc.h"
#include "model/gpudb_parse.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

const char *gpudb_slot_name(const struct gpudb *db, struct span name)
{
	for (unsigned i = 0; i < db->n_slot_names; i++)
		if (span_eq(db->slot_names[i], name))
			return db->slot_names[i].p;
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

static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER; /* a layout */

/* Old ids are tried first, because 0x6956 (Mali-T60x) would also match as a new one. Bits 31:28
 * mark a 64-bit id. */
static bool has_id(const struct gpu_product *p, uint64_t gpu_id, bool old)
{
	bool wide = (gpu_id >> 28 & 0xf) == 0xf;

	if (p->old_id != old || (old && wide))
		return false;
	for (unsigned i = 0; i < p->n_ids; i++) {
		uint32_t id = p->ids[i];

		if (old    ? (gpu_id >> 16 & 0xffff) == id
		    : wide ? (gpu_id >> 56) == id >> 12 && (gpu_id >> 32 & 0xff) == (id & 0xf)
			   : (gpu_id >> 16 & 0xf00f) == id)
			return true;
	}
	return false;
}

static struct gpu_layout *layout_of(const struct gpudb *db, const struct gpu_product *p)
{
	for (unsigned k = p->layout_name ? db->n_layouts : 0; k-- > 0;)
		if (strcmp(db->layouts[k].name, p->layout_name) == 0)
			return &db->layouts[k];
	return NULL;
}

const struct gpu_product *gpudb_product(const struct gpudb *db, unsigned i)
{
	struct gpu_product *p = &db->products[i];

	pthread_mutex_lock(&reading);
	if (!p->layout) {
		struct gpu_layout *layout = layout_of(db, p);

		layout_read((struct gpudb *)(uintptr_t)db, layout);
		p->layout = layout;
	}
	pthread_mutex_unlock(&reading);
	return p;
}

static void make_raw_layout(struct gpudb *db)
{
	unsigned per_block = GPU_BLOCK_SLOTS_MAX - GPU_BLOCK_HEADER;
	struct gpu_layout *raw = &db->raw;

	raw->slots_per_block = GPU_BLOCK_SLOTS_MAX;
	raw->counters = xcalloc(BLOCK_COUNT * per_block, sizeof(*raw->counters));
	for (; raw->n_counters < BLOCK_COUNT * per_block; raw->n_counters++) {
		struct gpu_counter *c = &raw->counters[raw->n_counters];
		char name[32];

		c->block = raw->n_counters / per_block;
		c->index = (uint8_t)(GPU_BLOCK_HEADER + raw->n_counters % per_block);
		c->scale = 1;
		snprintf(name, sizeof(name), "%s_%u", gpu_block_names[c->block], c->index);
		c->name = c->hw_name = gpudb_string(db, span_of(name));
	}
}

const struct gpu_layout *gpudb_raw_layout(const struct gpudb *db)
{
	pthread_mutex_lock(&reading);
	if (!db->raw.counters)
		make_raw_layout((struct gpudb *)(uintptr_t)db);
	pthread_mutex_unlock(&reading);
	return &db->raw;
}

bool gpudb_is_raw(const struct gpudb *db, const struct gpu_layout *layout)
{
	return layout == &db->raw;
}

const struct gpu_product *gpudb_by_id(const struct gpudb *db, uint64_t gpu_id)
{
	for (int old = 1; old >= 0; old--)
		for (unsigned i = 0; i < db->n_products; i++)
			if (has_id(&db->products[i], gpu_id, old))
				return gpudb_product(db, i);
	return NULL;
}

/* Normalize a name: ignore case, blanks, '-', '_' and a leading "Mali". */
static void plain_name(char *out, size_t size, struct span name)
{
	size_t n = 0;

	for (size_t i = 0; i < name.n && n + 1 < size; i++)
		if (!strchr(" -_", name.p[i]))
			out[n++] = (char)tolower((unsigned char)name.p[i]);
	out[n] = 0;
	if (strncmp(out, "mali", 4) == 0)
		memmove(out, out + 4, n - 3);
}

static bool same_name(struct span a, const char *b)
{
	char x[64], y[64];

	plain_name(x, sizeof(x), a);
	plain_name(y, sizeof(y), span_of(b));
	return x[0] && strcmp(x, y) == 0;
}

const struct gpu_product *gpudb_by_name(const struct gpudb *db, const char *name)
{
	for (unsigned i = 0; i < db->n_products; i++)
		if (same_name(span_of(name), db->products[i].name))
			return gpudb_product(db, i);
	for (unsigned i = 0; i < db->n_products; i++)
		for (unsigned k = 0; k < db->products[i].n_also; k++)
			if (same_name(span_of(name), db->products[i].also[k]))
				return gpudb_product(db, i);
	return NULL;
}

static bool is_like(const char *plain, const char *name)
{
	char other[64];

	plain_name(other, sizeof(other), span_of(name));
	return strstr(other, plain) != NULL;
}

void gpudb_like(const struct gpudb *db, const char *name, struct strbuf *names)
{
	char plain[64];

	plain_name(plain, sizeof(plain), span_of(name));
	for (unsigned i = 0; plain[0] && i < db->n_products; i++) {
		const struct gpu_product *p = &db->products[i];
		bool like = is_like(plain, p->name);

		for (unsigned k = 0; k < p->n_also; k++)
			like = like || is_like(plain, p->also[k]);
		if (like)
			strbuf_printf(names, "%s%s", names->n ? " or " : "", p->name);
	}
}

bool gpu_set_has(struct gpu_set set, const struct gpu_product *product)
{
	struct span rest = set.words;

	if (!set.words.n)
		return true;
	while (product && rest.n) {
		struct span word = span_until(&rest, ',');

		if (span_is(word, gpu_family_names[product->family]) || same_name(word, product->name))
			return true;
	}
	return false;
}

bool gpudb_link(struct gpudb *db, struct err *err)
{
	for (unsigned i = 0; i < db->n_products; i++) {
		struct gpu_product *p = &db->products[i];

		if (!layout_of(db, p))
			return err_set(err, 0,
				       "%s:%u: gpu %s: expected a field 'layout' with the name of a layout "
				       "stanza%s%s",
				       p->file, p->line, p->name, p->layout_name ? ", not " : "",
				       p->layout_name ? p->layout_name : "");
		if (!p->n_ids)
			return err_set(err, 0, "%s:%u: gpu %s: expected a field 'id'", p->file, p->line,
				       p->name);
	}
	return true;
}
