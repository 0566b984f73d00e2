#include "backends/sim/sim.h"

#include "base/alloc.h"
#include "base/str.h"

#include <string.h>

/* in the order of struct sim_shader: alu  tex  ls  var  rt  bus  hit  issue
 *                                    any  samples  filter  comp  narrow  div  regs */
static const struct sim_shader position = {0.34, 0.00, 0.42, 0.00, 0.00, 0.10, 0.80, 0.78,
					   0.97, 0.0,  1.0,  0.0,  0.10, 0.01, 0.02};
static const struct sim_shader skinning = {0.40, 0.00, 0.73, 0.00, 0.00, 0.14, 0.82, 0.92,
					   0.99, 0.0,  1.0,  0.0,  0.06, 0.02, 0.30};
static const struct sim_shader depth = {0.12, 0.04, 0.03, 0.05, 0.00, 0.08, 0.75, 0.55,
					0.85, 0.5,  1.1,  0.9,  0.55, 0.02, 0.00};
static const struct sim_shader material = {0.46, 0.42, 0.10, 0.28, 0.00, 0.15, 0.80, 0.93,
					   0.98, 5.0,  1.7,  0.85, 0.45, 0.07, 0.16};
static const struct sim_shader plain = {0.20, 0.30, 0.06, 0.24, 0.00, 0.15, 0.80, 0.90,
					0.97, 2.0,  1.4,  0.85, 0.50, 0.03, 0.04};
static const struct sim_shader heavy = {0.80, 0.44, 0.14, 0.30, 0.00, 0.13, 0.86, 0.99,
					1.00, 8.0,  1.9,  0.80, 0.26, 0.13, 0.55};
static const struct sim_shader overlay = {0.16, 0.38, 0.04, 0.16, 0.00, 0.16, 0.72, 0.80,
					  0.80, 1.2,  1.0,  0.35, 0.72, 0.01, 0.00};
static const struct sim_shader blur = {0.30, 0.34, 0.30, 0.00, 0.00, 0.18, 0.76, 0.94,
				       0.97, 4.0,  1.05, 0.0,  0.50, 0.03, 0.05};
static const struct sim_shader simulation = {0.84, 0.05, 0.58, 0.00, 0.00, 0.08, 0.90, 0.99,
					     1.00, 1.0,  1.3,  0.0,  0.04, 0.10, 0.42};
static const struct sim_shader streaming = {0.16, 0.30, 0.12, 0.12, 0.00, 0.66, 0.30, 0.93,
					    0.99, 10.0, 1.25, 0.05, 0.35, 0.02, 0.04};
static const struct sim_shader copying = {0.10, 0.10, 0.36, 0.00, 0.00, 0.62, 0.30, 0.92,
					  0.98, 1.0,  1.0,  0.0,  0.10, 0.01, 0.00};
static const struct sim_shader traversal = {0.26, 0.10, 0.22, 0.00, 0.78, 0.17, 0.80, 0.97,
					    0.99, 1.0,  1.1,  0.6,  0.08, 0.31, 0.80};

/* in the order of struct sim_look: prims  verts  facing  frust  sciss  overd  early  hidden
 *                                  late  test  opaque  buff  coarse  blend  still  tile */
static const struct sim_look scene = {0.14, 1.15, 0.47, 0.12, 0.01, 1.30, 0.35, 0.22,
				      0.06, 0.92, 0.84, 0.97, 0.97, 0.01, 0.02, 3.2};
static const struct sim_look shadow = {0.18, 0.92, 0.48, 0.18, 0.05, 0.45, 0.60, 0.05,
				       0.01, 1.00, 1.00, 0.75, 1.00, 0.00, 0.01, 2.2};
static const struct sim_look layers = {0.05, 1.95, 0.02, 0.02, 0.00, 2.40, 0.05, 0.10,
				       0.08, 0.95, 0.06, 0.98, 0.70, 0.09, 0.00, 3.0};
static const struct sim_look interface = {0.01, 2.05, 0.00, 0.01, 0.14, 1.30, 0.02, 0.04,
					  0.00, 0.05, 0.35, 0.88, 1.00, 0.03, 0.45, 2.6};
