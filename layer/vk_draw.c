#include "layer/vk_hooks.h"

/* Draws, as they are recorded: how many, and of how many vertices, as far as the call says it. Not
 * how many triangles: that needs the pipeline's topology, and so a look at each pipeline. */
#define DRAW(name, N_DRAWS, N_VERTICES, PARAMETERS, ARGUMENTS)                                           \
	VKAPI_ATTR void VKAPI_CALL hook_##name PARAMETERS                                                \
	{                                                                                                \
		struct vk_command *c = command_of(b);                                                    \
                                                                                                         \
		counts_add(&c->counts, &(struct pass_counts){.draws = N_DRAWS, .vertices = N_VERTICES}); \
		c->device->calls.name ARGUMENTS;                                                         \
	}

/* clang-format off */
DRAW(CmdDraw, 1, (uint64_t)vertices * instances,
	(VkCommandBuffer b, uint32_t vertices, uint32_t instances, uint32_t first, uint32_t first_instance),
	(b, vertices, instances, first, first_instance))
DRAW(CmdDrawIndexed, 1, (uint64_t)indices * instances,
	(VkCommandBuffer b, uint32_t indices, uint32_t instances, uint32_t first, int32_t offset,
	uint32_t first_instance),
	(b, indices, instances, first, offset, first_instance))
DRAW(CmdDrawIndirect, n, n ? PASSES_VERTICES_UNKNOWN : 0,
	(VkCommandBuffer b, VkBuffer buffer, VkDeviceSize at, uint32_t n, uint32_t stride),
	(b, buffer, at, n, stride))
DRAW(CmdDrawIndexedIndirect, n, n ? PASSES_VERTICES_UNKNOWN : 0,
	(VkCommandBuffer b, VkBuffer buffer, VkDeviceSize at, uint32_t n, uint32_t stride),
	(b, buffer, at, n, stride))
DRAW(CmdDrawIndirectCount, PASSES_COUNT_UNKNOWN, PASSES_VERTICES_UNKNOWN,
	(VkCommandBuffer b, VkBuffer buffer, VkDeviceSize at, VkBuffer count, VkDeviceSize count_at,
	uint32_t most, uint32_t stride),
	(b, buffer, at, count, count_at, most, stride))
DRAW(CmdDrawIndexedIndirectCount, PASSES_COUNT_UNKNOWN, PASSES_VERTICES_UNKNOWN,
	(VkCommandBuffer b, VkBuffer buffer, VkDeviceSize at, VkBuffer count, VkDeviceSize count_at,
	uint32_t most, uint32_t stride),
	(b, buffer, at, count, count_at, most, stride))
DRAW(CmdDrawIndirectByteCountEXT, 1, PASSES_VERTICES_UNKNOWN,
	(VkCommandBuffer b, uint32_t instances, uint32_t first_instance, VkBuffer count, VkDeviceSize at,
	uint32_t offset, uint32_t stride),
	(b, instances, first_instance, count, at, offset, stride))
DRAW(CmdDrawMultiEXT, n, n ? PASSES_VERTICES_UNKNOWN : 0,
	(VkCommandBuffer b, uint32_t n, const VkMultiDrawInfoEXT *draws, uint32_t instances,
	uint32_t first_instance, uint32_t stride),
	(b, n, draws, instances, first_instance, stride))
DRAW(CmdDrawMultiIndexedEXT, n, n ? PASSES_VERTICES_UNKNOWN : 0,
	(VkCommandBuffer b, uint32_t n, const VkMultiDrawIndexedInfoEXT *draws, uint32_t instances,
	uint32_t first_instance, uint32_t stride, const int32_t *offset),
	(b, n, draws, instances, first_instance, stride, offset))
DRAW(CmdDrawMeshTasksEXT, 1, PASSES_VERTICES_UNKNOWN,
	(VkCommandBuffer b, uint32_t x, uint32_t y, uint32_t z), (b, x, y, z))
DRAW(CmdDrawMeshTasksIndirectEXT, n, n ? PASSES_VERTICES_UNKNOWN : 0,
	(VkCommandBuffer b, VkBuffer buffer, VkDeviceSize at, uint32_t n, uint32_t stride),
	(b, buffer, at, n, stride))
DRAW(CmdDrawMeshTasksIndirectCountEXT, PASSES_COUNT_UNKNOWN, PASSES_VERTICES_UNKNOWN,
	(VkCommandBuffer b, VkBuffer buffer, VkDeviceSize at, VkBuffer count, VkDeviceSize count_at,
	uint32_t most, uint32_t stride),
	(b, buffer, at, count, count_at, most, stride))
/* clang-format on */
