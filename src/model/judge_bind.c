/* Compiles the findings for the sources of a machine. */
#include "model/judge.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool find_input(struct judge *judge, struct span name, unsigned *at)
{
	for (*at = 0; *at < judge->n_inputs; ++*at)
		if (span_is(name, judge->inputs[*at].name))
			return true;
	return false;
}

/* Look a name up among the facts, then in the sources. */
static bool bind_input(const struct judge *judge, struct span name, struct judge_input *in)
{
	*in = (struct judge_input){0};
	for (unsigned i = 0; i < FACT_COUNT; i++)
		if (span_is(name, finding_facts[i].name)) {
			in->fact = i;
			return true;
		}
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		in->set = judge->sets[kind];
		in->source = kind;
		in->metric = in->set ? metric_find(in->set, name) : NULL;
		if (in->metric ||
		    (in->set && metric_compile(in->set, judge->db, name, false, &in->own, NULL)))
			return true;
	}
	return false;
}

static bool resolve_name(void *ctx, struct span name, struct expr *out, struct err *err)
{
	struct judge *judge = ctx;
	struct judge_input in;
	unsigned at;

	if (!find_input(judge, name, &at)) {
		if (!bind_input(judge, name, &in))
			return err_set(err, 0, "no source has '%.*s'", SPAN_ARG(name));
		in.name = span_dup(name);
		GROW(judge->inputs, judge->n_inputs, judge->cap_inputs);
		judge->inputs[judge->n_inputs++] = in;
	}
	return expr_load(out, at, 1);
}

/* Compile the first of the alternatives whose names all exist. */
static bool compile_first(struct judge *judge, struct span formulas, struct expr *out)
{
	while (formulas.n)
		if (expr_compile(out, span_trim(span_until(&formulas, '|')), resolve_name, judge, NULL))
			return true;
	return false;
}

/* The first variant for this GPU of which a formula exists. */
static bool compile_variants(struct judge *judge, const struct metric_variant *v, struct expr *out)
{
	for (; v; v = v->next)
		if (gpu_set_has(v->gpus, judge->product) && compile_first(judge, v->text, out))
			return true;
	return false;
}

/* Returns false if it names what this machine does not have: it is never met. */
static bool add_condition(struct judge *judge, struct judge_conditions *to, int role,
			  const struct finding_limit *limit)
{
	struct judge_condition *c;

	GROW(to->list, to->n, to->cap);
	c = &to->list[to->n++];
	*c = (struct judge_condition){.role = role,
				      .side = limit->side,
				      .reached = limit->reached,
				      .on = limit->on,
				      .off = limit->off,
				      .value = NAN};
	return compile_first(judge, limit->formulas, &c->expr);
}

/* Returns false if one of them names what this machine does not have. */
static bool add_all(struct judge *judge, struct judge_conditions *to, int role,
		    const struct finding_limit *limit)
{
	bool ok = true;

	for (; limit; limit = limit->next)
		if (gpu_set_has(limit->gpus, judge->product))
			ok = add_condition(judge, to, role, limit) && ok;
	return ok;
}

/* Add the first limit for this GPU whose names exist. Without one, an empty condition, which is
 * never met, remains. */
static bool add_when(struct judge *judge, struct judged *f)
{
	const struct finding_limit *limit = f->def->whens;

	for (; limit; limit = limit->next) {
		f->conditions.n = 0;
		if (!gpu_set_has(limit->gpus, judge->product) ||
		    !add_condition(judge, &f->conditions, JUDGE_MUST, limit))
			continue;
		f->limit = limit->on;
		f->off = limit->off;
		f->side = limit->side;
		return true;
	}
	return !f->def->whens;
}

struct judge_number judge_number_of(const struct judge *judge, unsigned input)
{
	const struct judge_input *in = &judge->inputs[input];
	struct judge_number number = {
		.name = in->name, .title = in->name, .metric = in->metric, .value = NAN};

	if (in->metric) {
		number.title = in->metric->def->short_title;
		number.unit = in->metric->unit;
	} else if (!in->set) {
		number.title = finding_facts[in->fact].title;
		number.unit = unit_find(span_of(finding_facts[in->fact].unit));
	} else {
		number.unit = unit_find(SPAN_LIT("ratio"));
	}
	return number;
}

/* The number of a formula is the first metric that it names. */
static void set_number(const struct judge *judge, struct judged *f)
{
	const struct expr *e = &f->conditions.list[0].expr;

	for (unsigned i = 0; i < e->n; i++)
		if (e->ops[i].kind == EXPR_LOAD) {
			f->number = judge_number_of(judge, e->ops[i].slot);
			return;
		}
}

static void add_evidence(struct judge *judge, struct judged *f)
{
	struct span rest = f->def->evidence;

	while (rest.n && f->n_evidence < JUDGE_EVIDENCE) {
		struct expr e;

		if (!compile_first(judge, span_until(&rest, ','), &e))
			continue;
		if (e.n == 1 && e.ops[0].kind == EXPR_LOAD) {
			f->evidence_inputs[f->n_evidence] = e.ops[0].slot;
			f->evidence[f->n_evidence++] = judge_number_of(judge, e.ops[0].slot);
		}
		expr_fini(&e);
	}
}

static void conditions_fini(struct judge_conditions *conditions)
{
	for (unsigned i = 0; i < conditions->n; i++)
		expr_fini(&conditions->list[i].expr);
	free(conditions->list);
}

