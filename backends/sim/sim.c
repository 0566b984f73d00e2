#include "backends/sim/sim.h"

#include "backends/backends.h"
#include "backends/sim/sim_fill.h"
#include "backends/sim/sim_pace.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Levels that a driver and the system report besides the counters: about once a second, as for a
 * real GPU. */
enum { LEVEL_CLOCK, LEVEL_CELSIUS, LEVEL_UTILIZATION, LEVEL_MEMORY, LEVELS };
static const struct slot level_slots[LEVELS] = {
	[LEVEL_CLOCK] = {.name = "GPUFreq", .kind = SLOT_LEVEL, .scale = 1},
	[LEVEL_CELSIUS] = {.name = "GPUTemp", .kind = SLOT_LEVEL, .scale = 1e-3},
	[LEVEL_UTILIZATION] = {.name = "GPUDriverUtil", .kind = SLOT_LEVEL, .scale = 1},
	[LEVEL_MEMORY] = {.name = "GPUMem", .kind = SLOT_LEVEL, .scale = 1},
};
#define LEVELS_NS 1000000000

struct sim {
	struct sim_model model;
	struct sim_fill fill;
	unsigned clock_slot; /* first of the clock slots */
	unsigned level_slot; /* first of the driver's level slots */
	int64_t levels_ns;   /* simulated time at which they were last updated */
	double celsius, memory;
	struct sim_pace pace;
	uint64_t last_tick, last_active;
	unsigned last_changes;
};

static bool sim_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	(void)sys, (void)found, (void)err; /* never found, only on request */
	return true;
}

/* One product has a hole in its core mask, as if a core were fused off. */
static uint64_t core_mask(const struct gpu_product *product)
{
	if (!strcmp(product->name, "Mali-G610") && product->typical.cores == 4)
		return 0x17;
	return product->typical.cores < 64 ? (1ull << product->typical.cores) - 1 : UINT64_MAX;
}

/* A GPU without the unit of a scenario shows something else than its name promises. */
static void note_rays(struct source *source)
{
	const struct sim *sim = source->priv;
	const struct sim_scenario *s = &sim->model.scenario;

	for (unsigned i = 0; i < s->n_passes && !sim->model.gpu.ray_tracing; i++)
		if (s->passes[i].shaders[STREAM_COMPUTE].rt > 0)
			snprintf(source->note, sizeof(source->note),
				 "%s has no ray tracing unit: rays are marched in compute shaders",
				 source->product->name);
}

static bool sim_open(struct source *source, const char *device, struct err *err)
{
	struct sim *sim = source->priv;
	const struct gpu_product *product;
	struct sim_shown shown = {0};

	(void)device;
	if (!sim_model_init(&sim->model, &source->options, err))
		return false;
	product = source->product = sim->model.product;
	source->simulated = true;
	source->constants = (struct source_constants){
		.core_count = product->typical.cores,
		.l2_slice_count = product->typical.slices,
		.bus_width_bits = product->typical.bus_bits,
		.core_mask = core_mask(product),
		.top_hz = product->typical.mhz * 1e6,
	};
	snprintf(source->title, sizeof(source->title), "%s %u core%s",
		 gpu_product_shown_name(product, product->typical.cores), product->typical.cores,
		 product->typical.cores == 1 ? "" : "s");
	snprintf(source->driver, sizeof(source->driver), "sim %s", sim->model.scenario.name);
	sim->clock_slot = source_add_gpu_sums(source);
	sim->level_slot = source->n_slots;
	for (unsigned i = 0; i < LEVELS; i++)
		source_add_slot(source, &level_slots[i]);
	sim->celsius = 41;
	source_add_gpu_instances(source);
	note_rays(source);
	sim_fill_init(&sim->fill, source, &sim->model, &shown);
	sim_count_show(&sim->model, &shown);
	return true;
}

static bool sim_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct sim *sim = source->priv;

	(void)err;
	source->period_ns = period_ns;
	sim_pace_start(&sim->pace, period_ns, now_ns, source->options.history_ns);
	return true;
}

static void read_clock(struct source *source, struct sample *sample)
{
	struct sim *sim = source->priv;
	const struct sim_model *m = &sim->model;
	uint64_t *clock = sample->value + sim->clock_slot;

	clock[GPU_CLOCK_CY] = (m->tick - sim->last_tick) * SIM_TICK;
	clock[GPU_CLOCK_ACTIVE] = m->gpu_total[GPU_ACTIVE][0] - sim->last_active;
	clock[GPU_CLOCK_TIME] = (uint64_t)(sample->end_ns - sample->begin_ns);
	clock[GPU_CLOCK_SHADER_CY] = clock[GPU_CLOCK_CY]; /* one clock for all of it */
	/* what was counted is exact, and of long intervals too much would be unknown */
	if (m->clock_changes != sim->last_changes && sample->end_ns > sim->pace.live_ns)
		sample->flags |= SAMPLE_CLOCK;
	sim->last_tick = m->tick;
	sim->last_active = m->gpu_total[GPU_ACTIVE][0];
	sim->last_changes = m->clock_changes;
}

