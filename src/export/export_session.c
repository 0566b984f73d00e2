#include "export/export_session.h"

#include "config.h"

#include <stdio.h>
#include <unistd.h>

#define PREFIX_TEXT 16
#define HOST_TEXT 65

static const struct export_format *const formats[FORMAT_COUNT] = {[FORMAT_TABLE] = &export_text,
								  [FORMAT_CSV] = &export_csv,
								  [FORMAT_JSONL] = &export_jsonl,
								  [FORMAT_PERFETTO] = &export_perfetto,
								  [FORMAT_COUNTERS] = &export_counters};

/* The first GPU has no prefix. */
static void choose_prefixes(const struct session *session, char prefixes[][PREFIX_TEXT])
{
	unsigned gpus = 0;

	for (unsigned i = 0; i < session->n; i++) {
		prefixes[i][0] = 0;
		if (session->sources[i].kind == SOURCE_GPU && gpus++ > 0)
			snprintf(prefixes[i], PREFIX_TEXT, "gpu%u:", gpus - 1);
	}
}

/* Where and when it was, or is. */
static void place(const struct session *session, struct export_options *options, char host[HOST_TEXT])
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

struct export *export_session(const struct session *session, const struct export_options *form, export_write_fn *write, void *ctx,
			      struct err *err)
{
	const struct options *o = session->options;
	struct export_source sources[SESSION_SOURCES_MAX] = {0};
	char prefixes[SESSION_SOURCES_MAX][PREFIX_TEXT], host[HOST_TEXT];
	struct export_options options = *form;

	choose_prefixes(session, prefixes);
	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];

		sources[i] = (struct export_source){.index = s->index,
						    .prefix = prefixes[i],
						    .title = s->title,
						    .driver = s->driver,
						    .set = s->set,
						    .db = session->db,
						    .period_ns = s->period_ns ? s->period_ns : o->interval_ns,
						    .simulated = s->simulated};
	}
	place(session, &options, host);
	options.per_core = o->per_core;
	options.step_ns = o->step_ns;
	options.version = PACKAGE_VERSION;
	return export_new(formats[o->format], &options, sources, session->n, write, ctx, err);
}
