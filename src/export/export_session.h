/* export_session: the sources of a session, live or of a log, as rows of metrics: what recorder and export have in common. */
#ifndef MALITOP_EXPORT_SESSION_H
#define MALITOP_EXPORT_SESSION_H

#include "export/export.h"
#include "session/session.h"

/* In the format of the session's options. Of `form` the choice of metrics and lines is taken; everything else follows from the session:
 * a live one has this host and the wall clock of now, one of a log those of the log. As export_new. */
struct export *export_session(const struct session *session, const struct export_options *form, export_write_fn *write, void *ctx,
			      struct err *err);

#endif
