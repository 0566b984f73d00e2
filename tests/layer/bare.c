/* bare [FRAMES]: frames of two passes on each of two queues, and of one on a queue for transfers
 * only, with the fewest Vulkan functions. The transfer of the second queue has 41 commands, all
 * others have one. A lost device ends it with status 0. */
#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan.h>

struct bare_lane {
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer buffer;
};

static VkInstance instance;
static VkDevice device;

static void make_device(void)
{
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	const float priorities[2] = {1, 1};
	const VkDeviceQueueCreateInfo queues[2] = {
		{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 0, 2, priorities},
		{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 1, 1, priorities},
	};
	const VkDeviceCreateInfo request = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					    .queueCreateInfoCount = 2,
					    .pQueueCreateInfos = queues};
	VkPhysicalDevice physical;
	uint32_t n = 1;

	if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS ||
	    vkEnumeratePhysicalDevices(instance, &n, &physical) != VK_SUCCESS ||
	    vkCreateDevice(physical, &request, NULL, &device) != VK_SUCCESS) {
		fprintf(stderr, "bare: no device\n");
		exit(77);
	}
}

static void make_lane(struct bare_lane *lane, uint32_t family, uint32_t index)
{
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					      .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
					      .queueFamilyIndex = family};
	VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
					      .commandBufferCount = 1};

	vkGetDeviceQueue(device, family, index, &lane->queue);
	vkCreateCommandPool(device, &pool, NULL, &lane->pool);
	buffer.commandPool = lane->pool;
	vkAllocateCommandBuffers(device, &buffer, &lane->buffer);
}

static void record_frame(struct bare_lane *lane, int fills, VkRenderPass pass)
{
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkRenderPassBeginInfo render = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
					      .renderPass = pass,
					      .renderArea.extent = {64, 32}};

	vkBeginCommandBuffer(lane->buffer, &info);
	for (int i = 0; i < fills; i++)
		vkCmdFillBuffer(lane->buffer, VK_NULL_HANDLE, 0, 4, 0);
	if (pass) {
		vkCmdBeginRenderPass(lane->buffer, &render, VK_SUBPASS_CONTENTS_INLINE);
		vkCmdEndRenderPass(lane->buffer);
	}
	vkEndCommandBuffer(lane->buffer);
}

static VkResult submit_frame(struct bare_lane *lane)
{
	const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				   .commandBufferCount = 1,
				   .pCommandBuffers = &lane->buffer};
	VkResult result = vkQueueSubmit(lane->queue, 1, &info, VK_NULL_HANDLE);

	return result == VK_SUCCESS ? vkQueueWaitIdle(lane->queue) : result;
}

int main(int argc, char **argv)
{
	const VkRenderPassCreateInfo empty = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
	int frames = argc > 1 ? atoi(argv[1]) : 20;
	struct bare_lane lanes[3];
	VkRenderPass pass;

	make_device();
	vkCreateRenderPass(device, &empty, NULL, &pass);
	make_lane(&lanes[0], 0, 0);
	make_lane(&lanes[1], 0, 1);
	make_lane(&lanes[2], 1, 0);
	for (int f = 0; f < frames; f++)
		for (int l = 0; l < 3; l++) {
			record_frame(&lanes[l], l == 1 ? 41 : 1, l < 2 ? pass : VK_NULL_HANDLE);
			if (submit_frame(&lanes[l]) != VK_SUCCESS)
				goto end;
		}
end:
	for (int l = 0; l < 3; l++) {
		vkFreeCommandBuffers(device, lanes[l].pool, 1, &lanes[l].buffer);
		vkDestroyCommandPool(device, lanes[l].pool, NULL);
	}
	vkDestroyRenderPass(device, pass, NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return 0;
}
