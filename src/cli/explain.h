/* explain: `malitop explain NAME`: what a metric, a counter, a finding or a verdict means. */
#ifndef MALITOP_EXPLAIN_H
#define MALITOP_EXPLAIN_H

#include "options/options.h"

/* Append the explanation to *out. NAME is options->operand: a machine name, a hardware name, a
 * Streamline variable, or an event of the CPUs by name or number. Without --gpu
 * what holds for all GPUs, with all variants. */
enum exit_status explain_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			     struct err *err);

#endif
