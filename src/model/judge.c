#include "model/judge.h"

#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const judge_surety_names[] = {"not clear", "likely", "clear"};

static void forget_met(struct judge_conditions *conditions)
{
	for (unsigned i = 0; i < conditions->n; i++)
		conditions->list[i].met = false;
}

static const struct judge_worth no_worth = {NAN, NAN, NAN};

static void judged_clear(struct judged *f)
{
	f->holds = false;
	f->since_ns = f->begun_ns = f->met_ns = f->unmet_ns = f->clear_ns = 0;
	f->held_s = f->clear_s = 0;
	f->mean = f->worst = f->number.value = NAN;
	f->worth = f->worth_mean = no_worth;
	f->n_past = f->begins = 0;
	for (unsigned i = 0; i < f->n_evidence; i++)
		f->evidence[i].value = f->evidence_mean[i] = NAN;
	forget_met(&f->conditions);
}

void judge_clear(struct judge *judge)
{
	for (unsigned i = 0; i < judge->n_findings; i++)
		judged_clear(&judge->findings[i]);
	for (unsigned i = 0; i < judge->n_verdicts; i++)
		judged_clear(&judge->verdicts[i]);
	for (unsigned i = 0; i < judge->n_resources; i++)
		for (unsigned k = 0; k < RESOURCE_FIGURES; k++)
			judge->resources[i].figures[k].now = judge->resources[i].figures[k].mean = NAN;
	forget_met(&judge->late_if);
	judge->gpu_measured = judge->gpu_failed = judge->late = false;
	judge->late_s = 0;
	judge->verdict = (struct judge_verdict){0};
	judge->begin_ns = judge->end_ns = 0;
	judge->n_events = 0;
	judge->candidate = NULL;
	judge->candidate_ns = 0;
	for (unsigned i = 0; i < FACT_COUNT; i++)
		judge->facts.value[i] = NAN;
	judge->facts.thread[0] = 0;
}

/* ---- what it is made of ---- */

static void mark_expr(const struct expr *expr, bool *used)
{
	for (unsigned i = 0; i < expr->n; i++)
		if (expr->ops[i].kind == EXPR_LOAD && expr->ops[i].slot >= VECTOR_CONSTANTS)
			used[expr->ops[i].slot - VECTOR_CONSTANTS] = true;
}

void judge_mark_slots(const struct judge *judge, enum source_kind kind, bool *used)
{
	for (unsigned v = 0; v < judge->n_verdicts; v++)
		for (unsigned i = 0; i < judge->verdicts[v].conditions.n; i++) {
			const struct expr *expr = &judge->verdicts[v].conditions.list[i].expr;

			for (unsigned k = 0; k < expr->n; k++) {
				const struct judge_input *in = expr->ops[k].kind == EXPR_LOAD
								       ? &judge->inputs[expr->ops[k].slot]
								       : NULL;

				if (in && in->set && in->source == kind)
					mark_expr(in->metric ? &in->metric->expr : &in->own, used);
			}
		}
}

/* ---- step ---- */

static void read_inputs(struct judge *judge, const double *const vectors[SOURCE_KINDS])
{
	for (unsigned i = 0; i < judge->n_inputs; i++) {
		struct judge_input *in = &judge->inputs[i];
		const double *vector = in->set ? vectors[in->source] : NULL;

		judge->values[i] = !in->set     ? judge->facts.value[in->fact]
				   : !vector    ? (double)NAN
				   : in->metric ? metric_value(in->metric, vector)
						: expr_eval(&in->own, vector);
		in->value = judge->values[i];
		if (in->metric && in->metric->grows && vector)
			in->value /= vector[VECTOR_SECONDS];
	}
}

static bool uses_fact(const struct judge *judge, const struct judge_condition *c)
{
	for (unsigned i = 0; i < c->expr.n; i++)
		if (c->expr.ops[i].kind == EXPR_LOAD && !judge->inputs[c->expr.ops[i].slot].set)
			return true;
	return false;
}

/* A finding, and the verdict that holds, end at the second number of their limits. A fact that is
 * unknown now does not end that verdict. */
static void update_condition(const struct judge *judge, struct judge_condition *c, bool keeps_facts)
{
	double at = c->met ? c->off : c->on;

	c->value = expr_eval(&c->expr, judge->values);
	if (isnan(c->value) && keeps_facts && c->met && uses_fact(judge, c))
		return;
	c->met = c->side == ALERT_ABOVE ? c->value > at || (c->reached && c->value >= at) : c->value < at;
}

