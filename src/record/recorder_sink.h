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

/* flow: how much a stream may send, so that what arrives is new however slow the connection is.
 *
 * The reader acknowledges the bytes that it has taken. From the time that takes, this knows how
 * fast the connection is and what is on its way. Without acknowledgements nothing is limited.
 *
 * Thread: one.
 */

#define FLOW_WRITES 64

struct flow {
	bool on, slow;
	double rate; /* bytes per second; 0: not measured */
	uint64_t written, acked;
	struct {
		uint64_t end; /* bytes of the stream */
		int64_t at_ns;
	} writes[FLOW_WRITES]; /* those that were not acknowledged, the oldest first */
	unsigned n;
};

/* n bytes were written. */
void flow_wrote(struct flow *flow, size_t n, int64_t now_ns);
/* The reader has taken `bytes` of the stream so far. */
void flow_acked(struct flow *flow, uint64_t bytes, int64_t now_ns);
/* How many bytes may be written now: 0 if those on their way have to arrive first, SIZE_MAX without
 * acknowledgements. */
size_t flow_room(const struct flow *flow, int64_t now_ns);

/* lean: what a stream keeps on a slow connection (--lean): of each source one sample for a
 * block, the sum of those in it; of its values those that the profiling template, the verdict,
 * and the first lines of a screen are made of, and the times and names of passes, the others are
 * unknown; and the busiest processes.
 *
 * Thread: one at a time.
 */

#define LEAN_PROCESSES 20

struct lean;

/* Of the sources of a session, whose metrics must outlive it; seq[] is the number of the last
 * sample of each so far. */
struct lean *lean_new(const struct session *session, const uint64_t *seq);
void lean_free(struct lean *lean); /* NULL is fine */
/* Add a sample. Returns a sum that it does not belong to and that is complete, or NULL; it is valid
 * until the next call for this source. */
const struct sample *lean_add(struct lean *lean, const struct sample *sample);
/* Take the sum of a source, at the end of a block; NULL if there is none. */
const struct sample *lean_take(struct lean *lean, unsigned source);
/* A whole sample with the number that follows: sums are fewer than samples. Valid as above. */
const struct sample *lean_pass(struct lean *lean, const struct sample *sample);
/* Keep the rows that use most of the CPUs, with the processes of their threads. */
void lean_processes(struct process_list *list);

#endif
