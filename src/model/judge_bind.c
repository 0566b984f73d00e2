/* Compiles the findings for the sources of a machine. */
#include "model/judge_priv.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool find_input(struct judge_priv *p, struct span name, unsigned *at)
{
	for (*at = 0; *at < p->n_inputs; ++*at)
		if (span_is(name, p->inputs[*at].name))
			return true;
	return false;
}

/* Look a name up among the facts, then in the sources. */
static bool bind_input(const struct judge_priv *p, struct span name, struct judge_input *in)
{
	*in = (struct judge_input){0};
	for (unsigned i = 0; i < FACT_COUNT; i++)
		if (span_is(name, finding_fact_names[i])) {
			in->fact = i;
			return true;
		}
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		in->set = p->sets[kind];
		in->source = kind;
		in->metric = in->set ? metric_find(in->set, name) : NULL;
		if (in->metric || (in->set && metric_compile(in->set, p->db, name, false, &in->own, NULL)))
			return true;
	}
	return false;
}

static bool resolve_name(void *ctx, struct span name, struct expr *out, struct err *err)
{
	struct judge_priv *p = ctx;
	struct judge_input in;
	unsigned at;

	if (!find_input(p, name, &at)) {
		if (!bind_input(p, name, &in))
			return err_set(err, 0, "no source has '%.*s'", SPAN_ARG(name));
		in.name = span_dup(name);
		GROW(p->inputs, p->n_inputs, p->cap_inputs);
		p->inputs[p->n_inputs++] = in;
	}
	return expr_load(out, at, 1);
}

/* Compile the first of the alternatives whose names all exist. */
static bool compile_first(struct judge_priv *p, struct span formulas, struct judge_condition *c)
{
	while (formulas.n) {
		struct span one = span_trim(span_until(&formulas, '|'));

		c->formula = one;
		if (expr_compile(&c->expr, one, resolve_name, p, NULL))
			return true;
	}
	return false;
}

/* The first variant for this GPU of which a formula exists. */
static bool compile_variants(struct judge_priv *p, const struct metric_variant *v, struct expr *out)
{
	for (; v; v = v->next) {
		struct judge_condition c = {0};

		if (!gpu_set_has(v->gpus, p->product) || !compile_first(p, v->text, &c))
			continue;
		*out = c.expr;
		return true;
	}
	return false;
}

static bool init_condition(struct judge_priv *p, struct judge_condition *c, const struct finding_limit *limit)
{
	*c = (struct judge_condition){.side = limit->side,
				      .reached = limit->reached,
				      .on = limit->on,
				      .off = limit->off,
				      .value = NAN};
	return compile_first(p, limit->formulas, c);
}

static bool add_condition(struct judge_priv *p, struct judged_priv *j, const struct finding_limit *limit)
{
	GROW(j->conditions, j->n, j->cap);
	return init_condition(p, &j->conditions[j->n++], limit);
}

/* What this machine does not have hinders nothing. */
static void add_unlesses(struct judge_priv *p, struct judged_priv *j, const struct finding_limit *limit)
{
	for (; limit; limit = limit->next) {
		if (!gpu_set_has(limit->gpus, p->product))
			continue;
		GROW(j->unlesses, j->n_unlesses, j->cap_unlesses);
		j->n_unlesses += init_condition(p, &j->unlesses[j->n_unlesses], limit);
	}
}

/* Returns false if one of them names what this machine does not have. */
static bool add_all(struct judge_priv *p, struct judged_priv *j, const struct finding_limit *limit)
{
	bool ok = true;

	for (; limit; limit = limit->next)
		if (gpu_set_has(limit->gpus, p->product))
			ok = add_condition(p, j, limit) && ok;
	return ok;
}

/* Add the first limit for this GPU whose names exist. Without one, an empty condition, which is
 * never met, remains. */
static bool add_when(struct judge_priv *p, struct judged *f)
{
	const struct finding_limit *limit = f->def->whens;

	for (; limit; limit = limit->next) {
		f->priv->n = 0;
		if (!gpu_set_has(limit->gpus, p->product) || !add_condition(p, f->priv, limit))
			continue;
		f->limit = limit->on;
		f->off = limit->off;
		f->side = limit->side;
		return true;
	}
	return !f->def->whens;
}

struct judge_number judge_number_of(const struct judge_priv *p, unsigned input)
{
	const struct judge_input *in = &p->inputs[input];
	struct judge_number number = {
		.name = in->name, .title = in->name, .metric = in->metric, .value = NAN};

	if (in->metric) {
		number.title = in->metric->def->short_title;
		number.unit = in->metric->unit;
	} else if (!in->set) {
		number.title = finding_fact_titles[in->fact];
		number.unit = unit_find(span_of(finding_fact_units[in->fact]));
	} else {
		number.unit = unit_find(SPAN_LIT("ratio"));
	}
	return number;
}

/* The number of a formula is the first metric that it names. */
static void set_number(const struct judge_priv *p, struct judged *f)
{
	const struct expr *e = &f->priv->conditions[0].expr;

	for (unsigned i = 0; i < e->n && f->side != ALERT_NONE; i++)
		if (e->ops[i].kind == EXPR_LOAD) {
			f->number = judge_number_of(p, e->ops[i].slot);
			return;
		}
}

static void add_evidence(struct judge_priv *p, struct judged *f)
{
	struct span rest = f->def->evidence;

	while (rest.n && f->n_evidence < JUDGE_EVIDENCE) {
		struct judge_condition c = {0};

		if (!compile_first(p, span_until(&rest, ','), &c))
			continue;
		if (c.expr.n == 1 && c.expr.ops[0].kind == EXPR_LOAD) {
			f->priv->evidence[f->n_evidence] = c.expr.ops[0].slot;
			f->evidence[f->n_evidence++] = judge_number_of(p, c.expr.ops[0].slot);
		}
		expr_fini(&c.expr);
	}
}

