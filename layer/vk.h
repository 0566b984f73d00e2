/* vk: the parts of the Vulkan layer.
 *
 *   vk_entry.c   the loader's entry points, and the table of all hooks
 *   vk_life.c    instances, devices, queues
 *   vk_clock.c   GPU ticks to CLOCK_MONOTONIC
 *   vk_objects.c command pools and buffers, and what gives passes their names
 *   vk_record.c  stamps around passes while command buffers are recorded
 *   vk_commands.c draws, which are only counted, and commands outside of passes: dispatches, copies
 *   vk_submit.c  submissions, presents, waits, frames
 *   vk_read.c    results of stamps
 *
 * Locks: Vulkan makes the application serialise calls on one command buffer and on one queue, so
 * their state needs none while it is recorded or submitted. What several queues share (results
 * that are still to be read, free queries, frames) is under device->lock. No lock is held while a
 * function of the application's is called down, except for reading results, which never waits. fork
 * waits for no lock: its child gets them all released.
 */
#ifndef MALITOP_LAYER_VK_H
#define MALITOP_LAYER_VK_H

#include "layer/frames.h"
#include "layer/labels.h"
#include "layer/map.h"

#include <stddef.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

/* The functions that the layer calls down, by the name without "vk". Where a function was promoted
 * to the core, the core's name is taken, or else the extension's. */
/* clang-format off */
#define INSTANCE_FUNCTIONS(X) \
	X(DestroyInstance) X(EnumerateDeviceExtensionProperties) X(GetPhysicalDeviceProperties) \
	X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceQueueFamilyProperties) X(CreateDevice) \
	X(GetPhysicalDeviceCalibrateableTimeDomainsEXT)
#define HOOKED_FUNCTIONS(X) \
	X(DestroyDevice) X(GetDeviceQueue) X(GetDeviceQueue2) X(CreateCommandPool) \
	X(ResetCommandPool) X(DestroyCommandPool) X(AllocateCommandBuffers) \
	X(FreeCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) X(ResetCommandBuffer) \
	X(CreateRenderPass) X(CreateRenderPass2) X(DestroyRenderPass) X(CreateImageView) \
	X(DestroyImageView) X(SetDebugUtilsObjectNameEXT) X(CmdBeginDebugUtilsLabelEXT) \
	X(CmdEndDebugUtilsLabelEXT) X(DebugMarkerSetObjectNameEXT) X(CmdDebugMarkerBeginEXT) \
	X(CmdDebugMarkerEndEXT) X(CmdExecuteCommands) X(CmdBeginRenderPass) \
	X(CmdBeginRenderPass2) X(CmdEndRenderPass) X(CmdEndRenderPass2) X(CmdBeginRendering) \
	X(CmdEndRendering) X(CmdDraw) X(CmdDrawIndexed) X(CmdDrawIndirect) \
	X(CmdDrawIndexedIndirect) X(CmdDrawIndirectCount) X(CmdDrawIndexedIndirectCount) \
	X(CmdDrawIndirectByteCountEXT) X(CmdDrawMultiEXT) X(CmdDrawMultiIndexedEXT) \
	X(CmdDrawMeshTasksEXT) X(CmdDrawMeshTasksIndirectEXT) \
	X(CmdDrawMeshTasksIndirectCountEXT) X(CmdDispatch) X(CmdDispatchIndirect) X(CmdDispatchBase) \
	X(CmdCopyBuffer) X(CmdCopyImage) X(CmdBlitImage) X(CmdCopyBufferToImage) \
	X(CmdCopyImageToBuffer) X(CmdUpdateBuffer) X(CmdFillBuffer) X(CmdClearColorImage) \
	X(CmdClearDepthStencilImage) X(CmdResolveImage) X(CmdCopyBuffer2) X(CmdCopyImage2) \
	X(CmdBlitImage2) X(CmdCopyBufferToImage2) X(CmdCopyImageToBuffer2) X(CmdResolveImage2) \
	X(CmdTraceRaysKHR) X(CmdTraceRaysIndirectKHR) X(CmdBuildAccelerationStructuresKHR) \
	X(QueueSubmit) X(QueueSubmit2) X(QueueWaitIdle) X(DeviceWaitIdle) X(WaitForFences) \
	X(GetFenceStatus) X(WaitSemaphores) X(QueuePresentKHR) X(CreateSwapchainKHR) \
	X(AcquireNextImageKHR) X(AcquireNextImage2KHR)
#define DEVICE_FUNCTIONS(X) \
	HOOKED_FUNCTIONS(X) \
	X(CmdWriteTimestamp) X(CmdResetQueryPool) X(CreateQueryPool) X(DestroyQueryPool) \
	X(GetQueryPoolResults) X(ResetQueryPool) X(GetCalibratedTimestampsEXT)
/* clang-format on */

struct instance_calls {
	PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
#define MEMBER(name) PFN_vk##name name;
	INSTANCE_FUNCTIONS(MEMBER)
};

struct device_calls {
	PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
	DEVICE_FUNCTIONS(MEMBER)
#undef MEMBER
};

