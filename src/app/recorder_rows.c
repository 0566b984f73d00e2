/* A recorder's sink for rows of metrics: csv, jsonl, and the tables of stat. */
#include "app/recorder_sink.h"

#include "base/alloc.h"
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct rows {
	struct recorder_sink sink;
	struct export *export;
	struct strbuf pending; /* whole lines */
	bool header_done;
	uint64_t n; /* in all */
};

static struct rows *of(struct recorder_sink *sink)
{
	return (struct rows *)sink;
}

static bool keep_line(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct rows *r = ctx;

	(void)err;
	for (const char *p = bytes, *end = p + n; r->header_done && p < end; p++)
		r->n += *p == '\n';
	strbuf_add(&r->pending, bytes, n);
	return true;
}

static bool rows_flush(struct recorder_sink *sink, struct err *err)
{
	struct rows *r = of(sink);
	bool ok = !r->pending.n || log_file_write(sink->file, r->pending.p, r->pending.n, err);

	strbuf_clear(&r->pending);
	if (ok)
		sink->rows = r->n;
	return ok;
}

/* The header was made with the export. */
static bool rows_begin(struct recorder_sink *sink, struct err *err)
{
	of(sink)->header_done = true;
	return rows_flush(sink, err);
}

static bool rows_sample(struct recorder_sink *sink, const struct sample *sample, struct err *err)
{
	return export_sample(of(sink)->export, sample, err);
}

/* Rows have no place for it. */
static bool rows_note(struct recorder_sink *sink, const struct mlog_note *note, struct err *err)
{
	(void)sink;
	(void)note;
	(void)err;
	return true;
}

static bool rows_end(struct recorder_sink *sink, const struct export_command *total, struct err *err)
{
	return (!total || export_total(of(sink)->export, total, err)) && rows_flush(sink, err);
}

static void rows_free(struct recorder_sink *sink)
{
	struct rows *r = of(sink);

	export_free(r->export);
	strbuf_fini(&r->pending);
	free(r);
}

static const struct recorder_sink_kind rows = {
	.begin = rows_begin, .sample = rows_sample, .note = rows_note, .flush = rows_flush, .end = rows_end, .free = rows_free};

static const struct export_format *const formats[] = {
	[FORMAT_TABLE] = &export_text, [FORMAT_CSV] = &export_csv, [FORMAT_JSONL] = &export_jsonl};

struct recorder_sink *recorder_rows_new(const struct session *session, const struct recorder_form *form, struct err *err)
{
	const struct options *o = session->options;
	struct export_source sources[SESSION_SOURCES_MAX] = {0};
	char host[65] = "", prefixes[SESSION_SOURCES_MAX][16], printable[65];
	struct rows *r = xcalloc(1, sizeof(*r));
	unsigned gpus = 0;

	gethostname(host, sizeof(host) - 1);
	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];

		prefixes[i][0] = 0;
		if (s->kind == SOURCE_GPU && gpus++ > 0)
			snprintf(prefixes[i], sizeof(prefixes[i]), "gpu%u:", gpus - 1);
		sources[i] = (struct export_source){.index = i,
						    .prefix = prefixes[i],
						    .title = s->title,
						    .driver = s->driver,
						    .set = s->set,
						    .db = session->db,
						    .period_ns = s->period_ns ? s->period_ns : o->interval_ns};
	}
	r->sink.kind = &rows;
	r->export = export_new(formats[o->format],
			       &(struct export_options){.metrics = form->metrics,
							.exact = form->exact,
							.fastest = form->fastest,
							.lines = form->lines,
							.per_core = o->per_core,
							.epoch_offset_ns = session->sys->realtime_ns(session->sys) -
									   session->sys->monotonic_ns(session->sys),
							.host = str_printable(printable, sizeof(printable), host),
							.version = PACKAGE_VERSION},
			       sources, session->n, keep_line, r, err);
	if (r->export)
		return &r->sink;
	rows_free(&r->sink);
	return NULL;
}
