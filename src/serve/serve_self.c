/* What malitop itself takes, under the names that exporters share. */
#include "serve/serve_self.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum self_value { SELF_CPU, SELF_RESIDENT, SELF_VIRTUAL, SELF_START, SELF_FILES, SELF_VALUES };
static const struct {
	struct openmetrics_name name;
	const char *help;
} self[SELF_VALUES] = {
	[SELF_CPU] = {{"process_cpu_seconds", "counter", "seconds", 1},
		      "CPU time of malitop, user and system"},
	[SELF_RESIDENT] = {{"process_resident_memory_bytes", "gauge", "bytes", 1}, "Its memory in RAM"},
	[SELF_VIRTUAL] = {{"process_virtual_memory_bytes", "gauge", "bytes", 1}, "Its address space"},
	[SELF_START] = {{"process_start_time_seconds", "gauge", "seconds", 1},
			"When it started, since the epoch"},
	[SELF_FILES] = {{"process_open_fds", "gauge", "", 1}, "Its open files"},
};

/* The fields of proc/PID/stat, by their number in proc(5). */
enum { FIELD_STATE = 3, FIELD_USER = 14, FIELD_SYSTEM, FIELD_START = 22, FIELD_SIZE, FIELD_PAGES };

static void read_stat(const struct sys *sys, double values[SELF_VALUES])
{
	double ticks = (double)sysconf(_SC_CLK_TCK), page = (double)sysconf(_SC_PAGESIZE);
	double fields[FIELD_PAGES + 1];
	char text[1024];
	const char *name_end =
		sys_read_file(sys, "proc/self/stat", text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
	struct span rest = span_of(name_end ? name_end + 1 : "");

	for (unsigned i = FIELD_STATE; i <= FIELD_PAGES; i++)
		if (!span_double(span_word(&rest), &fields[i]))
			fields[i] = NAN;
	values[SELF_CPU] = (fields[FIELD_USER] + fields[FIELD_SYSTEM]) / ticks;
	values[SELF_RESIDENT] = fields[FIELD_PAGES] * page;
	values[SELF_VIRTUAL] = fields[FIELD_SIZE];
	values[SELF_START] =
		(double)(sys->realtime_ns(sys) - sys->boottime_ns(sys)) * 1e-9 + fields[FIELD_START] / ticks;
}

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
	double values[SELF_VALUES];

	read_stat(sys, values);
	values[SELF_FILES] = count_files(sys);
	for (enum self_value i = 0; i < SELF_VALUES; i++) {
		bool counter = self[i].name.type[0] == 'c';

		if (!isfinite(values[i]))
			continue;
		openmetrics_head(&self[i].name, form, self[i].help, out);
		openmetrics_line(self[i].name.text, counter ? "_total" : "", "", values[i], 0, out);
	}
}
