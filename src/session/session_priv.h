/* Shared by the files of session; no other file includes this. */
#ifndef MALITOP_SESSION_PRIV_H
#define MALITOP_SESSION_PRIV_H

#include "session/session.h"

/* The job of a session's opener: every device, or one that was lost. */
struct opening {
	const struct sys *sys;
	const struct options *options; /* for every device */
	struct session_source lost;    /* for one: a copy, as the session may end before the call does */
	struct source_options what;
	struct registry_result result;
	bool ok;
	struct err err;
	unsigned counts;  /* a process alone: the number of the request (session_count.c); 0: no */
	struct gpudb *db; /* of a session that has ended: goes with its last user */
};
void opening_drop(void *job);

/* Compile its metrics and put it behind the others. */
bool session_take_source(struct session *session, const struct source *source, struct err *err);
/* Show the GPU that --device names, else the first. */
void session_show_first(struct session *session);
/* What was compiled and stored for the one must hold for the other. */
bool session_is_same(const struct session_source *mine, const struct source *source);

/* session_count.c, for session_life.c: begin to open what was chosen, if there is anything; take what was opened, and free nothing of
 * it; the process has ended. */
void session_try_count(struct session *session);
void session_take_counted(struct session *session, struct opening *o, char *text, size_t size);
void session_lose_counted(struct session *session, char *text, size_t size);

#endif
