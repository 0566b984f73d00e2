/* recorder: the thread that waits for the disk, so that nobody else does: from a ring of its own into a file (log_file.h), as rows of
 * metrics or as raw counters (recorder_sink.h).
 *
 * Thread: all functions on the thread that owns the session. A disk that is too slow for 4 s costs samples, which are counted and
 * flagged as a gap; a disk that fails ends the log with one message, and what was written stays whole lines or blocks. A log has only
 * the sources that were there at its start.
 */
#ifndef MALITOP_RECORDER_H
#define MALITOP_RECORDER_H

#include "export/export.h"
#include "session/session.h"
#include "mlog/mlog.h"

struct recorder;

/* Create the file ("-": standard output), which must not exist unless options->force, and start: a log as options->format says. It
 * begins with the next sample. NULL on failure. */
struct recorder *recorder_start(struct session *session, const char *path, struct err *err);
/* A log of raw counters under a name that nobody gave: whatever the options say, in a new file. On failure err->code tells EEXIST. */
struct recorder *recorder_start_mlog(struct session *session, const char *path, struct err *err);
/* The same for what is no log, but rows. */
struct recorder_form {
	const char *metrics; /* as in struct export_options */
	bool exact, fastest;
	enum export_lines lines; /* with a total, sources begin and end an interval with it where they can */
	int64_t flush_ns;        /* rows reach the file that often */
};
struct recorder *recorder_start_as(struct session *session, const char *path, const struct recorder_form *form, struct err *err);

struct recorder_state {
	uint64_t bytes; /* whole pieces, in all files of a log */
	uint64_t rows;  /* of raw counters: samples */
	uint64_t lost;
	bool ended; /* whole and closed, or failed and closed: recorder_stop need not wait */
	bool failed;
	struct err err; /* if failed */
};
void recorder_look(struct recorder *r, struct recorder_state *state);
/* "run.csv": the name without its directories, printable. */
const char *recorder_name(const struct recorder *r);

/* A mark, numbered from 1; any text, "" for none. Returns its number. */
unsigned recorder_mark(struct recorder *r, int64_t time_ns, const char *text);
/* What happened just now, any text; source: its place in session->sources, -1 for none. */
void recorder_note(struct recorder *r, enum mlog_note_kind kind, int source, const char *text);
/* Note what the user was told ("" for nothing), and which sources went away and came back: after every session_event. A process that is
 * counted alone is away for good when another one has its seat. */
void recorder_follow(struct recorder *r, const char *text);

/* The total that recorder_stop shall write; *command is copied, its text must live until then. */
void recorder_total(struct recorder *r, const struct export_command *command);

/* No sample from now on: what waits is written and the file closed, while nobody waits for it. */
void recorder_end(struct recorder *r);
/* The same, and wait for it a second. If that is not enough, false, and a line on standard error: whoever waits on with recorder_stop
 * must let signals end the program. */
bool recorder_await(struct recorder *r);
/* The same, but wait for it however long, and free. false if the log had failed, with its message. */
bool recorder_stop(struct recorder *r, struct recorder_state *state);
/* The same for a log that should not have begun: the file goes, if it was created. */
void recorder_drop(struct recorder *r);

#endif
