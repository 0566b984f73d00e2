#include "passes/pass_fold.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct slot_row frame_slots[] = {FRAME_SLOT_LIST(SLOT_ROW)};
static const struct slot_row row_slots[] = {ROW_SLOT_LIST(SLOT_ROW)};

void row_slots_describe(const struct slot_row *row, unsigned n, unsigned rows, const char *prefix,
			char (*names)[SLOT_NAME], struct slot *slots)
{
	for (unsigned i = 0; i < rows * n; i++) {
		snprintf(names[i], SLOT_NAME, "%s%u%s", prefix, i / n + 1, row[i % n].name);
		slots[i] =
			(struct slot){.name = names[i], .kind = row[i % n].kind, .scale = row[i % n].scale};
	}
}

void pass_fold_slots(struct pass_fold *fold, struct slot slots[PASS_FOLD_SLOTS])
{
	for (unsigned i = 0; i < FRAME_SLOTS; i++)
		slots[i] = (struct slot){.name = frame_slots[i].name,
					 .kind = frame_slots[i].kind,
					 .scale = frame_slots[i].scale};
	row_slots_describe(row_slots, ROW_SLOTS, PASS_ROWS, "Pass", fold->slot_names, slots + FRAME_SLOTS);
}

unsigned pass_fold_name(struct pass_fold *f, const char *name)
{
	struct fold_names *names = &f->names;
	unsigned i = 1;

	if (!name[0])
		return 0;
	while (i <= names->n && strncmp(names->all.text[i], name, PASS_NAME_TEXT - 1) != 0)
		i++;
	if (i > PASS_NAMES_MOST)
		return 0;
	if (i > names->n)
		snprintf(names->all.text[names->n = i], PASS_NAME_TEXT, "%s", name);
	names->used[i] = true;
	return i;
}

static void clear_sample(struct pass_fold *f)
{
	f->sweep.looks = 0;
	memset(f->frame, 0, sizeof(f->frame));
	memset(f->row, 0, sizeof(f->row));
}

void pass_fold_start(struct pass_fold *f, double frames_per_second)
{
	f->budget_ns = frames_per_second > 0 ? (int64_t)(1e9 / frames_per_second) : 0;
	clear_sample(f);
}

void pass_fold_forget(struct pass_fold *f)
{
	f->sweep.n = 0;
	f->n_times = f->n_gpu_times = 0;
	memset(f->n_row_times, 0, sizeof(f->n_row_times));
	memset(f->n_row_spans, 0, sizeof(f->n_row_spans));
	f->before.type = 0;
	f->whole = false;
	f->records.n = 0;
	memset(f->rows, 0, sizeof(f->rows));
	memset(f->groups, 0, sizeof(f->groups));
	f->others = f->missed = f->before_missed = f->sweep.full = false;
}

void pass_fold_miss(struct pass_fold *f)
{
	f->missed = true;
}

static void take_pass(struct pass_fold *f, const struct passes_event *e)
{
	struct sweep_span span = {.begin_ns = e->begin_ns,
				  .end_ns = e->end_ns,
				  .frame = e->frame,
				  .work = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
				  .name = e->name,
				  .ordinal = e->ordinal,
				  .width = e->width,
				  .height = e->height,
				  .kind = e->kind,
				  .queue = e->queue};

	if (e->flags & PASSES_COUNTED) {
		span.work[0] = e->draws == PASSES_COUNT_UNKNOWN ? SAMPLE_UNKNOWN : e->draws;
		span.work[1] = e->dispatches == PASSES_COUNT_UNKNOWN ? SAMPLE_UNKNOWN : e->dispatches;
		span.work[2] = e->vertices;
	}
	sweep_add(&f->sweep, &span);
}

/* ---- rows ---- */

#define CHANGE_FRAMES 16 /* in which a pass must cost more before it gets the row of another */

static bool is_away(const struct pass_group *g, int64_t now_ns)
{
	return now_ns - g->seen_ns > PASS_AWAY_NS;
}

