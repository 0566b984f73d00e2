/* What the Vulkan layer costs an application, on a driver that does nothing (tests/layer/icd.c):
 * the time of its own code per pass and per frame, and how often it allocates memory once it has
 * seen a few frames. A frame is one command buffer that is recorded, submitted and waited for. Its
 * time without passes and the time of one pass are taken from frames with few and with many passes,
 * with the layer and without it, less the time inside the driver: of stamps that is what an
 * application takes that records them itself. Prints figures; judges nothing.
 *
 * On a device the stamps also cost GPU time: measure there the application's own frame time with
 * and without the layer, with MALITOP_STAMP=top and bottom. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan.h>

#define FEW 1
#define MANY 200
#define DRAWS 1000
#define FRAMES 20
#define ROUNDS 300

/* The layer's allocations are counted too: the program's functions precede the C library's. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
static unsigned long allocations;

void *malloc(size_t n)
{
	allocations++;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	allocations++;
	return __libc_realloc(p, n);
}

struct bench_gpu {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer buffer;
	VkRenderPass pass;
	VkQueryPool stamps;
};

/* What is recorded. */
struct bench_frame {
	unsigned passes, draws; /* draws: of each pass */
	bool stamps;            /* by the application itself */
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* So far, inside the driver's submissions and results. */
static double driver_seconds(void)
{
	void *icd = dlopen("./tests/layer/libfakeicd.so", RTLD_LAZY | RTLD_NOLOAD);
	const double *spent = icd ? dlsym(icd, "icd_spent_s") : NULL;
	double seconds = spent ? *spent : 0;

	if (icd)
		dlclose(icd);
	return seconds;
}

static void open_gpu(struct bench_gpu *g)
{
	const float priority = 1;
	const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					       .queueCount = 1,
					       .pQueuePriorities = &priority};
	const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					   .queueCreateInfoCount = 1,
					   .pQueueCreateInfos = &queue};
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
					      .commandBufferCount = 1};
	const VkRenderPassCreateInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
	const VkQueryPoolCreateInfo stamps = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
					      .queryType = VK_QUERY_TYPE_TIMESTAMP,
					      .queryCount = 2 * MANY};
	uint32_t n = 1;

	if (vkCreateInstance(&instance, NULL, &g->instance) != VK_SUCCESS ||
	    vkEnumeratePhysicalDevices(g->instance, &n, &g->physical) != VK_SUCCESS ||
	    vkCreateDevice(g->physical, &device, NULL, &g->device) != VK_SUCCESS) {
		fprintf(stderr, "bench_layer: no device: run it where tests/layer/icd.json is\n");
		exit(1);
	}
	vkGetDeviceQueue(g->device, 0, 0, &g->queue);
	vkCreateCommandPool(g->device, &pool, NULL, &g->pool);
	buffer.commandPool = g->pool;
	vkAllocateCommandBuffers(g->device, &buffer, &g->buffer);
	vkCreateRenderPass(g->device, &pass, NULL, &g->pass);
	vkCreateQueryPool(g->device, &stamps, NULL, &g->stamps);
}

static void close_gpu(struct bench_gpu *g)
{
	vkDestroyQueryPool(g->device, g->stamps, NULL);
	vkDestroyRenderPass(g->device, g->pass, NULL);
	vkFreeCommandBuffers(g->device, g->pool, 1, &g->buffer);
	vkDestroyCommandPool(g->device, g->pool, NULL);
	vkDestroyDevice(g->device, NULL);
	vkDestroyInstance(g->instance, NULL);
}

static void write_stamp(struct bench_gpu *g, uint32_t query)
{
	vkCmdWriteTimestamp(g->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, g->stamps, query);
}

static void record_frame(struct bench_gpu *g, const struct bench_frame *frame)
{
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkRenderPassBeginInfo render = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
					      .renderPass = g->pass,
					      .renderArea.extent = {64, 32}};

	vkBeginCommandBuffer(g->buffer, &info);
	if (frame->stamps)
		vkCmdResetQueryPool(g->buffer, g->stamps, 0, 2 * MANY);
	for (unsigned i = 0; i < frame->passes; i++) {
		if (frame->stamps)
			write_stamp(g, 2 * i);
		vkCmdBeginRenderPass(g->buffer, &render, VK_SUBPASS_CONTENTS_INLINE);
		for (unsigned d = 0; d < frame->draws; d++)
			vkCmdDraw(g->buffer, 3, 1, 0, 0);
		vkCmdEndRenderPass(g->buffer);
		if (frame->stamps)
			write_stamp(g, 2 * i + 1);
	}
	vkEndCommandBuffer(g->buffer);
}

