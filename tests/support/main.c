#include "tests/support/test.h"

#include <unistd.h>

/* Run the tests; with a pattern such as '*wrap*' only those of that name. */
int main(int argc, char **argv)
{
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	alarm(900); /* a test that hangs has failed */
	return test_run();
}
