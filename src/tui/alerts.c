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
	alert->quiet = false;
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

void alerts_quiet(struct alerts *a, int64_t now_ns, const char *text)
{
	struct alert hint = a->hint;
	unsigned n = a->n;

	add_line(a, now_ns, text, true);
	a->hint = hint; /* it stays in sight */
	if (a->n > n || n == ALERTS_KEPT)
		a->lines[a->n - 1].quiet = true;
}

void alerts_notes(struct alerts *a, int64_t now_ns, const struct strbuf *notes, bool on_card)
{
	struct span rest = {notes->p, notes->n}, lines[ALERTS_KEPT];
	unsigned n = 0;

	while (rest.n && n < ALERTS_KEPT)
		lines[n++] = span_until(&rest, '\n');
	while (n-- > 0)
		(on_card && !strncmp(lines[n].p, "no GPU:", strlen("no GPU:")) ? alerts_quiet : alerts_add)(
			a, now_ns, lines[n].p);
}

void alerts_answered(struct alerts *a)
{
	a->hint = (struct alert){0};
}

void alerts_hint(struct alerts *a, int64_t now_ns, const char *text)
{
	set_line(&a->hint, now_ns, text, true);
}

const struct alert *alerts_now(const struct alerts *a, int64_t now_ns, int64_t *until_ns)
{
	const struct alert *newest = a->hint.text[0] ? &a->hint : NULL;

	for (unsigned i = a->n; i-- > 0 && !newest;)
		newest = a->lines[i].quiet ? NULL : &a->lines[i];

	*until_ns = 0;
	if (!newest || now_ns - newest->at_ns >= ALERT_SHOWN_NS)
		return NULL;
	*until_ns = newest->at_ns + ALERT_SHOWN_NS;
	return newest;
}
