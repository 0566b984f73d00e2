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

static bool add_condition(struct judge_priv *p, struct judged_priv *j, const struct finding_limit *limit)
{
	struct judge_condition *c;

	GROW(j->conditions, j->n, j->cap);
	c = &j->conditions[j->n++];
	*c = (struct judge_condition){.side = limit->side, .on = limit->on, .off = limit->off, .value = NAN};
	return compile_first(p, limit->formulas, c);
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

static void judged_fini(struct judged *f)
{
	for (unsigned i = 0; i < f->priv->n + f->priv->n_clear; i++)
		expr_fini(&f->priv->conditions[i].expr);
	free(f->priv->conditions);
	free(f->priv);
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
	set_number(p, f);
	add_evidence(p, f);
	return true;
}

static unsigned judge_all(struct judge_priv *p, enum finding_kind kind, struct judged **out)
{
	unsigned n = 0;

	*out = xcalloc(p->db->n_findings, sizeof(**out));
	for (unsigned i = 0; i < p->db->n_findings; i++) {
		const struct finding_def *def = &p->db->findings[i];

		if (def->kind == kind && gpu_set_has(def->gpus, p->product))
			n += judged_init(p, def, &(*out)[n]);
	}
	*out = xreallocarray(*out, n, sizeof(**out));
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
	judge->n_findings = judge_all(p, FINDING_RULE, &judge->findings);
	judge->n_verdicts = judge_all(p, FINDING_VERDICT, &judge->verdicts);
	p->values = xcalloc(p->n_inputs, sizeof(*p->values));
	if (sets[SOURCE_PASSES])
		p->fps = metric_find(sets[SOURCE_PASSES], SPAN_LIT("frame.fps"));
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
	for (unsigned i = 0; i < judge->priv->n_inputs; i++) {
		free(judge->priv->inputs[i].name);
		expr_fini(&judge->priv->inputs[i].own);
	}
	free(judge->priv->inputs);
	free(judge->priv->values);
	free(judge->priv);
	free(judge->findings);
	free(judge->verdicts);
	free(judge);
}
