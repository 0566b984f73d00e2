#include "base/alloc.h"
#include "model/gpudb_parse.h"

#include <stdlib.h>
#include <string.h>

const struct metric_constant metric_constants[] = {
	{"$ZOOM", VECTOR_SECONDS, "Time that was measured", "seconds",
	 "Length of the measured span in seconds: a refresh period, a row, a range or a whole run. "
	 "Counts are divided by it to get rates."},
	{"$MaliConstantsShaderCoreCount", VECTOR_CORES, "Shader cores", "instances",
	 "Shader cores that the driver reports for this device; one core where a number is broken down per "
	 "core."},
	{"$MaliConstantsL2SliceCount", VECTOR_SLICES, "L2 cache slices", "instances",
	 "Slices of the L2 cache that the driver reports for this device. Counters of the memory system are "
	 "sums over them."},
	{"$MaliConstantsBusWidthBits", VECTOR_BUS_BITS, "Width of the external bus", "bits",
	 "Bits that one beat of the external bus carries, as the driver reports. Counted beats times an "
	 "eighth of it are bytes."},
	{"$FramesPerSecond", VECTOR_FPS, "Target frame rate", "frames/second",
	 "The frame rate of the frame budget (--fps, or F2); a replay uses the recorded one."},
	{"$ScreenPixels", VECTOR_SCREEN_PIXELS, "Pixels of the screen", "pixels",
	 "The pixels of a frame of the frame budget (--resolution, or F2); a replay uses the recorded size."},
	{"$TopClock", VECTOR_TOP_HZ, "Highest clock of the GPU", "hertz",
	 "The highest clock that the driver or the kernel's frequency scaling reports for the GPU."},
	{"$FrameRate", VECTOR_FRAME_RATE, "Shown frames per second", "frames/second",
	 "Frames that were shown per second, as malitop's libraries in the application count them, else the "
	 "kernel: page flips."},
	{NULL, 0, NULL, NULL, NULL},
};

const struct metric_constant *metric_constant_find(struct span name)
{
	for (const struct metric_constant *c = metric_constants; c->name; c++)
		if (span_is(name, c->name))
			return c;
	return NULL;
}

static uint16_t *table_entry(const struct metric_names *names, struct span name)
{
	unsigned mask = names->size - 1, at = (unsigned)span_hash(name) & mask;

	while (names->table[at] && !span_eq(names->entries[names->table[at] - 1].name, name))
		at = (at + 1) & mask;
	return &names->table[at];
}

static void grow_table(struct metric_names *names)
{
	free(names->table);
	names->size = names->size ? 2 * names->size : 512;
	names->table = xcalloc(names->size, sizeof(*names->table));
	for (unsigned i = 0; i < names->n; i++)
		*table_entry(names, names->entries[i].name) = (uint16_t)(i + 1);
}

/* Add a name. The first meaning of a name is kept, but that of two slots becomes ambiguous. */
static void add_name(struct metric_names *names, struct metric_name entry)
{
	struct metric_name *have;
	uint16_t *place;

	if (2 * (names->n + 1) > names->size)
		grow_table(names);
	place = table_entry(names, entry.name);
	if (*place) {
		have = &names->entries[*place - 1];
		if (have->kind == NAME_SLOT && entry.kind == NAME_SLOT)
			have->other = entry.at;
		return;
	}
	if (names->n == UINT16_MAX - 1)
		return; /* far more than the shipped files have; later names are unknown */
	entry.other = entry.at;
	GROW(names->entries, names->n, names->cap);
	names->entries[names->n++] = entry;
	*place = (uint16_t)names->n;
}

/* Find the counter of a slot. Slots are in the order of the layout, but may be fewer, so search on
 * from the last one found. */
static const struct gpu_counter *find_counter(const struct gpu_layout *layout, unsigned *from,
					      const char *name)
{
	for (unsigned i = *from; i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		if (strcmp(c->name ? c->name : c->hw_name, name) == 0) {
			*from = i + 1;
			return c;
		}
	}
	return NULL;
}

