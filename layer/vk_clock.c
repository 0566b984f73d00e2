#include "layer/vk.h"

#define CALIBRATE_NS 1000000000ll
#define TRIES 3
#define JUMP_NS 1000000ll /* more than a second's drift of a clock */

void clock_init(struct gpu_clock *clock, const VkPhysicalDeviceLimits *limits)
{
	*clock = (struct gpu_clock){.period_ns = (double)limits->timestampPeriod, .mask = UINT64_MAX};
	if (!(clock->period_ns > 0))
		clock->period_ns = 0;
}

/* The signed distance of two readings of a counter that wraps at its valid bits. */
static int64_t ticks_between(const struct gpu_clock *clock, uint64_t from, uint64_t to)
{
	uint64_t distance = (to - from) & clock->mask;

	return distance > clock->mask / 2 ? -(int64_t)((from - to) & clock->mask) : (int64_t)distance;
}

static int64_t clock_at(const struct gpu_clock *clock, uint64_t ticks)
{
	return clock->ns + (int64_t)((double)ticks_between(clock, clock->ticks, ticks) * clock->period_ns);
}

static bool read_both(struct vk_device *device, uint64_t *ticks, int64_t *ns)
{
	static const VkCalibratedTimestampInfoEXT asked[2] = {
		{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL, VK_TIME_DOMAIN_DEVICE_EXT},
		{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
	};
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t stamps[2], deviation;

		if (device->calls.GetCalibratedTimestampsEXT(device->handle, 2, asked, stamps, &deviation) !=
		    VK_SUCCESS)
			return false;
		if (deviation >= best)
			continue;
		best = deviation;
		*ticks = stamps[0];
		*ns = (int64_t)stamps[1];
	}
	return true;
}

/* Where the device has calibrated timestamps, an anchor once a second. A jump of the GPU's clock
 * between two of them is counted: the times of that second cannot be right. */
void clock_tend(struct vk_device *device, int64_t now_ns)
{
	struct gpu_clock *clock = &device->clock;
	uint64_t ticks = 0;
	int64_t ns = 0;

	if (!device->can_calibrate || now_ns < clock->next_ns || device->lost)
		return;
	clock->next_ns = now_ns + CALIBRATE_NS;
	if (!read_both(device, &ticks, &ns)) {
		device->can_calibrate = false;
		return;
	}
	if (clock->calibrated) {
		int64_t jump = clock_at(clock, ticks) - ns;

		if (jump > JUMP_NS || jump < -JUMP_NS)
			channel_count(PASSES_DISJOINT, 1);
	}
	clock->ticks = ticks;
	clock->ns = ns;
	clock->calibrated = clock->anchored = true;
}

/* Without calibration no work begins before it was submitted: the latest anchor that this gives is
 * the closest one. The caller marks such events PASSES_UNCALIBRATED. */
int64_t clock_place(struct gpu_clock *clock, uint64_t ticks, int64_t not_before_ns)
{
	if (!clock->anchored || (!clock->calibrated && clock_at(clock, ticks) < not_before_ns)) {
		clock->ticks = ticks;
		clock->ns = not_before_ns;
		clock->anchored = true;
	}
	return clock_at(clock, ticks);
}