static const struct sim_look still = {0.01, 2.05, 0.00, 0.01, 0.14, 1.20, 0.02, 0.04,
				      0.00, 0.05, 0.45, 0.80, 1.00, 0.02, 0.95, 2.6};
static const struct sim_look dense = {0.34, 0.78, 0.49, 0.22, 0.02, 0.90, 0.55, 0.12,
				      0.03, 0.97, 0.97, 0.90, 1.00, 0.00, 0.00, 3.2};
static const struct sim_look prepass = {0.20, 0.85, 0.49, 0.16, 0.02, 0.95, 0.50, 0.12,
					0.03, 1.00, 1.00, 0.70, 1.00, 0.00, 0.00, 3.2};
static const struct sim_look quad = {0.001, 1.6,  0.00, 0.00, 0.00, 1.00, 0.00, 0.00,
				     0.00,  0.00, 1.00, 0.99, 1.00, 0.00, 0.02, 3.4};
static const struct sim_look wide = {0.02, 1.40, 0.10, 0.05, 0.00, 1.60, 0.10, 0.10,
				     0.02, 0.60, 0.90, 0.94, 1.00, 0.00, 0.00, 9.0};

#define QUEUE_VERTEX "MaliVertQueueUtil | MaliBinningQueueUtil | MaliNonFragQueueUtil"
#define QUEUE_FRAGMENT "MaliFragQueueUtil | MaliMainQueueUtil"
#define QUEUE_COMPUTE "MaliCompQueueUtil | MaliNonFragQueueUtil"
#define BUSY_FRAGMENT "MaliFragQueueUtil / 100 * GPUBusy | MaliMainQueueUtil / 100 * GPUBusy"
#define BUSY_VERTEX                                                                                          \
	"MaliVertQueueUtil / 100 * GPUBusy | MaliBinningQueueUtil / 100 * GPUBusy | MaliNonFragQueueUtil / " \
	"100 * GPUBusy"
#define PASS(index) (1u << (index))
#define ALWAYS(refreshes)                                            \
	.phases =                                                    \
		{                                                    \
			{"always", 1, SIM_EVERY_PASS, refreshes, 1}, \
	},                                                           \
	.n_phases = 1
#define SLOW_READS "(MaliExtBusRdLat256 + MaliExtBusRdLat320 + MaliExtBusRdLat384) / MaliExtBusRdBt * 100"

