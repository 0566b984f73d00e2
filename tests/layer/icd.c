/* icd: a Vulkan driver without a GPU, for tests of the layer. It executes at submission; its
 * clock runs a millisecond per command. What the specification forbids a layer to do ends the
 * program with a message: "breach: ...".
 *
 * FAKEICD is a list of words: bits=N (valid bits of timestamps), from=N (first tick), period=N
 * (ns), never (results are never there), back (the clock runs backwards), lost=N (the device is
 * lost at the N-th submission), oom=N (the N-th creation of a query pool and all later ones fail),
 * resize=N (the window has another size at each N-th present), timed (count the time spent in
 * submissions and results here, for bench_layer).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#define QUERIES 4096
#define OPS 4096
#define EXPORT __attribute__((visibility("default")))

EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance i, const char *name);
EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);

EXPORT double icd_spent_s;

enum op_kind { OP_RESET, OP_STAMP, OP_WORK };
enum query_state { QUERY_UNKNOWN, QUERY_RESET, QUERY_THERE };

struct query_pool {
	uint32_t n;
	struct {
		enum query_state state;
		uint64_t value;
	} query[QUERIES];
};

struct op {
	enum op_kind kind;
	struct query_pool *pool;
	uint32_t first, n;
};

struct buffer {
	VK_LOADER_DATA loader;
	bool inside;
	uint32_t family;
	unsigned n;
	struct op ops[OPS];
};

struct object {
	VK_LOADER_DATA loader;
	uint32_t family;
};

static struct {
	unsigned bits, period, lost, oom, resize;
	uint64_t clock;
	bool never, back, timed;
	unsigned submits, pools_made, pools_alive, command_pools, presents;
	uint64_t swapchain; /* the last one */
} fake = {.bits = 64, .period = 1};

static struct object the_instance, the_physical, the_device, queues[3];

static void breach(const char *what)
{
	fprintf(stderr, "breach: %s\n", what);
	_Exit(99);
}

