#include "report/report_log.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/real.h"
#include "hot/hot_words.h"
#include "passes/pass_records.h"
#include "model/watch.h"
#include "mlog/moment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MOST 8000000u /* doubles of all steps: a log may claim any number of slots */
#define INSTANCES_MOST 4096u  /* limit of slots of a CPU source whose clusters are kept */
#define STEP_FRAMES 65536     /* limit of frames of a step, for its median */

/* ---- time ---- */

/* Return 1, 2 or 5 times a power of ten, so that steps start at round times. */
static int64_t round_step(int64_t ns)
{
	static const int64_t factors[] = {1, 2, 5};

	for (int64_t decade = 1000000; decade < SAMPLE_NS_MAX / 10; decade *= 10)
		for (size_t i = 0; i < ARRAY_LEN(factors); i++)
			if (decade * factors[i] >= ns)
				return decade * factors[i];
	return ns;
}

/* At least as long as the samples, and long enough for the memory of all steps. */
static void choose_step(struct report_log *log)
{
	int64_t length_ns = log->end_ns - log->begin_ns, least_ns = 1;
	unsigned slots = 1, most;

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct report_source *s = &log->sources[kind];

		slots += s->source ? s->n_kept : 0;
		if (s->source && (kind == SOURCE_GPU || least_ns == 1))
			least_ns = s->source->period_ns;
	}
	most = NUMBERS_MOST / slots;
	most = most < 1 ? 1 : most > REPORT_STEPS ? REPORT_STEPS : most;
	log->step_ns = (length_ns + most - 1) / most;
	log->step_ns = round_step(log->step_ns > least_ns ? log->step_ns : least_ns);
	log->n_steps = (unsigned)((length_ns + log->step_ns - 1) / log->step_ns);
	log->n_steps = log->n_steps < 1 ? 1 : log->n_steps;
}

/* Return the step in which a sample ended; it belongs there, as in `export --step`. */
static unsigned step_of(const struct report_log *log, int64_t end_ns)
{
	int64_t step = (end_ns - log->begin_ns - 1) / log->step_ns;

	return step < 0 ? 0 : step >= log->n_steps ? log->n_steps - 1 : (unsigned)step;
}

#define LONG_SHARE 1.5 /* of the median: a long frame, if there is no budget */

unsigned report_late_frames(const struct report_log *log, unsigned most, const struct frame_facts **frames)
{
	const struct frame_stats *f = log->frames;
	double limit_ms = times_at(&f->times, 0.5) * LONG_SHARE;
	unsigned n = 0;

	if (log->session.fps > 0)
		limit_ms = 1000 / log->session.fps * FRAME_LATE;
	for (unsigned i = 0; i < f->n_worst && n < most; i++)
		if (!f->worst[i].idle && f->worst[i].ms > limit_ms)
			frames[n++] = &f->worst[i];
	return n;
}

unsigned report_phase_at(const struct report_log *log, int64_t at_ns)
{
	unsigned i = log->n_phases - 1;

	while (i > 0 && log->phases[i].begin_ns > at_ns)
		i--;
	return i;
}

/* ---- marks and phases ---- */

static void find_marks(struct report_log *log)
{
	AUTO_STRBUF struct strbuf text = {0};
	int64_t at_ns = log->begin_ns - 1;

	while (mlog_reader_find(log->reader, at_ns, false, MLOG_MARK, &at_ns, &text) &&
	       at_ns <= log->end_ns) {
		if (strncmp(text.n ? text.p : "", JUDGE_NEWS, strlen(JUDGE_NEWS)) == 0) {
			; /* marks of the recorder; the band of verdicts has them */
		} else if (log->n_marks < REPORT_MARKS) {
			struct report_mark *mark = &log->marks[log->n_marks++];

			mark->at_ns = at_ns;
			snprintf(mark->text, sizeof(mark->text), "%s", text.n ? text.p : "mark");
		} else if (++log->n_more_marks == 10 * REPORT_MARKS) {
			break;
		}
		strbuf_clear(&text);
	}
}

static void set_phase(struct report_phase *phase, const char *name, int64_t begin_ns, int64_t end_ns)
{
	*phase = (struct report_phase){
		.begin_ns = begin_ns, .end_ns = end_ns, .frames = xcalloc(1, sizeof(*phase->frames))};
	snprintf(phase->name, sizeof(phase->name), "%s", name);
}

