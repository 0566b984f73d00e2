/* log_file: the file of a log. It is created safely, written in whole pieces, synced on time, and
 * rotated.
 *
 * A new file gets mode 0644 less umask. An existing file is not modified unless `force`: then a
 * regular file is truncated, and a pipe or character device is written to. In a world-writable
 * directory no other user may trick us into overwriting a file: symbolic links are not followed,
 * and an existing file must be ours and have no other hard links. log_directory protects the path
 * to it. "-" is standard output.
 *
 * Errors: a piece that could not be written whole is removed, those before it stay, and the message
 * says so: "log: run.mlog: No space left on device: logging stopped after 12.4 MB; everything up to
 * there is intact". Nothing may be written after an error. No signals are raised. A file that
 * another program removed or truncated is an error, reported by the next write.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_LOG_FILE_H
#define MALITOP_LOG_FILE_H

#include "base/str.h"
#include "base/sys.h"

#include <sys/stat.h>

struct log_file_options {
	bool force;
	bool rotates;    /* log_file_next will be called, which needs a regular file with a name */
	unsigned keep;   /* the most files to keep of this log; 0 keeps all */
	int64_t sync_ns; /* how often to sync; 0 leaves it to the system */
};

struct log_file;

/* `sys` must outlive it. NULL on failure. */
struct log_file *log_file_open(const struct sys *sys, const char *path,
			       const struct log_file_options *options, struct err *err);
/* Sync if asked for, close, and free the file in any case. A file that was created but stayed empty
 * is removed. Returns false if a write error shows up now. NULL is fine. */
bool log_file_close(struct log_file *f, struct err *err);

/* Make log_file_close remove a created file even if it is not empty. */
void log_file_forget(struct log_file *f);

/* Write all n bytes, or none of them on error. Waits for the disk, or for the reader of the
 * pipe. */
bool log_file_write(struct log_file *f, const void *bytes, size_t n, struct err *err);

/* Pieces that wait to be written together. Zero means none. `rows` is for the owner: how many rows
 * the log has at the end of the piece. */
struct log_pieces {
	struct strbuf bytes;
	struct log_piece {
		size_t end; /* in `bytes` */
		uint64_t rows;
	} * list;
	unsigned n, cap;
};
void log_pieces_add(struct log_pieces *pieces, const void *bytes, size_t n, uint64_t rows);
void log_pieces_clear(struct log_pieces *pieces);
void log_pieces_fini(struct log_pieces *pieces);
/* Write all pieces, or on error those that fit. *n is how many. */
bool log_file_write_pieces(struct log_file *f, const struct log_pieces *pieces, unsigned *n, struct err *err);
/* Whether a sync is due. */
bool log_file_is_due(const struct log_file *f, int64_t now_ns);
bool log_file_sync(struct log_file *f, int64_t now_ns, struct err *err);
/* Finish the file and begin the next one: run.mlog, run.1.mlog, run.2.mlog. Skips numbers whose
 * file exists. */
bool log_file_next(struct log_file *f, struct err *err);

/* Whether a file is there; whether both paths are of one file that is. */
bool log_file_find(const struct sys *sys, const char *path, struct stat *st);
bool log_file_is_same(const struct sys *sys, const char *a, const char *b);

/* Bytes of whole pieces so far, in all files. */
uint64_t log_file_bytes(const struct log_file *f);

/* log_directory: open the directory of a log so that no other user can redirect it.
 *
 * In a world-writable directory any user can place a link or a directory. Each part of the path is
 * therefore opened on its own, and links are read and followed here: in a directory that others may
 * write to, links and directories must belong to us or to root. A rename between check and use has
 * no effect, because what was checked stays open. The kernel follows links of /proc; they do not
 * contain a path.
 *
 * Thread: any.
 */

/* An O_PATH descriptor of `path` ("" is the working directory), to be closed by the caller. Returns
 * -1 on failure; the message does not name the log. */
int log_directory_open(const struct sys *sys, const char *path, struct err *err);

#endif
