/* scene NAME [FRAMES]: renders off-screen with Vulkan, without a window, and prints nothing.
 *
 * The work is known: a pass clears its target a number of times. Exit status 77: no Vulkan device.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

#define MOST_PASSES 200
#define THREADS 8

#define CHECK(call)                                                         \
	do {                                                                \
		VkResult result_ = (call);                                  \
		if (result_ != VK_SUCCESS) {                                \
			fprintf(stderr, "scene: %s: %d\n", #call, result_); \
			exit(1);                                            \
		}                                                           \
	} while (0)

struct target {
	VkImage image;
	VkDeviceMemory memory;
	VkImageView view;
	VkFramebuffer framebuffer;
	uint32_t size;
};

struct gpu {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkRenderPass pass;
	VkFence fence;
	VkBuffer buffer;
	VkDeviceMemory memory;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	struct target large, small;
	PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
	PFN_vkCmdEndDebugUtilsLabelEXT end_label;
};

/* An empty compute shader of one invocation. */
static const uint32_t shader[] = {
	0x07230203, 0x00010000, 0,          5, 0,  0x00020011, 1, 0x0003000e, 0,          1, 0x0005000f, 5, 3,
	0x6e69616d, 0,          0x00060010, 3, 17, 1,          1, 1,          0x00020013, 1, 0x00030021, 2, 1,
	0x00050036, 1,          3,          0, 2,  0x000200f8, 4, 0x000100fd, 0x00010038,
};

static void make_instance(struct gpu *g, uint32_t version)
{
	static const char *const names[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
	const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					   .pApplicationInfo = version ? &app : NULL,
					   .enabledExtensionCount = 1,
					   .ppEnabledExtensionNames = names};
	uint32_t n = 1;

	if (vkCreateInstance(&info, NULL, &g->instance) != VK_SUCCESS ||
	    vkEnumeratePhysicalDevices(g->instance, &n, &g->physical) < VK_SUCCESS || n == 0) {
		fprintf(stderr, "scene: no Vulkan device: install mesa-vulkan-drivers\n");
		exit(77);
	}
}

static void make_device(struct gpu *g, uint32_t version)
{
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					       .queueCount = 1,
					       .pQueuePriorities = &priority};
	const VkPhysicalDeviceVulkan13Features features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
		.dynamicRendering = VK_TRUE,
		.synchronization2 = VK_TRUE};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					 .pNext = version >= VK_API_VERSION_1_3 ? &features : NULL,
					 .queueCreateInfoCount = 1,
					 .pQueueCreateInfos = &queue};

	CHECK(vkCreateDevice(g->physical, &info, NULL, &g->device));
	vkGetDeviceQueue(g->device, 0, 0, &g->queue);
	g->begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(
		g->device, "vkCmdBeginDebugUtilsLabelEXT");
	g->end_label =
		(PFN_vkCmdEndDebugUtilsLabelEXT)vkGetDeviceProcAddr(g->device, "vkCmdEndDebugUtilsLabelEXT");
}

static VkDeviceMemory allocate(struct gpu *g, const VkMemoryRequirements *need)
{
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				     .allocationSize = need->size};
	VkDeviceMemory memory;

	while (!(need->memoryTypeBits & 1u << info.memoryTypeIndex))
		info.memoryTypeIndex++;
	CHECK(vkAllocateMemory(g->device, &info, NULL, &memory));
	return memory;
}

static void make_pass(struct gpu *g)
{
	const VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
						    .samples = VK_SAMPLE_COUNT_1_BIT,
						    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
						    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
						    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
						    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
						    .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
					      .colorAttachmentCount = 1,
					      .pColorAttachments = &reference};
	const VkSubpassDependency order = {.srcSubpass = VK_SUBPASS_EXTERNAL,
					   .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
					   .dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
					   .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
					   .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
	const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
					     .attachmentCount = 1,
					     .pAttachments = &attachment,
					     .subpassCount = 1,
					     .pSubpasses = &subpass,
					     .dependencyCount = 1,
					     .pDependencies = &order};

	CHECK(vkCreateRenderPass(g->device, &info, NULL, &g->pass));
}

