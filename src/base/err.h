/* err: one error with its message, filled where it happens and printed by the commands.
 *
 * A function that can fail returns bool and takes `struct err *err` last. Layers may prefix
 * context; only the top layers print. A text reads "thing: what failed: what to try", without
 * "malitop:" in front and without a newline.
 */
#ifndef MALITOP_ERR_H
#define MALITOP_ERR_H

#include <stdbool.h>

#define ERR_USAGE (-1) /* usage error: exit status 2 */

struct err {
	int code;        /* an errno value, ERR_USAGE, or 0 if no system call failed */
	char text[1024]; /* always terminated; truncated if too long */
};

/* Fill *err (which may be NULL) and return false, so that `return err_set(...)` reads well. */
bool err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prepend a text to the message of *err. Returns false. */
bool err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
