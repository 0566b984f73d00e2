/* player: plays a log, with a clock of its own, and reads the data for the shown time.
 *
 * The live screen gets samples from a sampler through a subscriber; here they go straight into the
 * feeds, one step per refresh. Points in time are multiples of the refresh on the log's clock, so
 * that each is shown the same way however it was reached. There is no other thread: player_run
 * reads due data, a few milliseconds of work at a time. If a log cannot be read as fast as
 * requested, the clock waits. Memory does not grow with the log.
 *
 * Thread: ui. Times are CLOCK_MONOTONIC: `now_ns` of this machine, all others of the log. */
#ifndef MALITOP_PLAYER_H
#define MALITOP_PLAYER_H

#include "tui/feeds.h"
#include "record/remote.h"
#include "model/process.h"

#define SECOND 1000000000ll
#define WORK_MOST (1 << 20) /* values to decode at a time, about 5 ms */

/* The timeline, and its cells read so far. */
struct player_line {
	struct mlog_reader *reader; /* a reader for the timeline only; NULL before the first use */
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
	/* The shown machine, which takes requests (control.h); NULL: a log. */
	struct remote *remote;
	bool owns_remote;
	uint64_t arrived; /* blocks of the stream that were handled */
	struct {
		int64_t number, interval_ns; /* of the last request for another interval */
	} asked;
	bool samples_functions; /* sampling of functions was requested */
	struct mlog_feed *feed;
	struct mlog_input input;
	struct mlog_reader *reader;
	struct session *session;
	struct feeds *feeds;
	char title[64];                     /* "REPLAY run.mlog" */
	int64_t refresh_ns, from_ns, to_ns; /* refresh: at least the interval; INT64_MAX: the end */
	struct mlog_state state;

	const struct mlog_block *block; /* the current block, and the indices of its next sample and note */
	unsigned sample, note;
	struct sample *copy;
	int64_t ends_ns[SESSION_SOURCES_MAX]; /* ends of the newest samples */
	int64_t work;

	int64_t fed_ns;     /* the feeds have all data up to this time */
	int64_t window_ns;  /* end of histories: later than at_ns only while paused */
	int64_t points_ns;  /* no points are needed before this time */
	bool quiet;         /* do not report messages of the skipped time */
	bool ahead;         /* data being read is later than at_ns, so only history takes it */
	int64_t records_ns; /* the records of samples from this time on were not kept */
	int64_t at_ns;      /* shown now, or after reading */
	int64_t sought_ns;  /* the exact time that was requested */
	unsigned jumps;     /* counts jumps, after which earlier data of the screen is of another time */

	bool follows; /* unless paused, show the newest data, like a live screen */
	/* The least delay from the end of data, by the clock of the log, to arrival, by ours. */
	int64_t delay_ns;
	bool timed;                      /* delay_ns is known */
	bool paused, behind, was_behind; /* it is read slower than requested: now; recently */
	double speed, reached;
	int64_t real_ns, log_ns;             /* the clock: at real_ns, the log was at log_ns */
	int64_t measured_ns, measured_at_ns; /* start of the measurement of `reached` */
	int64_t shown_ns, look_ns, grown_ns;
	int64_t reading_ns; /* start of the current reading on our clock; 0: not reading */
	bool unshown;

	struct player_away aways[PLAYER_AWAYS]; /* the newest that were read, in their order */
	unsigned n_aways;
	bool wants_processes;
	struct process_list *list;
	struct player_line line;
	struct pass_run *frames; /* NULL until they are requested */
	struct strbuf said;      /* marks, messages and errors, a line each; its reader clears it */
	bool failed;             /* the read error was reported */
};

/* Open the log that options->operand names, the machine of `malitop on`, or `remote`, whose start
 * block has arrived and which stays the caller's if it is one of several. Make *session of it. Call
 * player_free after session_close. Returns NULL on failure, with everything freed. */
struct player *player_open(struct session *session, const struct sys *sys, const struct options *options,
			   struct remote *remote, struct err *err);
void player_free(struct player *p); /* NULL is fine */
/* Send a request to the shown machine. The result, or why it cannot be asked, goes to `said`. */
void player_ask(struct player *p, const char *word, const char *text);
/* Start or stop its sampling of functions. Does nothing if it is so already, or in a log. */
void player_sample_functions(struct player *p, bool on);
/* Start at --from with the feeds of that session, which have that refresh and must not move in
 * memory. */
