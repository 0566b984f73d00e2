/* Shared by the files of session; no other file includes this. */
#ifndef MALITOP_SESSION_PRIV_H
#define MALITOP_SESSION_PRIV_H

#include "session/session.h"

/* The job of a session's opener: open every device, or one again. */
struct opening {
	const struct sys *sys;
	const struct options *options;         /* used to open every device */
	struct session_source lost;            /* a copy: the session may end before the call returns */
	char others[SESSION_SOURCES_MAX][128]; /* devices of other sources: not to be taken for it */
	struct source_options what;
	struct metric_need *needs; /* a copy: what.needs */
	struct devices devices;
	bool ok;
	struct err err;
	bool may_turn;    /* with the counters or without, as they can be had */
	unsigned counts;  /* number of the session_count request; 0 for none */
	struct gpudb *db; /* its share: sources refer to products in it */
};
/* Begin to open a source again: a lost one or, with a scope, the machine's CPU events for a process
 * or thread alone. */
void session_reopen(struct session *session, const struct session_source *lost, const struct scope *scope);
/* Free an opening and close the sources that are still in it. */
void opening_drop(void *job);

/* Compile the metrics of a source with these slots, for the session's frames. */
struct metric_set *session_set(const struct session *session, const struct gpudb *db,
			       const struct session_source *source, const struct gpu_layout *layout,
			       const struct slot *slots, struct err *err);
/* Compile the metrics of a source and append it to the session. */
bool session_take_source(struct session *session, const struct source *source, struct err *err);
/* Show the GPU that --device names, or else the first. */
void session_show_first(struct session *session);
/* Whether a reopened source has the same product, slots and constants, so that the compiled metrics
 * and the stored samples still fit. */
bool session_is_same(const struct session_source *mine, const struct source *source);

void session_show_gpu(struct session *session, struct session_source *gpu);

/* session_mix.c: compile the metrics that the shown sources have together, and show them; the same
 * for data that are not used yet; show those of data, which the session owns from now on. */
bool session_mix(struct session *session, struct err *err);
/* The same at the start: what the user's own definitions name in vain becomes notes, and a budget
 * of which nothing can be checked is an error. */
bool session_mix_first(struct session *session, struct err *err);
bool session_mix_load(const struct session *session, struct session_data *data, struct err *err);
void session_mix_show(struct session *session, struct metric_mix *mix);
void session_mix_fini(struct session *session);
/* session_missing.c, for the first mix. */
bool session_report_missing(struct session *session, const struct metric_set *const sets[SOURCE_KINDS],
			    struct err *err);

/* session_gpu.c, for session_life.c: whether a source does without what another program has of its
 * device, and should ask whether that is free again; replace a source by `source`, which is the
 * same device with its counters or without. The session owns it, unless false is returned. */
bool session_is_shared(const struct session_source *s);
bool session_should_ask(const struct session *session, const struct session_source *s);
bool session_turn(struct session *session, struct session_source *s, struct source *source, char *text,
		  size_t size);

/* session_count.c, for session_life.c: begin to open the chosen process, if there is one; take over
 * what was opened (o still belongs to the caller); react to the end of the process. */
void session_try_count(struct session *session);
/* Take a source out of the sampler until retry_ns. */
void session_drop(struct session *session, struct session_source *s, enum session_away why, int64_t retry_ns);
/* Whether a device could not be opened because it is not there. */
bool session_is_missing(const struct err *err);
void session_take_counted(struct session *session, struct opening *o, char *text, size_t size);
void session_lose_counted(struct session *session, char *text, size_t size);

#endif