static bool update_all(const struct judge *judge, struct judge_conditions *conditions, bool keeps_facts)
{
	bool all = true;

	for (unsigned i = 0; i < conditions->n; i++) {
		struct judge_condition *c = &conditions->list[i];

		update_condition(judge, c, keeps_facts && c->role != JUDGE_UNLESS);
		all = all && (c->role == JUDGE_SURE || c->met == (c->role == JUDGE_MUST));
	}
	return all;
}

static bool is_clear(const struct judged *f)
{
	for (unsigned i = 0; i < f->conditions.n; i++)
		if (f->conditions.list[i].role == JUDGE_SURE && !f->conditions.list[i].met)
			return false;
	return true;
}

/* Keep them in the order of time; the oldest gives way. */
static void add_event(struct judge *judge, struct judge_event event)
{
	unsigned i;

	if (judge->n_events == JUDGE_EVENTS)
		memmove(judge->events, judge->events + 1, --judge->n_events * sizeof(judge->events[0]));
	for (i = judge->n_events++; i > 0 && judge->events[i - 1].at_ns > event.at_ns; i--)
		judge->events[i] = judge->events[i - 1];
	judge->events[i] = event;
}

/* The numbers of this step, and what the finding is worth at most: of its resource and of the
 * whole. */
static void show_numbers(const struct judge *judge, struct judged *f)
{
	double gain = expr_eval(&f->gain, judge->values);

	if (f->side != ALERT_NONE)
		f->number.value = f->conditions.list[0].value;
	for (unsigned i = 0; i < f->n_evidence; i++)
		f->evidence[i].value = judge->inputs[f->evidence_inputs[i]].value;
	f->worth = no_worth;
	if (f->def->kind == FINDING_VERDICT) {
		f->worth.ms = gain;
	} else if (!isnan(gain) && f->resource) {
		f->worth.gain = gain < 0 ? 0 : gain > 1 ? 1 : gain;
		f->worth.share = f->worth.gain * f->resource->figures[RESOURCE_TIME].now / 100;
		f->worth.ms = f->worth.share * f->resource->figures[RESOURCE_WHOLE].now;
	}
}

static void add_mean(double *mean, double value, double before_s, double step_s)
{
	if (isfinite(value))
		*mean = isnan(*mean) ? value : (*mean * before_s + value * step_s) / (before_s + step_s);
}

static void add_worst(struct judged *f)
{
	double value = f->number.value;

	if (isfinite(value) &&
	    (isnan(f->worst) || (f->side == ALERT_ABOVE ? value > f->worst : value < f->worst)))
		f->worst = value;
}

static void count_held(struct judged *f, double seconds)
{
	add_worst(f);
	add_mean(&f->worth_mean.gain, f->worth.gain, f->held_s, seconds);
	add_mean(&f->worth_mean.share, f->worth.share, f->held_s, seconds);
	add_mean(&f->worth_mean.ms, f->worth.ms, f->held_s, seconds);
	add_mean(&f->mean, f->number.value, f->held_s, seconds);
	for (unsigned i = 0; i < f->n_evidence; i++)
		add_mean(&f->evidence_mean[i], f->evidence[i].value, f->held_s, seconds);
	f->held_s += seconds;
}

/* How far a value is on the other side of a limit that means a change of the scene, not of its
 * details. */
static double margin_of(double limit)
{
	double part = 0.4 * fabs(limit);

	/* most of these are shares, which end at 100 */
	return limit > 50 && limit < 100 ? real_min(part, (100 - limit) / 2) : part;
}

/* Whether a condition is not met, and not by a little. */
static bool is_far_off(const struct judge_condition *c)
{
	if (c->met)
		return false;
	return isnan(c->value) || (c->side == ALERT_ABOVE ? c->value < c->off - margin_of(c->off)
							  : c->value > c->off + margin_of(c->off));
}

static bool is_far_beyond(const struct judge_condition *c)
{
	return c->side == ALERT_ABOVE ? c->value > c->on + margin_of(c->on)
				      : c->value < c->on - margin_of(c->on);
}

/* Whether what the last step says is clear enough for a change in a settled scene. */
static bool is_clear_cut(const struct judged *f, bool met)
{
	for (unsigned i = 0; i < f->conditions.n; i++) {
		const struct judge_condition *c = &f->conditions.list[i];

		if (c->role == JUDGE_MUST && (met ? !is_far_beyond(c) : is_far_off(c)))
			return !met;
	}
	return met;
}

