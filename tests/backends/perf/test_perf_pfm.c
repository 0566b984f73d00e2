#include "config.h"

#include "backends/perf/perf_name.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <perfmon/pfmlib.h>

#include <unistd.h>

/* Releases of libpfm know different names. */
static bool is_known(const char *name)
{
	return pfm_initialize() == PFM_SUCCESS && pfm_find_event(name) >= 0;
}

TEST(names_of_libpfm_give_the_same_numbers_as_those_of_perf)
{
	static const struct {
		const char *pfm, *perf;
	} cases[] = {
		{"PERF_COUNT_HW_OF_ANOTHER_RELEASE", "no-such-event"},
		{"PERF_COUNT_HW_CACHE_MISSES", "cache-misses"},
		{"PERF_COUNT_SW_PAGE_FAULTS", "page-faults"},
		{"perf::PERF_COUNT_SW_TASK_CLOCK", "task-clock"},
		{"PERF_COUNT_HW_CACHE_LL:WRITE:MISS", "LLC-store-misses"},
		{"PERF_COUNT_HW_CACHE_L1D:READ:ACCESS", "L1-dcache-loads"},
	};
	unsigned n_known = 0;

	if (access("/proc/sys/kernel/perf_event_paranoid", R_OK) != 0)
		skip(); /* libpfm looks whether the kernel counts events */
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_event pfm = {0}, perf = {0};

		if (!is_known(cases[i].pfm))
			continue;
		n_known++;
		assert_true(perf_pfm_find(cases[i].pfm, &pfm));
		assert_true(perf_generic_find(span_of(cases[i].perf), &perf));
		assert_int_equal(pfm.type, perf.type);
		assert_true(pfm.config == perf.config);
	}
	if (!n_known)
		skip(); /* it knows none of them */
}

TEST(what_libpfm_does_not_know_leaves_the_event_alone)
{
	static const char *const cases[] = {
		"", ":", "::", "perf::", "PERF_COUNT_HW_CACHE_L1D:NO_SUCH_MASK", "no such event", "\033"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_event event = {.type = 77, .config = 88};

		assert_false(perf_pfm_find(cases[i], &event));
		assert_true(event.type == 77 && event.config == 88);
	}
}
