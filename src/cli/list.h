/* list: `malitop list gpus|counters|metrics|views|backends`, as a table for people, as CSV or as JSON lines (cli.md). */
#ifndef MALITOP_LIST_H
#define MALITOP_LIST_H

#include "options/options.h"

/* Append the list to *out. */
enum exit_status list_run(const struct options *options, const struct gpudb *db, struct strbuf *out, struct err *err);

#endif
