/* Parsers of the stanzas `gpu` and `layout`. */
#include "base/alloc.h"
#include "model/gpudb.h"
#include "model/gpudb_parse.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(const struct stanza *s, unsigned line, struct span text, uint64_t max,
			 uint64_t *value, struct err *err)
{
	if (span_u64(text, value) && *value <= max)
		return true;
	return stanza_fail(s, line, err, "'%.*s': expected a whole number up to %llu", SPAN_ARG(text),
			   (unsigned long long)max);
}

static bool too_many(const struct stanza *s, const struct stanza_line *line, unsigned max, struct err *err)
{
	return stanza_fail(s, line->line, err, "more than %u '%.*s' fields", max, SPAN_ARG(line->key));
}

static bool gpu_also(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		     struct err *err)
{
	struct gpu_product *p = thing;

	if (p->n_also == GPU_NAMES_MAX)
		return too_many(s, line, GPU_NAMES_MAX, err);
	p->also[p->n_also++] = gpudb_string(db, line->value);
	return true;
}

static bool gpu_family(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	struct gpu_product *p = thing;

	(void)db;
	for (unsigned i = 0; i < FAMILY_COUNT; i++)
		if (span_is(line->value, gpu_family_names[i])) {
			p->family = i;
			return true;
		}
	return stanza_fail(s, line->line, err,
			   "family '%.*s': expected Midgard, Bifrost, Valhall-JM, Valhall-CSF or 5thGen",
			   SPAN_ARG(line->value));
}

static bool gpu_year(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		     struct err *err)
{
	uint64_t year;

	(void)db;
	if (!parse_number(s, line->line, line->value, 9999, &year, err))
		return false;
	((struct gpu_product *)thing)->year = (unsigned)year;
	return true;
}

static bool gpu_id(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		   struct err *err)
{
	struct gpu_product *p = thing;
	struct span rest = line->value, word = span_word(&rest);
	uint64_t id;

	(void)db;
	if (p->n_ids == GPU_IDS_MAX)
		return too_many(s, line, GPU_IDS_MAX, err);
	if (span_is(word, "old")) {
		p->old_id = true;
		word = span_word(&rest);
	}
	if (!parse_number(s, line->line, word, 0xffff, &id, err))
		return false;
	p->ids[p->n_ids++] = (uint32_t)id;
	return true;
}

static bool gpu_layout(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	(void)s, (void)err;
	((struct gpu_product *)thing)->layout_name = gpudb_string(db, line->value);
	return true;
}

static bool gpu_name(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		     struct err *err)
{
	struct gpu_product *p = thing;
	struct span rest = line->value, word = span_word(&rest);
	uint64_t cores;

	if (p->n_names == GPU_NAMES_MAX)
		return too_many(s, line, GPU_NAMES_MAX, err);
	if (!parse_number(s, line->line, word, 64, &cores, err))
		return false;
	p->names[p->n_names].cores = (unsigned)cores;
	p->names[p->n_names++].name = gpudb_string(db, span_trim(rest));
	return true;
}

static bool gpu_dump(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		     struct err *err)
{
	(void)db;
	((struct gpu_product *)thing)->dump_v4 = span_is(line->value, "v4");
	if (span_is(line->value, "v4") || span_is(line->value, "v5"))
		return true;
	return stanza_fail(s, line->line, err, "dump '%.*s': expected v4 or v5", SPAN_ARG(line->value));
}

static bool gpu_codename(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			 struct err *err)
{
	(void)s, (void)err;
	((struct gpu_product *)thing)->codenames = gpudb_string(db, line->value);
	return true;
}

static bool gpu_constant(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			 struct err *err)
{
	struct gpu_product *p = thing;
	struct span rest = line->value, name = span_word(&rest);
	double value;

	if (p->n_constants == GPU_CONSTANTS_MAX)
		return too_many(s, line, GPU_CONSTANTS_MAX, err);
	if (!span_double(span_trim(rest), &value))
		return stanza_fail(s, line->line, err, "constant '%.*s': expected a name and a number",
				   SPAN_ARG(line->value));
	p->constants[p->n_constants++] = (struct gpu_constant){gpudb_string(db, name), value};
	return true;
}

static bool gpu_engines(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	struct gpu_product *p = thing;
	struct span rest = line->value, word;

	(void)db;
	while ((word = span_word(&rest)).n) {
		struct span variant = span_until(&word, ':');
		uint64_t at = 0, engines;
		bool rest_of_them = span_is(variant, "*");

		if ((!rest_of_them && !parse_number(s, line->line, variant, 15, &at, err)) ||
		    !parse_number(s, line->line, word, 127, &engines, err))
			return false;
		if (!rest_of_them)
			p->engines[at] = (int8_t)engines;
		for (unsigned i = 0; rest_of_them && i < 16; i++)
			if (p->engines[i] < 0)
				p->engines[i] = (int8_t)engines;
	}
	return true;
}