/* Without marks the log is one phase. The last phase includes all marks that have no column. */
static void make_phases(struct report_log *log)
{
	struct report_phase *first = &log->phases[0], *last = first;

	set_phase(first, log->n_marks ? "start" : "whole log", log->begin_ns, log->end_ns);
	log->n_phases = 1;
	for (unsigned i = 0; i < log->n_marks && log->n_phases < REPORT_PHASES; i++) {
		const struct report_mark *mark = &log->marks[i];

		if (mark->at_ns <= log->begin_ns + log->step_ns && log->n_phases == 1) {
			snprintf(first->name, sizeof(first->name), "%s", mark->text);
		} else if (mark->at_ns > last->begin_ns) {
			last->end_ns = mark->at_ns;
			last = &log->phases[log->n_phases++];
			set_phase(last, mark->text, mark->at_ns, log->end_ns);
		}
	}
	set_phase(last + 1, "whole log", log->begin_ns, log->end_ns);
	log->frames = last[1].frames;
}

/* ---- samples ---- */

static void fold_into(struct column **to, const struct report_source *s)
{
	if (!*to)
		*to = column_new(s->n_kept);
	column_fold(*to, s->one, s->source->set->slots, s->n_kept);
}

static void take_sample(struct report_log *log, struct report_source *s, const struct sample *sample)
{
	unsigned n = sample->n_values < s->n_kept ? sample->n_values : s->n_kept;

	s->n_samples++;
	s->n_lost += sample->lost + sample_missed(sample, s->seq);
	sample_failures_add(&s->failures, sample->flags, sample->end_ns);
	s->seq = sample->seq;
	for (unsigned i = n; i < s->n_kept; i++)
		s->one->value[i] = NAN;
	column_from_sample(s->one, sample, s->source->set->slots, n);
	fold_into(&s->steps[step_of(log, sample->end_ns)], s);
	fold_into(&s->phases[report_phase_at(log, sample->end_ns - 1)], s);
	fold_into(&s->phases[log->n_phases], s);
}

/* ---- frames ---- */

struct step_frames {
	float ms[STEP_FRAMES];
	unsigned n, step;
	struct pass_table table; /* of the newest sample, for the names of rows */
	struct frame_window window;
};

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void end_step(struct report_log *log, struct step_frames *step)
{
	if (!step->n)
		return;
	qsort(step->ms, step->n, sizeof(step->ms[0]), compare_floats);
	log->median_ms[step->step] = (double)step->ms[step->n / 2];
	step->n = 0;
}

static void add_frame(struct report_log *log, struct step_frames *step, const struct pass_record *record)
{
	double budget_ms = log->session.fps > 0 ? 1000 / log->session.fps : 0;
	unsigned first = step_of(log, record->begin_ns), at = step_of(log, record->end_ns);
	struct frame_facts frame;

	frame_facts_read(&frame, record, &step->table, &step->window);
	frame_stats_add(log->frames, &frame, budget_ms);
	frame_stats_add(log->phases[report_phase_at(log, record->end_ns - 1)].frames, &frame, budget_ms);
	for (unsigned i = first; i <= at; i++)
		if (!(log->longest_ms[i] >= frame.ms))
			log->longest_ms[i] = frame.ms;
	if (at != step->step)
		end_step(log, step);
	step->step = at;
	if (step->n < STEP_FRAMES)
		step->ms[step->n++] = (float)frame.ms;
}

static void take_frames(struct report_log *log, struct step_frames *step, const struct report_source *s,
			const struct sample *sample)
{
	struct pass_record record;
	unsigned at = 0;

	if (!sample->n_more)
		return;
	pass_names_take(&log->names, sample);
	metric_vector(s->source->set, s->one, s->vector);
	pass_table_read(&step->table, s->source->set, s->vector, &log->names);
	while (pass_records_next(sample, &at, &record))
		if (record.kind == RECORD_FRAME)
			add_frame(log, step, &record);
}

/* ---- processes ---- */

/* Find or add a process. A list mostly has the processes of the list before, in the same order, so
 * start at *at. */
