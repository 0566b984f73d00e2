/* remote: a malitop on another machine, which records for this one: `malitop on WHERE`.
 *
 * A plain program makes the connection: ssh, adb, docker, or any that gives a stream of bytes both
 * ways. The far side runs `malitop record -o - --control -`: its standard output is the stream, and
 * it ends when its standard input does, so closing the pipe ends it, and so does our own end,
 * however it comes. What a connection brings is as untrusted as a log (mlog_stream.h).
 *
 * Thread: one.
 */
#ifndef MALITOP_REMOTE_H
#define MALITOP_REMOTE_H

#include "base/sys.h"
#include "mlog/mlog_open.h"
#include "options/options.h"

struct remote;

/* Connect to options->where, and wait for the start block. NULL on failure, whose message has the
 * last line that the program said. */
struct remote *remote_open(const struct sys *sys, const struct options *options, struct err *err);
/* End the far side and the program; waits for it less than two seconds. NULL is fine. */
void remote_close(struct remote *r);
struct mlog_feed *remote_feed(struct remote *r); /* owned by `r` */
/* Look at the connection; one that has ended is made again every 3 s. Appends a line to *said for
 * each change. Call it at least once a second. */
void remote_run(struct remote *r, int64_t now_ns, struct strbuf *said);

#endif
