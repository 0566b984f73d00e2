/* commands: one function per command that has no room of its own. Each returns the exit status; if
 * that is EXIT_FAILED or EXIT_USAGE, *err has the message. What is to be printed is appended to
 * *out, unless the command writes to --log ("-" is standard output). */
#ifndef MALITOP_COMMANDS_H
#define MALITOP_COMMANDS_H

#include "base/sys.h"
#include "model/cpu_event.h"
#include "model/gpudb.h"
#include "model/metric.h"
#include "options/options.h"

/* `malitop complete -- WORD...`, which the completions of the shells ask (doc/malitop.1): a line
 * that says what else may follow (struct option_completion), then a line "TEXT<tab>HELP" per
 * candidate. */
enum exit_status complete_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			      struct err *err);

/* `malitop eval --gpu NAME FILE`: every template metric of one raw counter table with 12
 * significant digits, by the same evaluator as the screen and the logs. FILE "-" is standard
 * input. */
enum exit_status eval_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			  struct err *err);
/* The same of the table in `text`, named `file` in messages. */
bool eval_table(const struct gpudb *db, const struct gpu_product *product, enum definitions definitions,
		const char *file, struct span text, struct strbuf *out, struct err *err);
/* `eval --findings`: judge one or several samples of counters: the verdict and the findings as
 * `stat --findings` writes them. */
enum exit_status eval_findings(const struct options *options, const struct gpudb *db,
			       const struct gpu_product *product, const char *file, struct span text,
			       struct strbuf *out, struct err *err);

/* `malitop explain NAME`: what a metric, a counter, a finding or a verdict means. NAME is
 * options->operand: a machine name, a hardware name, a Streamline variable, or an event of the CPUs
 * by name or number. Without --gpu what holds for all GPUs, with all variants. */
enum exit_status explain_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			     struct err *err);

/* `malitop list`, as a table, CSV or JSON lines. */
enum exit_status list_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			  struct err *err);
/* Call `add` for each row of a list, for one GPU or for all (NULL). Names repeat if GPUs share
 * them. */
bool list_each_name(enum list_name list, const struct gpudb *db, const struct gpu_product *only,
		    void (*add)(void *ctx, const char *name, const char *title), void *ctx, struct err *err);
/* All metrics that a source of this GPU can have; NULL on failure. Free it with metric_set_free. */
struct metric_set *list_metric_set(const struct gpudb *db, const struct gpu_product *product,
				   struct err *err);

/* `malitop export`: options->operand as rows of metrics in options->log, as far as the log can be
 * read; what is missing is reported on standard error. Damage inside the log is a failure. It is
 * not a failure if the log ends early or still grows, or if the reader of the output closes the
 * pipe. */
int export_log_run(const struct sys *sys, const struct options *options, struct err *err);

/* Run options->remote_command on another machine. What it prints, or the log, is the output here,
 * or the file of --log. Ctrl-C ends it there, and waits for the rest. Returns its exit status. */
int on_run(const struct sys *sys, const struct options *options, struct err *err);

/* `--once`: sample for options->frames refreshes, and print the frame as plain text. */
enum exit_status once_run(const struct sys *sys, const struct options *options, bool ascii,
			  struct strbuf *out, struct err *err);

/* `malitop stat`: metrics per interval until --duration, SIGINT or SIGTERM, or the totals for CMD,
 * whose exit status it then has (128 + signal, 127 not found, 126 not executable). */
int stat_run(const struct sys *sys, struct options *options, struct err *err);

/* The metrics that stat shows without --metrics (headline.c), with commas; "" if there are none.
 * The caller frees them. The events of --event come first, then up to HEADLINE_METRICS in all of
 * the most important ones, as far as one of the sets has them; */
#define HEADLINE_METRICS 12
char *headline_choose(const struct metric_set *const *sets, unsigned n_sets, const char *const *events,
		      unsigned n_events);
/* or those of groups, whose names, with commas, exist; */
char *headline_of_groups(const struct gpudb *db, const char *groups, const char *const *events,
			 unsigned n_events);
/* or every one that may be chosen. */
char *headline_all(void);

#endif