static void judged_fini(struct judged *f)
{
	conditions_fini(&f->conditions);
	expr_fini(&f->gain);
}

/* The first of the resources that this machine counts. */
static const struct judge_resource *find_resource(const struct judge *judge, struct span names)
{
	struct span word;

	while ((word = span_word(&names)).n)
		for (unsigned i = 0; i < judge->n_resources; i++)
			if (span_is(word, judge->resources[i].def->name))
				return &judge->resources[i];
	return NULL;
}

/* Resources without a formula that this machine has are left out. */
static void resources_init(struct judge *judge)
{
	judge->resources = xcalloc(judge->db->n_findings, sizeof(*judge->resources));
	for (unsigned i = 0; i < judge->db->n_findings; i++) {
		const struct finding_def *def = &judge->db->findings[i];
		struct judge_resource *r = &judge->resources[judge->n_resources];

		if (def->kind != FINDING_RESOURCE ||
		    !compile_variants(judge, def->figures[RESOURCE_TIME], &r->figures[RESOURCE_TIME].formula))
			continue;
		r->def = def;
		for (unsigned k = RESOURCE_TIME + 1; k < RESOURCE_FIGURES; k++)
			compile_variants(judge, def->figures[k], &r->figures[k].formula);
		judge->n_resources++;
	}
	judge->resources = xreallocarray(judge->resources, judge->n_resources, sizeof(*judge->resources));
}

/* Returns false if this machine cannot decide it; a verdict is kept nevertheless, so that the
 * screen can name what is missing. */
static bool judged_init(struct judge *judge, const struct finding_def *def, struct judged *f)
{
	struct span rest = def->needs, word;
	bool ok;

	*f = (struct judged){.def = def};
	ok = add_when(judge, f);
	ok = add_all(judge, &f->conditions, JUDGE_MUST, def->ands) && ok;
	while ((word = span_word(&rest)).n)
		ok = add_all(judge, &f->conditions, JUDGE_MUST,
			     finding_find(judge->db, FINDING_CONDITION, word)->ands) &&
		     ok;
	if (!ok && def->kind != FINDING_VERDICT) {
		judged_fini(f);
		return false;
	}
	add_all(judge, &f->conditions, JUDGE_SURE, def->clears);
	add_all(judge, &f->conditions, JUDGE_UNLESS, def->unlesses);
	compile_variants(judge, def->kind == FINDING_VERDICT ? def->headroom : def->gain, &f->gain);
	if (f->side != ALERT_NONE)
		set_number(judge, f);
	add_evidence(judge, f);
	f->resource = find_resource(judge, def->resource);
	return true;
}

static unsigned judge_all(struct judge *judge, enum finding_kind kind, struct judged **out)
{
	bool has_alone = false;
	unsigned n = 0;

	for (unsigned i = 0; i < judge->db->n_findings; i++)
		has_alone |= judge->db->findings[i].alone;
	*out = xcalloc(judge->db->n_findings, sizeof(**out));
	for (unsigned i = 0; i < judge->db->n_findings; i++) {
		const struct finding_def *def = &judge->db->findings[i];
		bool fits = gpu_set_has(def->gpus, judge->product) &&
			    (kind != FINDING_VERDICT || def->alone == !judge->sets[SOURCE_GPU] || !has_alone);

		if (def->kind == kind && fits)
			n += judged_init(judge, def, &(*out)[n]);
	}
	*out = xreallocarray(*out, n, sizeof(**out));
	return n;
}

struct judge *judge_new(const struct gpudb *db, const struct metric_set *const sets[SOURCE_KINDS])
{
	struct judge *judge = xcalloc(1, sizeof(*judge));
	const struct finding_def *late = finding_find(db, FINDING_CONDITION, SPAN_LIT("frame-late"));

	judge->db = db;
	memcpy(judge->sets, sets, sizeof(judge->sets));
	judge->product = sets[SOURCE_GPU] ? sets[SOURCE_GPU]->product : NULL;
	resources_init(judge);
	if (late) /* else they never are */
		add_all(judge, &judge->late_if, JUDGE_MUST, late->ands);
	judge->n_findings = judge_all(judge, FINDING_RULE, &judge->findings);
	judge->n_verdicts = judge_all(judge, FINDING_VERDICT, &judge->verdicts);
	judge->values = xcalloc(judge->n_inputs, sizeof(*judge->values));
	judge_clear(judge);
	return judge;
}

void judge_free(struct judge *judge)
{
	if (!judge)
		return;
	for (unsigned i = 0; i < judge->n_findings; i++)
		judged_fini(&judge->findings[i]);
	for (unsigned i = 0; i < judge->n_verdicts; i++)
		judged_fini(&judge->verdicts[i]);
	for (unsigned i = 0; i < judge->n_resources; i++)
		for (unsigned k = 0; k < RESOURCE_FIGURES; k++)
			expr_fini(&judge->resources[i].figures[k].formula);
	conditions_fini(&judge->late_if);
	for (unsigned i = 0; i < judge->n_inputs; i++) {
		free(judge->inputs[i].name);
		expr_fini(&judge->inputs[i].own);
	}
	free(judge->inputs);
	free(judge->values);
	free(judge->resources);
	free(judge->findings);
	free(judge->verdicts);
	free(judge);
}
