/* alerts: messages to the user. The newest is in the row of the tabs for 10 s, and the help screen
 * lists all. Hints (answers to keys) are not listed, so that they do not displace messages worth
 * keeping. */
#ifndef MALITOP_ALERTS_H
#define MALITOP_ALERTS_H

#include "views/frame.h"

#define ALERTS_KEPT 8
#define ALERT_SHOWN_NS 10000000000ll

struct alerts {
	struct alert lines[ALERTS_KEPT]; /* oldest first */
	unsigned n;
	struct alert hint; /* the answer to the last key; "" for none */
};

/* Add the first line of the text, made printable. An empty line is ignored. */
void alerts_add(struct alerts *a, int64_t now_ns, const char *text);
/* The same for what is no failure. */
void alerts_news(struct alerts *a, int64_t now_ns, const char *text);
/* The same for what another row of the screen says: it is only listed. */
void alerts_quiet(struct alerts *a, int64_t now_ns, const char *text);
/* Add lines, of which the first becomes the newest. That there is no GPU is only listed if a card
 * of the screen says it, too. */
void alerts_notes(struct alerts *a, int64_t now_ns, const struct strbuf *notes, bool on_card);
/* An answer to a key, in sight until the next key or for 10 s. */
void alerts_hint(struct alerts *a, int64_t now_ns, const char *text);
/* The line to show now; NULL for none. *until_ns is when that changes. */
const struct alert *alerts_now(const struct alerts *a, int64_t now_ns, int64_t *until_ns);

#endif