/* Return the group of a pass, which is there from now on; NULL: there is no room for it. */
static struct pass_group *find_group(struct pass_fold *f, const struct sweep_span *s, uint16_t ordinal,
				     int64_t now_ns)
{
	uint32_t hash = (s->name | (uint32_t)ordinal << 16) * 2654435761u ^
			(s->kind | (uint32_t)s->queue << 8) * 2246822519u;
	struct pass_group *bucket = &f->groups[(hash >> 16) % GROUP_BUCKETS * GROUP_WAYS], *free = NULL;

	for (struct pass_group *g = bucket; g < bucket + GROUP_WAYS; g++) {
		if (g->used && g->name == s->name && g->ordinal == ordinal && g->kind == s->kind &&
		    g->queue == s->queue) {
			g->seen_ns = now_ns;
			return g;
		}
		if (!g->used || is_away(g, now_ns))
			free = g;
	}
	if (!free)
		return NULL;
	if (free->row)
		f->rows[free->row - 1] = 0;
	*free = (struct pass_group){.used = true,
				    .kind = s->kind,
				    .queue = s->queue,
				    .name = s->name,
				    .ordinal = ordinal,
				    .seen_ns = now_ns};
	return free;
}

/* Find the group of each pass of a frame. Passes of a name that a frame has often are one group:
 * the 137th of its kind says nothing. Returns the number of the frame's groups. */
static unsigned group_passes(struct pass_fold *f, uint64_t frame, int64_t now_ns,
			     uint16_t groups[GROUP_BUCKETS * GROUP_WAYS])
{
	struct sweep_span *end = f->sweep.spans + f->sweep.n;
	struct pass_group *g;
	unsigned n = 0;

	for (struct sweep_span *s = f->sweep.spans; s < end; s++)
		if (s->frame == frame && (g = find_group(f, s, PASS_ALIKE, now_ns)))
			g->alike |= ++g->n > ALIKE_MOST;
	for (struct sweep_span *s = f->sweep.spans; s < end; s++) {
		if (s->frame != frame)
			continue;
		g = find_group(f, s, PASS_ALIKE, now_ns);
		if (g)
			g->n = 0;
		if (!g || !g->alike)
			g = find_group(f, s, s->ordinal, now_ns);
		s->group = g ? (uint16_t)(g - f->groups + 1) : 0;
	}
	for (struct sweep_span *s = f->sweep.spans; s < end; s++) {
		if (s->frame != frame || !s->group)
			continue;
		g = &f->groups[s->group - 1];
		if (!g->n++) {
			groups[n++] = (uint16_t)(s->group - 1);
			g->own_ns = 0;
		}
		g->own_ns += s->own_ns;
		g->width = s->width;
		g->height = s->height;
	}
	for (unsigned i = 0; i < n; i++) {
		g = &f->groups[groups[i]];
		g->n = 0;
		g->cost_ns = g->cost_ns ? (7 * g->cost_ns + g->own_ns) / 8 : g->own_ns;
	}
	return n;
}

/* The pass that had the row is one of all others from now on, in this sample too. */
static void give_row(struct pass_fold *f, unsigned row, struct pass_group *g)
{
	uint64_t *from = f->row[row], *others = f->row[PASS_ROWS - 1];

	if (f->rows[row])
		f->groups[f->rows[row] - 1].row = 0;
	for (unsigned i = 0; i < ROW_SLOTS && from[ROW_COUNT]; i++) {
		f->others = true;
		if (i >= ROW_DRAWS)
			fold_work(&others[i], from[i]);
		else
			others[i] += from[i];
	}
	memset(from, 0, sizeof(f->row[row]));
	f->n_row_times[row] = f->n_row_spans[row] = 0;
	f->rows[row] = (uint16_t)(g - f->groups + 1);
	g->row = (uint8_t)(row + 1);
	g->dearer = 0;
}

/* Return the row that is free, or else that of the pass that costs least. */
static unsigned cheapest_row(const struct pass_fold *f, int64_t now_ns, bool *is_free)
{
	unsigned best = 0;

	for (unsigned r = 0; r < PASS_ROWS - 1; r++) {
		const struct pass_group *g = &f->groups[f->rows[r] ? f->rows[r] - 1 : 0];

		*is_free = !f->rows[r] || is_away(g, now_ns);
		if (*is_free)
			return r;
		best = g->cost_ns < f->groups[f->rows[best] - 1].cost_ns ? r : best;
	}
	return best;
}

/* Give rows to the groups of a frame that have none: the dearest first if there are fewer rows than
 * groups. A group that has been dearer than another one's for some frames gets that one's. */
