/* eval: `malitop eval --gpu NAME FILE`: every template metric of one raw counter table, exactly (cli.md; model/rational.h). */
#ifndef MALITOP_EVAL_H
#define MALITOP_EVAL_H

#include "options/options.h"
#include "model/gpudb.h"
#include "model/metric.h"

/* Evaluate the table in `text` (named `file` in messages) and append the result to *out. */
bool eval_table(const struct gpudb *db, const struct gpu_product *product, enum definitions definitions, const char *file,
		struct span text, struct strbuf *out, struct err *err);

/* The command: reads FILE ("-" is standard input) and appends to *out what belongs on standard output. */
enum exit_status eval_run(const struct options *options, const struct gpudb *db, struct strbuf *out, struct err *err);

#endif
