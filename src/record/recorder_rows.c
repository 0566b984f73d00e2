/* A recorder's sink for rows of metrics: csv, jsonl, and whatever else export writes. */
#include "record/recorder_sink.h"

#include "export/export_session.h"
#include "base/alloc.h"

#include <stdlib.h>

struct rows {
	struct recorder_sink sink;
	struct export *export;
	struct strbuf pending; /* whole rows */
	uint64_t n;            /* rows in all */
};

static struct rows *of(struct recorder_sink *sink)
{
	return (struct rows *)sink;
}

static bool keep(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	strbuf_add(&of(ctx)->pending, bytes, n);
	return true;
}

static bool rows_flush(struct recorder_sink *sink, struct err *err)
{
	struct rows *r = of(sink);
	bool ok = log_file_write(sink->file, r->pending.p, r->pending.n, err);

	strbuf_clear(&r->pending);
	if (ok)
		sink->rows = r->n;
	return ok;
}

static bool rows_sample(struct recorder_sink *sink, const struct sample *sample, struct err *err)
{
	struct rows *r = of(sink);
	size_t before = r->pending.n;
	bool ok = export_sample(r->export, sample, err);

	r->n += r->pending.n > before;
	return ok;
}

/* Of what happens, rows have a place for marks at most. */
static bool rows_note(struct recorder_sink *sink, const struct mlog_note *note, struct err *err)
{
	return note->kind != MLOG_NOTE_MARK || export_mark(of(sink)->export, note->time_ns, note->text, err);
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

/* To begin with, the header waits. */
static const struct recorder_sink_kind rows = {
	.begin = rows_flush, .sample = rows_sample, .note = rows_note, .flush = rows_flush, .end = rows_end, .free = rows_free};

struct recorder_sink *recorder_rows_new(const struct session *session, const struct recorder_form *form, struct err *err)
{
	struct rows *r = xcalloc(1, sizeof(*r));

	r->sink.kind = &rows;
	r->export = export_session(
		session,
		&(struct export_options){
			.metrics = form->metrics, .exact = form->exact, .fastest = form->fastest, .lines = form->lines},
		keep, r, err);
	if (r->export)
		return &r->sink;
	rows_free(&r->sink);
	return NULL;
}
