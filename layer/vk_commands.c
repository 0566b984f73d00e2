#include "layer/vk.h"

/* Draws, as they are recorded: how many, and of how many vertices, as far as the call says it. Not
 * how many triangles: that needs the pipeline's topology, and so a look at each pipeline. */
#define DRAW(name, N_DRAWS, N_VERTICES, PARAMETERS, ARGUMENTS)                                           \
	COMMAND_HOOK(                                                                                    \
		name,                                                                                    \
		counts_add(&c->counts, &(struct pass_counts){.draws = N_DRAWS, .vertices = N_VERTICES}), \
		PARAMETERS, ARGUMENTS)
/* Commands outside of passes. Consecutive ones of a kind are one run. */
#define ACTION(name, kind, PARAMETERS, ARGUMENTS) \
	COMMAND_HOOK(name, command_action(c, kind), PARAMETERS, ARGUMENTS)

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

ACTION(CmdDispatch, PASSES_COMPUTE, (VkCommandBuffer b, uint32_t x, uint32_t y, uint32_t z), (b, x, y, z))
ACTION(CmdDispatchIndirect, PASSES_COMPUTE, (VkCommandBuffer b, VkBuffer buffer, VkDeviceSize at),
	(b, buffer, at))
ACTION(CmdDispatchBase, PASSES_COMPUTE,
	(VkCommandBuffer b, uint32_t x0, uint32_t y0, uint32_t z0, uint32_t x, uint32_t y, uint32_t z),
	(b, x0, y0, z0, x, y, z))
ACTION(CmdTraceRaysKHR, PASSES_COMPUTE,
	(VkCommandBuffer b, const VkStridedDeviceAddressRegionKHR *raygen,
	const VkStridedDeviceAddressRegionKHR *miss, const VkStridedDeviceAddressRegionKHR *hit,
	const VkStridedDeviceAddressRegionKHR *callable, uint32_t x, uint32_t y, uint32_t z),
	(b, raygen, miss, hit, callable, x, y, z))
ACTION(CmdTraceRaysIndirectKHR, PASSES_COMPUTE,
	(VkCommandBuffer b, const VkStridedDeviceAddressRegionKHR *raygen,
	const VkStridedDeviceAddressRegionKHR *miss, const VkStridedDeviceAddressRegionKHR *hit,
	const VkStridedDeviceAddressRegionKHR *callable, VkDeviceAddress at),
	(b, raygen, miss, hit, callable, at))
ACTION(CmdBuildAccelerationStructuresKHR, PASSES_COMPUTE,
	(VkCommandBuffer b, uint32_t n, const VkAccelerationStructureBuildGeometryInfoKHR *infos,
	const VkAccelerationStructureBuildRangeInfoKHR *const *ranges),
	(b, n, infos, ranges))
ACTION(CmdCopyBuffer, PASSES_TRANSFER,
	(VkCommandBuffer b, VkBuffer from, VkBuffer to, uint32_t n, const VkBufferCopy *regions),
	(b, from, to, n, regions))
ACTION(CmdCopyImage, PASSES_TRANSFER,
	(VkCommandBuffer b, VkImage from, VkImageLayout layout, VkImage to, VkImageLayout to_layout,
	uint32_t n, const VkImageCopy *regions),
	(b, from, layout, to, to_layout, n, regions))
ACTION(CmdBlitImage, PASSES_TRANSFER,
	(VkCommandBuffer b, VkImage from, VkImageLayout layout, VkImage to, VkImageLayout to_layout,
	uint32_t n, const VkImageBlit *regions, VkFilter filter),
	(b, from, layout, to, to_layout, n, regions, filter))
ACTION(CmdCopyBufferToImage, PASSES_TRANSFER,
	(VkCommandBuffer b, VkBuffer from, VkImage to, VkImageLayout layout, uint32_t n,
	const VkBufferImageCopy *regions),
	(b, from, to, layout, n, regions))
ACTION(CmdCopyImageToBuffer, PASSES_TRANSFER,
	(VkCommandBuffer b, VkImage from, VkImageLayout layout, VkBuffer to, uint32_t n,
	const VkBufferImageCopy *regions),
	(b, from, layout, to, n, regions))
ACTION(CmdUpdateBuffer, PASSES_TRANSFER,
	(VkCommandBuffer b, VkBuffer to, VkDeviceSize at, VkDeviceSize n, const void *data),
	(b, to, at, n, data))
ACTION(CmdFillBuffer, PASSES_TRANSFER,
	(VkCommandBuffer b, VkBuffer to, VkDeviceSize at, VkDeviceSize n, uint32_t data),
	(b, to, at, n, data))
ACTION(CmdClearColorImage, PASSES_TRANSFER,
	(VkCommandBuffer b, VkImage image, VkImageLayout layout, const VkClearColorValue *value, uint32_t n,
	const VkImageSubresourceRange *ranges),
	(b, image, layout, value, n, ranges))
ACTION(CmdClearDepthStencilImage, PASSES_TRANSFER,
	(VkCommandBuffer b, VkImage image, VkImageLayout layout, const VkClearDepthStencilValue *value,
	uint32_t n, const VkImageSubresourceRange *ranges),
	(b, image, layout, value, n, ranges))
ACTION(CmdResolveImage, PASSES_TRANSFER,
	(VkCommandBuffer b, VkImage from, VkImageLayout layout, VkImage to, VkImageLayout to_layout,
	uint32_t n, const VkImageResolve *regions),
	(b, from, layout, to, to_layout, n, regions))
ACTION(CmdCopyBuffer2, PASSES_TRANSFER, (VkCommandBuffer b, const VkCopyBufferInfo2 *info), (b, info))
ACTION(CmdCopyImage2, PASSES_TRANSFER, (VkCommandBuffer b, const VkCopyImageInfo2 *info), (b, info))
ACTION(CmdBlitImage2, PASSES_TRANSFER, (VkCommandBuffer b, const VkBlitImageInfo2 *info), (b, info))
ACTION(CmdCopyBufferToImage2, PASSES_TRANSFER, (VkCommandBuffer b, const VkCopyBufferToImageInfo2 *info),
	(b, info))
ACTION(CmdCopyImageToBuffer2, PASSES_TRANSFER, (VkCommandBuffer b, const VkCopyImageToBufferInfo2 *info),
	(b, info))
ACTION(CmdResolveImage2, PASSES_TRANSFER, (VkCommandBuffer b, const VkResolveImageInfo2 *info), (b, info))
/* clang-format on */