/* A scene has settled once its verdict has not changed for a while. From then on only what is
 * clear-cut or lasts changes a finding: details of a scene drift. */
static int64_t wait_of(const struct judge *judge, const struct judged *f, bool met, int64_t end_ns)
{
	int64_t since_ns =
			judge->verdict.since_ns > judge->begin_ns ? judge->verdict.since_ns : judge->begin_ns,
		short_ns = met ? JUDGE_ON_NS : JUDGE_OFF_NS;

	if (!judge->begin_ns || end_ns - since_ns < JUDGE_SETTLED_NS)
		return short_ns;
	return f->clear_ns && end_ns - f->clear_ns >= short_ns ? 0 : JUDGE_LASTING_NS;
}

static void begin_finding(struct judged *f, int64_t begin_ns, int64_t end_ns)
{
	f->holds = true;
	f->since_ns = f->begun_ns = begin_ns;
	f->begins++;
	count_held(f, (double)(end_ns - begin_ns) * 1e-9);
}

/* The upper half of a float has two to three digits, which is enough for a graph. */
static uint16_t pack_past(double number)
{
	float value = (float)number;
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return (uint16_t)(bits >> 16);
}

static double unpack_past(uint16_t past)
{
	uint32_t bits = (uint32_t)past << 16;
	float value;

	memcpy(&value, &bits, sizeof(value));
	return (double)value;
}

static void step_finding(struct judge *judge, struct judged *f, int64_t begin_ns, int64_t end_ns)
{
	bool met = update_all(judge, &f->conditions, false), clear = is_clear_cut(f, met), changes;
	int64_t *begun = met ? &f->met_ns : &f->unmet_ns;

	show_numbers(judge, f);
	f->past[f->n_past++ % JUDGE_PAST] = pack_past(f->number.value);
	*(met ? &f->unmet_ns : &f->met_ns) = 0;
	if (!clear || met != f->was_met)
		f->clear_ns = 0;
	if (clear && !f->clear_ns)
		f->clear_ns = begin_ns ? begin_ns : 1;
	f->was_met = met;
	if (!*begun)
		*begun = begin_ns ? begin_ns : 1;
	changes = met != f->holds && end_ns - *begun >= wait_of(judge, f, met, end_ns);
	if (met && changes) {
		begin_finding(f, *begun, end_ns);
		add_event(judge, (struct judge_event){*begun, f, false});
	} else if (changes) {
		f->holds = false;
		f->since_ns = *begun;
		add_event(judge, (struct judge_event){*begun, f, true});
	} else if (met && f->holds) {
		count_held(f, (double)(end_ns - begin_ns) * 1e-9);
	}
}

static void change_verdict(struct judge *judge, const struct judged *to, int64_t since_ns)
{
	struct judge_verdict *v = &judge->verdict;

	for (unsigned i = 0; i < judge->n_verdicts; i++) {
		judge->verdicts[i].holds = &judge->verdicts[i] == to;
		if (judge->verdicts[i].holds)
			judge->verdicts[i].begun_ns = judge->verdicts[i].since_ns = since_ns;
	}
	v->changes++;
	v->why = to;
	v->since_ns = since_ns;
	add_event(judge, (struct judge_event){since_ns, to, false});
}

/* Count time in which the current verdict held. */
static void count_verdict(struct judge *judge, double seconds)
{
	struct judged *f = &judge->verdicts[judge->verdict.why - judge->verdicts];

	count_held(f, seconds);
	f->clear_s += judge->verdict.surety == JUDGE_CLEAR ? seconds : 0;
}

static void step_verdict(struct judge *judge, int64_t begin_ns, int64_t end_ns)
{
	struct judge_verdict *v = &judge->verdict;
	const struct judged *before = v->why;
	struct judged *fits = NULL;

	for (unsigned i = 0; i < judge->n_verdicts; i++) {
		struct judged *f = &judge->verdicts[i];
		bool met;

		if (f != v->why)
			forget_met(&f->conditions);
		met = update_all(judge, &f->conditions, f == v->why);
		show_numbers(judge, f);
		if (met && !fits)
			fits = f;
	}
	if (fits != judge->candidate || !judge->candidate_ns) {
		judge->candidate = fits;
		judge->candidate_ns = begin_ns ? begin_ns : 1;
	}
	if (fits != v->why && end_ns - judge->candidate_ns >= JUDGE_VERDICT_NS)
		change_verdict(judge, fits, judge->candidate_ns);
	if (!v->since_ns)
		v->since_ns = judge->candidate_ns;
	if (fits == v->why)
		v->surety = !fits || strcmp(fits->def->name, "unclear") == 0 ? JUDGE_UNCLEAR
			    : is_clear(fits)                                 ? JUDGE_CLEAR
									     : JUDGE_LIKELY;
	if (v->why)
		count_verdict(judge, (double)(end_ns - (before ? begin_ns : v->since_ns)) * 1e-9);
}

