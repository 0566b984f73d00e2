#include "backends/sim/sim.h"

#include "base/alloc.h"

#include <string.h>

/*                                         alu   tex   ls    var   rt    bus   hit   issue */
static const struct sim_shader position = {0.34, 0.00, 0.42, 0.00, 0.00, 0.10, 0.80, 0.78};
static const struct sim_shader skinning = {0.62, 0.00, 0.66, 0.00, 0.00, 0.14, 0.82, 0.92};
static const struct sim_shader depth = {0.12, 0.04, 0.03, 0.05, 0.00, 0.08, 0.75, 0.55};
static const struct sim_shader material = {0.46, 0.42, 0.10, 0.28, 0.00, 0.15, 0.80, 0.93};
static const struct sim_shader heavy = {0.80, 0.48, 0.14, 0.30, 0.00, 0.13, 0.86, 0.99};
static const struct sim_shader overlay = {0.16, 0.38, 0.04, 0.16, 0.00, 0.16, 0.72, 0.85};
static const struct sim_shader blur = {0.30, 0.34, 0.30, 0.00, 0.00, 0.18, 0.76, 0.94};
static const struct sim_shader simulation = {0.84, 0.05, 0.58, 0.00, 0.00, 0.08, 0.90, 0.99};
static const struct sim_shader streaming = {0.16, 0.30, 0.12, 0.12, 0.00, 0.66, 0.30, 0.93};
static const struct sim_shader copying = {0.10, 0.10, 0.36, 0.00, 0.00, 0.62, 0.30, 0.92};
static const struct sim_shader traversal = {0.30, 0.10, 0.26, 0.00, 0.78, 0.17, 0.80, 0.97};

/*                                    prims facing frustum overdraw early hidden late  tile */
static const struct sim_look scene = {0.14, 0.47, 0.12, 1.7, 0.35, 0.22, 0.06, 3.2};
static const struct sim_look shadow = {0.18, 0.48, 0.18, 0.6, 0.60, 0.05, 0.01, 2.2};
static const struct sim_look layers = {0.05, 0.02, 0.02, 2.6, 0.05, 0.10, 0.08, 3.0};
static const struct sim_look interface = {0.01, 0.00, 0.01, 1.3, 0.02, 0.04, 0.00, 2.6};
static const struct sim_look dense = {0.34, 0.49, 0.22, 1.5, 0.55, 0.25, 0.03, 3.2};
static const struct sim_look quad = {0.001, 0.00, 0.00, 1.0, 0.00, 0.00, 0.00, 3.4};
static const struct sim_look wide = {0.02, 0.10, 0.05, 1.6, 0.10, 0.10, 0.02, 9.0};

#define QUEUE_VERTEX "MaliVertQueueUtil | MaliBinningQueueUtil | MaliNonFragQueueUtil"
#define QUEUE_FRAGMENT "MaliFragQueueUtil | MaliMainQueueUtil"
#define QUEUE_COMPUTE "MaliCompQueueUtil | MaliNonFragQueueUtil"
#define BUSY_FRAGMENT "MaliFragQueueUtil / 100 * GPUBusy | MaliMainQueueUtil / 100 * GPUBusy"
#define BUSY_VERTEX \
	"MaliVertQueueUtil / 100 * GPUBusy | MaliBinningQueueUtil / 100 * GPUBusy | MaliNonFragQueueUtil / 100 * GPUBusy"
#define SLOW_READS "(MaliExtBusRdLat256 + MaliExtBusRdLat320 + MaliExtBusRdLat384) / MaliExtBusRdBt * 100"

