#include "mlog/mlog_block.h"

#include "base/alloc.h"
#include "base/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A collected sample is a row of 64-bit numbers; the rows become columns when the payload is
 * made. */
enum mlog_cell { CELL_FLAGS, CELL_LOST, CELL_SEQ, CELL_BEGIN, CELL_END, CELL_VALUES };

struct source_rows {
	uint64_t *cells;
	size_t n, cap, width;
	uint64_t seq; /* of the last sample, also of an earlier block */
	bool any;     /* there was a sample */
};

struct mlog_builder {
	struct source_rows *sources;
	unsigned n_sources;
	uint8_t *order; /* sources of the samples */
	size_t n_order, cap_order;
	uint64_t *more; /* of samples: the number in `order`, how many words, and these */
	size_t n_more, cap_more;
	unsigned n_with_more;
	struct mlog_note *notes;
	size_t n_notes, cap_notes;
	struct process_list written, list; /* the last list in the log, and the next one; rows are owned */
	unsigned cap_written, cap_list;
	bool has_list, has_written;
	int64_t complete_ns; /* time of the last complete list */
	struct mlog_changes changes;
	struct strbuf section;
	unsigned flags;
	int64_t begin_ns, end_ns; /* of the collected data */
	int64_t last_ns;          /* end of the previous block */
	int64_t shift_ns;         /* from the times of the log to those of its writer */
	uint64_t n_samples, n_lost;
};

_Static_assert(MLOG_SOURCES_MAX <= UINT8_MAX, "order");

static void begin_block(struct mlog_builder *b)
{
	for (unsigned i = 0; i < b->n_sources; i++)
		b->sources[i].n = 0;
	b->n_order = b->n_notes = b->n_more = b->n_with_more = 0;
	b->has_list = false;
	b->flags = 0;
	b->begin_ns = INT64_MAX;
	b->end_ns = INT64_MIN;
}

struct mlog_builder *mlog_builder_new(const unsigned *n_slots, unsigned n_sources)
{
	struct mlog_builder *b = xcalloc(1, sizeof(*b));

	assert(n_sources <= MLOG_SOURCES_MAX);
	b->sources = xcalloc(n_sources + 1, sizeof(*b->sources));
	b->n_sources = n_sources;
	for (unsigned i = 0; i < n_sources; i++)
		b->sources[i].width = CELL_VALUES + n_slots[i];
	b->last_ns = INT64_MIN;
	begin_block(b);
	return b;
}

void mlog_builder_free(struct mlog_builder *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < b->n_sources; i++)
		free(b->sources[i].cells);
	free(b->sources);
	free(b->order);
	free(b->more);
	free(b->notes);
	free(b->written.processes);
	free(b->list.processes);
	mlog_changes_fini(&b->changes);
	strbuf_fini(&b->section);
	free(b);
}

/* Return the nearest valid time of the log that is not before least_ns, and extend the block to
 * include it. */
static int64_t add_time(struct mlog_builder *b, int64_t moment_ns, int64_t least_ns)
{
	moment_ns = moment_ns < b->shift_ns ? 0 : moment_ns - b->shift_ns;
	moment_ns = moment_ns < least_ns ? least_ns : moment_ns > SAMPLE_NS_MAX ? SAMPLE_NS_MAX : moment_ns;
	b->begin_ns = moment_ns < b->begin_ns ? moment_ns : b->begin_ns;
	b->end_ns = moment_ns > b->end_ns ? moment_ns : b->end_ns;
	return moment_ns;
}

static void count_lost(struct mlog_builder *b, struct source_rows *rows, const struct sample *sample)
{
	uint64_t jump = rows->any && sample->seq > rows->seq ? sample->seq - rows->seq - 1 : 0;
	bool is_loss = sample->lost || jump || (sample->flags & SAMPLE_GAP) ||
		       (rows->any && sample->seq != rows->seq + 1);

	b->n_samples++;
	b->n_lost += jump > sample->lost ? jump : sample->lost;
	b->flags |= is_loss ? MLOG_LOSS : 0;
	rows->seq = sample->seq;
	rows->any = true;
}

