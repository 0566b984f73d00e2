#include "layer/vk.h"

#include <stdlib.h>

struct vk_queue *queue_find(struct vk_device *device, VkQueue handle)
{
	unsigned n = __atomic_load_n(&device->n_queues, __ATOMIC_ACQUIRE), i = 0;

	while (i < n && device->queue_handle[i] != handle)
		i++;
	return i < n ? device->queue[i] : NULL;
}

static void note_queue(struct vk_device *device, VkQueue handle, uint32_t family)
{
	struct vk_queue *queue = handle && !queue_find(device, handle) ? calloc(1, sizeof(*queue)) : NULL;
	uint32_t bits = family < device->n_families ? device->families[family].timestampValidBits : 0;

	if (!queue)
		return;
	queue->device = device;
	queue->tick_mask = bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
	pthread_mutex_lock(&device->lock);
	if (device->n_queues < QUEUES_MOST && !queue_find(device, handle)) {
		queue->number = (uint8_t)device->n_queues;
		device->queue[device->n_queues] = queue;
		device->queue_handle[device->n_queues] = handle;
		__atomic_store_n(&device->n_queues, device->n_queues + 1, __ATOMIC_RELEASE);
		queue = NULL;
	}
	pthread_mutex_unlock(&device->lock);
	free(queue);
}

VKAPI_ATTR void VKAPI_CALL hook_GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index, VkQueue *out)
{
	struct vk_device *device = device_of(dispatch_key(handle));

	device->calls.GetDeviceQueue(handle, family, index, out);
	note_queue(device, *out, family);
}

VKAPI_ATTR void VKAPI_CALL hook_GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info, VkQueue *out)
{
	struct vk_device *device = device_of(dispatch_key(handle));

	device->calls.GetDeviceQueue2(handle, info, out);
	note_queue(device, *out, info->queueFamilyIndex);
}

/* Command pools that the application did not destroy: this must not touch its objects. */
static void free_pools(struct vk_device *device)
{
	uint64_t key;

	while ((key = map_any(&device->pools))) {
		struct command_pool *pool = (struct command_pool *)(uintptr_t)map_take(&device->pools, key);

		while (pool->commands)
			command_free(pool->commands);
		free(pool);
	}
}

static void free_device(struct vk_device *device)
{
	struct map *maps[] = DEVICE_MAPS(device);

	for (unsigned i = 0; i < device->n_queues; i++)
		free(device->queue[i]);
	for (unsigned i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		map_fini(maps[i]);
	pthread_mutex_destroy(&device->lock);
	free(device->families);
	free(device);
}

VKAPI_ATTR void VKAPI_CALL hook_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
	struct vk_device *device;

	if (!handle)
		return;
	device = device_of(dispatch_key(handle));
	free_pools(device);
	pthread_mutex_lock(&device->lock);
	device_poll(device, passes_now_ns());
	device_free_queries(device);
	pthread_mutex_unlock(&device->lock);
	device_unlist(device);
	device->calls.DestroyDevice(handle, allocator);
	if (device->channel)
		channel_close();
	free_device(device);
}