static bool add_conditions(struct judge_priv *p, struct judged *f)
{
	struct span rest = f->def->needs, word;
	bool ok = add_when(p, f);

	ok = add_all(p, f->priv, f->def->ands) && ok;
	while ((word = span_word(&rest)).n)
		ok = add_all(p, f->priv, finding_find(p->db, FINDING_CONDITION, word)->ands) && ok;
	return ok;
}

static void conditions_fini(struct judged_priv *j)
{
	for (unsigned i = 0; i < j->n + j->n_clear; i++)
		expr_fini(&j->conditions[i].expr);
	for (unsigned i = 0; i < j->n_unlesses; i++)
		expr_fini(&j->unlesses[i].expr);
	expr_fini(&j->gain);
	free(j->conditions);
	free(j->unlesses);
}

static void judged_fini(struct judged *f)
{
	conditions_fini(f->priv);
	free(f->priv);
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
	struct judge_priv *p = judge->priv;

	judge->resources = xcalloc(p->db->n_findings, sizeof(*judge->resources));
	for (unsigned i = 0; i < p->db->n_findings; i++) {
		const struct finding_def *def = &p->db->findings[i];
		struct judge_resource *r = &judge->resources[judge->n_resources];
		struct expr time = {0};

		if (def->kind != FINDING_RESOURCE || !compile_variants(p, def->time, &time))
			continue;
		r->def = def;
		r->priv = xcalloc(1, sizeof(*r->priv));
		r->priv->time = time;
		compile_variants(p, def->whole, &r->priv->whole);
		compile_variants(p, def->takes, &r->priv->takes);
		compile_variants(p, def->may_take, &r->priv->may_take);
		judge->n_resources++;
	}
	judge->resources = xreallocarray(judge->resources, judge->n_resources, sizeof(*judge->resources));
}

/* When frames are late, by the condition of that name; without it never. */
static void late_init(struct judge_priv *p)
{
	const struct finding_def *def = finding_find(p->db, FINDING_CONDITION, SPAN_LIT("frame-late"));

	if (def)
		add_all(p, &p->late, def->ands);
}

/* Returns false if this machine cannot decide it; a verdict is kept nevertheless, so that the
 * screen can tell what is missing. */
static bool judged_init(struct judge_priv *p, const struct finding_def *def, struct judged *f)
{
	bool ok;

	*f = (struct judged){.def = def, .priv = xcalloc(1, sizeof(*f->priv))};
	ok = add_conditions(p, f);
	if (!ok && def->kind != FINDING_VERDICT) {
		judged_fini(f);
		return false;
	}
	f->priv->n_clear = f->priv->n;
	add_all(p, f->priv, def->clears);
	f->priv->n_clear = f->priv->n - f->priv->n_clear;
	f->priv->n -= f->priv->n_clear;
	add_unlesses(p, f->priv, def->unlesses);
	compile_variants(p, def->kind == FINDING_VERDICT ? def->headroom : def->gain, &f->priv->gain);
	set_number(p, f);
	add_evidence(p, f);
	return true;
}

static unsigned judge_all(struct judge *judge, enum finding_kind kind, struct judged **out)
{
	struct judge_priv *p = judge->priv;
	bool has_alone = false;
	unsigned n = 0;

	for (unsigned i = 0; i < p->db->n_findings; i++)
		has_alone |= p->db->findings[i].alone;
	*out = xcalloc(p->db->n_findings, sizeof(**out));
	for (unsigned i = 0; i < p->db->n_findings; i++) {
		const struct finding_def *def = &p->db->findings[i];
		bool fits = gpu_set_has(def->gpus, p->product) &&
			    (kind != FINDING_VERDICT || def->alone == !p->sets[SOURCE_GPU] || !has_alone);

		if (def->kind == kind && fits)
			n += judged_init(p, def, &(*out)[n]);
	}
	*out = xreallocarray(*out, n, sizeof(**out));
	for (unsigned i = 0; i < n; i++)
		(*out)[i].resource = find_resource(judge, (*out)[i].def->resource);
	return n;
}

struct judge *judge_new(const struct gpudb *db, const struct metric_set *const sets[SOURCE_KINDS])
{
	struct judge *judge = xcalloc(1, sizeof(*judge));
	struct judge_priv *p = judge->priv = xcalloc(1, sizeof(*p));

	p->db = db;
	memcpy(p->sets, sets, sizeof(p->sets));
	judge->db = db;
	judge->product = p->product = sets[SOURCE_GPU] ? sets[SOURCE_GPU]->product : NULL;
	resources_init(judge);
	late_init(p);
	judge->n_findings = judge_all(judge, FINDING_RULE, &judge->findings);
	judge->n_verdicts = judge_all(judge, FINDING_VERDICT, &judge->verdicts);
	p->values = xcalloc(p->n_inputs, sizeof(*p->values));
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
	for (unsigned i = 0; i < judge->n_resources; i++) {
		expr_fini(&judge->resources[i].priv->time);
		expr_fini(&judge->resources[i].priv->whole);
		expr_fini(&judge->resources[i].priv->takes);
		expr_fini(&judge->resources[i].priv->may_take);
		free(judge->resources[i].priv);
	}
	conditions_fini(&judge->priv->late);
	for (unsigned i = 0; i < judge->priv->n_inputs; i++) {
		free(judge->priv->inputs[i].name);
		expr_fini(&judge->priv->inputs[i].own);
	}
	free(judge->priv->inputs);
	free(judge->priv->values);
	free(judge->priv);
	free(judge->resources);
	free(judge->findings);
	free(judge->verdicts);
	free(judge);
}
