/* eval against exact fractions: random tables of every GPU, under both definitions. */
#include "cli/eval.h"

#include "base/alloc.h"
#include "model/rawtable.h"
#include "model/template.h"
#include "tests/support/rational.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define TABLES 12
#define CLOSE 1e-9 /* of the value: differences of large numbers lose some of a double's sixteen digits */

/* Kinds of values in a table. Small numbers make ties, zeros and sums that cancel out. */
static uint64_t random_count(unsigned kind)
{
	uint64_t r = (uint64_t)rand() << 31 ^ (uint64_t)rand();

	return kind == 0 ? r % 3 : kind == 1 ? r % 1000000 : r;
}

struct random_table {
	unsigned cores, slices;
	uint64_t sums[512];
	struct strbuf text;
};

static void table_make(struct random_table *t, const struct gpu_layout *layout, unsigned kind)
{
	*t = (struct random_table){.cores = 1 + (unsigned)rand() % 24, .slices = 1 + (unsigned)rand() % 8};
	assert_in_range(layout->n_counters, 1, ARRAY_LEN(t->sums));
	strbuf_printf(&t->text,
		      RAWTABLE_HEADER
		      "\nconstant\t0\t\tshader_core_count\t%u\nconstant\t0\t\tl2_slice_count\t%u\n"
		      "constant\t0\t\tbus_width_bits\t128\nconstant\t0\t\tsample_seconds\t0.5\n",
		      t->cores, t->slices);
	for (unsigned c = 0; c < layout->n_counters; c++) {
		const struct gpu_counter *counter = &layout->counters[c];
		unsigned n = counter->block == BLOCK_CORE     ? t->cores
			     : counter->block == BLOCK_MEMORY ? t->slices
							      : 1;

		for (unsigned i = 0; i < n && counter->name; i++) { /* an unpublished counter has no name */
			uint64_t value = random_count(kind) / n;

			t->sums[c] += value;
			strbuf_printf(&t->text, "%s\t%u\t%u\t\t%llu\n", gpu_block_names[counter->block], i,
				      counter->index, (unsigned long long)value);
		}
	}
}

/* The operands of the formulas, as fractions. */
static struct rational *exact_vector(const struct metric_set *set, const struct random_table *t)
{
	struct rational *vector = xcalloc(set->n_vector, sizeof(*vector));

	rational_set_decimal(&vector[VECTOR_SECONDS], span_of("0.5"));
	rational_set_u64(&vector[VECTOR_CORES], t->cores);
	rational_set_u64(&vector[VECTOR_CORE_ROWS], t->cores);
	rational_set_u64(&vector[VECTOR_SLICES], t->slices);
	rational_set_u64(&vector[VECTOR_BUS_BITS], 128);
	for (unsigned i = 0; i < set->n_slots; i++) {
		if (set->layout->counters[i].name)
			rational_set_u64(&vector[VECTOR_CONSTANTS + i], t->sums[i]);
		else
			rational_set_undefined(&vector[VECTOR_CONSTANTS + i]);
	}
	return vector;
}

static void exact_value(const struct metric *metric, const struct rational *vector, struct rational *value)
{
	AUTOFREE struct rational *bound = xcalloc(1, sizeof(*bound));

	rational_eval(value, &metric->expr, vector);
	if (isfinite(metric->high)) {
		rational_set_double(bound, metric->high);
		rational_min(value, value, bound);
	}
	if (isfinite(metric->low)) {
		rational_set_double(bound, metric->low);
		rational_max(value, value, bound);
	}
}

static double number_of(struct span text)
{
	double value;

	return text.n && span_double(text, &value) ? value : NAN;
}

static unsigned compare_both(const char *gpu, const struct metric_set *set, const struct rational *vector,
			     const char *result)
{
	AUTOFREE struct rational *value = xcalloc(1, sizeof(*value));
	struct span text = span_of(result);
	unsigned n = 0;

	span_until(&text, '\n');
	for (; text.n; n++) {
		struct span line = span_until(&text, '\n'), number = span_until(&line, '\t'),
			    name = span_until(&line, '\t');
		double got = number_of(span_until(&line, '\t')), expected;
		AUTO_STRBUF struct strbuf digits = {0};

		exact_value(metric_find(set, name), vector, value);
		strbuf_str(&digits, "");
		rational_format(value, &digits);
		expected = number_of((struct span){digits.p, digits.n});
		if (isnan(got) != isnan(expected) || fabs(got - expected) > CLOSE * fmax(1, fabs(expected)))
			fail_msg("%s %.*s %.*s is %.12g, expected %.12g", gpu, SPAN_ARG(number),
				 SPAN_ARG(name), got, expected);
	}
	return n;
}

static struct slot *slots_of(const struct gpu_layout *layout)
{
	struct slot *slots = xcalloc(layout->n_counters, sizeof(*slots));

	for (unsigned i = 0; i < layout->n_counters; i++)
		slots[i] = (struct slot){.name = layout->counters[i].name ? layout->counters[i].name
									  : layout->counters[i].hw_name,
					 .instance = INSTANCE_ALL,
					 .scale = layout->counters[i].scale};
	return slots;
}

static void check_table(const struct gpudb *db, const struct gpu_product *product,
			enum definitions definitions, unsigned kind)
{
	AUTOFREE struct slot *slots = slots_of(product->layout);
	AUTO_STRBUF struct strbuf out = {0};
	struct random_table t;
	struct metric_set *set;
	struct rational *vector;
	struct err err = {0};

	table_make(&t, product->layout, kind);
	set = metric_set_new(db,
			     &(struct metric_source){.product = product,
						     .slots = slots,
						     .n_slots = product->layout->n_counters,
						     .core_count = t.cores,
						     .l2_slice_count = t.slices,
						     .bus_width_bits = 128,
						     .definitions = definitions},
			     &err);
	assert_non_null(set);
	if (!eval_table(db, product, definitions, "t", (struct span){t.text.p, t.text.n}, &out, &err))
		fail_msg("%s", err.text);
	vector = exact_vector(set, &t);
	assert_in_range(compare_both(product->name, set, vector, out.p), 40, 200);
	free(vector);
	metric_set_free(set);
	strbuf_fini(&t.text);
}

static void doubles_tell_what_fractions_tell(void **state)
{
	struct err err = {0};
	struct gpudb *db = gpudb_load(NULL, 0, &err);

	(void)state;
	assert_non_null(db);
	srand(1);
	for (unsigned i = 0; i < db->n_products; i++)
		for (unsigned n = 0; n < TABLES; n++)
			for (int guide = 0; guide <= (template_guide_of(db, gpudb_product(db, i)) != NULL);
			     guide++)
				check_table(db, gpudb_product(db, i),
					    guide ? DEFINITIONS_GUIDE : DEFINITIONS_CURRENT, n % 3);
	gpudb_free(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(doubles_tell_what_fractions_tell)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
