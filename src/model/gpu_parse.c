/* Parsers of the stanzas `gpu` and `layout`. */
#include "base/alloc.h"
#include "model/gpudb.h"
#include "model/gpudb_parse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(const struct field *f, struct span text, uint64_t max, uint64_t *value)
{
	return (span_u64(text, value) && *value <= max) ||
	       field_fail(f, "'%.*s': expected a whole number up to %llu", SPAN_ARG(text),
			  (unsigned long long)max);
}

/* An unsigned member. */
static bool number_field(const struct field *f, uint64_t max, void *member)
{
	uint64_t n;

	if (!parse_number(f, f->line->value, max, &n))
		return false;
	*(unsigned *)member = (unsigned)n;
	return true;
}

static bool too_many(const struct field *f, unsigned max)
{
	return field_fail(f, "more than %u '%.*s' fields", max, SPAN_ARG(f->line->key));
}

static bool gpu_also(const struct field *f, void *thing)
{
	struct gpu_product *p = thing;

	if (p->n_also == GPU_NAMES_MAX)
		return too_many(f, GPU_NAMES_MAX);
	return field_string(f, &p->also[p->n_also++]);
}

static bool gpu_family(const struct field *f, void *member)
{
	for (unsigned i = 0; i < FAMILY_COUNT; i++)
		if (span_is(f->line->value, gpu_family_names[i])) {
			*(enum gpu_family *)member = i;
			return true;
		}
	return field_fail(f, "family '%.*s': expected Midgard, Bifrost, Valhall-JM, Valhall-CSF or 5thGen",
			  SPAN_ARG(f->line->value));
}

static bool gpu_year(const struct field *f, void *member)
{
	return number_field(f, 9999, member);
}

static bool gpu_id(const struct field *f, void *thing)
{
	struct gpu_product *p = thing;
	struct span rest = f->line->value, word = span_word(&rest);
	uint64_t id;

	if (p->n_ids == GPU_IDS_MAX)
		return too_many(f, GPU_IDS_MAX);
	if (span_is(word, "old")) {
		p->old_id = true;
		word = span_word(&rest);
	}
	if (!parse_number(f, word, 0xffff, &id))
		return false;
	p->ids[p->n_ids++] = (uint32_t)id;
	return true;
}

static bool gpu_name(const struct field *f, void *thing)
{
	struct gpu_product *p = thing;
	struct span rest = f->line->value, word = span_word(&rest);
	uint64_t cores;

	if (p->n_names == GPU_NAMES_MAX)
		return too_many(f, GPU_NAMES_MAX);
	if (!parse_number(f, word, 64, &cores))
		return false;
	p->names[p->n_names].cores = (unsigned)cores;
	p->names[p->n_names++].name = gpudb_string(f->db, span_trim(rest));
	return true;
}

static bool gpu_constant(const struct field *f, void *thing)
{
	struct gpu_product *p = thing;
	struct span rest = f->line->value, name = span_word(&rest);
	unsigned at = 0;
	double value;

	while (at < p->n_constants && !span_is(name, p->constants[at].name))
		at++;
	if (at == GPU_CONSTANTS_MAX)
		return too_many(f, GPU_CONSTANTS_MAX);
	if (!span_double(span_trim(rest), &value))
		return field_fail(f, "constant '%.*s': expected a name and a number",
				  SPAN_ARG(f->line->value));
	if (at == p->n_constants)
		p->constants[p->n_constants++].name = gpudb_string(f->db, name);
	p->constants[at].value = value;
	return true;
}

static bool gpu_engines(const struct field *f, void *member)
{
	int8_t *of = member;
	struct span rest = f->line->value, word;

	while ((word = span_word(&rest)).n) {
		struct span variant = span_until(&word, ':');
		uint64_t at = 0, engines;
		bool rest_of_them = span_is(variant, "*");

		if ((!rest_of_them && !parse_number(f, variant, 15, &at)) ||
		    !parse_number(f, word, 127, &engines))
			return false;
		if (!rest_of_them)
			of[at] = (int8_t)engines;
		for (unsigned i = 0; rest_of_them && i < 16; i++)
			if (of[i] < 0)
				of[i] = (int8_t)engines;
	}
	return true;
}

static bool gpu_lone_registers(const struct field *f, void *member)
{
	return number_field(f, UINT16_MAX, member);
}

static bool gpu_typical(const struct field *f, void *thing)
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
	struct span rest = f->line->value, word;
	uint64_t value;

	while ((word = span_word(&rest)).n) {
		size_t i = 0;

		while (i < ARRAY_LEN(parts) && !span_is(word, parts[i].word))
			i++;
		if (i == ARRAY_LEN(parts))
			return field_fail(f,
					  "typical '%.*s': expected cores, slices, bus or mhz and a number",
					  SPAN_ARG(word));
		if (!parse_number(f, span_word(&rest), parts[i].max, &value))
			return false;
		*parts[i].value = (unsigned)value;
	}
	return true;
}

