/* recorder: a thread that writes samples from its own subscriber to a file (log_file.h), as rows of
 * metrics or as raw counters (recorder_sink.h), so that only it waits for the disk.
 *
 * Thread: the thread that owns the session calls all functions. If the disk stalls for more than 4
 * s, samples are lost. They are counted, and the log has a gap in their place, also at its end.
 * Marks and other notes are placed among the samples of their time. A disk error ends the log with
 * one message; what was written stays complete lines or blocks. A log contains only the sources
 * that existed at its start.
 */
#ifndef MALITOP_RECORDER_H
#define MALITOP_RECORDER_H

#include "export/export.h"
#include "export/export_findings.h"
#include "session/session.h"
#include "mlog/mlog.h"

struct recorder;

/* Create the file and start a log in the format of the options; "-" is standard output. An existing
 * file needs options->force. The log begins with the next sample. Waits at most a second for the
 * header to be written, since a reader of a pipe may not read. Returns NULL on failure. */
struct recorder *recorder_start(struct session *session, const char *path, struct err *err);
/* Start a raw counter log under a generated name, always in a new file, whatever --format and
 * --force say. On failure err->code is EEXIST if the name is taken. */
struct recorder *recorder_start_mlog(struct session *session, const char *path, struct err *err);
/* Start a recording of rows in a given form. */
struct recorder_form {
	struct export_options export; /* metrics, exact and lines; the session sets the rest */
	bool cuts;                    /* cut intervals at the start and end; implied by a total */
	int64_t flush_ns;             /* how often rows are written */
};
struct recorder *recorder_start_as(struct session *session, const char *path,
				   const struct recorder_form *form, struct err *err);

struct recorder_state {
	uint64_t bytes;      /* of whole pieces, in all files of the log */
	uint64_t rows;       /* in a raw counter log, samples; failed ones excluded */
	uint64_t lost;       /* samples that the driver or a full ring has lost so far */
	uint64_t n_failed;   /* failed samples (SAMPLE_ERROR) */
	uint32_t all_failed; /* bit i is set if all samples of session->sources[i] failed */
	uint32_t some_good;  /* bit i is set if it has a sample that did not fail */
	bool ended;          /* complete or failed, and closed: recorder_stop does not wait */
	bool failed;
	struct err err; /* if failed; after recorder_stop also if samples were lost */
	/* After recorder_stop: samples of each source that did not fail, and their mean length; why
	 * others failed; the verdict of the whole run ("" if it is not judged), and whether a
	 * finding of --fail-on held. */
	uint64_t n_samples[SESSION_SOURCES_MAX];
	int64_t mean_ns[SESSION_SOURCES_MAX]; /* 0: there are none */
	struct sample_failures failures[SESSION_SOURCES_MAX];
	char verdict[FINDINGS_VERDICT_TEXT];
	bool found;
	char others[96]; /* of a command without frames: an application that has some, or "" */
};
void recorder_look(struct recorder *r, struct recorder_state *state);
/* "run.csv": the file name without directories, printable. */
const char *recorder_name(const struct recorder *r);

/* The interval of the rows; in a raw counter log, of the fastest source. */
int64_t recorder_interval_ns(const struct recorder *r);

/* Set a mark at time_ns, 0: now, with any text or "". Returns its number, counted from 1. */
unsigned recorder_mark(struct recorder *r, int64_t time_ns, const char *text);
/* Note a message to the user ("" for none) or the mark of a measured program, and which sources
 * went away or came back; call this after every session_event. A process that was counted alone is
 * away for good once another process has its source index. */
void recorder_follow(struct recorder *r, const char *text);

/* The reader of a stream has taken this many bytes of it; from then on samples are left out that
 * would arrive late (recorder_sink.h). */
void recorder_acked(struct recorder *r, uint64_t bytes);
/* Write lean samples from now on (recorder_sink.h), or whole ones. */
void recorder_lean(struct recorder *r, bool lean);
/* Answer a request of the reader: done, or refused for a reason. */
void recorder_answer(struct recorder *r, int64_t number, bool done, const char *text);
/* Set the total that recorder_stop writes. *command is copied; its text must live until then. */
void recorder_total(struct recorder *r, const struct export_command *command);

/* Accept no more samples; with `cut`, after the intervals that run are cut here. Notes may follow
 * until the end. */
void recorder_halt(struct recorder *r, bool cut);
/* Accept no more samples; write the queued ones and close the file in the background. Does not
 * wait. */
void recorder_end(struct recorder *r);
/* recorder_end, and wait up to a second. If that is not enough, prints a line to standard error and
 * returns false: a caller that goes on to recorder_stop must let signals end the program. */
bool recorder_await(struct recorder *r);
/* recorder_end, wait for as long as it takes, and free. Returns false if the log failed; its
 * message is in *state. */
bool recorder_stop(struct recorder *r, struct recorder_state *state);
/* recorder_stop for a log that should not have begun: removes the file if it was created. */
void recorder_drop(struct recorder *r);

/* sample_filter: keeps the samples of times at which counting is disabled (--control) out of a
 * recording.
 *
 * A sample belongs to the state in which it ends; a caller that cuts the running intervals first
 * (sampler_cut) gets exact regions. The samples that pass are numbered as if the others had never
 * been, so that they are no loss, and the first one after a pause has the flag SAMPLE_GAP.
 *
 * Threads: sample_filter_pass belongs to one thread at a time, the other functions to any.
 */

struct sample_filter;

/* A closed filter for sources 0 .. n - 1. */
struct sample_filter *sample_filter_new(unsigned n);
/* NULL is fine. */
void sample_filter_free(struct sample_filter *filter);
/* Open or close it now. Returns whether it was not like that already. */
bool sample_filter_set(struct sample_filter *filter, const struct sys *sys, bool open);
/* How long it has been open so far, and how often it was opened. */
int64_t sample_filter_open_ns(struct sample_filter *filter, const struct sys *sys, unsigned *times);
/* Samples in the order in which they ended. Returns the sample, or a copy that is valid until the
 * next call, or NULL for one that is kept out. A NULL filter is open. */
const struct sample *sample_filter_pass(struct sample_filter *filter, const struct sample *sample);

#endif
