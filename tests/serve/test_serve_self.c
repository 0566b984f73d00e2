/* What malitop serves about itself. */
#include "serve/serve_store.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double value_in(const struct strbuf *page, const char *name)
{
	AUTOFREE char *line = xasprintf("\n%s ", name);
	const char *at = strstr(page->p, line);

	if (!at)
		fail_msg("%s is not in\n%s", name, page->p);
	return strtod(at + strlen(line), NULL);
}

TEST(values_are_those_of_this_process)
{
	AUTO_STRBUF struct strbuf page = {0}, more = {0};
	struct sys sys;
	struct err err;
	double start;
	int fd;

	assert_true(sys_init(&sys, NULL, &err));
	start = (double)sys.realtime_ns(&sys) * 1e-9;
	serve_self_print(&sys, OPENMETRICS_1_0, &page);
	assert_true(value_in(&page, "process_start_time_seconds") > start - 600);
	assert_true(value_in(&page, "process_start_time_seconds") < start + 1);
	assert_true(value_in(&page, "process_cpu_seconds_total") >= 0);
	assert_true(value_in(&page, "process_resident_memory_bytes") > 100000);
	assert_true(value_in(&page, "process_virtual_memory_bytes") >
		    value_in(&page, "process_resident_memory_bytes"));
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	serve_self_print(&sys, OPENMETRICS_CLASSIC, &more);
	assert_true(value_in(&more, "process_open_fds") == value_in(&page, "process_open_fds") + 1);
	close(fd);
	sys_fini(&sys);
}

TEST(what_cannot_be_read_has_no_line)
{
	AUTO_STRBUF struct strbuf page = {0};
	char dir[] = "/tmp/malitop-test-XXXXXX";
	struct sys sys;
	struct err err;

	assert_non_null(mkdtemp(dir));
	assert_true(sys_init(&sys, dir, &err));
	serve_self_print(&sys, OPENMETRICS_1_0, &page);
	assert_int_equal(page.n, 0);
	sys_fini(&sys);
	rmdir(dir);
}
