#include "layer/vk.h"

#include <stdlib.h>

static bool grow_spans(struct vk_command *c)
{
	unsigned cap = c->cap_spans ? c->cap_spans * 2 : CHUNK_SPANS;
	struct pass_span *spans;
	struct chunk **chunks;
	struct reading *readings;

	if (c->n_spans < c->cap_spans)
		return true;
	spans = realloc(c->spans, cap * sizeof(*spans));
	if (spans)
		c->spans = spans;
	chunks = realloc(c->chunks, cap / CHUNK_SPANS * sizeof(*chunks));
	if (chunks)
		c->chunks = chunks;
	readings = realloc(c->readings, 2 * cap * sizeof(*readings));
	if (readings)
		c->readings = readings;
	if (!spans || !chunks || !readings)
		return false;
	memset(&chunks[c->cap_spans / CHUNK_SPANS], 0, (cap - c->cap_spans) / CHUNK_SPANS * sizeof(*chunks));
	c->cap_spans = cap;
	return true;
}

/* Reset the next chunk of queries here: the caller is outside of all passes. A command buffer keeps
 * its chunks when it is recorded again. */
static bool reset_chunk(struct vk_command *c)
{
	struct chunk **chunk = &c->chunks[c->n_spans / CHUNK_SPANS];

	if (!*chunk)
		*chunk = device_take_chunk(c->device);
	if (!*chunk)
		return false;
	c->n_chunks = c->n_spans / CHUNK_SPANS + 1;
	c->device->calls.CmdResetQueryPool(c->handle, (*chunk)->pool, (*chunk)->first, CHUNK_QUERIES);
	return true;
}

static void write_stamp(struct vk_command *c, unsigned span, enum span_part part,
			VkPipelineStageFlagBits stage)
{
	struct chunk *chunk = c->chunks[span / CHUNK_SPANS];
	uint32_t query = chunk->first + span % CHUNK_SPANS * 2 + (part == SPAN_END);

	c->device->calls.CmdWriteTimestamp(c->handle, stage, chunk->pool, query);
	c->spans[span].parts |= (uint8_t)part;
}

/* Append a span and return its number, or NO_RUN if it cannot be timed. */
static unsigned append_span(struct vk_command *c, const struct pass_span *span)
{
	if (!c->timed || !grow_spans(c) || (c->n_spans % CHUNK_SPANS == 0 && !reset_chunk(c))) {
		c->untimed++;
		c->missed += c->timed;
		return NO_RUN;
	}
	c->spans[c->n_spans] = *span;
	return c->n_spans++;
}

/* Stamps are recorded outside of render passes only: on a tile-based GPU one inside says nothing.
 * The stage before a pass is the bottom of the pipe, when all earlier work is complete, or with
 * MALITOP_STAMP=top the top of the pipe. */
