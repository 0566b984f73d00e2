#include "tui/feeds_lanes.h"

#include "base/alloc.h"
#include "passes/pass_lanes.h"
#include "tui/feeds.h"

#include <stdlib.h>
#include <string.h>

static bool is_worst(const struct feeds_lanes *lanes, const struct sample *sample)
{
	const struct frame_stats *stats = &lanes->run->stats;

	for (unsigned i = 0; i < stats->n_worst; i++)
		if (stats->worst[i].seen_ns == sample->end_ns)
			return true;
	return false;
}

/* Take over a sample that leaves the ring, if it has one of the longest frames. There are never
 * more of these than places. */
static void keep_worst(struct feeds_lanes *lanes, struct sample *sample)
{
	for (unsigned i = 0; i < WORST_FRAMES && is_worst(lanes, sample); i++) {
		struct sample **place = &lanes->kept[i];

		if (*place && is_worst(lanes, *place))
			continue;
		free(*place);
		*place = sample;
		return;
	}
	free(sample);
}

static void forget_samples(struct feeds_lanes *lanes, size_t bytes)
{
	for (;
	     lanes->oldest < lanes->n && (lanes->bytes > bytes || lanes->n - lanes->oldest >= LANES_SAMPLES);
	     lanes->oldest++) {
		struct sample **sample = &lanes->samples[lanes->oldest % LANES_SAMPLES];

		lanes->bytes -= sample_size(*sample);
		keep_worst(lanes, take_ptr(sample));
	}
}

void feeds_lanes_fini(struct feeds_lanes *lanes)
{
	feeds_lanes_clear(lanes);
	free(take_ptr(&lanes->samples));
	free(take_ptr(&lanes->run));
}

/* Keep the names and the requested frame, because a log has the same ones after a seek. */
void feeds_lanes_clear(struct feeds_lanes *lanes)
{
	if (lanes->run)
		lanes->run->stats = (struct frame_stats){0};
	forget_samples(lanes, 0);
	for (unsigned i = 0; i < WORST_FRAMES; i++)
		free(take_ptr(&lanes->kept[i]));
	lanes->chosen_ns = 0;
	lanes->first = false;
}

void feeds_lanes_take(struct feeds_lanes *lanes, const struct metric_set *set, const struct sample *sample)
{
	struct sample **copy;

	if (!sample->n_more)
		return;
	if (!lanes->run) {
		lanes->run = xcalloc(1, sizeof(*lanes->run));
		lanes->samples = xcalloc(LANES_SAMPLES, sizeof(struct sample *));
	}
	pass_run_take(lanes->run, set, sample, 0);
	forget_samples(lanes, LANES_BYTES);
	copy = &lanes->samples[lanes->n++ % LANES_SAMPLES];
	*copy = xmalloc(sample_size(sample));
	memcpy(*copy, sample, sample_size(sample));
	lanes->bytes += sample_size(sample);
}

/* The samples of that time from the newest on; NULL behind the oldest. */
static const struct sample *sample_back(const struct feeds_lanes *lanes, uint64_t back, int64_t from_ns)
{
	const struct sample *sample = back < lanes->n - lanes->oldest
					      ? lanes->samples[(lanes->n - 1 - back) % LANES_SAMPLES]
					      : NULL;

	return sample && sample->end_ns > from_ns ? sample : NULL;
}

static unsigned count_frames(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns)
{
	const struct sample *sample;
	unsigned n = 0;

	for (uint64_t i = 0; (sample = sample_back(lanes, i, from_ns)); i++)
		n += sample->end_ns <= to_ns ? lanes_count(sample) : 0;
	return n;
}

/* The frame that is `back` before the newest: its sample, and *number in that. */
static const struct sample *frame_back(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns,
				       unsigned back, unsigned *number)
{
	const struct sample *sample;

	for (uint64_t i = 0; (sample = sample_back(lanes, i, from_ns)); i++) {
		unsigned n = sample->end_ns <= to_ns ? lanes_count(sample) : 0;

		*number = n - 1 - back;
		if (back < n)
			return sample;
		back -= n;
	}
	return NULL;
}

