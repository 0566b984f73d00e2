/* alerts: messages to the user. The newest is in the row of the tabs for 10 s, and the help screen
 * lists all. Hints, which answer keys, are not listed, so that they do not displace important
 * messages. */
#ifndef MALITOP_ALERTS_H
#define MALITOP_ALERTS_H

#include "views/frame.h"

#define ALERTS_KEPT 8
#define ALERT_SHOWN_NS 10000000000ll

struct alerts {
	struct alert lines[ALERTS_KEPT]; /* oldest first */
	unsigned n;
	struct alert hint; /* answer to the last key; "" for none */
};

/* Add the first line of the text, made printable. An empty line is ignored. */
void alerts_add(struct alerts *a, int64_t now_ns, const char *text);
/* Add a message that is not a failure. */
void alerts_news(struct alerts *a, int64_t now_ns, const char *text);
/* Add a message that another row of the screen shows already: it is only listed. */
void alerts_quiet(struct alerts *a, int64_t now_ns, const char *text);
/* Add lines, of which the first becomes the newest. A missing GPU is only listed if a card of the
 * screen shows it, too. */
void alerts_notes(struct alerts *a, int64_t now_ns, const struct strbuf *notes, bool on_card);
/* Show an answer to a key until the next key, or for 10 s. */
void alerts_hint(struct alerts *a, int64_t now_ns, const char *text);
/* Return the line to show now; NULL for none. *until_ns is when it expires. */
const struct alert *alerts_now(const struct alerts *a, int64_t now_ns, int64_t *until_ns);

#endif
