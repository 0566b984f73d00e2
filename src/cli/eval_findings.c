/* Judges raw counter tables, which come from a device elsewhere. */
#include "cli/eval.h"

#include "base/alloc.h"
#include "export/export_findings.h"
#include "model/judge.h"
#include "model/rawtable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEADY_NS (2 * JUDGE_ON_NS) /* what a shorter run is taken for: a scene that stays like this */

/* What drivers deliver besides the counters, made of the table's constants. */
enum system_slot { SYSTEM_CLOCK_CY, SYSTEM_STEADY_CY, SYSTEM_STEADY_TIME, SYSTEM_TEMP, SYSTEM_SLOTS };
static const struct slot system_slots[SYSTEM_SLOTS] = {
	[SYSTEM_CLOCK_CY] = {.name = "GPUClockCy", .kind = SLOT_DELTA, .instance = INSTANCE_ALL, .scale = 1},
	[SYSTEM_STEADY_CY] = {.name = "GPUSteadyCy",
			      .kind = SLOT_DELTA,
			      .instance = INSTANCE_ALL,
			      .scale = 1},
	[SYSTEM_STEADY_TIME] = {.name = "GPUSteadyTime",
				.kind = SLOT_DELTA,
				.instance = INSTANCE_ALL,
				.scale = 1},
	[SYSTEM_TEMP] = {.name = "GPUTemp", .kind = SLOT_LEVEL, .instance = INSTANCE_ALL, .scale = 1},
};

struct eval_run {
	const struct options *options;
	const struct gpudb *db;
	const struct gpu_product *product;
	const char *file;
	struct rawtable *tables;
	unsigned n_tables, cap_tables;
	double seconds; /* of all samples */
	struct metric_set *set;
	struct judge *judge;
};

static double constant_of(const struct rawtable *table, enum rawtable_constant c)
{
	if (!table->constants[c].line)
		return NAN;
	return c < RAWTABLE_SECONDS ? (double)table->constants[c].value : table->constants[c].decimal;
}

static bool read_tables(struct eval_run *run, struct span text, struct err *err)
{
	unsigned line = 0;

	do {
		struct rawtable *table;

		GROW(run->tables, run->n_tables, run->cap_tables);
		table = &run->tables[run->n_tables++];
		if (!rawtable_next(table, run->product->layout, run->file, &text, &line, err))
			return false;
		if (!table->constants[RAWTABLE_SECONDS].line)
			return err_set(
				err, 0,
				"%s: no constant sample_seconds: findings need the length of a sample: "
				"add a row for it",
				run->file);
		run->seconds += constant_of(table, RAWTABLE_SECONDS);
	} while (text.n);
	return true;
}

static unsigned count_or_zero(const struct rawtable *table, enum rawtable_constant c)
{
	double value = constant_of(table, c);

	return value > 0 && value <= UINT32_MAX ? (unsigned)value : 0;
}

/* All samples are of one device: the first table describes it. */
static bool make_set(struct eval_run *run, struct err *err)
{
	const struct gpu_layout *layout = run->product->layout;
	const struct rawtable *first = &run->tables[0];
	AUTOFREE struct slot *slots = xcalloc(layout->n_counters + SYSTEM_SLOTS, sizeof(*slots));
	const struct metric_source source = {
		.product = run->product,
		.slots = slots,
		.n_slots = layout->n_counters + SYSTEM_SLOTS,
		.core_count = count_or_zero(first, RAWTABLE_CORES),
		.l2_slice_count = count_or_zero(first, RAWTABLE_SLICES),
		.bus_width_bits = count_or_zero(first, RAWTABLE_BUS_BITS),
		.frames_per_second = run->options->fps,
		.screen_pixels = (double)run->options->resolution.w * run->options->resolution.h,
		.top_hz = constant_of(first, RAWTABLE_TOP_CLOCK) * 1e6,
		.definitions = run->options->definitions,
	};

	for (unsigned i = 0; i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		slots[i] = (struct slot){.name = c->name ? c->name : c->hw_name,
					 .kind = SLOT_DELTA,
					 .instance = INSTANCE_ALL,
					 .scale = c->scale};
	}
	memcpy(slots + layout->n_counters, system_slots, sizeof(system_slots));
	run->set = metric_set_new(run->db, &source, err);
	return run->set != NULL;
}

