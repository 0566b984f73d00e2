/* eval: `malitop eval --gpu NAME FILE`: print every template metric of one raw counter table with
 * 12 significant digits. Uses the same evaluator as the screen and the logs. */
#ifndef MALITOP_EVAL_H
#define MALITOP_EVAL_H

#include "options/options.h"
#include "model/gpudb.h"
#include "model/metric.h"

/* Evaluate the table in `text` (named `file` in messages) and append the result to *out. */
bool eval_table(const struct gpudb *db, const struct gpu_product *product, enum definitions definitions,
		const char *file, struct span text, struct strbuf *out, struct err *err);

/* `eval --findings`: judge one or several samples of counters, and append the verdict and the
 * findings as `stat --findings` writes them. */
enum exit_status eval_findings(const struct options *options, const struct gpudb *db,
			       const struct gpu_product *product, const char *file, struct span text,
			       struct strbuf *out, struct err *err);

/* The command: read FILE ("-" is standard input) and append the result to *out. */
enum exit_status eval_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			  struct err *err);

#endif
