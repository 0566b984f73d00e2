/* file: files and directories of the user. (Files of the kernel, in proc and sysfs, go through
 * sys.) */
#ifndef MALITOP_FILE_H
#define MALITOP_FILE_H

#include "base/err.h"
#include "base/str.h"

#include <sys/types.h>

/* Read all of a text ("-" is standard input) of at most max bytes, without a byte order mark.
 * *text is xmalloc'ed and terminated, *n its length. The file may be a pipe; one that yields no
 * data for 3 s is an error (ETIMEDOUT). */
bool file_read(const char *path, size_t max, char **text, size_t *n, struct err *err);

/* The same of a file that holds a secret: it must be a regular one that belongs to us or root, and
 * that no other user may read or write. It is opened once, and never waits. ERR_USAGE if it is
 * not. */
bool file_read_secret(const char *path, size_t max, char **text, size_t *n, struct err *err);

/* Whether a name ends with `ending`, such as ".mlog", after at least one character. */
bool file_has_ending(const char *name, const char *ending);

/* Replace a file as a whole, or not at all: a new one beside it is written, synced and renamed. It
 * keeps the mode, owner and group of the old one; of a link, the target is replaced or made. A
 * missing directory is made. What root makes belongs to the owner of its directory. Several
 * programs may do so at once; what one left that was killed, the next one removes. */
bool file_replace(const char *path, const char *text, size_t n, struct err *err);
/* Change a file of at most max bytes, likewise: `edit` gets its text, "" if there is none, and adds
 * the new one to `out`, which is empty; false: the file stays as it is. No other program changes
 * it in the meantime. */
typedef bool file_edit_fn(void *ctx, struct span text, struct strbuf *out);
bool file_edit(const char *path, size_t max, file_edit_fn *edit, void *ctx, struct err *err);

/* Open a regular file for reading at any position, also while another process writes it. NULL if it
 * cannot be opened or cannot seek (a directory, a pipe, a device). */
struct file;
struct file *file_open(const char *path, struct err *err);
/* A file without a name, in TMPDIR or /tmp, for file_append. It goes when it is closed, and when
 * the program ends. NULL if there is no room for one. */
struct file *file_temporary(struct err *err);
bool file_append(struct file *file, const void *bytes, size_t n, struct err *err);
void file_close(struct file *file);
/* Read n bytes, fewer only at the end of the file; -1 and errno on failure. `file` is a struct
 * file: these two are callbacks. */
ssize_t file_read_at(void *file, void *buf, size_t n, uint64_t at);
int64_t file_size(void *file); /* current size; -1 and errno on failure */

/* List the names in a directory, sorted. The caller frees each name and the array. -1 and errno on
 * failure. */
int file_list(const char *dir, char ***names);

#endif
