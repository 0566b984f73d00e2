#include "base/self.h"

#include "base/str.h"

#include <math.h>
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
