/* Reading a log: blocks, their samples into the feeds, notes, processes. */
#include "tui/player_priv.h"

#include "base/alloc.h"

#include <string.h>

#define STEP_WORK 2000        /* a step costs as much as this many values */
#define READ_MOST (16u << 20) /* bytes to read for a jump; history before them stays unknown */
#define OVERLAP_NS SECOND     /* ignore a sample that begins this long before the previous end */
#define LONGEST_NS (1ll << 61)

/* ---- points in time ---- */

static int64_t bounded_time(int64_t ns, int64_t low, int64_t high)
{
	return ns < low ? low : ns > high ? high : ns;
}

void player_take_state(struct player *p)
{
	mlog_reader_state(p->reader, &p->state);
	p->state.begin_ns = bounded_time(p->state.begin_ns, 0, LONGEST_NS);
	p->state.end_ns = bounded_time(p->state.end_ns, p->state.begin_ns, LONGEST_NS);
}

/* Return the first refresh at or after t. */
static int64_t refresh_after(const struct player *p, int64_t t_ns)
{
	return (t_ns + p->refresh_ns - 1) / p->refresh_ns * p->refresh_ns;
}

int64_t player_first(const struct player *p)
{
	return refresh_after(p, p->state.begin_ns + p->from_ns);
}

int64_t player_last(const struct player *p)
{
	int64_t first = player_first(p),
		last = refresh_after(p, p->to_ns < p->state.end_ns ? p->to_ns : p->state.end_ns);

	return last > first ? last : first;
}

/* ---- reading ---- */

static void add_message(struct player *p, const char *text)
{
	strbuf_printf(&p->said, "%s\n", text);
}

static bool next_block(struct player *p)
{
	struct err err = {0};

	p->block = mlog_reader_next(p->reader, &err);
	p->sample = p->note = 0;
	if (err.code && !p->failed) {
		add_message(p, err.text);
		p->paused = true;
	}
	p->failed = err.code != 0;
	for (unsigned i = 0; p->block && i < p->block->n_samples; i++)
		p->work -= p->block->samples[i]->n_values + p->block->samples[i]->n_more;
	return p->block != NULL;
}

/* Ignore samples whose times go back, because their sums could overflow: the file is not
 * trusted. */
static void take_sample(struct player *p, const struct sample *sample)
{
	int64_t *last;

	if (sample->source >= p->session->n || sample->n_values > p->session->sources[sample->source].n_slots)
		return;
	last = &p->ends_ns[sample->source];
	if (sample->begin_ns < 0 || sample->begin_ns < *last - OVERLAP_NS ||
	    sample->end_ns < sample->begin_ns || sample->end_ns < *last)
		return;
	*last = sample->end_ns;
	memcpy(p->copy, sample, sample_size(sample));
	p->copy->flags |= SAMPLE_REPLAY;
	feeds_take(p->feeds, p->copy);
}

/* Show whether sources are away; the message about it is a note of its own. */
static void take_note(struct player *p, const struct mlog_note *note)
{
	AUTO_STRBUF struct strbuf text = {0};

	if (note->source >= 0 && note->source < (int)p->session->n && note->kind == MLOG_NOTE_AWAY)
		p->session->sources[note->source].away = AWAY_IN_LOG;
	else if (note->source >= 0 && note->source < (int)p->session->n && note->kind == MLOG_NOTE_BACK)
		p->session->sources[note->source].away = AWAY_NOT;
	else if (note->kind == MLOG_NOTE_MARK)
		strbuf_printf(&text, "mark %lld%s%s", (long long)note->value, note->text[0] ? ": " : "",
			      note->text);
	else if (note->kind == MLOG_NOTE_CLOCK)
		strbuf_str(&text, "the wall clock was set");
	else if (note->kind == MLOG_NOTE_LOST)
		strbuf_printf(&text, "%lld samples before the end of the log were lost",
			      (long long)note->value);
	else if (note->kind == MLOG_NOTE_MESSAGE)
		strbuf_str(&text, note->text);
	if (text.n && !p->quiet)
		add_message(p, text.p);
}

