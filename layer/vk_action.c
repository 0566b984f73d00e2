#include "layer/vk_hooks.h"

/* Commands outside of passes. Consecutive ones of a kind are one run. */
#define ACTION(name, kind, PARAMETERS, ARGUMENTS)         \
	VKAPI_ATTR void VKAPI_CALL hook_##name PARAMETERS \
	{                                                 \
		struct vk_command *c = command_of(b);     \
                                                          \
		command_action(c, kind);                  \
		c->device->calls.name ARGUMENTS;          \
	}

/* clang-format off */
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