static unsigned begin_span(struct vk_command *c, const struct pass_span *span)
{
	unsigned number = append_span(c, span);

	c->counts = (struct pass_counts){.draws = 0};
	if (number != NO_RUN)
		write_stamp(c, number, SPAN_BEGIN,
			    layer_stamp() == PASSES_STAMP_TOP ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT
							      : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
	return number;
}

static void close_run(struct vk_command *c)
{
	if (c->suspended)
		return;
	if (c->run != NO_RUN) {
		write_stamp(c, c->run, SPAN_END, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
		c->spans[c->run].counts = c->counts;
	}
	c->run = NO_RUN;
	c->run_kind = PASSES_KINDS;
}

static void begin_run(struct vk_command *c, enum passes_kind kind)
{
	static const char *const names[PASSES_KINDS] = {"render", "compute", "transfer", "secondary buffers"};
	struct pass_span span = {.kind = (uint8_t)kind};

	if (c->secondary || c->inside || c->suspended)
		return;
	if (c->run_kind == kind)
		return;
	close_run(c);
	c->run_kind = kind;
	span.name = labels_name(&c->labels);
	if (!span.name)
		span.name = c->name ? c->name : channel_name(names[kind]);
	c->run = begin_span(c, &span);
}

void command_action(struct vk_command *c, enum passes_kind kind)
{
	begin_run(c, kind);
	counts_add(&c->counts, &(struct pass_counts){.dispatches = kind == PASSES_COMPUTE});
}

static void begin_pass(struct vk_command *c, uint16_t title, VkExtent2D size, bool resumes)
{
	struct pass_span span = {.name = labels_name(&c->labels), .kind = PASSES_RENDER};

	if (!c->rendered)
		c->resumes_first = resumes;
	c->rendered = c->inside = true;
	if (c->secondary)
		return;
	span.width = (uint16_t)(size.width < UINT16_MAX ? size.width : UINT16_MAX);
	span.height = (uint16_t)(size.height < UINT16_MAX ? size.height : UINT16_MAX);
	if (!span.name)
		span.name = title;
	if (!resumes) {
		close_run(c);
		c->pass = begin_span(c, &span);
	}
}

static void end_pass(struct vk_command *c, bool suspends)
{
	c->inside = false;
	c->suspended = suspends;
	if (c->secondary || suspends)
		return;
	if (c->pass == NO_RUN) {
		const struct pass_span span = {.kind = PASSES_RENDER};

		if (!c->resumed)
			return;
		c->pass = append_span(c, &span);
		c->halves += c->pass != NO_RUN;
	}
	if (c->pass != NO_RUN) {
		write_stamp(c, c->pass, SPAN_END, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
		c->spans[c->pass].counts = c->counts;
	}
	c->pass = NO_RUN;
	c->resumed = false;
}

/* Find the place of the title of a target and pass; its title is known if it returns true, else the
 * caller sets it. */
static bool find_title(struct vk_command *c, uint64_t target, uint64_t pass, VkExtent2D size,
		       struct known_title **found)
{
	uint64_t changes = __atomic_load_n(&c->device->changes, __ATOMIC_ACQUIRE) + 1;
	uint64_t hash =
		(target ^ pass << 7 ^ size.width ^ (uint64_t)size.height << 16) * 0x9e3779b97f4a7c15ull;
	struct known_title *t = &c->titles[hash >> 32 & (TITLES_KNOWN - 1)];

	*found = t;
	if (t->changes == changes && t->target == target && t->pass == pass && t->size.width == size.width &&
	    t->size.height == size.height)
		return true;
	*t = (struct known_title){.target = target, .pass = pass, .changes = changes, .size = size};
	return false;
}

static void begin_render_pass(struct vk_command *c, const VkRenderPassBeginInfo *info)
{
	uint64_t target = (uint64_t)info->framebuffer, pass = (uint64_t)info->renderPass;
	VkExtent2D size = info->renderArea.extent;
	struct known_title *t;

	if (!find_title(c, target, pass, size, &t))
		t->title = pass_title(c->device, target, pass, map_get(&c->device->passes, pass), size);
	begin_pass(c, t->title, size, false);
}

/* clang-format off */
COMMAND_HOOK(CmdBeginRenderPass, begin_render_pass(c, info),
	(VkCommandBuffer b, const VkRenderPassBeginInfo *info, VkSubpassContents contents),
	(b, info, contents))
COMMAND_HOOK(CmdBeginRenderPass2, begin_render_pass(c, info),
	(VkCommandBuffer b, const VkRenderPassBeginInfo *info, const VkSubpassBeginInfo *subpass),
	(b, info, subpass))
/* clang-format on */

VKAPI_ATTR void VKAPI_CALL hook_CmdBeginRendering(VkCommandBuffer commandBuffer, const VkRenderingInfo *info)
{
	struct vk_command *c = command_of(commandBuffer);
	const VkRenderingAttachmentInfo *colour = info->colorAttachmentCount ? info->pColorAttachments : NULL;
	const VkRenderingAttachmentInfo *depth = info->pDepthAttachment;
	bool resumes = info->flags & VK_RENDERING_RESUMING_BIT;
	uint64_t view = colour ? (uint64_t)colour->imageView : 0;
	uint64_t kind = pack_format(0, info->colorAttachmentCount, depth && depth->imageView);
	struct known_title *t;

	if (!find_title(c, view, kind, info->renderArea.extent, &t))
		t->title = pass_title(c->device, view, 0, kind | (uint32_t)map_get(&c->device->views, view),
				      info->renderArea.extent);
	c->suspend_next = info->flags & VK_RENDERING_SUSPENDING_BIT;
	begin_pass(c, t->title, info->renderArea.extent, resumes);
	c->resumed = resumes;
	c->device->calls.CmdBeginRendering(commandBuffer, info);
}

/* The stamp follows the end. */
#define END_PASS(name, suspends, PARAMETERS, ARGUMENTS)   \
	VKAPI_ATTR void VKAPI_CALL hook_##name PARAMETERS \
	{                                                 \
		struct vk_command *c = command_of(b);     \
                                                          \
		c->device->calls.name ARGUMENTS;          \
		end_pass(c, suspends);                    \
	}
/* clang-format off */
END_PASS(CmdEndRenderPass, false, (VkCommandBuffer b), (b))
END_PASS(CmdEndRenderPass2, false, (VkCommandBuffer b, const VkSubpassEndInfo *info), (b, info))
END_PASS(CmdEndRendering, c->suspend_next, (VkCommandBuffer b), (b))
/* clang-format on */

/* A secondary outside of passes is an action. Where it begins or ends in the middle of a suspended
 * pass, no stamp is allowed beside it. */
static void begin_secondary(struct vk_command *c, const struct vk_command *secondary)
{
	if (!secondary->resumes_first && !secondary->suspended)
		begin_run(c, PASSES_SECONDARY);
	else
		c->untimed++;
	if (secondary->rendered)
		c->suspended = secondary->suspended;
}

VKAPI_ATTR void VKAPI_CALL hook_CmdExecuteCommands(VkCommandBuffer commandBuffer, uint32_t n,
						   const VkCommandBuffer *buffers)
{
	struct vk_command *c = command_of(commandBuffer);

	for (uint32_t i = 0; i < n; i++) {
		struct vk_command *secondary = command_find(c->device, buffers[i]);

		if (secondary && !c->inside)
			begin_secondary(c, secondary);
		counts_add(&c->counts, secondary ? &secondary->counts : &COUNTS_UNKNOWN);
	}
	c->device->calls.CmdExecuteCommands(commandBuffer, n, buffers);
}

/* ---- labels of VK_EXT_debug_utils, and markers of VK_EXT_debug_marker ---- */

static void push_label(struct vk_command *c, const char *text)
{
	if (!c->inside && !c->secondary)
		close_run(c);
	labels_push(&c->labels, text);
}

static void pop_label(struct vk_command *c)
{
	if (!c->inside && !c->secondary)
		close_run(c);
	labels_pop(&c->labels);
}

/* A driver need not have these of VK_EXT_debug_utils. */
VKAPI_ATTR void VKAPI_CALL hook_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commandBuffer,
							   const VkDebugUtilsLabelEXT *label)
{
	struct vk_command *c = command_of(commandBuffer);

	push_label(c, label->pLabelName);
	if (c->device->calls.CmdBeginDebugUtilsLabelEXT)
		c->device->calls.CmdBeginDebugUtilsLabelEXT(commandBuffer, label);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdEndDebugUtilsLabelEXT(VkCommandBuffer commandBuffer)
{
	struct vk_command *c = command_of(commandBuffer);

	pop_label(c);
	if (c->device->calls.CmdEndDebugUtilsLabelEXT)
		c->device->calls.CmdEndDebugUtilsLabelEXT(commandBuffer);
}

/* clang-format off */
COMMAND_HOOK(CmdDebugMarkerBeginEXT, push_label(c, marker->pMarkerName),
	(VkCommandBuffer b, const VkDebugMarkerMarkerInfoEXT *marker), (b, marker))
COMMAND_HOOK(CmdDebugMarkerEndEXT, pop_label(c), (VkCommandBuffer b), (b))
/* clang-format on */

static void start_recording(struct vk_command *c, const VkCommandBufferBeginInfo *info)
{
	pthread_mutex_lock(&c->device->lock);
	command_finish(c);
	pthread_mutex_unlock(&c->device->lock);
	c->n_spans = c->n_chunks = c->untimed = c->missed = c->halves = c->labels.n = 0;
	c->run = c->pass = NO_RUN;
	c->counts = (struct pass_counts){.draws = 0};
	c->run_kind = PASSES_KINDS;
	c->inside = c->suspended = c->resumes_first = c->rendered = c->resumed = false;
	c->shared = info->flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
	c->timed = !c->secondary && !c->pool->protected_memory && pool_has_timestamps(c->pool);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_BeginCommandBuffer(VkCommandBuffer commandBuffer,
						       const VkCommandBufferBeginInfo *info)
{
	struct vk_command *c = command_of(commandBuffer);

	start_recording(c, info);
	return c->device->calls.BeginCommandBuffer(commandBuffer, info);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_EndCommandBuffer(VkCommandBuffer commandBuffer)
{
	struct vk_command *c = command_of(commandBuffer);

	close_run(c);
	return c->device->calls.EndCommandBuffer(commandBuffer);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_ResetCommandBuffer(VkCommandBuffer commandBuffer,
						       VkCommandBufferResetFlags flags)
{
	struct vk_command *c = command_of(commandBuffer);

	command_reset(c);
	return c->device->calls.ResetCommandBuffer(commandBuffer, flags);
}
