/* Searching a log for marks, losses and the processes at a time. The flags of heads and places show
 * where to look. */
#include "mlog/mlog_reader_priv.h"

#include "base/alloc.h"

#include <string.h>

/* A slow source's samples may be in a later block than the one of their time. So search this many
 * more stretches after a match. */
#define LATE 3

_Static_assert(MLOG_SOURCES_MAX <= 64, "sources as bits");

/* ---- marks and losses ---- */

struct mlog_quest {
	int64_t from_ns;
	bool back;
	unsigned flags;
	bool found;
	int64_t at_ns;       /* the nearest so far */
	struct strbuf *text; /* may be NULL */
};

static bool is_nearer(const struct mlog_quest *q, int64_t ns)
{
	if (q->back)
		return ns < q->from_ns && (!q->found || ns > q->at_ns);
	return ns > q->from_ns && (!q->found || ns < q->at_ns);
}

/* Record a match if it is the nearest so far. Returns whether the caller must describe it in
 * q->text. */
static bool record_match(struct mlog_quest *q, int64_t ns)
{
	if (!is_nearer(q, ns))
		return false;
	q->found = true;
	q->at_ns = ns;
	if (q->text)
		strbuf_clear(q->text);
	return q->text != NULL;
}

static void put_loss(struct strbuf *text, uint64_t lost)
{
	strbuf_printf(text, "%llu sample%s lost", (unsigned long long)lost, plural_ending(lost));
}

/* Find losses by sample->lost and SAMPLE_GAP, by jumps of seq in the block, and by notes. */
static void search_losses(struct mlog_quest *q, const struct mlog_about *about,
			  const struct mlog_block *block)
{
	uint64_t last[MLOG_SOURCES_MAX];
	uint64_t seen = 0; /* sources, as bits */
	bool any = false;

	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *sample = block->samples[i];
		bool is_next = !(seen >> sample->source & 1) || sample->seq == last[sample->source] + 1;
		uint64_t lost = is_next || sample->seq < last[sample->source]
					? 0
					: sample->seq - last[sample->source] - 1;

		seen |= 1ull << sample->source;
		last[sample->source] = sample->seq;
		lost = lost > sample->lost ? lost : sample->lost;
		if (is_next && !lost && !(sample->flags & SAMPLE_GAP))
			continue;
		any = true;
		if (!record_match(q, sample->end_ns))
			continue;
		strbuf_printf(q->text, "%s: ", about->sources[sample->source].title);
		if (lost)
			put_loss(q->text, lost);
		else
			strbuf_str(q->text, "a gap: time that was not counted");
	}
	for (unsigned i = 0; i < block->n_notes; i++) {
		const struct mlog_note *note = &block->notes[i];

		if (note->kind != MLOG_NOTE_LOST)
			continue;
		any = true;
		if (record_match(q, note->time_ns))
			put_loss(q->text, (uint64_t)note->value);
	}
	/* Otherwise seq jumped since the previous block. */
	if (!any && block->n_samples && record_match(q, block->samples[0]->end_ns))
		strbuf_str(q->text, "samples lost");
}

static void search_block(struct mlog_quest *q, const struct mlog_about *about, const struct mlog_block *block)
{
	for (unsigned i = 0; q->flags & MLOG_MARK && i < block->n_notes; i++)
		if (block->notes[i].kind == MLOG_NOTE_MARK && record_match(q, block->notes[i].time_ns))
			strbuf_str(q->text, block->notes[i].text);
	if (q->flags & block->flags & MLOG_LOSS)
		search_losses(q, about, block);
}

/* Search all blocks of a stretch, because their times may be in any order. */
static void search_stretch(struct mlog_reader *r, int stretch, struct mlog_quest *q)
{
	uint64_t at = mlog_reader_stretch_begin(r, stretch), end = mlog_reader_stretch_end(r, stretch);
	struct mlog_head head;

	while (at < end && mlog_reader_data(r, at, &head) == MLOG_FOUND) {
		bool before = head.begin_ns < q->from_ns && (!q->found || head.end_ns > q->at_ns);
		bool after = head.end_ns > q->from_ns && (!q->found || head.begin_ns < q->at_ns);

		if (head.flags & q->flags && (q->back ? before : after) &&
		    mlog_reader_load(r, &head, &r->aside) == MLOG_FOUND)
			search_block(q, &r->about, &r->aside);
		at = mlog_walk_next(&head);
	}
}

bool mlog_reader_find(struct mlog_reader *r, int64_t from_ns, bool back, unsigned flags, int64_t *at_ns,
		      struct strbuf *text)
{
	struct mlog_quest q = {.from_ns = from_ns, .back = back, .flags = flags, .text = text};
	int n = (int)r->index.n, i = mlog_reader_stretch(r, from_ns), more = LATE;

	i = !back ? (i < 0 ? 0 : i) : i + LATE < n ? i + LATE : n - 1;
	for (; more && i >= 0 && i < n; i += back ? -1 : 1) {
		if (r->index.places[i].flags & flags)
			search_stretch(r, i, &q);
		more -= q.found;
	}
	*at_ns = q.found ? q.at_ns : *at_ns;
	return q.found;
}

/* ---- the wall clock ---- */

/* A log that begins earlier was recorded without a right clock. Earlier versions do not flag the
 * blocks with the note of the right one, so search this much for it. */