bool player_start(struct player *p, struct feeds *feeds, int64_t now_ns, struct err *err);

/* Read due data. Returns whether the screen must be redrawn. */
bool player_run(struct player *p, int64_t now_ns);
/* Return the longest time until the next player_run; 0 for at once. */
int64_t player_wait_ns(const struct player *p, int64_t now_ns);
/* Read all data for the current goal, however long that takes. */
void player_settle(struct player *p);

/* Keys take effect at once; player_run reads the data. */

/* Pause or play; at the end, play from the start. */
void player_pause(struct player *p, int64_t now_ns);
/* Move by this many refreshes and pause. Returns false at the end of the log. */
bool player_step(struct player *p, int by, int64_t now_ns);
/* Select the next faster (1) or slower (-1) speed. Returns false if there is none. */
bool player_speed(struct player *p, int by, int64_t now_ns);
/* Go to a time as in moment.h, or to the nearer end of the log. Returns false if it cannot be
 * parsed. *wanted_ns is that time, which may be outside of the log. */
bool player_go(struct player *p, const char *text, int64_t *wanted_ns, struct err *err);
/* Go to the next or previous mark, loss or, in the part of the timeline that was read, scene, and
 * pause. *said gets a line on it, or on the lack of one. */
void player_find(struct player *p, bool back, struct strbuf *said);
/* Show the same time again, after other data of it is requested. */
void player_show_again(struct player *p);

/* Return statistics of all frames of the log; reads the whole log the first time. NULL if it has
 * none, or is a stream. */
const struct pass_run *player_frames(struct player *p);
/* Whether it started reading just now, so that the last screen should stay a little longer. */
bool player_is_brief(const struct player *p, int64_t now_ns);
/* For a stream, before player_start: wait until it has this many refreshes, or ends. Returns
 * whether there is any data. */
bool player_await(struct player *p, unsigned refreshes);

/* "0:12 of 1:02:03 19 % x10". */
void player_position(const struct player *p, int64_t now_ns, char *out, size_t size);
/* Return the time of day at the shown time. */
int64_t player_realtime_ns(const struct player *p);
/* Append which parts are damaged or cut off; nothing if the log is intact. */
void player_complain(const struct player *p, struct strbuf *text);

/* Set whether processes are requested. Take the newest list up to the shown time, owned by the
 * caller; NULL if there is no new one. */
void player_want_processes(struct player *p, bool wanted);
struct process_list *player_take_processes(struct player *p);

/* ---- player_read.c: from the file into the feeds ---- */

/* Update p->state; its times are bounded, so that arithmetic cannot overflow. */
void player_take_state(struct player *p);
/* The first and last time that can be shown. */
int64_t player_first(const struct player *p);
int64_t player_last(const struct player *p);
/* Fill the feeds up to that time, a step at a time. Returns false if p->work is used up first. */
bool player_advance(struct player *p, int64_t until_ns);
/* Copy the processes of the last block for player_take_processes. */
void player_copy_processes(struct player *p);
/* Return the time between two shown times: the length of a point of graphs if that divides a
 * refresh, else as many refreshes as fit into it, at least one. */
int64_t player_step_ns(const struct player *p);
/* Show the time nearest to t_ns: from the feeds if they hold it, otherwise after player_read has
 * read the data. While paused, histories also include later data. */
void player_go_to(struct player *p, int64_t t_ns);
/* Show it likewise with histories that end at window_ns, which is not earlier. */
void player_go_within(struct player *p, int64_t t_ns, int64_t window_ns);
/* Show it likewise, but always read the data again. */
void player_seek(struct player *p, int64_t t_ns);
/* Read the missing data up to p->window_ns. Returns false if p->work is used up first. */
bool player_read(struct player *p);
/* Update which sources are away at that time. */
void player_take_aways(struct player *p, int64_t at_ns);

/* ---- player_timeline.c ---- */

/* Return the timeline of the log in n_cells, which player_run reads. NULL: there is none. */
const struct timeline *player_timeline(struct player *p, int n_cells);
/* Read some more cells of the timeline; false if none was read. Whether all have been read. */
bool player_read_line(struct player *p);
bool player_line_is_read(const struct player *p);

static inline bool player_is_reading(const struct player *p)
{
	return p->fed_ns < p->window_ns;
}

#endif
