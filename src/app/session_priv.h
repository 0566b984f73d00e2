/* Shared by session.c and session_life.c; no other file includes this. */
#ifndef MALITOP_SESSION_PRIV_H
#define MALITOP_SESSION_PRIV_H

#include "app/session.h"

/* The job of a session's opener: every device, or one that was lost. */
struct opening {
	const struct sys *sys;
	const struct options *options; /* for every device */
	struct session_source lost;    /* for one: a copy, as the session may end before the call does */
	struct source_options what;
	struct registry_result result;
	bool ok;
	struct err err;
	struct gpudb *db; /* of a session that has ended: goes with its last user */
};
void opening_drop(void *job);

#endif
