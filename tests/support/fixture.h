/* fixture: a captured machine that a test may change.
 *
 * A tree of small files in a temporary directory, a copy of tests/fixtures/BOARD or empty, with clocks that the test sets. Files
 * are rewritten in place, so that a file that is held open sees its new text, as in proc and sysfs.
 */
#ifndef MALITOP_TEST_FIXTURE_H
#define MALITOP_TEST_FIXTURE_H

#include "base/sys.h"

struct fixture {
	char root[64];
	struct sys sys;
	int64_t monotonic_ns, suspended_ns; /* what the clocks say; boottime is their sum */
	/* Reading a file whose path contains this fails with that errno. */
	const char *broken;
	int broken_errno;
	unsigned opens;      /* calls so far */
	char paths[512][96]; /* by descriptor */
	int (*real_open)(const struct sys *sys, const char *path, int flags);
	ssize_t (*real_pread)(const struct sys *sys, int fd, void *buf, size_t n, off_t at);
};

/* board may be NULL for an empty tree. Failures end the test. */
void fixture_init(struct fixture *f, const char *board);
void fixture_fini(struct fixture *f);

void fixture_write(struct fixture *f, const char *path, const char *text);
void fixture_remove(struct fixture *f, const char *path);
/* Bring in the second state of the board, tests/fixtures/BOARD/next. */
void fixture_next(struct fixture *f, const char *board);

#endif
