/* main: parse the command line and run the command. Only main prints results and exits. */
#include "cli/commands.h"
#include "cli/doctor.h"
#include "tui/boards.h"
#include "tui/live.h"
#include "options/options.h"
#include "record/measure.h"
#include "report/report.h"
#include "serve/serve.h"
#include "term/term.h"
#include "base/alloc.h"
#include "base/charset.h"
#include "base/message.h"
#include "config.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Print the results. It is a failure if they cannot all be written (a full disk), but not if the
 * reader closes the pipe early. */
static int print_results(const struct strbuf *out, int status)
{
	signal(SIGPIPE, SIG_IGN); /* CMD would inherit this, but it has already ended */
	if (!out->n || (fwrite(out->p, 1, out->n, stdout) == out->n && fflush(stdout) == 0) || errno == EPIPE)
		return status;
	message("standard output: %s", strerror(errno));
	return EXIT_FAILED;
}

static int run_live(const struct sys *sys, const struct options *options, struct strbuf *out, struct err *err)
{
	bool ascii = options->ascii || !charset_is_utf8();
	int end_signal = 0, status;
	bool boards = options->n_wheres > 1;

	if (options->once.w)
		return (int)(boards ? boards_live_once : once_run)(sys, options, ascii, out, err);
	status = (int)(boards ? boards_live_run : live_run)(sys, options, &end_signal, err);
	if (end_signal && status == EXIT_DONE) { /* die of the same signal, so that the parent sees it */
		if (err->text[0])
			message("%s", err->text);
		signal(end_signal, SIG_DFL);
		raise(end_signal);
	}
	return status;
}

/* record and stat, with --report. */
static int run_measuring(const struct sys *sys, struct options *options, struct strbuf *out, struct err *err)
{
	struct report_of_run report;
	int status;

	if (options->report_file && !report_begin(&report, sys, options, err))
		return EXIT_FAILED;
	status = options->command == COMMAND_RECORD ? record_run(sys, options, out, err)
						    : stat_run(sys, options, err);
	return options->report_file ? report_end(&report, sys, options, status) : status;
}

/* Commands that only need the data. */
static const struct {
	enum command_word command;
	enum exit_status (*run)(const struct options *, const struct gpudb *, struct strbuf *, struct err *);
} data_commands[] = {{COMMAND_EVAL, eval_run},
		     {COMMAND_EXPLAIN, explain_run},
		     {COMMAND_COMPLETE, complete_run},
		     {COMMAND_LIST, list_run}};

static int run_command(struct options *options, struct strbuf *out, struct err *err)
{
	static struct sys
		sys; /* static as options are: a thread stuck in a driver uses both until the exit */

	for (size_t i = 0; i < ARRAY_LEN(data_commands); i++)
		if (options->command == data_commands[i].command) {
			struct gpudb *db = gpudb_load(options->gpudb, options->n_gpudb, err);
			int status = db ? (int)data_commands[i].run(options, db, out, err) : EXIT_FAILED;

			gpudb_free(db);
			return status;
		}
	if (!sys_init(&sys, NULL, err))
		return EXIT_FAILED;
	if (options->command == COMMAND_PASSES)
		return layer_environment_print(&sys, out, err) ? EXIT_DONE : EXIT_FAILED;
	return options->command == COMMAND_RECORD || options->command == COMMAND_STAT
		       ? run_measuring(&sys, options, out, err)
	       : options->command == COMMAND_EXPORT ? export_log_run(&sys, options, err)
	       : options->command == COMMAND_REPORT ? report_run(&sys, options, err)
	       : options->command == COMMAND_SERVE  ? serve_run(&sys, options, err)
	       : options->command == COMMAND_ON && options->remote_command != COMMAND_ON
		       ? on_run(&sys, options, err)
	       : options->command == COMMAND_DOCTOR ? (int)doctor_run(&sys, options, out, err)
						    : run_live(&sys, options, out, err);
}

int main(int argc, char **argv)
{
	static struct options options;
	AUTO_STRBUF struct strbuf out = {0};
	struct err err = {0};
	int status;

	charset_init();
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1); /* threads that measure hardly allocate: they need no heaps of their own */
	/* glibc would raise it when the first large block is freed. Rings then lie in the heap,
	 * where even what no sample has reached is in memory. */
	mallopt(M_MMAP_THRESHOLD, 32 << 10);
#endif
	status = (int)options_parse(&options, argc, argv, &err);
	if (status == EXIT_DONE) {
		if (options.help)
			options_help(&options, &out);
		else if (options.version)
			options_version(&out, PACKAGE_VERSION, MALITOP_BUILD_OPTIONS, "MIT licence");
		else if (options.print_config)
			options_print_config(&options, &out);
		else
			status = run_command(&options, &out, &err);
	}
	if (status == EXIT_FAILED && err.code == ERR_USAGE)
		status = EXIT_USAGE;
	if (err.text[0])
		message("%s", err.text);
	return print_results(&out, status);
}
