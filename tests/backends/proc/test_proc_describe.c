#include "tests/support/fixture.h"

#include "backends/backend.h"
#include "backends/backends.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdlib.h>

/* describe is held against the text that stands for the board. None has trace events. */
#define NO_FLIPS "missing: page flips of displays: no tracefs, or a kernel without displays\n"
static void assert_describe(const char *board, const char *broken, const char *expected)
{
	struct fixture f;
	struct source source = {.backend = &backend_proc};
	AUTOFREE char *whole = xasprintf("%s" NO_FLIPS, expected);
	AUTO_STRBUF struct strbuf text = {0};

	fixture_init(&f, board);
	source.sys = &f.sys;
	source.priv = xcalloc(1, backend_proc.priv_size);
	assert_true(backend_proc.open(&source, "", NULL));
	f.broken = broken;
	f.broken_errno = EACCES;
	backend_proc.describe(&source, &text);
	assert_string_equal(text.p, whole);
	backend_proc.close(&source);
	free(source.priv);
	free(source.slots);
	fixture_fini(&f);
}

TEST(the_foot_line_and_the_clusters_are_described)
{
	assert_describe("rk3588", NULL,
			"load 1.42 0.97 0.51   memory 2.26 GB of 8.33 GB   bigcore0-thermal 57.3 C, "
			"bigcore2-thermal 53.6 C, "
			"package-thermal 52.7 C, littlecore-thermal 52.7 C   capped: Cortex-A76 2.21 GHz of "
			"2.40 GHz\n"
			"cluster0: Cortex-A55 x4, CPUs 0-3, up to 1.80 GHz, capacity 530\n"
			"cluster1: Cortex-A76 x2, CPUs 4-5, up to 2.40 GHz, capacity 1024\n"
			"cluster2: Cortex-A76 x2, CPUs 6-7, up to 2.35 GHz, capacity 1024\n");
	assert_describe(
		"rk3399", NULL,
		"load 0.61 0.40 0.22   memory 1.11 GB of 3.98 GB   cpu-thermal 61.9 C, gpu-thermal 58.8 C   "
		"cooling: devfreq-ff9a0000.gpu step 2 of 5\n"
		"cluster0: Cortex-A53 x4, CPUs 0-3, up to 1.42 GHz, capacity 485\n"
		"cluster1: Cortex-A72 x2, CPUs 4-5, up to 1.80 GHz, capacity 1024\n");
}

TEST(what_is_missing_is_said_and_not_invented)
{
	assert_describe("bare", NULL,
			"\n"
			"cluster0: CPU\n"
			"missing: CPU clocks: no cpufreq driver (usual in a virtual machine)\n"
			"missing: temperatures: no thermal zones\n");
	assert_describe("rk3399-offline", "proc/",
			"cpu 48.1 C, gpu 46.2 C\n"
			"cluster0: Cortex-A53 x4, CPUs 0-3, up to 1.42 GHz, capacity 485\n"
			"cluster1: Cortex-A72 x2, CPUs 4-5, up to 1.80 GHz, capacity 1024\n"
			"missing: CPU load: /proc/stat: Permission denied; on Android use the adb shell "
			"instead of an app\n");
}