static void read_words(void)
{
	const char *text = getenv("FAKEICD");
	char copy[256], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", text ? text : "");
	while ((word = strsep(&rest, " "))) {
		unsigned long long n = strchr(word, '=') ? strtoull(strchr(word, '=') + 1, NULL, 0) : 1;

		fake.bits = strncmp(word, "bits=", 5) == 0 ? (unsigned)n : fake.bits;
		fake.clock = strncmp(word, "from=", 5) == 0 ? n : fake.clock;
		fake.period = strncmp(word, "period=", 7) == 0 ? (unsigned)n : fake.period;
		fake.lost = strncmp(word, "lost=", 5) == 0 ? (unsigned)n : fake.lost;
		fake.oom = strncmp(word, "oom=", 4) == 0 ? (unsigned)n : fake.oom;
		fake.resize = strncmp(word, "resize=", 7) == 0 ? (unsigned)n : fake.resize;
		fake.never |= strcmp(word, "never") == 0;
		fake.timed |= strcmp(word, "timed") == 0;
		fake.back |= strcmp(word, "back") == 0;
	}
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_CreateInstance(const VkInstanceCreateInfo *info,
							 const VkAllocationCallbacks *a, VkInstance *out)
{
	(void)info;
	(void)a;
	read_words();
	set_loader_magic_value(&the_instance);
	set_loader_magic_value(&the_physical);
	*out = (VkInstance)&the_instance;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL icd_DestroyInstance(VkInstance i, const VkAllocationCallbacks *a)
{
	(void)i;
	(void)a;
}

static VkResult list_extensions(const char *const *names, uint32_t most, uint32_t *n,
				VkExtensionProperties *out)
{
	for (uint32_t i = 0; out && i < most && i < *n; i++) {
		out[i] = (VkExtensionProperties){.specVersion = 1};
		snprintf(out[i].extensionName, sizeof(out[i].extensionName), "%s", names[i]);
	}
	*n = most;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateInstanceExtensionProperties(const char *layer, uint32_t *n,
									       VkExtensionProperties *out)
{
	static const char *const names[] = {VK_KHR_SURFACE_EXTENSION_NAME,
					    VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};

	(void)layer;
	return list_extensions(names, 2, n, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateDeviceExtensionProperties(VkPhysicalDevice p,
									     const char *layer, uint32_t *n,
									     VkExtensionProperties *out)
{
	static const char *const names[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME,
					    VK_EXT_DEBUG_MARKER_EXTENSION_NAME};

	(void)p;
	(void)layer;
	return list_extensions(names, 2, n, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_EnumeratePhysicalDevices(VkInstance i, uint32_t *n,
								   VkPhysicalDevice *out)
{
	(void)i;
	if (out)
		*out = (VkPhysicalDevice)&the_physical;
	*n = 1;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceProperties(VkPhysicalDevice p,
								  VkPhysicalDeviceProperties *out)
{
	(void)p;
	*out = (VkPhysicalDeviceProperties){.apiVersion = VK_API_VERSION_1_0, .deviceName = "fake GPU"};
	out->limits.timestampPeriod = (float)fake.period;
}

static VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice p, uint32_t *n,
									     VkQueueFamilyProperties *out)
{
	(void)p;
	if (out && *n >= 2) {
		out[0] = (VkQueueFamilyProperties){VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT |
							   VK_QUEUE_TRANSFER_BIT,
						   2,
						   fake.bits,
						   {1, 1, 1}};
		out[1] = (VkQueueFamilyProperties){VK_QUEUE_TRANSFER_BIT, 1, fake.bits, {1, 1, 1}};
	}
	*n = 2;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_CreateDevice(VkPhysicalDevice p, const VkDeviceCreateInfo *info,
						       const VkAllocationCallbacks *a, VkDevice *out)
{
	(void)p;
	(void)info;
	(void)a;
	set_loader_magic_value(&the_device);
	*out = (VkDevice)&the_device;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL icd_DestroyDevice(VkDevice d, const VkAllocationCallbacks *a)
{
	(void)d;
	(void)a;
	if (fake.pools_alive)
		breach("a query pool outlives its device");
}

static VKAPI_ATTR void VKAPI_CALL icd_GetDeviceQueue(VkDevice d, uint32_t family, uint32_t index,
						     VkQueue *out)
{
	struct object *queue = &queues[family ? 2 : index];

	(void)d;
	queue->family = family;
	set_loader_magic_value(queue);
	*out = (VkQueue)queue;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_CreateCommandPool(VkDevice d, const VkCommandPoolCreateInfo *info,
							    const VkAllocationCallbacks *a,
							    VkCommandPool *out)
{
	(void)d;
	(void)a;
	*out = (VkCommandPool)(uintptr_t)(++fake.command_pools << 1 | info->queueFamilyIndex);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_AllocateCommandBuffers(VkDevice d,
								 const VkCommandBufferAllocateInfo *info,
								 VkCommandBuffer *out)
{
	(void)d;
	for (uint32_t i = 0; i < info->commandBufferCount; i++) {
		struct buffer *b = calloc(1, sizeof(*b));

		set_loader_magic_value(b);
		b->family = (uint32_t)((uintptr_t)info->commandPool & 1);
		out[i] = (VkCommandBuffer)b;
	}
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL icd_FreeCommandBuffers(VkDevice d, VkCommandPool p, uint32_t n,
							 const VkCommandBuffer *buffers)
{
	(void)d;
	(void)p;
	for (uint32_t i = 0; i < n; i++)
		free(buffers[i]);
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_BeginCommandBuffer(VkCommandBuffer b,
							     const VkCommandBufferBeginInfo *info)
{
	(void)info;
	((struct buffer *)b)->n = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_EndCommandBuffer(VkCommandBuffer b)
{
	(void)b;
	return VK_SUCCESS;
}

static void record_op(VkCommandBuffer handle, struct op op)
{
	struct buffer *b = (struct buffer *)handle;

	if (b->n == OPS)
		breach("more commands than the fake has room for");
	b->ops[b->n++] = op;
}

static VKAPI_ATTR void VKAPI_CALL icd_CmdFillBuffer(VkCommandBuffer b, VkBuffer to, VkDeviceSize at,
						    VkDeviceSize n, uint32_t data)
{
	(void)to;
	(void)at;
	(void)n;
	(void)data;
	record_op(b, (struct op){.kind = OP_WORK});
}

static VKAPI_ATTR void VKAPI_CALL icd_CmdBeginRenderPass(VkCommandBuffer b, const VkRenderPassBeginInfo *info,
							 VkSubpassContents contents)
{
	(void)info;
	(void)contents;
	((struct buffer *)b)->inside = true;
	record_op(b, (struct op){.kind = OP_WORK});
}

static VKAPI_ATTR void VKAPI_CALL icd_CmdEndRenderPass(VkCommandBuffer b)
{
	((struct buffer *)b)->inside = false;
}

static VKAPI_ATTR void VKAPI_CALL icd_CmdResetQueryPool(VkCommandBuffer b, VkQueryPool pool, uint32_t first,
							uint32_t n)
{
	if (((struct buffer *)b)->inside)
		breach("queries are reset inside a render pass");
	if (((struct buffer *)b)->family == 1)
		breach("queries are reset on a queue for transfers only");
	record_op(b, (struct op){OP_RESET, (struct query_pool *)(uintptr_t)pool, first, n});
}

static VKAPI_ATTR void VKAPI_CALL icd_CmdWriteTimestamp(VkCommandBuffer b, VkPipelineStageFlagBits stage,
							VkQueryPool pool, uint32_t query)
{
	(void)stage;
	if (((struct buffer *)b)->inside)
		breach("a timestamp is written inside a render pass");
	if (fake.bits == 0)
		breach("a timestamp is written although there are no valid bits");
	record_op(b, (struct op){OP_STAMP, (struct query_pool *)(uintptr_t)pool, query, 1});
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_CreateQueryPool(VkDevice d, const VkQueryPoolCreateInfo *info,
							  const VkAllocationCallbacks *a, VkQueryPool *out)
{
	struct query_pool *pool;

	(void)d;
	(void)a;
	if (fake.oom && ++fake.pools_made >= fake.oom)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	if (info->queryCount > QUERIES)
		breach("a larger query pool than the fake has room for");
	pool = calloc(1, sizeof(*pool));
	pool->n = info->queryCount;
	fake.pools_alive++;
	*out = (VkQueryPool)(uintptr_t)pool;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL icd_DestroyQueryPool(VkDevice d, VkQueryPool pool,
						       const VkAllocationCallbacks *a)
{
	(void)d;
	(void)a;
	free((struct query_pool *)(uintptr_t)pool);
	fake.pools_alive--;
}

static double seconds_now(void)
{
	struct timespec t = {0};

	if (fake.timed)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_GetQueryPoolResults(VkDevice d, VkQueryPool handle, uint32_t first,
							      uint32_t n, size_t size, void *data,
							      VkDeviceSize stride, VkQueryResultFlags flags)
{
	const struct query_pool *pool = (const struct query_pool *)(uintptr_t)handle;
	VkResult result = VK_SUCCESS;
	double begin = seconds_now();

	(void)d;
	if (flags & VK_QUERY_RESULT_WAIT_BIT)
		breach("results are waited for");
	if (first + n > pool->n || size < n * stride)
		breach("results are read outside of the pool");
	for (uint32_t i = 0; i < n; i++) {
		uint64_t *to = (uint64_t *)((char *)data + i * stride);

		if (pool->query[first + i].state == QUERY_UNKNOWN)
			breach("a query is read that was never reset");
		to[1] = pool->query[first + i].state == QUERY_THERE;
		if (to[1])
			to[0] = pool->query[first + i].value;
		else
			result = VK_NOT_READY;
	}
	icd_spent_s += seconds_now() - begin;
	return fake.lost && fake.submits >= fake.lost ? VK_ERROR_DEVICE_LOST : result;
}

static void write_stamp(struct query_pool *pool, uint32_t query)
{
	if (pool->query[query].state != QUERY_RESET)
		breach("a timestamp is written into a query that was not reset");
	if (fake.never)
		return;
	pool->query[query].state = QUERY_THERE;
	pool->query[query].value =
		fake.clock / fake.period & (fake.bits < 64 ? (1ull << fake.bits) - 1 : UINT64_MAX);
}

static void execute_buffer(const struct buffer *b)
{
	for (unsigned i = 0; i < b->n; i++) {
		const struct op *op = &b->ops[i];

		if (op->kind == OP_WORK)
			fake.clock += fake.back ? (uint64_t)-1000000 : 1000000;
		else if (op->kind == OP_STAMP)
			write_stamp(op->pool, op->first);
		for (uint32_t q = 0; op->kind == OP_RESET && q < op->n; q++)
			op->pool->query[op->first + q].state = QUERY_RESET;
	}
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_QueueSubmit(VkQueue q, uint32_t n, const VkSubmitInfo *infos,
						      VkFence fence)
{
	double begin = seconds_now();

	(void)q;
	(void)fence;
	fake.submits++;
	if (fake.lost && fake.submits >= fake.lost)
		return VK_ERROR_DEVICE_LOST;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t b = 0; b < infos[i].commandBufferCount; b++)
			execute_buffer((const struct buffer *)infos[i].pCommandBuffers[b]);
	icd_spent_s += seconds_now() - begin;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_QueueWaitIdle(VkQueue q)
{
	(void)q;
	return fake.lost && fake.submits >= fake.lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_CreateRenderPass(VkDevice d, const VkRenderPassCreateInfo *info,
							   const VkAllocationCallbacks *a, VkRenderPass *out)
{
	(void)d;
	(void)info;
	(void)a;
	*out = (VkRenderPass)(uintptr_t)7;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_CreateSwapchainKHR(VkDevice d, const VkSwapchainCreateInfoKHR *info,
							     const VkAllocationCallbacks *a,
							     VkSwapchainKHR *out)
{
	(void)d;
	(void)a;
	if ((uint64_t)info->oldSwapchain != fake.swapchain)
		breach("a swapchain does not follow the one before it");
	*out = (VkSwapchainKHR)(uintptr_t)++fake.swapchain;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_AcquireNextImageKHR(VkDevice d, VkSwapchainKHR swapchain,
							      uint64_t timeout, VkSemaphore semaphore,
							      VkFence fence, uint32_t *index)
{
	(void)d;
	(void)timeout;
	(void)semaphore;
	(void)fence;
	if ((uint64_t)swapchain != fake.swapchain)
		breach("an image of a swapchain that was replaced");
	*index = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL icd_QueuePresentKHR(VkQueue q, const VkPresentInfoKHR *info)
{
	(void)q;
	(void)info;
	fake.presents++;
	return fake.resize && fake.presents % fake.resize == 0 ? VK_ERROR_OUT_OF_DATE_KHR : VK_SUCCESS;
}

/* Everything that has nothing to destroy or answer. */
static VKAPI_ATTR VkResult VKAPI_CALL icd_nothing(void)
{
	return VK_SUCCESS;
}

static PFN_vkVoidFunction find_function(const char *name)
{
#define ROW(name)                                          \
	{                                                  \
		"vk" #name, (PFN_vkVoidFunction)icd_##name \
	}
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} rows[] = {
		ROW(CreateInstance),
		ROW(DestroyInstance),
		ROW(EnumerateInstanceExtensionProperties),
		ROW(EnumerateDeviceExtensionProperties),
		ROW(EnumeratePhysicalDevices),
		ROW(GetPhysicalDeviceProperties),
		ROW(GetPhysicalDeviceQueueFamilyProperties),
		ROW(CreateDevice),
		ROW(DestroyDevice),
		ROW(GetDeviceQueue),
		ROW(CreateCommandPool),
		ROW(AllocateCommandBuffers),
		ROW(FreeCommandBuffers),
		ROW(BeginCommandBuffer),
		ROW(EndCommandBuffer),
		ROW(CmdFillBuffer),
		ROW(CmdBeginRenderPass),
		ROW(CmdEndRenderPass),
		ROW(CmdResetQueryPool),
		ROW(CmdWriteTimestamp),
		ROW(CreateQueryPool),
		ROW(DestroyQueryPool),
		ROW(GetQueryPoolResults),
		ROW(QueueSubmit),
		ROW(QueueWaitIdle),
		ROW(CreateRenderPass),
		ROW(CreateSwapchainKHR),
		ROW(AcquireNextImageKHR),
		ROW(QueuePresentKHR),
	};
	static const char *const nothing[] = {
		"vkDestroyCommandPool",
		"vkDestroyRenderPass",
		"vkDestroySwapchainKHR",
		"vkGetPhysicalDeviceFeatures",
		"vkGetPhysicalDeviceFormatProperties",
		"vkGetPhysicalDeviceImageFormatProperties",
		"vkGetPhysicalDeviceMemoryProperties",
		"vkGetPhysicalDeviceSparseImageFormatProperties",
		"vkResetCommandPool",
		"vkResetCommandBuffer",
		"vkDeviceWaitIdle",
		"vkCmdDraw",
		"vkCmdDrawIndexed",
		"vkCmdDrawIndirect",
		"vkCmdDrawIndirectCount",
		"vkCmdDispatch",
		"vkCmdExecuteCommands",
		"vkCmdDebugMarkerBeginEXT",
		"vkCmdDebugMarkerEndEXT",
		"vkDebugMarkerSetObjectNameEXT",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].function;
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		if (strcmp(nothing[i], name) == 0)
			return (PFN_vkVoidFunction)icd_nothing;
	return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL icd_GetDeviceProcAddr(VkDevice d, const char *name)
{
	(void)d;
	return find_function(name);
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance i, const char *name)
{
	(void)i;
	if (strcmp(name, "vkGetDeviceProcAddr") == 0)
		return (PFN_vkVoidFunction)icd_GetDeviceProcAddr;
	return find_function(name);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	*version = *version < 5 ? *version : 5;
	return VK_SUCCESS;
}
