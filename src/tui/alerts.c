#include "tui/alerts.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

void alerts_add(struct alerts *a, int64_t now_ns, const char *text)
{
	char line[4 * sizeof(a->lines[0].text)]; /* so that the cut falls to str_printable, which spares characters */

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	if (!line[0])
		return;
	if (a->n == ALERTS_KEPT)
		memmove(&a->lines[0], &a->lines[1], --a->n * sizeof(a->lines[0]));
	str_printable(a->lines[a->n].text, sizeof(a->lines[a->n].text), line);
	a->lines[a->n++].at_ns = now_ns;
}

const char *alerts_now(const struct alerts *a, int64_t now_ns, int64_t *until_ns)
{
	*until_ns = 0;
	if (!a->n || now_ns - a->lines[a->n - 1].at_ns >= ALERT_SHOWN_NS)
		return NULL;
	*until_ns = a->lines[a->n - 1].at_ns + ALERT_SHOWN_NS;
	return a->lines[a->n - 1].text;
}
