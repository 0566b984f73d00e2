/* export_repeat: statistics of the totals of several runs of a command. */
#ifndef MALITOP_EXPORT_REPEAT_H
#define MALITOP_EXPORT_REPEAT_H

#include "export/export.h"
#include "options/options.h"

struct export_repeat *export_repeat_new(void);
void export_repeat_free(struct export_repeat *repeat);
/* Number of runs so far. */
unsigned export_repeat_runs(const struct export_repeat *repeat);
/* Append mean, standard deviation in percent of it, minimum and maximum of each figure, as a table,
 * CSV or JSON lines. `command` is printable; `warmup` runs came before. */
void export_repeat_print(const struct export_repeat *repeat, enum output_format format, const char *command,
			 unsigned warmup, struct strbuf *out);

/* Collects the total of a run in options.repeat, and writes nothing. */
extern const struct export_format export_totals;

#endif
