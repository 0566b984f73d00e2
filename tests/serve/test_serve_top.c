/* Series per application: processes of one name are one, the busiest are served, and no name breaks
 * a line. */
#include "serve/serve_store.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S 1000000000ll
#define UNKNOWN ((float)NAN)

static struct process process(const char *name, float cpu, float gpu)
{
	struct process p = {.pid = 1,
			    .rss_bytes = 1000,
			    .gpu_bytes = isnan(gpu) ? SAMPLE_UNKNOWN : 50,
			    .cpu_percent = cpu,
			    .gpu_percent = gpu};

	snprintf(p.name, sizeof(p.name), "%s", name);
	return p;
}

/* A list of two seconds. */
static void take_list(struct serve_top *top, struct process *processes, unsigned n)
{
	const struct process_list list = {
		.processes = processes, .n = n, .begin_ns = 10 * S, .end_ns = 12 * S};

	serve_top_processes(top, &list);
}

static void assert_page(const struct serve_top *top, unsigned n, const char *lines)
{
	AUTO_STRBUF struct strbuf page = {0}, values = {0};

	strbuf_str(&page, "");
	serve_top_print(top, n, OPENMETRICS_1_0, &page);
	for (char *at = page.p, *end; (end = strchr(at, '\n')); at = end + 1)
		if (at[0] != '#')
			strbuf_printf(&values, "%.*s\n", (int)(end - at - strlen("malitop_application_")),
				      at + strlen("malitop_application_"));
	assert_string_equal(values.n ? values.p : "", lines);
}

TEST(processes_of_one_name_are_one_application)
{
	struct serve_top *top = serve_top_new();
	struct process list[] = {process("game", 50, 30), process("game", 25, UNKNOWN),
				 process("game", 99, 99)};

	assert_page(top, 10, "");
	list[2].is_thread = true;
	take_list(top, list, 3);
	take_list(top, list, 3);
	assert_page(top, 10,
		    "cpu_seconds_total{application=\"game\"} 3\n"
		    "gpu_seconds_total{application=\"game\"} 1.2\n"
		    "resident_memory_bytes{application=\"game\"} 2000\n"
		    "gpu_memory_bytes{application=\"game\"} 50\n"
		    "processes{application=\"game\"} 2\n");
	assert_page(top, 0, "");
	serve_top_free(top);
}

TEST(what_is_unknown_has_no_line)
{
	struct serve_top *top = serve_top_new();
	struct process one = process("game", UNKNOWN, UNKNOWN);
	const struct process_list first = {.processes = &one, .n = 1, .end_ns = 10 * S};

	one.rss_bytes = SAMPLE_UNKNOWN;
	serve_top_processes(top, &first);
	assert_page(top, 10,
		    "cpu_seconds_total{application=\"game\"} 0\n"
		    "processes{application=\"game\"} 1\n");
	serve_top_free(top);
}

TEST(the_busiest_on_the_gpu_are_served_and_continue_their_sums)
{
	struct serve_top *top = serve_top_new();
	struct process busy[] = {process("compiler", 100, 0), process("game", 10, 40), process("ui", 50, 0)};
	struct process later[] = {process("compiler", 100, UNKNOWN), process("ui", 50, 10)};

	for (size_t i = 0; i < 3; i++)
		busy[i].rss_bytes = busy[i].gpu_bytes = SAMPLE_UNKNOWN;
	for (size_t i = 0; i < 2; i++)
		later[i].rss_bytes = later[i].gpu_bytes = SAMPLE_UNKNOWN;
	take_list(top, busy, 3);
	assert_page(top, 2,
		    "cpu_seconds_total{application=\"game\"} 0.2\n"
		    "cpu_seconds_total{application=\"compiler\"} 2\n"
		    "gpu_seconds_total{application=\"game\"} 0.8\n"
		    "gpu_seconds_total{application=\"compiler\"} 0\n"
		    "processes{application=\"game\"} 1\n"
		    "processes{application=\"compiler\"} 1\n");
	take_list(top, later, 2);
	assert_page(top, 1,
		    "cpu_seconds_total{application=\"ui\"} 2\n"
		    "gpu_seconds_total{application=\"ui\"} 0.2\n"
		    "processes{application=\"ui\"} 1\n");
	take_list(top, busy, 3);
	assert_page(top, 1,
		    "cpu_seconds_total{application=\"game\"} 0.4\n"
		    "gpu_seconds_total{application=\"game\"} 1.6\n"
		    "processes{application=\"game\"} 1\n");
	serve_top_free(top);
}

TEST(a_name_cannot_end_a_label)
{
	struct serve_top *top = serve_top_new();
	struct process one = process("a\"} 1 \\", UNKNOWN, UNKNOWN);

	one.rss_bytes = SAMPLE_UNKNOWN;
	take_list(top, &one, 1);
	assert_page(top, 1,
		    "cpu_seconds_total{application=\"a\\\"} 1 \\\\\"} 0\n"
		    "processes{application=\"a\\\"} 1 \\\\\"} 1\n");
	serve_top_free(top);
}

/* A program that renames itself for ever takes no more memory than 4096 names. */
TEST(names_that_are_gone_are_forgotten_when_there_are_many)
{
	struct serve_top *top = serve_top_new();
	struct process one = process("first", 50, UNKNOWN);

	one.rss_bytes = SAMPLE_UNKNOWN;
	for (unsigned i = 0; i < 5000; i++) {
		take_list(top, &one, 1);
		snprintf(one.name, sizeof(one.name), "name%u", i);
	}
	snprintf(one.name, sizeof(one.name), "first");
	take_list(top, &one, 1);
	assert_page(top, 10,
		    "cpu_seconds_total{application=\"first\"} 1\n"
		    "processes{application=\"first\"} 1\n");
	serve_top_free(top);
}