#define RIGHT_NS 1577836800000000000ll /* 2020 */
#define SEARCH_BYTES (64u << 20)

/* Setting the clock corrects all times, also those before it; a suspend moves only those after it,
 * and the times of a log are by its start. */
static void take_clock(struct mlog_reader *r, const struct mlog_note *note)
{
	int64_t moved_ns, realtime_ns, total_ns;

	if (__builtin_sub_overflow(note->value, r->offset_ns, &moved_ns) ||
	    __builtin_add_overflow(r->about.realtime_ns, moved_ns, &realtime_ns) ||
	    __builtin_add_overflow(r->moved_ns, moved_ns, &total_ns) || realtime_ns < 0 ||
	    realtime_ns > MLOG_REALTIME_MAX)
		return;
	r->offset_ns = note->value;
	if (strcmp(note->text, MLOG_SUSPENDED) == 0)
		return;
	r->about.realtime_ns = realtime_ns;
	r->moved_ns = total_ns;
}

void mlog_reader_read_clock(struct mlog_reader *r)
{
	struct mlog_head head;

	for (int i = 0; i < (int)r->index.n; i++) {
		uint64_t end = mlog_reader_stretch_end(r, i), at;
		bool unflagged = r->about.realtime_ns < RIGHT_NS && end <= SEARCH_BYTES;

		if (end <= r->clock_to || (!unflagged && !(r->index.places[i].flags & MLOG_CLOCK)))
			continue;
		at = mlog_reader_stretch_begin(r, i);
		at = at < r->clock_to ? r->clock_to : at;
		while (at < end && mlog_reader_data(r, at, &head) == MLOG_FOUND && head.at < end) {
			at = mlog_walk_next(&head);
			if (!(unflagged || head.flags & MLOG_CLOCK) ||
			    mlog_reader_load(r, &head, &r->aside) != MLOG_FOUND)
				continue;
			for (unsigned k = 0; k < r->aside.n_notes; k++)
				if (r->aside.notes[k].kind == MLOG_NOTE_CLOCK)
					take_clock(r, &r->aside.notes[k]);
		}
	}
	r->clock_to = r->walk.end;
}

void mlog_reader_tell_clock(const struct mlog_reader *r, struct strbuf *text)
{
	int64_t s = (r->moved_ns < 0 ? -r->moved_ns : r->moved_ns) / 1000000000;

	if (!r->moved_ns)
		return;
	strbuf_printf(text, "%sthe wall clock was set %s by ", text->n ? "; " : "",
		      r->moved_ns < 0 ? "back" : "forward");
	if (s >= 86400)
		strbuf_printf(text, "%lld day%s and ", (long long)(s / 86400), s / 86400 == 1 ? "" : "s");
	strbuf_printf(text, "%lld:%02d:%02d while the log was recorded: all times are by the new one",
		      (long long)(s % 86400 / 3600), (int)(s / 60 % 60), (int)(s % 60));
}

/* ---- processes ---- */

/* Find the last block before `to` with a complete list. */
static bool find_complete(struct mlog_reader *r, uint64_t to, uint64_t *found_at)
{
	struct mlog_head head;
	bool found = false;

	for (int i = (int)r->index.n - 1; i >= 0 && !found; i--) {
		uint64_t end = mlog_reader_stretch_end(r, i), at;

		if (r->index.places[i].at >= to || !(r->index.places[i].flags & MLOG_ALL_PROCESSES))
			continue;
		end = end < to ? end : to;
		at = mlog_reader_stretch_begin(r, i);
		while (at < end && mlog_reader_data(r, at, &head) == MLOG_FOUND && head.at < end) {
			if (head.flags & MLOG_ALL_PROCESSES) {
				*found_at = head.at;
				found = true;
			}
			at = mlog_walk_next(&head);
		}
	}
	return found;
}

/* Apply the blocks from `at` to `to`. After a damaged block the list is unknown until the next
 * complete one. */
static void apply_blocks(struct mlog_reader *r, uint64_t at, uint64_t to)
{
	enum mlog_found found = MLOG_FOUND;
	struct mlog_head head;

	while (at < to && found != MLOG_FAILED) {
		uint64_t passed = r->walk.passed;

		found = mlog_reader_data(r, at, &head);
		if (found != MLOG_FOUND || passed != r->walk.passed)
			process_list_free(take_ptr(&r->list));
		if (found != MLOG_FOUND || head.at >= to)
			break;
		found = mlog_reader_load(r, &head, &r->aside);
		if (found == MLOG_FOUND)
			mlog_block_processes(&r->aside, &r->list);
		else
			process_list_free(take_ptr(&r->list));
		at = mlog_walk_next(&head);
	}
}

const struct process_list *mlog_reader_processes(struct mlog_reader *r)
{
	uint64_t to = r->next, at;

	if (r->list_to == to)
		return r->list;
	if (r->block_at == r->list_to) { /* the next block */
		mlog_block_processes(&r->block, &r->list);
	} else if (find_complete(r, to, &at)) {
		if (r->list_to <= at || r->list_to > to)
			process_list_free(take_ptr(&r->list));
		else
			at = r->list_to;
		apply_blocks(r, at, to);
	} else {
		process_list_free(take_ptr(&r->list));
	}
	r->list_to = to;
	return r->list;
}
