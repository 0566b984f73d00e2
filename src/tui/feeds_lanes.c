#include "tui/feeds_lanes.h"

#include "base/alloc.h"
#include "base/wire.h"
#include "passes/pass_lanes.h"
#include "tui/feeds.h"

#include <stdlib.h>
#include <string.h>

/* A copy of a sample. Its values are kept as varints after it, each plus 1, so that unknown ones
 * are short, too. */
struct packed_sample {
	uint32_t bytes; /* all of it */
	unsigned n_frames;
	struct sample head; /* without values */
};

static struct packed_sample *pack_sample(struct feeds_lanes *lanes, const struct sample *sample)
{
	size_t n = (size_t)sample->n_values + sample->n_more;
	struct packed_sample *packed;
	uint8_t *bytes, *end;

	if (n > lanes->room) {
		lanes->room = n;
		lanes->scratch = xreallocarray(lanes->scratch, 1, sample_size(sample));
	}
	packed = xmalloc(sizeof(*packed) + n * WIRE_VARINT_MAX);
	*packed = (struct packed_sample){.n_frames = lanes_count(sample), .head = *sample};
	bytes = end = (uint8_t *)(packed + 1);
	for (size_t i = 0; i < n; i++)
		end = wire_put(end, sample->value[i] + 1);
	packed->bytes = (uint32_t)(sizeof(*packed) + (size_t)(end - bytes));
	return xreallocarray(packed, 1, packed->bytes);
}

/* Returns the scratch, which the next call overwrites. */
static const struct sample *unpack_sample(const struct feeds_lanes *lanes, const struct packed_sample *packed)
{
	size_t n = (size_t)packed->head.n_values + packed->head.n_more;
	const uint8_t *bytes = (const uint8_t *)(packed + 1);

	*lanes->scratch = packed->head;
	for (size_t i = 0; i < n; i++) {
		bytes = wire_take(bytes, &lanes->scratch->value[i]);
		lanes->scratch->value[i]--;
	}
	return lanes->scratch;
}

const struct sample *feeds_lanes_sample(const struct feeds_lanes *lanes, uint64_t i)
{
	return unpack_sample(lanes, lanes->samples[i % LANES_SAMPLES]);
}

static bool is_worst(const struct feeds_lanes *lanes, const struct packed_sample *sample)
{
	const struct frame_stats *stats = &lanes->run->stats;

	for (unsigned i = 0; i < stats->n_worst; i++)
		if (stats->worst[i].seen_ns == sample->head.end_ns)
			return true;
	return false;
}

/* Take over a sample that leaves the ring, if it has one of the longest frames. There are never
 * more of these than places. */
static void keep_worst(struct feeds_lanes *lanes, struct packed_sample *sample)
{
	for (unsigned i = 0; i < WORST_FRAMES && is_worst(lanes, sample); i++) {
		struct packed_sample **place = &lanes->kept[i];

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
		struct packed_sample **sample = &lanes->samples[lanes->oldest % LANES_SAMPLES];

		lanes->bytes -= (*sample)->bytes;
		keep_worst(lanes, take_ptr(sample));
	}
}

void feeds_lanes_fini(struct feeds_lanes *lanes)
{
	feeds_lanes_clear(lanes);
	free(take_ptr(&lanes->samples));
	free(take_ptr(&lanes->scratch));
	lanes->room = 0;
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
	struct packed_sample *packed;

	if (!sample->n_more)
		return;
	if (!lanes->run) {
		lanes->run = xcalloc(1, sizeof(*lanes->run));
		lanes->samples = xcalloc(LANES_SAMPLES, sizeof(*lanes->samples));
	}
	pass_run_take(lanes->run, set, sample, 0);
	forget_samples(lanes, LANES_BYTES);
	packed = pack_sample(lanes, sample);
	lanes->samples[lanes->n++ % LANES_SAMPLES] = packed;
	lanes->bytes += packed->bytes;
}

/* The samples of that time from the newest on; NULL behind the oldest. */
static const struct packed_sample *sample_back(const struct feeds_lanes *lanes, uint64_t back,
					       int64_t from_ns)
{
	const struct packed_sample *sample = back < lanes->n - lanes->oldest
						     ? lanes->samples[(lanes->n - 1 - back) % LANES_SAMPLES]
						     : NULL;

	return sample && sample->head.end_ns > from_ns ? sample : NULL;
}

static unsigned count_frames(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns)
{
	const struct packed_sample *sample;
	unsigned n = 0;

	for (uint64_t i = 0; (sample = sample_back(lanes, i, from_ns)); i++)
		n += sample->head.end_ns <= to_ns ? sample->n_frames : 0;
	return n;
}

/* The frame that is `back` before the newest: its sample, and *number in that. */
static const struct sample *frame_back(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns,
				       unsigned back, unsigned *number)
{
	const struct packed_sample *sample;

	for (uint64_t i = 0; (sample = sample_back(lanes, i, from_ns)); i++) {
		unsigned n = sample->head.end_ns <= to_ns ? sample->n_frames : 0;

		*number = n - 1 - back;
		if (back < n)
			return unpack_sample(lanes, sample);
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
	const struct packed_sample *found = NULL;

	for (unsigned i = 0; i < WORST_FRAMES; i++) {
		const struct packed_sample *sample = lanes->kept[i];

		if (!sample || sample->head.end_ns <= from_ns || sample->head.end_ns > to_ns)
			continue;
		*number = place_of(unpack_sample(lanes, sample), lanes->wanted);
		if (*number < sample->n_frames)
			return lanes->scratch;
		found = found && found->head.end_ns > sample->head.end_ns ? found : sample;
	}
	*number = found ? found->n_frames - 1 : 0;
	return found ? unpack_sample(lanes, found) : NULL;
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
	from_ns = to_ns - feed_now_ns(shown);
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