/* Take the part of the block up to that time; false if more is left. */
static bool take_block(struct player *p, int64_t moment_ns)
{
	const struct mlog_block *b = p->block;
	bool all = b->end_ns <= moment_ns;

	for (; p->sample < b->n_samples && (all || b->samples[p->sample]->end_ns <= moment_ns); p->sample++)
		take_sample(p, b->samples[p->sample]);
	for (; p->note < b->n_notes && (all || b->notes[p->note].time_ns <= moment_ns); p->note++)
		take_note(p, &b->notes[p->note]);
	return p->sample == b->n_samples && p->note == b->n_notes;
}

void player_copy_processes(struct player *p)
{
	const struct process_list *from = mlog_reader_processes(p->reader);
	struct process_list *to;

	if (!from)
		return;
	to = xmalloc(sizeof(*to));
	*to = *from;
	to->processes = xcalloc(from->n ? from->n : 1, sizeof(*to->processes));
	if (from->n)
		memcpy(to->processes, from->processes, from->n * sizeof(*to->processes));
	process_list_free(p->list);
	p->list = to;
}

/* Fill the feeds up to that time; false if it would take too long at once. */
static bool feed_until(struct player *p, int64_t moment_ns)
{
	for (;;) {
		if (!p->block && p->work <= 0)
			return false;
		if (!p->block && !next_block(p))
			return true; /* the current end */
		if (!take_block(p, moment_ns))
			return true;
		if (p->wants_processes)
			player_copy_processes(p);
		p->block = NULL;
	}
}

bool player_advance(struct player *p, int64_t until_ns)
{
	while (p->fed_ns < until_ns) {
		int64_t next = p->fed_ns + p->refresh_ns;

		if (next < p->points_ns)
			next = p->points_ns;
		if (p->work <= 0 || !feed_until(p, next))
			return false;
		p->fed_ns = next;
		feeds_step(p->feeds);
		p->work -= STEP_WORK;
	}
	p->quiet = false;
	return true;
}

/* How much time of the log READ_MOST bytes hold, on average. */
static double affordable_ns(const struct player *p)
{
	int64_t length = p->state.end_ns - p->state.begin_ns;

	return (double)READ_MOST / (double)(p->state.bytes + 1) * (double)length + (double)p->refresh_ns;
}

int64_t player_depth_ns(const struct player *p)
{
	int64_t span = feeds_span_ns(p->feeds) + p->refresh_ns;
	double affordable = affordable_ns(p);

	return (double)span > affordable ? (int64_t)affordable : span;
}

/* Jump: read as much as the strips show, or from the start of the log if that is affordable, which
 * also gives the totals. */
void player_seek(struct player *p, int64_t t_ns)
{
	int64_t begin = p->state.begin_ns, depth = player_depth_ns(p), start;

	p->goal_ns = p->at_ns = bounded_time(refresh_after(p, t_ns), player_first(p), player_last(p));
	p->sought_ns = t_ns;
	depth = bounded_time(depth, 0, p->goal_ns - begin);
	start = (double)(p->goal_ns - begin) <= affordable_ns(p) ? begin : p->goal_ns - depth;
	p->fed_ns = refresh_after(p, start) - p->refresh_ns;
	p->points_ns = refresh_after(p, p->goal_ns - depth);
	p->block = NULL;
	p->quiet = true;
	p->jumps++;
	memset(p->ends_ns, 0, sizeof(p->ends_ns));
	for (unsigned i = 0; i < p->session->n; i++)
		p->session->sources[i].away = AWAY_NOT;
	feeds_clear(p->feeds, start > begin);
	mlog_reader_seek(p->reader, start > begin ? start : INT64_MIN);
	process_list_free(take_ptr(&p->list));
}
