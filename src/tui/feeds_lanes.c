#include "tui/feeds_lanes.h"

#include "base/alloc.h"
#include "passes/pass_lanes.h"
#include "tui/feeds.h"

#include <stdlib.h>
#include <string.h>

static void forget_samples(struct feeds_lanes *lanes, size_t bytes)
{
	for (; lanes->oldest < lanes->n &&
	       (lanes->bytes > bytes || lanes->n - lanes->oldest >= LANES_SAMPLES);
	     lanes->oldest++) {
		struct sample **sample = &lanes->samples[lanes->oldest % LANES_SAMPLES];

		lanes->bytes -= sample_size(*sample);
		free(take_ptr(sample));
	}
}

void feeds_lanes_fini(struct feeds_lanes *lanes)
{
	forget_samples(lanes, 0);
	free(take_ptr(&lanes->samples));
	free(take_ptr(&lanes->run));
}

/* The names stay: a log that is sought has the same ones. */
void feeds_lanes_clear(struct feeds_lanes *lanes)
{
	forget_samples(lanes, 0);
	if (lanes->run)
		lanes->run->stats = (struct frame_stats){0};
	lanes->chosen_ns = 0;
	lanes->first = false;
	lanes->wanted = 0;
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

const struct sample *feeds_lanes_find(const struct feeds_lanes *lanes, int64_t from_ns, int64_t to_ns,
				      unsigned *number)
{
	const struct sample *sample =
		frame_back(lanes, from_ns, to_ns, shown_back(lanes, from_ns, to_ns), number);

	return sample ? sample : frame_back(lanes, 0, to_ns, 0, number);
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