static struct report_process *person_of(struct report_log *log, const struct process *p, unsigned *at)
{
	struct report_process *process;

	for (unsigned n = log->n_processes; n-- > 0; ++*at) {
		*at = *at < log->n_processes ? *at : 0;
		if (log->processes[*at].pid == p->pid && log->processes[*at].start == p->start)
			return &log->processes[(*at)++];
	}
	if (log->n_processes == REPORT_PROCESSES)
		return NULL;
	GROW(log->processes, log->n_processes, log->cap_processes);
	process = &log->processes[log->n_processes++];
	*process = (struct report_process){.pid = p->pid, .start = p->start, .gpu_s = NAN, .gpu_bytes = NAN};
	return process;
}

static void take_processes(struct report_log *log)
{
	const struct process_list *list = mlog_reader_processes(log->reader);
	unsigned at = 0;
	double seconds;

	if (!list || list->end_ns == log->processes_ns)
		return;
	log->processes_ns = list->end_ns;
	watch_processes(log->watch, list);
	seconds = list->begin_ns ? (double)(list->end_ns - list->begin_ns) * 1e-9 : 0;
	for (unsigned i = 0; i < list->n; i++) {
		const struct process *p = &list->processes[i];
		struct report_process *process = p->is_thread ? NULL : person_of(log, p, &at);

		if (!process)
			continue;
		snprintf(process->name, sizeof(process->name), "%s", p->name);
		real_add(&process->cpu_s, (double)p->cpu_percent / 100 * seconds);
		real_add(&process->gpu_s, (double)p->gpu_percent / 100 * seconds);
		if (p->rss_bytes != SAMPLE_UNKNOWN && (double)p->rss_bytes > process->rss)
			process->rss = (double)p->rss_bytes;
		if (p->gpu_bytes != SAMPLE_UNKNOWN && !((double)p->gpu_bytes < process->gpu_bytes))
			process->gpu_bytes = (double)p->gpu_bytes;
		process->rated_s += seconds;
	}
}

/* ---- the whole log ---- */

static bool open_sources(struct report_log *log, struct err *err)
{
	bool any = false;

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		struct report_source *s = &log->sources[kind];

		s->source = session_shown(&log->session, kind);
		if (!s->source)
			continue;
		any = true;
		log->sets[kind] = s->source->set;
		s->n_kept = kind == SOURCE_CPU && s->source->n_slots < INSTANCES_MOST ? s->source->n_slots
										      : s->source->n_sums;
		s->one = column_new(s->source->n_slots);
		s->vector = xcalloc(s->source->set->n_vector, sizeof(*s->vector));
		s->scratch = xcalloc(s->source->set->n_vector, sizeof(*s->scratch));
	}
	return any || err_set(err, 0, "%s: the log has no sources", log->name);
}

static void take_block(struct report_log *log, struct step_frames *step, const struct mlog_block *block)
{
	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *sample = block->samples[i];

		if (sample->end_ns <= log->begin_ns || sample->end_ns > log->end_ns)
			continue;
		for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
			struct report_source *s = &log->sources[kind];

			if (!s->source || s->source->index != sample->source)
				continue;
			take_sample(log, s, sample);
			if (kind == SOURCE_PASSES)
				take_frames(log, step, s, sample);
			if (kind == SOURCE_HOT)
				hot_words_add(&log->hot, sample);
		}
		watch_sample(log->watch, sample);
		report_log_judge(log);
	}
}

static void report_missing(struct report_log *log)
{
	char why[SAMPLE_FAILURES_TEXT];
	struct mlog_state state;

	mlog_reader_state(log->reader, &state);
	mlog_reader_complain(log->reader, &log->missing);
	log->damaged = state.damaged != 0;
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct report_source *s = &log->sources[kind];
		uint64_t n_failed = sample_failures_all(&s->failures);

		sample_failures_format(&s->failures, why, sizeof(why));
		if (s->n_lost || n_failed)
			strbuf_printf(&log->missing, "%s%s: %llu sample%s %s lost, %llu failed%s%s",
				      log->missing.n ? "; " : "", s->source->title,
				      (unsigned long long)s->n_lost, plural_ending(s->n_lost),
				      was_or_were(s->n_lost), (unsigned long long)n_failed,
				      n_failed ? ": " : "", why);
	}
	if (log->n_spans == REPORT_SPANS)
		strbuf_printf(&log->missing, "%sonly the first %d changes of verdicts and findings are drawn",
			      log->missing.n ? "; " : "", REPORT_SPANS);
	if (log->n_more_marks)
		strbuf_printf(&log->missing, "%s%u%s more mark%s %s not drawn", log->missing.n ? "; " : "",
			      log->n_more_marks, log->n_more_marks == 10 * REPORT_MARKS ? " or" : "",
			      plural_ending(log->n_more_marks), log->n_more_marks == 1 ? "is" : "are");
}

