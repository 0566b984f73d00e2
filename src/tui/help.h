/* help: the help screen: what the keys do, what the sources say of themselves, the last alerts. */
#ifndef MALITOP_HELP_H
#define MALITOP_HELP_H

#include "tui/alerts.h"
#include "tui/keys.h"
#include "session/session.h"
#include "views/canvas.h"

/* own: the keys of the view that is shown; NULL: it has none. has: enum key_need. */
void help_draw(struct session *session, const struct key_help *own, unsigned has, const struct alerts *alerts, int64_t now_ns,
	       struct canvas *canvas);

#endif
