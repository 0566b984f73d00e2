/* Notes on the user's own definitions that this machine cannot evaluate, so that none is omitted
 * silently. */
#include "session/session_priv.h"

#include "model/finding.h"

struct machine {
	const struct gpudb *db;
	const struct metric_set *sets[SOURCE_KINDS];
};

static bool has_formula(struct machine *m, struct span text, struct err *err);

/* Why a metric is absent: a name in its formula. */
static bool lacks_metric(struct machine *m, const struct metric_def *def, struct err *err)
{
	struct err why = {0};

	if (def->exprs && !has_formula(m, def->exprs->text, &why))
		return err_set(err, 0, "metric %s: %s", def->name, why.text);
	return err_set(err, 0, "this machine has no '%s'", def->name);
}

static bool has_name(void *ctx, struct span name, struct expr *out, struct err *err)
{
	struct machine *m = ctx;
	const struct metric_def *def = metric_def_find(m->db, name);
	struct expr expr;

	for (unsigned i = 0; i < FACT_COUNT; i++)
		if (span_is(name, finding_facts[i].name))
			return expr_load(out, 0, 1);
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		if (!m->sets[kind] || !metric_compile(m->sets[kind], m->db, name, false, &expr, NULL))
			continue;
		expr_fini(&expr);
		return expr_load(out, 0, 1);
	}
	if (def)
		return lacks_metric(m, def, err);
	return err_set(err, 0, "this machine has no '%.*s'", SPAN_ARG(name));
}

static bool has_formula(struct machine *m, struct span text, struct err *err)
{
	struct expr expr;
	bool ok = expr_compile(&expr, text, has_name, m, err);

	if (ok)
		expr_fini(&expr);
	return ok;
}

static bool has_metric(const struct machine *m, const struct metric_def *def)
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (m->sets[kind] && metric_find(m->sets[kind], span_of(def->name)))
			return true;
	return false;
}

static void report_metrics(struct session *session, struct machine *m)
{
	const struct gpu_product *product = m->sets[SOURCE_GPU] ? m->sets[SOURCE_GPU]->product : NULL;

	for (unsigned i = 0; i < m->db->n_metrics; i++) {
		const struct metric_def *def = &m->db->metrics[i];
		const struct metric_variant *v = def->exprs;
		struct err why;

		while (v && !gpu_set_has(v->gpus, product))
			v = v->next;
		if (def->own && v && !has_metric(m, def) && !has_formula(m, v->text, &why))
			strbuf_printf(&session->notes, "%s:%u: metric %s: %s\n", def->file, v->line,
				      def->name, why.text);
	}
}

/* Whether this machine can evaluate one of the limits; the reason if not. */
static bool has_limit(struct machine *m, const struct finding_limit *limit, struct err *why)
{
	for (; limit; limit = limit->next) {
		struct span rest = limit->formulas;

		while (rest.n)
			if (has_formula(m, span_trim(span_until(&rest, '|')), why))
				return true;
	}
	return false;
}

static bool check_budget(struct session *session, struct machine *m, struct err *err)
{
	unsigned n_rules = 0, n_known = 0;

	for (unsigned i = 0; i < m->db->n_findings; i++) {
		const struct finding_def *def = &m->db->findings[i];
		struct err why = {0};

		if (def->kind != FINDING_RULE)
			continue;
		n_rules++;
		if (has_limit(m, def->whens, &why)) {
			n_known++;
			continue;
		}
		strbuf_printf(&session->notes, "%s:%u: %s is not checked: %s\n", def->file, def->line,
			      def->name, why.text);
		if (!n_known)
			err_set(err, 0, "--budget: %s:%u: %s: %s", def->file, def->line, def->name, why.text);
	}
	if (!n_rules)
		return err_set(err, 0,
			       "--budget: it has no finding: add one, as doc/data-format.md describes");
	return n_known > 0 || err_prefix(err, "nothing can be checked: ");
}

bool session_report_missing(struct session *session, const struct metric_set *const sets[SOURCE_KINDS],
			    struct err *err)
{
	struct machine m = {.db = session->db};

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		m.sets[kind] = sets[kind];
	report_metrics(session, &m);
	return !session->options->budget || check_budget(session, &m, err);
}