static void make_target(struct gpu *g, struct target *t, uint32_t size)
{
	const VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
					 .imageType = VK_IMAGE_TYPE_2D,
					 .format = VK_FORMAT_R8G8B8A8_UNORM,
					 .extent = {size, size, 1},
					 .mipLevels = 1,
					 .arrayLayers = 1,
					 .samples = VK_SAMPLE_COUNT_1_BIT,
					 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
	VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
				      .viewType = VK_IMAGE_VIEW_TYPE_2D,
				      .format = image.format,
				      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
					       .renderPass = g->pass,
					       .attachmentCount = 1,
					       .pAttachments = &t->view,
					       .width = size,
					       .height = size,
					       .layers = 1};
	VkMemoryRequirements need;

	t->size = size;
	CHECK(vkCreateImage(g->device, &image, NULL, &t->image));
	vkGetImageMemoryRequirements(g->device, t->image, &need);
	t->memory = allocate(g, &need);
	CHECK(vkBindImageMemory(g->device, t->image, t->memory, 0));
	view.image = t->image;
	CHECK(vkCreateImageView(g->device, &view, NULL, &t->view));
	CHECK(vkCreateFramebuffer(g->device, &framebuffer, NULL, &t->framebuffer));
}

static void make_compute(struct gpu *g)
{
	const VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
					   .size = 4 << 20,
					   .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					       .codeSize = sizeof(shader),
					       .pCode = shader};
	const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"}};
	VkShaderModule module;
	VkMemoryRequirements need;

	CHECK(vkCreateBuffer(g->device, &buffer, NULL, &g->buffer));
	vkGetBufferMemoryRequirements(g->device, g->buffer, &need);
	g->memory = allocate(g, &need);
	CHECK(vkBindBufferMemory(g->device, g->buffer, g->memory, 0));
	CHECK(vkCreateShaderModule(g->device, &code, NULL, &module));
	CHECK(vkCreatePipelineLayout(g->device, &layout, NULL, &g->layout));
	info.stage.module = module;
	info.layout = g->layout;
	CHECK(vkCreateComputePipelines(g->device, VK_NULL_HANDLE, 1, &info, NULL, &g->pipeline));
	vkDestroyShaderModule(g->device, module, NULL);
}

static VkCommandPool make_pool(struct gpu *g)
{
	const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					      .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
	VkCommandPool pool;

	CHECK(vkCreateCommandPool(g->device, &info, NULL, &pool));
	return pool;
}

static void make_gpu(struct gpu *g, uint32_t version)
{
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

	make_instance(g, version);
	make_device(g, version);
	make_pass(g);
	make_target(g, &g->large, 1024);
	make_target(g, &g->small, 512);
	make_compute(g);
	g->pool = make_pool(g);
	CHECK(vkCreateFence(g->device, &fence, NULL, &g->fence));
}

static void destroy_target(struct gpu *g, struct target *t)
{
	vkDestroyFramebuffer(g->device, t->framebuffer, NULL);
	vkDestroyImageView(g->device, t->view, NULL);
	vkDestroyImage(g->device, t->image, NULL);
	vkFreeMemory(g->device, t->memory, NULL);
}

static void destroy_gpu(struct gpu *g)
{
	vkDestroyFence(g->device, g->fence, NULL);
	vkDestroyCommandPool(g->device, g->pool, NULL);
	vkDestroyPipeline(g->device, g->pipeline, NULL);
	vkDestroyPipelineLayout(g->device, g->layout, NULL);
	vkDestroyBuffer(g->device, g->buffer, NULL);
	vkFreeMemory(g->device, g->memory, NULL);
	destroy_target(g, &g->large);
	destroy_target(g, &g->small);
	vkDestroyRenderPass(g->device, g->pass, NULL);
	vkDestroyDevice(g->device, NULL);
	vkDestroyInstance(g->instance, NULL);
}

