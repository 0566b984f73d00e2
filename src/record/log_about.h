/* log_about: the start block of a log of a session. Thread: the session's owner. */
#ifndef MALITOP_LOG_ABOUT_H
#define MALITOP_LOG_ABOUT_H

#include "mlog/mlog.h"
#include "record/control.h"
#include "session/session.h"

#include <sys/utsname.h>

struct log_about {
	struct mlog_about about; /* owns the slots of its sources, and nothing else */
	struct mlog_source sources[SESSION_SOURCES_MAX];
	struct utsname machine;
	char kernel[200], scope[256], control[CONTROL_VOCABULARY];
};

/* Describe everything but the clocks. It points into itself and to the session: do not move it. */
void log_about_init(struct log_about *log, const struct session *session);
void log_about_fini(struct log_about *log);

#endif
