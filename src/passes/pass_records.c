#include "passes/pass_records.h"

#include "base/alloc.h"
#include "base/real.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

#define FRAMES_AROUND 2 /* that may run beside a frame */

uint64_t *pass_records_add(struct pass_records *records, unsigned n_words)
{
	uint64_t *words = &records->words[records->n];

	if (n_words > PASS_RECORDS_WORDS - records->n) {
		records->dropped++;
		return NULL;
	}
	records->n += n_words;
	return words;
}

void merged_add(struct merged_passes *m, uint64_t row, int64_t begin_ns, int64_t ns)
{
	uint8_t *at = &m->at[row % sizeof(m->at)];

	if (!*at) {
		m->of[m->n] = (struct merged_pass){row, begin_ns, 0};
		*at = (uint8_t)++m->n;
	}
	m->of[*at - 1].ns += ns;
}

void merged_finish(struct merged_passes *m)
{
	int64_t end_ns[8] = {0};

	for (unsigned i = 0; i < m->n; i++) {
		struct merged_pass *pass = &m->of[i];
		int64_t *end = &end_ns[pass->row >> 6 & 7];

		pass->begin_ns = pass->begin_ns > *end ? pass->begin_ns : *end;
		*end = pass->begin_ns + pass->ns;
	}
}

static unsigned head_words(uint64_t kind)
{
	static const unsigned words[] = {[RECORD_OLD_FRAME] = RECORD_OLD_FRAME_WORDS,
					 [RECORD_REGION] = RECORD_REGION_WORDS,
					 [RECORD_NAME] = RECORD_NAME_WORDS,
					 [RECORD_FRAME] = RECORD_FRAME_WORDS};

	return kind < ARRAY_LEN(words) ? words[kind] : 0;
}

/* Return the words of a record, or 0 if it is not valid or has more words than are left. */
static unsigned record_words(const uint64_t *word, unsigned left)
{
	unsigned head = left ? head_words(word[0]) : 0, each = RECORD_PASS_WORDS;
	uint64_t n = 0;

	if (!head || head > left)
		return 0;
	if (word[0] == RECORD_NAME) {
		n = word[2];
		each = 1;
	} else if (word[0] != RECORD_REGION) {
		n = word[6];
	}
	return n <= (left - head) / each ? head + (unsigned)n * each : 0;
}

unsigned pass_records_finish(struct pass_records *records, int64_t end_ns, uint64_t *more, unsigned room)
{
	unsigned n = 0, next;

	for (unsigned at = 0; at < records->n; at = next) {
		uint64_t *word = &records->words[at];

		next = at + record_words(word, records->n - at);
		if (n + next - at > room) {
			records->dropped += room > 0;
			continue;
		}
		memcpy(&more[n], word, (next - at) * sizeof(*word));
		more[n + 2] = pass_record_us(end_ns - (int64_t)word[2]);
		n += next - at;
	}
	records->n = 0;
	return n;
}

unsigned pass_record_name(unsigned number, const char *text,
			  uint64_t words[RECORD_NAME_WORDS + RECORD_TEXT_WORDS])
{
	size_t bytes = strlen(text), n;

	bytes = bytes < PASS_NAME_TEXT - 1 ? bytes : PASS_NAME_TEXT - 1;
	n = (bytes + 7) / 8;
	words[0] = RECORD_NAME;
	words[1] = number;
	words[2] = n;
	for (size_t i = 0; i < n; i++) {
		words[RECORD_NAME_WORDS + i] = 0;
		for (size_t b = 8 * i; b < 8 * i + 8 && b < bytes; b++)
			words[RECORD_NAME_WORDS + i] |= (uint64_t)(unsigned char)text[b] << 8 * (b % 8);
	}
	return RECORD_NAME_WORDS + (unsigned)n;
}

/* Whether the first frame from there on is longer than that. */
static bool is_next_late(const uint64_t *words, unsigned left, uint64_t us)
{
	unsigned size;

	for (; (size = record_words(words, left)) && words[0] != RECORD_FRAME; words += size)
		left -= size;
	return size && words[3] > us;
}

unsigned pass_records_keep_late(const struct sample *sample, uint64_t budget_us, uint64_t *more)
{
	const uint64_t *word = sample->value + sample->n_values;
	unsigned n = 0, size, left = sample->n_more;
	bool late = false, was_late;

	for (; (size = record_words(word, left)); word += size, left -= size) {
		unsigned keep = size;

		if (word[0] == RECORD_FRAME) {
			was_late = late;
			late = word[3] > budget_us;
			if (!late && !was_late && !is_next_late(word + size, left - size, budget_us))
				keep = RECORD_FRAME_WORDS;
		}
		memcpy(more + n, word, keep * sizeof(*word));
		if (keep < size)
			more[n + 6] = 0;
		n += keep;
	}
	return n;
}

static double known_ms(uint64_t us)
{
	return us <= RECORD_US_MOST ? (double)us * 1e-3 : (double)NAN;
}

static void read_frame(const uint64_t *word, struct pass_record *record)
{
	record->number = (double)word[1];
	record->present_ms = (double)word[4] * 1e-3;
	record->wait_ms = (double)word[5] * 1e-3;
	record->cpu_ms = record->gpu_ms = NAN;
	record->old = word[0] == RECORD_OLD_FRAME;
	if (!record->old) {
		record->cpu_ms = known_ms(word[7]);
		record->gpu_ms = known_ms(word[8]);
	}
	record->n = (unsigned)word[6];
	record->passes = word + head_words(word[0]);
	record->kind = RECORD_FRAME;
}

static bool read_region(const uint64_t *word, struct pass_record *record)
{
	record->kind = RECORD_REGION;
	record->row = word[1] & 63;
	record->thread = (unsigned)(word[1] >> 6 & 7);
	return record->row >= 1 && record->row <= REGION_ROWS;
}

