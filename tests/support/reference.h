/* reference: the tables in tests/reference, row by row. Failures end the test. */
#ifndef MALITOP_TEST_REFERENCE_H
#define MALITOP_TEST_REFERENCE_H

#include "base/alloc.h"
#include "base/file.h"
#include "model/gpudb.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define REFERENCE_CELLS 12

struct reference {
	const char *name;
	char *text;
	struct span rest;
	unsigned line;
	struct span cell[REFERENCE_CELLS]; /* of the row that reference_next read; empty beyond its end */
};

static inline void reference_open(struct reference *r, const char *name)
{
	const char *srcdir = getenv("srcdir");
	AUTOFREE char *path = xasprintf("%s/tests/reference/%s", srcdir ? srcdir : ".", name);
	struct err err;
	size_t n;

	*r = (struct reference){.name = name};
	if (!file_read(path, (size_t)16 << 20, &r->text, &n, &err))
		fail_msg("%s", err.text);
	r->rest = (struct span){r->text, n};
	span_until(&r->rest, '\n'); /* headings */
	r->line = 1;
}

/* The next row; at the end frees everything and returns false. */
static inline bool reference_next(struct reference *r)
{
	struct span line = span_until(&r->rest, '\n');

	r->line++;
	if (!line.n) {
		free(take_ptr(&r->text));
		return false;
	}
	for (unsigned i = 0; i < REFERENCE_CELLS; i++)
		r->cell[i] = span_until(&line, '\t');
	return true;
}

/* "G31,G51", or "*" for all since Bifrost: is the product among them? */
static inline bool reference_has_gpu(struct span list, const struct gpu_product *product)
{
	return (span_is(list, "*") && product->family != FAMILY_MIDGARD) ||
	       gpu_set_has((struct gpu_set){list}, product);
}

#endif
