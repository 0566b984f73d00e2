/* bare [FRAMES [present | forks | markers]]: frames of two passes on each of two queues, and of one
 * on a queue for transfers only, with the fewest Vulkan functions. The transfer of the second queue
 * has 41 commands, all others have one. With `present` the first queue alone renders to a window;
 * whenever that has another size, a swapchain of another width follows. With `forks` three threads
 * record frames while children are forked that do so, too, and make an instance of their own. With
 * `markers` passes have names of VK_EXT_debug_marker. A lost device ends it with status 0. */
#include "tests/layer/forks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

struct bare_lane {
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer buffer;
};

static const char *const surfaces[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
static const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
						   .enabledExtensionCount = 2,
						   .ppEnabledExtensionNames = surfaces};
static VkInstance instance;
static VkDevice device;

static void make_device(void)
{
	static const char *const extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME,
						 VK_EXT_DEBUG_MARKER_EXTENSION_NAME};
	const float priorities[2] = {1, 1};
	const VkDeviceQueueCreateInfo queues[2] = {
		{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 0, 2, priorities},
		{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 1, 1, priorities},
	};
	const VkDeviceCreateInfo request = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					    .queueCreateInfoCount = 2,
					    .pQueueCreateInfos = queues,
					    .enabledExtensionCount = 2,
					    .ppEnabledExtensionNames = extensions};
	VkPhysicalDevice physical;
	uint32_t n = 1;

	if (vkCreateInstance(&instance_info, NULL, &instance) != VK_SUCCESS ||
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

static PFN_vkCmdDebugMarkerBeginEXT begin_marker; /* NULL: no markers */
static PFN_vkCmdDebugMarkerEndEXT end_marker;

static void find_markers(VkRenderPass pass, const char *name)
{
	PFN_vkDebugMarkerSetObjectNameEXT set_name = (PFN_vkDebugMarkerSetObjectNameEXT)vkGetDeviceProcAddr(
		device, "vkDebugMarkerSetObjectNameEXT");
	const VkDebugMarkerObjectNameInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_NAME_INFO_EXT,
		.objectType = VK_DEBUG_REPORT_OBJECT_TYPE_RENDER_PASS_EXT,
		.object = (uint64_t)(uintptr_t)pass,
		.pObjectName = name};

	begin_marker = (PFN_vkCmdDebugMarkerBeginEXT)vkGetDeviceProcAddr(device, "vkCmdDebugMarkerBeginEXT");
	end_marker = (PFN_vkCmdDebugMarkerEndEXT)vkGetDeviceProcAddr(device, "vkCmdDebugMarkerEndEXT");
	if (begin_marker && end_marker && set_name && set_name(device, &info) == VK_SUCCESS)
		return;
	fprintf(stderr, "bare: no markers\n");
	exit(1);
}

static void record_fill(struct bare_lane *lane, const char *const labels[])
{
	unsigned n = 0;

	for (; begin_marker && labels[n]; n++) {
		const VkDebugMarkerMarkerInfoEXT marker = {
			.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_MARKER_INFO_EXT, .pMarkerName = labels[n]};

		begin_marker(lane->buffer, &marker);
	}
	vkCmdFillBuffer(lane->buffer, VK_NULL_HANDLE, 0, 4, 0);
	while (begin_marker && n--)
		end_marker(lane->buffer);
}

static void record_marked(struct bare_lane *lane, VkRenderPass pass)
{
	static const char *const labels[][10] = {
		{"shadow", "cascade2"},
		{"Frame 7", "lights", "spot1"},
		{"a label that is so long that no other can stand behind it within a name", "inner"},
		{"1", "2", "3", "4", "5", "6", "7", "deep", "deeper"},
	};
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkRenderPassBeginInfo render = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
					      .renderPass = pass,
					      .renderArea.extent = {64, 32}};

	vkBeginCommandBuffer(lane->buffer, &info);
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		record_fill(lane, labels[i]);
	vkCmdBeginRenderPass(lane->buffer, &render, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(lane->buffer);
	vkEndCommandBuffer(lane->buffer);
}

static void record_frame(struct bare_lane *lane, int fills, VkRenderPass pass, uint32_t width)
{
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkRenderPassBeginInfo render = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
					      .renderPass = pass,
					      .renderArea.extent = {width, 32}};

	vkBeginCommandBuffer(lane->buffer, &info);
	for (int i = 0; i < fills; i++)
		vkCmdFillBuffer(lane->buffer, VK_NULL_HANDLE, 0, 4, 0);
	if (pass) {
		vkCmdBeginRenderPass(lane->buffer, &render, VK_SUBPASS_CONTENTS_INLINE);
		vkCmdEndRenderPass(lane->buffer);
	}
	vkEndCommandBuffer(lane->buffer);
}

static VkCommandBuffer secondary; /* with four draws of three vertices */

static void record_secondary(struct bare_lane *lane)
{
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
					       .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT |
							VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
					       .pInheritanceInfo = &inherits};
	const VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
						    .commandPool = lane->pool,
						    .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
						    .commandBufferCount = 1};

	vkAllocateCommandBuffers(device, &buffer, &secondary);
	vkBeginCommandBuffer(secondary, &info);
	for (unsigned i = 0; i < 4; i++)
		vkCmdDraw(secondary, 3, 1, 0, 0);
	vkEndCommandBuffer(secondary);
}

static void draw_two(VkCommandBuffer b)
{
	vkCmdDraw(b, 3, 2, 0, 0);
	vkCmdDrawIndexed(b, 6, 1, 0, 0, 0);
}

static void draw_indirect(VkCommandBuffer b)
{
	draw_two(b);
	vkCmdDrawIndirect(b, VK_NULL_HANDLE, 0, 5, 16);
}