static bool gpu_lone_registers(struct gpudb *db, void *thing, struct stanza *s,
			       const struct stanza_line *line, struct err *err)
{
	struct gpu_product *p = thing;
	uint64_t n;

	(void)db;
	if (!parse_number(s, line->line, line->value, UINT16_MAX, &n, err))
		return false;
	p->lone_registers = (unsigned)n;
	return true;
}

static bool gpu_typical(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	struct gpu_product *p = thing;
	const struct {
		const char *word;
		unsigned *value;
		uint64_t max;
	} parts[] = {{"cores", &p->typical.cores, 64},
		     {"slices", &p->typical.slices, 64},
		     {"bus", &p->typical.bus_bits, 4096},
		     {"mhz", &p->typical.mhz, 100000}};
	struct span rest = line->value, word;
	uint64_t value;

	(void)db;
	while ((word = span_word(&rest)).n) {
		size_t i = 0;

		while (i < ARRAY_LEN(parts) && !span_is(word, parts[i].word))
			i++;
		if (i == ARRAY_LEN(parts))
			return stanza_fail(s, line->line, err,
					   "typical '%.*s': expected cores, slices, bus or mhz and a number",
					   SPAN_ARG(word));
		if (!parse_number(s, line->line, span_word(&rest), parts[i].max, &value, err))
			return false;
		*parts[i].value = (unsigned)value;
	}
	return true;
}

static const struct gpudb_field gpu_fields[] = {
	{"also", gpu_also},
	{"family", gpu_family},
	{"year", gpu_year},
	{"id", gpu_id},
	{"layout", gpu_layout},
	{"name", gpu_name},
	{"dump", gpu_dump},
	{"codename", gpu_codename},
	{"constant", gpu_constant},
	{"engines", gpu_engines},
	{"typical", gpu_typical},
	{"lone-registers", gpu_lone_registers},
	{NULL, NULL},
};

bool gpu_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct gpu_product *p = NULL;

	for (unsigned i = 0; i < db->n_products; i++)
		if (span_is(open->value, db->products[i].name))
			p = &db->products[i];
	if (!p) {
		GROW(db->products, db->n_products, db->cap_products);
		p = &db->products[db->n_products++];
	}
	*p = (struct gpu_product){
		.name = gpudb_string(db, open->value), .codenames = "", .file = s->file, .line = open->line};
	p->typical.cores = p->typical.slices = 1;
	p->typical.bus_bits = 128;
	p->typical.mhz = 500;
	memset(p->engines, -1, sizeof(p->engines));
	return fields_parse(db, p, gpu_fields, s, err);
}

static bool layout_slots(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			 struct err *err)
{
	struct gpu_layout *layout = thing;
	uint64_t slots;

	(void)db;
	if (!parse_number(s, line->line, line->value, 128, &slots, err))
		return false;
	if (slots != 64 && slots != 128)
		return stanza_fail(s, line->line, err, "slots %llu: expected 64 or 128",
				   (unsigned long long)slots);
	if (layout->n_counters)
		return stanza_fail(s, line->line, err, "slots: expected above the blocks");
	layout->slots_per_block = (unsigned)slots;
	return true;
}

/* ---- the names of all layouts' counters ---- */

/* The place of a hash, or the free one for it. */
static uint64_t *name_place(const struct gpudb *db, uint64_t hash)
{
	uint64_t mask = db->counter_names_size - 1u, at = hash & mask;

	while (db->counter_names[at] && db->counter_names[at] != hash)
		at = (at + 1) & mask;
	return &db->counter_names[at];
}

static void add_hash(struct gpudb *db, uint64_t hash)
{
	uint64_t *old = db->counter_names, *place;
	unsigned size = db->counter_names_size;

	if (2 * (db->n_counter_names + 1) > size) {
		db->counter_names_size = size ? 2 * size : 1024;
		db->counter_names = xcalloc(db->counter_names_size, sizeof(*old));
		for (unsigned i = 0; i < size; i++)
			if (old[i])
				*name_place(db, old[i]) = old[i];
		free(old);
	}
	place = name_place(db, hash);
	db->n_counter_names += !*place;
	*place = hash;
}

static void add_names(struct gpudb *db, struct span words)
{
	struct span word;

	while ((word = span_word(&words)).n)
		add_hash(db, span_hash(word));
}

/* ---- the stanza `layout` ---- */

static void keep_counter(struct gpudb *db, struct gpu_layout *layout, struct gpu_counter c, struct span hw,
			 struct span name)
{
	c.hw_name = gpudb_string(db, hw);
	c.name = name.n ? gpudb_string(db, name) : NULL;
	GROW(layout->counters, layout->n_counters, layout->cap);
	layout->counters[layout->n_counters++] = c;
	layout->n_published += c.name != NULL;
}

