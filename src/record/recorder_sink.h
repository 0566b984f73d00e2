/* recorder_sink: what a recorder makes of samples: rows of metrics (recorder_rows.c), or raw counters (recorder_mlog.c).
 *
 * It puts together in memory, and hands whole pieces to the file when it is flushed. Thread: one at a time; begin and end may be on
 * another one than what comes between.
 */
#ifndef MALITOP_RECORDER_SINK_H
#define MALITOP_RECORDER_SINK_H

#include "record/log_file.h"
#include "record/recorder.h"
#include "mlog/mlog.h"

struct recorder_sink;

/* false: the file failed, or what comes of it; nothing but free may be called then. */
struct recorder_sink_kind {
	bool (*begin)(struct recorder_sink *sink, struct err *err);
	bool (*sample)(struct recorder_sink *sink, const struct sample *sample,
		       struct err *err); /* of the session's sources at the start */
	bool (*note)(struct recorder_sink *sink, const struct mlog_note *note, struct err *err);
	bool (*flush)(struct recorder_sink *sink, struct err *err);
	bool (*end)(struct recorder_sink *sink, const struct export_command *total,
		    struct err *err); /* total: NULL without one */
	void (*free)(struct recorder_sink *sink);
};

struct recorder_sink {
	const struct recorder_sink_kind *kind;
	struct log_file *file; /* set before begin, and the recorder's */
	uint64_t rows;         /* that reached the file */
};

/* Nothing is written yet. NULL: no such metric. */
struct recorder_sink *recorder_rows_new(const struct session *session, const struct recorder_form *form, struct err *err);
/* In the order of the session's sources. It must outlive the sink. */
struct recorder_sink *recorder_mlog_new(const struct session *session);

#endif
