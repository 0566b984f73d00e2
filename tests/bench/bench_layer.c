/* What the Vulkan layer costs an application, on a driver that does nothing (tests/layer/icd.c): ns
 * per pass while commands are recorded, and per frame at submission and wait, without the layer and
 * with it, less the time inside the driver, and how often the layer allocates memory once it has
 * seen a few frames. Prints figures; judges nothing.
 *
 * On a device the stamps also cost GPU time: measure there the application's own frame time with
 * and without the layer, with MALITOP_STAMP=top and bottom. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan.h>

#define PASSES 200
#define FRAMES 300
#define ROUNDS 5

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
	VkFence fence;
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
}

static void close_gpu(struct bench_gpu *g)
{
	vkDestroyRenderPass(g->device, g->pass, NULL);
	vkFreeCommandBuffers(g->device, g->pool, 1, &g->buffer);
	vkDestroyCommandPool(g->device, g->pool, NULL);
	vkDestroyDevice(g->device, NULL);
	vkDestroyInstance(g->instance, NULL);
}

static void record_frame(struct bench_gpu *g)
{
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkRenderPassBeginInfo render = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
					      .renderPass = g->pass,
					      .renderArea.extent = {64, 32}};

	vkBeginCommandBuffer(g->buffer, &info);
	for (unsigned i = 0; i < PASSES; i++) {
		vkCmdBeginRenderPass(g->buffer, &render, VK_SUBPASS_CONTENTS_INLINE);
		vkCmdEndRenderPass(g->buffer);
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

/* The best of some rounds, in seconds per frame: recording, and submission with the wait. Returns
 * the allocations after the first round. */
static unsigned long time_frames(double *record, double *submit)
{
	struct bench_gpu g = {0};
	unsigned long before = 0;

	open_gpu(&g);
	*record = *submit = 1;
	for (unsigned round = 0; round < ROUNDS; round++) {
		double recording = 0, submitting = 0, before_s = driver_seconds();

		before = round == 1 ? allocations : before;
		for (unsigned f = 0; f < FRAMES; f++) {
			double begin = seconds_now(), middle;

			record_frame(&g);
			middle = seconds_now();
			submit_frame(&g);
			recording += middle - begin;
			submitting += seconds_now() - middle;
		}
		submitting -= driver_seconds() - before_s;
		*record = recording / FRAMES < *record ? recording / FRAMES : *record;
		*submit = submitting / FRAMES < *submit ? submitting / FRAMES : *submit;
	}
	before = allocations - before;
	close_gpu(&g);
	return before;
}

int main(void)
{
	double record, submit, layer_record, layer_submit;
	unsigned long without, with;

	setenv("VK_ICD_FILENAMES", "tests/layer/icd.json", 1);
	setenv("FAKEICD", "timed", 1);
	setenv("VK_ADD_LAYER_PATH", "layer", 1);
	unsetenv("VK_INSTANCE_LAYERS");
	without = time_frames(&record, &submit);
	setenv("VK_INSTANCE_LAYERS", "VK_LAYER_MALITOP_passes", 1);
	with = time_frames(&layer_record, &layer_submit);
	printf("Vulkan layer, %d passes a frame, a driver that does nothing\n", PASSES);
	printf("  record  %6.0f ns a pass without, %6.0f ns with the layer: %6.0f ns more\n",
	       record / PASSES * 1e9, layer_record / PASSES * 1e9, (layer_record - record) / PASSES * 1e9);
	printf("  submit and wait  %6.1f us a frame without, %6.1f us with the layer: %6.0f ns a pass more\n",
	       submit * 1e6, layer_submit * 1e6, (layer_submit - submit) / PASSES * 1e9);
	printf("  allocations in %d frames after the first %d: %lu without, %lu with the layer\n",
	       (ROUNDS - 1) * FRAMES, FRAMES, without, with);
	return 0;
}
