/* file: files and directories of the user. (What the kernel offers as files goes through sys.) */
#ifndef MALITOP_FILE_H
#define MALITOP_FILE_H

#include "base/err.h"
#include "base/str.h"

#include <sys/types.h>

/* Read all of a file ("-": standard input) of at most max bytes; *text is xmalloc'ed and terminated, *n its length. */
bool file_read(const char *path, size_t max, char **text, size_t *n, struct err *err);

/* A regular file that is read piece by piece, also while somebody writes it. NULL: it cannot be opened, or has no places to
 * read from (a directory, a pipe, a device). */
struct file;
struct file *file_open(const char *path, struct err *err);
void file_close(struct file *file);
/* All of n bytes unless the file ends before; -1 and errno. `file` is a struct file: these two serve as callbacks. */
ssize_t file_read_at(void *file, void *buf, size_t n, uint64_t at);
int64_t file_size(void *file); /* now; -1 and errno */

/* The names in a directory, sorted, freed by the caller one by one and as an array. -1 and errno on failure. */
int file_list(const char *dir, char ***names);

#endif
