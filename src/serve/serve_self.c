/* What malitop itself takes, under the names that exporters share. */
#include "serve/serve_self.h"

#include "base/alloc.h"
#include "base/self.h"

#include <math.h>

enum self_value { SELF_CPU, SELF_RESIDENT, SELF_VIRTUAL, SELF_START, SELF_FILES, SELF_VALUES };
static const struct openmetrics_family self[SELF_VALUES] = {
	[SELF_CPU] = {{"process_cpu_seconds", "counter", "seconds", 1},
		      "CPU time of malitop, user and system"},
	[SELF_RESIDENT] = {{"process_resident_memory_bytes", "gauge", "bytes", 1}, "Its memory in RAM"},
	[SELF_VIRTUAL] = {{"process_virtual_memory_bytes", "gauge", "bytes", 1}, "Its address space"},
	[SELF_START] = {{"process_start_time_seconds", "gauge", "seconds", 1},
			"When it started, since the epoch"},
	[SELF_FILES] = {{"process_open_fds", "gauge", "", 1}, "Its open files"},
};

/* One of them is the directory that is read. */
static double count_files(const struct sys *sys)
{
	char **names;
	int n = sys->list(sys, "proc/self/fd", &names);

	if (n < 0)
		return NAN;
	sys_names_free(names, n);
	return n - 1;
}

void serve_self_print(const struct sys *sys, enum openmetrics_form form, struct strbuf *out)
{
	const struct self now = self_read(sys);
	const double boot_s = (double)(sys->realtime_ns(sys) - sys->boottime_ns(sys)) * 1e-9;
	const double values[SELF_VALUES] = {[SELF_CPU] = now.cpu_s,
					    [SELF_RESIDENT] = now.resident_bytes,
					    [SELF_VIRTUAL] = now.virtual_bytes,
					    [SELF_START] = boot_s + now.start_s,
					    [SELF_FILES] = count_files(sys)};

	for (enum self_value i = 0; i < SELF_VALUES; i++) {
		bool has_head = false;

		openmetrics_value(&self[i], form, "", values[i], &has_head, out);
	}
}
