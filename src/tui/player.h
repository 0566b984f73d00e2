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

#define SECOND 1000000000ll
#define WORK_MOST (1 << 20) /* values to decode at a time: some 5 ms */

/* The timeline, and how much of it has been read. */
struct player_line {
	struct mlog_reader *reader; /* its own; NULL before the first use */
	struct timeline line;
	struct timeline_cell cells[CANVAS_COLS_MAX];
	struct timeline_place marks[TIMELINE_MARKS];
	int next;                                     /* the cell to read */
	struct scene_change changes[TIMELINE_SCENES]; /* after the last cell was read */
	int64_t scenes[TIMELINE_SCENES];              /* when they were, as far as line.n_scenes */
	unsigned n_changes;
};

#define PLAYER_AWAYS 64

/* A note of the log that a source went away or came back. */
struct player_away {
	int64_t time_ns;
	int source;
	bool away;
};

struct player {
	/* The machine that is shown, which can be asked for things (control.h); NULL: a log. */
	struct remote *remote;
	bool owns_remote;
	uint64_t arrived; /* blocks that were seen */
	struct {
		int64_t number, interval_ns; /* of the last request for another interval */
	} asked;
	bool samples_functions; /* was asked for */
	struct mlog_feed *feed;
	struct mlog_input input;
	struct mlog_reader *reader;
	struct session *session;
	struct feeds *feeds;
	char title[64];                     /* "REPLAY run.mlog" */
	int64_t refresh_ns, from_ns, to_ns; /* never shorter than the interval; INT64_MAX: the end */
	struct mlog_state state;

	const struct mlog_block *block; /* the current block, and the next sample and note in it */
	unsigned sample, note;
	struct sample *copy;
	int64_t ends_ns[SESSION_SOURCES_MAX]; /* ends of the newest samples */
	int64_t work;

	int64_t fed_ns;     /* the feeds have everything up to this time */
	int64_t window_ns;  /* the end of histories: later than at_ns only while paused */
	int64_t points_ns;  /* no points are needed before this time */
	bool quiet;         /* do not repeat messages of the time that is skipped */
	bool ahead;         /* what is read now is later than at_ns: only history takes it */
	int64_t records_ns; /* the records of samples from here on were not kept */
	int64_t at_ns;      /* shown now, or next */
	int64_t sought_ns;  /* the exact time that was requested */
	unsigned jumps;     /* what was shown before the last one is of another time */

	bool follows; /* not paused, it shows the newest data, as a live screen */
	/* The least time from the end of data, by the clock of the log, to its arrival, by ours. */
	int64_t delay_ns;
	bool timed;                /* delay_ns is known */
	bool paused, behind, late; /* cannot be read as fast as requested: now; recently */
	double speed, reached;
	int64_t real_ns, log_ns;             /* the clock: log_ns of the log was at real_ns */
	int64_t measured_ns, measured_at_ns; /* `reached` is measured from here */
	int64_t shown_ns, look_ns, grown_ns;
	int64_t reading_ns; /* our time since when it reads; 0: it does not */
	bool unshown;

	struct player_away aways[PLAYER_AWAYS]; /* the newest that were read, in their order */
	unsigned n_aways;
	bool wants_processes;
	struct process_list *list;
	struct player_line line;
	struct pass_run *frames; /* NULL before they are asked for */
	struct strbuf said;      /* marks, messages and errors, a line each; the reader clears it */
	bool failed;             /* the read error was reported */
};

/* Open the log that options->operand names, the machine of `malitop on`, or `remote`, whose start
 * block has come and which is not owned; make *session of it. Call player_free after
 * session_close. Returns NULL on failure; nothing is left behind. */
struct player *player_open(struct session *session, const struct sys *sys, const struct options *options,
			   struct remote *remote, struct err *err);
void player_free(struct player *p); /* NULL is fine */
/* Ask the machine that is shown; what comes of it, or why it cannot be asked, goes to `said`. */
void player_ask(struct player *p, const char *word, const char *text);
/* Have it sample which functions run, or no longer; nothing happens if it is so, or in a log. */
void player_sample_functions(struct player *p, bool on);
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
/* The next faster (1) or slower (-1) speed; false if there is none. */
bool player_speed(struct player *p, int by, int64_t now_ns);
/* Go to a time as in moment.h, or the end that is nearest to it; false if it cannot be parsed.
 * *wanted_ns is that time of the log, which may be outside of it. */
bool player_go(struct player *p, const char *text, int64_t *wanted_ns, struct err *err);
/* Go to the next or previous mark, loss or, as far as the timeline was read, scene, and pause.
 * *said gets what was found, or that there is none. */
void player_find(struct player *p, bool back, struct strbuf *said);
/* Show the same moment again, after a change of what is shown of it. */
void player_show_again(struct player *p);

/* What all frames of the log were; reads all of it the first time. NULL: it has none, or is a
 * stream. */
const struct pass_run *player_frames(struct player *p);
/* Whether it has begun to read what the moment needs, so that the last picture should stay a little
 * longer. */
bool player_is_brief(const struct player *p, int64_t now_ns);
/* Of a stream, before player_start: wait until it has this many refreshes, or ends. Returns whether
 * there is any data. */
bool player_await(struct player *p, unsigned refreshes);

/* "0:12 of 1:02:03 19 % x10". */
void player_position(const struct player *p, int64_t now_ns, char *out, size_t size);
/* The time of day at the shown point in time. */
int64_t player_realtime_ns(const struct player *p);
/* Add what is damaged or was cut off; adds nothing if the log is intact. */
void player_complain(const struct player *p, struct strbuf *text);

/* Set whether processes are wanted. Take the newest list up to the shown time, owned by the caller;
 * NULL if there is no new one. */
void player_want_processes(struct player *p, bool wanted);
struct process_list *player_take_processes(struct player *p);

/* ---- player_read.c: from the file into the feeds ---- */

/* Update p->state; its times are bounded, so that arithmetic cannot overflow. */
void player_take_state(struct player *p);
/* The first and last time that can be shown. */
int64_t player_first(const struct player *p);
int64_t player_last(const struct player *p);
/* Fill the feeds up to that time, a step at a time; false if p->work is used up first. */
bool player_advance(struct player *p, int64_t until_ns);
/* Copy the processes of the last block for player_take_processes. */
void player_copy_processes(struct player *p);
/* The time between two moments that can be shown: that of a point of graphs if it is a part of a
 * refresh, else of as many refreshes as fit into it, at least one. */
int64_t player_step_ns(const struct player *p);
/* Show the moment that is nearest to that time: by what the feeds have of it, or after player_read
 * has read what it needs. Paused, histories also have what came after it. */
void player_go_to(struct player *p, int64_t t_ns);
/* The same with histories that end at window_ns, which is not earlier. */
void player_go_within(struct player *p, int64_t t_ns, int64_t window_ns);
/* The same, but read it in any case. */
void player_seek(struct player *p, int64_t t_ns);
/* Read what is missing up to p->window_ns; false if p->work is used up first. */
bool player_read(struct player *p);
/* Whether sources are away at that time. */
void player_take_aways(struct player *p, int64_t at_ns);

/* ---- player_timeline.c ---- */

/* The timeline of the log in n_cells; player_run reads them. NULL: there is none. */
const struct timeline *player_timeline(struct player *p, int n_cells);
/* Read some more cells of the timeline; false if none was read. Whether all are. */
bool player_read_line(struct player *p);
bool player_line_is_read(const struct player *p);

static inline bool player_is_reading(const struct player *p)
{
	return p->fed_ns < p->window_ns;
}

#endif
