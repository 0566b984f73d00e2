#include "backends/sim/sim.h"

#include "backends/backends.h"
#include "backends/gpu/gpu_fold.h"
#include "backends/gpu/gpu_identity.h"
#include "backends/gpu/gpu_system.h"
#include "backends/sim/sim_model.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LEVELS_NS 1000000000 /* how often levels of the system change, as for a real GPU */

/* How one counter slot gets its value: from the total of a quantity. */
struct sim_slot {
	uint8_t block, quantity;
	uint8_t lane, lanes; /* the first one, and how many are added up; 0: unknown */
	uint16_t scale;
	uint64_t last; /* the count at the last read */
};

struct sim {
	struct sim_pace pace; /* first */
	struct sim_model model;
	struct sim_slot *slots; /* of the model; one per counter slot of the source */
	unsigned n_slots;
	struct gpu_balance balance;
	uint64_t last_exec[SIM_CORES_MAX];
	unsigned clock_slot; /* first of the clock slots */
	unsigned level_slot; /* first of the driver's level slots */
	int64_t levels_ns;   /* simulated time at which they were last updated */
	double celsius, memory;
	uint64_t last_tick, last_active;
	unsigned last_changes;
};

/* The lane of a queue's counter, by its name before "Queue". */
static const struct {
	const char *name;
	uint8_t lane;
} queues[] = {{"MaliFrag", STREAM_FRAGMENT},  {"MaliMain", STREAM_FRAGMENT}, {"MaliVert", STREAM_VERTEX},
	      {"MaliBinning", STREAM_VERTEX}, {"MaliTiler", STREAM_VERTEX},  {"MaliComp", STREAM_COMPUTE},
	      {"MaliNonFrag", LANE_NONFRAG}};

static struct sim_slot plan_slot(const struct source *source, const struct sim_model *m,
				 const struct slot *slot, struct sim_book *book)
{
	struct sim_slot p = {.scale = (uint16_t)slot->scale, .lanes = 1};
	const struct sim_counter *c = book->counters, *end = c + book->n_counters;
	const char *name = slot->name, *queue = strstr(name, "Queue");

	for (unsigned q = 0; q < ARRAY_LEN(queues) && queue; q++)
		if (span_is((struct span){slot->name, (size_t)(queue - slot->name)}, queues[q].name)) {
			p.lane = queues[q].lane;
			name = queue;
		}
	while (c < end && !span_is(c->name, name))
		c++;
	if (c == end)
		return (struct sim_slot){0};
	book->needed[c->block][c->quantity] = true;
	p.block = c->block;
	p.quantity = c->quantity;
	if (slot->instance == INSTANCE_SLICE)
		p.lane = (uint8_t)slot->number;
	else if (slot->instance != INSTANCE_ALL)
		/* core numbers include the holes of the core mask; the model has none */
		p.lane = (uint8_t)__builtin_popcountll(source->constants.core_mask &
						       ((1ull << slot->number) - 1));
	else if (c->block == SIM_CORE || c->block == SIM_SLICE)
		p.lanes = (uint8_t)(c->block == SIM_CORE ? m->gpu.cores : m->gpu.slices);
	return p;
}

/* Write the counts since the last read, sample_ns ago, per slot. Each instance counts in its own
 * units of `scale`. */
static void read_counters(struct sim *sim, int64_t sample_ns, uint64_t *value)
{
	const struct sim_model *m = &sim->model;

	for (struct sim_slot *slot = sim->slots; slot < sim->slots + sim->n_slots; slot++) {
		const uint64_t *total = sim_total(m, slot->block, slot->quantity) + slot->lane;
		uint64_t now = 0;

		for (unsigned i = 0; i < slot->lanes; i++)
			now += slot->scale > 1 ? total[i] / slot->scale : total[i];
		value[slot - sim->slots] = slot->lanes ? now - slot->last : SAMPLE_UNKNOWN;
		slot->last = now;
	}
	for (unsigned i = 0; i < m->gpu.cores && sim->balance.slot >= 0; i++) {
		uint64_t now = sim_total(m, SIM_CORE, CORE_EXEC)[i];

		gpu_balance_add(&sim->balance, i, now - sim->last_exec[i]);
		sim->last_exec[i] = now;
	}
	gpu_balance_fill(&sim->balance, sample_ns, value);
}

/* One product has a hole in its core mask, as if a core had been fused off. */
static uint64_t core_mask(const struct gpu_product *product)
{
	if (!strcmp(product->name, "Mali-G610") && product->typical.cores == 4)
		return 0x17;
	return product->typical.cores < 64 ? (1ull << product->typical.cores) - 1 : UINT64_MAX;
}

/* Note that a GPU without ray tracing cannot show what the scenario's name promises. */
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

/* Read the rules, and plan how to fill the slots of the source. */
static bool show_counters(struct source *source, struct err *err)
{
	struct sim *sim = source->priv;
	struct sim_model *m = &sim->model;
	struct sim_book *book = xcalloc(1, sizeof(*book));
	bool ok = sim_book_load(book, &m->laws, &m->gpu, NULL, err);

	if (ok) {
		sim->n_slots = source->n_slots;
		sim->slots = sim_own(m, sim->n_slots, sizeof(*sim->slots));
		for (unsigned i = 0; i < sim->n_slots; i++)
			sim->slots[i] = plan_slot(source, m, &source->slots[i], book);
		gpu_balance_init(&sim->balance, source);
		sim_book_prune(book, &m->laws);
		sim_count_show(m);
	} else {
		sim_model_fini(m);
	}
	sim_book_free(book);
	return ok;
}