static void give_rows(struct pass_fold *f, uint16_t *groups, unsigned n, int64_t now_ns)
{
	unsigned n_free = 0, waiting = 0, row;
	bool is_free;

	for (unsigned r = 0; r < PASS_ROWS - 1; r++)
		n_free += !f->rows[r] || is_away(&f->groups[f->rows[r] - 1], now_ns);
	for (unsigned i = 0; i < n; i++)
		if (!f->groups[groups[i]].row)
			groups[waiting++] = groups[i];
	while (waiting && (row = cheapest_row(f, now_ns, &is_free), is_free)) {
		unsigned best = 0;

		for (unsigned i = 1; i < waiting && waiting > n_free; i++)
			if (f->groups[groups[i]].cost_ns > f->groups[groups[best]].cost_ns)
				best = i;
		give_row(f, row, &f->groups[groups[best]]);
		memmove(&groups[best], &groups[best + 1], (--waiting - best) * sizeof(*groups));
		n_free--;
	}
	for (unsigned i = 0; i < waiting; i++) {
		struct pass_group *g = &f->groups[groups[i]];

		row = cheapest_row(f, now_ns, &is_free);
		if (g->cost_ns <= 2 * f->groups[f->rows[row] - 1].cost_ns)
			g->dearer = 0;
		else if (++g->dearer >= CHANGE_FRAMES)
			give_row(f, row, g);
	}
}

static unsigned row_of(const struct pass_fold *f, const struct sweep_span *s)
{
	unsigned row = s->group ? f->groups[s->group - 1].row : 0;

	return row ? row - 1 : PASS_ROWS - 1;
}

/* A display's clock and the CPU's differ a little: up to 5 % over a budget is on time. */
static void count_class(struct pass_fold *f, int64_t ns)
{
	static const int percent[] = {105, 125, 150, 200, 300};
	static const int rates[] = {120, 90, 60, 45, 30};
	unsigned c = 0;

	for (unsigned i = 0; i < ARRAY_LEN(rates); i++) {
		int64_t budget_ns = 1000000000ll / rates[i];

		f->frame[FRAME_AT_120 + i] += ns <= budget_ns + budget_ns / 20;
	}
	if (!f->budget_ns)
		return;
	while (c < ARRAY_LEN(percent) && ns > f->budget_ns / 100 * percent[c])
		c++;
	f->frame[FRAME_ON_TIME + c]++;
	f->frame[FRAME_MISSED] += c > 0;
}

static void keep_passes(struct pass_fold *f, const struct passes_event *one, struct merged_passes *merged,
			uint64_t *word)
{
	for (unsigned i = 0; i < f->sweep.n; i++) {
		const struct sweep_span *s = &f->sweep.spans[i];
		int64_t begin_ns = s->begin_ns > one->begin_ns ? s->begin_ns : one->begin_ns;
		uint64_t row = pass_record_row(row_of(f, s) + 1, s->queue);

		if (s->frame != one->frame || s->end_ns <= one->begin_ns)
			continue;
		if (merged) {
			merged_add(merged, row, begin_ns - one->begin_ns, s->end_ns - begin_ns);
			continue;
		}
		*word++ = row;
		*word++ = pass_record_us(begin_ns - one->begin_ns);
		*word++ = pass_record_us(s->end_ns - begin_ns);
	}
}

/* Keep a frame with all its passes, in the order in which they came; if they are many or have no
 * room, with the sum of each row; without room for those alone. busy_ns: its GPU time, or -1. */
