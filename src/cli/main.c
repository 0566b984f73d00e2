/* main: from the command line to one of the commands. The only place that prints results and messages, and that exits. */
#include "cli/doctor.h"
#include "cli/eval.h"
#include "cli/export_log.h"
#include "cli/list.h"
#include "tui/live.h"
#include "cli/once.h"
#include "options/options.h"
#include "record/record.h"
#include "cli/stat.h"
#include "term/term.h"
#include "base/alloc.h"
#include "config.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell(const struct err *err)
{
	fprintf(stderr, "malitop: %s\n", err->text);
}

/* Results, all of them or a message: a full disk behind standard output is a failure as well. */
static int print(const struct strbuf *out, int status)
{
	if (out->n && (fwrite(out->p, 1, out->n, stdout) != out->n || fflush(stdout) != 0)) {
		if (errno != EPIPE)
			fprintf(stderr, "malitop: standard output: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	return status;
}

static int run_live(const struct sys *sys, const struct options *options, struct strbuf *out, struct err *err)
{
	bool ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	int end_signal = 0, status;

	if (options->once.w)
		return (int)once_run(sys, options, ascii, out, err);
	status = (int)live_run(sys, options, &end_signal, err);
	if (end_signal && status == EXIT_DONE) { /* end by the same signal, so that the parent sees it */
		if (err->text[0])
			tell(err);
		signal(end_signal, SIG_DFL);
		raise(end_signal);
	}
	return status;
}

static int run_with_data(const struct options *options, struct strbuf *out, struct err *err,
			 enum exit_status (*run)(const struct options *, const struct gpudb *, struct strbuf *, struct err *))
{
	struct gpudb *db = gpudb_load(options->gpudb, options->n_gpudb, err);
	int status = db ? (int)run(options, db, out, err) : EXIT_FAILED;

	gpudb_free(db);
	return status;
}

static int run(struct options *options, struct strbuf *out, struct err *err)
{
	static struct sys sys; /* for as long as the process lives, as options: a driver that never returns keeps both */

	if (options->command == COMMAND_EVAL)
		return run_with_data(options, out, err, eval_run);
	if (options->command == COMMAND_LIST)
		return run_with_data(options, out, err, list_run);
	if (!sys_init(&sys, NULL, err))
		return EXIT_FAILED;
	return options->command == COMMAND_RECORD   ? record_run(&sys, options, out, err)
	       : options->command == COMMAND_STAT   ? stat_run(&sys, options, err)
	       : options->command == COMMAND_EXPORT ? export_log_run(&sys, options, err)
	       : options->command == COMMAND_DOCTOR ? (int)doctor_run(&sys, options, out, err)
						    : run_live(&sys, options, out, err);
}

int main(int argc, char **argv)
{
	static struct options options;
	AUTO_STRBUF struct strbuf out = {0};
	struct err err = {0};
	int status;

	setlocale(LC_CTYPE, ""); /* numbers keep their point */
	status = (int)options_parse(&options, argc, argv, &err);
	if (status == EXIT_DONE) {
		if (options.help)
			options_help(&options, &out);
		else if (options.version)
			options_version(&out, PACKAGE_VERSION, MALITOP_BUILD_OPTIONS, "MIT licence");
		else if (options.print_config)
			options_print_config(&options, &out);
		else
			status = run(&options, &out, &err);
	}
	if (status == EXIT_FAILED && err.code == ERR_USAGE)
		status = EXIT_USAGE;
	if (err.text[0])
		tell(&err);
	return print(&out, status);
}
