#include "cli/commands.h"

#include "export/export_session.h"
#include "record/log_file.h"
#include "record/measure.h"
#include "base/alloc.h"
#include "base/message.h"

/* Limits of how often lines are flushed. */
#define FLUSH_MIN_NS 10000000ll
#define FLUSH_MAX_NS 250000000ll

/* The interval of the rows: the GPU's, else that of the fastest source. 0 if there is no source. */
static int64_t row_interval(const struct session *session)
{
	int64_t fastest = 0;

	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];

		if (s->kind == SOURCE_GPU)
			return s->period_ns;
		if (s->period_ns && (!fastest || s->period_ns < fastest))
			fastest = s->period_ns;
	}
	return fastest;
}

/* Load, clocks and memory of the machine say nothing of a command, unless nothing else is measured;
 * the GPU works for all. */
static char *choose_metrics(const struct session *session)
{
	const struct metric_set *sets[SESSION_SOURCES_MAX];
	const struct options *o = session->options;
	unsigned n = 0;

	for (unsigned i = 0; i < session->n; i++)
		if (!o->cmd || session->n == 1 || session->sources[i].kind != SOURCE_CPU)
			sets[n++] = session->sources[i].set;
	if (o->groups)
		return headline_of_groups(session->db, o->groups, o->events, o->n_events);
	return headline_choose(sets, n, o->events, o->n_events);
}

/* --metrics, and the events that were named beside them. */
static char *metrics_and_events(const struct options *o)
{
	AUTO_STRBUF struct strbuf names = {0};

	strbuf_str(&names, o->metrics);
	for (unsigned i = 0; i < o->n_events; i++)
		if (!strpbrk(o->events[i], ",*?[")) /* parameters of a PMU stand in the report */
			strbuf_printf(&names, ",%s", o->events[i]);
	return xstrdup(names.p);
}

static bool begin_stat(struct measure *m, struct export_repeat *repeat, struct err *err)
{
	const struct options *o = m->options;
	AUTOFREE char *chosen = o->metrics ? metrics_and_events(o) : choose_metrics(&m->session);
	int64_t flush_ns = o->interval_ns < FLUSH_MIN_NS ? FLUSH_MIN_NS : o->interval_ns;
	int64_t interval = row_interval(&m->session);
	bool cuts = o->delay_ns || (o->duration_ns && o->duration_ns < interval);

	return measure_begin(m,
			     &(struct recorder_form){
				     .export.metrics = chosen,
				     .export.exact = !o->metrics,
				     .export.repeat = repeat,
				     .cuts = cuts,
				     .export.lines = !o->cmd   ? EXPORT_ROWS
						     : o->rows ? EXPORT_ROWS_AND_TOTAL
							       : EXPORT_TOTAL,
				     .flush_ns = o->rows && flush_ns < FLUSH_MAX_NS ? flush_ns : FLUSH_MAX_NS,
			     },
			     err);
}

/* CMD ARG..., made printable. */
static char *command_text(char *const *cmd)
{
	AUTO_STRBUF struct strbuf words = {0};
	char *text;

	for (; *cmd; cmd++)
		strbuf_printf(&words, "%s%s", words.n ? " " : "", *cmd);
	text = xmalloc(words.n + 1);
	return str_printable(text, words.n + 1, words.p);
}

static void set_total(const struct measure *m, const char *text)
{
	const struct command *c = &m->command;
	struct export_command total = {.text = text,
				       .begin_ns = c->begin_ns,
				       .end_ns = c->end_ns,
				       .user_ns = c->user_ns,
				       .system_ns = c->system_ns,
				       .gpu_ns = command_gpu_ns(&m->gpu),
				       .gpu_bytes = m->gpu.most_bytes,
				       .gpu = m->gpu.n != 0,
				       .status = c->status,
				       .timed_out = m->timed_out};

	if (m->session.filter)
		total.counted_ns = sample_filter_open_ns(m->session.filter, m->sys, &total.n_parts);
	recorder_total(m->recorder, &total);
}

/* Measure once. With `repeat`, the total goes there instead of to the output. *timed_out is whether
 * --duration ended CMD. */
static int run_once(const struct sys *sys, struct options *options, const char *text,
		    struct export_repeat *repeat, bool *timed_out, struct err *err)
{
	struct recorder_state state;
	struct measure m;
	int status;
	bool first = !options->noted;

	*timed_out = false;
	if (!measure_open(&m, sys, options, err))
		return m.status;
	/* events of programs and the kernel are there on every machine, those of the hardware are
	 * not */
	for (unsigned i = 0; i < m.session.n; i++)
		if (first && !options->metrics && !options->groups && !options->n_events &&
		    m.session.sources[i].kind == SOURCE_PERF &&
		    !metric_find(m.session.sources[i].set, span_of("CPUCycles")))
			message("CPU: no hardware events: the kernel has no PMU that counts here, as in most "
				"virtual machines: see malitop doctor");
	if (!begin_stat(&m, repeat, err))
		return m.status;
	measure_wait(&m, NULL);
	if (m.command.ended)
		set_total(&m, text);
	status = measure_end(&m, &state, err);
	*timed_out = m.timed_out && !state.failed;
	if (state.lost)
		message("%llu sample%s %s lost: the output was not read fast enough, or the driver dropped "
			"them",
			(unsigned long long)state.lost, plural_ending(state.lost), was_or_were(state.lost));
	return status;
}

/* Run CMD until a run fails: its figures would not be comparable. Runs that --duration ends are all
 * as long. *status is that of the last run. */
static bool run_times(const struct sys *sys, struct options *options, const char *text, unsigned n,
		      struct export_repeat *repeat, int *status, struct err *err)
{
	for (unsigned i = 0; i < n; i++) {
		bool timed_out;

		*status = run_once(sys, options, text, repeat, &timed_out, err);
		if (*status == EXIT_DONE || timed_out)
			continue;
		message("run %u of %u exited with status %d: stopping", i + 1, n, *status);
		return false;
	}
	return true;
}

static int run_repeated(const struct sys *sys, struct options *options, const char *text, struct err *err)
{
	struct export_repeat *warm = export_repeat_new(), *repeat = export_repeat_new();
	AUTO_STRBUF struct strbuf out = {0};
	struct log_file *file;
	int status = EXIT_DONE;
	bool ok;

	if (run_times(sys, options, text, options->warmup, warm, &status, err))
		run_times(sys, options, text, options->repeat, repeat, &status, err);
	if (export_repeat_runs(repeat)) {
		export_repeat_print(repeat, options->format, text, options->warmup, &out);
		file = log_file_open(sys, options->log, &(struct log_file_options){.force = options->force},
				     err);
		ok = file && log_file_write(file, out.p, out.n, err);
		ok = log_file_close(file, ok ? err : NULL) && ok;
		if (!ok && status == EXIT_DONE)
			status = EXIT_FAILED;
	}
	export_repeat_free(warm);
	export_repeat_free(repeat);
	return status;
}

int stat_run(const struct sys *sys, struct options *options, struct err *err)
{
	AUTOFREE char *text = options->cmd ? command_text(options->cmd) : NULL;
	AUTOFREE char *all = headline_all();
	bool timed_out;

	if (options->stream)
		return export_log_run(sys, options, err);
	/* only these are shown; the report on CMD, and of the run, shows all */
	if (!options->cmd && !options->n_events && !options->groups && !options->report_file)
		options->counts = all;
	return options->repeat ? run_repeated(sys, options, text, err)
			       : run_once(sys, options, text, NULL, &timed_out, err);
}
