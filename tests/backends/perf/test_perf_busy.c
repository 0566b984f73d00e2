/* The true clock of busy CPUs: cycles by the ticks of /proc/stat, gathered until there are enough
 * of them. */
#include "base/alloc.h"
#include "tests/support/perf_run.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define TICK_NS 10000000ull

/* Four CPUs, with the ticks that each has been busy since its start. */
static void write_stat(const struct perf_run *r, const unsigned busy[4])
{
	AUTOFREE char *path = xasprintf("%s/proc/stat", r->dir);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fprintf(f, "cpu  %u 0 0 1000 0 0 0 0 0 0\n", busy[0] + busy[1] + busy[2] + busy[3]);
	for (unsigned i = 0; i < 4; i++)
		fprintf(f, "cpu%u %u 0 0 250 0 0 0 0 0 0\n", i, busy[i]);
	assert_int_equal(fclose(f), 0);
}

static void begin_case(struct perf_run *r)
{
	perf_run_init(r, "a72x4");
	write_stat(r, (unsigned[]){100, 100, 100, 100});
	r->options.per_instance = true;
	perf_run_begin(r, 100 * MS);
}

/* The samples of half a second; what they add up to stands in *cycles and *busy_ns. */
static void half_a_second(struct perf_run *r, enum instance_kind kind, unsigned number, uint64_t *cycles,
			  uint64_t *busy_ns)
{
	*cycles = *busy_ns = 0;
	for (int i = 0; i < 5; i++) {
		uint64_t c, b;

		assert_int_equal(perf_run_read(r, 200 * MS), READ_GOT);
		c = perf_run_value(r, "CPUBusyCycles", kind, number);
		b = perf_run_value(r, "CPUBusyTime", kind, number);
		assert_int_equal(c == SAMPLE_UNKNOWN,
				 b == SAMPLE_UNKNOWN); /* one is nothing without the other */
		*cycles += c == SAMPLE_UNKNOWN ? 0 : c;
		*busy_ns += b == SAMPLE_UNKNOWN ? 0 : b;
	}
}

TEST(cycles_stand_beside_the_busy_time_they_belong_to)
{
	uint64_t cycles, busy_ns, per_ms;
	struct perf_run r;

	begin_case(&r);
	per_ms = perf_run_law(&r, 0, 0x11);
	write_stat(&r, (unsigned[]){150, 100, 100, 100});
	half_a_second(&r, INSTANCE_CPU, 0, &cycles, &busy_ns);
	assert_int_equal(busy_ns, 50 * TICK_NS);
	assert_int_equal(cycles, 500 * per_ms);
	perf_run_close(&r);
	perf_run_fini(&r);
}

TEST(a_few_ticks_wait_until_there_are_enough)
{
	uint64_t cycles, busy_ns, per_ms;
	struct perf_run r;

	begin_case(&r);
	per_ms = perf_run_law(&r, 1, 0x11);
	write_stat(&r, (unsigned[]){100, 110, 100, 100});
	half_a_second(&r, INSTANCE_CPU, 1, &cycles, &busy_ns);
	assert_int_equal(busy_ns, 0);
	write_stat(&r, (unsigned[]){100, 125, 100, 100});
	half_a_second(&r, INSTANCE_CPU, 1, &cycles, &busy_ns);
	assert_int_equal(busy_ns, 25 * TICK_NS);
	assert_int_equal(cycles, 1000 * per_ms);
	perf_run_close(&r);
	perf_run_fini(&r);
}

TEST(the_whole_is_of_the_cpus_that_were_busy)
{
	uint64_t cycles, busy_ns;
	struct perf_run r;

	begin_case(&r);
	write_stat(&r, (unsigned[]){150, 105, 100, 130});
	half_a_second(&r, INSTANCE_ALL, 0, &cycles, &busy_ns);
	assert_int_equal(busy_ns, 80 * TICK_NS);
	assert_int_equal(cycles, 500 * (perf_run_law(&r, 0, 0x11) + perf_run_law(&r, 3, 0x11)));
	perf_run_close(&r);
	perf_run_fini(&r);
}

TEST(a_cpu_that_is_not_counted_has_no_clock)
{
	uint64_t cycles, busy_ns;
	struct perf_run r;

	begin_case(&r);
	fake_perf_steal(r.perf, 2, 7); /* somebody has all its counters */
	write_stat(&r, (unsigned[]){100, 100, 150, 100});
	half_a_second(&r, INSTANCE_CPU, 2, &cycles, &busy_ns);
	assert_int_equal(busy_ns, 0);
	assert_int_equal(cycles, 0);
	perf_run_close(&r);
	perf_run_fini(&r);
}

TEST(a_process_has_its_own_clock_instead)
{
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	perf_run_process(&r, 4711, 1000, 1);
	r.options.scope = (struct scope){.kind = SCOPE_PROCESS, .pid = 4711};
	perf_run_begin(&r, 100 * MS);
	assert_false(perf_run_has(&r, "CPUBusyTime"));
	assert_true(perf_run_has(&r, "CPUTaskTime"));
	perf_run_close(&r);
	perf_run_fini(&r);
}
