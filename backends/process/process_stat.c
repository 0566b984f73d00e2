#include "backends/process/process_stat.h"

#include <stdio.h>
#include <string.h>

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

static uint64_t at_most(uint64_t v, uint64_t most)
{
	return v < most ? v : most;
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
		.parent = (int32_t)at_most(value[PARENT], INT32_MAX),
		.flags = value[FLAGS],
		.ticks = value[USER] + value[KERNEL],
		.threads = (uint32_t)at_most(value[THREADS], UINT32_MAX),
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
