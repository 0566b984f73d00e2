#include "record/record.h"

#include "record/measure.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A command has the terminal for itself. */
static bool shows_progress(const struct options *o)
{
	return isatty(STDERR_FILENO) && !o->cmd && strcmp(o->log, "-") != 0;
}

/* "1:02:03  3723 samples, 1.23 MB, 0 lost: run.mlog", as much of it as a terminal of 80 columns has room for. */
static void tell_progress(const struct measure *m, double seconds)
{
	struct recorder_state state;
	unsigned s = (unsigned)seconds;

	recorder_look(m->recorder, &state);
	fprintf(stderr, MEASURE_CLEAR "%u:%02u:%02u  %llu samples, %.2f MB, %llu lost: %.24s ", s / 3600, s / 60 % 60, s % 60,
		(unsigned long long)state.rows, (double)state.bytes / 1e6, (unsigned long long)state.lost,
		recorder_name(m->recorder));
}

int record_run(const struct sys *sys, struct options *options, struct strbuf *out, struct err *err)
{
	struct recorder_state state;
	struct measure m;
	char name[64];
	int status;

	if (!measure_open(&m, sys, options, err) || !measure_begin(&m, NULL, err))
		return m.status;
	m.clears_line = shows_progress(options);
	measure_wait(&m, m.clears_line ? tell_progress : NULL);
	if (m.clears_line)
		fputs(MEASURE_CLEAR, stderr);
	snprintf(name, sizeof(name), "%s", recorder_name(m.recorder));
	status = measure_end(&m, &state, err);
	if (strcmp(options->log, "-") != 0)
		strbuf_printf(out, "%s: %llu samples, %.2f MB, %llu lost\n", name, (unsigned long long)state.rows,
			      (double)state.bytes / 1e6, (unsigned long long)state.lost);
	return status;
}