static void add_more(struct mlog_builder *b, const struct sample *sample)
{
	size_t n = b->n_more + 2 + sample->n_more;

	if (!sample->n_more)
		return;
	if (n > b->cap_more) {
		b->cap_more = n + n / 2;
		b->more = xreallocarray(b->more, b->cap_more, sizeof(*b->more));
	}
	b->more[b->n_more] = b->n_order - 1;
	b->more[b->n_more + 1] = sample->n_more;
	memcpy(&b->more[b->n_more + 2], sample->value + sample->n_values, sample->n_more * sizeof(*b->more));
	b->n_more = n;
	b->n_with_more++;
}

void mlog_builder_sample(struct mlog_builder *b, const struct sample *sample)
{
	struct source_rows *rows = &b->sources[sample->source];
	size_t n = CELL_VALUES + sample->n_values;
	uint64_t *row;

	assert(sample->source < b->n_sources && n <= rows->width);
	GROW(b->order, b->n_order, b->cap_order);
	b->order[b->n_order++] = (uint8_t)sample->source;
	if (rows->n == rows->cap) {
		rows->cap = rows->cap ? 2 * rows->cap : 16;
		rows->cells = xreallocarray(rows->cells, rows->cap * rows->width, sizeof(*rows->cells));
	}
	row = rows->cells + rows->n++ * rows->width;
	row[CELL_FLAGS] = sample->flags;
	row[CELL_LOST] = sample->lost;
	row[CELL_SEQ] = sample->seq;
	row[CELL_BEGIN] = (uint64_t)add_time(b, sample->begin_ns, 0);
	row[CELL_END] = (uint64_t)add_time(b, sample->end_ns, (int64_t)row[CELL_BEGIN]);
	memcpy(row + CELL_VALUES, sample->value, sample->n_values * sizeof(*row));
	for (; n < rows->width; n++)
		row[n] = SAMPLE_UNKNOWN;
	count_lost(b, rows, sample);
	add_more(b, sample);
}

void mlog_builder_note(struct mlog_builder *b, const struct mlog_note *note)
{
	GROW(b->notes, b->n_notes, b->cap_notes);
	b->notes[b->n_notes] = *note;
	b->notes[b->n_notes].time_ns = add_time(b, note->time_ns, 0);
	b->notes[b->n_notes++].value += note->kind == MLOG_NOTE_CLOCK ? b->shift_ns : 0;
	b->flags |= note->kind == MLOG_NOTE_MARK    ? MLOG_MARK
		    : note->kind == MLOG_NOTE_LOST  ? MLOG_LOSS
		    : note->kind == MLOG_NOTE_CLOCK ? MLOG_CLOCK
						    : 0;
	b->n_lost += note->kind == MLOG_NOTE_LOST ? (uint64_t)note->value : 0;
}

void mlog_builder_processes(struct mlog_builder *b, const struct process_list *list)
{
	struct process *rows = b->list.processes;

	if (list->n > MLOG_PROCESSES_MAX)
		return;
	if (b->cap_list < list->n) {
		b->cap_list = list->n + list->n / 4;
		rows = xreallocarray(rows, b->cap_list, sizeof(*rows));
	}
	if (list->n)
		memcpy(rows, list->processes, list->n * sizeof(*rows));
	b->list = *list;
	b->list.processes = rows;
	b->has_list = true;
	b->list.begin_ns -= b->list.begin_ns > b->shift_ns ? b->shift_ns : b->list.begin_ns;
	b->list.end_ns = add_time(b, list->end_ns, 0);
}

size_t mlog_builder_rows(const struct mlog_builder *b)
{
	size_t most = 0;

	for (unsigned i = 0; i < b->n_sources; i++)
		most = b->sources[i].n > most ? b->sources[i].n : most;
	return most;
}

/* Keep the words of samples that stay, with their new places: places[] has those, SIZE_MAX for
 * none. */
