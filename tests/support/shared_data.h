/* The data that malitop ships with, loaded once for all tests of a file:
 * cmocka_run_group_tests(tests, load_data, unload_data). */
#ifndef MALITOP_TEST_SHARED_DATA_H
#define MALITOP_TEST_SHARED_DATA_H

#include "tests/support/shipped.h"

static struct gpudb *db;

static inline int load_data(void **state)
{
	(void)state;
	db = load_shipped();
	return 0;
}

static inline int unload_data(void **state)
{
	(void)state;
	gpudb_free(db);
	return 0;
}

#endif
