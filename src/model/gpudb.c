#include "model/gpudb.h"

#include "base/alloc.h"
#include "model/gpudb_parse.h"
#include "model/metric.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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
	for (unsigned k = 0; p->layout_name && k < db->n_layouts; k++)
		if (strcmp(db->layouts[k].name, p->layout_name) == 0)
			return &db->layouts[k];
	return NULL;
}

static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

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
	raw->cap = BLOCK_COUNT * per_block;
	raw->counters = xcalloc(raw->cap, sizeof(*raw->counters));
	for (; raw->n_counters < raw->cap; raw->n_counters++) {
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

		for (unsigned k = 0; !like && k < p->n_also; k++)
			like = is_like(plain, p->also[k]);
		if (like)
			strbuf_printf(names, "%s%s", names->n ? " or " : "", p->name);
	}
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

bool gpu_set_parse(const struct stanza *s, unsigned line, struct span *text, struct gpu_set *set,
		   struct err *err)
{
	struct span word, rest;

	*set = (struct gpu_set){0};
	if (!text->n || text->p[0] != '@')
		return true;
	word = span_word(text);
	*text = span_trim(*text);
	set->words = rest = (struct span){word.p + 1, word.n - 1};
	if (!rest.n || rest.p[rest.n - 1] == ',')
		return stanza_fail(s, line, err,
				   "'%.*s': expected GPUs or families after '@', separated by commas",
				   SPAN_ARG(word));
	while (rest.n)
		if (!span_until(&rest, ',').n)
			return stanza_fail(s, line, err, "'%.*s': an empty name in the GPU set",
					   SPAN_ARG(word));
	return true;
}

bool gpu_field_parse(const struct stanza *s, const struct stanza_line *line, struct gpu_set *set,
		     struct err *err)
{
	struct span rest = line->value;

	if (rest.n && rest.p[0] == '@')
		return gpu_set_parse(s, line->line, &rest, set, err);
	return stanza_fail(s, line->line, err, "'%.*s': expected a GPU set such as @G57,5thGen",
			   SPAN_ARG(rest));
}

const struct gpu_counter *gpu_layout_at(const struct gpu_layout *layout, enum gpu_block block, unsigned index)
{
	for (unsigned i = 0; i < layout->n_counters; i++)
		if (layout->counters[i].block == block && layout->counters[i].index == index)
			return &layout->counters[i];
	return NULL;
}

int gpudb_metric_index(const struct gpudb *db, struct span name)
{
	uint64_t mask = db->metric_index_size - 1u;

	for (uint64_t at = span_hash(name) & mask; db->metric_index_size && db->metric_index[at];
	     at = (at + 1) & mask)
		if (span_is(name, db->metrics[db->metric_index[at] - 1].name))
			return (int)db->metric_index[at] - 1;
	return -1;
}

static void index_insert(struct gpudb *db, unsigned metric)
{
	uint64_t mask = db->metric_index_size - 1u, at = span_hash(span_of(db->metrics[metric].name)) & mask;

	while (db->metric_index[at])
		at = (at + 1) & mask;
	db->metric_index[at] = metric + 1;
}

struct metric_def *gpudb_metric_slot(struct gpudb *db, const char *name)
{
	int at = gpudb_metric_index(db, span_of(name));

	if (at >= 0)
		return &db->metrics[at];
	GROW(db->metrics, db->n_metrics, db->cap_metrics);
	db->metrics[db->n_metrics++] = (struct metric_def){.name = name};
	if (2 * db->n_metrics > db->metric_index_size) {
		free(db->metric_index);
		db->metric_index_size = db->metric_index_size ? 2 * db->metric_index_size : 1024;
		db->metric_index = xcalloc(db->metric_index_size, sizeof(*db->metric_index));
		for (unsigned i = 0; i < db->n_metrics; i++)
			index_insert(db, i);
	} else {
		index_insert(db, db->n_metrics - 1);
	}
	return &db->metrics[db->n_metrics - 1];
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

const struct metric_def *metric_def_find(const struct gpudb *db, struct span name)
{
	int i = gpudb_metric_index(db, name);

	return i < 0 ? NULL : &db->metrics[i];
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
