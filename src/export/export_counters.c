/* Raw counter tables (model/rawtable.h), which eval reads: the counts of the first GPU in every
 * core and slice, before multipliers. A comment line with number, time and flags precedes each. */
#include "export/export_priv.h"

#include "base/alloc.h"
#include "model/rawtable.h"

#include <math.h>
#include <string.h>

static const enum instance_kind instance_of_block[BLOCK_COUNT] = {
	[BLOCK_FRONT_END] = INSTANCE_ALL,
	[BLOCK_TILER] = INSTANCE_ALL,
	[BLOCK_MEMORY] = INSTANCE_SLICE,
	[BLOCK_CORE] = INSTANCE_CORE,
};
static const enum vector_constant count_of_block[BLOCK_COUNT] = {
	[BLOCK_MEMORY] = VECTOR_SLICES, [BLOCK_CORE] = VECTOR_CORES};

static bool has_instances(const struct metric_set *set, enum instance_kind kind)
{
	for (unsigned i = 0; i < set->n_instances; i++)
		if (set->instances[i].kind == kind)
			return true;
	return false;
}

/* Return whether a block has a single instance, so that its sum is enough. */
static bool is_only_one(const struct metric_set *set, enum gpu_block block)
{
	return instance_of_block[block] == INSTANCE_ALL ||
	       (set->constants[count_of_block[block]] == 1 && !has_instances(set, instance_of_block[block]));
}

static bool counters_check(const struct export_table *table, struct err *err)
{
	const struct export_source *source = &table->sources[table->first];

	if (!source->set->layout)
		return err_set(err, 0, "--format counters: there is no GPU: choose csv or jsonl");
	for (unsigned b = 0; b < BLOCK_COUNT; b++)
		if (!is_only_one(source->set, b) && !has_instances(source->set, instance_of_block[b]))
			return err_set(err, 0,
				       "--format counters: the log has only sums over the cores of %s: "
				       "record it with --per-core",
				       source->title);
	return true;
}

/* Return the index of that counter, or -1. Start at the last one found (`at`), because slots are
 * mostly in the order of the layout. */
static int find_counter(const struct gpu_layout *layout, const char *name, int at)
{
	int n = (int)layout->n_counters;

	for (int i = 1; i <= n; i++) {
		const struct gpu_counter *c = &layout->counters[(at + i) % n];

		if (c->name && strcmp(c->name, name) == 0)
			return (at + i) % n;
	}
	return -1;
}

static void put_constant(struct strbuf *out, enum rawtable_constant which, double value)
{
	if (!isnan(value))
		strbuf_printf(out, "%s\t0\t\t%s\t%.0f\n", RAWTABLE_CONSTANT_BLOCK,
			      rawtable_constant_names[which], value);
}

static void put_constants(const struct metric_set *set, const struct column *sum, struct strbuf *out)
{
	put_constant(out, RAWTABLE_CORES, set->constants[VECTOR_CORES]);
	put_constant(out, RAWTABLE_SLICES, set->constants[VECTOR_SLICES]);
	put_constant(out, RAWTABLE_BUS_BITS, set->constants[VECTOR_BUS_BITS]);
	if (!sum || sum->time_ns <= 0)
		return;
	strbuf_printf(out, "%s\t0\t\t%s\t", RAWTABLE_CONSTANT_BLOCK,
		      rawtable_constant_names[RAWTABLE_SECONDS]);
	export_seconds(out, sum->time_ns);
	strbuf_str(out, "\n");
}

/* Write the counters. Omit a counter if one of its instances is unknown, because eval needs all of
 * them. */
static void put_counters(const struct metric_set *set, const struct column *sum, struct strbuf *out)
{
	const struct gpu_counter *counters = set->layout->counters;
	AUTOFREE bool *unknown = xcalloc(set->layout->n_counters, sizeof(*unknown));
	AUTOFREE int *of_slot = xcalloc(set->n_slots, sizeof(*of_slot));
	int at = -1;

	for (unsigned i = 0; i < set->n_slots; i++) {
		of_slot[i] = find_counter(set->layout, set->slots[i].name, at);
		if (of_slot[i] < 0)
			continue;
		at = of_slot[i];
		if (set->slots[i].instance != (is_only_one(set, counters[at].block)
						       ? INSTANCE_ALL
						       : instance_of_block[counters[at].block]))
			of_slot[i] = -1; /* the counter is the sum of several rows */
		else if (isnan(sum->value[i]))
			unknown[at] = true;
	}
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct gpu_counter *c =
			of_slot[i] < 0 || unknown[of_slot[i]] ? NULL : &counters[of_slot[i]];

		if (c)
			strbuf_printf(out, "%s\t%u\t%u\t%s\t%.0f\n", gpu_block_names[c->block],
				      set->slots[i].number, c->index, c->hw_name, sum->value[i]);
	}
}

static void counters_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	const struct metric_set *set = table->sources[table->first].set;
	const struct column *sum = row->sums[table->first];
	char flags[EXPORT_FLAGS_TEXT];

	strbuf_printf(out, "# %llu: time ", (unsigned long long)row->number);
	export_seconds(out, row->begin_ns);
	strbuf_str(out, ", duration ");
	export_seconds(out, row->duration_ns);
	export_flags(flags, row);
	strbuf_printf(out, "%s%s\n%s\n", flags[0] ? ", flags " : "", flags, RAWTABLE_HEADER);
	put_constants(set, sum, out);
	if (sum)
		put_counters(set, sum, out);
}

const struct export_format export_counters = {
	.name = "counters", .raw = true, .check = counters_check, .row = counters_row};
