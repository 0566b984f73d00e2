#include "cli/commands.h"

#include "base/alloc.h"
#include "base/file.h"
#include "export/export_findings.h"
#include "model/judge.h"
#include "model/rawtable.h"
#include "model/template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVAL_HEADER "number\tname\tvalue\tunit\n"
#define EVAL_DIGITS 12              /* significant digits */
#define FILE_MAX ((size_t)64 << 20) /* bytes; the table of the largest GPU has less than one million */
#define STEADY_NS (2 * JUDGE_ON_NS) /* what a shorter run is taken for: a scene that stays like this */

/* What drivers deliver besides the counters, made of the table's constants, for findings. */
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

/* NaN: the table does not contain it. */
static double constant_of(const struct rawtable *table, enum rawtable_constant c)
{
	if (!table->constants[c].line)
		return NAN;
	return c < RAWTABLE_SECONDS ? (double)table->constants[c].value : table->constants[c].decimal;
}

static unsigned count_or_zero(const struct rawtable *table, enum rawtable_constant c)
{
	uint64_t value = table->constants[c].line ? table->constants[c].value : 0;

	return value > UINT32_MAX ? UINT32_MAX : (unsigned)value;
}

/* The metrics of a source like this, which has the counters of the layout and n_system more slots.
 * The table has the facts of the device. */
static struct metric_set *table_set(const struct gpudb *db, struct metric_source source,
				    const struct rawtable *table, unsigned n_system, struct err *err)
{
	const struct gpu_layout *layout = source.product->layout;
	AUTOFREE struct slot *slots = xcalloc(layout->n_counters + n_system, sizeof(*slots));

	for (unsigned i = 0; i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		slots[i] = (struct slot){.name = c->name ? c->name : c->hw_name,
					 .kind = SLOT_DELTA,
					 .instance = INSTANCE_ALL,
					 .scale = c->scale};
	}
	memcpy(slots + layout->n_counters, system_slots, n_system * sizeof(*slots));
	source.slots = slots;
	source.n_slots = layout->n_counters + n_system;
	source.constants.core_count = count_or_zero(table, RAWTABLE_CORES);
	source.constants.l2_slice_count = count_or_zero(table, RAWTABLE_SLICES);
	source.constants.bus_width_bits = count_or_zero(table, RAWTABLE_BUS_BITS);
	return metric_set_new(db, &source, err);
}

/* Fill the vector of a source after this interval. NaN for what the table does not contain. */
static void fill_vector(const struct metric_set *set, const struct rawtable *table, double *vector)
{
	memcpy(vector, set->constants, sizeof(set->constants));
	for (unsigned i = VECTOR_CONSTANTS; i < set->n_vector; i++)
		vector[i] = NAN;
	if (table->constants[RAWTABLE_SECONDS].line)
		vector[VECTOR_SECONDS] = constant_of(table, RAWTABLE_SECONDS);
	vector[VECTOR_CORE_ROWS] = table->instances[BLOCK_CORE];
	for (unsigned i = 0; i < table->n_rows; i++) {
		double *sum = &vector[VECTOR_CONSTANTS + table->rows[i].counter];

		*sum = (isnan(*sum) ? 0 : *sum) + (double)table->rows[i].value;
	}
}

/* ---- metrics of one sample ---- */

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
	const struct metric_source source = {.product = product, .definitions = definitions};
	struct metric_set *set = NULL;
	AUTOFREE double *vector = NULL;
	struct rawtable table;

	if (rawtable_parse(&table, product->layout, file, text, err))
		set = table_set(db, source, &table, 0, err);
	if (set) {
		vector = xcalloc(set->n_vector, sizeof(*vector));
		fill_vector(set, &table, vector);
		eval_rows(db, set, vector, out);
	}
	rawtable_fini(&table);
	metric_set_free(set);
	return vector != NULL;
}

/* ---- findings of one or several samples ---- */

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

/* All samples are of one device: the first table describes it. */
static bool make_set(struct eval_run *run, struct err *err)
{
	const struct options *o = run->options;
	const struct metric_source source = {
		.product = run->product,
		.frames_per_second = o->fps,
		.screen_pixels = (double)o->resolution.w * o->resolution.h,
		.constants.top_hz = constant_of(&run->tables[0], RAWTABLE_TOP_CLOCK) * 1e6,
		.definitions = o->definitions,
	};

	run->set = table_set(run->db, source, &run->tables[0], SYSTEM_SLOTS, err);
	return run->set != NULL;
}

static double frame_rate(const struct rawtable *table)
{
	if (table->constants[RAWTABLE_FRAMES].line)
		return constant_of(table, RAWTABLE_FRAMES) / constant_of(table, RAWTABLE_SECONDS);
	return 1000 / constant_of(table, RAWTABLE_FRAME_MS);
}

static void fill_system(const struct eval_run *run, const struct rawtable *table, double *vector)
{
	double *system = vector + VECTOR_CONSTANTS + run->product->layout->n_counters;
	double seconds = vector[VECTOR_SECONDS], clock_hz = constant_of(table, RAWTABLE_CLOCK) * 1e6;
	const struct metric *active = metric_find(run->set, SPAN_LIT("MaliGPUActiveCy"));

	vector[VECTOR_FRAME_RATE] = frame_rate(table);
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

		fill_vector(run->set, table, vector);
		fill_system(run, table, vector);
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
	judge_free(run.judge);
	metric_set_free(run.set);
	for (unsigned i = 0; i < run.n_tables; i++)
		rawtable_fini(&run.tables[i]);
	free(run.tables);
	return status;
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
	return eval_table(db, product, options->definitions, name, (struct span){text, n}, out, err)
		       ? EXIT_DONE
		       : EXIT_FAILED;
}
