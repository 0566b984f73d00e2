#include "backends/process/process_command.h"

#include "base/alloc.h"
#include "model/process.h"

#include <stdio.h>
#include <string.h>

#define CHARACTER 4 /* bytes of the longest: the last one that is read may not be whole */

char *process_command(const struct sys *sys, int32_t pid)
{
	char path[32], line[PROCESS_COMMAND + CHARACTER], printable[PROCESS_COMMAND];
	ssize_t n;

	snprintf(path, sizeof(path), "proc/%d/cmdline", pid);
	n = sys_read_file(sys, path, line, sizeof(line));
	while (n > 0 && (!line[n - 1] || line[n - 1] == ' '))
		n--;
	if (n <= 0)
		return NULL;
	for (ssize_t i = 0; i < n; i++)
		if (!line[i])
			line[i] = ' ';
	line[n] = 0;
	return xstrdup(str_printable(printable, sizeof(printable), line));
}
