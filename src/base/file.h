/* file: whole files and directories of the user. (What the kernel offers as files goes through sys.) */
#ifndef MALITOP_FILE_H
#define MALITOP_FILE_H

#include "base/err.h"
#include "base/str.h"

/* Read all of a file ("-": standard input) of at most max bytes; *text is xmalloc'ed and terminated, *n its length. */
bool file_read(const char *path, size_t max, char **text, size_t *n, struct err *err);
/* The names in a directory, sorted, freed by the caller one by one and as an array. -1 and errno on failure. */
int file_list(const char *dir, char ***names);

#endif
