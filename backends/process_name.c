#include "backends/process_name.h"

#include <stdio.h>
#include <string.h>

#define LINE 512

/* The word of the command line that contains comm, up to the next blank, without directories. */
static bool find_program(struct span *name, const char *line, const char *comm)
{
	for (const char *p = strstr(line, comm); p; p = strstr(p + 1, comm)) {
		const char *end = p + strlen(comm);

		end += strcspn(end, "/ \n");
		while (p > line && p[-1] != '/' && p[-1] != ' ')
			p--;
		*name = (struct span){p, (size_t)(end - p)};
		if (*end != '/')
			return true;
		p = end;
	}
	return false;
}

void process_name(const struct sys *sys, int32_t pid, struct span comm, char *dst, size_t size)
{
	char path[32], line[LINE], text[64];
	struct span name;

	snprintf(text, sizeof(text), "%.*s", SPAN_ARG(comm));
	str_printable(dst, size, text);
	if (!process_name_is_cut(comm))
		return;
	snprintf(path, sizeof(path), "proc/%d/cmdline", pid);
	if (sys_read_file(sys, path, line, sizeof(line)) > 0 && find_program(&name, line, text)) {
		line[name.p - line + (ptrdiff_t)name.n] = 0;
		str_printable(dst, size, name.p);
	}
}
