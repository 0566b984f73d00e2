#include "passes/pass_lanes.h"
#include "base/real.h"

#include <math.h>
#include <string.h>

uint64_t *lanes_add(struct lanes *lanes, unsigned n_words)
{
	uint64_t *words = &lanes->words[lanes->n];

	if (n_words > PASS_LANES_WORDS - lanes->n) {
		lanes->dropped++;
		return NULL;
	}
	lanes->n += n_words;
	return words;
}

static unsigned record_words(const uint64_t *word)
{
	return word[0] == LANE_FRAME ? LANE_FRAME_WORDS + (unsigned)word[6] * LANE_PASS_WORDS
				     : LANE_REGION_WORDS;
}

unsigned lanes_finish(struct lanes *lanes, int64_t end_ns, uint64_t *more, unsigned room)
{
	unsigned n = 0, next;

	for (unsigned at = 0; at < lanes->n; at = next) {
		uint64_t *word = &lanes->words[at];

		next = at + record_words(word);
		if (next > room) {
			lanes->dropped += room > 0;
			continue;
		}
		memcpy(&more[n], word, (next - at) * sizeof(*word));
		more[n + 2] = lane_us(end_ns - (int64_t)word[2]);
		n += next - at;
	}
	lanes->n = 0;
	return n;
}

static bool read_frame(const uint64_t *word, unsigned left, struct lane_record *record)
{
	if (left < LANE_FRAME_WORDS || word[6] > (left - LANE_FRAME_WORDS) / LANE_PASS_WORDS)
		return false;
	record->number = (double)word[1];
	record->present_ms = (double)word[4] * 1e-3;
	record->wait_ms = (double)word[5] * 1e-3;
	record->n = (unsigned)word[6];
	record->passes = word + LANE_FRAME_WORDS;
	return true;
}

static bool read_region(const uint64_t *word, unsigned left, struct lane_record *record)
{
	if (left < LANE_REGION_WORDS)
		return false;
	record->row = word[1] & 63;
	record->thread = (unsigned)(word[1] >> 6 & 7);
	return record->row >= 1 && record->row <= REGION_ROWS;
}

bool lanes_next(const struct sample *sample, unsigned *at, struct lane_record *record)
{
	const uint64_t *word = sample->value + sample->n_values + *at;
	unsigned left = sample->n_more - *at;

	*record = (struct lane_record){0};
	if (left < LANE_REGION_WORDS || word[2] > LANE_US_MOST || word[3] > LANE_US_MOST)
		return false;
	if (word[0] == LANE_FRAME ? !read_frame(word, left, record)
				  : word[0] != LANE_REGION || !read_region(word, left, record))
		return false;
	record->kind = (enum lane_kind)word[0];
	record->begin_ns = sample->end_ns - (int64_t)word[2] * 1000;
	record->end_ns = record->begin_ns + (int64_t)word[3] * 1000;
	*at += record_words(word);
	return true;
}

bool lane_pass(const struct lane_record *frame, unsigned i, struct frame_span *pass)
{
	const uint64_t *word = frame->passes + (size_t)i * LANE_PASS_WORDS;

	*pass = (struct frame_span){.row = word[0] & 63,
				    .queue = word[0] >> 6 & 7,
				    .of = SPAN_OF_FRAME,
				    .begin_ms = (double)word[1] * 1e-3,
				    .end_ms = ((double)word[1] + (double)word[2]) * 1e-3};
	return pass->row >= 1 && pass->row <= PASS_TABLE_ROWS && word[1] <= LANE_US_MOST &&
	       word[2] <= LANE_US_MOST;
}

unsigned lanes_count(const struct sample *sample)
{
	struct lane_record record;
	unsigned at = 0, n = 0;

	while (lanes_next(sample, &at, &record))
		n += record.kind == LANE_FRAME;
	return n;
}

static bool find_frame(const struct sample *sample, unsigned number, struct lane_record *frame)
{
	unsigned at = 0;

	while (lanes_next(sample, &at, frame))
		if (frame->kind == LANE_FRAME && number-- == 0)
			return true;
	return false;
}

static void add_passes(struct pass_frame *to, const struct lane_record *one, const struct lane_record *other)
{
	double shift_ms = (double)(other->begin_ns - one->begin_ns) * 1e-6;

	for (unsigned i = 0; i < other->n && to->n < PASS_SPANS; i++) {
		struct frame_span *span = &to->spans[to->n];

		if (!lane_pass(other, i, span))
			continue;
		span->begin_ms += shift_ms;
		span->end_ms += shift_ms;
		span->of = shift_ms < 0 ? SPAN_OF_EARLIER : shift_ms > 0 ? SPAN_OF_LATER : SPAN_OF_FRAME;
		to->n += span->end_ms > 0;
		span->begin_ms = real_max(span->begin_ms, 0);
	}
}

static void add_region(struct pass_frame *to, const struct lane_record *one, const struct lane_record *region)
{
	double begin_ms = (double)(region->begin_ns - one->begin_ns) * 1e-6;

	if (region->begin_ns < one->begin_ns || region->begin_ns >= one->end_ns ||
	    to->n_regions == REGION_SPANS)
		return;
	to->regions[to->n_regions++] =
		(struct frame_span){.row = region->row,
				    .queue = region->thread,
				    .of = SPAN_OF_FRAME,
				    .begin_ms = begin_ms,
				    .end_ms = begin_ms + (double)(region->end_ns - region->begin_ns) * 1e-6};
}

void lanes_read_frame(struct pass_frame *frame, const struct sample *sample, unsigned number)
{
	struct lane_record one, other;
	unsigned at = 0;

	*frame = (struct pass_frame){0};
	if (!find_frame(sample, number, &one))
		return;
	*frame = (struct pass_frame){.number = one.number,
				     .ms = (double)(one.end_ns - one.begin_ns) * 1e-6,
				     .present_ms = one.present_ms,
				     .wait_ms = one.wait_ms,
				     .age_ms = (double)(sample->end_ns - one.begin_ns) * 1e-6};
	add_passes(frame, &one, &one);
	while (lanes_next(sample, &at, &other)) {
		if (other.kind == LANE_REGION)
			add_region(frame, &one, &other);
		else if (other.number == one.number - 1 || other.number == one.number + 1)
			add_passes(frame, &one, &other);
		if (other.kind == LANE_FRAME && other.number == one.number + 1)
			frame->next_ms = (double)(other.end_ns - other.begin_ns) * 1e-6;
	}
}