static VkCommandBuffer allocate_buffer(struct gpu *g, VkCommandPool pool, VkCommandBufferLevel level)
{
	const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
						  .commandPool = pool,
						  .level = level,
						  .commandBufferCount = 1};
	VkCommandBuffer b;

	CHECK(vkAllocateCommandBuffers(g->device, &info, &b));
	return b;
}

static void begin_buffer(VkCommandBuffer b)
{
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};

	CHECK(vkBeginCommandBuffer(b, &info));
}

static void clear(VkCommandBuffer b, const struct target *t, unsigned times)
{
	const VkClearAttachment what = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 0, 0, 1}}}};
	const VkClearRect rect = {{{0, 0}, {t->size, t->size}}, 0, 1};

	for (unsigned i = 0; i < times; i++)
		vkCmdClearAttachments(b, 1, &what, 1, &rect);
}

static void begin_pass(struct gpu *g, VkCommandBuffer b, const struct target *t, VkSubpassContents contents)
{
	static const VkClearValue black = {.color = {.float32 = {0, 0, 0, 1}}};
	const VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
					    .renderPass = g->pass,
					    .framebuffer = t->framebuffer,
					    .renderArea = {{0, 0}, {t->size, t->size}},
					    .clearValueCount = 1,
					    .pClearValues = &black};

	vkCmdBeginRenderPass(b, &info, contents);
}

static void draw_pass(struct gpu *g, VkCommandBuffer b, const char *label, const struct target *t,
		      unsigned times)
{
	const VkDebugUtilsLabelEXT name = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
					   .pLabelName = label};

	if (label)
		g->begin_label(b, &name);
	begin_pass(g, b, t, VK_SUBPASS_CONTENTS_INLINE);
	clear(b, t, times);
	vkCmdEndRenderPass(b);
	if (label)
		g->end_label(b);
}

static void submit(struct gpu *g, uint32_t n, const VkCommandBuffer *b)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = n, .pCommandBuffers = b};

	CHECK(vkQueueSubmit(g->queue, 1, &info, g->fence));
	CHECK(vkWaitForFences(g->device, 1, &g->fence, VK_TRUE, UINT64_MAX));
	CHECK(vkResetFences(g->device, 1, &g->fence));
}

static void draw_three(struct gpu *g, VkCommandBuffer b)
{
	begin_buffer(b);
	draw_pass(g, b, "shadow", &g->large, 2);
	draw_pass(g, b, "main", &g->large, 40);
	draw_pass(g, b, NULL, &g->small, 4);
	CHECK(vkEndCommandBuffer(b));
}

static void scene_recorded(struct gpu *g, unsigned frames)
{
	VkCommandBuffer b = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

	for (unsigned f = 0; f < frames; f++) {
		draw_three(g, b);
		submit(g, 1, &b);
	}
}

/* The small target has another size in every second frame, as a window's that is resized. */
static void scene_resize(struct gpu *g, unsigned frames)
{
	VkCommandBuffer b = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

	for (unsigned f = 0; f < frames; f++) {
		if (f && f % 2 == 0) {
			CHECK(vkDeviceWaitIdle(g->device));
			destroy_target(g, &g->small);
			make_target(g, &g->small, 512u >> f / 2 % 3);
		}
		draw_three(g, b);
		submit(g, 1, &b);
	}
}

static void scene_prerecorded(struct gpu *g, unsigned frames)
{
	VkCommandBuffer b = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

	draw_three(g, b);
	for (unsigned f = 0; f < frames; f++)
		submit(g, 1, &b);
}

static void scene_freed(struct gpu *g, unsigned frames)
{
	for (unsigned f = 0; f < frames; f++) {
		VkCommandBuffer b = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

		draw_three(g, b);
		submit(g, 1, &b);
		vkFreeCommandBuffers(g->device, g->pool, 1, &b);
	}
}

