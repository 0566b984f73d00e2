/* verify: what doctor --verify asks and prints: whether counters count what is known beforehand. */
#ifndef MALITOP_VERIFY_H
#define MALITOP_VERIFY_H

#include <stdint.h>

/* What a counter showed in a loop whose events are known beforehand. */
struct verify_row {
	const char *loop, *event;
	double expected, low, high; /* the code certainly does; the bounds that are right */
	double counted;             /* NaN: not counted */
	enum verify_verdict { VERIFY_RIGHT, VERIFY_WRONG, VERIFY_UNJUDGED } verdict;
	const char *why; /* VERIFY_UNJUDGED: the reason */
};
/* What a read of memory costs if it waits for the one before it. */
struct verify_access {
	uint64_t bytes;    /* size of the array */
	const char *level; /* the smallest cache that holds it: "L1", "memory"; "" if unknown */
	double ns, cycles; /* per read; cycles may be NaN */
};
struct verify_out {
	void (*judge)(void *ctx, const struct verify_row *row);
	void (*access)(void *ctx, const struct verify_access *access);
	void *ctx;
};

#endif
