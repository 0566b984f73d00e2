/* A data file over any bytes: it loads or fails with a message that names the place, and what
 * loaded compiles or says why not. */
#include "backends/backend.h"
#include "backends/sim/sim_device.h"
#include "base/alloc.h"
#include "config.h"
#include "model/metric.h"
#include "model/template.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compile_formulas(const struct gpudb *db, const struct gpu_product *product)
{
	struct source source = {.product = product};
	struct template_view view;
	struct metric_set *set;
	struct err err = {0};

	if (product)
		source_add_gpu_sums(&source);
	set = metric_set_new(db,
			     &(struct metric_source){.product = product,
						     .slots = source.slots,
						     .n_slots = source.n_slots,
						     .constants.core_count = 2,
						     .constants.l2_slice_count = 1,
						     .constants.bus_width_bits = 128},
			     &err);
	assert(set || err.text[0]);
	if (set) {
		AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));

		for (unsigned i = 0; i < set->n_metrics; i++)
			metric_value(&set->metrics[i], vector);
		template_view_init(&view, db, set);
		template_view_fini(&view);
	}
	metric_set_free(set);
	free(source.slots);
}

#ifdef WITH_SIM
static void load_scenarios(const struct gpudb *db)
{
	for (unsigned i = 0; i < db->n_parts; i++) {
		AUTOFREE char *name = span_dup(db->parts[i].name);
		struct sim_scenario scenario;
		struct sim_device device;
		struct err err = {0};

		if (sim_scenario_load(&scenario, db, name, &err))
			assert(scenario.n_passes && scenario.passes[0].pixels > 0 && scenario.n_phases);
		else
			assert(!strncmp(err.text, "fuzz:", 5) || !strncmp(err.text, "--demo:", 7));
		if (!sim_device_init(&device, &(struct source_options){.db = db, .scenario = name}, &err))
			assert(err.text[0]);
		else
			sim_device_run(&device, 1000000000);
	}
}
#else
static void load_scenarios(const struct gpudb *db)
{
	(void)db;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct gpudb_text text = {"fuzz", {(const char *)data, size}};
	struct err err = {0};
	struct gpudb *db = gpudb_load_texts(&text, 1, &err);

	assert(db || !strncmp(err.text, "fuzz:", 5));
	if (!db)
		return 0;
	load_scenarios(db);
	compile_formulas(db, NULL);
	for (unsigned i = 0; i < db->n_products && i < 4; i++)
		compile_formulas(db, gpudb_product(db, i));
	gpudb_free(db);
	return 0;
}
