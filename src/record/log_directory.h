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
#ifndef MALITOP_LOG_DIRECTORY_H
#define MALITOP_LOG_DIRECTORY_H

#include "base/sys.h"

/* An O_PATH descriptor of `path` ("" is the working directory), to be closed by the caller. Returns
 * -1 on failure; the message does not name the log. */
int log_directory_open(const struct sys *sys, const char *path, struct err *err);

#endif