static double frame_rate(const struct rawtable *table)
{
	if (table->constants[RAWTABLE_FRAMES].line)
		return constant_of(table, RAWTABLE_FRAMES) / constant_of(table, RAWTABLE_SECONDS);
	return 1000 / constant_of(table, RAWTABLE_FRAME_MS);
}

/* NaN for what the table does not contain. */
static void fill_vector(const struct eval_run *run, const struct rawtable *table, double *vector)
{
	double seconds = constant_of(table, RAWTABLE_SECONDS),
	       clock_hz = constant_of(table, RAWTABLE_CLOCK) * 1e6;
	double *counters = vector + VECTOR_CONSTANTS, *system = counters + run->product->layout->n_counters;
	const struct metric *active = metric_find(run->set, SPAN_LIT("MaliGPUActiveCy"));

	memcpy(vector, run->set->constants, sizeof(run->set->constants));
	for (unsigned i = VECTOR_CONSTANTS; i < run->set->n_vector; i++)
		vector[i] = NAN;
	vector[VECTOR_SECONDS] = seconds;
	vector[VECTOR_CORE_ROWS] = table->instances[BLOCK_CORE];
	vector[VECTOR_FRAME_RATE] = frame_rate(table);
	for (unsigned i = 0; i < table->n_rows; i++) {
		double *sum = &counters[table->rows[i].counter];

		*sum = (isnan(*sum) ? 0 : *sum) + (double)table->rows[i].value;
	}
	system[SYSTEM_CLOCK_CY] = clock_hz * seconds;
	system[SYSTEM_STEADY_TIME] = isnan(clock_hz) ? (double)NAN : seconds * 1e9;
	system[SYSTEM_STEADY_CY] = active ? metric_value(active, vector) : (double)NAN;
	system[SYSTEM_TEMP] = constant_of(table, RAWTABLE_TEMPERATURE);
}

static void judge_tables(struct eval_run *run)
{
	const struct metric_set *sets[SOURCE_KINDS] = {[SOURCE_GPU] = run->set};
	AUTOFREE double *vector = xcalloc(run->set->n_vector, sizeof(*vector));
	double scale = run->seconds * 1e9 < (double)STEADY_NS ? (double)STEADY_NS / run->seconds : 1e9;
	int64_t at_ns = 1;

	run->judge = judge_new(run->db, sets);
	for (unsigned i = 0; i < run->n_tables; i++) {
		const struct rawtable *table = &run->tables[i];
		const double *vectors[SOURCE_KINDS] = {[SOURCE_GPU] = vector};
		struct judge_facts facts = {
			.value = {[FACT_THREAD_WAITS] = NAN,
				  [FACT_BUSIEST_THREAD] = constant_of(table, RAWTABLE_THREAD),
				  [FACT_FRAME_RATE] = frame_rate(table)}};
		int64_t end_ns = at_ns + (int64_t)(constant_of(table, RAWTABLE_SECONDS) * scale);

		fill_vector(run, table, vector);
		judge_step(run->judge, at_ns, end_ns, vectors, &facts);
		at_ns = end_ns;
	}
	judge_finish(run->judge);
}

static void write_findings(const struct eval_run *run, struct strbuf *out)
{
	const struct export_options options = {.findings = true, .fail_on = run->options->fail_on};
	const struct export_table table = {.options = &options};
	const struct export_format *format = run->options->format == FORMAT_JSONL   ? &export_jsonl
					     : run->options->format == FORMAT_JUNIT ? &export_junit
										    : &export_report;

	format->findings(&table, run->judge, out);
}

static void run_fini(struct eval_run *run)
{
	judge_free(run->judge);
	metric_set_free(run->set);
	for (unsigned i = 0; i < run->n_tables; i++)
		rawtable_fini(&run->tables[i]);
	free(run->tables);
}

enum exit_status eval_findings(const struct options *options, const struct gpudb *db,
			       const struct gpu_product *product, const char *file, struct span text,
			       struct strbuf *out, struct err *err)
{
	struct eval_run run = {.options = options, .db = db, .product = product, .file = file};
	enum exit_status status = EXIT_FAILED;

	if (read_tables(&run, text, err) && make_set(&run, err)) {
		judge_tables(&run);
		write_findings(&run, out);
		status = options->fail_on && findings_held(run.judge, options->fail_on) ? EXIT_FOUND
											: EXIT_DONE;
	}
	run_fini(&run);
	return status;
}