/* index hw_name name|- [*scale] [$name...] */
static bool counter_row(struct gpudb *db, struct gpu_layout *layout, enum gpu_block block, struct stanza *s,
			const struct stanza_line *row, struct err *err)
{
	struct gpu_counter c = {.block = block, .scale = 1};
	struct span rest = row->value, hw = span_word(&rest), name = span_word(&rest), vars = span_trim(rest),
		    word;
	uint64_t n;

	if (!parse_number(s, row->line, row->key, layout->slots_per_block - 1, &n, err))
		return false;
	c.index = (uint8_t)n;
	if (layout->seen[block][n / 64] >> n % 64 & 1)
		return stanza_fail(s, row->line, err, "index %u is used twice in this block", c.index);
	layout->seen[block][n / 64] |= 1ull << n % 64;
	if (!hw.n || !name.n)
		return stanza_fail(s, row->line, err,
				   "expected index, hardware name and machine name (or -)");
	word = span_word(&rest);
	if (word.n && word.p[0] == '*') {
		word.p++;
		word.n--;
		if (!parse_number(s, row->line, word, UINT16_MAX, &n, err))
			return false;
		if (!n)
			return stanza_fail(s, row->line, err, "a multiplier of 0");
		c.scale = (uint16_t)n;
		vars = span_trim(rest);
	}
	if (span_is(name, "-"))
		name.n = 0;
	c.vars = vars;
	if (layout->kept) {
		keep_counter(db, layout, c, hw, name);
		return true;
	}
	layout->n_counters++;
	add_hash(db, span_hash(hw));
	add_names(db, name);
	add_names(db, vars);
	return true;
}

static bool layout_block(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			 struct err *err)
{
	struct stanza_line row;
	unsigned block = 0;

	while (block < BLOCK_COUNT && !span_is(line->value, gpu_block_names[block]))
		block++;
	if (block == BLOCK_COUNT)
		return stanza_fail(s, line->line, err,
				   "block '%.*s': expected front_end, tiler, memory_system or shader_core",
				   SPAN_ARG(line->value));
	for (;;) {
		if (!stanza_next(s, &row, err))
			return false;
		if (row.kind != STANZA_ROW)
			break;
		if (!counter_row(db, thing, block, s, &row, err))
			return false;
	}
	stanza_back(s, &row);
	return true;
}

static const struct gpudb_field layout_fields[] = {
	{"slots", layout_slots}, {"block", layout_block}, {NULL, NULL}};

static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

/* The names of shipped layouts are read when one is asked for: few runs do. */
static void read_names(struct gpudb *db)
{
	for (; db->n_layouts_named < db->n_layouts; db->n_layouts_named++) {
		struct stanza s = db->layouts[db->n_layouts_named].text;
		struct gpu_layout names = {.slots_per_block = 64};
		struct err err;

		if (s.shipped && !fields_parse(db, &names, layout_fields, &s, &err))
			assert(!"a shipped text");
	}
}

bool layouts_have_name(const struct gpudb *db, struct span name)
{
	bool has;

	pthread_mutex_lock(&naming);
	read_names((struct gpudb *)(uintptr_t)db);
	has = db->counter_names && *name_place(db, span_hash(name));
	pthread_mutex_unlock(&naming);
	return has;
}

static int by_place(const void *a, const void *b)
{
	const struct gpu_counter *x = a, *y = b;

	return x->block != y->block ? (int)x->block - (int)y->block : (int)x->index - (int)y->index;
}

bool layout_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct gpu_layout *layout = NULL;

	for (unsigned i = 0; i < db->n_layouts; i++)
		if (span_is(open->value, db->layouts[i].name))
			layout = &db->layouts[i];
	if (!layout) {
		GROW(db->layouts, db->n_layouts, db->cap_layouts);
		layout = &db->layouts[db->n_layouts++];
	}
	*layout =
		(struct gpu_layout){.name = gpudb_string(db, open->value), .slots_per_block = 64, .text = *s};
	if (!s->shipped)
		return fields_parse(db, layout, layout_fields, s, err);
	stanza_skip(s);
	return true;
}

void layout_read(struct gpudb *db, struct gpu_layout *layout)
{
	struct gpu_layout full = {
		.name = layout->name, .slots_per_block = 64, .kept = true, .text = layout->text};
	struct stanza s = layout->text;
	struct err err;

	if (layout->kept)
		return;
	if (!fields_parse(db, &full, layout_fields, &s, &err))
		assert(!"a text that was read before");
	if (full.n_counters)
		qsort(full.counters, full.n_counters, sizeof(*full.counters), by_place);
	*layout = full;
}
