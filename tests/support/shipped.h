/* The data that malitop ships with, for one test. */
#ifndef MALITOP_TEST_SHIPPED_H
#define MALITOP_TEST_SHIPPED_H

#include "model/gpudb.h"
#include "tests/support/test.h"

static inline struct gpudb *load_shipped(void)
{
	struct err err = {0};
	struct gpudb *db = gpudb_load(NULL, 0, &err);

	if (!db)
		fail_msg("%s", err.text);
	return db;
}

#endif
