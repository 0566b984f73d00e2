/* What is looked for in a log: marks, losses, the processes of a moment. The flags of heads and of places say where to look. */
#include "mlog/mlog_reader_priv.h"

#include "base/alloc.h"

/* What comes late, from a slow source, may stand in a block behind the one of its time. So many are looked at, whatever was
 * found. */
#define LATE 3

_Static_assert(MLOG_SOURCES_MAX <= 64, "sources as bits");

/* ---- marks and losses ---- */

struct quest {
	int64_t from_ns;
	bool back;
	unsigned flags;
	bool found;
	int64_t at_ns;       /* the nearest so far */
	struct strbuf *text; /* may be NULL */
};

static bool is_nearer(const struct quest *q, int64_t ns)
{
	if (q->back)
		return ns < q->from_ns && (!q->found || ns > q->at_ns);
	return ns > q->from_ns && (!q->found || ns < q->at_ns);
}

static bool take(struct quest *q, int64_t ns)
{
	if (!is_nearer(q, ns))
		return false;
	q->found = true;
	q->at_ns = ns;
	if (q->text)
		strbuf_clear(q->text);
	return q->text != NULL;
}

/* By what a sample says, and by jumps of its number inside the block. */
static void search_losses(struct quest *q, const struct mlog_about *about, const struct mlog_block *block)
{
	uint64_t last[MLOG_SOURCES_MAX];
	uint64_t seen = 0; /* sources, as bits */
	bool told = false;

	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *sample = block->samples[i];
		bool is_next = !(seen >> sample->source & 1) || sample->seq == last[sample->source] + 1;
		uint64_t lost = is_next || sample->seq < last[sample->source] ? 0 : sample->seq - last[sample->source] - 1;

		seen |= 1ull << sample->source;
		last[sample->source] = sample->seq;
		lost = lost > sample->lost ? lost : sample->lost;
		if (is_next && !lost && !(sample->flags & SAMPLE_GAP))
			continue;
		told = true;
		if (!take(q, sample->end_ns))
			continue;
		strbuf_printf(q->text, "%s: ", about->sources[sample->source].title);
		if (lost)
			strbuf_printf(q->text, "%llu sample%s lost", (unsigned long long)lost, lost == 1 ? "" : "s");
		else
			strbuf_str(q->text, "a gap, time that was not counted");
	}
	/* Else the number jumped since the block before. */
	if (!told && block->n_samples && take(q, block->samples[0]->end_ns))
		strbuf_str(q->text, "samples lost");
}

static void search_block(struct quest *q, const struct mlog_about *about, const struct mlog_block *block)
{
	for (unsigned i = 0; q->flags & MLOG_MARK && i < block->n_notes; i++)
		if (block->notes[i].kind == MLOG_NOTE_MARK && take(q, block->notes[i].time_ns))
			strbuf_str(q->text, block->notes[i].text);
	if (q->flags & block->flags & MLOG_LOSS)
		search_losses(q, about, block);
}

/* All of it, as places tell no order inside. */
static void search_stretch(struct mlog_reader *r, int stretch, struct quest *q)
{
	uint64_t at = mlog_reader_stretch_begin(r, stretch), end = mlog_reader_stretch_end(r, stretch);
	struct mlog_head head;

	while (at < end && mlog_reader_data(r, at, &head) == MLOG_FOUND) {
		bool before = head.begin_ns < q->from_ns && (!q->found || head.end_ns > q->at_ns);
		bool behind = head.end_ns > q->from_ns && (!q->found || head.begin_ns < q->at_ns);

		if (head.flags & q->flags && (q->back ? before : behind) && mlog_reader_load(r, &head, &r->aside) == MLOG_FOUND)
			search_block(q, &r->about, &r->aside);
		at = mlog_walk_behind(&head);
	}
}

bool mlog_reader_find(struct mlog_reader *r, int64_t from_ns, bool back, unsigned flags, int64_t *at_ns, struct strbuf *text)
{
	struct quest q = {.from_ns = from_ns, .back = back, .flags = flags, .text = text};
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

/* ---- processes ---- */

/* The last block with a complete list before `to`. */
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
			at = mlog_walk_behind(&head);
		}
	}
	return found;
}

/* Apply the blocks from `at` to `to`. Behind a damage nothing is known, until a list is complete again. */
static void follow(struct mlog_reader *r, uint64_t at, uint64_t to)
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
		at = mlog_walk_behind(&head);
	}
}

const struct process_list *mlog_reader_processes(struct mlog_reader *r)
{
	uint64_t to = r->next, at;

	if (r->list_to == to)
		return r->list;
	if (r->block_at == r->list_to) { /* one block further */
		mlog_block_processes(&r->block, &r->list);
	} else if (find_complete(r, to, &at)) {
		if (r->list_to <= at || r->list_to > to)
			process_list_free(take_ptr(&r->list));
		else
			at = r->list_to;
		follow(r, at, to);
	} else {
		process_list_free(take_ptr(&r->list));
	}
	r->list_to = to;
	return r->list;
}
