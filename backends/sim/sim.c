#include "backends/sim/sim.h"

#include "backends/backends.h"
#include "backends/sim/sim_fill.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEHIND_NS 5000000000ll /* further behind means that the machine slept */
#define DEFAULT_FPS 60.0
#define DEFAULT_WIDTH 1920
#define DEFAULT_HEIGHT 1080

struct sim {
	struct sim_model model;
	struct sim_fill fill;
	unsigned clock_slot; /* of the three clock slots */
	double fps;
	unsigned width, height;
	int64_t start_ns; /* what the stamps count from */
	int64_t interval; /* number of the next one, with those that were skipped */
	int64_t sim_ns;   /* simulated so far: skipped intervals are not */
	uint64_t last_tick, last_active;
	unsigned last_changes;
};

static bool sim_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	(void)sys, (void)found, (void)err; /* never found, only asked for */
	return true;
}

/* One product has a hole in its core mask, as fused-off cores leave it. */
static uint64_t core_mask(const struct gpu_product *product)
{
	if (!strcmp(product->name, "Mali-G610") && product->typical.cores == 4)
		return 0x17;
	return product->typical.cores < 64 ? (1ull << product->typical.cores) - 1 : UINT64_MAX;
}

static bool find_product(struct source *source, struct err *err)
{
	const char *name = source->options.gpu_name ? source->options.gpu_name : "Mali-G715";
	const struct gpu_product *product = gpudb_by_name(source->options.db, name);
	char shown[64];

	if (!product)
		return err_set(err, 0, "sim: unknown GPU '%s': see `malitop list gpus`",
			       str_printable(shown, sizeof(shown), name));
	if (!product->layout->n_published)
		return err_set(err, 0, "sim: %s has no published counters: see `malitop list gpus` for others", product->name);
	if (product->typical.cores - 1 >= SIM_CORES_MAX || product->typical.slices - 1 >= SIM_SLICES_MAX ||
	    product->typical.bus_bits - 1 >= 512 || 512 % product->typical.bus_bits || !product->typical.mhz)
		return err_set(
			err, 0,
			"sim: %s cannot be simulated: its `typical` line needs 1 to %d cores, 1 to %d slices, a bus that divides "
			"512 bits, and a clock",
			product->name, SIM_CORES_MAX, SIM_SLICES_MAX);
	source->product = product;
	return true;
}

static const struct sim_scenario *find_scenario(const struct source *source, struct err *err)
{
	const char *name = source->options.scenario ? source->options.scenario : "mixed";
	const struct sim_scenario *scenario = sim_scenario_find(name);
	AUTO_STRBUF struct strbuf all = {0};
	char shown[64];

	if (scenario)
		return scenario;
	for (unsigned i = 0; i < sim_n_scenarios; i++)
		strbuf_printf(&all, "%s%s", i ? " " : "", sim_scenarios[i].name);
	err_set(err, 0, "sim: unknown scenario '%s': expected one of %s", str_printable(shown, sizeof(shown), name), all.p);
	return NULL;
}

static bool sim_open(struct source *source, const char *device, struct err *err)
{
	struct sim *sim = source->priv;
	const struct sim_scenario *scenario = find_scenario(source, err);
	const struct gpu_product *product;
	struct sim_shown shown = {0};

	(void)device;
	if (!scenario || !find_product(source, err))
		return false;
	product = source->product;
	sim->fps = source->options.frames_per_second > 0 ? source->options.frames_per_second : DEFAULT_FPS;
	sim->width = source->options.width ? source->options.width : DEFAULT_WIDTH;
	sim->height = source->options.height ? source->options.height : DEFAULT_HEIGHT;
	source->simulated = true;
	source->constants = (struct source_constants){
		.core_count = product->typical.cores,
		.l2_slice_count = product->typical.slices,
		.bus_width_bits = product->typical.bus_bits,
		.core_mask = core_mask(product),
		.top_hz = product->typical.mhz * 1e6,
	};
	snprintf(source->title, sizeof(source->title), "%s %u core%s", gpu_product_shown_name(product, product->typical.cores),
		 product->typical.cores, product->typical.cores == 1 ? "" : "s");
	snprintf(source->driver, sizeof(source->driver), "sim %s", scenario->name);
	sim->clock_slot = source_add_gpu_sums(source);
	source_add_gpu_instances(source);
	sim_model_init(&sim->model, product, scenario, source->options.seed, sim->fps, sim->width, sim->height);
	sim_fill_init(&sim->fill, source, &sim->model, &shown);
	sim_count_show(&sim->model, &shown);
	return true;
}

