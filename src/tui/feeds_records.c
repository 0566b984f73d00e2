
#include "base/alloc.h"
#include "base/wire.h"
#include "passes/pass_records.h"
#include "tui/feeds.h"

#include <stdlib.h>
#include <string.h>

/* A copy of a sample. Its values follow as varints, each plus 1, so that unknown ones are short,
 * too. */
struct packed_sample {
	uint32_t bytes; /* size of the whole copy */
	unsigned n_frames;
	float least, most;  /* of the numbers of its frames, all rounded alike */
	struct sample head; /* without values */
};

static struct packed_sample *pack_sample(struct feeds_records *records, const struct sample *sample)
{
	size_t n = (size_t)sample->n_values + sample->n_more;
	struct packed_sample *packed;
	struct pass_record record;
	uint8_t *bytes, *end;
	unsigned at = 0;

	if (n > records->room) {
		records->room = n;
		records->scratch = xreallocarray(records->scratch, 1, sample_size(sample));
	}
	packed = xmalloc(sizeof(*packed) + n * WIRE_VARINT_MAX);
	*packed = (struct packed_sample){.head = *sample};
	while (pass_records_next(sample, &at, &record)) {
		if (record.kind != RECORD_FRAME)
			continue;
		if (!packed->n_frames++ || (float)record.number < packed->least)
			packed->least = (float)record.number;
		if ((float)record.number > packed->most)
			packed->most = (float)record.number;
	}
	bytes = end = (uint8_t *)(packed + 1);
	for (size_t i = 0; i < n; i++)
		end = wire_put(end, sample->value[i] + 1);
	packed->bytes = (uint32_t)(sizeof(*packed) + (size_t)(end - bytes));
	return xreallocarray(packed, 1, packed->bytes);
}

/* Unpack into the scratch, which the next call overwrites. */
static const struct sample *unpack_sample(const struct feeds_records *records,
					  const struct packed_sample *packed)
{
	size_t n = (size_t)packed->head.n_values + packed->head.n_more;
	const uint8_t *bytes = (const uint8_t *)(packed + 1);

	*records->scratch = packed->head;
	for (size_t i = 0; i < n; i++) {
		bytes = wire_take(bytes, &records->scratch->value[i]);
		records->scratch->value[i]--;
	}
	return records->scratch;
}

const struct sample *feeds_records_sample(const struct feeds_records *records, uint64_t i)
{
	return unpack_sample(records, records->samples[i % RECORDS_SAMPLES]);
}

static bool is_worst(const struct feeds_records *records, const struct packed_sample *sample)
{
	const struct frame_stats *stats = &records->run->stats;

	for (unsigned i = 0; i < stats->n_worst; i++)
		if (stats->worst[i].seen_ns == sample->head.end_ns)
			return true;
	return false;
}

/* Keep a sample that leaves the ring, if it has one of the longest frames. There are enough places
 * for all of these. */
static void keep_worst(struct feeds_records *records, struct packed_sample *sample)
{
	for (unsigned i = 0; i < WORST_FRAMES && is_worst(records, sample); i++) {
		struct packed_sample **place = &records->kept[i];

		if (*place && is_worst(records, *place))
			continue;
		free(*place);
		*place = sample;
		return;
	}
	free(sample);
}

static void forget_samples(struct feeds_records *records, size_t bytes)
{
	for (; records->oldest < records->n &&
	       (records->bytes > bytes || records->n - records->oldest >= RECORDS_SAMPLES);
	     records->oldest++) {
		struct packed_sample **sample = &records->samples[records->oldest % RECORDS_SAMPLES];

		records->bytes -= (*sample)->bytes;
		keep_worst(records, take_ptr(sample));
	}
}

void feeds_records_fini(struct feeds_records *records)
{
	feeds_records_clear(records);
	free(take_ptr(&records->samples));
	free(take_ptr(&records->scratch));
	records->room = 0;
	free(take_ptr(&records->run));
}

/* Keep the names and the requested frame, because a log has the same ones after a seek. */
void feeds_records_clear(struct feeds_records *records)
{
	if (records->run)
		records->run->stats = (struct frame_stats){0};
	forget_samples(records, 0);
	for (unsigned i = 0; i < WORST_FRAMES; i++)
		free(take_ptr(&records->kept[i]));
	records->chosen_ns = 0;
	records->first = false;
}

void feeds_records_take(struct feeds_records *records, const struct metric_set *set,
			const struct sample *sample)
{
	struct packed_sample *packed;

	if (!sample->n_more)
		return;
	if (!records->run) {
		records->run = xcalloc(1, sizeof(*records->run));
		records->samples = xcalloc(RECORDS_SAMPLES, sizeof(*records->samples));
	}
	pass_run_take(records->run, set, sample, 0);
	forget_samples(records, RECORDS_BYTES);
	packed = pack_sample(records, sample);
	records->samples[records->n++ % RECORDS_SAMPLES] = packed;
	records->bytes += packed->bytes;
}

/* Return the samples of that time, the newest first; NULL past the oldest. */
static const struct packed_sample *sample_back(const struct feeds_records *records, uint64_t back,
					       int64_t from_ns)
{
	const struct packed_sample *sample =
		back < records->n - records->oldest
			? records->samples[(records->n - 1 - back) % RECORDS_SAMPLES]
			: NULL;

	return sample && sample->head.end_ns > from_ns ? sample : NULL;
}

