/* scanner: the thread that reads the processes of the machine, so that nobody waits for /proc. It runs only while somebody wants to
 * see them; whole lists come out of it, the newest replacing one that nobody took.
 *
 * Thread: all functions on one thread, the owner's. None of them waits for a list; scanner_free at most a moment: a read that is stuck
 * in the kernel is left to itself, which is why `sys` must live as long as the process.
 */
#ifndef MALITOP_SCANNER_H
#define MALITOP_SCANNER_H

#include "backends/machine/process_scan.h"

struct scanner;

/* It sleeps until something is wanted. NULL when there is no thread to be had. */
struct scanner *scanner_new(const struct sys *sys, struct err *err);
void scanner_free(struct scanner *scanner); /* NULL is fine */

/* From now on a list every period_ns, the first at once, and one as soon as a wish is another one. 0: none, and what was known is
 * forgotten. Asking for what is wanted already costs nothing. The list after the first, which has no percentages, comes soon. A machine
 * with so many processes that reading them takes more than a fifth of a period gets fewer lists. */
void scanner_want(struct scanner *scanner, const struct process_wish *wish, int64_t period_ns);

/* Readable when there is a list to take. */
int scanner_fd(const struct scanner *scanner);
/* The newest list, which is the caller's; NULL if there is none since the last call. */
struct process_list *scanner_take(struct scanner *scanner);

#endif
