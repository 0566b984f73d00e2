/* player: plays a log: a clock of its own, and what has to be read for the moment that it shows.
 *
 * What the live screen gets from a sampler through a ring, it gets here: samples go straight into the feeds, the log's refreshes are
 * its steps. Moments are multiples of the refresh on the log's clock, so that one is shown alike however it was reached. Nothing runs
 * beside: player_run reads what is due, a few milliseconds of work at a time; where a log cannot be read as fast as asked, the clock
 * waits. Memory does not grow with the log.
 *
 * Thread: ui. Times are CLOCK_MONOTONIC: `now_ns` of this machine, all others those of the log.
 */
#ifndef MALITOP_PLAYER_H
#define MALITOP_PLAYER_H

#include "tui/feeds.h"
#include "model/process.h"

struct player;

/* Open the log that options->operand names, and make *session of it; player_free after session_close. NULL: nothing is left behind. */
struct player *player_open(struct session *session, const struct sys *sys, const struct options *options, struct err *err);
void player_free(struct player *p); /* NULL is fine */
/* The length of a refresh over this log: never shorter than what was logged. */
int64_t player_refresh_ns(const struct player *p);
/* Feeds of that session, with that refresh, which must stay where they are. Goes to --from. */
bool player_start(struct player *p, struct feeds *feeds, int64_t now_ns, struct err *err);

/* Read what is due. Returns whether there is something new to show. */
bool player_run(struct player *p, int64_t now_ns);
/* When to run next, at the latest; 0: at once. */
int64_t player_wait_ns(const struct player *p, int64_t now_ns);
/* Read all that the moment needs that was gone to, however long it takes. */
void player_settle(struct player *p);

/* Each takes effect at once; what has to be read for it, player_run reads. */
void player_pause(struct player *p, int64_t now_ns);         /* or play; at the end: from the start */
void player_step(struct player *p, int by, int64_t now_ns);  /* by so many refreshes; pauses */
void player_speed(struct player *p, int by, int64_t now_ns); /* the next faster (1) or slower (-1) of a table */
void player_keep_instances(struct player *p);                /* the feeds keep them from now on: read again */
/* As people write it (moment.h). false: it is no moment. */
bool player_go(struct player *p, const char *text, struct err *err);
/* To the next mark or loss, or the one before; pauses. What it is, or that there is none, is added to *said. */
void player_find(struct player *p, bool back, struct strbuf *said);

/* "REPLAY run.mlog"; "0:12 of 1:02:03  19 %  x10". */
const char *player_title(const struct player *p);
void player_position(const struct player *p, int64_t now_ns, char *out, size_t size);
/* What is shown: its moment, and the time of day it was then. */
int64_t player_at_ns(const struct player *p);
int64_t player_realtime_ns(const struct player *p);
/* Changes with every jump: what was shown before it is of another time. */
unsigned player_jumps(const struct player *p);

/* What marks, messages and the reader had to say since the last call, a line each; cleared by the caller. */
struct strbuf *player_said(struct player *p);
/* What is damaged or was cut off; "" when all is well. */
void player_complain(const struct player *p, struct strbuf *text);

/* Whether processes are wanted; the newest list up to the moment shown since the last call, the caller's; NULL: no new one. */
void player_want_processes(struct player *p, bool wanted);
struct process_list *player_take_processes(struct player *p);

#endif
