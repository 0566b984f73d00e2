/* Shared by the files of player; no other file includes this. */
#ifndef MALITOP_PLAYER_PRIV_H
#define MALITOP_PLAYER_PRIV_H

#include "tui/player.h"
#include "mlog/mlog_reader.h"

#define SECOND 1000000000ll
#define WORK_MOST (1 << 20) /* values that are decoded in one go: some 5 ms */

struct player {
	struct file *file;
	struct mlog_input input;
	struct mlog_reader *reader;
	struct session *session;
	struct feeds *feeds;
	char title[64];
	int64_t refresh_ns, from_ns, to_ns; /* to_ns INT64_MAX: the end */
	struct mlog_state state;

	const struct mlog_block *block; /* what of it comes next */
	unsigned sample, note;
	struct sample *copy;
	int64_t ends_ns[SESSION_SOURCES_MAX]; /* of the newest samples */
	int64_t work;

	int64_t fed_ns;    /* the feeds know everything up to this moment */
	int64_t goal_ns;   /* they are being filled up to here, and nothing is shown before */
	int64_t points_ns; /* nobody will look at points before this one */
	bool quiet;        /* what was said until then was said then */
	int64_t at_ns;     /* shown, or about to be */
	int64_t sought_ns; /* exactly, where it was sought */
	unsigned jumps;

	bool paused, behind, late; /* cannot be read as fast as asked: now, lately */
	double speed, reached;
	int64_t real_ns, log_ns;             /* the clock: now it was real_ns, it stood at log_ns */
	int64_t measured_ns, measured_at_ns; /* where `reached` is measured from */
	int64_t shown_ns, look_ns, grown_ns;
	bool unshown;

	bool wants_processes;
	struct process_list *list;
	struct strbuf said;
	bool failed; /* that reading does, was said */
};

/* player_read.c: from the file into the feeds. */

/* The state of the log as it is now, with times that can be reckoned with. */
void player_take_state(struct player *p);
/* The first moment, and the last one, that can be shown; the first one at or after t. */
int64_t player_first(const struct player *p);
int64_t player_last(const struct player *p);
int64_t player_moment(const struct player *p, int64_t t_ns);
/* Everything up to that moment into the feeds, a step at a time; false: p->work is used up before. */
bool player_advance(struct player *p, int64_t until_ns);
/* Those at the end of the block that came last, for player_take_processes. */
void player_copy_processes(struct player *p);
/* How far back what is shown at a moment is read, where the log reaches so far. */
int64_t player_depth_ns(const struct player *p);
/* Show another moment: player_advance to p->goal_ns reads what it needs. */
void player_seek(struct player *p, int64_t t_ns);

static inline bool player_is_reading(const struct player *p)
{
	return p->fed_ns < p->goal_ns;
}

#endif
