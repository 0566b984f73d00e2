#include "passes/frame_stats.h"

#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUB_BITS 7 /* bins of an octave: 1 << SUB_BITS */

/* Times below 2 << SUB_BITS us have bins of 1 us. */
static unsigned bin_of(double ms)
{
	uint64_t us = ms >= RECORD_US_MOST * 1e-3 ? RECORD_US_MOST : (uint64_t)(ms * 1e3);
	unsigned shift = us >> SUB_BITS ? 63 - (unsigned)__builtin_clzll(us) - SUB_BITS : 0;

	return (shift << SUB_BITS) + (unsigned)(us >> shift);
}

/* The time at which a bin begins. */
static double bin_begin(unsigned bin)
{
	unsigned shift = bin >> SUB_BITS ? (bin >> SUB_BITS) - 1 : 0;

	return (double)((uint64_t)(bin - (shift << SUB_BITS)) << shift) * 1e-3;
}

static double bin_middle(const struct frame_times *t, unsigned bin)
{
	return real_min((bin_begin(bin) + bin_begin(bin + 1)) / 2, t->most_ms);
}

void times_add(struct frame_times *t, double ms)
{
	if (!(ms >= 0))
		return;
	t->n++;
	t->sum_ms += ms;
	t->most_ms = real_max(t->most_ms, ms);
	t->bins[bin_of(ms)]++;
}

double times_at(const struct frame_times *t, double share)
{
	double wanted = share * (double)t->n, sum = 0;

	for (unsigned i = 0; i < ARRAY_LEN(t->bins) && t->n; i++) {
		sum += t->bins[i];
		if (sum >= wanted && t->bins[i])
			return sum >= (double)t->n && t->bins[i] == 1 ? t->most_ms : bin_middle(t, i);
	}
	return NAN;
}

double times_low(const struct frame_times *t, double share)
{
	double wanted = floor(share * (double)t->n), left = wanted, ms = 0;

	for (unsigned i = ARRAY_LEN(t->bins); i-- > 0 && left > 0;) {
		double n = real_min(t->bins[i], left);

		ms += n * (i == bin_of(t->most_ms) && t->bins[i] == 1 ? t->most_ms : bin_middle(t, i));
		left -= n;
	}
	return wanted >= 1 ? 1000 * wanted / ms : (double)NAN;
}

/* A bin counts where its middle is, so that adjacent ranges have no frame in common. */
double times_between(const struct frame_times *t, double from_ms, double to_ms)
{
	double sum = 0;

	for (unsigned i = 0; i < ARRAY_LEN(t->bins); i++) {
		double middle = (bin_begin(i) + bin_begin(i + 1)) / 2;

		sum += middle >= from_ms && middle < to_ms ? t->bins[i] : 0;
	}
	return t->n ? sum / (double)t->n * 100 : (double)NAN;
}

static const struct pass_line *line_of(const struct pass_table *table, unsigned row)
{
	for (unsigned i = 0; i < table->n; i++)
		if (table->lines[i].row == row)
			return &table->lines[i];
	return NULL;
}

/* Add the passes of a frame. Returns their sum, NaN without any. */
static double add_window(struct frame_window *w, const struct pass_record *frame)
{
	struct frame_span passes[FRAME_SPANS];
	unsigned n = pass_record_passes(frame, passes);
	double sum_ms = NAN;

	for (const struct frame_span *pass = passes; pass < passes + n; pass++) {
		sum_ms = (isnan(sum_ms) ? 0 : sum_ms) + pass->end_ms - pass->begin_ms;
		w->spans[w->n++ % ARRAY_LEN(w->spans)] =
			(struct window_span){pass->row, frame->begin_ns + (int64_t)(pass->begin_ms * 1e6),
					     frame->begin_ns + (int64_t)(pass->end_ms * 1e6)};
	}
	return sum_ms;
}

/* Return the row that ran longest in that time, 0 for none. */
static unsigned longest_row(const struct frame_window *w, int64_t begin_ns, int64_t end_ns, double *ms)
{
	double rows[PASS_TABLE_ROWS + 1] = {0};
	unsigned longest = 0;

	for (unsigned i = 0; i < w->n && i < ARRAY_LEN(w->spans); i++) {
		const struct window_span *s = &w->spans[i];
		int64_t from = s->begin_ns > begin_ns ? s->begin_ns : begin_ns,
			to = s->end_ns < end_ns ? s->end_ns : end_ns;

		rows[s->row] += to > from ? (double)(to - from) * 1e-6 : 0;
		longest = rows[s->row] > rows[longest] ? s->row : longest;
	}
	*ms = longest ? rows[longest] : (double)NAN;
	return longest;
}

void frame_facts_read(struct frame_facts *f, const struct pass_record *frame, const struct pass_table *table,
		      struct frame_window *window)
{
	double sum = add_window(window, frame), pass_ms;
	unsigned longest = longest_row(window, frame->begin_ns, frame->end_ns, &pass_ms);
	const struct pass_line *line = longest ? line_of(table, longest) : NULL;