static void keep_records(struct pass_fold *f, const struct passes_event *one, int64_t busy_ns)
{
	struct merged_passes merged = {.n = 0};
	bool each;
	unsigned n = 0;
	uint64_t *word;

	for (unsigned i = 0; i < f->sweep.n; i++)
		n += f->sweep.spans[i].frame == one->frame && f->sweep.spans[i].end_ns > one->begin_ns;
	each = n <= RECORD_PASSES_MOST &&
	       pass_records_room(&f->records) >= RECORD_FRAME_WORDS + n * RECORD_PASS_WORDS;
	if (!each) {
		keep_passes(f, one, &merged, NULL);
		merged_finish(&merged);
		n = merged.n;
		if (pass_records_room(&f->records) < RECORD_FRAME_WORDS + n * RECORD_PASS_WORDS)
			n = 0;
	}
	word = pass_records_add(&f->records, RECORD_FRAME_WORDS + n * RECORD_PASS_WORDS);
	if (!word)
		return;
	*word++ = RECORD_FRAME;
	*word++ = one->frame;
	*word++ = (uint64_t)one->begin_ns;
	*word++ = pass_record_us(one->end_ns - one->begin_ns);
	*word++ = one->present_ns / 1000;
	*word++ = one->wait_ns / 1000;
	*word++ = n;
	*word++ = one->thread_ns == PASSES_CPU_UNKNOWN ? RECORD_UNKNOWN : one->thread_ns / 1000;
	*word++ = busy_ns < 0 ? RECORD_UNKNOWN : pass_record_us(busy_ns);
	if (each)
		keep_passes(f, one, NULL, word);
	for (unsigned i = 0; i < n && !each; i++) {
		*word++ = merged.of[i].row;
		*word++ = pass_record_us(merged.of[i].begin_ns);
		*word++ = pass_record_us(merged.of[i].ns);
	}
}

static unsigned rank_of(const int64_t *sorted, unsigned n, int64_t ns)
{
	unsigned rank = 0;

	while (rank < n && sorted[rank] < ns)
		rank++;
	return rank;
}

/* Add a time to a ring of `most` and to the same in order after it; the oldest leaves both. */
static void rank_time(int64_t *times, unsigned *n, unsigned most, int64_t ns)
{
	int64_t *newest = &times[*n % most], *sorted = times + most;
	unsigned kept = *n < most ? *n : most - 1, rank;

	if (*n >= most) {
		rank = rank_of(sorted, most, *newest);
		memmove(&sorted[rank], &sorted[rank + 1], (kept - rank) * sizeof(*sorted));
	}
	rank = rank_of(sorted, kept, ns);
	memmove(&sorted[rank + 1], &sorted[rank], (kept - rank) * sizeof(*sorted));
	*newest = sorted[rank] = ns;
	++*n;
}

/* Add the times of one frame. */
static void add_rows(struct pass_fold *f, uint64_t frame)
{
	uint64_t rows[PASS_ROWS][ROW_SLOTS] = {{0}};

	for (const struct sweep_span *s = f->sweep.spans; s < f->sweep.spans + f->sweep.n; s++) {
		uint64_t *row = rows[row_of(f, s)];

		if (s->frame != frame)
			continue;
		row[ROW_COUNT]++;
		row[ROW_TIME] += s->own_ns;
		row[ROW_SPAN] += (uint64_t)(s->end_ns - s->begin_ns);
		for (unsigned w = ROW_DRAWS; w < ROW_SLOTS; w++)
			fold_work(&row[w], s->work[w - ROW_DRAWS]);
	}
	f->others |= rows[PASS_ROWS - 1][ROW_COUNT] > 0;
	for (unsigned r = 0; r < PASS_ROWS; r++) {
		f->row[r][ROW_TIME] += rows[r][ROW_TIME];
		f->row[r][ROW_SPAN] += rows[r][ROW_SPAN];
		f->row[r][ROW_COUNT] += rows[r][ROW_COUNT];
		for (unsigned w = ROW_DRAWS; w < ROW_SLOTS; w++)
			fold_work(&f->row[r][w], rows[r][w]);
		if (!rows[r][ROW_SPAN])
			continue;
		rank_time(f->row_times[r], &f->n_row_times[r], ROWS_RANKED, (int64_t)rows[r][ROW_TIME]);
		rank_time(f->row_spans[r], &f->n_row_spans[r], ROWS_RANKED, (int64_t)rows[r][ROW_SPAN]);
	}
}