static void submit_frame(struct bench_gpu *g)
{
	const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				   .commandBufferCount = 1,
				   .pCommandBuffers = &g->buffer};

	vkQueueSubmit(g->queue, 1, &info, VK_NULL_HANDLE);
	vkQueueWaitIdle(g->queue);
}

struct frame_time {
	double record_ns, submit_ns; /* the latter with the results of the frame before */
};

static double less(double a, double b)
{
	return a < b ? a : b;
}

/* The best of many short rounds, so that other programs disturb little. */
static struct frame_time time_frames(struct bench_gpu *g, const struct bench_frame *frame)
{
	struct frame_time best = {1e9, 1e9};

	for (unsigned round = 0; round < ROUNDS; round++) {
		double recording = 0, submitting = 0, before_s = driver_seconds();

		for (unsigned f = 0; f < FRAMES; f++) {
			double begin = seconds_now(), middle;

			record_frame(g, frame);
			middle = seconds_now();
			submit_frame(g);
			recording += middle - begin;
			submitting += seconds_now() - middle;
		}
		submitting -= driver_seconds() - before_s;
		best.record_ns = less(best.record_ns, recording / FRAMES * 1e9);
		best.submit_ns = less(best.submit_ns, submitting / FRAMES * 1e9);
	}
	return best;
}

struct layer_run {
	struct frame_time few, many, stamped, drawn;
	unsigned long allocations;
};

static struct layer_run run_frames(void)
{
	static const struct bench_frame few = {.passes = FEW}, many = {.passes = MANY},
					drawn = {.passes = FEW, .draws = DRAWS},
					stamped = {.passes = MANY, .stamps = true};
	struct bench_gpu g = {0};
	struct layer_run run;

	open_gpu(&g);
	time_frames(&g, &many);
	run.allocations = allocations;
	run.few = time_frames(&g, &few);
	run.many = time_frames(&g, &many);
	run.drawn = time_frames(&g, &drawn);
	run.stamped = time_frames(&g, &stamped);
	run.allocations = allocations - run.allocations;
	close_gpu(&g);
	return run;
}

/* The layer's share of `with`, split into that of a pass and that of the frame without passes. */
static void print_share(const char *what, double few, double many)
{
	double pass = (many - few) / (MANY - FEW);

	printf("  %-24s %6.0f ns a pass, %6.2f us a frame without passes, %6.2f us a frame of %d passes\n",
	       what, pass, (few - FEW * pass) / 1e3, many / 1e3, MANY);
}

int main(void)
{
	struct layer_run without, with;
	struct frame_time few, many;

	setenv("VK_ICD_FILENAMES", "tests/layer/icd.json", 1);
	setenv("FAKEICD", "timed", 1);
	setenv("VK_ADD_LAYER_PATH", "layer", 1);
	unsetenv("VK_INSTANCE_LAYERS");
	without = run_frames();
	setenv("VK_INSTANCE_LAYERS", "VK_LAYER_MALITOP_passes", 1);
	with = run_frames();
	few.record_ns = with.few.record_ns - without.few.record_ns;
	few.submit_ns = with.few.submit_ns - without.few.submit_ns;
	many.record_ns = with.many.record_ns - without.many.record_ns;
	many.submit_ns = with.many.submit_ns - without.many.submit_ns;
	printf("Vulkan layer, its own code on a driver that does nothing\n");
	print_share("recording", few.record_ns, many.record_ns);
	print_share("submission and results", few.submit_ns, many.submit_ns);
	print_share("both", few.record_ns + few.submit_ns, many.record_ns + many.submit_ns);
	printf("  beyond the driver's own   %6.1f ns a recorded stamp pair, %.1f ns a draw\n",
	       (with.many.record_ns - without.stamped.record_ns) / MANY,
	       (with.drawn.record_ns - with.few.record_ns - without.drawn.record_ns + without.few.record_ns) /
		       DRAWS);
	printf("  allocations in %d frames after the first %d: %lu without, %lu with the layer\n",
	       4 * ROUNDS * FRAMES, ROUNDS * FRAMES, without.allocations, with.allocations);
	return 0;
}
