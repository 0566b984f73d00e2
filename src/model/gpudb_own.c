/* Screens in the user's own files, as far as they are data: the formulas of their charts. */
#include "base/alloc.h"
#include "model/gpudb_parse.h"
#include "model/metric.h"

#include <stdlib.h>
#include <string.h>

bool own_is_screen(struct span keyword)
{
	return span_is(keyword, "view") || span_is(keyword, "chart") || span_is(keyword, "options") ||
	       span_is(keyword, "keys") || span_is(keyword, "boards");
}

char *gpudb_own_name(struct span view, struct span chart, unsigned n)
{
	return xasprintf("%.*s.%.*s.%u", SPAN_ARG(view), SPAN_ARG(chart), n);
}

/* FORMULA [| label [/ brief] [| unit]] */
static bool add_formula(struct gpudb *db, char *name, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	struct span rest = line->value, formula = span_trim(span_until(&rest, '|'));
	struct span label = span_trim(span_until(&rest, '|')), unit = span_trim(rest);
	struct metric_variant *v = gpudb_alloc(db, sizeof(*v));
	struct metric_def def = {.name = gpudb_string(db, span_of(name)),
				 .group = "",
				 .help = SPAN_LIT("A formula of the user's own."),
				 .file = s->file,
				 .exprs = v};

	free(name);
	if (!formula.n)
		return stanza_fail(s, line->line, err,
				   "expr without a formula: expected FORMULA [| label [| unit]]");
	*v = (struct metric_variant){.text = formula, .line = line->line};
	def.title = gpudb_string(db, label.n ? label : formula);
	def.short_title = def.title;
	def.unit = unit_find(unit.n ? unit : SPAN_LIT("count"));
	if (!def.unit)
		return stanza_fail(s, line->line, err,
				   "unit '%.*s' is not known: expected one such as cycles, percent, bytes, "
				   "count or ratio",
				   SPAN_ARG(unit));
	*gpudb_metric_slot(db, def.name) = def;
	return true;
}

bool own_screen_parse(struct gpudb *db, struct own_reader *own, struct stanza *s,
		      const struct stanza_line *open, struct err *err)
{
	bool is_chart = span_is(open->key, "chart");
	struct span chart = open->value;
	struct stanza_line line;
	unsigned n = 0;

	if (span_is(open->key, "view"))
		own->view = open->value;
	for (;;) {
		if (!stanza_next(s, &line, err))
			return false;
		if (line.kind == STANZA_OPEN || line.kind == STANZA_END)
			break;
		if (is_chart && line.kind == STANZA_FIELD && span_is(line.key, "expr") &&
		    !add_formula(db, gpudb_own_name(own->view, chart, ++n), s, &line, err))
			return false;
	}
	stanza_back(s, &line);
	return true;
}
