/* Verdicts and findings over time, and the values of metrics. */
#include "report/report_log.h"

#include "base/alloc.h"
#include "model/watch.h"

#include <math.h>
#include <string.h>

const struct judge *report_judge(const struct report_log *log)
{
	return watch_judge(log->watch);
}

/* ---- verdicts and findings that hold ---- */

static struct report_held *open_span(struct report_log *log, const struct judged *what, bool is_verdict)
{
	for (unsigned i = log->n_spans; i-- > 0;)
		if (log->spans[i].is_verdict == is_verdict && (is_verdict || log->spans[i].what == what))
			return log->spans[i].end_ns ? NULL : &log->spans[i];
	return NULL;
}

static void begin_span(struct report_log *log, const struct judged *what, bool is_verdict, int64_t begin_ns)
{
	if (log->n_spans == REPORT_SPANS)
		return;
	GROW(log->spans, log->n_spans, log->cap_spans);
	log->spans[log->n_spans++] =
		(struct report_held){.what = what,
				     .is_verdict = is_verdict,
				     .begin_ns = begin_ns > log->begin_ns ? begin_ns : log->begin_ns};
}

void report_log_judge(struct report_log *log)
{
	const struct judge *judge = report_judge(log);
	struct report_held *span;

	if (judge->end_ns == log->judged_ns)
		return;
	log->judged_ns = judge->end_ns;
	span = open_span(log, NULL, true);
	if (judge->verdict.since_ns && !(span && span->what == judge->verdict.why)) {
		if (span)
			span->end_ns = judge->verdict.since_ns;
		begin_span(log, judge->verdict.why, true, judge->verdict.since_ns);
	}
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];

		span = f->begun_ns ? open_span(log, f, false) : NULL;
		if (f->holds && !span)
			begin_span(log, f, false, f->begun_ns);
		else if (!f->holds && span)
			span->end_ns = f->since_ns;
	}
}

static double held_s(const struct report_log *log, const struct judged *what, int64_t begin_ns,
		     int64_t end_ns)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < log->n_spans; i++) {
		const struct report_held *h = &log->spans[i];
		int64_t from = h->begin_ns > begin_ns ? h->begin_ns : begin_ns;
		int64_t to = h->end_ns < end_ns ? h->end_ns : end_ns;

		if (h->what == what && to > from)
			sum += to - from;
	}
	return (double)sum * 1e-9;
}

double report_held_s(const struct report_log *log, const struct judged *what, unsigned phase)
{
	return held_s(log, what, log->phases[phase].begin_ns, log->phases[phase].end_ns);
}

const struct judged *report_verdict(const struct report_log *log, int64_t begin_ns, int64_t end_ns)
{
	const struct judge *judge = report_judge(log);
	const struct judged *longest = NULL;
	double most = 0;

	for (unsigned i = 0; i < judge->n_verdicts; i++) {
		double one_s = held_s(log, &judge->verdicts[i], begin_ns, end_ns);

		if (one_s > most) {
			most = one_s;
			longest = &judge->verdicts[i];
		}
	}
	return longest;
}

const char *report_verdict_title(const struct judged *verdict)
{
	return verdict ? verdict->def->title : "Not clear";
}

void report_log_judged(struct report_log *log)
{
	watch_finish(log->watch);
	log->judged_ns = 0;
	report_log_judge(log);
	for (unsigned i = 0; i < log->n_spans; i++)
		if (!log->spans[i].end_ns)
			log->spans[i].end_ns = log->end_ns;
	for (unsigned i = 0; i < log->n_steps; i++) {
		int64_t from_ns = log->begin_ns + i * log->step_ns;

		log->verdicts[i] = report_verdict(log, from_ns, from_ns + log->step_ns);
	}
}

/* ---- values ---- */

struct report_span report_step(const struct report_log *log, unsigned step)
{
	int64_t end_ns = log->begin_ns + ((int64_t)step + 1) * log->step_ns;
	struct report_span span = {0};

	/* use the first column at or after the step, if it covers the step */
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		struct column *const *steps = log->sources[kind].steps;
		unsigned i = step;

		while (i < log->n_steps && !steps[i])
			i++;
		if (i == step || (i < log->n_steps && steps[i]->begin_ns < end_ns))
			span.of[kind] = steps[i];
	}
	return span;
}

struct report_span report_phase_span(const struct report_log *log, unsigned phase)
{
	struct report_span span = {0};

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		span.of[kind] = log->sources[kind].phases[phase];
	return span;
}

struct report_span report_all(const struct report_log *log)
{
	return report_phase_span(log, log->n_phases);
}

/* Fill the vector from a column, which has the kept slots only. */
static void fill_vector(const struct report_log *log, enum source_kind kind, const struct report_span *span)
{
	const struct report_source *s = &log->sources[kind];
	struct metric_frames frames = METRIC_FRAMES_UNKNOWN;
	const struct column *column = span->of[kind];

	memcpy(s->vector, s->source->set->constants, sizeof(s->source->set->constants));
	s->vector[VECTOR_SECONDS] = column->time_ns ? (double)column->time_ns * 1e-9 : NAN;
	memcpy(s->vector + VECTOR_CONSTANTS, column->value, s->n_kept * sizeof(*s->vector));
	for (unsigned i = VECTOR_CONSTANTS + s->n_kept; i < s->source->set->n_vector; i++)
		s->vector[i] = NAN;
	for (enum source_kind other = 0; other < SOURCE_MIX; other++)
		if (log->sources[other].source && span->of[other])
			metric_frames_add(&frames, log->sources[other].source->set, span->of[other]);
	metric_frames_put(&frames, s->vector);
}

double report_value(const struct report_log *log, enum source_kind kind, const struct metric *metric,
		    const struct metric_instance *instance, const struct report_span *span)
{
	const struct report_source *s = &log->sources[kind];
	const double *vector = s->vector;
	double value;

	if (!s->source || !span->of[kind] || !span->of[kind]->time_ns)
		return NAN;
	fill_vector(log, kind, span);
	if (instance) {
		metric_vector_instance(s->source->set, instance, s->vector, VECTOR_CONSTANTS + s->n_kept,
				       s->scratch);
		vector = s->scratch;
	}
	value = metric_value(metric, vector);
	return metric->grows ? value * 1e9 / (double)span->of[kind]->time_ns : value;
}

const struct metric *report_metric(const struct report_log *log, const char *name, enum source_kind *kind)
{
	const struct metric *metric = NULL;

	for (*kind = 0; *kind < SOURCE_KINDS; ++*kind)
		if (log->sets[*kind] && (metric = metric_find(log->sets[*kind], span_of(name))))
			break;
	return metric;
}

double report_named(const struct report_log *log, const char *name, const struct report_span *span)
{
	enum source_kind kind;
	const struct metric *metric = report_metric(log, name, &kind);

	return metric ? report_value(log, kind, metric, NULL, span) : NAN;
}

void report_passes(const struct report_log *log, unsigned phase, struct pass_table *table)
{
	const struct report_source *s = &log->sources[SOURCE_PASSES];
	struct report_span span = report_phase_span(log, phase);

	*table = (struct pass_table){.n = 0};
	if (!s->source || !span.of[SOURCE_PASSES] || !pass_table_has(s->source->set))
		return;
	fill_vector(log, SOURCE_PASSES, &span);
	pass_table_read(table, s->source->set, s->vector, &log->names);
}