const struct sim_scenario sim_scenarios[] = {
	{
		.name = "idle",
		.help = "A still screen: now and then a small frame of the user interface.",
		.passes = {{"interface", 0.005, 0.04, 0, &position, &overlay, NULL, &interface, 1, false}},
		.n_passes = 1,
		.vsyncs = 40,
		.in_flight = 2,
		.imbalance = 0.03,
		.start_step = 1,
		.expect = {{"GPUBusy", 0, 3, "the GPU is active in next to none of the time"},
			   {"MaliGPUIRQUtil", 0, 2, "interrupts pend for less than 2 % of active cycles"},
			   {SLOW_READS, 0, 20, "memory answers fast as nothing competes for it"}},
		.n_expect = 3,
	},
	{
		.name = "mixed",
		.help = "A game that holds its frame rate: shadows, a scene, particles and the interface, with binning and "
			"compute "
			"beside fragment work. The load rises and falls, the clock follows.",
		.passes = {{"shadow map", 0.05, 0.03, 0, &position, &depth, NULL, &shadow, 0.5, false},
			   {"scene", 0.08, 0.19, 0, &position, &material, NULL, &scene, 1, false},
			   {"particles", 0, 0, 0.05, NULL, NULL, &blur, &quad, 1, false},
			   {"interface", 0.005, 0.05, 0, &position, &overlay, NULL, &interface, 1, false}},
		.n_passes = 4,
		.vsyncs = 1,
		.in_flight = 2,
		.wave = 0.2,
		.imbalance = 0.03,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 45, 80, "the frame rate is met with time to spare"},
			   {QUEUE_FRAGMENT, 50, 85, "fragment work is the most, but not all"},
			   {QUEUE_VERTEX, 20, 70, "vertex work runs beside it"},
			   {"MaliGeomVisibleRate", 35, 55, "about half of the primitives are visible"},
			   {"MaliExtBusRdStallRate", 0, 15, "the memory keeps up"},
			   {"MaliFragOverdraw", 1, 3, "each pixel is shaded little more than once"}},
		.n_expect = 6,
	},
	{
		.name = "fragment-bound",
		.help = "Shading costs more than a frame's time: the fragment queue never runs dry, binning hides behind it.",
		.passes = {{"shadow map", 0.04, 0.06, 0, &position, &depth, NULL, &shadow, 0.5, false},
			   {"scene", 0.12, 1.00, 0, &position, &heavy, NULL, &scene, 1, false},
			   {"particles", 0.02, 0.30, 0, &position, &heavy, NULL, &layers, 1, false}},
		.n_passes = 3,
		.vsyncs = 1,
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.06,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_FRAGMENT, 90, 100, "the dominant queue is close to 100 %"},
			   {QUEUE_VERTEX, 10, 40, "the other one runs beside it"},
			   {"MaliALUUtil", 60, 90, "the busiest unit is the arithmetic one"},
			   {"MaliFragFPKBUtil", 85, 100, "the front end keeps up with shading"},
			   {"MaliExtBusRdStallRate", 0, 15, "the memory is not the reason"}},
		.n_expect = 6,
	},
	{
		.name = "vertex-bound",
		.help = "Meshes far too dense for the screen: binning never stops, fragment work waits for it.",
		.passes = {{"scene", 1.20, 0.28, 0, &skinning, &material, NULL, &dense, 1, false}},
		.n_passes = 1,
		.vsyncs = 1,
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.04,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_VERTEX, 90, 100, "the dominant queue is close to 100 %"},
			   {QUEUE_FRAGMENT, 15, 50, "fragment work waits for geometry"},
			   {"MaliTilerUtil", 85, 100, "the tiler works all the time"},
			   {"MaliLSUtil", 45, 70, "vertex data loads the load/store unit most"},
			   {"MaliGeomVisibleRate", 20, 50, "much of the geometry is culled"}},
		.n_expect = 6,
	},
	{
		.name = "compute-bound",
		.help = "Simulation in compute shaders takes the whole time; what is drawn of it is cheap.",
		.passes = {{"forces", 0, 0, 0.70, NULL, NULL, &simulation, &quad, 1, false},
			   {"integration", 0, 0, 0.50, NULL, NULL, &simulation, &quad, 1, false},
			   {"scene", 0.04, 0.12, 0, &position, &material, NULL, &scene, 1, false}},
		.n_passes = 3,
		.vsyncs = 1,
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.04,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_COMPUTE, 85, 100, "the dominant queue is close to 100 %"},
			   {QUEUE_FRAGMENT, 2, 35, "there is little to draw"},
			   {"MaliALUUtil", 65, 90, "arithmetic is the busiest unit"},
			   {"MaliLSUtil", 40, 70, "shared memory and buffers load the load/store unit"}},
		.n_expect = 5,
	},
	{
		.name = "bandwidth-bound",
		.help = "Wide targets and uncompressed textures: the cores wait for a memory that is saturated.",
		.passes = {{"gather", 0, 0, 0.12, NULL, NULL, &copying, &quad, 1, false},
			   {"scene", 0.06, 0.75, 0, &position, &streaming, NULL, &wide, 1, false},
			   {"resolve", 0.001, 0.40, 0, &position, &streaming, NULL, &wide, 1, false}},
		.n_passes = 3,
		.vsyncs = 1,
		.in_flight = 2,
		.wave = 0.05,
		.imbalance = 0.04,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {"MaliExtBusRdStallRate", 30, 60, "the GPU asks for more than the memory delivers"},
			   {SLOW_READS, 80, 100, "reads take longer than 256 cycles"},
			   {"MaliL2CacheRdMissRate", 40, 90, "most reads miss the L2"},
			   {"MaliALUUtil", 5, 30, "no unit is busy"},
			   {"MaliTexUtil", 10, 45, "not even texturing"}},
		.n_expect = 6,
	},
	{
		.name = "cpu-bound",
		.help = "The CPU takes longer for a frame than two refreshes: the GPU idles in between and its clock sinks.",
		.passes = {{"shadow map", 0.03, 0.02, 0, &position, &depth, NULL, &shadow, 0.5, false},
			   {"scene", 0.06, 0.14, 0, &position, &material, NULL, &scene, 1, false}},
		.n_passes = 2,
		.cpu_frame = 2.4,
		.in_flight = 2,
		.imbalance = 0.03,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 3, 45, "the GPU waits for the application most of the time"},
			   {BUSY_FRAGMENT, 2, 40, "no queue has work for long"},
			   {BUSY_VERTEX, 1, 30, "neither has the other"},
			   {"MaliExtBusRdStallRate", 0, 15, "nor is it the memory"}},
		.n_expect = 4,
	},
	{
		.name = "serialised",
		.help = "Every pass reads what the one before it drew: the queues take turns, the GPU is never idle and never "
			"full.",
		.passes = {{"depth", 0.24, 0.10, 0, &position, &depth, NULL, &dense, 1, true},
			   {"light culling", 0, 0, 0.24, NULL, NULL, &blur, &quad, 1, true},
			   {"scene", 0.10, 0.30, 0, &position, &material, NULL, &scene, 1, true},
			   {"exposure", 0, 0, 0.14, NULL, NULL, &blur, &quad, 1, true}},
		.n_passes = 4,
		.in_flight = 1,
		.imbalance = 0.03,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_FRAGMENT, 20, 70, "but no queue is close to 100 %:"},
			   {QUEUE_COMPUTE, 20, 70, "not compute,"},
			   {QUEUE_VERTEX, 20, 70, "not vertex"},
			   {"GPUQueueCy / MaliGPUActiveCy * 100", 95, 102, "together they make the whole"},
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
		.vsyncs = 1,
		.in_flight = 2,
		.wave = 0.04,
		.imbalance = 0.12,
		.start_step = SIM_CLOCK_STEPS - 1,
		.expect = {{"GPUBusy", 95, 100, "the GPU is always active"},
			   {QUEUE_COMPUTE, 60, 100, "the rays keep the compute queue busy"},
			   {"MaliRTUUtil | MaliLSUtil", 38, 75, "their unit is the busiest, or load/store in its place"},
			   {"MaliRTURay / MaliCoreActiveCy", 0.02, 2, "rays are started"},
			   {"MaliALUUtil", 20, 60, "arithmetic is not the limit"},
			   {"MaliTilerUtil", 0, 25, "nor is geometry"}},
		.n_expect = 6,
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