static void scene_many(struct gpu *g, unsigned frames)
{
	VkCommandBuffer b = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

	for (unsigned f = 0; f < frames; f++) {
		begin_buffer(b);
		for (unsigned i = 0; i < MOST_PASSES; i++)
			draw_pass(g, b, NULL, &g->small, 0);
		CHECK(vkEndCommandBuffer(b));
		submit(g, 1, &b);
	}
}

/* A pass that is suspended in one command buffer and resumed in the next, then one of its own. */
static void render(struct gpu *g, VkCommandBuffer b, VkRenderingFlags flags, unsigned times)
{
	const VkRenderingAttachmentInfo colour = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
						  .imageView = g->large.view,
						  .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
						  .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
						  .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
	const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
				      .flags = flags,
				      .renderArea = {{0, 0}, {g->large.size, g->large.size}},
				      .layerCount = 1,
				      .colorAttachmentCount = 1,
				      .pColorAttachments = &colour};

	vkCmdBeginRendering(b, &info);
	clear(b, &g->large, times);
	vkCmdEndRendering(b);
}

static void to_general(VkCommandBuffer b, VkImage image, VkImageLayout from)
{
	const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
					      .oldLayout = from,
					      .newLayout = VK_IMAGE_LAYOUT_GENERAL,
					      .image = image,
					      .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
					      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};

	vkCmdPipelineBarrier(b, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
			     NULL, 0, NULL, 1, &barrier);
}

static void scene_dynamic(struct gpu *g, unsigned frames)
{
	VkCommandBuffer b[2] = {allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY),
				allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY)};

	for (unsigned f = 0; f < frames; f++) {
		begin_buffer(b[0]);
		to_general(b[0], g->large.image, f ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED);
		render(g, b[0], VK_RENDERING_SUSPENDING_BIT, 2);
		CHECK(vkEndCommandBuffer(b[0]));
		begin_buffer(b[1]);
		render(g, b[1], VK_RENDERING_RESUMING_BIT, 2);
		to_general(b[1], g->large.image, VK_IMAGE_LAYOUT_GENERAL);
		render(g, b[1], 0, 1);
		CHECK(vkEndCommandBuffer(b[1]));
		submit(g, 2, b);
	}
}

static void work(struct gpu *g, VkCommandBuffer b)
{
	vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, g->pipeline);
	for (unsigned i = 0; i < 4; i++)
		vkCmdDispatch(b, 64, 1, 1);
}

static void scene_compute(struct gpu *g, unsigned frames)
{
	VkCommandBuffer b = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

	for (unsigned f = 0; f < frames; f++) {
		begin_buffer(b);
		work(g, b);
		vkCmdFillBuffer(b, g->buffer, 0, 2 << 20, f);
		vkCmdFillBuffer(b, g->buffer, 2 << 20, 2 << 20, f);
		draw_pass(g, b, NULL, &g->small, 1);
		work(g, b);
		CHECK(vkEndCommandBuffer(b));
		submit(g, 1, &b);
	}
}

static void begin_secondary(struct gpu *g, VkCommandBuffer b, const struct target *t)
{
	const VkCommandBufferInheritanceInfo inherited = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
		.renderPass = t ? g->pass : VK_NULL_HANDLE,
		.framebuffer = t ? t->framebuffer : VK_NULL_HANDLE};
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
					       .flags = t ? VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT
							  : 0,
					       .pInheritanceInfo = &inherited};

	CHECK(vkBeginCommandBuffer(b, &info));
}

