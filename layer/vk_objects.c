#include "layer/vk.h"

#include <stdlib.h>

/* How many command buffers were freed: a thread's copy about one is valid while this is unchanged,
 * because a thread that reuses a handle has seen it freed. */
static uint64_t commands_freed;

/* A thread records many commands into one buffer. */
struct vk_command *command_of(VkCommandBuffer handle)
{
	static _Thread_local struct {
		VkCommandBuffer handle;
		struct vk_command *command;
		uint64_t freed;
	} last;
	uint64_t freed = __atomic_load_n(&commands_freed, __ATOMIC_ACQUIRE);

	if (last.handle != handle || last.freed != freed || !last.command) {
		last.handle = handle;
		last.freed = freed;
		last.command = command_find(device_of(dispatch_key(handle)), handle);
	}
	return last.command;
}

struct vk_command *command_find(struct vk_device *device, VkCommandBuffer handle)
{
	return (struct vk_command *)(uintptr_t)map_get(&device->commands, handle_key(handle));
}

static struct command_pool *find_pool(struct vk_device *device, VkCommandPool handle)
{
	return (struct command_pool *)(uintptr_t)map_get(&device->pools, (uint64_t)handle);
}

/* A family without graphics and compute cannot reset queries. */
bool pool_has_timestamps(const struct command_pool *pool)
{
	const struct vk_device *device = pool->device;
	const VkQueueFamilyProperties *family;

	if (pool->family >= device->n_families || device->clock.period_ns == 0)
		return false;
	family = &device->families[pool->family];
	return family->timestampValidBits &&
	       family->queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_CreateCommandPool(VkDevice handle, const VkCommandPoolCreateInfo *info,
						      const VkAllocationCallbacks *allocator,
						      VkCommandPool *out)
{
	struct vk_device *device = device_of(dispatch_key(handle));
	struct command_pool *pool = calloc(1, sizeof(*pool));
	VkResult result;

	if (!pool)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = device->calls.CreateCommandPool(handle, info, allocator, out);
	if (result == VK_SUCCESS) {
		pool->device = device;
		pool->family = info->queueFamilyIndex;
		pool->protected_memory = info->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT;
		if (map_put(&device->pools, (uint64_t)*out, (uintptr_t)pool))
			return VK_SUCCESS;
		device->calls.DestroyCommandPool(handle, *out, allocator);
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	free(pool);
	return result;
}

/* Its queries go back to the device: they were reset at least once if the GPU has run it. */
void command_free(struct vk_command *c)
{
	struct vk_device *device = c->device;

	pthread_mutex_lock(&device->lock);
	command_finish(c);
	for (unsigned i = c->cap_spans / CHUNK_SPANS; i-- > 0;)
		if (c->chunks[i]) {
			c->chunks[i]->next_free = device->free_chunks;
			device->free_chunks = c->chunks[i];
		}
	pthread_mutex_unlock(&device->lock);
	__atomic_fetch_add(&commands_freed, 1, __ATOMIC_RELEASE);
	map_take(&device->commands, handle_key(c->handle));
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	free(c->spans);
	free(c->chunks);
	free(c->readings);
	free(c);
}

void command_reset(struct vk_command *c)
{
	pthread_mutex_lock(&c->device->lock);
	command_finish(c);
	pthread_mutex_unlock(&c->device->lock);
	c->n_spans = c->n_chunks = c->untimed = c->missed = c->halves = 0;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_ResetCommandPool(VkDevice handle, VkCommandPool pool,
						     VkCommandPoolResetFlags flags)
{
	struct vk_device *device = device_of(dispatch_key(handle));

	for (struct vk_command *c = find_pool(device, pool)->commands; c; c = c->next)
		command_reset(c);
	return device->calls.ResetCommandPool(handle, pool, flags);
}

VKAPI_ATTR void VKAPI_CALL hook_DestroyCommandPool(VkDevice handle, VkCommandPool out,
						   const VkAllocationCallbacks *allocator)
{
	struct vk_device *device = device_of(dispatch_key(handle));
	struct command_pool *pool = (struct command_pool *)(uintptr_t)map_take(&device->pools, (uint64_t)out);

	while (pool && pool->commands)
		command_free(pool->commands);
	free(pool);
	device->calls.DestroyCommandPool(handle, out, allocator);
}

static bool add_command(struct vk_device *device, struct command_pool *pool, VkCommandBuffer handle,
			bool secondary)
{
	struct vk_command *c = calloc(1, sizeof(*c));

	if (!c || !map_put(&device->commands, handle_key(handle), (uintptr_t)c)) {
		free(c);
		return false;
	}
	c->handle = handle;
	c->device = device;
	c->pool = pool;
	c->secondary = secondary;
	c->run = c->pass = NO_RUN;
	c->name = (uint16_t)map_get(&device->names, handle_key(handle));
	c->link = &pool->commands;
	c->next = pool->commands;
	if (c->next)
		c->next->link = &c->next;
	pool->commands = c;
	return true;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_AllocateCommandBuffers(VkDevice handle,
							   const VkCommandBufferAllocateInfo *info,
							   VkCommandBuffer *out)
{
	struct vk_device *device = device_of(dispatch_key(handle));
	struct command_pool *pool = find_pool(device, info->commandPool);
	VkResult result = device->calls.AllocateCommandBuffers(handle, info, out);
	uint32_t n = 0;

	if (result != VK_SUCCESS)
		return result;
	while (n < info->commandBufferCount &&
	       add_command(device, pool, out[n], info->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY))
		n++;
	if (n == info->commandBufferCount)
		return VK_SUCCESS;
	while (n > 0)
		command_free(command_find(device, out[--n]));
	device->calls.FreeCommandBuffers(handle, info->commandPool, info->commandBufferCount, out);
	memset(out, 0, info->commandBufferCount * sizeof(*out));
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL hook_FreeCommandBuffers(VkDevice handle, VkCommandPool pool, uint32_t n,
						   const VkCommandBuffer *buffers)
{
	struct vk_device *device = device_of(dispatch_key(handle));

	for (uint32_t i = 0; i < n; i++) {
		struct vk_command *c = buffers[i] ? command_find(device, buffers[i]) : NULL;

		if (c)
			command_free(c);
	}
	device->calls.FreeCommandBuffers(handle, pool, n, buffers);
}

/* After anything that names passes has changed. */
static void note_change(struct vk_device *device)
{
	__atomic_fetch_add(&device->changes, 1, __ATOMIC_RELEASE);
}

static void note_object(struct vk_device *device, struct map *formats, uint64_t object, uint64_t format)
{
	map_put(formats, object, format);
	note_change(device);
}

static void forget_object(struct vk_device *device, struct map *formats, uint64_t object)
{
	map_take(formats, object);
	map_take(&device->names, object);
	note_change(device);
}

/* What names a render pass: the format of its first colour attachment, how many there are, and
 * whether there is depth. */
struct attachments {
	uint32_t format, colours, depth;
};

static void add_attachment(struct attachments *all, VkFormat format)
{
	if (format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT)
		all->depth = 1;
	else if (all->colours++ == 0)
		all->format = format;
}

#define CREATE_PASS(name, Info)                                                            \
	VKAPI_ATTR VkResult VKAPI_CALL hook_##name(VkDevice handle, const Info *info,      \
						   const VkAllocationCallbacks *allocator, \
						   VkRenderPass *out)                      \
	{                                                                                  \
		struct vk_device *device = device_of(dispatch_key(handle));                \
		VkResult result = device->calls.name(handle, info, allocator, out);        \
		struct attachments all = {0};                                              \
                                                                                           \
		for (uint32_t i = 0; i < info->attachmentCount; i++)                       \
			add_attachment(&all, info->pAttachments[i].format);                \
		if (result == VK_SUCCESS)                                                  \
			note_object(device, &device->passes, (uint64_t)*out,               \
				    pack_format(all.format, all.colours, all.depth));      \
		return result;                                                             \
	}
CREATE_PASS(CreateRenderPass, VkRenderPassCreateInfo)
CREATE_PASS(CreateRenderPass2, VkRenderPassCreateInfo2)

VKAPI_ATTR void VKAPI_CALL hook_DestroyRenderPass(VkDevice handle, VkRenderPass pass,
						  const VkAllocationCallbacks *allocator)
{
	struct vk_device *device = device_of(dispatch_key(handle));

	forget_object(device, &device->passes, (uint64_t)pass);
	device->calls.DestroyRenderPass(handle, pass, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_CreateImageView(VkDevice handle, const VkImageViewCreateInfo *info,
						    const VkAllocationCallbacks *allocator, VkImageView *out)
{
	struct vk_device *device = device_of(dispatch_key(handle));
	VkResult result = device->calls.CreateImageView(handle, info, allocator, out);

	if (result == VK_SUCCESS)
		note_object(device, &device->views, (uint64_t)*out, (uint64_t)info->format);
	return result;
}

VKAPI_ATTR void VKAPI_CALL hook_DestroyImageView(VkDevice handle, VkImageView view,
						 const VkAllocationCallbacks *allocator)
{
	struct vk_device *device = device_of(dispatch_key(handle));

	forget_object(device, &device->views, (uint64_t)view);
	device->calls.DestroyImageView(handle, view, allocator);
}

static void name_object(struct vk_device *device, VkObjectType type, uint64_t object, const char *text)
{
	uint16_t name = text && text[0] ? channel_name(text) : 0;
	struct vk_command *c;

	switch (type) {
	case VK_OBJECT_TYPE_COMMAND_BUFFER:
		c = command_find(device, (VkCommandBuffer)(uintptr_t)object);
		if (c)
			c->name = name;
		break;
	case VK_OBJECT_TYPE_RENDER_PASS:
	case VK_OBJECT_TYPE_FRAMEBUFFER:
	case VK_OBJECT_TYPE_IMAGE_VIEW:
		note_object(device, &device->names, object, name);
		break;
	default:
		break;
	}
}

VKAPI_ATTR VkResult VKAPI_CALL hook_SetDebugUtilsObjectNameEXT(VkDevice handle,
							       const VkDebugUtilsObjectNameInfoEXT *info)
{
	struct vk_device *device = device_of(dispatch_key(handle));

	name_object(device, info->objectType, info->objectHandle, info->pObjectName);
	return device->calls.SetDebugUtilsObjectNameEXT
		       ? device->calls.SetDebugUtilsObjectNameEXT(handle, info)
		       : VK_SUCCESS;
}

/* The types of VK_EXT_debug_report have the numbers of the core's objects. */
VKAPI_ATTR VkResult VKAPI_CALL hook_DebugMarkerSetObjectNameEXT(VkDevice handle,
								const VkDebugMarkerObjectNameInfoEXT *info)
{
	struct vk_device *device = device_of(dispatch_key(handle));

	name_object(device, (VkObjectType)info->objectType, info->object, info->pObjectName);
	return device->calls.DebugMarkerSetObjectNameEXT(handle, info);
}

/* ---- titles of passes ---- */

static const struct {
	VkFormat format;
	const char *name;
} format_names[] = {
	{VK_FORMAT_R5G6B5_UNORM_PACK16, "RGB565"},
	{VK_FORMAT_R8_UNORM, "R8"},
	{VK_FORMAT_R8G8_UNORM, "RG8"},
	{VK_FORMAT_R8G8B8A8_UNORM, "RGBA8"},
	{VK_FORMAT_R8G8B8A8_SRGB, "RGBA8 sRGB"},
	{VK_FORMAT_B8G8R8A8_UNORM, "BGRA8"},
	{VK_FORMAT_B8G8R8A8_SRGB, "BGRA8 sRGB"},
	{VK_FORMAT_A8B8G8R8_UNORM_PACK32, "ABGR8"},
	{VK_FORMAT_A8B8G8R8_SRGB_PACK32, "ABGR8 sRGB"},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, "RGB10A2"},
	{VK_FORMAT_A2R10G10B10_UNORM_PACK32, "BGR10A2"},
	{VK_FORMAT_R16_SFLOAT, "R16F"},
	{VK_FORMAT_R16G16_SFLOAT, "RG16F"},
	{VK_FORMAT_R16G16B16A16_SFLOAT, "RGBA16F"},
	{VK_FORMAT_R32_SFLOAT, "R32F"},
	{VK_FORMAT_R32G32_SFLOAT, "RG32F"},
	{VK_FORMAT_R32G32B32A32_SFLOAT, "RGBA32F"},
	{VK_FORMAT_B10G11R11_UFLOAT_PACK32, "RG11B10F"},
	{VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, "RGB9E5"},
};

static const char *format_name(uint32_t format, char number[24])
{
	for (unsigned i = 0; i < sizeof(format_names) / sizeof(format_names[0]); i++)
		if ((uint32_t)format_names[i].format == format)
			return format_names[i].name;
	snprintf(number, 24, "format %u", format);
	return number;
}

static uint16_t make_title(uint64_t format, VkExtent2D size)
{
	unsigned colours = format >> 32 & 0xff;
	bool depth = format >> 40 & 1;
	char text[PASSES_TEXT], number[24], more[16] = "";

	if (colours > 1)
		snprintf(more, sizeof(more), " x%u", colours);
	snprintf(text, sizeof(text), "%ux%u %s%s%s", size.width, size.height,
		 colours ? format_name((uint32_t)format, number)
		 : depth ? "depth"
			 : "no target",
		 more, colours && depth ? " + depth" : "");
	return channel_name(text);
}

uint16_t pass_title(struct vk_device *device, uint64_t target, uint64_t pass, uint64_t format,
		    VkExtent2D size)
{
	uint64_t name = target ? map_get(&device->names, target) : 0, key;

	if (!name && pass)
		name = map_get(&device->names, pass);
	if (name)
		return (uint16_t)name;
	key = (format ^ (uint64_t)size.width << 42 ^ (uint64_t)size.height << 20) * 0x9e3779b97f4a7c15ull;
	name = map_get(&device->titles, key);
	if (!name) {
		name = make_title(format, size) + 1u;
		map_put(&device->titles, key, name);
	}
	return (uint16_t)(name - 1);
}
