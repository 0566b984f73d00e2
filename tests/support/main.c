#include "tests/support/test.h"

#include <stdlib.h>
#include <unistd.h>

/* Run the tests, from any directory, on the program and the sources of this build. With a pattern
 * such as '*wrap*' only those of that name. */
int main(int argc, char **argv)
{
	setenv("srcdir", TEST_SRCDIR, 0);
	setenv("MALITOP", TEST_PROGRAM, 0);
	if (chdir(TEST_BUILDDIR) != 0)
		return 1;
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	alarm(900); /* a test that hangs has failed */
	return test_run();
}
