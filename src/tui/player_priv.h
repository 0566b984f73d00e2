/* Shared by the files of player; no other file includes this. */
#ifndef MALITOP_PLAYER_PRIV_H
#define MALITOP_PLAYER_PRIV_H

#include "tui/player.h"

#define SECOND 1000000000ll
#define WORK_MOST (1 << 20) /* values to decode at a time: some 5 ms */

/* The timeline, and how much of it has been read. */
struct player_line {
	struct mlog_reader *reader; /* its own; NULL before the first use */
	struct timeline line;
	struct timeline_cell cells[CANVAS_COLS_MAX];
	struct timeline_mark marks[TIMELINE_MARKS];
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
	struct remote *remote; /* NULL: not of another machine */
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
	char title[64];
	int64_t refresh_ns, from_ns, to_ns; /* to_ns INT64_MAX means the end */
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
	unsigned jumps;

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
	struct strbuf said;
	bool failed; /* the read error was reported */
};

/* player_read.c: from the file into the feeds. */

/* Update p->state; its times are bounded, so that arithmetic cannot overflow. */
void player_take_state(struct player *p);
void player_take_answer(struct player *p, const struct mlog_note *note);
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
/* How much of the log before a given time is read to show that time. */
int64_t player_depth_ns(const struct player *p);
/* Show another moment: by what the feeds have of it, or after player_read has read what it needs.
 * Paused, histories also have what came after it. */
void player_go_to(struct player *p, int64_t t_ns);
/* The same with histories that end at window_ns, which is not earlier. */
void player_go_within(struct player *p, int64_t t_ns, int64_t window_ns);
/* The same, but read it in any case. */
void player_seek(struct player *p, int64_t t_ns);
/* Read what is missing up to p->window_ns; false if p->work is used up first. */
bool player_read(struct player *p);
/* Whether sources are away at that time. */
void player_take_aways(struct player *p, int64_t at_ns);

/* player_timeline.c: read some more cells of the timeline; false if none was read. Whether all
 * are. */
bool player_read_line(struct player *p);
bool player_line_is_read(const struct player *p);
void player_line_fini(struct player *p);

static inline bool player_is_reading(const struct player *p)
{
	return p->fed_ns < p->window_ns;
}

#endif
