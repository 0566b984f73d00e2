#include "tui/alerts.h"

#include "base/str.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Returns false if the line is empty. */
static bool set_line(struct alert *alert, int64_t now_ns, const char *text, bool news)
{
	char line[4 * sizeof(alert->text)]; /* long: str_printable truncates it by characters */

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	if (!line[0])
		return false;
	str_printable(alert->text, sizeof(alert->text), line);
	alert->at_ns = now_ns;
	alert->news = news;
	return true;
}

static void add_line(struct alerts *a, int64_t now_ns, const char *text, bool news)
{
	struct alert alert;

	if (!set_line(&alert, now_ns, text, news))
		return;
	if (a->n == ALERTS_KEPT)
		memmove(&a->lines[0], &a->lines[1], --a->n * sizeof(a->lines[0]));
	a->lines[a->n++] = alert;
	a->hint = (struct alert){0};
}

void alerts_add(struct alerts *a, int64_t now_ns, const char *text)
{
	add_line(a, now_ns, text, false);
}

void alerts_news(struct alerts *a, int64_t now_ns, const char *text)
{
	add_line(a, now_ns, text, true);
}

void alerts_hint(struct alerts *a, int64_t now_ns, const char *text)
{
	set_line(&a->hint, now_ns, text, true);
}

const struct alert *alerts_now(const struct alerts *a, int64_t now_ns, int64_t *until_ns)
{
	const struct alert *newest = a->hint.text[0] ? &a->hint : a->n ? &a->lines[a->n - 1] : NULL;

	*until_ns = 0;
	if (!newest || now_ns - newest->at_ns >= ALERT_SHOWN_NS)
		return NULL;
	*until_ns = newest->at_ns + ALERT_SHOWN_NS;
	return newest;
}
