#include "layer/vk.h"

static struct vk_queue *queue_of(VkQueue handle)
{
	return queue_find(device_of(dispatch_key(handle)), handle);
}

static void append_pending(struct vk_queue *queue, struct vk_command *c, int64_t now_ns)
{
	c->queue = queue;
	c->frame = queue->device->frames.now;
	c->batch = queue->batches;
	if (!c->submitted)
		c->first_batch = c->batch;
	c->submit_ns = now_ns;
	c->submitted = c->pending = true;
	c->next_pending = NULL;
	if (queue->last)
		queue->last->next_pending = c;
	else
		queue->first = c;
	queue->last = c;
	frames_at(&queue->device->frames, c->frame)->outstanding++;
}

static void note_submitted(struct vk_queue *queue, VkCommandBuffer handle, int64_t now_ns)
{
	struct vk_command *c = command_find(queue->device, handle);

	if (!c)
		return;
	queue->device->frames.passes += c->n_spans - c->halves + c->untimed;
	frames_at(&queue->device->frames, queue->device->frames.now)->stamped +=
		c->n_spans - c->halves + c->missed;
	channel_count(PASSES_UNTIMED, c->untimed);
	if (!c->n_spans)
		return;
	command_resubmit(c);
	append_pending(queue, c, now_ns);
}

/* Results are expected from now on, so that no other thread can finish a command buffer before it
 * is noted. */
static struct vk_queue *begin_submit(VkQueue handle, int64_t now_ns)
{
	struct vk_queue *queue = queue_of(handle);

	if (queue) {
		pthread_mutex_lock(&queue->device->lock);
		device_poll(queue->device, now_ns);
		queue->batches++;
		queue->device->frames.submits++;
	}
	return queue;
}

/* The fence signals that the batch is complete. A failed submission gives no results. */
static void end_submit(struct vk_queue *queue, VkFence fence, VkResult result)
{
	if (!queue)
		return;
	if (result == VK_SUCCESS) {
		if (fence)
			map_put(&queue->device->fences, (uint64_t)fence,
				(uint64_t)queue->number << 56 | queue->batches);
		return;
	}
	pthread_mutex_lock(&queue->device->lock);
	if (result == VK_ERROR_DEVICE_LOST)
		queue->device->lost = true;
	device_drop_batch(queue);
	pthread_mutex_unlock(&queue->device->lock);
}

#define SUBMIT(name, Info, n_buffers, buffer)                                                     \
	VKAPI_ATTR VkResult VKAPI_CALL hook_##name(VkQueue handle, uint32_t n, const Info *infos, \
						   VkFence fence)                                 \
	{                                                                                         \
		int64_t now_ns = passes_now_ns();                                                 \
		struct vk_queue *queue = begin_submit(handle, now_ns);                            \
		VkResult result;                                                                  \
                                                                                                  \
		for (uint32_t i = 0; queue && i < n; i++)                                         \
			for (uint32_t b = 0; b < infos[i].n_buffers; b++)                         \
				note_submitted(queue, infos[i].buffer, now_ns);                   \
		if (queue)                                                                        \
			pthread_mutex_unlock(&queue->device->lock);                               \
		result = device_of(dispatch_key(handle))->calls.name(handle, n, infos, fence);    \
		end_submit(queue, fence, result);                                                 \
		return result;                                                                    \
	}
SUBMIT(QueueSubmit, VkSubmitInfo, commandBufferCount, pCommandBuffers[b])
SUBMIT(QueueSubmit2, VkSubmitInfo2, commandBufferInfoCount, pCommandBufferInfos[b].commandBuffer)

static void end_frame(struct vk_device *device, enum passes_boundary kind, int64_t now_ns)
{
	struct passes_event frame = {.kind = (uint8_t)kind, .device = device->number};

	pthread_mutex_lock(&device->lock);
	device_poll(device, now_ns);
	frame.flags = device->clock.period_ns > 0 ? 0 : PASSES_NO_TIMESTAMPS;
	frames_end(&device->frames, &frame, now_ns);
	device_emit_frames(device);
	pthread_mutex_unlock(&device->lock);
	channel_tend(now_ns);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_QueuePresentKHR(VkQueue handle, const VkPresentInfoKHR *info)
{
	struct vk_device *device = device_of(dispatch_key(handle));
	int64_t begin_ns = passes_now_ns();
	VkResult result;

	end_frame(device, PASSES_PRESENT, begin_ns);
	result = device->calls.QueuePresentKHR(handle, info);
	frames_add_present(&device->frames, begin_ns, passes_now_ns());
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_CreateSwapchainKHR(VkDevice handle, const VkSwapchainCreateInfoKHR *info,
						       const VkAllocationCallbacks *allocator,
						       VkSwapchainKHR *out)
{
	struct vk_device *device = device_of(dispatch_key(handle));
	VkResult result = device->calls.CreateSwapchainKHR(handle, info, allocator, out);

	if (result == VK_SUCCESS)
		__atomic_store_n(&device->presents, true, __ATOMIC_RELAXED);
	return result;
}

/* A fence that is signalled once was reset only after its batch was complete, so an old entry is
 * still true. */
static void finish_fences(struct vk_device *device, uint32_t n, const VkFence *fences)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t batch = map_get(&device->fences, (uint64_t)fences[i]);

		if (!batch)
			continue;
		pthread_mutex_lock(&device->lock);
		queue_finish(device->queue[batch >> 56], batch & UINT64_MAX >> 8);
		pthread_mutex_unlock(&device->lock);
	}
}

