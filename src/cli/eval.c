#include "cli/eval.h"

#include "base/alloc.h"
#include "base/file.h"
#include "model/rawtable.h"
#include "model/template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVAL_HEADER "number\tname\tvalue\tunit\n"
#define EVAL_DIGITS 12              /* significant digits */
#define FILE_MAX ((size_t)64 << 20) /* bytes; the table of the largest GPU has less than one million */

static unsigned constant_or_zero(const struct rawtable *table, enum rawtable_constant c)
{
	uint64_t value = table->constants[c].line ? table->constants[c].value : 0;

	return value > UINT32_MAX ? UINT32_MAX : (unsigned)value;
}

/* The counters of the layout, as slots of a source. */
static struct slot *layout_slots(const struct gpu_layout *layout)
{
	struct slot *slots = xcalloc(layout->n_counters, sizeof(*slots));

	for (unsigned i = 0; i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		slots[i] = (struct slot){.name = c->name ? c->name : c->hw_name,
					 .kind = SLOT_DELTA,
					 .instance = INSTANCE_ALL,
					 .scale = c->scale};
	}
	return slots;
}

static struct metric_set *table_set(const struct gpudb *db, const struct gpu_product *product,
				    enum definitions definitions, const struct rawtable *table,
				    const struct slot *slots, struct err *err)
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

/* The vector of a source after this interval. NaN for what the table does not contain. */
static double *table_vector(const struct metric_set *set, const struct rawtable *table)
{
	double *vector = xcalloc(set->n_vector, sizeof(*vector));

	memcpy(vector, set->constants, sizeof(set->constants));
	for (unsigned i = VECTOR_CONSTANTS; i < set->n_vector; i++)
		vector[i] = NAN;
	if (table->constants[RAWTABLE_SECONDS].line)
		vector[VECTOR_SECONDS] = table->constants[RAWTABLE_SECONDS].decimal;
	vector[VECTOR_CORE_ROWS] = table->instances[BLOCK_CORE];
	for (unsigned i = 0; i < table->n_rows; i++) {
		double *sum = &vector[VECTOR_CONSTANTS + table->rows[i].counter];

		*sum = (isnan(*sum) ? 0 : *sum) + (double)table->rows[i].value;
	}
	return vector;
}

static void eval_rows(const struct gpudb *db, const struct metric_set *set, const double *vector,
		      struct strbuf *out)
{
	char value[NUMBER_TEXT];
	struct template_view view;

	template_view_init(&view, db, set);
	strbuf_str(out, EVAL_HEADER);
	for (unsigned i = 0; i < view.n_rows; i++) {
		const struct template_row *row = &view.rows[i];

		if (row->metric)
			strbuf_printf(out, "%s\t%s\t%s\t%s\n", row->number, row->metric->def->name,
				      number_digits(value, metric_value(row->metric, vector), EVAL_DIGITS),
				      row->unit_name);
	}
	template_view_fini(&view);
}

bool eval_table(const struct gpudb *db, const struct gpu_product *product, enum definitions definitions,
		const char *file, struct span text, struct strbuf *out, struct err *err)
{
	struct metric_set *set = NULL;
	struct slot *slots = NULL;
	struct rawtable table;
	double *vector;
	bool ok;

	ok = rawtable_parse(&table, product->layout, file, text, err);
	if (ok) {
		slots = layout_slots(product->layout);
		set = table_set(db, product, definitions, &table, slots, err);
		ok = set != NULL;
	}
	if (ok) {
		vector = table_vector(set, &table);
		eval_rows(db, set, vector, out);
		free(vector);
	}
	metric_set_free(set);
	free(slots);
	rawtable_fini(&table);
	return ok;
}

enum exit_status eval_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			  struct err *err)
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
		options_guides(db, &names);
		err_set(err, 0,
			"--definitions guide: there is no guide for %s: use current, or --gpu with one of %s",
			product->name, names.n ? names.p : "none");
		return EXIT_USAGE;
	}
	str_printable(name, sizeof(name), strcmp(file, "-") == 0 ? "standard input" : file);
	if (!file_read(file, FILE_MAX, &text, &n, err))
		return EXIT_FAILED;
	if (options->findings)
		return eval_findings(options, db, product, name, (struct span){text, n}, out, err);
	if (!eval_table(db, product, options->definitions, name, (struct span){text, n}, out, err))
		return EXIT_FAILED;
	return EXIT_DONE;
}
