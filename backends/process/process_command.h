/* process_command: the command line of a process. */
#ifndef MALITOP_PROCESS_COMMAND_H
#define MALITOP_PROCESS_COMMAND_H

#include "base/sys.h"

#include <stdint.h>

/* Its arguments with a blank between them, printable, at most PROCESS_COMMAND - 1 bytes; the caller
 * frees it. NULL if it has none (a kernel thread, a zombie) or may not be read. Reading waits for
 * the process's memory, so it may block while that is busy. */
char *process_command(const struct sys *sys, int32_t pid);

#endif
