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
}

static bool is_row_of(const struct pass_row *row, const struct passes_event *e)
{
	return row->used && row->name == e->name && row->ordinal == e->ordinal && row->queue == e->queue &&
	       row->kind == e->kind;
}

static unsigned find_row(struct pass_fold *f, const struct passes_event *e, int64_t now_ns)
{
	unsigned best = PASS_ROWS - 1;

	for (unsigned r = PASS_ROWS - 1; r-- > 0;) {
		struct pass_row *row = &f->rows[r];

		if (is_row_of(row, e)) {
			best = r;
			break;
		}
		if (!row->used || now_ns - row->seen_ns > PASS_AWAY_NS)
			best = r;
	}
	if (!is_row_of(&f->rows[best], e) && best < PASS_ROWS - 1)
		f->n_row_times[best] = f->n_row_spans[best] = 0; /* another pass takes it over */
	f->rows[best] = (struct pass_row){.used = true,
					  .kind = e->kind,
					  .queue = e->queue,
					  .name = e->name,
					  .ordinal = e->ordinal,
					  .width = e->width,
					  .height = e->height,
					  .seen_ns = now_ns};
	return best;
}

static void take_pass(struct pass_fold *f, const struct passes_event *e, int64_t now_ns)
{
	unsigned row = f->before.type ? find_row(f, e, now_ns) : PASS_ROWS - 1;

	struct sweep_span span = {.begin_ns = e->begin_ns,
				  .end_ns = e->end_ns,
				  .frame = e->frame,
				  .work = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
				  .row = (uint16_t)row};

	if (e->flags & PASSES_COUNTED) {
		span.work[0] = e->draws == PASSES_COUNT_UNKNOWN ? SAMPLE_UNKNOWN : e->draws;
		span.work[1] = e->dispatches == PASSES_COUNT_UNKNOWN ? SAMPLE_UNKNOWN : e->dispatches;
		span.work[2] = e->vertices;
	}
	sweep_add(&f->sweep, &span);
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

static void keep_passes(struct pass_fold *f, const struct passes_event *one, uint64_t *word)
{
	for (unsigned i = 0; i < f->sweep.n; i++) {
		const struct sweep_span *s = &f->sweep.spans[i];
		int64_t begin_ns = s->begin_ns > one->begin_ns ? s->begin_ns : one->begin_ns;

		if (s->frame != one->frame || s->end_ns <= one->begin_ns)
			continue;
		*word++ = pass_record_row(s->row + 1u, f->rows[s->row].queue);
		*word++ = pass_record_us(begin_ns - one->begin_ns);
		*word++ = pass_record_us(s->end_ns - begin_ns);
	}
}

/* Keep a frame with all its passes, in the order in which they came; without room for them alone.
 * busy_ns: its GPU time, or -1. */
static void keep_records(struct pass_fold *f, const struct passes_event *one, int64_t busy_ns)
{
	unsigned n = 0;
	uint64_t *word;

	for (unsigned i = 0; i < f->sweep.n; i++)
		n += f->sweep.spans[i].frame == one->frame && f->sweep.spans[i].end_ns > one->begin_ns;
	word = pass_records_add(&f->records, RECORD_FRAME_WORDS + n * RECORD_PASS_WORDS);
	if (!word && n) {
		n = 0;
		word = pass_records_add(&f->records, RECORD_FRAME_WORDS);
		f->records.dropped -= !word;
	}
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
	if (n)
		keep_passes(f, one, word);
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
static void add_rows(struct pass_fold *f, uint64_t rows[PASS_ROWS][ROW_SLOTS])
{
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

static void sweep_before(struct pass_fold *f)
{
	uint64_t rows[PASS_ROWS][ROW_SLOTS];
	int64_t busy_ns;

	memset(rows, 0, sizeof(rows));
	busy_ns = sweep_frame(&f->sweep, f->before.frame, rows);
	if (!f->whole || f->before.flags & PASSES_NO_TIMESTAMPS || (busy_ns < 0 && f->before.passes))
		busy_ns = -1; /* unknown: its passes gave no times */
	else
		busy_ns = busy_ns > 0 ? busy_ns : 0;
	if (f->before.frame > 0)
		keep_records(f, &f->before, busy_ns);
	if (f->whole)
		add_rows(f, rows);
	if (busy_ns < 0)
		return;
	f->frame[FRAME_TIMED]++;
	f->frame[FRAME_GPU] += (uint64_t)busy_ns;
	rank_time(f->gpu_times, &f->n_gpu_times, FRAMES_RANKED, busy_ns);
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
	sweep_before(f);
	f->before.type = 0;
	f->whole = false;
}

/* The first frame of a device began when that was created: its time means nothing. The passes of a
 * frame are complete when the next frame ends, because they may overlap with it. */
void pass_fold_event(struct pass_fold *f, const struct passes_event *e, int64_t now_ns)
{
	if (e->type == PASSES_PASS)
		take_pass(f, e, now_ns);
	if (e->type != PASSES_FRAME)
		return;
	if (e->frame > 0)
		take_frame(f, e);
	else
		f->frame[FRAME_OMITTED]++;
	if (f->before.type)
		sweep_before(f);
	f->whole = f->before.type != 0;
	f->before = *e;
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
		const struct pass_row *row = &f->rows[r];

		if (!row->used)
			continue;
		memcpy(value, f->row[r], sizeof(f->row[r]));
		if (!value[ROW_COUNT]) /* whether the work of its passes is counted is unknown */
			for (unsigned w = ROW_DRAWS; w < ROW_SLOTS; w++)
				value[w] = SAMPLE_UNKNOWN;
		value[ROW_WIDTH] = row->width;
		value[ROW_HEIGHT] = row->height;
		value[ROW_KIND] = row->kind;
		put_ranks(f->row_times[r], f->n_row_times[r], ROWS_RANKED, &p95, &value[ROW_P95], 1);
		put_ranks(f->row_spans[r], f->n_row_spans[r], ROWS_RANKED, &p50, &value[ROW_SPAN_P50], 1);
		put_ranks(f->row_times[r], f->n_row_times[r], ROWS_RANKED, own, &value[ROW_LEAST], 3);
		if (r == PASS_ROWS - 1)
			snprintf(text, sizeof(text), "all other passes");
		else
			app->name(app->names, row->name, row->ordinal, text, sizeof(text));
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