/* Temperature slowly follows the GPU's load and clock; memory follows what is loaded. */
static void update_levels(struct sim *sim, int64_t passed_ns)
{
	const struct sim_model *m = &sim->model;
	double clock = (double)m->khz / (double)m->gpu.top_khz, target = 38 + 34 * m->load * clock * clock,
	       drifts[SIM_DRIFTS];
	double slow = (double)passed_ns / 25e9;

	sim_drift(m->seed, sim->pace.sim_ns, drifts);
	sim->celsius += (target - sim->celsius) * (slow < 1 ? slow : 1);
	sim->memory = (double)(700 << 20) * (1 + 0.04 * drifts[0]) + 28 * m->pixels;
	sim->levels_ns = sim->pace.sim_ns;
}

static void read_levels(struct sim *sim, uint64_t *levels)
{
	if (!sim->levels_ns || sim->pace.sim_ns - sim->levels_ns >= LEVELS_NS)
		update_levels(sim, sim->pace.sim_ns - sim->levels_ns);
	levels[LEVEL_CLOCK] = sim->model.khz * 1000;
	levels[LEVEL_CELSIUS] = (uint64_t)(sim->celsius * 1000);
	levels[LEVEL_UTILIZATION] = (uint64_t)(sim->model.load * 100 + 0.5);
	levels[LEVEL_MEMORY] = (uint64_t)sim->memory;
}

static enum read_result sim_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct sim *sim = source->priv;

	if (!sim_pace_next(&sim->pace, now_ns, sample))
		return READ_NONE;
	sim_model_run(&sim->model, sim->pace.sim_ns);
	sim_fill_read(&sim->fill, sample->end_ns - sample->begin_ns, sample->value);
	read_clock(source, sample);
	read_levels(sim, sample->value + sim->level_slot);
	return READ_GOT;
}

static void sim_stop(struct source *source)
{
	(void)source;
}

static void sim_close(struct source *source)
{
	struct sim *sim = source->priv;

	sim_fill_fini(&sim->fill);
}

static void describe_phase(struct strbuf *text, const struct sim_scenario *s, const struct sim_phase *phase)
{
	const char *between = "";

	if (s->n_phases > 1)
		strbuf_printf(text, "%-10s%g s: ", phase->name, phase->seconds);
	else
		strbuf_str(text, "frame     ");
	for (unsigned i = 0; i < s->n_passes; i++) {
		const struct sim_pass *p = &s->passes[i];

		if (!(phase->passes & 1u << i))
			continue;
		strbuf_printf(text, "%s%s%s", between, p->name,
			      p->load[STREAM_COMPUTE] > 0 ? " (compute)"
			      : p->waits > 0              ? " (after all before)"
							  : "");
		between = ", ";
	}
	strbuf_str(text, "\n");
}

/* The ui thread calls this while the sampler reads, so it uses only what open wrote. */
static void sim_describe(const struct source *source, struct strbuf *text)
{
	const struct sim *sim = source->priv;
	const struct sim_scenario *s = &sim->model.scenario;

	strbuf_printf(text, "\nscenario  %s: %s\n", s->name, s->help);
	strbuf_printf(text, "seed      %" PRIu64 "; the same seed, interval and scenario give the same run\n",
		      source->options.seed);
	strbuf_printf(text, "display   %ux%u at %g Hz\n", sim->model.width, sim->model.height,
		      sim->model.fps);
	for (unsigned i = 0; i < s->n_phases; i++)
		describe_phase(text, s, &s->phases[i]);
	if (source->note[0])
		strbuf_printf(text, "note      %s\n", source->note);
}

const struct backend backend_sim = {
	.name = "sim",
	.help = "a simulated phone, for trying things out: --demo, --gpu, --seed, --fps, --resolution; "
		"sim:gpu is its GPU alone",
	.interfaces = "gpu",
	.asked_only = true,
	.kind = SOURCE_GPU,
	.priv_size = sizeof(struct sim),
	.probe = sim_probe,
	.open = sim_open,
	.start = sim_start,
	.read = sim_read,
	.stop = sim_stop,
	.close = sim_close,
	.describe = sim_describe,
};
