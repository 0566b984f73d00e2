#include "export/export_session.h"

#include "config.h"

#include <stdio.h>
#include <unistd.h>

#define HOST_TEXT 65

static const struct export_format *const formats[FORMAT_COUNT] = {[FORMAT_TABLE] = &export_text,
								  [FORMAT_CSV] = &export_csv,
								  [FORMAT_JSONL] = &export_jsonl,
								  [FORMAT_PERFETTO] = &export_perfetto,
								  [FORMAT_COUNTERS] = &export_counters,
								  [FORMAT_JUNIT] = &export_junit,
								  [FORMAT_OPENMETRICS] = &export_openmetrics,
								  [FORMAT_FOLDED] = &export_folded};

void export_session_sources(const struct session *session, struct export_sources *out)
{
	const struct options *o = session->options;
	unsigned numbers[SOURCE_KINDS] = {0};

	*out = (struct export_sources){0};
	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];
		unsigned number = numbers[s->kind]++;

		out->list[i] = (struct export_source){
			.index = s->index,
			.title = s->title,
			.driver = s->driver,
			.set = s->set,
			.db = session->db,
			.period_ns = s->period_ns ? s->period_ns : o->interval_ns,
			.kind = s->kind,
			.number = number,
			.simulated = s->simulated,
			.machine = o->command == COMMAND_STAT && o->cmd && s->kind != SOURCE_PERF};
		if (s->kind == SOURCE_GPU && number) /* the first GPU has no prefix */
			snprintf(out->list[i].prefix, sizeof(out->list[i].prefix), "gpu%u:", number);
	}
	if (session->mix)
		out->list[session->n] = (struct export_source){.index = session->mixed.index,
							       .prefix = "",
							       .title = session->mixed.title,
							       .driver = "",
							       .set = session->mix->set,
							       .mix = session->mix,
							       .db = session->db,
							       .period_ns = session->mixed.asked_ns,
							       .kind = SOURCE_MIX,
							       .simulated = session->mixed.simulated};
}

/* Set the host and the clocks. */
static void set_origin(const struct session *session, struct export_options *options, char host[HOST_TEXT])
{
	const struct mlog_about *log = session->log;
	const struct sys *sys = session->sys;
	char name[HOST_TEXT] = "";

	if (!log)
		gethostname(name, sizeof(name) - 1);
	options->host = str_printable(host, HOST_TEXT, log ? log->host : name);
	options->start_ns = log ? log->monotonic_ns : sys->monotonic_ns(sys);
	options->epoch_offset_ns = (log ? log->realtime_ns : sys->realtime_ns(sys)) - options->start_ns;
	options->boottime_ns = log ? 0 : sys->boottime_ns(sys);
}

static const struct export_format *format_of(const struct options *o, const struct export_options *form)
{
	bool wide = o->command == COMMAND_STAT && o->format == FORMAT_TABLE && !o->long_rows;

	if (form->format)
		return form->format;
	if (form->compare)
		return &export_compared;
	if (o->report)
		return &export_report;
	return form->repeat ? &export_totals : wide ? &export_wide : formats[o->format];
}

struct export *export_session(const struct session *session, const struct export_options *form,
			      export_write_fn *write, void *ctx, struct err *err)
{
	const struct options *o = session->options;
	struct export_options options = *form;
	struct export_sources sources;
	char host[HOST_TEXT];

	export_session_sources(session, &sources);
	set_origin(session, &options, host);
	options.per_core = o->per_core;
	options.several = o->n_logs > 1;
	options.units = o->units;
	options.step_ns = o->step_ns;
	options.findings = o->findings;
	options.fail_on = o->fail_on;
	options.version = PACKAGE_VERSION;
	return export_new(format_of(o, form), &options, sources.list, session->n + (session->mix != NULL),
			  write, ctx, err);
}
