/* fixture: a captured machine that a test may change.
 *
 * A tree of small files in a temporary directory, a copy of tests/fixtures/BOARD or empty, with
 * clocks that the test sets. Files are rewritten in place, so that a file that is held open sees
 * its new text, as in proc and sysfs. */
#ifndef MALITOP_TEST_FIXTURE_H
#define MALITOP_TEST_FIXTURE_H

#include "base/sys.h"
#include "model/gpudb.h"

#include <sys/types.h>

/* Sanitizers take several times as long and look at memory: every fourth GPU is enough for them. */
#ifdef __SANITIZE_ADDRESS__
#define GPU_STEP 4
#else
#define GPU_STEP 1
#endif

#define SCRATCH_PATH 48
/* Make a new directory, in memory if possible: some file systems slow down with many small files
 * that come and go. */
void scratch_directory(char path[SCRATCH_PATH]);

struct fixture {
	char root[SCRATCH_PATH];
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

/* The built-in data, loaded once for all cases of a test. */
const struct gpudb *fixture_db(void);

void fixture_write(struct fixture *f, const char *path, const char *text);
void fixture_remove(struct fixture *f, const char *path);
/* Bring in the second state of the board, tests/fixtures/BOARD/next. */
void fixture_next(struct fixture *f, const char *board);

#endif
