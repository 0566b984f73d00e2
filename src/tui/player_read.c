/* Reading a log: blocks, their samples into the feeds, notes, processes. */
#include "tui/player.h"

#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <string.h>

#define STEP_WORK 2000             /* a step costs as much as this many values */
#define READ_MOST (16u << 20)      /* bytes to read for a jump; history before them stays unknown */
#define READ_LONG (16 * READ_MOST) /* likewise, if points are longer than a refresh */
#define OVERLAP_NS SECOND          /* ignore a sample that begins this long before the previous end */
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
	int64_t first = player_first(p), end_ns = p->to_ns < p->state.end_ns ? p->to_ns : p->state.end_ns,
		last = refresh_after(p, end_ns);

	if (p->follows && !p->state.ended && last > end_ns)
		last -= p->refresh_ns; /* the rest of this refresh has not arrived */

	return last > first ? last : first;
}

int64_t player_step_ns(const struct player *p)
{
	int64_t point = feeds_point_ns(p->feeds), refreshes = point / p->refresh_ns;

	if (point < p->refresh_ns && p->refresh_ns % point == 0)
		return point;
	return (refreshes > 1 ? refreshes : 1) * p->refresh_ns;
}

/* ---- reading ---- */

static bool next_block(struct player *p)
{
	struct err err = {0};

	p->block = mlog_reader_next(p->reader, &err);
	p->sample = p->note = 0;
	if (err.code && !p->failed) {
		strbuf_printf(&p->said, "%s\n", err.text);
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
	if (p->ahead && p->copy->n_more) { /* taking these would displace the records of at_ns */
		p->records_ns = p->copy->end_ns < p->records_ns ? p->copy->end_ns : p->records_ns;
		p->copy->n_more = 0;
	}
	feeds_take(p->feeds, p->copy);
}

static void show_away(struct player *p, const struct player_away *a)
{
	p->session->sources[a->source].away = a->away ? AWAY_IN_LOG : AWAY_NOT;
}

void player_take_aways(struct player *p, int64_t at_ns)
{
	for (unsigned i = 0; i < p->session->n; i++)
		p->session->sources[i].away = AWAY_NOT;
	for (unsigned i = 0; i < p->n_aways; i++)
		if (p->aways[i].time_ns <= at_ns)
			show_away(p, &p->aways[i]);
}

/* Note whether a source is away. Another note has the message about it. */
static void take_note(struct player *p, const struct mlog_note *note)
{
	struct session_source *gpu = p->session->gpu;
	AUTO_STRBUF struct strbuf text = {0};

	if (note->source >= 0 && note->source < (int)p->session->n &&
	    (note->kind == MLOG_NOTE_AWAY || note->kind == MLOG_NOTE_BACK)) {
		/* kept for times that are shown again; the oldest is dropped */
		if (p->n_aways == PLAYER_AWAYS)
			memmove(p->aways, p->aways + 1, --p->n_aways * sizeof(p->aways[0]));
		p->aways[p->n_aways++] =
			(struct player_away){note->time_ns, note->source, note->kind == MLOG_NOTE_AWAY};
		if (!p->ahead)
			show_away(p, &p->aways[p->n_aways - 1]);
	} else if (note->kind == MLOG_NOTE_MARK)
		strbuf_printf(&text, "mark %lld%s%s", (long long)note->value, note->text[0] ? ": " : "",
			      note->text);
	else if (note->kind == MLOG_NOTE_CLOCK)
		strbuf_str(&text, strcmp(note->text, MLOG_SUSPENDED) == 0 ? "the machine was suspended"
									  : "the wall clock was set");
	else if (note->kind == MLOG_NOTE_LOST)
		strbuf_printf(&text, "%lld sample%s before the end of the log %s lost",
			      (long long)note->value, plural_ending((uint64_t)note->value),
			      was_or_were((uint64_t)note->value));
	else if (note->kind == MLOG_NOTE_MESSAGE)
		strbuf_str(&text, note->text);
	else if (note->kind == MLOG_NOTE_ANSWER && p->remote) {
		if (!p->quiet && gpu && note->value > 0 && note->value == p->asked.number)
			gpu->asked_ns = gpu->period_ns = p->asked.interval_ns;
		strbuf_str(&text, note->text);
	}
	if (text.n && !p->quiet)
		strbuf_printf(&p->said, "%s\n", text.p);
}

/* Take the part of the block up to that time. Returns false if more is left. */
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

/* Fill the feeds up to that time. Returns false if it would take too long at once. */
static bool feed_until(struct player *p, int64_t moment_ns)
{
	for (;;) {
		if (!p->block && p->work <= 0)
			return false;
		if (!p->block && !next_block(p))
			return true; /* the current end of the data */
		if (!take_block(p, moment_ns))
			return true;
		if (p->wants_processes && !p->ahead)
			player_copy_processes(p);
		p->block = NULL;
	}
}

bool player_advance(struct player *p, int64_t until_ns)
{
	while (p->fed_ns < until_ns) {
		int64_t step = player_step_ns(p), next;

		step = step > p->refresh_ns ? step : p->refresh_ns;
		next = (p->fed_ns / step + 1) * step;
		next = next < until_ns ? next : until_ns;
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

bool player_read(struct player *p)
{
	if (!player_advance(p, p->at_ns))
		return false;
	if (p->fed_ns >= p->window_ns)
		return true;
	p->ahead = p->quiet = true;
	if (!feed_until(p, p->window_ns))
		return false;
	p->ahead = p->quiet = false;
	p->fed_ns = p->window_ns;
	feeds_show(p->feeds, p->window_ns, p->at_ns);
	return true;
}

/* Return how much time of the log fits into the reading limit, on average. */
static double affordable_ns(const struct player *p)
{
	int64_t length = p->state.end_ns - p->state.begin_ns;
	unsigned most = player_step_ns(p) > p->refresh_ns ? READ_LONG : READ_MOST;

	return (double)most / (double)(p->state.bytes + 1) * (double)length + (double)p->refresh_ns;
}

/* Return how much of the log before a time must be read to show it. */
static int64_t depth_ns(const struct player *p)
{
	int64_t span = feeds_span_ns(p->feeds) + p->refresh_ns;
	double affordable = affordable_ns(p);

	return (double)span > affordable ? (int64_t)affordable : span;
}

static int64_t window_of(const struct player *p, int64_t at_ns)
{
	int64_t last = player_last(p), most = (int64_t)real_min(affordable_ns(p) / 2, (double)LONGEST_NS);
	int64_t end = last - at_ns > most ? at_ns + most / p->refresh_ns * p->refresh_ns : last, to;

	if (!p->paused)
		return at_ns;
	to = feeds_window_ns(p->feeds, p->window_ns, at_ns, player_first(p), end);
	return to < end ? to : end;
}

/* Whether the feeds hold most of that history, and the processes and records of that time. */
static bool is_held(const struct player *p, int64_t at_ns, int64_t window_ns)
{
	int64_t oldest, newest, depth = window_ns == p->window_ns ? p->refresh_ns : depth_ns(p) / 2;

	if (player_is_reading(p) || p->wants_processes || window_ns > p->fed_ns || at_ns >= p->records_ns ||
	    !feeds_reach(p->feeds, &oldest, &newest))
		return false;
	return window_ns - (oldest > p->state.begin_ns ? depth : 0) >= oldest && at_ns >= oldest;
}

/* Read as much as the graphs show, or from the start of the log if the limit permits it, which also
 * gives the totals. */
static void seek_window(struct player *p, int64_t at_ns, int64_t window_ns)
{
	int64_t begin = p->state.begin_ns, depth = depth_ns(p), start;

	p->at_ns = at_ns;
	p->window_ns = window_ns;
	depth = bounded_time(depth, 0, window_ns - begin);
	start = (double)(window_ns - begin) <= affordable_ns(p) ? begin : window_ns - depth;
	p->fed_ns = refresh_after(p, start) - p->refresh_ns;
	p->points_ns = window_ns > at_ns ? at_ns : refresh_after(p, at_ns - depth);
	p->block = NULL;
	p->quiet = true;
	p->ahead = false;
	p->records_ns = INT64_MAX;
	p->n_aways = 0;
	p->jumps++;
	memset(p->ends_ns, 0, sizeof(p->ends_ns));
	player_take_aways(p, at_ns);
	feeds_clear(p->feeds, start > begin);
	mlog_reader_seek(p->reader, start > begin ? start : INT64_MIN);
	process_list_free(take_ptr(&p->list));
}

static int64_t moment_of(const struct player *p, int64_t t_ns)
{
	int64_t step = player_step_ns(p);

	step = step < p->refresh_ns ? step : p->refresh_ns;
	return bounded_time((t_ns + step - 1) / step * step, player_first(p), player_last(p));
}

void player_seek(struct player *p, int64_t t_ns)
{
	int64_t at = moment_of(p, t_ns);

	seek_window(p, at, window_of(p, at));
	p->sought_ns = t_ns;
}

void player_go_within(struct player *p, int64_t t_ns, int64_t window_ns)
{
	int64_t at = moment_of(p, t_ns);

	p->sought_ns = t_ns;
	if (window_ns < at)
		window_ns = at;
	if (!p->paused || !is_held(p, at, window_ns)) {
		seek_window(p, at, window_ns);
		return;
	}
	p->at_ns = at;
	p->window_ns = window_ns;
	p->unshown = true;
	player_take_aways(p, at);
	feeds_show(p->feeds, window_ns, at);
}

void player_go_to(struct player *p, int64_t t_ns)
{
	player_go_within(p, t_ns, window_of(p, moment_of(p, t_ns)));
}