static void trim_more(struct mlog_builder *b, const size_t *places)
{
	uint64_t *to = b->more;

	b->n_with_more = 0;
	for (const uint64_t *from = b->more, *end = b->more + b->n_more, *next; from < end; from = next) {
		size_t place = places[from[0]];

		next = from + 2 + from[1];
		if (place == SIZE_MAX)
			continue;
		memmove(to, from, (size_t)(next - from) * sizeof(*to));
		to[0] = place;
		to += next - from;
		b->n_with_more++;
	}
	b->n_more = (size_t)(to - b->more);
}

void mlog_builder_trim(struct mlog_builder *b, size_t n, bool lists)
{
	AUTOFREE size_t *places = xcalloc(b->n_order + 1, sizeof(*places));
	size_t seen[MLOG_SOURCES_MAX] = {0}, kept = 0;

	for (size_t i = 0; i < b->n_order; i++) {
		struct source_rows *rows = &b->sources[b->order[i]];
		bool stays = seen[b->order[i]]++ + n >= rows->n;

		places[i] = stays ? kept : SIZE_MAX;
		if (stays)
			b->order[kept++] = b->order[i];
	}
	b->n_lost += b->n_order - kept;
	b->n_samples -= b->n_order - kept;
	b->flags |= kept < b->n_order ? MLOG_LOSS : 0;
	b->n_order = kept;
	trim_more(b, places);
	for (unsigned i = 0; i < b->n_sources; i++) {
		struct source_rows *rows = &b->sources[i];

		if (rows->n <= n)
			continue;
		memmove(rows->cells, rows->cells + (rows->n - n) * rows->width,
			n * rows->width * sizeof(*rows->cells));
		rows->n = n;
	}
	b->has_list = b->has_list && lists;
}

size_t mlog_builder_size(const struct mlog_builder *b)
{
	size_t size = b->n_order + b->n_notes * sizeof(*b->notes) + b->n_more * sizeof(*b->more);

	for (unsigned i = 0; i < b->n_sources; i++)
		size += b->sources[i].n * b->sources[i].width * sizeof(*b->sources[i].cells);
	return size + (b->has_list ? b->list.n * sizeof(*b->list.processes) : 0);
}

/* ---- the payload ---- */

static void put_section(struct mlog_builder *b, enum mlog_section kind, struct strbuf *payload)
{
	wire_varint(payload, kind);
	wire_text(payload, (struct span){b->section.p, b->section.n});
	strbuf_clear(&b->section);
}

/* Write each number as the difference to the previous one, or to 0 with a mask of 0. */
static void put_column(const uint64_t *cell, size_t n, size_t width, uint64_t mask, struct strbuf *out)
{
	size_t at = out->n;
	uint8_t *begin = (uint8_t *)strbuf_more(out, n * WIRE_VARINT_MAX), *p = begin;
	uint64_t before = 0;

	for (size_t i = 0; i < n; i++, cell += width) {
		p = wire_put(p, wire_zigzag((int64_t)(*cell - before)));
		before = *cell & mask;
	}
	out->n = at + (size_t)(p - begin);
}

static void put_rows(struct source_rows *rows, int64_t begin_ns, struct strbuf *out)
{
	uint64_t last = (uint64_t)begin_ns;

	if (!rows->n)
		return;
	for (uint64_t *row = rows->cells; row < rows->cells + rows->n * rows->width; row += rows->width) {
		uint64_t begin = row[CELL_BEGIN], end = row[CELL_END];

		row[CELL_BEGIN] = begin - last;
		row[CELL_END] = end - begin;
		last = end;
	}
	for (size_t k = 0; k < rows->width; k++)
		put_column(rows->cells + k, rows->n, rows->width, k == CELL_BEGIN ? 0 : UINT64_MAX, out);
}

static void put_samples(struct mlog_builder *b, struct strbuf *payload)
{
	if (!b->n_order)
		return;
	wire_varint(&b->section, b->n_order);
	for (size_t i = 0; i < b->n_order; i++)
		wire_varint(&b->section, b->order[i]);
	for (unsigned i = 0; i < b->n_sources; i++)
		put_rows(&b->sources[i], b->begin_ns, &b->section);
	put_section(b, MLOG_SECTION_SAMPLES, payload);
}

