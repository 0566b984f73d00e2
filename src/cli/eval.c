#include "cli/eval.h"

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/rational.h"
#include "model/rawtable.h"
#include "model/template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVAL_HEADER "number\tname\tvalue\tunit\n"
#define FILE_MAX ((size_t)64 << 20) /* bytes; a table of the largest GPU has less than one million */

/* The values that formulas load: the constants, one sum per counter, and behind them how many cores the table has rows of. */
struct exact {
	struct rational *values;
	unsigned n_vector;
	unsigned core_rows; /* index of the last one */
};

static unsigned constant_or_zero(const struct rawtable *table, enum rawtable_constant c)
{
	uint64_t value = table->constants[c].line ? table->constants[c].value : 0;

	return value > UINT32_MAX ? UINT32_MAX : (unsigned)value;
}

/* The counters of the layout as a source would have them. */
static struct slot *layout_slots(const struct gpu_layout *layout)
{
	struct slot *slots = xcalloc(layout->n_counters, sizeof(*slots));

	for (unsigned i = 0; i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		slots[i] = (struct slot){
			.name = c->name ? c->name : c->hw_name, .kind = SLOT_DELTA, .instance = INSTANCE_ALL, .scale = c->scale};
	}
	return slots;
}

static struct metric_set *table_set(const struct gpudb *db, const struct gpu_product *product, enum definitions definitions,
				    const struct rawtable *table, const struct slot *slots, struct err *err)
{
	const struct metric_source source = {
		.product = product,
		.slots = slots,
		.n_slots = product->layout->n_counters,
		.core_count = constant_or_zero(table, RAWTABLE_CORES),
		.l2_slice_count = constant_or_zero(table, RAWTABLE_SLICES),
		.bus_width_bits = constant_or_zero(table, RAWTABLE_BUS_BITS),
		.definitions = definitions,
	};

	return metric_set_new(db, &source, err);
}

static void exact_init(struct exact *exact, const struct rawtable *table)
{
	static const enum vector_constant constants[RAWTABLE_CONSTANTS] = {
		[RAWTABLE_CORES] = VECTOR_CORES,
		[RAWTABLE_SLICES] = VECTOR_SLICES,
		[RAWTABLE_BUS_BITS] = VECTOR_BUS_BITS,
		[RAWTABLE_SECONDS] = VECTOR_SECONDS,
	};
	struct rational one;

	exact->n_vector = VECTOR_CONSTANTS + table->layout->n_counters;
	exact->core_rows = exact->n_vector;
	exact->values = xcalloc(exact->n_vector + 1, sizeof(exact->values[0]));
	for (unsigned i = 0; i < exact->n_vector; i++)
		rational_set_undefined(&exact->values[i]);
	for (unsigned c = 0; c < RAWTABLE_CONSTANTS; c++)
		if (table->constants[c].line)
			rational_set_decimal(&exact->values[constants[c]], table->constants[c].text);
	rational_set_u64(&exact->values[exact->core_rows], table->instances[BLOCK_CORE]);
	for (unsigned i = 0; i < table->n_rows; i++) {
		struct rational *sum = &exact->values[VECTOR_CONSTANTS + table->rows[i].counter];

		rational_set_u64(&one, table->rows[i].value);
		if (sum->state == RATIONAL_UNDEFINED)
			rational_set_u64(sum, 0);
		rational_add(sum, sum, &one);
	}
}

static void exact_fini(struct exact *exact)
{
	free(exact->values);
}

/* A mean is compiled as "sum, cores, divide". The mean of the rows that are there does not need the table to state the number of
 * cores, so take their count; formulas that name the constant themselves do without it only when it is stated. */
static void eval_means(struct rational *out, const struct metric_set *set, const struct expr *expr, const struct exact *exact)
{
	AUTOFREE struct expr_op *ops = xcalloc(expr->n, sizeof(*ops));
	struct expr copy = {.ops = ops, .n = expr->n, .cap = expr->n, .depth = expr->depth};

	if (expr->n)
		memcpy(ops, expr->ops, expr->n * sizeof(*ops));
	for (unsigned i = 2; i < expr->n; i++) {
		unsigned slot = ops[i - 2].slot - VECTOR_CONSTANTS;

		if (ops[i].kind == EXPR_DIV && ops[i - 1].kind == EXPR_LOAD && ops[i - 1].slot == VECTOR_CORES &&
		    ops[i - 2].kind == EXPR_LOAD && ops[i - 2].slot >= VECTOR_CONSTANTS &&
		    set->product->layout->counters[slot].block == BLOCK_CORE)
			ops[i - 1].slot = (uint16_t)exact->core_rows;
	}
	rational_eval(out, &copy, exact->values);
}