	*f = (struct frame_facts){.number = frame->number,
				  .ms = (double)(frame->end_ns - frame->begin_ns) * 1e-6,
				  .cpu_ms = frame->cpu_ms,
				  .gpu_ms = frame->old ? sum : frame->gpu_ms,
				  .present_ms = frame->present_ms,
				  .wait_ms = frame->wait_ms,
				  .pass_ms = pass_ms,
				  .pass_over_ms = line ? pass_ms - line->span_p50_ms : (double)NAN,
				  .begin_ns = frame->begin_ns,
				  .end_ns = frame->end_ns};
	snprintf(f->pass, sizeof(f->pass), "%s", line ? line->name : "");
}

static bool is_worse(const struct frame_facts *a, const struct frame_facts *b)
{
	return a->idle == b->idle ? a->ms > b->ms : b->idle;
}

static void keep_worst(struct frame_stats *s, const struct frame_facts *frame)
{
	unsigned at = s->n_worst;

	if (at == WORST_FRAMES && !is_worse(frame, &s->worst[--at]))
		return;
	s->n_worst = at + 1;
	for (; at > 0 && is_worse(frame, &s->worst[at - 1]); at--)
		s->worst[at] = s->worst[at - 1];
	s->worst[at] = *frame;
}

#define REST_MS 50           /* a shorter frame is no still screen */
#define REST_SHARE (1.0 / 3) /* of work, see frame.work_share; the rest may be waits */

bool frame_rests(double ms, double cpu_ms, double gpu_ms)
{
	return ms >= REST_MS && cpu_ms + (isnan(gpu_ms) ? 0 : gpu_ms) < ms * REST_SHARE;
}

static bool facts_rest(const struct frame_facts *f)
{
	return frame_rests(f->ms, f->cpu_ms, f->gpu_ms);
}

/* A frame that turned out to be idle moves behind those that are not. */
static void demote_worst(struct frame_stats *s, struct frame_facts *frame)
{
	frame->idle = true;
	for (unsigned i = 0; i < s->n_worst; i++)
		if (s->worst[i].end_ns == frame->end_ns && s->worst[i].number == frame->number) {
			s->n_worst--;
			memmove(&s->worst[i], &s->worst[i + 1], (s->n_worst - i) * sizeof(*s->worst));
			keep_worst(s, frame);
			return;
		}
}

/* One frame that rests may be blocked, and is a hitch. Where several do so one after the other,
 * nothing is to be shown. */
void frame_stats_add(struct frame_stats *s, const struct frame_facts *frame, double budget_ms)
{
	struct frame_facts f = *frame;

	if (!(f.ms >= 0))
		return;
	f.idle = facts_rest(&f) && s->times.n && facts_rest(&s->before);
	if (f.idle && !s->before.idle) {
		s->late -= frame_is_late(&s->before, budget_ms);
		demote_worst(s, &s->before);
	}
	times_add(&s->times, f.ms);
	times_add(&s->cpu, f.cpu_ms);
	times_add(&s->gpu, f.gpu_ms);
	times_add(&s->waits, f.present_ms + f.wait_ms);
	s->late += frame_is_late(&f, budget_ms);
	keep_worst(s, &f);
	s->before = f;
}

#define CAUSE_SHARE 0.2 /* of the largest part; smaller ones are not named */

/* An application that waits for the GPU waits for a pass, which is the cause then. */
const char *frame_cause(const struct frame_stats *s, const struct frame_facts *f, char text[FRAME_CAUSE_TEXT])
{
	double gpu_ms = f->gpu_ms - times_at(&s->gpu, 0.5), pass_ms = f->pass_over_ms;
	double cpu_ms = f->cpu_ms - times_at(&s->cpu, 0.5);
	double wait_ms = f->present_ms + f->wait_ms - times_at(&s->waits, 0.5);
	double rest_ms = f->ms - times_at(&s->times, 0.5) - real_max(cpu_ms, 0) - real_max(wait_ms, 0);
	bool is_pass = !(2 * pass_ms < gpu_ms);
	struct {
		const char *name;
		double over_ms;
	} parts[] = {
		{f->pass, is_pass ? pass_ms : (double)NAN},
		{"GPU, all passes", is_pass ? (double)NAN : gpu_ms},
		{"CPU work", cpu_ms},
		{"waits, present", wait_ms - real_max(real_max(gpu_ms, pass_ms), 0)},
		{"blocked or asleep", cpu_ms + wait_ms + rest_ms > 1 ? rest_ms : (double)NAN},
	};
	double first_ms = 0;

	snprintf(text, FRAME_CAUSE_TEXT, "%s", f->idle ? "idle" : "");
	for (unsigned n = 0; n < ARRAY_LEN(parts) && !f->idle; n++) {
		size_t largest = 0, length = strlen(text);

		for (size_t i = 1; i < ARRAY_LEN(parts); i++)
			if (!(parts[largest].over_ms >= parts[i].over_ms) && !isnan(parts[i].over_ms))
				largest = i;
		if (!(parts[largest].over_ms > 0) || parts[largest].over_ms < first_ms * CAUSE_SHARE)
			break;
		if (n == 1)
			length += (size_t)snprintf(text + length, FRAME_CAUSE_TEXT - length, " +%.1f",
						   first_ms);
		snprintf(text + length, FRAME_CAUSE_TEXT - length, n ? "; %s +%.1f" : "%s",
			 parts[largest].name, parts[largest].over_ms);
		first_ms = n ? first_ms : parts[largest].over_ms;
		parts[largest].over_ms = NAN;
	}
	return text;
}