static bool read_name(const uint64_t *word, struct pass_record *record)
{
	char raw[8 * RECORD_TEXT_WORDS + 1];
	unsigned n = 0;

	record->kind = RECORD_NAME;
	record->row = word[1] <= PASS_NAMES_MOST ? (unsigned)word[1] : 0;
	for (; n < 8 * word[2] && n < sizeof(raw) - 1; n++)
		raw[n] = (char)(word[RECORD_NAME_WORDS + n / 8] >> 8 * (n % 8) & 0xff);
	raw[n] = 0;
	str_printable(record->name, sizeof(record->name), raw);
	return record->row > 0;
}

bool pass_records_next(const struct sample *sample, unsigned *at, struct pass_record *record)
{
	const uint64_t *word = sample->value + sample->n_values + *at;
	unsigned words = record_words(word, sample->n_more - *at);

	*record = (struct pass_record){0};
	if (!words)
		return false;
	*at += words;
	if (word[0] == RECORD_NAME)
		return read_name(word, record);
	if (word[2] > RECORD_US_MOST || word[3] > RECORD_US_MOST)
		return false;
	record->begin_ns = sample->end_ns - (int64_t)word[2] * 1000;
	record->end_ns = record->begin_ns + (int64_t)word[3] * 1000;
	if (word[0] == RECORD_REGION)
		return read_region(word, record);
	read_frame(word, record);
	return true;
}

bool pass_record_pass(const struct pass_record *frame, unsigned i, struct frame_span *pass)
{
	const uint64_t *word = frame->passes + (size_t)i * RECORD_PASS_WORDS;

	*pass = (struct frame_span){.row = word[0] & 63,
				    .queue = word[0] >> 6 & 7,
				    .of = SPAN_OF_FRAME,
				    .begin_ms = (double)word[1] * 1e-3,
				    .end_ms = ((double)word[1] + (double)word[2]) * 1e-3};
	return pass->row >= 1 && pass->row <= PASS_TABLE_ROWS && word[1] <= RECORD_US_MOST &&
	       word[2] <= RECORD_US_MOST;
}

unsigned pass_record_passes(const struct pass_record *frame, struct frame_span passes[FRAME_SPANS])
{
	struct merged_passes merged = {.n = 0};
	struct frame_span pass;
	unsigned n = 0;

	for (unsigned i = 0; i < frame->n; i++) {
		if (!pass_record_pass(frame, i, &pass))
			continue;
		if (frame->n <= FRAME_SPANS)
			passes[n++] = pass;
		else
			merged_add(&merged, pass_record_row(pass.row, pass.queue),
				   (int64_t)(pass.begin_ms * 1e6),
				   (int64_t)((pass.end_ms - pass.begin_ms) * 1e6));
	}
	merged_finish(&merged);
	for (; n < merged.n; n++) {
		const struct merged_pass *m = &merged.of[n];

		passes[n] = (struct frame_span){.row = m->row & 63,
						.queue = m->row >> 6 & 7,
						.of = SPAN_OF_FRAME,
						.begin_ms = (double)m->begin_ns * 1e-6,
						.end_ms = (double)(m->begin_ns + m->ns) * 1e-6};
	}
	return n;
}

unsigned pass_records_count(const struct sample *sample)
{
	struct pass_record record;
	unsigned at = 0, n = 0;

	while (pass_records_next(sample, &at, &record))
		n += record.kind == RECORD_FRAME;
	return n;
}

static bool find_frame(const struct sample *sample, unsigned number, struct pass_record *frame)
{
	unsigned at = 0;

	while (pass_records_next(sample, &at, frame))
		if (frame->kind == RECORD_FRAME && number-- == 0)
			return true;
	return false;
}

static void add_passes(struct pass_frame *to, const struct pass_record *one, const struct pass_record *other)
{
	double shift_ms = (double)(other->begin_ns - one->begin_ns) * 1e-6;

	struct frame_span passes[FRAME_SPANS];
	unsigned n = pass_record_passes(other, passes);

	for (unsigned i = 0; i < n && to->n < PASS_SPANS; i++) {
		struct frame_span *span = &to->spans[to->n];

		*span = passes[i];
		span->begin_ms += shift_ms;
		span->end_ms += shift_ms;
		span->of = shift_ms < 0 ? SPAN_OF_EARLIER : shift_ms > 0 ? SPAN_OF_LATER : SPAN_OF_FRAME;
		to->n += span->end_ms > 0;
		span->begin_ms = real_max(span->begin_ms, 0);
	}
}

static void add_region(struct pass_frame *to, const struct pass_record *one, const struct pass_record *region)
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

void pass_records_read_frame(struct pass_frame *frame, const struct sample *sample, unsigned number)
{
	struct pass_record one, other;
	unsigned at = 0;

	*frame = (struct pass_frame){0};
	if (!find_frame(sample, number, &one))
		return;
	*frame = (struct pass_frame){.number = one.number,
				     .ms = (double)(one.end_ns - one.begin_ns) * 1e-6,
				     .present_ms = one.present_ms,
				     .wait_ms = one.wait_ms,
				     .cpu_ms = one.cpu_ms,
				     .gpu_ms = one.gpu_ms,
				     .age_ms = (double)(sample->end_ns - one.begin_ns) * 1e-6};
	add_passes(frame, &one, &one);
	while (pass_records_next(sample, &at, &other)) {
		if (other.kind == RECORD_REGION)
			add_region(frame, &one, &other);
		else if (other.kind == RECORD_FRAME && other.number != one.number &&
			 fabs(other.number - one.number) <= FRAMES_AROUND)
			add_passes(frame, &one, &other);
	}
}
