#include "model/finding.h"

#include "model/template.h"

#include <string.h>

const char *const finding_severity_names[] = {"note", "warning", "critical", NULL};
const char *const finding_fact_names[FACT_COUNT] = {"$BusiestThread", "$FrameRate", "$BusiestThreadWaits"};
const char *const finding_fact_titles[FACT_COUNT] = {"Busiest thread", "Frame rate",
						     "Busiest thread waits for a CPU"};

const char *const finding_fact_units[FACT_COUNT] = {"percent", "frames/second", "percent"};

const struct finding_def *finding_find(const struct gpudb *db, enum finding_kind kind, struct span name)
{
	for (unsigned i = 0; i < db->n_findings; i++)
		if (db->findings[i].kind == kind && span_is(name, db->findings[i].name))
			return &db->findings[i];
	return NULL;
}

struct span finding_text(const struct metric_variant *variants, const struct gpu_product *product)
{
	for (; variants; variants = variants->next)
		if (gpu_set_has(variants->gpus, product))
			return variants->text;
	return (struct span){"", 0};
}

const char *finding_origin(const struct finding_def *def)
{
	return def->house ? "house" : def->guide.n ? "guide" : "own";
}

struct span finding_guide(const struct gpudb *db, const struct finding_def *def,
			  const struct gpu_product *product)
{
	const struct metric_template *guide = product ? template_for(db, product) : NULL;
	struct span rest = def->guide;

	while (rest.n) {
		struct span one = span_trim(span_until(&rest, ',')), words = one;

		if (guide && span_is(span_word(&words), guide->name))
			return one;
	}
	return (struct span){"", 0};
}
