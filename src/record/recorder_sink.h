/* recorder_sink: turns samples into rows of metrics (recorder_rows.c) or raw counters
 * (recorder_mlog.c).
 *
 * It collects data in memory and writes whole pieces to the file when it is flushed. Thread: the
 * recorder's; new and free run on its owner's.
 */
#ifndef MALITOP_RECORDER_SINK_H
#define MALITOP_RECORDER_SINK_H

#include "record/log_file.h"
#include "record/recorder.h"
#include "session/scanner.h"
#include "mlog/mlog.h"

struct recorder_sink;

/* Functions return false if writing failed; only free may be called after that. */
struct recorder_sink_kind {
	bool (*begin)(struct recorder_sink *sink, struct err *err);
	bool (*sample)(struct recorder_sink *sink, const struct sample *sample,
		       struct err *err); /* from the session's sources at the start */
	bool (*note)(struct recorder_sink *sink, const struct mlog_note *note, struct err *err);
	bool (*flush)(struct recorder_sink *sink, struct err *err);
	bool (*end)(struct recorder_sink *sink, const struct export_command *total,
		    struct err *err); /* `total` may be NULL */
	void (*free)(struct recorder_sink *sink);
};

/* What the reader of a stream asked for (control.h). */
struct recorder_reader {
	bool acks, lean;
	uint64_t acked; /* bytes that it has taken */
	int64_t acked_ns;
};

struct recorder_sink {
	const struct recorder_sink_kind *kind;
	struct log_file *file;         /* set before begin; owned by the recorder */
	uint64_t rows;                 /* written to the file, failed samples excluded */
	int64_t interval_ns;           /* of the rows; 0 if each source has its own */
	struct watch *watch;           /* judges the run; NULL: not judged; owned by the sink */
	struct recorder_reader reader; /* set before each flush */
	struct scanner *scanner;       /* of processes; NULL: they are not read; owned by the sink */
};

/* Make the scanner of the sink, if there is a CPU whose processes can be read. */
bool recorder_sink_scan(struct recorder_sink *sink, const struct session *session, struct err *err);

/* Prepare rows; writes nothing yet. Returns NULL if a metric does not exist. */
struct recorder_sink *recorder_rows_new(const struct session *session, const struct recorder_form *form,
					struct err *err);
/* Prepare raw counters, sources in the order of the session, which must outlive the sink. */
struct recorder_sink *recorder_mlog_new(const struct session *session);

#endif
