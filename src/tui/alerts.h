/* alerts: lines that the user should see: the newest takes the footer for 10 s, all are kept for the help screen. */
#ifndef MALITOP_ALERTS_H
#define MALITOP_ALERTS_H

#include <stdint.h>

#define ALERTS_KEPT 8
#define ALERT_SHOWN_NS 10000000000ll

struct alerts {
	struct {
		char text[200]; /* printable */
		int64_t at_ns;
	} lines[ALERTS_KEPT]; /* oldest first */
	unsigned n;
};

/* The text is made printable; its first line counts. An empty one is nothing. */
void alerts_add(struct alerts *a, int64_t now_ns, const char *text);
/* The line to show now, NULL for none; *until_ns is when that changes. */
const char *alerts_now(const struct alerts *a, int64_t now_ns, int64_t *until_ns);

#endif
