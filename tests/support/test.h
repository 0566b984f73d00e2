/* test: a test registers itself, and main.c runs those of its file in their order.
 *
 *	TEST(full_ring_counts_the_loss) { ... }
 *
 * A test whose file prepares something for each gets it as `*state`:
 *
 *	TEST_EACH(bench_init, bench_fini)	all tests of the file
 *	TEST_WITH(name, init, fini) { ... }	this test only
 *	TEST_GROUP(make_directory, drop)	once, around all tests
 *
 * Fixtures return 0 if all went well; NULL: none.
 *
 *	FIXTURE(bench_init) { *state = ...; return 0; } */
#ifndef MALITOP_TEST_TEST_H
#define MALITOP_TEST_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct test {
	struct CMUnitTest unit;
	int line;
	struct test *next;
};

void test_add(struct test *test);
void test_each(CMFixtureFunction init, CMFixtureFunction fini);
void test_group(CMFixtureFunction init, CMFixtureFunction fini);
/* Run the tests; for a main of one's own. The number of those that failed. */
int test_run(void);

#define TEST_WITH(name, init, fini)                                                          \
	static void name(void **state);                                                      \
	__attribute__((constructor)) static void add_##name(void)                            \
	{                                                                                    \
		static struct test test = {{#name, name, init, fini, NULL}, __LINE__, NULL}; \
                                                                                             \
		test_add(&test);                                                             \
	}                                                                                    \
	static void name(__attribute__((unused)) void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define FIXTURE(name) static int name(__attribute__((unused)) void **state)
#define TEST_EACH(init, fini)                                   \
	__attribute__((constructor)) static void set_each(void) \
	{                                                       \
		test_each(init, fini);                          \
	}
#define TEST_GROUP(init, fini)                                   \
	__attribute__((constructor)) static void set_group(void) \
	{                                                        \
		test_group(init, fini);                          \
	}

#endif
