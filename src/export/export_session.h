/* export_session: exports the sources of a session, live or of a log, as rows of metrics. recorder
 * and export use it. */
#ifndef MALITOP_EXPORT_SESSION_H
#define MALITOP_EXPORT_SESSION_H

#include "options/options.h"
#include "export/export.h"
#include "session/session.h"

/* The sources of a session, as arguments of export_new. */
struct export_sources {
	struct export_source list[SESSION_SOURCES_MAX + 1]; /* a mix is the last one */
};
/* Fill `out`, which is valid as long as the session. */
void export_session_sources(const struct session *session, struct export_sources *out);
/* Like export_new, in the format of the session's options. `form` selects metrics and lines. Host
 * and wall clock are this machine's for a live session, else those of the log. */
struct export *export_session(const struct session *session, const struct export_options *form,
			      export_write_fn *write, void *ctx, struct err *err);

/* export_compare: the totals of two logs side by side. */

struct export_compare *export_compare_new(void);
void export_compare_free(struct export_compare *compare); /* NULL is fine */
/* Call this after the total of a log, with its name and verdict ("" without one), both printable.
 * The totals of the next export belong to the second log. */
void export_compare_end(struct export_compare *compare, const char *name, const char *verdict);
/* Append the changes, the largest first, as a table, CSV or JSON lines. */
void export_compare_print(struct export_compare *compare, enum output_format format, struct strbuf *out);

/* Collects the total of a log in options.compare, and writes nothing. */
extern const struct export_format export_compared;

/* export_repeat: statistics of the totals of several runs of a command. */

struct export_repeat *export_repeat_new(void);
void export_repeat_free(struct export_repeat *repeat);
/* Return the number of runs so far. */
unsigned export_repeat_runs(const struct export_repeat *repeat);
/* Append mean, standard deviation in percent of the mean, minimum and maximum of each figure, as a
 * table, CSV or JSON lines. `command` is printable. `warmup` runs came before. */
void export_repeat_print(const struct export_repeat *repeat, enum output_format format, const char *command,
			 unsigned warmup, struct strbuf *out);

/* Collects the total of a run in options.repeat, and writes nothing. */
extern const struct export_format export_totals;

#endif