static void scene_secondary(struct gpu *g, unsigned frames)
{
	VkCommandBuffer b = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	VkCommandBuffer inside = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
	VkCommandBuffer outside = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);

	begin_secondary(g, inside, &g->large);
	clear(inside, &g->large, 4);
	CHECK(vkEndCommandBuffer(inside));
	begin_secondary(g, outside, NULL);
	work(g, outside);
	CHECK(vkEndCommandBuffer(outside));
	for (unsigned f = 0; f < frames; f++) {
		begin_buffer(b);
		vkCmdExecuteCommands(b, 1, &outside);
		begin_pass(g, b, &g->large, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
		vkCmdExecuteCommands(b, 1, &inside);
		vkCmdEndRenderPass(b);
		CHECK(vkEndCommandBuffer(b));
		submit(g, 1, &b);
	}
}

struct record_job {
	struct gpu *gpu;
	VkCommandPool pool;
	VkCommandBuffer buffer;
};

static void *record_thread(void *arg)
{
	struct record_job *r = arg;

	begin_buffer(r->buffer);
	draw_pass(r->gpu, r->buffer, "thread", &r->gpu->small, 1);
	CHECK(vkEndCommandBuffer(r->buffer));
	return NULL;
}

static void scene_threads(struct gpu *g, unsigned frames)
{
	struct record_job r[THREADS];
	VkCommandBuffer b[THREADS];
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		r[i] = (struct record_job){g, make_pool(g), VK_NULL_HANDLE};
		r[i].buffer = b[i] = allocate_buffer(g, r[i].pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	}
	for (unsigned f = 0; f < frames; f++) {
		for (unsigned i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, record_thread, &r[i]);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		submit(g, THREADS, b);
	}
	for (unsigned i = 0; i < THREADS; i++)
		vkDestroyCommandPool(g->device, r[i].pool, NULL);
}

static void scene_devices(struct gpu *g, unsigned frames)
{
	struct gpu other = {0};

	make_gpu(&other, VK_API_VERSION_1_3);
	VkCommandBuffer b = allocate_buffer(g, g->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	VkCommandBuffer c = allocate_buffer(&other, other.pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

	for (unsigned f = 0; f < frames; f++) {
		draw_three(g, b);
		submit(g, 1, &b);
		draw_three(&other, c);
		submit(&other, 1, &c);
	}
	destroy_gpu(&other);
}

static void scene_fork(struct gpu *g, unsigned frames)
{
	scene_recorded(g, frames / 2);
	if (fork() == 0)
		_exit(0);
	scene_recorded(g, frames - frames / 2);
}

static const struct {
	const char *name;
	uint32_t version;
	void (*play)(struct gpu *g, unsigned frames);
} scenes[] = {
	{"recorded", VK_API_VERSION_1_3, scene_recorded},
	{"recorded-1.0", VK_API_VERSION_1_0, scene_recorded},
	{"recorded-unversioned", 0, scene_recorded},
	{"resize", VK_API_VERSION_1_3, scene_resize},
	{"prerecorded", VK_API_VERSION_1_3, scene_prerecorded},
	{"prerecorded-1.0", VK_API_VERSION_1_0, scene_prerecorded},
	{"freed", VK_API_VERSION_1_1, scene_freed},
	{"many", VK_API_VERSION_1_3, scene_many},
	{"dynamic", VK_API_VERSION_1_3, scene_dynamic},
	{"compute", VK_API_VERSION_1_2, scene_compute},
	{"secondary", VK_API_VERSION_1_3, scene_secondary},
	{"threads", VK_API_VERSION_1_3, scene_threads},
	{"devices", VK_API_VERSION_1_3, scene_devices},
	{"fork", VK_API_VERSION_1_3, scene_fork},
};

int main(int argc, char **argv)
{
	unsigned frames = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
	struct gpu g = {0};

	for (size_t i = 0; argc > 1 && i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (strcmp(scenes[i].name, argv[1]) == 0) {
			make_gpu(&g, scenes[i].version);
			scenes[i].play(&g, frames);
			destroy_gpu(&g);
			return 0;
		}
	fprintf(stderr, "usage: scene NAME [FRAMES]\n");
	return 2;
}
