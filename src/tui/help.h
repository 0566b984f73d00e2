/* help: the help screen: what the keys do, what the sources report, the last alerts. It scrolls,
 * and long lines wrap. */
#ifndef MALITOP_HELP_H
#define MALITOP_HELP_H

#include "tui/alerts.h"
#include "tui/keys.h"
#include "session/session.h"
#include "views/canvas.h"

struct help {
	bool shown;
	int scroll, scroll_max, page; /* lines; the last two are of the last help_draw */
};

/* Handle a key while help is shown. Returns false for a key that help does not handle (Ctrl-C). A
 * message for the user is added to *said. */
bool help_key(struct help *help, uint32_t key, struct strbuf *said);

struct help_text {
	struct session *session;
	const struct key_row *own; /* the keys of the view that is shown; NULL if it has none */
	unsigned has;              /* enum key_need */
	const struct alerts *alerts;
	const struct alert *alert; /* the one to show now, NULL: none */
	int64_t now_ns;
};
void help_draw(struct help *help, const struct help_text *text, struct canvas *canvas);

#endif
