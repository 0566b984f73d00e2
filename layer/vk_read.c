#include "layer/vk.h"

#include <stdlib.h>

#define LONGEST_NS 10000000000.0

static bool add_query_pool(struct vk_device *device)
{
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
				      .queryType = VK_QUERY_TYPE_TIMESTAMP,
				      .queryCount = POOL_CHUNKS * CHUNK_QUERIES};
	struct chunk *chunks =
		device->n_query_pools < POOLS_MOST ? calloc(POOL_CHUNKS, sizeof(*chunks)) : NULL;
	VkQueryPool pool;

	if (!chunks)
		return false;
	if (device->calls.CreateQueryPool(device->handle, &info, NULL, &pool) != VK_SUCCESS) {
		free(chunks);
		return false;
	}
	if (device->host_reset)
		device->calls.ResetQueryPool(device->handle, pool, 0, info.queryCount);
	for (unsigned i = POOL_CHUNKS; i-- > 0;) {
		chunks[i].pool = pool;
		chunks[i].first = i * CHUNK_QUERIES;
		chunks[i].ready = device->host_reset;
		memset(chunks[i].last, 0xff, sizeof(chunks[i].last));
		chunks[i].next_free = device->free_chunks;
		device->free_chunks = &chunks[i];
	}
	device->query_pools[device->n_query_pools] = pool;
	device->pool_chunks[device->n_query_pools++] = chunks;
	return true;
}

struct chunk *device_take_chunk(struct vk_device *device)
{
	struct chunk *chunk = NULL;

	pthread_mutex_lock(&device->lock);
	if (!device->lost && (device->free_chunks || add_query_pool(device))) {
		chunk = device->free_chunks;
		device->free_chunks = chunk->next_free;
	}
	pthread_mutex_unlock(&device->lock);
	return chunk;
}

void device_free_queries(struct vk_device *device)
{
	for (unsigned i = 0; i < device->n_query_pools; i++) {
		device->calls.DestroyQueryPool(device->handle, device->query_pools[i], NULL);
		free(device->pool_chunks[i]);
	}
	device->n_query_pools = 0;
	device->free_chunks = NULL;
}

/* Read queries of a command buffer. READ_LATE: some are not there, or are still those of the run
 * before. */
enum read_state { READ_DONE, READ_LATE, READ_LOST };

/* How many spans from this one on have queries in one row. */
static unsigned count_in_row(const struct vk_command *c, unsigned span)
{
	unsigned n = CHUNK_SPANS - span % CHUNK_SPANS;

	for (; span + n < c->n_spans; n += CHUNK_SPANS) {
		const struct chunk *chunk = c->chunks[(span + n) / CHUNK_SPANS];
		const struct chunk *before = c->chunks[(span + n) / CHUNK_SPANS - 1];

		if (chunk->pool != before->pool || chunk->first != before->first + CHUNK_QUERIES)
			break;
	}
	return n < c->n_spans - span ? n : c->n_spans - span;
}

static enum read_state read_row(struct vk_command *c, unsigned span, unsigned n)
{
	struct reading *reading = &c->readings[2 * span];
	const struct chunk *chunk = c->chunks[span / CHUNK_SPANS];
	struct vk_device *device = c->device;
	VkResult result = device->calls.GetQueryPoolResults(
		device->handle, chunk->pool, chunk->first + span % CHUNK_SPANS * 2, 2 * n,
		2 * n * sizeof(*reading), reading, sizeof(*reading),
		VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);

	if (result == VK_ERROR_DEVICE_LOST)
		device->lost = true;
	if (result != VK_SUCCESS && result != VK_NOT_READY)
		return READ_LOST;
	for (unsigned i = 2 * span; i < 2 * (span + n); i++)
		if (c->spans[i / 2].parts & (i & 1 ? SPAN_END : SPAN_BEGIN) &&
		    (!c->readings[i].available ||
		     c->readings[i].value == c->chunks[i / CHUNK_QUERIES]->last[i % CHUNK_QUERIES]))
			return READ_LATE;
	return READ_DONE;
}

/* Queries that were never reset must not be read. */
static bool chunks_are_ready(struct vk_command *c)
{
	bool finished = c->first_batch <= c->queue->finished, ready = true;

	for (unsigned i = 0; i < c->n_chunks; i++)
		ready &= c->chunks[i]->ready |= finished;
	return ready;
}

/* The last span is written last: of several chunks none is read while it is not there. */
static enum read_state read_spans(struct vk_command *c)
{
	enum read_state state = chunks_are_ready(c) ? READ_DONE : READ_LATE;

	if (c->n_chunks > 1 && state == READ_DONE)
		state = read_row(c, c->n_spans - 1, 1);
	for (unsigned i = 0, n; i < c->n_spans && state == READ_DONE; i += n) {
		n = count_in_row(c, i);
		state = read_row(c, i, n);
	}
	return state;
}

static void write_passes(struct vk_device *device)
{
	if (device->n_events)
		channel_write(device->events, device->n_events);
	device->n_events = 0;
}

