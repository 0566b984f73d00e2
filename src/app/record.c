#include "app/record.h"

#include "app/measure.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool shows_progress(const struct measure *m)
{
	return isatty(STDERR_FILENO) && strcmp(m->options->log, "-") != 0;
}

static void tell_progress(const struct measure *m, double seconds)
{
	struct recorder_state state;

	if (!shows_progress(m))
		return;
	recorder_look(m->recorder, &state);
	fprintf(stderr, "\r%s: %.0f s, %llu samples, %.2f MB, %llu lost ", recorder_name(m->recorder), seconds,
		(unsigned long long)state.rows, (double)state.bytes / 1e6, (unsigned long long)state.lost);
}

int record_run(const struct sys *sys, struct options *options, struct strbuf *out, struct err *err)
{
	struct recorder_state state;
	struct measure m;
	char name[64];
	int status;

	if (!measure_open(&m, sys, options, err) || !measure_begin(&m, NULL, err))
		return m.status;
	measure_wait(&m, tell_progress);
	if (shows_progress(&m))
		fputs("\r\033[K", stderr);
	snprintf(name, sizeof(name), "%s", recorder_name(m.recorder));
	status = measure_end(&m, &state, err);
	if (strcmp(options->log, "-") != 0)
		strbuf_printf(out, "%s: %llu samples, %.2f MB, %llu lost\n", name, (unsigned long long)state.rows,
			      (double)state.bytes / 1e6, (unsigned long long)state.lost);
	return status;
}