/* That queue of the device, or all (NULL). */
static void finish_queues(struct vk_device *device, VkQueue only)
{
	pthread_mutex_lock(&device->lock);
	for (unsigned i = 0; i < device->n_queues; i++)
		if (!only || device->queue_handle[i] == only)
			queue_finish(device->queue[i], device->queue[i]->batches);
	pthread_mutex_unlock(&device->lock);
}

/* A successful wait for the GPU ends a frame of an application that presents nothing. */
static void end_wait(struct vk_device *device, int64_t begin_ns, VkResult result)
{
	int64_t now_ns = passes_now_ns();
	bool ends;

	frames_add_wait(&device->frames, begin_ns, now_ns);
	if (result == VK_SUCCESS && __atomic_load_n(&device->presents, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&device->lock);
	device->lost |= result == VK_ERROR_DEVICE_LOST;
	ends = result == VK_SUCCESS && device->frames.submits;
	pthread_mutex_unlock(&device->lock);
	if (ends)
		end_frame(device, PASSES_WAIT, now_ns);
}

#define WAIT(name, finish, PARAMETERS, ARGUMENTS)                           \
	VKAPI_ATTR VkResult VKAPI_CALL hook_##name PARAMETERS               \
	{                                                                   \
		struct vk_device *device = device_of(dispatch_key(handle)); \
		int64_t begin_ns = passes_now_ns();                         \
		VkResult result = device->calls.name ARGUMENTS;             \
                                                                            \
		if (result == VK_SUCCESS)                                   \
			finish;                                             \
		end_wait(device, begin_ns, result);                         \
		return result;                                              \
	}

/* clang-format off */
WAIT(QueueWaitIdle, finish_queues(device, handle), (VkQueue handle), (handle))
WAIT(DeviceWaitIdle, finish_queues(device, NULL), (VkDevice handle), (handle))
WAIT(WaitForFences, finish_fences(device, all || n == 1 ? n : 0, fences),
	(VkDevice handle, uint32_t n, const VkFence *fences, VkBool32 all, uint64_t timeout),
	(handle, n, fences, all, timeout))
WAIT(WaitSemaphores, (void)0, (VkDevice handle, const VkSemaphoreWaitInfo *info, uint64_t timeout),
	(handle, info, timeout))
/* clang-format on */

VKAPI_ATTR VkResult VKAPI_CALL hook_GetFenceStatus(VkDevice handle, VkFence fence)
{
	struct vk_device *device = device_of(dispatch_key(handle));
	VkResult result = device->calls.GetFenceStatus(handle, fence);

	if (result == VK_SUCCESS)
		finish_fences(device, 1, &fence);
	return result;
}

/* Waiting for the display is no boundary. */
#define ACQUIRE(name, PARAMETERS, ARGUMENTS)                                 \
	VKAPI_ATTR VkResult VKAPI_CALL hook_##name PARAMETERS                \
	{                                                                    \
		struct vk_device *device = device_of(dispatch_key(handle));  \
		int64_t begin_ns = passes_now_ns();                          \
		VkResult result = device->calls.name ARGUMENTS;              \
                                                                             \
		frames_add_wait(&device->frames, begin_ns, passes_now_ns()); \
		return result;                                               \
	}

/* clang-format off */
ACQUIRE(AcquireNextImageKHR,
	(VkDevice handle, VkSwapchainKHR swapchain, uint64_t timeout, VkSemaphore semaphore, VkFence fence,
	 uint32_t *index),
	(handle, swapchain, timeout, semaphore, fence, index))
ACQUIRE(AcquireNextImage2KHR, (VkDevice handle, const VkAcquireNextImageInfoKHR *info, uint32_t *index),
	(handle, info, index))
/* clang-format on */