#define NO_RUN UINT32_MAX
#define CHUNK_SPANS 16
#define CHUNK_QUERIES (2 * CHUNK_SPANS) /* span i of a command buffer has queries 2i and 2i + 1 */
#define POOL_CHUNKS 64
#define POOLS_MOST 128
#define EVENTS_TOGETHER 16
#define QUEUES_MOST 256

struct vk_instance {
	struct vk_instance *next;
	void *key;
	VkInstance handle;
	struct instance_calls calls;
	uint32_t api_version; /* the application's */
	bool debug_utils, properties2;
};

/* A row of queries in a pool. `last` are the values that were read last, UINT64_MAX before: the
 * same value again means that the GPU has not yet executed the reset of the next run. */
struct chunk {
	struct chunk *next_free;
	VkQueryPool pool;
	uint32_t first;
	bool ready; /* reset once: an uninitialised query must not be read */
	uint64_t last[CHUNK_QUERIES];
};

/* What the driver says of a query. */
struct reading {
	uint64_t value, available;
};

enum span_part { SPAN_BEGIN = 1, SPAN_END = 2 };

/* What is recorded in a pass; PASSES_COUNT_UNKNOWN, PASSES_VERTICES_UNKNOWN. */
struct pass_counts {
	uint32_t draws, dispatches;
	uint64_t vertices;
};

/* One pass, or a run of dispatches or transfers. */
struct pass_span {
	struct pass_counts counts;
	uint16_t name, width, height;
	uint8_t kind;  /* enum passes_kind */
	uint8_t parts; /* stamps that were recorded; the other one is in another command buffer */
};

#define TITLES_KNOWN 8 /* a power of two */

/* The title of what was rendered before, until objects of the device change. */
struct known_title {
	uint64_t target, pass, changes; /* changes: of the device, + 1 */
	VkExtent2D size;
	uint16_t title;
};

struct vk_command {
	VkCommandBuffer handle;
	struct vk_device *device;
	struct command_pool *pool;
	struct vk_command *next, **link; /* of the pool */
	uint16_t name;

	/* As recorded: */
	bool secondary;
	bool shared;        /* may be submitted while it is pending */
	bool timed;         /* stamps may be recorded */
	bool inside;        /* of a render pass */
	bool suspended;     /* between a suspended pass and its resumption: no stamp is allowed */
	bool resumes_first; /* begins with the resumption of a pass */
	bool rendered, resumed, suspend_next; /* has a pass; of the running pass: its flags */
	unsigned untimed;                     /* passes without stamps */
	unsigned missed, halves; /* untimed for want of room; spans that only end another one's pass */
	unsigned n_spans, n_chunks, cap_spans;
	struct pass_span *spans;
	struct chunk **chunks;
	struct reading *readings;  /* two per span; of the last look (under device->lock) */
	unsigned run, pass;        /* spans of the open run of commands and of the open pass, or NO_RUN */
	enum passes_kind run_kind; /* of the open run, which may have no span; PASSES_KINDS: none open */
	struct debug_labels labels;
	struct known_title titles[TITLES_KNOWN];
	struct pass_counts counts; /* of the open run or pass; of a secondary buffer: of all of it */

	/* The last submission, if its results are still to be read (under device->lock): */
	bool submitted, pending, unread;
	struct vk_queue *queue;
	struct vk_command *next_pending;
	uint64_t frame, batch, first_batch; /* the last run, and the first since it was recorded */
	int64_t submit_ns;
};

struct command_pool {
	uint32_t family;
	struct vk_device *device;
	bool protected_memory;
	struct vk_command *commands;
};

struct vk_queue {
	struct vk_device *device;
	uint8_t number;
	uint64_t tick_mask;              /* of the family's valid bits; 0: no timestamps */
	struct vk_command *first, *last; /* results to read */
	/* A pass that the last command buffer of a batch left suspended: */
	bool carried;
	uint64_t carried_ticks, carried_batch;
	uint64_t batches, finished; /* submitted so far; the last one known to be complete */
	struct pass_span carried_span;
	struct ordinals ordinals;
};

/* Ticks to ns: two known pairs and the period. */
struct gpu_clock {
	double period_ns; /* 0: none */
	uint64_t mask;
	uint64_t ticks; /* of the anchor */
	int64_t ns;
	int64_t next_ns; /* when to calibrate again */
	bool calibrated, anchored;
};

struct vk_device {
	struct vk_device *next;
	void *key;
	VkDevice handle;
	struct vk_instance *instance;
	struct device_calls calls;
	uint8_t number;
	bool presents; /* atomic */
	bool lost, host_reset, can_calibrate, channel;
	uint32_t n_families;
	VkQueueFamilyProperties *families;
	struct map commands, pools;
	struct map passes, views; /* formats: pack_format of render passes, VkFormat of image views */
	struct map fences;        /* of submissions: queue number << 56 | batch */
	uint64_t changes;         /* of what names passes; atomic */
	struct map names, titles; /* names of objects, and of passes by format and size */
	struct gpu_clock clock;