static void draw_uncounted(VkCommandBuffer b)
{
	draw_two(b);
	vkCmdDrawIndirectCount(b, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, 100, 16);
	draw_two(b);
}

static void draw_nothing(VkCommandBuffer b)
{
	(void)b;
}

static void draw_secondary(VkCommandBuffer b)
{
	const VkCommandBuffer twice[] = {secondary, secondary};

	vkCmdExecuteCommands(b, 2, twice);
}

/* Render passes of 1, 2, ... columns, and dispatches. */
static void record_draws(struct bare_lane *lane, VkRenderPass pass)
{
	static void (*const draws[])(VkCommandBuffer) = {draw_two, draw_indirect, draw_uncounted,
							 draw_nothing, draw_secondary};
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};

	vkBeginCommandBuffer(lane->buffer, &info);
	for (uint32_t i = 0; i < sizeof(draws) / sizeof(draws[0]); i++) {
		const VkRenderPassBeginInfo render = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
						      .renderPass = pass,
						      .renderArea.extent = {i + 1, 1}};

		vkCmdBeginRenderPass(lane->buffer, &render, VK_SUBPASS_CONTENTS_INLINE);
		draws[i](lane->buffer);
		vkCmdEndRenderPass(lane->buffer);
	}
	for (unsigned i = 0; i < 3; i++)
		vkCmdDispatch(lane->buffer, 64, 1, 1);
	vkCmdFillBuffer(lane->buffer, VK_NULL_HANDLE, 0, 4, 0);
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

static VkSwapchainKHR make_swapchain(VkSurfaceKHR surface, VkSwapchainKHR old, uint32_t width)
{
	const VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
					       .surface = surface,
					       .minImageCount = 2,
					       .imageExtent = {width, 32},
					       .oldSwapchain = old};
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;

	vkCreateSwapchainKHR(device, &info, NULL, &swapchain);
	vkDestroySwapchainKHR(device, old, NULL);
	return swapchain;
}

static VkSurfaceKHR make_surface(void)
{
	const VkHeadlessSurfaceCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
	PFN_vkCreateHeadlessSurfaceEXT create =
		(PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(instance, "vkCreateHeadlessSurfaceEXT");
	VkSurfaceKHR surface;

	if (create && create(instance, &info, NULL, &surface) == VK_SUCCESS)
		return surface;
	fprintf(stderr, "bare: no surface\n");
	exit(77);
}

static void present_frames(struct bare_lane *lane, VkRenderPass pass, int frames)
{
	VkSurfaceKHR surface = make_surface();
	uint32_t width = 64, index;
	VkSwapchainKHR swapchain = make_swapchain(surface, VK_NULL_HANDLE, width);
	const VkPresentInfoKHR present = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
					  .swapchainCount = 1,
					  .pSwapchains = &swapchain,
					  .pImageIndices = &index};

	for (int f = 0; f < frames; f++) {
		vkAcquireNextImageKHR(device, swapchain, UINT64_MAX, VK_NULL_HANDLE, VK_NULL_HANDLE, &index);
		record_frame(lane, 1, pass, width);
		submit_frame(lane);
		if (vkQueuePresentKHR(lane->queue, &present) == VK_SUCCESS)
			continue;
		vkDeviceWaitIdle(device);
		swapchain = make_swapchain(surface, swapchain, ++width);
	}
	vkDestroySwapchainKHR(device, swapchain, NULL);
	vkDestroySurfaceKHR(instance, surface, NULL);
}

static struct bare_lane fork_lanes[FORKS_THREADS + 1];
static VkRenderPass fork_pass;

/* A pass of a new width has a new name. */
static void *record_in_thread(void *number)
{
	struct bare_lane *lane = &fork_lanes[*(unsigned *)number];

	for (uint32_t width = 1; forks_go_on(); width = width % 9999 + 1)
		record_frame(lane, 0, fork_pass, width);
	return NULL;
}

static void act_as_child(void)
{
	VkInstance own;

	record_frame(&fork_lanes[FORKS_THREADS], 0, fork_pass, 10000);
	if (vkCreateInstance(&instance_info, NULL, &own) != VK_SUCCESS)
		_exit(1);
	vkDestroyInstance(own, NULL);
}

static void fork_one(unsigned number)
{
	forks_child(number, act_as_child);
}

static void fork_while_others_record(VkRenderPass pass)
{
	fork_pass = pass;
	for (unsigned i = 0; i <= FORKS_THREADS; i++)
		make_lane(&fork_lanes[i], 0, 0);
	forks_run(record_in_thread, fork_one);
	for (unsigned i = 0; i <= FORKS_THREADS; i++)
		vkDestroyCommandPool(device, fork_lanes[i].pool, NULL);
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
	if (argc > 2 && strcmp(argv[2], "present") == 0) {
		present_frames(&lanes[0], pass, frames);
		frames = 0;
	} else if (argc > 2 && strcmp(argv[2], "forks") == 0) {
		fork_while_others_record(pass);
	} else if (argc > 2 && strcmp(argv[2], "markers") == 0) {
		find_markers(pass, "named pass");
		for (; frames > 0; frames--) {
			if (frames == 5)
				find_markers(pass, "renamed pass");
			record_marked(&lanes[0], pass);
			submit_frame(&lanes[0]);
		}
	} else if (argc > 2 && strcmp(argv[2], "draws") == 0) {
		record_secondary(&lanes[0]);
		for (; frames > 0; frames--) {
			record_draws(&lanes[0], pass);
			submit_frame(&lanes[0]);
		}
	}
	for (int f = 0; f < frames; f++)
		for (int l = 0; l < 3; l++) {
			record_frame(&lanes[l], l == 1 ? 41 : 1, l < 2 ? pass : VK_NULL_HANDLE, 64);
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