/* A frame of which passes are missing has no GPU time: it would be too small. */
static void sweep_before(struct pass_fold *f, int64_t now_ns)
{
	const struct passes_event *e = &f->before;
	uint16_t groups[GROUP_BUCKETS * GROUP_WAYS];
	bool was_full = f->sweep.full;
	int64_t busy_ns;
	unsigned n;

	busy_ns = sweep_frame(&f->sweep, e->frame, &n);
	if (f->sweep.full && !was_full)
		f->frame[FRAME_CROWDED]++;
	if (!f->whole || f->before_missed || e->flags & PASSES_NO_TIMESTAMPS || (busy_ns < 0 && e->passes) ||
	    (e->stamped && n < e->stamped - 1u) || e->stamped == UINT16_MAX)
		busy_ns = -1;
	else
		busy_ns = busy_ns > 0 ? busy_ns : 0;
	if (f->whole && n)
		give_rows(f, groups, group_passes(f, e->frame, now_ns, groups), now_ns);
	if (e->frame > 0)
		keep_records(f, e, busy_ns);
	if (busy_ns >= 0) {
		add_rows(f, e->frame);
		f->frame[FRAME_TIMED]++;
		f->frame[FRAME_GPU] += (uint64_t)busy_ns;
		rank_time(f->gpu_times, &f->n_gpu_times, FRAMES_RANKED, busy_ns);
	}
	sweep_forget(&f->sweep, e->frame);
}

static void add_cpu_time(uint64_t *time, uint64_t *timed, uint32_t ns)
{
	if (ns == PASSES_CPU_UNKNOWN)
		return;
	*time += ns;
	++*timed;
}

static void take_frame(struct pass_fold *p, const struct passes_event *e)
{
	int64_t ns = e->end_ns - e->begin_ns;
	uint64_t *f = p->frame;

	f[FRAME_COUNT]++;
	f[FRAME_TIME] += (uint64_t)ns;
	f[FRAME_PRESENT] += e->present_ns;
	f[FRAME_WAIT] += e->wait_ns;
	add_cpu_time(&f[FRAME_THREAD], &f[FRAME_THREAD_TIMED], e->thread_ns);
	add_cpu_time(&f[FRAME_PROCESS], &f[FRAME_PROCESS_TIMED], e->process_ns);
	f[FRAME_SUBMITS] += e->submits;
	f[FRAME_PASSES] += e->passes;
	f[FRAME_IN_FLIGHT] += e->in_flight;
	f[FRAME_WORST] = (uint64_t)ns > f[FRAME_WORST] ? (uint64_t)ns : f[FRAME_WORST];
	f[FRAME_BOUNDARY] = e->kind;
	count_class(p, ns);
	rank_time(p->times, &p->n_times, FRAMES_RANKED, ns);
}

void pass_fold_finish(struct pass_fold *f)
{
	if (!f->before.type)
		return;
	sweep_before(f, f->before.end_ns);
	f->before.type = 0;
	f->whole = false;
}

/* The first frame of a device began when that was created: its time means nothing. The passes of a
 * frame are complete when the next frame ends, because they may overlap with it. */
void pass_fold_event(struct pass_fold *f, const struct passes_event *e, int64_t now_ns)
{
	if (e->type == PASSES_PASS)
		take_pass(f, e);
	if (e->type != PASSES_FRAME)
		return;
	if (e->frame > 0)
		take_frame(f, e);
	else
		f->frame[FRAME_OMITTED]++;
	if (f->before.type)
		sweep_before(f, now_ns);
	if (f->sweep.full || e->stamped == UINT16_MAX)
		f->frame[FRAME_CROWDED]++;
	f->whole = f->before.type != 0;
	f->before = *e;
	f->before_missed = f->missed || f->sweep.full;
	f->missed = f->sweep.full = false;
}

/* The time within which that share of the last frames was, SAMPLE_UNKNOWN if there was none. */
static void put_ranks(const int64_t *times, unsigned n, unsigned most, const unsigned *percent,
		      uint64_t *value, unsigned n_values)
{
	n = n < most ? n : most;
	for (unsigned i = 0; i < n_values; i++)
		value[i] = n ? (uint64_t)times[most + (n - 1) * percent[i] / 100] : SAMPLE_UNKNOWN;
}