#define ON_TIME 0.97 /* of the wanted rate; as the verdicts have it */
#define GPU_FULL 85  /* percent of time */

/* The frames per second that a source has counted, unless the caller knows them. A display flips
 * when something changes: few page flips mean nothing unless the GPU is saturated. */
static void find_frame_rate(const struct judge *judge, const double *const vectors[SOURCE_KINDS],
			    double *rate)
{
	const struct metric_set *gpu = judge->sets[SOURCE_GPU];
	const struct metric *work = gpu ? metric_find(gpu, SPAN_LIT("GPUBusy")) : NULL;
	bool full = work && vectors[SOURCE_GPU] && metric_value(work, vectors[SOURCE_GPU]) >= GPU_FULL;

	for (enum source_kind kind = 0; kind < SOURCE_KINDS && isnan(*rate); kind++)
		if (vectors[kind] && vectors[kind][VECTOR_FRAME_RATE] > 0 &&
		    (full || !(vectors[kind][VECTOR_FRAME_FLIPS] > 0) ||
		     vectors[kind][VECTOR_FRAME_RATE] >= ON_TIME * vectors[kind][VECTOR_FPS]))
			*rate = vectors[kind][VECTOR_FRAME_RATE];
}

static void step_resources(struct judge *judge, int64_t begin_ns, int64_t end_ns)
{
	double before_s = judge->begin_ns ? (double)(begin_ns - judge->begin_ns) * 1e-9 : 0,
	       step_s = (double)(end_ns - begin_ns) * 1e-9;

	for (unsigned i = 0; i < judge->n_resources; i++)
		for (unsigned k = 0; k < RESOURCE_FIGURES; k++) {
			struct judge_resource *r = &judge->resources[i];

			r->figures[k].now = expr_eval(&r->figures[k].formula, judge->values);
			add_mean(&r->figures[k].mean, r->figures[k].now, before_s, step_s);
		}
	judge->late = update_all(judge, &judge->late_if, false) && judge->late_if.n;
	judge->late_s += judge->late ? step_s : 0;
}

void judge_step(struct judge *judge, int64_t begin_ns, int64_t end_ns,
		const double *const vectors[SOURCE_KINDS], const struct judge_facts *facts)
{
	judge->facts = *facts;
	find_frame_rate(judge, vectors, &judge->facts.value[FACT_FRAME_RATE]);
	read_inputs(judge, vectors);
	step_resources(judge, begin_ns, end_ns);
	if (vectors[SOURCE_GPU])
		*(isnan(vectors[SOURCE_GPU][VECTOR_SECONDS]) ? &judge->gpu_failed : &judge->gpu_measured) =
			true;
	for (unsigned i = 0; i < judge->n_findings; i++)
		step_finding(judge, &judge->findings[i], begin_ns, end_ns);
	step_verdict(judge, begin_ns, end_ns);
	if (!judge->begin_ns)
		judge->begin_ns = begin_ns;
	judge->end_ns = end_ns;
}

void judge_finish(struct judge *judge)
{
	double seconds = (double)(judge->end_ns - judge->begin_ns) * 1e-9;

	if (judge->end_ns - judge->begin_ns >= JUDGE_ON_NS)
		return;
	for (unsigned i = 0; i < judge->n_findings; i++)
		if (!judge->findings[i].holds && judge->findings[i].met_ns)
			begin_finding(&judge->findings[i], judge->findings[i].met_ns, judge->end_ns);
	if (!judge->verdict.why && judge->candidate) {
		change_verdict(judge, judge->candidate, judge->candidate_ns);
		judge->verdict.surety = JUDGE_LIKELY; /* too short to be sure */
		count_verdict(judge, seconds);
	}
}

/* ---- results ---- */

double judged_past(const struct judged *f, unsigned back)
{
	if (back >= f->n_past || back >= JUDGE_PAST)
		return NAN;
	return unpack_past(f->past[(f->n_past - 1 - back) % JUDGE_PAST]);
}

static bool is_number_of(const struct judged *f, const struct metric *metric, bool as_evidence)
{
	if (!as_evidence)
		return f->number.metric == metric && f->side == metric->alert;
	for (unsigned i = 0; i < f->n_evidence; i++)
		if (f->evidence[i].metric == metric)
			return true;
	return false;
}