	pthread_mutex_t lock;
	unsigned n_queues; /* atomic: grows when the queue is there */
	VkQueue queue_handle[QUEUES_MOST];
	struct vk_queue *queue[QUEUES_MOST];
	VkQueryPool query_pools[POOLS_MOST];
	struct chunk *pool_chunks[POOLS_MOST];
	unsigned n_query_pools;
	struct chunk *free_chunks;
	struct passes_event events[EVENTS_TOGETHER]; /* of passes, not yet written */
	unsigned n_events;
	struct frames frames; /* outstanding: command buffers */
};

#define DEVICE_MAPS(device)                                                                 \
	{                                                                                   \
		&(device)->commands, &(device)->pools, &(device)->passes, &(device)->views, \
			&(device)->names, &(device)->titles, &(device)->fences              \
	}

struct vk_instance *instance_of(void *key);
/* How passes are stamped, by MALITOP_STAMP. */
enum passes_stamp layer_stamp(void);
struct vk_device *device_of(void *key);
void device_unlist(struct vk_device *device);
/* vk_device.c: the queue that was got by this handle, or NULL. Without a lock. */
struct vk_queue *queue_find(struct vk_device *device, VkQueue handle);
static inline void *dispatch_key(const void *object)
{
	return *(void *const *)object;
}

static inline uint64_t handle_key(const void *handle)
{
	return (uint64_t)(uintptr_t)handle;
}

/* vk_objects.c */
struct vk_command *command_find(struct vk_device *device, VkCommandBuffer handle);
struct vk_command *command_of(VkCommandBuffer handle);
void command_free(struct vk_command *c);
/* The GPU has finished the command buffer, which the application empties. */
void command_reset(struct vk_command *c);
bool pool_has_timestamps(const struct command_pool *pool);
/* The name of a pass: the target's or the pass's own, or else size and format. */
uint16_t pass_title(struct vk_device *device, uint64_t target, uint64_t pass, uint64_t format,
		    VkExtent2D size);
static inline uint64_t pack_format(uint32_t format, uint32_t colours, bool depth)
{
	return (uint64_t)format | (uint64_t)(colours & 0xff) << 32 | (uint64_t)depth << 40 | 1ull << 41;
}

/* vk_record.c */
void command_action(struct vk_command *c, enum passes_kind kind);
#define COUNTS_UNKNOWN \
	((struct pass_counts){PASSES_COUNT_UNKNOWN, PASSES_COUNT_UNKNOWN, PASSES_VERTICES_UNKNOWN})
/* Unknown and anything is unknown, and so is what is too large. */
static inline void counts_add(struct pass_counts *to, const struct pass_counts *n)
{
	to->draws = n->draws < PASSES_COUNT_UNKNOWN - to->draws ? to->draws + n->draws : PASSES_COUNT_UNKNOWN;
	to->dispatches = n->dispatches < PASSES_COUNT_UNKNOWN - to->dispatches
				 ? to->dispatches + n->dispatches
				 : PASSES_COUNT_UNKNOWN;
	to->vertices = n->vertices < PASSES_VERTICES_UNKNOWN - to->vertices ? to->vertices + n->vertices
									    : PASSES_VERTICES_UNKNOWN;
}

/* vk_read.c: with device->lock held, except for device_take_chunk */
struct chunk *device_take_chunk(struct vk_device *device);
void device_free_queries(struct vk_device *device);
void device_poll(struct vk_device *device, int64_t now_ns);
/* The GPU has finished the command buffer's last run: read it now. */
void command_finish(struct vk_command *c);
/* All batches of the queue up to this one are complete. */
void queue_finish(struct vk_queue *queue, uint64_t batch);
/* Before a command buffer is submitted: read its last run. */
void command_resubmit(struct vk_command *c);
/* Forget the results of the queue's last batch, which was not submitted. */
void device_drop_batch(struct vk_queue *queue);
void device_emit_frames(struct vk_device *device);

/* vk_clock.c */
void clock_init(struct gpu_clock *clock, const VkPhysicalDeviceLimits *limits);
void clock_tend(struct vk_device *device, int64_t now_ns);
int64_t clock_place(struct gpu_clock *clock, uint64_t ticks, int64_t not_before_ns);

/* The functions that replace Vulkan's. Each has the type of the function it replaces. */
#define DECLARE(name) __typeof__(*(PFN_vk##name)0) hook_##name;
HOOKED_FUNCTIONS(DECLARE)
DECLARE(CreateInstance)
DECLARE(DestroyInstance)
DECLARE(CreateDevice)
#undef DECLARE

/* The hook of a command: what it notes, then the call itself. */
#define COMMAND_HOOK(name, note, PARAMETERS, ARGUMENTS)   \
	VKAPI_ATTR void VKAPI_CALL hook_##name PARAMETERS \
	{                                                 \
		struct vk_command *c = command_of(b);     \
                                                          \
		note;                                     \
		c->device->calls.name ARGUMENTS;          \
	}

#endif