static void put_rows(struct pass_fold *f, const struct pass_fold_app *app, uint64_t *value)
{
	static const unsigned p50 = 50, p95 = 95, own[] = {0, 50, 100};
	char text[PASS_NAME_TEXT];

	for (unsigned r = 0; r < PASS_ROWS; r++, value += ROW_SLOTS) {
		const struct pass_group *row = &f->groups[f->rows[r] ? f->rows[r] - 1 : 0];
		bool others = r == PASS_ROWS - 1;

		if (others ? !f->others : !f->rows[r])
			continue;
		memcpy(value, f->row[r], sizeof(f->row[r]));
		if (!value[ROW_COUNT]) /* whether the work of its passes is counted is unknown */
			for (unsigned w = ROW_DRAWS; w < ROW_SLOTS; w++)
				value[w] = SAMPLE_UNKNOWN;
		value[ROW_WIDTH] = others ? SAMPLE_UNKNOWN : row->width;
		value[ROW_HEIGHT] = others ? SAMPLE_UNKNOWN : row->height;
		value[ROW_KIND] = others ? SAMPLE_UNKNOWN : row->kind;
		put_ranks(f->row_times[r], f->n_row_times[r], ROWS_RANKED, &p95, &value[ROW_P95], 1);
		put_ranks(f->row_spans[r], f->n_row_spans[r], ROWS_RANKED, &p50, &value[ROW_SPAN_P50], 1);
		put_ranks(f->row_times[r], f->n_row_times[r], ROWS_RANKED, own, &value[ROW_LEAST], 3);
		if (others)
			snprintf(text, sizeof(text), "all other passes");
		else
			app->name(app->names, row->name, row->ordinal == PASS_ALIKE ? 0 : row->ordinal, text,
				  sizeof(text));
		value[ROW_NAME] = pass_fold_name(f, text);
	}
}

static void put_frames(struct pass_fold *f, const struct pass_fold_app *app, uint64_t *value)
{
	static const enum frame_slot losses[PASSES_COUNTS + 1] = {FRAME_LOST, FRAME_DISJOINT, FRAME_UNTIMED,
								  FRAME_DROPPED};

	for (unsigned i = 0; i < FRAME_SLOTS; i++)
		if (frame_slots[i].kind == SLOT_DELTA)
			value[i] = f->frame[i];
	for (unsigned i = FRAME_MISSED; i <= FRAME_OVER_300 && !f->budget_ns; i++)
		if (i == FRAME_MISSED || i >= FRAME_ON_TIME)
			value[i] = SAMPLE_UNKNOWN;
	if (f->frame[FRAME_COUNT]) {
		value[FRAME_WORST] = f->frame[FRAME_WORST];
		value[FRAME_BOUNDARY] = f->frame[FRAME_BOUNDARY];
	}
	for (unsigned i = 0; i < ARRAY_LEN(losses); i++)
		value[losses[i]] = app->losses[i];
	value[FRAME_PID] = app->pid <= UINT32_MAX ? app->pid : SAMPLE_UNKNOWN;
	value[FRAME_WRITER] = app->writer;
	value[FRAME_STAMP] = app->stamp;
	value[FRAME_NAME] = pass_fold_name(f, app->title);
	value[FRAME_DRIVER] = pass_fold_name(f, app->driver);
}

void pass_fold_records(struct pass_fold *f, int64_t end_ns, unsigned n_slots, struct sample *sample)
{
	uint64_t *more = sample->value + n_slots;
	unsigned room = sample->n_more, n = 0;

	for (unsigned i = 1; i <= f->names.n; i++) {
		if (f->names.used[i] && room - n >= RECORD_NAME_WORDS + RECORD_TEXT_WORDS)
			n += pass_record_name(i, f->names.all.text[i], more + n);
		f->names.used[i] = false;
	}
	f->records.dropped = 0;
	sample->n_more = (uint16_t)(n + pass_records_finish(&f->records, end_ns, more + n, room - n));
}

void pass_fold_sample(struct pass_fold *f, const struct pass_fold_app *app, uint64_t *value)
{
	static const unsigned percent[] = {50, 95, 99, 100};

	for (unsigned i = 0; i < PASS_FOLD_SLOTS; i++)
		value[i] = SAMPLE_UNKNOWN;
	f->frame[FRAME_UNKEPT] = f->records.dropped;
	value[FRAME_APPS] = app->apps;
	if (app->other && app->other[0]) {
		value[FRAME_OTHER] = pass_fold_name(f, app->other);
		value[FRAME_OTHER_PID] = app->other_pid <= UINT32_MAX ? app->other_pid : SAMPLE_UNKNOWN;
	}
	if (app->title) {
		put_frames(f, app, value);
		put_ranks(f->times, f->n_times, FRAMES_RANKED, percent, &value[FRAME_P50], 4);
		put_ranks(f->gpu_times, f->n_gpu_times, FRAMES_RANKED, percent, &value[FRAME_GPU_P50], 3);
		put_rows(f, app, value + FRAME_SLOTS);
	}
	clear_sample(f);
}