/* Hold a percentage within its bounds. */
static void clamp(struct rational *value, const struct metric *metric)
{
	AUTOFREE struct rational *bound = xcalloc(1, sizeof(*bound));

	if (isfinite(metric->high)) {
		rational_set_double(bound, metric->high);
		rational_min(value, value, bound);
	}
	if (isfinite(metric->low)) {
		rational_set_double(bound, metric->low);
		rational_max(value, value, bound);
	}
}

static bool eval_rows(const struct gpudb *db, const struct metric_set *set, const struct exact *exact, struct strbuf *out,
		      struct err *err)
{
	AUTOFREE struct rational *value = xcalloc(1, sizeof(*value));
	struct template_view view;
	bool ok = true;

	template_view_init(&view, db, set);
	strbuf_str(out, EVAL_HEADER);
	for (unsigned i = 0; i < view.n_rows && ok; i++) {
		const struct template_row *row = &view.rows[i];

		if (!row->metric)
			continue;
		eval_means(value, set, &row->metric->expr, exact);
		clamp(value, row->metric);
		if (value->state == RATIONAL_TOO_LONG)
			ok = err_set(err, 0, "%s: its formula needs fractions of more than %d bits: split it",
				     row->metric->def->name, 32 * RATIONAL_LIMBS);
		strbuf_printf(out, "%s\t%s\t", row->number, row->metric->def->name);
		rational_format(value, out);
		strbuf_printf(out, "\t%s\n", row->unit_name);
	}
	template_view_fini(&view);
	return ok;
}

bool eval_table(const struct gpudb *db, const struct gpu_product *product, enum definitions definitions, const char *file,
		struct span text, struct strbuf *out, struct err *err)
{
	struct metric_set *set = NULL;
	struct slot *slots = NULL;
	struct rawtable table;
	struct exact exact;
	bool ok;

	ok = rawtable_parse(&table, product->layout, file, text, err);
	if (ok) {
		slots = layout_slots(product->layout);
		set = table_set(db, product, definitions, &table, slots, err);
		ok = set != NULL;
	}
	if (ok) {
		exact_init(&exact, &table);
		ok = eval_rows(db, set, &exact, out, err);
		exact_fini(&exact);
	}
	metric_set_free(set);
	free(slots);
	rawtable_fini(&table);
	return ok;
}

/* "Mali-G52, Mali-G715, Mali-G625" */
static void guides(const struct gpudb *db, struct strbuf *names)
{
	for (unsigned i = 0; i < db->n_templates; i++)
		strbuf_printf(names, "%s%s", i ? ", " : "", db->templates[i].name);
}

enum exit_status eval_run(const struct options *options, const struct gpudb *db, struct strbuf *out, struct err *err)
{
	AUTO_STRBUF struct strbuf names = {0};
	AUTOFREE char *text = NULL;
	const struct gpu_product *product;
	const char *file = options->operand;
	char name[256];
	size_t n;

	if (!options_gpu(options, db, &product, err))
		return EXIT_USAGE;
	if (options->definitions == DEFINITIONS_GUIDE && !template_guide_of(db, product)) {
		guides(db, &names);
		err_set(err, 0, "--definitions guide: there is no guide for %s: use current, or one of %s", product->name,
			names.n ? names.p : "none");
		return EXIT_USAGE;
	}
	str_printable(name, sizeof(name), strcmp(file, "-") == 0 ? "standard input" : file);
	if (!file_read(file, FILE_MAX, &text, &n, err))
		return EXIT_FAILED;
	if (!eval_table(db, product, options->definitions, name, (struct span){text, n}, out, err))
		return EXIT_FAILED;
	return EXIT_DONE;
}