static bool sim_open(struct source *source, const char *device, struct err *err)
{
	struct sim *sim = source->priv;
	const struct gpu_product *product;

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
	gpu_identity_name(source, 0, false);
	snprintf(source->driver, sizeof(source->driver), "sim %s", sim->model.scenario.name);
	sim->clock_slot = source_add_gpu_sums(source);
	sim->level_slot = source->n_slots;
	for (unsigned i = 0; i < GPU_SYSTEM_LEVELS; i++)
		source_add_slot(source, &gpu_system_slots[i]);
	sim->celsius = 41;
	source_add_gpu_instances(source);
	note_rays(source);
	return show_counters(source, err);
}

static void read_clock(struct source *source, struct sample *sample)
{
	struct sim *sim = source->priv;
	const struct sim_model *m = &sim->model;
	uint64_t *clock = sample->value + sim->clock_slot;

	clock[GPU_CLOCK_CY] = (m->tick - sim->last_tick) * SIM_TICK;
	clock[GPU_CLOCK_ACTIVE] = m->active - sim->last_active;
	clock[GPU_CLOCK_TIME] = (uint64_t)(sample->end_ns - sample->begin_ns);
	clock[GPU_CLOCK_SHADER_CY] = clock[GPU_CLOCK_CY]; /* one clock for the whole GPU */
	/* counts are exact, and marking long intervals would make too much unknown */
	if (m->clock_changes != sim->last_changes && sample->end_ns > sim->pace.live_ns)
		sample->flags |= SAMPLE_CLOCK;
	sim->last_tick = m->tick;
	sim->last_active = m->active;
	sim->last_changes = m->clock_changes;
}

/* Set the levels. Temperature slowly follows the GPU's load and clock; memory follows loading. */
static void read_levels(struct sim *sim, uint64_t *levels)
{
	const struct sim_model *m = &sim->model;
	int64_t passed_ns = sim->pace.sim_ns - sim->levels_ns;

	if (!sim->levels_ns || passed_ns >= LEVELS_NS) {
		double clock = (double)m->khz / (double)m->gpu.top_khz, slow = (double)passed_ns / 25e9,
		       target = 38 + 34 * m->load * clock * clock, drifts[SIM_DRIFTS];

		sim_drift(m->seed, sim->pace.sim_ns, drifts);
		sim->celsius += (target - sim->celsius) * (slow < 1 ? slow : 1);
		sim->memory = (double)(700 << 20) * (1 + 0.04 * drifts[0]) + 28 * m->pixels;
		sim->levels_ns = sim->pace.sim_ns;
	}
	levels[GPU_SYSTEM_CLOCK] = m->khz * 1000;
	levels[GPU_SYSTEM_TEMPERATURE] = (uint64_t)(sim->celsius * 1000);
	levels[GPU_SYSTEM_UTILIZATION] = (uint64_t)(m->load * 100 + 0.5);
	levels[GPU_SYSTEM_MEMORY] = (uint64_t)sim->memory;
}

static enum read_result sim_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct sim *sim = source->priv;

	if (!sim_pace_next(&sim->pace, now_ns, sample))
		return READ_NONE;
	sim_model_run(&sim->model, sim->pace.sim_ns);
	read_counters(sim, sample->end_ns - sample->begin_ns, sample->value);
	read_clock(source, sample);
	read_levels(sim, sample->value + sim->level_slot);
	return READ_GOT;
}

static void sim_close(struct source *source)
{
	struct sim *sim = source->priv;

	sim_model_fini(&sim->model);
}

static void describe_phase(struct strbuf *text, const struct sim_scenario *s, const struct sim_phase *phase)
{
	const char *between = "";

	if (s->n_phases > 1)
		strbuf_printf(text, "%-10.*s%g s: ", SPAN_ARG(phase->name), phase->seconds);
	else
		strbuf_str(text, "frame     ");
	for (unsigned i = 0; i < s->n_passes; i++) {
		const struct sim_pass *p = &s->passes[i];

		if (!(phase->passes & 1u << i))
			continue;
		strbuf_printf(text, "%s%.*s%s", between, SPAN_ARG(p->name),
			      p->load[STREAM_COMPUTE] > 0 ? " (compute)"
			      : p->waits > 0              ? " (after all before)"
							  : "");
		between = ", ";
	}
	strbuf_str(text, "\n");
}

/* The ui thread calls this while the sampler reads, so use only what open wrote. */
static void sim_describe(const struct source *source, struct strbuf *text)
{
	const struct sim *sim = source->priv;
	const struct sim_scenario *s = &sim->model.scenario;
	struct span help = s->help, word;

	strbuf_printf(text, "\nscenario  %s:", s->name);
	while ((word = span_word(&help)).n)
		strbuf_printf(text, " %.*s", SPAN_ARG(word));
	strbuf_printf(text,
		      "\nseed      %" PRIu64 "; the same seed, interval and scenario give the same run\n",
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
