/* log_file: the file behind a log: it is created safely, written in whole pieces, brought to the disk in time, followed by the next one.
 *
 * A new file is created, mode 0644 less umask; what exists is left alone unless `force`. With it, a regular file is emptied, a pipe or
 * character device is written to as it is. Where everybody may write, nobody shall make us destroy something: no symbolic link is
 * followed there, and only a file of our own that has no other name is taken. "-" is standard output.
 *
 * Errors: a piece that could not be written whole is cut off again, and the message says so: "log: run.mlog: No space left on device:
 * logging stopped after 12.4 MB; everything before is whole". Nothing may be written after that. No signals are raised. That somebody removed or shortened the
 * file is an error as well, told when the next piece is to be written.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_LOG_FILE_H
#define MALITOP_LOG_FILE_H

#include "base/sys.h"

struct log_file_options {
	bool force;
	bool rotates;    /* log_file_next will be called: it must be a file with a name */
	unsigned keep;   /* so many files of this log at most, the oldest goes; 0: all */
	int64_t sync_ns; /* 0: left to the system */
};

struct log_file;

/* `sys` must outlive it. NULL on failure. */
struct log_file *log_file_open(const struct sys *sys, const char *path, const struct log_file_options *options, struct err *err);
/* To the disk, if it is to be, and closed. What was created and nothing came into is removed. false (with a message) if that failed;
 * it is freed in any case. NULL is fine. */
bool log_file_close(struct log_file *f, struct err *err);

/* What was written was a mistake: log_file_close shall remove what was created in any case. */
void log_file_forget(struct log_file *f);

/* All n bytes, or none of them and an error. Waits for the disk, or for whoever reads the pipe. */
bool log_file_write(struct log_file *f, const void *bytes, size_t n, struct err *err);
/* It is time to bring what was written to the disk. */
bool log_file_is_due(const struct log_file *f, int64_t now_ns);
bool log_file_sync(struct log_file *f, int64_t now_ns, struct err *err);
/* The file is done, and another one follows: run.mlog, run.1.mlog, run.2.mlog. A number that is taken already is left out. */
bool log_file_next(struct log_file *f, struct err *err);

/* Whole pieces so far, in all files. */
uint64_t log_file_bytes(const struct log_file *f);

#endif