const struct sim_scenario sim_scenarios[] = {
	{
		.name = "idle",
		.help = "A still screen: now and then a small frame of the user interface.",
		.passes = {{"interface", 0.005, 0.04, 0, &position, &overlay, NULL, &still, 1, false}},
		.n_passes = 1,
		ALWAYS(40),
		.cpu = {0.01, 0.006, 0.002, 0.8},
		.in_flight = 2,
		.imbalance = 0.03,
		.start_step = 1,
		.expect = {{"GPUBusy", 0, 3, "the GPU is almost never active"},
			   {"MaliGPUIRQUtil", 0, 2, "interrupts pend for less than 2 % of active cycles"},
			   {SLOW_READS, 0, 20, "memory answers fast because nothing competes for it"}},
		.n_expect = 3,
	},
	{
		.name = "mixed",
		.help = "A game that holds its frame rate, with binning and compute beside fragment work: "
			"play, a hitch every 30 "
			"s, "
			"a menu, a while untouched. The clock follows the load.",
		.passes = {{"shadow map", 0.05, 0.03, 0, &position, &depth, NULL, &shadow, 0.5, false},
			   {"scene", 0.08, 0.19, 0, &position, &material, NULL, &scene, 1, false},
			   {"particles", 0, 0, 0.05, NULL, NULL, &blur, &quad, 1, false},
			   {"interface", 0.005, 0.05, 0, &position, &overlay, NULL, &interface, 1, false},
			   {"menu", 0.02, 0.16, 0, &position, &overlay, NULL, &interface, 1, false},
			   {"still screen", 0.005, 0.04, 0, &position, &overlay, NULL, &still, 1, false}},
		.n_passes = 6,
		.phases = {{"play", 42, PASS(0) | PASS(1) | PASS(2) | PASS(3), 1, 1},
			   {"menu", 10, PASS(4), 1, 0.4},
			   {"play", 22, PASS(0) | PASS(1) | PASS(2) | PASS(3), 1, 1},
			   {"idle", 8, PASS(5), 40, 0.03},
			   {"menu", 8, PASS(4), 1, 0.4}},
		.n_phases = 5,
		.hitch_every_s = 30,
		.hitch_first_s = 8,
		.cpu = {0.46, 0.3, 0.16, 1},
		.in_flight = 2,
		.wave = 0.3,
		.imbalance = 0.03,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 45, 80, "the frame rate is met with time to spare"},
			   {QUEUE_FRAGMENT, 50, 85, "most of the work is fragment work"},
			   {QUEUE_VERTEX, 20, 70, "vertex work runs beside it"},
			   {"MaliGeomVisibleRate", 35, 55, "about half of the primitives are visible"},
			   {"MaliExtBusRdStallRate", 0, 15, "the memory keeps up"},
			   {"MaliFragOverdraw", 1, 3, "each pixel is shaded only a little more than once"}},
		.n_expect = 6,
	},
	{
		.name = "fragment-bound",
		.help = "Shading takes longer than a frame: the fragment queue never runs dry, and binning "
			"overlaps with it.",
		.passes = {{"shadow map", 0.04, 0.06, 0, &position, &depth, NULL, &shadow, 0.5, false},
			   {"scene", 0.12, 1.00, 0, &position, &heavy, NULL, &scene, 1, false},
			   {"particles", 0.02, 0.30, 0, &position, &heavy, NULL, &layers, 1, false}},
		.n_passes = 3,
		ALWAYS(1),
		.cpu = {0.3, 0.18, 0.1, 1},
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.06,
		.start_step = SIM_CLOCK_STEPS - 1,
		.busiest = "MaliALUUtil",
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_FRAGMENT, 90, 100, "the dominant queue is close to 100 %"},
			   {QUEUE_VERTEX, 10, 40, "the other queue runs at the same time"},
			   {"MaliALUUtil", 60, 90, "the busiest unit is the arithmetic one"},
			   {"MaliFragFPKBUtil", 80, 100, "the front end keeps up with shading"},
			   {"MaliExtBusRdStallRate", 0, 15, "memory is not the bottleneck"}},
		.n_expect = 6,
	},
	{
		.name = "vertex-bound",
		.help = "Meshes far too dense for the screen: binning never stops, fragment work waits for "
			"it.",
		.passes = {{"scene", 1.20, 0.28, 0, &skinning, &plain, NULL, &dense, 1, false}},
		.n_passes = 1,
		ALWAYS(1),
		.cpu = {0.34, 0.22, 0.12, 1},
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.04,
		.start_step = SIM_CLOCK_STEPS - 1,
		.busiest = "MaliLSUtil",
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_VERTEX, 90, 100, "the dominant queue is close to 100 %"},
			   {QUEUE_FRAGMENT, 15, 50, "fragment work waits for geometry"},
			   {"MaliTilerUtil", 85, 100, "the tiler works all the time"},
			   {"MaliLSUtil", 45, 70, "vertex data loads the load/store unit most"},
			   {"MaliGeomVisibleRate", 10, 34, "most of the geometry is culled"}},
		.n_expect = 6,
	},
	{
		.name = "compute-bound",
		.help = "A simulation in compute shaders takes all the time; drawing its result is cheap.",
		.passes = {{"forces", 0, 0, 0.70, NULL, NULL, &simulation, &quad, 1, false},
			   {"integration", 0, 0, 0.50, NULL, NULL, &simulation, &quad, 1, false},
			   {"scene", 0.04, 0.12, 0, &position, &material, NULL, &scene, 1, false}},
		.n_passes = 3,
		ALWAYS(1),
		.cpu = {0.28, 0.16, 0.1, 1},
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.04,
		.start_step = SIM_CLOCK_STEPS - 1,
		.busiest = "MaliALUUtil",
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_COMPUTE, 85, 100, "the dominant queue is close to 100 %"},
			   {QUEUE_FRAGMENT, 2, 35, "there is little to draw"},
			   {"MaliALUUtil", 65, 90, "arithmetic is the busiest unit"},
			   {"MaliLSUtil", 40, 70, "shared memory and buffers load the load/store unit"}},
		.n_expect = 5,
	},
	{
		.name = "bandwidth-bound",
		.help = "Wide targets and uncompressed textures: the cores wait for saturated memory.",
		.passes = {{"gather", 0, 0, 0.12, NULL, NULL, &copying, &quad, 1, false},
			   {"scene", 0.06, 0.75, 0, &position, &streaming, NULL, &wide, 1, false},
			   {"resolve", 0.001, 0.40, 0, &position, &streaming, NULL, &wide, 1, false}},
		.n_passes = 3,
		ALWAYS(1),
		.cpu = {0.3, 0.17, 0.1, 0.72},
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.04,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {"MaliExtBusRdStallRate", 30, 60,
			    "the GPU asks for more than the memory delivers"},
			   {SLOW_READS, 80, 100, "reads take longer than 256 cycles"},
			   {"MaliL2CacheRdMissRate", 40, 90, "most reads miss the L2"},
			   {"MaliALUUtil", 5, 30, "no unit is busy"},
			   {"MaliTexUtil", 1, 45, "not even texturing"}},
		.n_expect = 6,
	},
	{
		.name = "cpu-bound",
		.help = "The CPU takes longer for a frame than two refreshes: the GPU idles in between and "
			"its clock sinks.",
		.passes = {{"shadow map", 0.03, 0.02, 0, &position, &depth, NULL, &shadow, 0.5, false},
			   {"scene", 0.06, 0.14, 0, &position, &material, NULL, &scene, 1, false}},
		.n_passes = 2,
		ALWAYS(0),
		.wave = 0.1,
		.cpu_frame = 2.4,
		.cpu = {1, 0.38, 0.3, 0.85},
		.in_flight = 2,
		.imbalance = 0.03,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 3, 45, "the GPU waits for the application most of the time"},
			   {BUSY_FRAGMENT, 2, 40, "no queue has work for long"},
			   {BUSY_VERTEX, 1, 30, "the other queue does not either"},
			   {"MaliExtBusRdStallRate", 0, 15, "memory is not the bottleneck"}},
		.n_expect = 4,
	},
	{
		.name = "serialised",
		.help = "Every pass reads what the one before it drew: the queues take turns, the GPU is "
			"never idle and never "
			"full.",
		.passes = {{"depth", 0.24, 0.10, 0, &position, &depth, NULL, &prepass, 1, true},
			   {"light culling", 0, 0, 0.24, NULL, NULL, &blur, &quad, 1, true},
			   {"scene", 0.10, 0.30, 0, &position, &material, NULL, &scene, 1, true},
			   {"exposure", 0, 0, 0.14, NULL, NULL, &blur, &quad, 1, true}},
		.n_passes = 4,
		ALWAYS(0),
		.wave = 0.05,
		.cpu = {0.42, 0.2, 0.08, 1},
		.in_flight = 1,
		.imbalance = 0.03,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_FRAGMENT, 20, 70, "but no queue is close to 100 %:"},
			   {QUEUE_COMPUTE, 20, 70, "not compute,"},
			   {QUEUE_VERTEX, 20, 70, "not vertex"},
			   {"GPUQueueCy / MaliGPUActiveCy * 100", 95, 102, "together they take all the time"},
			   {"GPUSerialisation", 95, 100, "as only one works at a time"}},
		.n_expect = 6,
	},
	{
		.name = "raytracing",
		.help = "Reflections traced in compute shaders over a cheap scene.",
		.passes = {{"scene", 0.06, 0.20, 0, &position, &material, NULL, &scene, 1, false},
			   {"reflections", 0, 0, 0.95, NULL, NULL, &traversal, &quad, 1, true},
			   {"composition", 0.001, 0.08, 0, &position, &overlay, NULL, &quad, 1, false}},
		.n_passes = 3,
		ALWAYS(1),
		.cpu = {0.29, 0.16, 0.1, 1},
		.in_flight = 2,
		.wave = 0.04,
		.imbalance = 0.12,
		.start_step = SIM_CLOCK_STEPS - 1,
		.busiest = "MaliRTUUtil | MaliLSUtil",
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_COMPUTE, 60, 100, "the rays keep the compute queue busy"},
			   {"MaliRTUUtil | MaliLSUtil", 38, 75,
			    "their unit is the busiest, or load/store in its place"},
			   {"MaliRTURay / MaliCoreActiveCy", 0.02, 2, "rays are started"},
			   {"MaliALUUtil", 20, 60, "arithmetic is not the limit"},
			   {"MaliTilerUtil", 0, 25, "nor is geometry"}},
		.n_expect = 6,
	},
	{
		.name = "uncapped",
		.help = "A light scene without any frame limit: more frames than are wanted, and a GPU that "
			"is always busy.",
		.passes = {{"scene", 0.06, 0.30, 0, &position, &material, NULL, &scene, 1, false}},
		.n_passes = 1,
		ALWAYS(0),
		.cpu = {0.5, 0.3, 0.2, 1},
		.paced = true,
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.03,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_FRAGMENT, 85, 100, "with fragment work"},
			   {"MaliExtBusRdStallRate", 0, 15, "the memory keeps up"}},
		.n_expect = 3,
	},
	{
		.name = "capped-30",
		.help = "A game that limits itself to 30 frames per second, whatever rate is wanted.",
		.passes = {{"shadow map", 0.05, 0.03, 0, &position, &depth, NULL, &shadow, 0.5, false},
			   {"scene", 0.08, 0.30, 0, &position, &material, NULL, &scene, 1, false}},
		.n_passes = 2,
		ALWAYS(1),
		.own_fps = 30,
		.cpu = {0.18, 0.2, 0.1, 1},
		.paced = true,
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.03,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 10, 80, "the GPU has time left"},
			   {QUEUE_FRAGMENT, 50, 100, "most of the work is fragment work"},
			   {"MaliExtBusRdStallRate", 0, 15, "the memory keeps up"}},
		.n_expect = 3,
	},
	{
		.name = "sleeping-limiter",
		.help = "A game that holds 60 frames per second by sleeping, which no call of the API shows.",
		.passes = {{"scene", 0.08, 0.25, 0, &position, &material, NULL, &scene, 1, false}},
		.n_passes = 1,
		ALWAYS(1),
		.own_fps = 60,
		.sleeps = true,
		.cpu = {0.25, 0.2, 0.1, 1},
		.paced = true,
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.03,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 20, 90, "the GPU has time left"},
			   {QUEUE_FRAGMENT, 50, 100, "most of the work is fragment work"},
			   {"MaliExtBusRdStallRate", 0, 15, "the memory keeps up"}},
		.n_expect = 3,
	},
};
const unsigned sim_n_scenarios = ARRAY_LEN(sim_scenarios);

const struct sim_scenario *sim_scenario_find(const char *name)
{
	for (unsigned i = 0; i < sim_n_scenarios; i++)
		if (!strcmp(sim_scenarios[i].name, name))
			return &sim_scenarios[i];
	return NULL;
}

const struct sim_scenario *sim_scenario_or_err(const char *name, struct err *err)
{
	const struct sim_scenario *scenario = sim_scenario_find(name ? name : "mixed");
	AUTO_STRBUF struct strbuf all = {0};
	char shown[64];

	if (scenario)
		return scenario;
	for (unsigned i = 0; i < sim_n_scenarios; i++)
		strbuf_printf(&all, "%s%s", i ? " " : "", sim_scenarios[i].name);
	err_set(err, 0, "sim: unknown scenario '%s': expected one of %s",
		str_printable(shown, sizeof(shown), name), all.p);
	return NULL;
}
