#include "backends/cpu/cpu_set.h"

#include <string.h>

static bool list_end(char c)
{
	return !c || c == ',' || c == ' ' || c == '\n' || c == '\t';
}

/* Parse the number at *text; it saturates at the limit, whatever the digits are. */
static bool list_number(const char **text, unsigned *number)
{
	const char *s = *text;
	unsigned v = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		if (v < CPU_NUMBER_MAX)
			v = v * 10 + (unsigned)(*s - '0');
	if (s == *text)
		return false;
	*number = v;
	*text = s;
	return true;
}

bool cpu_set_parse(struct cpu_set *set, const char *text)
{
	bool any = false;

	memset(set, 0, sizeof(*set));
	while (*text) {
		unsigned first, last;

		if (list_end(*text)) {
			text++;
			continue;
		}
		if (!list_number(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!list_number(&text, &last))
				return false;
		}
		if (!list_end(*text))
			return false;
		for (; first <= last && first < CPU_NUMBER_MAX; first++) {
			cpu_set_add(set, first);
			any = true;
		}
	}
	return any;
}

bool cpu_set_read(const struct sys *sys, struct cpu_set *set, const char *path)
{
	char text[4096];

	memset(set, 0, sizeof(*set));
	return sys_read_file(sys, path, text, sizeof(text)) > 0 && cpu_set_parse(set, text);
}