/* Add the machine names of slots, or the hardware names of unpublished ones. */
static void add_slots(struct metric_names *names, const struct metric_set *set)
{
	const struct gpu_layout *layout = set->layout;

	for (unsigned i = 0, from = 0; i < set->n_slots; i++) {
		if (set->slots[i].instance != INSTANCE_ALL)
			continue;
		add_name(names, (struct metric_name){
					.name = span_of(set->slots[i].name), .kind = NAME_SLOT, .at = i});
		names->counters[i] = layout ? find_counter(layout, &from, set->slots[i].name) : NULL;
	}
}

/* Whether it may be one of Streamline's. */
static bool is_var(struct span name)
{
	return name.n && name.p[0] == '$';
}

static bool find_entry(const struct metric_names *names, struct span name, struct metric_name *found)
{
	uint16_t at = *table_entry(names, name);

	if (at)
		*found = names->entries[at - 1];
	return at;
}

/* Take a slot that a Streamline name means; a name of two slots is ambiguous. */
static void take_slot(struct metric_name *found, unsigned slot)
{
	if (found->kind != NAME_SLOT)
		*found = (struct metric_name){.kind = NAME_SLOT, .at = slot, .other = slot};
	else if (slot != found->at)
		found->other = slot;
}

/* Find a Streamline name: it means the counter if the GPU has it, else the formula of the same
 * name. */
static bool find_var(const struct metric_names *names, struct span name, struct metric_name *found)
{
	struct metric_name slot;
	bool any = false;

	found->kind = NAME_METRIC;
	for (unsigned i = 0; i < names->n_slots; i++)
		if (names->counters[i] && span_has_word(names->counters[i]->vars, name))
			take_slot(found, i);
	for (unsigned i = 0; i < names->db->n_metrics; i++) {
		const struct metric_def *def = &names->db->metrics[i];

		for (const struct metric_variant *v = def->vars; v; v = v->next) {
			if (!gpu_set_has(v->gpus, names->product) || !span_has_word(v->text, name))
				continue;
			if (find_entry(names, span_of(def->name), &slot) && slot.kind == NAME_SLOT)
				take_slot(found, slot.at);
			else if (found->kind == NAME_METRIC && !any)
				found->at = found->other = i;
			any = true;
		}
	}
	return any || found->kind == NAME_SLOT;
}

bool metric_names_find(const struct metric_names *names, struct span name, struct metric_name *found)
{
	int metric;

	if (find_entry(names, name, found))
		return true;
	metric = gpudb_metric_index(names->db, name);
	if (metric < 0)
		return is_var(name) && find_var(names, name, found);
	*found = (struct metric_name){.kind = NAME_METRIC, .at = (unsigned)metric, .other = (unsigned)metric};
	return true;
}

struct metric_names *metric_names_new(const struct gpudb *db, const struct metric_set *set)
{
	struct metric_names *names = xcalloc(1, sizeof(*names));

	names->db = db;
	names->product = set->product;
	names->n_slots = set->n_slots;
	names->counters = xcalloc(set->n_slots, sizeof(struct gpu_counter *));
	grow_table(names);
	for (const struct metric_constant *c = metric_constants; c->name; c++)
		add_name(names,
			 (struct metric_name){.name = span_of(c->name), .kind = NAME_VECTOR, .at = c->at});
	add_slots(names, set);
	for (unsigned i = 0; set->product && i < set->product->n_constants; i++)
		add_name(names, (struct metric_name){.name = span_of(set->product->constants[i].name),
						     .kind = NAME_CONSTANT,
						     .number = set->product->constants[i].value});
	GROW_FIT(names->entries, names->n, names->cap);
	return names;
}

void metric_names_free(struct metric_names *names)
{
	if (!names)
		return;
	free(names->table);
	free(names->entries);
	free(names->counters);
	free(names);
}

bool metric_name_known(const struct gpudb *db, struct span name)
{
	if (gpudb_metric_index(db, name) >= 0)
		return true;
	if (metric_constant_find(name))
		return true;
	if (gpudb_slot_name(db, name))
		return true;
	for (unsigned i = 0; is_var(name) && i < db->n_metrics; i++)
		for (const struct metric_variant *v = db->metrics[i].vars; v; v = v->next)
			if (span_has_word(v->text, name))
				return true;
	for (unsigned i = 0; i < db->n_products; i++)
		for (unsigned k = 0; k < db->products[i].n_constants; k++)
			if (span_is(name, db->products[i].constants[k].name))
				return true;
	return layouts_have_name(db, name);
}
