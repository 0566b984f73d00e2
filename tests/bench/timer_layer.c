/* timer_layer: two Vulkan layers, one above malitop's and one below, which time the calls that a
 * program makes: what is spent in the upper one and not in the lower one was spent in between. For
 * programs with one device that render in one thread, as vkcube does.
 *
 * Built twice; with TIMER_below it is the lower one. The upper one needs the file of the lower one
 * in TIMER_LOWER, and appends a line to the file TIMER_OUT when the program ends: frames, median ns
 * of a frame in between, and calls of a frame that reach the lower one. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))
#define FRAMES_MOST 100000

EXPORT VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiated);
EXPORT uint64_t timer_spent_ns, timer_calls;

static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetDeviceProcAddr next_device_proc;
static VkInstance instance;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void stop_watch(const uint64_t *begin_ns)
{
	timer_spent_ns += now_ns() - *begin_ns;
	timer_calls++;
}

/* clang-format off */
#define TIMED_FUNCTIONS(X) \
	X(return, VkResult, BeginCommandBuffer, \
	  (VkCommandBuffer b, const VkCommandBufferBeginInfo *info), (b, info)) \
	X(return, VkResult, EndCommandBuffer, (VkCommandBuffer b), (b)) \
	X(, void, CmdBeginRenderPass, \
	  (VkCommandBuffer b, const VkRenderPassBeginInfo *info, VkSubpassContents contents), \
	  (b, info, contents)) \
	X(, void, CmdEndRenderPass, (VkCommandBuffer b), (b)) \
	X(return, VkResult, QueueSubmit, \
	  (VkQueue q, uint32_t n, const VkSubmitInfo *infos, VkFence fence), \
	  (q, n, infos, fence)) \
	X(return, VkResult, QueueWaitIdle, (VkQueue q), (q)) \
	X(return, VkResult, WaitForFences, \
	  (VkDevice d, uint32_t n, const VkFence *fences, VkBool32 all, uint64_t timeout), \
	  (d, n, fences, all, timeout)) \
	X(return, VkResult, GetFenceStatus, (VkDevice d, VkFence fence), (d, fence)) \
	X(return, VkResult, AcquireNextImageKHR, \
	  (VkDevice d, VkSwapchainKHR s, uint64_t timeout, VkSemaphore semaphore, VkFence fence, \
	   uint32_t *index), \
	  (d, s, timeout, semaphore, fence, index)) \
	X(return, VkResult, QueuePresentKHR, (VkQueue q, const VkPresentInfoKHR *info), (q, info)) \
	X(, void, CmdResetQueryPool, (VkCommandBuffer b, VkQueryPool pool, uint32_t first, uint32_t n), \
	  (b, pool, first, n)) \
	X(, void, CmdWriteTimestamp, \
	  (VkCommandBuffer b, VkPipelineStageFlagBits stage, VkQueryPool pool, uint32_t query), \
	  (b, stage, pool, query)) \
	X(return, VkResult, GetQueryPoolResults, \
	  (VkDevice d, VkQueryPool pool, uint32_t first, uint32_t n, size_t size, void *data, \
	   VkDeviceSize stride, VkQueryResultFlags flags), \
	  (d, pool, first, n, size, data, stride, flags)) \
	X(return, VkResult, GetCalibratedTimestampsEXT, \
	  (VkDevice d, uint32_t n, const VkCalibratedTimestampInfoEXT *infos, uint64_t *stamps, \
	   uint64_t *deviation), \
	  (d, n, infos, stamps, deviation))
/* clang-format on */

#define DEFINE(give, Type, name, PARAMETERS, ARGUMENTS)                               \
	static PFN_vk##name next_##name;                                              \
	static VKAPI_ATTR Type VKAPI_CALL timed_##name PARAMETERS                     \
	{                                                                             \
		__attribute__((cleanup(stop_watch))) const uint64_t begin = now_ns(); \
                                                                                      \
		give next_##name ARGUMENTS;                                           \
	}
TIMED_FUNCTIONS(DEFINE)

#ifndef TIMER_below
static uint64_t frames[FRAMES_MOST], between_ns, calls_before;
static size_t n_frames;
static const uint64_t *below_spent, *below_calls;