static bool sim_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct sim *sim = source->priv;

	(void)err;
	source->period_ns = period_ns;
	sim->start_ns = now_ns;
	sim->interval = 0;
	return true;
}

static int sim_fd(const struct source *source)
{
	(void)source;
	return -1;
}

static void read_clock(struct source *source, struct sample *sample)
{
	struct sim *sim = source->priv;
	const struct sim_model *m = &sim->model;
	uint64_t *clock = sample->value + sim->clock_slot;

	clock[GPU_CLOCK_CY] = (m->tick - sim->last_tick) * SIM_TICK;
	clock[GPU_CLOCK_ACTIVE] = m->gpu_total[GPU_ACTIVE][0] - sim->last_active;
	clock[GPU_CLOCK_TIME] = (uint64_t)source->period_ns;
	clock[GPU_CLOCK_SHADER_CY] = clock[GPU_CLOCK_CY]; /* one clock for all of it */
	if (m->clock_changes != sim->last_changes)
		sample->flags |= SAMPLE_CLOCK;
	sim->last_tick = m->tick;
	sim->last_active = m->gpu_total[GPU_ACTIVE][0];
	sim->last_changes = m->clock_changes;
}

static enum read_result sim_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct sim *sim = source->priv;
	int64_t period = source->period_ns, due = (now_ns - sim->start_ns) / period; /* intervals that have ended */

	if (now_ns < sim->start_ns || due <= sim->interval)
		return READ_NONE;
	sample->flags = SAMPLE_SIMULATED;
	sample->lost = 0;
	if (now_ns - sim->start_ns - sim->interval * period > BEHIND_NS + period) {
		sample->flags |= SAMPLE_GAP;
		sample->lost = (uint32_t)(due - 1 - sim->interval);
		sim->interval = due - 1;
	}
	sample->begin_ns = sim->start_ns + sim->interval * period;
	sample->end_ns = sample->begin_ns + period;
	sim->interval++;
	sim->sim_ns += period;
	sim_model_run(&sim->model, sim->sim_ns);
	sim_fill_read(&sim->fill, sample->value);
	read_clock(source, sample);
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

/* The ui thread calls this while the sampler reads: only what open wrote is used. */
static void sim_describe(const struct source *source, struct strbuf *text)
{
	const struct sim *sim = source->priv;
	const struct sim_scenario *s = sim->model.scenario;

	strbuf_printf(text, "\nscenario  %s: %s\n", s->name, s->help);
	strbuf_printf(text, "seed      %" PRIu64 "; the same seed, interval and scenario give the same run\n",
		      source->options.seed);
	strbuf_printf(text, "display   %ux%u at %g Hz\n", sim->width, sim->height, sim->fps);
	for (unsigned i = 0; i < s->n_passes; i++) {
		const struct sim_pass *p = &s->passes[i];

		strbuf_printf(text, "%s%s%s", i ? ", " : "frame     ", p->name,
			      p->compute > 0 ? " (compute)"
			      : p->waits     ? " (after all before)"
					     : "");
	}
	strbuf_str(text, "\n");
	for (unsigned i = 0; i < s->n_passes; i++)
		if (s->passes[i].compute_shader && s->passes[i].compute_shader->rt > 0 && !sim->model.gpu.ray_tracing)
			strbuf_printf(text, "note      %s has no ray tracing unit: the rays are marched in compute shaders\n",
				      source->product->name);
}

const struct backend backend_sim = {
	.name = "sim",
	.help = "a simulated GPU, for trying things out: --demo, --gpu, --seed, --fps, --resolution",
	.kind = SOURCE_GPU,
	.priv_size = sizeof(struct sim),
	.probe = sim_probe,
	.open = sim_open,
	.start = sim_start,
	.fd = sim_fd,
	.read = sim_read,
	.stop = sim_stop,
	.close = sim_close,
	.describe = sim_describe,
};
