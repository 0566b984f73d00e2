/* export_session: exports the sources of a session, live or of a log, as rows of metrics. Shared by
 * recorder and export. */
#ifndef MALITOP_EXPORT_SESSION_H
#define MALITOP_EXPORT_SESSION_H

#include "export/export.h"
#include "session/session.h"

/* The sources of a session, as export_new takes them. */
struct export_sources {
	struct export_source list[SESSION_SOURCES_MAX + 1]; /* the mix, if there is one, is the last */
};
/* `out` is valid as long as the session. */
void export_session_sources(const struct session *session, struct export_sources *out);
/* Like export_new, in the format of the session's options. `form` selects metrics and lines. Host
 * and wall clock are this machine's for a live session, else those of the log. */
struct export *export_session(const struct session *session, const struct export_options *form,
			      export_write_fn *write, void *ctx, struct err *err);

#endif
