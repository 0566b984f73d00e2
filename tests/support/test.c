#include "tests/support/test.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <unistd.h>

static struct test *first;
static CMFixtureFunction each_init, each_fini, group_init, group_fini;

/* Tests run from any directory, on the program and the sources of this build. */
__attribute__((constructor)) static void find_build(void)
{
	setenv("srcdir", TEST_SRCDIR, 0);
	setenv("MALITOP", TEST_PROGRAM, 0);
	if (chdir(TEST_BUILDDIR) != 0)
		abort();
}

void test_add(struct test *test)
{
	struct test **at = &first;

	while (*at && (*at)->line < test->line)
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

void test_each(CMFixtureFunction init, CMFixtureFunction fini)
{
	each_init = init;
	each_fini = fini;
}

void test_group(CMFixtureFunction init, CMFixtureFunction fini)
{
	group_init = init;
	group_fini = fini;
}

int test_run(void)
{
	AUTOFREE struct CMUnitTest *tests = NULL;
	size_t n = 0;

	for (const struct test *t = first; t; t = t->next)
		n++;
	tests = xcalloc(n, sizeof(*tests));
	n = 0;
	for (const struct test *t = first; t; t = t->next) {
		tests[n] = t->unit;
		if (!t->unit.setup_func && !t->unit.teardown_func) {
			tests[n].setup_func = each_init;
			tests[n].teardown_func = each_fini;
		}
		n++;
	}
	alarm(900); /* a test that hangs has failed */
	return _cmocka_run_group_tests("tests", tests, n, group_init, group_fini);
}
