/* player: plays a log, with a clock of its own, and reads what the shown time needs.
 *
 * The live screen gets samples from a sampler through a subscriber; here they go straight into the
 * feeds, one step per refresh. Points in time are multiples of the refresh on the log's clock, so
 * that each is shown the same way however it was reached. There is no other thread: player_run
 * reads what is due, a few milliseconds of work at a time. If a log cannot be read as fast as
 * requested, the clock waits. Memory does not grow with the log.
 *
 * Thread: ui. Times are CLOCK_MONOTONIC: `now_ns` of this machine, all others of the log.
 */
#ifndef MALITOP_PLAYER_H
#define MALITOP_PLAYER_H

#include "tui/feeds.h"
#include "record/remote.h"
#include "model/process.h"

struct player;

/* Open the log that options->operand names, and make *session of it. Call player_free after
 * session_close. Returns NULL on failure; nothing is left behind. */
struct player *player_open(struct session *session, const struct sys *sys, const struct options *options,
			   struct err *err);
/* The same of the stream of another machine, whose start block has come; it is not owned. */
struct player *player_open_remote(struct session *session, const struct sys *sys,
				  const struct options *options, struct remote *remote, struct err *err);
/* Whether it shows what another machine does now, and can ask it for things; that machine. */
bool player_asks(const struct player *p);
struct remote *player_remote(const struct player *p);
/* Ask the machine that is shown (control.h); what comes of it, or why it cannot be asked, is added
 * to player_said. */
/* Have it sample which functions run, or no longer; nothing happens if it is so, or in a log. */
void player_sample_functions(struct player *p, bool on);
void player_ask(struct player *p, const char *word, const char *text);
void player_free(struct player *p); /* NULL is fine */
/* The refresh period for this log: never shorter than its interval. */
int64_t player_refresh_ns(const struct player *p);
/* Start with the feeds of that session, which have that refresh and must not move in memory. Goes
 * to --from. */
bool player_start(struct player *p, struct feeds *feeds, int64_t now_ns, struct err *err);

/* Read what is due. Returns whether the screen has to be drawn. */
bool player_run(struct player *p, int64_t now_ns);
/* Time until the next player_run at the latest; 0 for at once. */
int64_t player_wait_ns(const struct player *p, int64_t now_ns);
/* Read all that the current goal needs, however long that takes. */
void player_settle(struct player *p);

/* What keys do takes effect at once; player_run reads what it needs. */

/* Pause, or play; at the end, from the start. */
void player_pause(struct player *p, int64_t now_ns);
/* Move by this many refreshes and pause. false at the end of the log. */
bool player_step(struct player *p, int by, int64_t now_ns);
/* After the scale of graphs changed: read what they show. */
void player_scale(struct player *p);
/* The next faster (1) or slower (-1) speed; false if there is none. */
bool player_speed(struct player *p, int by, int64_t now_ns);
/* Keep instances in the feeds from now on, and read again for them. */
void player_keep_instances(struct player *p);
/* Go to a time as in moment.h, or the end that is nearest to it; false if it cannot be parsed.
 * *wanted_ns is that time of the log, which may be outside of it. */
bool player_go(struct player *p, const char *text, int64_t *wanted_ns, struct err *err);
/* Go to the moment that is nearest to that time of the log. */
void player_jump(struct player *p, int64_t at_ns);
/* Go to the next or previous mark, loss or, as far as the timeline was read, scene, and pause.
 * *said gets what was found, or that there is none. */
void player_find(struct player *p, bool back, struct strbuf *said);

/* The timeline of the log in n_cells; player_run reads them. NULL: there is none. */
const struct timeline *player_timeline(struct player *p, int n_cells);
/* What all frames of the log were; reads all of it the first time. NULL: it has none, or is a
 * stream. */
const struct pass_run *player_frames(struct player *p);
/* Pause at a moment that graphs have in sight: they stay where they are. */
void player_point(struct player *p, int64_t at_ns);
/* Show the same moment again, after a change of what is shown of it. */
void player_show_again(struct player *p);
/* Whether it has begun to read what the moment needs, so that the last picture should stay a little
 * longer. */
bool player_is_brief(const struct player *p, int64_t now_ns);
/* Of a stream: readable when something has arrived, or -1. */
int player_arrival_fd(const struct player *p);
/* Of a stream, before player_start: wait until it has this many refreshes, or ends. Returns whether
 * there is any data. */
bool player_await(struct player *p, unsigned refreshes);
/* Whether the clock stands: views mark the moment. */
bool player_is_paused(const struct player *p);

/* "REPLAY run.mlog"; "0:12 of 1:02:03 19 % x10". */
const char *player_title(const struct player *p);
void player_position(const struct player *p, int64_t now_ns, char *out, size_t size);
/* The time of day at the shown point in time. */
int64_t player_realtime_ns(const struct player *p);
/* Changes with every jump: what was shown before is of another time. */
unsigned player_jumps(const struct player *p);

/* Marks, messages and read errors since the last call, a line each; the caller clears it. */
struct strbuf *player_said(struct player *p);
/* Add what is damaged or was cut off; adds nothing if the log is intact. */
void player_complain(const struct player *p, struct strbuf *text);

/* Set whether processes are wanted. Take the newest list up to the shown time, owned by the caller;
 * NULL if there is no new one. */
void player_want_processes(struct player *p, bool wanted);
struct process_list *player_take_processes(struct player *p);

#endif