static struct gpu_product *product_named(const struct gpudb *db, struct span name)
{
	for (unsigned i = 0; i < db->n_products; i++)
		if (span_is(name, db->products[i].name))
			return &db->products[i];
	return NULL;
}

/* What GPUs of one design have in common. */
static bool gpu_like(const struct field *f, void *thing)
{
	const struct gpu_product *like = product_named(f->db, f->line->value);
	struct gpu_product *p = thing;

	if (!like)
		return field_fail(f, "like '%.*s': expected a GPU that is above", SPAN_ARG(f->line->value));
	p->family = like->family;
	p->year = like->year;
	p->layout_name = like->layout_name;
	p->dump_v4 = like->dump_v4;
	p->n_constants = like->n_constants;
	memcpy(p->constants, like->constants, sizeof(p->constants));
	return true;
}

#define OF_GPU(member) offsetof(struct gpu_product, member)
static const struct gpudb_field gpu_fields[] = {
	{"also", gpu_also, 0},
	{"family", gpu_family, OF_GPU(family)},
	{"year", gpu_year, OF_GPU(year)},
	{"id", gpu_id, 0},
	{"layout", field_string, OF_GPU(layout_name)},
	{"name", gpu_name, 0},
	{"dump", field_choice, OF_GPU(dump_v4)},
	{"codename", field_string, OF_GPU(codenames)},
	{"constant", gpu_constant, 0},
	{"engines", gpu_engines, OF_GPU(engines)},
	{"typical", gpu_typical, 0},
	{"lone-registers", gpu_lone_registers, OF_GPU(lone_registers)},
	{"like", gpu_like, 0},
	{0},
};

bool gpu_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct gpu_product p = {.name = gpudb_string(db, open->value),
				.codenames = "",
				.file = s->file,
				.line = open->line,
				.typical = {.cores = 1, .slices = 1, .bus_bits = 128, .mhz = 500}},
			   *have;

	memset(p.engines, -1, sizeof(p.engines));
	if (!fields_parse(db, &p, gpu_fields, s, err))
		return false;
	have = product_named(db, open->value);
	if (!have) {
		GROW(db->products, db->n_products, db->cap_products);
		have = &db->products[db->n_products++];
	}
	*have = p;
	return true;
}

/* ---- the stanza `layout` ---- */

/* A row of a block as written. */
struct layout_row {
	bool written;
	struct span hw, name,
		vars; /* hw is empty: there is no such slot, unlike in the other layout's block */
	uint16_t scale;
};

/* What the text of a layout says. */
struct layout_text {
	const struct gpu_layout *layout;
	unsigned slots;
	bool has_rows;
	const struct gpu_layout *like[BLOCK_COUNT]; /* whose rows a block has, but for its own; or NULL */
	struct layout_row rows[BLOCK_COUNT * GPU_BLOCK_SLOTS_MAX];
};

static bool layout_slots(const struct field *f, void *text)
{
	struct layout_text *t = text;
	uint64_t slots;

	if (!parse_number(f, f->line->value, GPU_BLOCK_SLOTS_MAX, &slots))
		return false;
	if (slots != 64 && slots != 128)
		return field_fail(f, "slots %llu: expected 64 or 128", (unsigned long long)slots);
	if (t->has_rows)
		return field_fail(f, "slots: expected above the blocks");
	t->slots = (unsigned)slots;
	return true;
}

/* index hw_name name|- [*scale] [$name...], or index - */
static bool layout_row(const struct field *f, struct layout_text *t, enum gpu_block block)
{
	struct span rest = f->line->value, hw = span_word(&rest), name = span_word(&rest), word;
	struct layout_row row = {true, hw, name, span_trim(rest), 1}, *place;
	uint64_t n;

	if (!parse_number(f, f->line->key, t->slots - 1, &n))
		return false;
	place = &t->rows[block * GPU_BLOCK_SLOTS_MAX + n];
	if (place->written)
		return field_fail(f, "index %u is used twice in this block", (unsigned)n);
	if (t->like[block] && span_is(row.hw, "-") && !row.name.n)
		row.hw.n = 0;
	else if (!row.hw.n || !row.name.n)
		return field_fail(f, "expected index, hardware name and machine name (or -)");
	word = span_word(&rest);
	if (word.n && word.p[0] == '*') {
		if (!parse_number(f, (struct span){word.p + 1, word.n - 1}, UINT16_MAX, &n))
			return false;
		if (!n)
			return field_fail(f, "a multiplier of 0");
		row.scale = (uint16_t)n;
		row.vars = span_trim(rest);
	}
	if (span_is(row.name, "-"))
		row.name.n = 0;
	*place = row;
	return t->has_rows = true;
}