static bool read_blocks(struct report_log *log, struct err *err)
{
	AUTOFREE struct step_frames *step = xcalloc(1, sizeof(*step));
	const struct mlog_block *block;

	for (unsigned i = 0; i < REPORT_STEPS; i++)
		log->longest_ms[i] = log->median_ms[i] = NAN;
	err->code = 0;
	mlog_reader_seek(log->reader, log->begin_ns);
	while ((block = mlog_reader_next(log->reader, err)) && block->begin_ns <= log->end_ns) {
		take_processes(log);
		take_block(log, step, block);
	}
	end_step(log, step);
	for (unsigned i = 0; i < log->n_steps; i++)
		if (isnan(log->median_ms[i])) /* one long frame covers the whole step */
			log->median_ms[i] = log->longest_ms[i];
	hot_table_make(&log->functions, &log->hot, &(struct hot_scope){0});
	report_log_judged(log);
	report_missing(log);
	return block || !err->code;
}

static bool open_log(struct report_log *log, const struct sys *sys, const struct options *o, struct err *err)
{
	struct mlog_state state;

	log->input = (struct mlog_input){.ctx = log->file, .read = file_read_at, .size = file_size};
	log->reader = mlog_reader_new(&log->input, log->name, err);
	if (!log->reader ||
	    !session_open_log(&log->session, sys, o, mlog_reader_about(log->reader), NULL, err))
		return false;
	log->watch = session_watch(&log->session);
	mlog_reader_state(log->reader, &state);
	if (!moment_check_from(o->from_ns, state.end_ns - state.begin_ns, err))
		return false;
	log->begin_ns = state.begin_ns + o->from_ns;
	log->end_ns = o->to_ns && state.begin_ns + o->to_ns < state.end_ns ? state.begin_ns + o->to_ns
									   : state.end_ns;
	if (log->end_ns <= log->begin_ns)
		return err_set(err, 0, "%s: the log has no samples yet", log->name);
	return open_sources(log, err);
}

bool report_log_read(struct report_log *log, const struct sys *sys, const struct options *options,
		     const char *path, struct err *err)
{
	struct file *file = file_open(path, err);

	return file && report_log_read_file(log, sys, options, file, path, err);
}

bool report_log_read_file(struct report_log *log, const struct sys *sys, const struct options *options,
			  struct file *file, const char *name, struct err *err)
{
	bool ok;

	*log = (struct report_log){.file = file};
	str_printable(log->name, sizeof(log->name), name);
	ok = open_log(log, sys, options, err);
	if (ok) {
		choose_step(log);
		find_marks(log);
		make_phases(log);
		ok = read_blocks(log, err);
	}
	if (!ok)
		report_log_fini(log);
	return ok;
}

void report_log_fini(struct report_log *log)
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		struct report_source *s = &log->sources[kind];

		for (unsigned i = 0; i < REPORT_STEPS; i++)
			free(s->steps[i]);
		for (unsigned i = 0; i <= REPORT_PHASES; i++)
			free(s->phases[i]);
		free(s->one);
		free(s->vector);
		free(s->scratch);
	}
	for (unsigned i = 0; i <= REPORT_PHASES; i++)
		free(log->phases[i].frames);
	free(log->spans);
	free(log->processes);
	hot_table_fini(&log->functions);
	hot_profile_fini(&log->hot);
	strbuf_fini(&log->missing);
	watch_free(log->watch);
	if (log->session.db)
		session_close(&log->session);
	mlog_reader_free(log->reader);
	file_close(log->file);
	*log = (struct report_log){0};
}
