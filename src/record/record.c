#include "record/measure.h"

#include "mlog/mlog_stream.h"
#include "base/message.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "1:02:03 3723 samples, 1.23 MB, 0 lost: run.mlog", cut to 80 columns. */
static void show_progress(const struct measure *m, double seconds)
{
	struct recorder_state state;
	unsigned s = (unsigned)seconds;

	recorder_look(m->recorder, &state);
	message_progress("%u:%02u:%02u  %llu sample%s, %.2f MB, %llu lost: %.24s ", s / 3600, s / 60 % 60,
			 s % 60, (unsigned long long)state.rows, plural_ending(state.rows),
			 (double)state.bytes / 1e6, (unsigned long long)state.lost,
			 recorder_name(m->recorder));
}

int record_run(const struct sys *sys, struct options *options, struct strbuf *out, struct err *err)
{
	struct recorder_state state;
	struct measure m;
	AUTO_STRBUF struct strbuf report = {0};
	bool streams = strcmp(options->log, "-") == 0; /* standard output is the log's */
	unsigned n_sources = 0;
	char name[64];
	int status;

	if (streams && options->format == FORMAT_MLOG && isatty(STDOUT_FILENO)) {
		bool has_reader = options->control && strcmp(options->control, "-") == 0;

		err_set(err, ERR_USAGE, "--log: a stream of counters is not for a terminal: %s",
			has_reader ? "the connection makes one: " MLOG_NO_TERMINAL
				   : "pipe it into 'malitop -', or give -o FILE.mlog");
		return EXIT_USAGE;
	}
	if (!measure_open(&m, sys, options, err) || !measure_begin(&m, NULL, err))
		return m.status;
	m.shows_progress = isatty(STDERR_FILENO) && !options->cmd; /* which has the terminal to itself */
	measure_wait(&m, m.shows_progress ? show_progress : NULL);
	message_progress_end();
	snprintf(name, sizeof(name), "%s", streams ? "stream" : recorder_name(m.recorder));
	status = measure_end(&m, &state, err);
	for (unsigned i = 0; i < SESSION_SOURCES_MAX; i++)
		n_sources += state.n_samples[i] != 0;
	strbuf_printf(&report, "%s: %llu sample%s", name, (unsigned long long)state.rows,
		      plural_ending(state.rows));
	if (options->format == FORMAT_MLOG && n_sources > 1) /* which all have their own */
		strbuf_printf(&report, " of %u sources", n_sources);
	if (state.n_failed)
		strbuf_printf(&report, ", %llu failed", (unsigned long long)state.n_failed);
	strbuf_printf(&report, ", %.2f MB, %llu lost\n", (double)state.bytes / 1e6,
		      (unsigned long long)state.lost);
	if (state.verdict[0])
		strbuf_printf(&report, "verdict: %s\n", state.verdict);
	if (state.others[0])
		strbuf_printf(&report, "no frames of the command: %s has some, which it did not start\n",
			      state.others);
	for (struct span rest = {report.p, report.n}, line; streams && rest.n;) {
		line = span_until(&rest, '\n');
		message("%.*s", SPAN_ARG(line));
	}
	if (!streams)
		strbuf_str(out, report.p);
	if (!state.lost || options->keep_going)
		return status;
	if (!state.failed)
		err_set(err, 0, "%s: see --keep-going and --interval", state.err.text);
	return status == EXIT_DONE ? EXIT_FAILED : status;
}