static int compare_ns(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void find_below(void)
{
	void *below = dlopen(getenv("TIMER_LOWER"), RTLD_LAZY | RTLD_NOLOAD);
	below_spent = below ? dlsym(below, "timer_spent_ns") : NULL;
	below_calls = below ? dlsym(below, "timer_calls") : NULL;
}

/* A frame ends with its present. The first one includes all that went before. */
static VKAPI_ATTR VkResult VKAPI_CALL end_frame(VkQueue q, const VkPresentInfoKHR *info)
{
	VkResult result = timed_QueuePresentKHR(q, info);
	uint64_t ns;

	if (!below_spent)
		find_below();
	if (!below_spent)
		return result;
	ns = timer_spent_ns - *below_spent;
	if (!between_ns)
		calls_before = *below_calls;
	else if (n_frames < FRAMES_MOST)
		frames[n_frames++] = ns - between_ns;
	between_ns = ns;
	return result;
}

__attribute__((destructor)) static void write_result(void)
{
	const char *path = getenv("TIMER_OUT");
	FILE *f = path && n_frames ? fopen(path, "a") : NULL;

	if (!f)
		return;
	qsort(frames, n_frames, sizeof(frames[0]), compare_ns);
	fprintf(f, "%zu %llu %.2f\n", n_frames, (unsigned long long)frames[n_frames / 2],
		(double)(*below_calls - calls_before) / (double)n_frames);
	fclose(f);
}
#else
#define end_frame timed_QueuePresentKHR
#endif

static PFN_vkVoidFunction find_timed(const char *name)
{
#define ROW(give, Type, function, PARAMETERS, ARGUMENTS) \
	if (strcmp(name, "vk" #function) == 0)           \
		return (PFN_vkVoidFunction)timed_##function;
	if (strcmp(name, "vkQueuePresentKHR") == 0)
		return (PFN_vkVoidFunction)end_frame;
	TIMED_FUNCTIONS(ROW)
	return NULL;
}

#define LINK(Struct, type)                                                            \
	Struct *link = (Struct *)(uintptr_t)info->pNext;                              \
	while (link && (link->sType != type || link->function != VK_LAYER_LINK_INFO)) \
		link = (Struct *)(uintptr_t)link->pNext;

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
						      const VkAllocationCallbacks *allocator, VkInstance *out)
{
	LINK(VkLayerInstanceCreateInfo, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO)
	PFN_vkCreateInstance create;
	VkResult result;

	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	create = (PFN_vkCreateInstance)next_instance_proc(NULL, "vkCreateInstance");
	result = create(info, allocator, out);
	if (result == VK_SUCCESS)
		instance = *out;
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
						    const VkAllocationCallbacks *allocator, VkDevice *out)
{
	LINK(VkLayerDeviceCreateInfo, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
	PFN_vkCreateDevice create = (PFN_vkCreateDevice)next_instance_proc(instance, "vkCreateDevice");
	VkResult result;

	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	next_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	result = create(physical, info, allocator, out);
#define LOAD(give, Type, name, PARAMETERS, ARGUMENTS) \
	next_##name = (PFN_vk##name)next_device_proc(*out, "vk" #name);
	if (result == VK_SUCCESS) {
		TIMED_FUNCTIONS(LOAD)
	}
	return result;
}

static PFN_vkVoidFunction get_device_proc(VkDevice device, const char *name)
{
	PFN_vkVoidFunction next = next_device_proc(device, name), timed = find_timed(name);

	return strcmp(name, "vkGetDeviceProcAddr") == 0 ? (PFN_vkVoidFunction)get_device_proc
	       : next && timed                          ? timed
							: next;
}

static PFN_vkVoidFunction get_instance_proc(VkInstance handle, const char *name)
{
	PFN_vkVoidFunction next;

	if (strcmp(name, "vkGetInstanceProcAddr") == 0)
		return (PFN_vkVoidFunction)get_instance_proc;
	if (strcmp(name, "vkCreateInstance") == 0)
		return (PFN_vkVoidFunction)create_instance;
	if (strcmp(name, "vkCreateDevice") == 0)
		return (PFN_vkVoidFunction)create_device;
	if (strcmp(name, "vkGetDeviceProcAddr") == 0)
		return (PFN_vkVoidFunction)get_device_proc;
	if (!handle || !next_instance_proc)
		return NULL;
	next = next_instance_proc(handle, name);
	return next && find_timed(name) ? find_timed(name) : next;
}

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiated)
{
	negotiated->loaderLayerInterfaceVersion = 2;
	negotiated->pfnGetInstanceProcAddr = get_instance_proc;
	negotiated->pfnGetDeviceProcAddr = get_device_proc;
	negotiated->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
