/* live_priv: the state of the live screen; live.c is its loop, live_keys.c what keys do, live_log.c the log beside it,
 * live_replay.c what is different over a log. For these only. */
#ifndef MALITOP_LIVE_PRIV_H
#define MALITOP_LIVE_PRIV_H

#include "tui/alerts.h"
#include "tui/player.h"
#include "record/recorder.h"
#include "session/scanner.h"
#include "tui/screen.h"
#include "term/term.h"

struct live {
	const struct sys *sys;
	const struct options *options;
	struct session session;
	struct feeds feeds;
	struct screen screen;
	struct term *term;
	struct canvas canvas;
	struct recorder *recorder;                   /* NULL: no log */
	enum { LOG_RUNS, LOG_ENDS, LOG_FAILED } log; /* it is being ended; likewise, and why was said */
	struct scanner *scanner;                     /* of processes */
	struct player *player;                       /* of a log, instead of these two and the session's sampler; else NULL */
	struct alerts alerts;
	int64_t start_ns, next_step_ns;
	char before_counters[2]; /* digit of the view */
	bool has_instances;      /* the sources deliver every core */
	unsigned changes;        /* of the session, as they were followed */
	unsigned jumps;          /* of the player, likewise */
	bool asks;               /* where to go to: */
	char typed[32], question[48];
	struct foot_ask ask;
	bool help, dirty, end;
	int signal;
};

/* A key that was pressed. */
void live_key(struct live *l, uint32_t key);

/* Begin a log, or end it; mark a moment in it; what becomes of it, at every turn of the loop. */
void live_log(struct live *l);
void live_mark(struct live *l);
void live_look_at_log(struct live *l);

/* Of a log: open it and make the session of it; then show its first moment; at every turn of the loop. */
bool live_open_log(struct live *l, struct err *err);
bool live_start_log(struct live *l, int64_t now, struct err *err);
void live_run_log(struct live *l, int64_t now);
/* Ask where to go to; what the footer asks, NULL: nothing; a key of the answer, false: it is none. */
void live_ask(struct live *l);
const struct foot_ask *live_asked(struct live *l);
bool live_key_typed(struct live *l, uint32_t key, int64_t now);

#endif
