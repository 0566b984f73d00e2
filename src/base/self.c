#include "base/self.h"

#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The fields of proc/PID/stat, by their number in proc(5). */
enum { FIELD_STATE = 3, FIELD_USER = 14, FIELD_SYSTEM, FIELD_START = 22, FIELD_SIZE, FIELD_PAGES };

struct self self_read(const struct sys *sys)
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
	return (struct self){.cpu_s = (fields[FIELD_USER] + fields[FIELD_SYSTEM]) / ticks,
			     .resident_bytes = fields[FIELD_PAGES] * page,
			     .virtual_bytes = fields[FIELD_SIZE],
			     .start_s = fields[FIELD_START] / ticks};
}

/* This is our own memory, not the measured machine's: it is read without sys. */
void self_unload(void)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	unsigned long begin, end, from = 0, to = 0, changed_kb;
	char line[512], access[5], rest;
	bool is_constant = false;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %4s", &begin, &end, access) == 3) {
			from = begin;
			to = end;
			is_constant = strcmp(access, "r--p") == 0 || strcmp(access, "r-xp") == 0;
		} else if (is_constant && sscanf(line, "Anonymous: %lu %c", &changed_kb, &rest) == 2 &&
			   !changed_kb) {
			sys_unload((const char *)from, (const char *)to);
		}
	}
	if (maps)
		fclose(maps);
}