void pass_names_take(struct pass_names *names, const struct sample *sample)
{
	struct pass_record record;
	unsigned at = 0;

	while (pass_records_next(sample, &at, &record))
		if (record.kind == RECORD_NAME)
			memcpy(names->text[record.row], record.name, sizeof(record.name));
}

void pass_table_sample(struct pass_table *table, const struct metric_set *set, const struct sample *sample,
		       const struct pass_names *names)
{
	AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));
	AUTOFREE struct column *column = column_new(set->n_slots);

	column_from_sample(column, sample, set->slots,
			   sample->n_values < set->n_slots ? sample->n_values : set->n_slots);
	metric_vector(set, column, vector);
	pass_table_read(table, set, vector, names);
}

/* Only frames that are kept need the names of their rows. */
void pass_run_take(struct pass_run *run, const struct metric_set *set, const struct sample *sample,
		   double budget_ms)
{
	struct frame_stats *s = &run->stats;
	struct pass_record record;
	struct frame_facts facts;
	bool has_table = false;
	unsigned at = 0;

	if (!sample->n_more)
		return;
	pass_names_take(&run->names, sample);
	while (pass_records_next(sample, &at, &record)) {
		if (record.kind != RECORD_FRAME)
			continue;
		if (set && !has_table &&
		    (s->n_worst < WORST_FRAMES || s->worst[WORST_FRAMES - 1].idle ||
		     (double)(record.end_ns - record.begin_ns) > s->worst[WORST_FRAMES - 1].ms * 1e6)) {
			pass_table_sample(&run->table, set, sample, &run->names);
			has_table = true;
		}
		frame_facts_read(&facts, &record, &run->table, &run->window);
		facts.seen_ns = sample->end_ns;
		frame_stats_add(s, &facts, budget_ms);
	}
}

/* ---- late frames ---- */

#define SLOWEST 0.95 /* of all frames, if most are over the budget */

void late_frames_fini(struct late_frames *late)
{
	free(late->begin_ns);
	free(late->end_ns);
	*late = (struct late_frames){0};
}

void late_frames_add(struct late_frames *late, const struct sample *sample, int64_t from_ns, int64_t to_ns)
{
	struct pass_record frame;
	unsigned at = 0;

	while (pass_records_next(sample, &at, &frame)) {
		int64_t before_ns = late->n ? late->end_ns[late->n - 1] : INT64_MIN;

		if (frame.kind != RECORD_FRAME || frame.end_ns <= from_ns || frame.end_ns > to_ns ||
		    frame.begin_ns < before_ns || frame.end_ns <= frame.begin_ns)
			continue;
		GROW(late->begin_ns, late->n, late->cap_begin);
		GROW(late->end_ns, late->n, late->cap_end);
		late->begin_ns[late->n] = frame.begin_ns;
		late->end_ns[late->n++] = frame.end_ns;
	}
}

static double span_ms(const struct late_frames *late, unsigned i)
{
	return (double)(late->end_ns[i] - late->begin_ns[i]) * 1e-6;
}

double late_frames_keep(struct late_frames *late, double budget_ms)
{
	AUTOFREE struct frame_times *times = xcalloc(1, sizeof(*times));
	double limit_ms = budget_ms > 0 ? budget_ms * FRAME_LATE : (double)INFINITY, seconds = 0;
	unsigned over = 0, kept = 0;

	for (unsigned i = 0; i < late->n; i++) {
		times_add(times, span_ms(late, i));
		over += span_ms(late, i) > limit_ms;
	}
	if (over * 2 > late->n)
		limit_ms = times_at(times, SLOWEST);
	for (unsigned i = 0; i < late->n; i++) {
		if (!(span_ms(late, i) > limit_ms))
			continue;
		seconds += span_ms(late, i) * 1e-3;
		late->begin_ns[kept] = late->begin_ns[i];
		late->end_ns[kept++] = late->end_ns[i];
	}
	late->n = kept;
	return seconds;
}