static double number_back(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns, unsigned back)
{
	struct pass_frame frame = {0};
	unsigned number;
	const struct sample *sample = frame_back(lanes, from_ns, to_ns, back, &number);

	if (sample)
		lanes_read_frame(&frame, sample, number);
	return frame.number;
}

static unsigned shown_back(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns)
{
	unsigned n;

	if (lanes->chosen_ns == to_ns)
		return lanes->back;
	n = count_frames(lanes, from_ns, to_ns);
	for (unsigned back = 0; back < n && lanes->wanted > 0; back++)
		if (number_back(lanes, from_ns, to_ns, back) == lanes->wanted)
			return back;
	return lanes->first && n ? n - 1 : 0;
}

/* The place in a sample of the frame of that number; lanes_count of it without one. */
static unsigned place_of(const struct sample *sample, double number)
{
	unsigned n = lanes_count(sample), i = 0;
	struct pass_frame frame;

	for (; i < n; i++) {
		lanes_read_frame(&frame, sample, i);
		if (frame.number == number)
			break;
	}
	return i;
}

/* Find the requested frame, or the newest, among the kept samples of that time. */
static const struct sample *find_kept(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns,
				      unsigned *number)
{
	const struct sample *found = NULL;

	for (unsigned i = 0; i < WORST_FRAMES; i++) {
		const struct sample *sample = lanes->kept[i];

		if (!sample || sample->end_ns <= from_ns || sample->end_ns > to_ns)
			continue;
		*number = place_of(sample, lanes->wanted);
		if (*number < lanes_count(sample))
			return sample;
		found = found && found->end_ns > sample->end_ns ? found : sample;
	}
	*number = found ? lanes_count(found) - 1 : 0;
	return found;
}

const struct sample *feeds_lanes_find(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns,
				      unsigned *number)
{
	const struct sample *sample =
		frame_back(lanes, from_ns, to_ns, shown_back(lanes, from_ns, to_ns), number);

	if (!sample)
		sample = find_kept(lanes, from_ns, to_ns, number);
	return sample ? sample : frame_back(lanes, 0, to_ns, 0, number);
}

void feeds_choose_frame(struct feeds *f, double number)
{
	const struct feed_state *shown = feeds_shown(f, SOURCE_PASSES);

	if (!shown)
		return;
	f->feeds[shown - f->feeds].lanes.wanted = number;
	f->feeds[shown - f->feeds].lanes.chosen_ns = 0;
}

int64_t feeds_frame_ns(const struct feeds *f)
{
	struct feed feed = feeds_view(f, SOURCE_PASSES);
	struct pass_frame frame = {0};

	if (feed.lanes)
		lanes_read_frame(&frame, feed.lanes, feed.lane);
	return feed.lanes ? feed.lanes->end_ns - (int64_t)(frame.age_ms * 1e6) : feeds_shown_ns(f);
}

bool feeds_turn_lanes(struct feeds *f, int step)
{
	const struct feed_state *shown = feeds_shown(f, SOURCE_PASSES);
	int64_t to_ns = shown ? shown->at_ns : 0, from_ns;
	struct feeds_lanes *lanes;
	unsigned back;

	if (!shown)
		return true;
	lanes = &f->feeds[shown - f->feeds].lanes;
	from_ns = to_ns - feeds_view(f, SOURCE_PASSES).point_ns;
	back = shown_back(lanes, from_ns, to_ns);
	lanes->wanted = number_back(lanes, from_ns, to_ns, back) + step;
	lanes->first = step > 0;
	back -= (unsigned)step;
	if (back >= count_frames(lanes, from_ns, to_ns))
		return false;
	lanes->chosen_ns = to_ns;
	lanes->back = back;
	return true;
}
