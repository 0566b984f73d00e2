#include "mlog/mlog_block.h"

#include "base/alloc.h"
#include "base/wire.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CELL sizeof(uint64_t)
#define HIGH 0x8080808080808080u

_Static_assert(sizeof(struct sample) == 5 * CELL && offsetof(struct sample, value) == 5 * CELL,
	       "a sample takes a cell a column");

struct decoder {
	struct mlog_block *block;
	const struct mlog_about *about;
	unsigned section; /* the current one */
	bool has_beside[MLOG_BESIDES], has_more;
};

/* The samples of one source, consecutive in memory, so that the cells of a column have a constant
 * stride. */
struct sample_rows {
	char *first, *next;
	size_t n, size;
};

static struct sample *row_of(const struct sample_rows *rows, size_t i)
{
	return (struct sample *)(void *)(rows->first + i * rows->size);
}

void mlog_block_fini(struct mlog_block *block)
{
	mlog_changes_fini(&block->changes);
	free(block->samples);
	free(block->notes);
	free(block->memory);
	free(block->more_memory);
	*block = (struct mlog_block){0};
}

/* ---- samples ---- */

/* Join the low seven bits of each of eight bytes. */
static inline uint64_t squeeze_word(uint64_t word)
{
	word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
	word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
	return (word & 0x0fffffff) | (word & 0x0fffffff00000000) >> 4;
}

/* Cells that are `size` bytes apart. Each number is the difference to the previous one, or to 0
 * with a mask of 0. */
struct cell_column {
	char *to;
	size_t size;
	uint64_t value, mask;
};

static inline void put_cell(struct cell_column *c, uint64_t zigzag)
{
	c->value = (c->value & c->mask) + (uint64_t)wire_unzigzag(zigzag);
	memcpy(c->to, &c->value, CELL);
	c->to += c->size;
}

/* Decode n numbers. Most have one byte, often many in sequence, and very few have more than eight,
 * so avoid a branch per byte. */
static void get_column(struct wire *in, size_t n, struct cell_column c)
{
	const uint8_t *p = in->p;

	while (n && in->end - p >= 8) {
		uint64_t word = wire_get_u64(p), stop = ~word & HIGH;

		if (stop == HIGH && n >= 8) {
			for (unsigned i = 0; i < 8; i++)
				put_cell(&c, p[i]);
			p += 8;
			n -= 8;
			continue;
		}
		if (stop) {
			put_cell(&c, squeeze_word(word & (stop ^ (stop - 1)) & ~HIGH));
			p += (__builtin_ctzll(stop) + 1) / 8;
		} else {
			in->p = p;
			put_cell(&c, wire_get(in));
			p = in->p;
		}
		n--;
	}
	in->p = p;
	for (; n; n--)
		put_cell(&c, wire_get(in));
}

static void get_cells(struct wire *in, const struct sample_rows *rows, size_t offset, uint64_t mask)
{
	get_column(in, rows->n,
		   (struct cell_column){.to = rows->first + offset, .size = rows->size, .mask = mask});
}

/* Decode a column of 32-bit numbers, by way of the cells of begin_ns, whose own column is decoded
 * later. */
static void get_narrow(struct wire *in, const struct sample_rows *rows, size_t offset)
{
	get_cells(in, rows, offsetof(struct sample, begin_ns), UINT64_MAX);
	for (size_t i = 0; i < rows->n; i++) {
		struct sample *sample = row_of(rows, i);
		uint32_t number = (uint32_t)sample->begin_ns;

		in->bad |= number != (uint64_t)sample->begin_ns;
		memcpy((char *)sample + offset, &number, sizeof(number));
	}
}

static bool is_inside(const struct mlog_block *block, int64_t moment_ns)
{
	return block->begin_ns <= moment_ns && moment_ns <= block->end_ns;
}

/* Compute the times of samples from distances and durations. */
static void set_moments(const struct mlog_block *block, const struct sample_rows *rows, struct wire *in)
{
	uint64_t last = (uint64_t)block->begin_ns;

	for (size_t i = 0; i < rows->n; i++) {
		struct sample *sample = row_of(rows, i);
		uint64_t begin = last + (uint64_t)sample->begin_ns;

		last = begin + (uint64_t)sample->end_ns;
		sample->begin_ns = (int64_t)begin;
		sample->end_ns = (int64_t)last;
		in->bad |= sample->begin_ns < block->begin_ns || sample->end_ns < sample->begin_ns ||
			   sample->end_ns > block->end_ns;
	}
}

