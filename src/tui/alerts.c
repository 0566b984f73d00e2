#include "tui/alerts.h"

#include "base/str.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Set the line, made printable. Returns false if it is empty. */
static bool set_line(struct alert *alert, int64_t now_ns, const char *text, bool news, bool quiet)
{
	char line[4 * sizeof(alert->text)]; /* long, because str_printable truncates it by characters */

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	if (!line[0])
		return false;
	str_printable(alert->text, sizeof(alert->text), line);
	alert->at_ns = now_ns;
	alert->news = news;
	alert->quiet = quiet;
	return true;
}

static void add_line(struct alerts *a, int64_t now_ns, const char *text, bool news, bool quiet)
{
	struct alert alert;

	if (!set_line(&alert, now_ns, text, news, quiet))
		return;
	if (a->n == ALERTS_KEPT)
		memmove(&a->lines[0], &a->lines[1], --a->n * sizeof(a->lines[0]));
	a->lines[a->n++] = alert;
	if (!quiet) /* a quiet message leaves the hint visible */
		a->hint = (struct alert){0};
}

void alerts_add(struct alerts *a, int64_t now_ns, const char *text)
{
	add_line(a, now_ns, text, false, false);
}

void alerts_news(struct alerts *a, int64_t now_ns, const char *text)
{
	add_line(a, now_ns, text, true, false);
}

void alerts_quiet(struct alerts *a, int64_t now_ns, const char *text)
{
	add_line(a, now_ns, text, true, true);
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

void alerts_hint(struct alerts *a, int64_t now_ns, const char *text)
{
	set_line(&a->hint, now_ns, text, true, false);
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
