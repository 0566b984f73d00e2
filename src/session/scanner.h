/* scanner: the thread that reads the list of processes, so that the ui never waits for /proc. It
 * runs only while processes are shown or logged. It hands over complete lists; the newest replaces
 * one that was not taken.
 *
 * Thread: one thread, the owner, calls all functions. None of them waits for a list. scanner_free
 * waits a short time; a thread stuck in a kernel read is then abandoned, so `sys` must live as long
 * as the process.
 */
#ifndef MALITOP_SCANNER_H
#define MALITOP_SCANNER_H

#include "backends/backend.h"
#include "backends/process/process_scan.h"

struct scanner;

/* Start a scanner, which sleeps until scanner_want. `reader` reads the processes of a device, with
 * copies of its options; NULL reads those of this machine. Returns NULL if no thread can be
 * started. */
struct scanner *scanner_new(const struct sys *sys, const struct process_reader *reader,
			    const struct source_options *what, struct err *err);
void scanner_free(struct scanner *scanner); /* NULL is fine */

/* Read a list every period_ns: the first at once, and another as soon as the query changes. 0 stops
 * scanning and discards what was known. Other command lines come with the last list again, without
 * reading processes. A call that changes nothing costs nothing. The second list
 * comes early, because only it has percentages. If reading takes more than a fifth of the period,
 * lists come less often. */
void scanner_want(struct scanner *scanner, const struct process_query *query, int64_t period_ns);

/* Readable while a list is waiting. */
int scanner_fd(const struct scanner *scanner);
/* The newest list, owned by the caller; NULL if there is none since the last call. */
struct process_list *scanner_take(struct scanner *scanner);

#endif