static void get_rows(struct decoder *d, unsigned source, const struct sample_rows *rows, struct wire *in)
{
	unsigned n_slots = d->about->sources[source].n_slots;

	if (!rows->n)
		return;
	get_narrow(in, rows, offsetof(struct sample, flags));
	get_narrow(in, rows, offsetof(struct sample, lost));
	get_cells(in, rows, offsetof(struct sample, seq), UINT64_MAX);
	get_cells(in, rows, offsetof(struct sample, begin_ns), 0);
	get_cells(in, rows, offsetof(struct sample, end_ns), UINT64_MAX);
	set_moments(d->block, rows, in);
	for (unsigned k = 0; k < n_slots; k++)
		get_cells(in, rows, offsetof(struct sample, value) + k * CELL, UINT64_MAX);
	for (size_t i = 0; i < rows->n; i++) {
		row_of(rows, i)->source = source;
		row_of(rows, i)->n_values = (uint16_t)n_slots;
		row_of(rows, i)->n_more = 0;
	}
}

/* Count the samples per source, and allocate memory for them. */
static bool place_rows(struct decoder *d, struct sample_rows *rows, size_t n, struct wire in)
{
	struct mlog_block *block = d->block;
	size_t size = 0;

	for (size_t i = 0; i < n && !in.bad; i++)
		rows[wire_get_most(&in, d->about->n_sources - 1)].n++;
	for (unsigned i = 0; i < d->about->n_sources; i++) {
		rows[i].size = sizeof(struct sample) + d->about->sources[i].n_slots * CELL;
		size += rows[i].n * rows[i].size;
	}
	/* Every number takes at least a byte. */
	if (in.bad || size > MLOG_DECODED_MAX || size / CELL > (size_t)(in.end - in.p))
		return false;
	if (size > block->cap_memory) {
		free(block->memory);
		block->memory = xmalloc(size);
		block->cap_memory = size;
	}
	rows[0].first = block->memory;
	for (unsigned i = 0; i < d->about->n_sources; i++) {
		rows[i].next = rows[i].first;
		rows[i + 1].first = rows[i].first + rows[i].n * rows[i].size;
	}
	return true;
}

static void get_samples(struct decoder *d, struct wire *in)
{
	struct sample_rows rows[MLOG_SOURCES_MAX + 1] = {0};
	struct mlog_block *block = d->block;
	size_t n = wire_get_most(in, MLOG_DECODED_MAX / sizeof(struct sample));

	in->bad |= block->n_samples || (n && !d->about->n_sources);
	if (in->bad || !n)
		return;
	if (!place_rows(d, rows, n, *in)) {
		in->bad = true;
		return;
	}
	if (n > block->cap_samples) {
		free(block->samples);
		block->samples = xcalloc(n, sizeof(*block->samples));
		block->cap_samples = (unsigned)n;
	}
	while (block->n_samples < n) {
		struct sample_rows *r = &rows[wire_get(in)];

		block->samples[block->n_samples++] = (const struct sample *)(void *)r->next;
		r->next += r->size;
	}
	for (unsigned i = 0; i < d->about->n_sources && !in->bad; i++)
		get_rows(d, i, &rows[i], in);
}

/* The samples with more words, and how much memory they take. */
static size_t size_more(const struct mlog_block *block, struct wire in)
{
	size_t size = 0, words, at = 0;

	for (uint64_t n = wire_get(&in); n > 0 && !in.bad; n--) {
		size_t step = wire_get_most(&in, block->n_samples);

		at += step;
		words = wire_get_most(&in, UINT16_MAX);
		if (at >= block->n_samples || (size && !step) || size > MLOG_DECODED_MAX)
			return SIZE_MAX;
		size += sample_size(block->samples[at]) + words * CELL;
		for (size_t i = 0; i < words && !in.bad; i++)
			wire_get(&in);
	}
	return in.bad || size > MLOG_DECODED_MAX ? SIZE_MAX : size;
}

