/* list: `malitop list`, as a table, CSV or JSON lines (malitop(1)). */
#ifndef MALITOP_LIST_H
#define MALITOP_LIST_H

#include "options/options.h"

/* Append the list to *out. */
enum exit_status list_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			  struct err *err);

/* Call `add` for each row of a list, for one GPU or for all (NULL). Names repeat if GPUs share
 * them. */
bool list_each_name(enum list_name list, const struct gpudb *db, const struct gpu_product *only,
		    void (*add)(void *ctx, const char *name, const char *title), void *ctx, struct err *err);

/* All metrics that a source of this GPU can have; NULL on failure. Free it with metric_set_free. */
struct metric_set *list_metric_set(const struct gpudb *db, const struct gpu_product *product,
				   struct err *err);

#endif
