#include "layer/frames.h"

static uint16_t clamp_u16(uint64_t n)
{
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

static uint32_t clamp_u32(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

void frames_add_wait(struct frames *f, int64_t begin_ns, int64_t end_ns)
{
	__atomic_fetch_add(&f->wait_ns, (uint64_t)(end_ns - begin_ns), __ATOMIC_RELAXED);
}

void frames_add_present(struct frames *f, int64_t begin_ns, int64_t end_ns)
{
	__atomic_fetch_add(&f->present_ns, (uint64_t)(end_ns - begin_ns), __ATOMIC_RELAXED);
}

void frames_end(struct frames *f, struct passes_event *event, int64_t now_ns)
{
	struct open_frame *frame = frames_at(f, f->now);
	unsigned in_flight = 0;

	for (unsigned i = 0; i < FRAMES_OPEN; i++)
		in_flight += f->open[i].outstanding > 0;
	event->type = PASSES_FRAME;
	event->frame = f->now++;
	event->begin_ns = f->boundary_ns;
	event->end_ns = now_ns > f->boundary_ns ? now_ns : f->boundary_ns;
	event->present_ns = clamp_u32(__atomic_exchange_n(&f->present_ns, 0, __ATOMIC_RELAXED));
	event->wait_ns = clamp_u32(__atomic_exchange_n(&f->wait_ns, 0, __ATOMIC_RELAXED));
	event->submits = clamp_u16(f->submits);
	event->passes = clamp_u16(f->passes);
	event->in_flight = (uint16_t)in_flight;
	passes_cpu_end(&f->cpu, event);
	if (f->passes > FRAME_LARGE)
		channel_grow();
	f->boundary_ns = event->end_ns;
	f->submits = f->passes = 0;
	frame->event = *event;
	frame->closed = true;
}

bool frames_is_complete(struct frames *f)
{
	const struct open_frame *frame = frames_at(f, f->emitted);

	return f->emitted < f->now && frame->closed && !frame->outstanding;
}

void frames_write(struct frames *f)
{
	struct open_frame *frame = frames_at(f, f->emitted++);

	frame->event.stamped = clamp_u16(frame->stamped + 1);
	channel_write(&frame->event, 1);
	frame->closed = false;
	frame->stamped = 0;
}

uint16_t ordinals_next(struct ordinals *o, uint16_t name, uint64_t frame)
{
	if (o->frame[name] != frame + 1) {
		o->frame[name] = frame + 1;
		o->n[name] = 0;
	}
	return o->n[name]++;
}