/* A sample with words after its values is a copy, because the others have no room for them. */
static void get_more(struct decoder *d, struct wire *in)
{
	struct mlog_block *block = d->block;
	size_t size = size_more(block, *in), at = 0;
	char *to;

	in->bad |= d->has_more || size == SIZE_MAX;
	d->has_more = true;
	if (in->bad)
		return;
	if (size > block->cap_more) {
		free(block->more_memory);
		block->more_memory = xmalloc(size);
		block->cap_more = size;
	}
	to = block->more_memory;
	for (uint64_t n = wire_get(in); n > 0; n--) {
		struct sample *sample = (struct sample *)(void *)to;

		at += wire_get(in);
		memcpy(sample, block->samples[at], sample_size(block->samples[at]));
		sample->n_more = (uint16_t)wire_get(in);
		for (unsigned i = 0; i < sample->n_more; i++)
			sample->value[sample->n_values + i] = wire_get(in);
		block->samples[at] = sample;
		to += sample_size(sample);
	}
}

/* ---- the other sections ---- */

static void get_note(struct decoder *d, struct wire *in)
{
	struct mlog_block *block = d->block;
	uint64_t kind = wire_get(in);
	struct mlog_note note = {
		.time_ns = (int64_t)((uint64_t)block->begin_ns + (uint64_t)wire_get_signed(in))};
	char raw[MLOG_NOTE_TEXT];
	struct span text;

	note.source = (int)wire_get_most(in, d->about->n_sources) - 1;
	note.value = wire_get_signed(in);
	text = wire_get_text(in);
	in->bad |= !is_inside(block, note.time_ns) || text.n >= sizeof(raw) ||
		   block->n_notes == MLOG_DECODED_MAX / sizeof(note);
	if (in->bad || kind < MLOG_NOTE_MARK || kind >= MLOG_NOTE_KINDS)
		return;
	memcpy(raw, text.p, text.n);
	raw[text.n] = 0;
	str_printable(note.text, sizeof(note.text), raw);
	note.kind = (enum mlog_note_kind)kind;
	GROW(block->notes, block->n_notes, block->cap_notes);
	block->notes[block->n_notes++] = note;
}

static void get_processes(struct decoder *d, struct wire *in)
{
	struct mlog_block *block = d->block;

	in->bad |= block->has_processes;
	in->bad |= !mlog_changes_get(&block->changes, block->begin_ns, in) ||
		   !is_inside(block, block->changes.list.end_ns) || block->changes.list.begin_ns < 0;
	block->has_processes = true;
}

static void get_beside(struct decoder *d, struct wire *in)
{
	enum mlog_beside beside = d->section == MLOG_SECTION_QUEUES  ? MLOG_BESIDE_QUEUES
				  : d->section == MLOG_SECTION_WAITS ? MLOG_BESIDE_WAITS
								     : MLOG_BESIDE_USERS;

	in->bad |= !d->block->has_processes || d->has_beside[beside] ||
		   !mlog_changes_get_beside(&d->block->changes, beside, in);
	d->has_beside[beside] = true;
}

static void (*const sections[])(struct decoder *d, struct wire *in) = {
	[MLOG_SECTION_SAMPLES] = get_samples,     [MLOG_SECTION_NOTE] = get_note,
	[MLOG_SECTION_PROCESSES] = get_processes, [MLOG_SECTION_QUEUES] = get_beside,
	[MLOG_SECTION_MORE] = get_more,           [MLOG_SECTION_WAITS] = get_beside,
	[MLOG_SECTION_USERS] = get_beside,
};

bool mlog_block_decode(struct mlog_block *block, const struct mlog_about *about, const struct mlog_head *head,
		       struct span payload)
{
	struct wire in = {(const uint8_t *)payload.p, (const uint8_t *)payload.p + payload.n, false};
	struct decoder d = {.block = block, .about = about};

	block->begin_ns = head->begin_ns;
	block->end_ns = head->end_ns;
	block->flags = head->flags;
	block->n_samples = block->n_notes = 0;
	block->has_processes = false;
	while (!in.bad && in.p < in.end) {
		uint64_t kind = wire_get(&in);
		struct wire part = wire_get_part(&in, wire_get(&in));

		if (in.bad || kind >= ARRAY_LEN(sections) || !sections[kind])
			continue;
		d.section = (unsigned)kind;
		sections[kind](&d, &part);
		in.bad = part.bad || part.p < part.end;
	}
	if (!in.bad)
		return true;
	block->n_samples = block->n_notes = 0;
	block->has_processes = false;
	return false;
}

void mlog_block_processes(const struct mlog_block *block, struct process_list **list)
{
	if (block->has_processes)
		mlog_changes_apply(&block->changes, list);
}
