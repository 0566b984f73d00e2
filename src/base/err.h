/* err: one error with its words, filled where it happens and told by app.
 *
 * A function that can fail returns bool and takes `struct err *err` last. Layers may prefix what they know; only app prints.
 * A text reads "thing: what failed: what to try", without "malitop:" in front and without a newline.
 */
#ifndef MALITOP_ERR_H
#define MALITOP_ERR_H

#include <stdbool.h>

#define ERR_USAGE (-1) /* what was asked for cannot be: exit status 2 */

struct err {
	int code;        /* an errno value, ERR_USAGE, or 0 where no system call failed */
	char text[1024]; /* always terminated; cut, never overrun */
};

/* Fill *err (which may be NULL) and return false, so that `return err_set(...)` reads well. */
bool err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Put words in front of what *err says already. Returns false. */
bool err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