static void emit_pass(struct vk_command *c, const struct pass_span *span, uint64_t begin, uint64_t end)
{
	struct vk_device *device = c->device;
	double ns = (double)((end - begin) & c->queue->tick_mask) * device->clock.period_ns;
	struct passes_event *e = &device->events[device->n_events];

	if (ns > LONGEST_NS) {
		channel_count(PASSES_DISJOINT, 1);
		return;
	}
	*e = (struct passes_event){.type = PASSES_PASS,
				   .kind = span->kind,
				   .device = device->number,
				   .queue = c->queue->number,
				   .name = span->name,
				   .frame = c->frame,
				   .width = span->width,
				   .height = span->height,
				   .draws = span->counts.draws,
				   .dispatches = span->counts.dispatches,
				   .vertices = span->counts.vertices};
	e->ordinal = ordinals_next(&c->queue->ordinals, e->name, e->frame);
	e->flags = PASSES_COUNTED | (device->clock.calibrated ? 0 : PASSES_UNCALIBRATED);
	e->begin_ns = clock_place(&device->clock, begin, c->submit_ns);
	e->end_ns = e->begin_ns + (int64_t)ns;
	if (++device->n_events == EVENTS_TOGETHER)
		write_passes(device);
}

/* The two halves of a suspended and resumed pass are in different command buffers of a batch. There
 * may be others between them, which have no stamps: what is recorded in all is not counted. */
static void emit_span(struct vk_command *c, const struct pass_span *span, uint64_t begin, uint64_t end)
{
	struct vk_queue *queue = c->queue;

	if (span->parts == (SPAN_BEGIN | SPAN_END)) {
		emit_pass(c, span, begin, end);
	} else if (span->parts == SPAN_BEGIN) {
		queue->carried = true;
		queue->carried_ticks = begin;
		queue->carried_batch = c->batch;
		queue->carried_span = *span;
		queue->carried_span.counts = COUNTS_UNKNOWN;
	} else if (queue->carried && queue->carried_batch == c->batch) {
		queue->carried = false;
		emit_pass(c, &queue->carried_span, queue->carried_ticks, end);
	} else {
		channel_count(PASSES_LOST, 1);
	}
}

static enum read_state read_command(struct vk_command *c)
{
	enum read_state state = read_spans(c);

	for (unsigned i = 0; i < c->n_spans && state == READ_DONE; i++) {
		uint64_t *last = &c->chunks[i / CHUNK_SPANS]->last[i % CHUNK_SPANS * 2];

		last[0] = c->readings[2 * i].value;
		last[1] = c->readings[2 * i + 1].value;
		emit_span(c, &c->spans[i], last[0], last[1]);
	}
	write_passes(c->device);
	return state;
}

static void unlink_pending(struct vk_command *c)
{
	struct vk_queue *queue = c->queue;
	struct vk_command **link = &queue->first, *before = NULL;

	while (*link != c) {
		before = *link;
		link = &before->next_pending;
	}
	*link = c->next_pending;
	if (queue->last == c)
		queue->last = before;
	c->pending = false;
	frames_at(&c->device->frames, c->frame)->outstanding--;
}

static bool settle_command(struct vk_command *c, bool finished)
{
	struct vk_device *device = c->device;
	enum read_state state = device->lost ? READ_LOST : read_command(c);

	finished |= c->batch <= c->queue->finished;
	if (state == READ_LATE && !finished && device->frames.now - c->frame < FRAMES_LATE)
		return false;
	c->unread = state != READ_DONE;
	if (c->unread)
		channel_count(PASSES_LOST, c->n_spans);
	unlink_pending(c);
	return true;
}

void device_emit_frames(struct vk_device *device)
{
	while (frames_is_complete(&device->frames))
		frames_write(&device->frames);
}

void device_poll(struct vk_device *device, int64_t now_ns)
{
	clock_tend(device, now_ns);
	for (unsigned i = 0; i < device->n_queues; i++)
		while (device->queue[i]->first && settle_command(device->queue[i]->first, false))
			;
	device_emit_frames(device);
}

/* Remember the values of a run that was not read in time: the next run's are different ones. */
static void note_values(struct vk_command *c)
{
	struct vk_device *device = c->device;

	for (unsigned i = 0, n; i < c->n_spans && !device->lost; i += n) {
		n = count_in_row(c, i);
		if (read_row(c, i, n) == READ_LOST)
			continue;
		for (unsigned q = 2 * i; q < 2 * (i + n); q++)
			if (c->readings[q].available)
				c->chunks[q / CHUNK_QUERIES]->last[q % CHUNK_QUERIES] = c->readings[q].value;
	}
}

void command_finish(struct vk_command *c)
{
	if (!c->submitted)
		return;
	c->submitted = false;
	for (unsigned i = 0; i < c->n_chunks; i++)
		c->chunks[i]->ready = true;
	if (c->pending)
		device_poll(c->device, passes_now_ns());
	if (c->pending)
		settle_command(c, true);
	if (c->unread)
		note_values(c);
	c->unread = false;
}

void queue_finish(struct vk_queue *queue, uint64_t batch)
{
	if (batch > queue->finished)
		queue->finished = batch;
}

/* Without simultaneous use, the run before is complete. With it, the next run may reset the queries
 * before they are read. What is read is still of one run, because each resets all queries before
 * it writes the first, but it may be taken for the run of the next frame. */
void command_resubmit(struct vk_command *c)
{
	if (!c->shared) {
		command_finish(c);
	} else if (c->pending) {
		device_poll(c->device, passes_now_ns());
		if (c->pending) {
			channel_count(PASSES_LOST, c->n_spans);
			unlink_pending(c);
		}
	}
}

void device_drop_batch(struct vk_queue *queue)
{
	struct vk_command *c, *next;

	for (c = queue->first; c; c = next) {
		next = c->next_pending;
		if (c->batch == queue->batches) {
			unlink_pending(c);
			frames_at(&queue->device->frames, c->frame)->stamped -=
				c->n_spans - c->halves + c->missed;
			c->submitted = false;
		}
	}
}