static unsigned count_frames(const struct feeds_records *records, int64_t from_ns, int64_t to_ns)
{
	const struct packed_sample *sample;
	unsigned n = 0;

	for (uint64_t i = 0; (sample = sample_back(records, i, from_ns)); i++)
		n += sample->head.end_ns <= to_ns ? sample->n_frames : 0;
	return n;
}

/* Return the sample of the frame that is `back` before the newest, and its *number in that. */
static const struct sample *frame_back(const struct feeds_records *records, int64_t from_ns, int64_t to_ns,
				       unsigned back, unsigned *number)
{
	const struct packed_sample *sample;

	for (uint64_t i = 0; (sample = sample_back(records, i, from_ns)); i++) {
		unsigned n = sample->head.end_ns <= to_ns ? sample->n_frames : 0;

		*number = n - 1 - back;
		if (back < n)
			return unpack_sample(records, sample);
		back -= n;
	}
	return NULL;
}

/* Find the last frame with the requested number in a sample, and its *number in that. Returns
 * the sample, unpacked, or NULL. A key may look through all samples: each is unpacked only once. */
static const struct sample *find_wanted(const struct feeds_records *records,
					const struct packed_sample *packed, unsigned *number)
{
	const struct sample *sample, *found = NULL;
	struct pass_record record;
	unsigned at = 0, n = 0;

	if (!packed->n_frames ||
	    !((float)records->wanted >= packed->least && (float)records->wanted <= packed->most))
		return NULL;
	sample = unpack_sample(records, packed);
	while (pass_records_next(sample, &at, &record)) {
		if (record.kind == RECORD_FRAME && record.number == records->wanted) {
			*number = n;
			found = sample;
		}
		n += record.kind == RECORD_FRAME;
	}
	return found;
}

static double number_back(const struct feeds_records *records, int64_t from_ns, int64_t to_ns, unsigned back)
{
	struct pass_frame frame = {0};
	unsigned number;
	const struct sample *sample = frame_back(records, from_ns, to_ns, back, &number);

	if (sample)
		pass_records_read_frame(&frame, sample, number);
	return frame.number;
}

static unsigned shown_back(const struct feeds_records *records, int64_t from_ns, int64_t to_ns)
{
	const struct packed_sample *sample;
	unsigned n, back = 0, number;

	if (records->chosen_ns == to_ns)
		return records->back;
	for (uint64_t i = 0; (sample = sample_back(records, i, from_ns)) && records->wanted > 0; i++) {
		if (sample->head.end_ns > to_ns)
			continue;
		if (find_wanted(records, sample, &number))
			return back + sample->n_frames - 1 - number;
		back += sample->n_frames;
	}
	n = count_frames(records, from_ns, to_ns);
	return records->first && n ? n - 1 : 0;
}

/* Find the requested frame, or the newest, among the kept samples of that time. */
static const struct sample *find_kept(const struct feeds_records *records, int64_t from_ns, int64_t to_ns,
				      unsigned *number)
{
	const struct packed_sample *found = NULL;

	for (unsigned i = 0; i < WORST_FRAMES; i++) {
		const struct packed_sample *packed = records->kept[i];
		const struct sample *sample;

		if (!packed || packed->head.end_ns <= from_ns || packed->head.end_ns > to_ns)
			continue;
		sample = find_wanted(records, packed, number);
		if (sample)
			return sample;
		found = found && found->head.end_ns > packed->head.end_ns ? found : packed;
	}
	*number = found ? found->n_frames - 1 : 0;
	return found ? unpack_sample(records, found) : NULL;
}

const struct sample *feeds_records_find(const struct feeds_records *records, int64_t from_ns, int64_t to_ns,
					unsigned *number)
{
	const struct sample *sample =
		frame_back(records, from_ns, to_ns, shown_back(records, from_ns, to_ns), number);

	if (!sample)
		sample = find_kept(records, from_ns, to_ns, number);
	return sample ? sample : frame_back(records, 0, to_ns, 0, number);
}

void feeds_choose_frame(struct feeds *f, double number)
{
	const struct feed_state *shown = feeds_shown(f, SOURCE_PASSES);

	if (!shown)
		return;
	f->feeds[shown - f->feeds].records.wanted = number;
	f->feeds[shown - f->feeds].records.chosen_ns = 0;
}

int64_t feeds_frame_ns(const struct feeds *f)
{
	struct feed feed = feeds_view(f, SOURCE_PASSES);
	struct pass_frame frame = {0};

	if (feed.frame_sample)
		pass_records_read_frame(&frame, feed.frame_sample, feed.frame_index);
	return feed.frame_sample ? feed.frame_sample->end_ns - (int64_t)(frame.age_ms * 1e6)
				 : feeds_shown_ns(f);
}

bool feeds_turn_frame(struct feeds *f, int step)
{
	const struct feed_state *shown = feeds_shown(f, SOURCE_PASSES);
	int64_t to_ns = shown ? shown->at_ns : 0, from_ns;
	struct feeds_records *records;
	unsigned back;

	if (!shown)
		return true;
	records = &f->feeds[shown - f->feeds].records;
	from_ns = to_ns - feed_now_ns(shown);
	back = shown_back(records, from_ns, to_ns);
	records->wanted = number_back(records, from_ns, to_ns, back) + step;
	records->first = step > 0;
	back -= (unsigned)step;
	if (back >= count_frames(records, from_ns, to_ns))
		return false;
	records->chosen_ns = to_ns;
	records->back = back;
	return true;
}
