#include "cli/stat.h"

#include "cli/headline.h"
#include "record/measure.h"
#include "base/alloc.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>

/* Lines come out as they are made, but nobody reads faster than that. */
#define FLUSH_MIN_NS 10000000ll
#define FLUSH_MAX_NS 250000000ll

/* Without a GPU the rows are the fastest source's, and /proc is not fast. */
static void tell_interval(const struct session *session)
{
	int64_t asked = session->options->interval_ns, fastest = INT64_MAX;
	char have[UNITS_TEXT], want[UNITS_TEXT];

	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];

		if (s->kind == SOURCE_GPU)
			return;
		if (s->period_ns && s->period_ns < fastest)
			fastest = s->period_ns;
	}
	if (fastest != INT64_MAX && fastest > asked)
		fprintf(stderr, "malitop: this machine's CPU is sampled every %s, not every %s as asked for\n",
			time_format(have, fastest), time_format(want, asked));
}

static char *choose_metrics(const struct session *session)
{
	const struct metric_set *sets[SESSION_SOURCES_MAX];

	for (unsigned i = 0; i < session->n; i++)
		sets[i] = session->sources[i].set;
	return headline_choose(sets, session->n, session->options->events, session->options->n_events);
}

static bool begin(struct measure *m, struct err *err)
{
	const struct options *o = m->options;
	AUTOFREE char *headline = o->metrics ? NULL : choose_metrics(&m->session);
	int64_t flush_ns = o->interval_ns < FLUSH_MIN_NS ? FLUSH_MIN_NS : o->interval_ns;

	if (o->rows)
		tell_interval(&m->session);
	return measure_begin(m,
			     &(struct recorder_form){
				     .metrics = headline ? headline : o->metrics,
				     .exact = headline != NULL,
				     .fastest = true,
				     .lines = !o->cmd   ? EXPORT_ROWS
					      : o->rows ? EXPORT_ROWS_AND_TOTAL
							: EXPORT_TOTAL,
				     .flush_ns = o->rows && flush_ns < FLUSH_MAX_NS ? flush_ns : FLUSH_MAX_NS,
			     },
			     err);
}

/* CMD ARG..., as it may be shown. */
static char *command_text(char *const *cmd)
{
	AUTO_STRBUF struct strbuf words = {0};
	char *text;

	for (; *cmd; cmd++)
		strbuf_printf(&words, "%s%s", words.n ? " " : "", *cmd);
	text = xmalloc(words.n + 1);
	return str_printable(text, words.n + 1, words.p);
}

int stat_run(const struct sys *sys, struct options *options, struct err *err)
{
	AUTOFREE char *text = options->cmd ? command_text(options->cmd) : NULL;
	struct recorder_state state;
	struct measure m;
	int status;

	if (!measure_open(&m, sys, options, err) || !begin(&m, err))
		return m.status;
	measure_wait(&m, NULL);
	if (m.command.ended)
		recorder_total(m.recorder, &(struct export_command){.text = text,
								    .begin_ns = m.command.begin_ns,
								    .end_ns = m.command.end_ns,
								    .user_ns = m.command.user_ns,
								    .system_ns = m.command.system_ns,
								    .status = m.command.status});
	status = measure_end(&m, &state, err);
	if (state.lost)
		fprintf(stderr, "malitop: %llu samples were lost: what is written was too slow to be read\n",
			(unsigned long long)state.lost);
	if (err->code == EPIPE)
		err->text[0] = 0; /* whoever read has seen enough */
	return status;
}