static bool are_needs_met(const struct judged *f)
{
	for (unsigned i = f->side != ALERT_NONE; i < f->conditions.n; i++)
		if (f->conditions.list[i].role == JUDGE_MUST && !f->conditions.list[i].met)
			return false;
	return true;
}

/* The worst of its findings that count now. Returns false if no finding has it. */
static bool find_worst(const struct judge *judge, const struct metric *metric, bool as_evidence,
		       enum finding_severity *worst)
{
	bool found = false;

	*worst = SEVERITY_NOTE;
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];
		enum finding_severity own;

		if (!is_number_of(f, metric, as_evidence))
			continue;
		found = true;
		own = judge_rank(judge, judge->verdict.why, false, f).severity;
		if ((as_evidence ? are_needs_met(f) : f->holds) && own > *worst)
			*worst = own;
	}
	return found;
}

enum finding_severity judge_severity(const struct judge *judge, const struct metric *metric)
{
	enum finding_severity worst;

	return find_worst(judge, metric, false, &worst) || find_worst(judge, metric, true, &worst)
		       ? worst
		       : SEVERITY_WARNING;
}

bool judged_is_fine(const struct judged *f)
{
	double value = f->number.value;

	return f->side == ALERT_ABOVE ? value <= f->limit : f->side == ALERT_BELOW && value >= f->limit;
}

const char *judge_verdict_name(const struct judge_verdict *verdict)
{
	return verdict->why ? verdict->why->def->id : "unclear";
}

const char *judge_verdict_title(const struct judge_verdict *verdict)
{
	return verdict->why ? verdict->why->def->title : "Not clear";
}

bool judge_news(const struct judge *judge, struct judge_reported *reported, char text[JUDGE_NEWS_TEXT])
{
	const struct judge_verdict *v = &judge->verdict;
	bool named = reported->named;

	if (v->changes == reported->changes)
		return false;
	reported->changes = v->changes;
	reported->named |= v->why != NULL;
	snprintf(text, JUDGE_NEWS_TEXT, JUDGE_NEWS "%s", judge_verdict_title(v));
	return named;
}

/* The first value that is undefined in a condition; NULL if all are defined, or the machine does
 * not have them. */
static const char *undefined_in(const struct judge *judge, const struct judge_condition *c)
{
	for (unsigned i = 0; i < c->expr.n; i++) {
		unsigned at = c->expr.ops[i].slot;

		if (c->expr.ops[i].kind == EXPR_LOAD && isnan(judge->values[at]))
			return judge_number_of(judge, at).title;
	}
	return NULL;
}

/* Whether the verdict needs frame times, which few applications have. */
static bool is_of_frames(const struct judged *f)
{
	const struct finding_limit *when = f->def->whens;

	return when && (memmem(when->formulas.p, when->formulas.n, "frame.", 6) ||
			memmem(when->formulas.p, when->formulas.n, "$FrameRate", 10));
}

/* What a verdict would need to be decided, if all that is known of it fits. */
static const char *undefined_of(const struct judge *judge, const struct judged *f)
{
	const char *name = NULL;

	for (unsigned i = 0; i < f->conditions.n; i++) {
		const struct judge_condition *c = &f->conditions.list[i];

		if (c->role != JUDGE_MUST || c->met)
			continue;
		if (!isnan(c->value))
			return NULL;
		if (!name)
			name = undefined_in(judge, c);
	}
	return name;
}

void judge_missing(const struct judge *judge, struct strbuf *out)
{
	if (judge->gpu_failed && !judge->gpu_measured) {
		strbuf_str(out, "every sample of the GPU failed");
		return;
	}
	if (judge->end_ns - judge->begin_ns < JUDGE_VERDICT_NS) {
		strbuf_str(out, "measured for too short a time");
		return;
	}
	if (judge->sets[SOURCE_GPU] && !metric_set_counts(judge->sets[SOURCE_GPU])) {
		strbuf_str(out, "the counters of the GPU are missing");
		return;
	}
	for (unsigned i = 0; i < 2 * judge->n_verdicts; i++) {
		const struct judged *f = &judge->verdicts[i % judge->n_verdicts];
		const char *name =
			is_of_frames(f) == (i >= judge->n_verdicts) ? undefined_of(judge, f) : NULL;

		if (name) {
			strbuf_printf(out, "%s is not known", name);
			return;
		}
	}
	strbuf_str(out, "the numbers fit no known pattern");
}