/* The words that samples have after their values. */
static void put_more(struct mlog_builder *b, struct strbuf *payload)
{
	uint64_t before = 0;

	if (!b->n_with_more)
		return;
	wire_varint(&b->section, b->n_with_more);
	for (const uint64_t *p = b->more; p < b->more + b->n_more; p += 2 + p[1]) {
		wire_varint(&b->section, p[0] - before);
		for (const uint64_t *word = p + 1; word < p + 2 + p[1]; word++)
			wire_varint(&b->section, *word);
		before = p[0];
	}
	put_section(b, MLOG_SECTION_MORE, payload);
}

static void put_notes(struct mlog_builder *b, struct strbuf *payload)
{
	for (size_t i = 0; i < b->n_notes; i++) {
		const struct mlog_note *note = &b->notes[i];
		char text[MLOG_NOTE_TEXT];

		wire_varint(&b->section, note->kind);
		wire_signed(&b->section, note->time_ns - b->begin_ns);
		wire_varint(&b->section, (uint64_t)(note->source + 1));
		wire_signed(&b->section, note->value);
		wire_text(&b->section, span_of(str_printable(text, sizeof(text), note->text)));
		put_section(b, MLOG_SECTION_NOTE, payload);
	}
}

static void put_processes(struct mlog_builder *b, struct strbuf *payload)
{
	struct process_list list = b->list;
	static const enum mlog_section sections[MLOG_BESIDES] = {[MLOG_BESIDE_QUEUES] = MLOG_SECTION_QUEUES,
								 [MLOG_BESIDE_WAITS] = MLOG_SECTION_WAITS,
								 [MLOG_BESIDE_USERS] = MLOG_SECTION_USERS};
	unsigned cap = b->cap_list;
	size_t besides;

	if (!b->has_list)
		return;
	b->changes.complete = !b->has_written || list.end_ns - b->complete_ns >= MLOG_PROCESSES_NS ||
			      list.end_ns < b->complete_ns;
	mlog_changes_find(&b->changes, b->written.processes, b->written.n, &list);
	mlog_changes_put(&b->changes, b->begin_ns, &b->section);
	besides = (size_t)MLOG_BESIDE_BYTES * b->changes.list.n;
	b->has_written = payload->n + b->section.n + besides <= MLOG_PAYLOAD_MAX - 8 * WIRE_VARINT_MAX;
	if (!b->has_written) { /* too large: write the block without the list */
		strbuf_clear(&b->section);
		return;
	}
	put_section(b, MLOG_SECTION_PROCESSES, payload);
	for (enum mlog_beside i = 0; i < MLOG_BESIDES; i++)
		if (mlog_changes_put_beside(&b->changes, i, &b->section))
			put_section(b, sections[i], payload);
	if (b->changes.complete) {
		b->flags |= MLOG_ALL_PROCESSES;
		b->complete_ns = list.end_ns;
	}
	b->list = b->written;
	b->cap_list = b->cap_written;
	b->written = list;
	b->cap_written = cap;
}

bool mlog_builder_take(struct mlog_builder *b, struct mlog_head *head, struct strbuf *payload)
{
	strbuf_clear(payload);
	if (!b->n_order && !b->n_notes && !b->has_list)
		return false;
	put_samples(b, payload);
	put_more(b, payload);
	put_notes(b, payload);
	put_processes(b, payload);
	b->last_ns = b->end_ns > b->last_ns ? b->end_ns : b->last_ns;
	head->flags = (uint8_t)b->flags;
	head->begin_ns = b->begin_ns;
	head->end_ns = b->last_ns;
	begin_block(b);
	return true;
}

void mlog_builder_count(const struct mlog_builder *b, uint64_t *samples, uint64_t *lost)
{
	*samples = b->n_samples;
	*lost = b->n_lost;
}

void mlog_builder_restart(struct mlog_builder *b, int64_t shift_ns)
{
	b->shift_ns = shift_ns;
	b->n_samples = b->n_lost = 0;
	b->has_written = false;
}