/* The layout of that name above another one: a later stanza of the same name does not change it. */
static const struct gpu_layout *layout_above(const struct gpudb *db, const struct gpu_layout *layout,
					     struct span name)
{
	while (layout-- > db->layouts)
		if (span_is(name, layout->name))
			return layout;
	return NULL;
}

static bool layout_block(const struct field *f, void *text)
{
	struct layout_text *t = text;
	struct span rest = f->line->value, word = span_word(&rest), like = span_word(&rest);
	struct stanza_line row;
	unsigned block = 0;
	int more;

	while (block < BLOCK_COUNT && !span_is(word, gpu_block_names[block]))
		block++;
	if (block == BLOCK_COUNT || (like.n && !span_is(like, "like")))
		return field_fail(f, "block '%.*s': expected front_end, tiler, memory_system or shader_core",
				  SPAN_ARG(f->line->value));
	if (like.n && !(t->like[block] = layout_above(f->db, t->layout, span_trim(rest))))
		return field_fail(f, "block '%.*s': expected the name of a layout that is above",
				  SPAN_ARG(f->line->value));
	while ((more = stanza_more(f->s, STANZA_ROW, &row, f->err)) > 0)
		if (!layout_row(&(struct field){f->db, f->s, &row, f->err}, t, block))
			return false;
	return more == 0;
}

/* On success *s is after the layout. The caller frees *text. */
static bool read_text(struct gpudb *db, const struct gpu_layout *layout, struct stanza *s,
		      struct layout_text **text, struct err *err)
{
	static const struct gpudb_field fields[] = {
		{"slots", layout_slots, 0}, {"block", layout_block, 0}, {0}};

	*text = xcalloc(1, sizeof(**text));
	(*text)->layout = layout;
	(*text)->slots = 64;
	return fields_parse(db, *text, fields, s, err);
}

/* The text of a layout that was checked: a shipped one, or a user's when it was loaded. */
static struct layout_text *checked_text(const struct gpudb *db, const struct gpu_layout *layout)
{
	struct stanza s = layout->text;
	struct layout_text *text;
	struct err err;

	if (!read_text((struct gpudb *)(uintptr_t)db, layout, &s, &text, &err))
		assert(!"a text that was checked");
	return text;
}

bool layouts_have_name(const struct gpudb *db, struct span name)
{
	bool has = false;

	for (unsigned i = 0; i < db->n_layouts && !has; i++) {
		AUTOFREE struct layout_text *t = checked_text(db, &db->layouts[i]);

		for (size_t at = 0; at < ARRAY_LEN(t->rows) && !has; at++) {
			const struct layout_row *row = &t->rows[at];

			has = row->hw.n && (span_eq(row->hw, name) || span_eq(row->name, name) ||
					    span_has_word(row->vars, name));
		}
	}
	return has;
}

bool layout_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	AUTOFREE struct layout_text *checked = NULL;
	struct gpu_layout *layout;

	GROW(db->layouts, db->n_layouts, db->cap_layouts);
	layout = &db->layouts[db->n_layouts++];
	*layout = (struct gpu_layout){.name = gpudb_string(db, open->value), .text = *s};
	if (!s->shipped)
		return read_text(db, layout, s, &checked, err);
	stanza_skip(s);
	return true;
}

/* Take the rows that the layouts have which a block is like. */
static void add_like(const struct gpudb *db, struct layout_text *t, enum gpu_block block)
{
	for (const struct gpu_layout *like = t->like[block]; like;) {
		AUTOFREE struct layout_text *more = checked_text(db, like);

		for (unsigned i = 0, at = block * GPU_BLOCK_SLOTS_MAX; i < t->slots; i++, at++)
			if (!t->rows[at].written)
				t->rows[at] = more->rows[at];
		like = more->like[block];
	}
}

void layout_read(struct gpudb *db, struct gpu_layout *layout)
{
	AUTOFREE struct layout_text *t = NULL;

	if (layout->slots_per_block)
		return;
	t = checked_text(db, layout);
	for (enum gpu_block block = 0; block < BLOCK_COUNT; block++)
		add_like(db, t, block);
	for (size_t at = 0; at < ARRAY_LEN(t->rows); at++)
		layout->n_counters += t->rows[at].hw.n != 0;
	layout->counters = xcalloc(layout->n_counters, sizeof(*layout->counters));
	layout->n_counters = 0;
	for (unsigned at = 0; at < ARRAY_LEN(t->rows); at++) {
		const struct layout_row *row = &t->rows[at];

		if (!row->hw.n)
			continue;
		layout->counters[layout->n_counters++] =
			(struct gpu_counter){.name = row->name.n ? gpudb_string(db, row->name) : NULL,
					     .hw_name = gpudb_string(db, row->hw),
					     .block = at / GPU_BLOCK_SLOTS_MAX,
					     .index = at % GPU_BLOCK_SLOTS_MAX,
					     .scale = row->scale,
					     .vars = row->vars};
		layout->n_published += row->name.n != 0;
	}
	layout->slots_per_block = t->slots;
}
