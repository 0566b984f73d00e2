#include "backends/process_file.h"

#include "base/alloc.h"
#include "model/process.h"

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

/* Field numbers after the state, as in proc_pid_stat(5). */
enum {
	FIELD_FIRST = 4,
	PARENT = 4,
	FLAGS = 9,
	USER = 14,
	KERNEL = 15,
	THREADS = 20,
	START = 22,
	RSS = 24,
	FIELD_END
};

static inline bool take_number(const char **at, const char *end, uint64_t *value)
{
	const char *p = *at, *digits;
	bool minus;

	while (p < end && *p == ' ')
		p++;
	minus = p < end && *p == '-';
	p += minus;
	*value = 0;
	for (digits = p; p < end && *p >= '0' && *p <= '9'; p++)
		*value = *value * 10 + (uint64_t)(*p - '0');
	if (minus)
		*value = 0; /* no field that is needed can be negative */
	*at = p;
	return p > digits && p < end; /* a truncated number would be a different one */
}

bool process_stat_parse(struct process_stat *stat, struct span text)
{
	const char *end = text.p + text.n, *open = memchr(text.p, '(', text.n),
		   *close = memrchr(text.p, ')', text.n), *at;
	uint64_t value[FIELD_END];

	if (!open || !close || close < open || end - close < 3)
		return false;
	at = close + 3;
	for (unsigned i = FIELD_FIRST; i < FIELD_END; i++)
		if (!take_number(&at, end, &value[i]))
			return false;
	*stat = (struct process_stat){
		.comm = {open + 1, (size_t)(close - open - 1)},
		.state = (close[2] | 0x20) >= 'a' && (close[2] | 0x20) <= 'z' ? close[2] : '?',
		.parent = value[PARENT] < INT32_MAX ? (int32_t)value[PARENT] : INT32_MAX,
		.flags = value[FLAGS],
		.ticks = value[USER] + value[KERNEL],
		.threads = value[THREADS] < UINT32_MAX ? (uint32_t)value[THREADS] : UINT32_MAX,
		.start = value[START],
		.rss_pages = value[RSS],
	};
	return true;
}

#define GENERATIONS_MOST 64
#define STAT_BYTES 1024

bool process_descends(const struct sys *sys, int32_t pid, int32_t ancestor)
{
	struct process_stat stat;
	char path[32], text[STAT_BYTES];
	ssize_t n;

	for (unsigned i = 0; i < GENERATIONS_MOST && pid > 0; i++) {
		if (pid == ancestor)
			return true;
		snprintf(path, sizeof(path), "proc/%d/stat", pid);
		n = sys_read_file(sys, path, text, sizeof(text));
		if (n <= 0 || !process_stat_parse(&stat, (struct span){text, (size_t)n}))
			return false;
		pid = stat.parent;
	}
	return false;
}
