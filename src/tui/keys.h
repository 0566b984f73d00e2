/* keys: the meaning of each key by place, and its words in the footer and on the help screen.
 *
 * Dispatch, footer, help and the answer to a key that does nothing all use these tables. Thread:
 * ui. */
#ifndef MALITOP_TUI_KEYS_H
#define MALITOP_TUI_KEYS_H

#include "base/str.h"
#include "term/term_key.h"
#include "views/frame.h"

/* Actions. Brackets contain the number of a key, if the action takes one. */
enum action {
	ACTION_NONE,
	ACTION_VIEW,     /* show a view [its digit, a character] */
	ACTION_TURN,     /* show the next or the previous view [1, -1] */
	ACTION_SELECT,   /* the next or the previous row [1, -1] */
	ACTION_ZOOM,     /* show one panel alone, or all again */
	ACTION_SCROLL,   /* by lines [1, -1]; moves the selection if nothing scrolls */
	ACTION_PAGE,     /* by pages [1, -1] */
	ACTION_EDGE,     /* to the end or the top [1, -1] */
	ACTION_PAUSE,    /* pause or resume */
	ACTION_HISTORY,  /* step to newer or older data [1, -1] */
	ACTION_SCALE,    /* more or less time in graphs [1, -1] */
	ACTION_LEAP,     /* a page of the timeline forward or back [1, -1] */
	ACTION_ENDS,     /* to the end or the start of the timeline [1, -1] */
	ACTION_BOARDS,   /* back to Boards */
	ACTION_SPEED,    /* play faster or slower [1, -1] */
	ACTION_FIND,     /* go to the next or the previous mark, loss, change of scene or verdict [1, -1] */
	ACTION_PHASE,    /* select the phase that is shown as the range */
	ACTION_GO_TO,    /* ask for a time */
	ACTION_INTERVAL, /* sample at a longer or shorter interval [1, -1] */
	ACTION_PER_CORE,
	ACTION_COUNTERS,
	ACTION_GPU,       /* show the next GPU */
	ACTION_FRAMES,    /* show frames of the next application */
	ACTION_LANES,     /* show the next frame or the one before [1, -1] */
	ACTION_LATE,      /* show the next late frame of the longest ones, or the one before [1, -1] */
	ACTION_WORST,     /* list the longest frames */
	ACTION_COUNTING,  /* stop or resume counting on the GPU */
	ACTION_PROFILING, /* make the kernel time its queues, after a question, or stop it */
	ACTION_LOG,       /* start or end a log */
	ACTION_MARK,
	ACTION_HELP,
	ACTION_FINDINGS,  /* show the findings */
	ACTION_EXPLAIN,   /* explain the selected row */
	ACTION_RANGE,     /* start, end or clear a range */
	ACTION_PIN,       /* pin the selected row to the Overview, or unpin it */
	ACTION_COMPARE,   /* compare with the shown values, or stop */
	ACTION_BASELINE,  /* ask for a log to compare with */
	ACTION_SNAPSHOT,  /* save the screen to files */
	ACTION_WINDOWS,   /* show or hide rates of the counters over several times */
	ACTION_COUNTED,   /* show or hide counters that were never counted */
	ACTION_SETTINGS,  /* show the settings */
	ACTION_LAYOUT,    /* choose the panels of the Overview */
	ACTION_OWN,       /* show the next own view */
	ACTION_RELOAD,    /* read the user's own files again */
	ACTION_BACK,      /* close the open card or panel, and clear the filters of the Processes view */
	ACTION_REDRAW,    /* redraw; the terminal does it itself (term.h) */
	ACTION_SCOPE,     /* change the scope of the shown functions */
	ACTION_LATE_ONLY, /* show functions of late frames only, or all */
	ACTION_QUIT,
	ACTION_RETRY, /* in Boards only: reconnect boards that are away */
	/* in the Processes view only */
	ACTION_COUNT,  /* count CPU events of the selected process alone */
	ACTION_FILTER, /* filter by a text [enum pane_mode, as the next two] */
	ACTION_SEARCH, /* select the next row with a text */
	ACTION_USER,
	ACTION_SORT, /* sort by a column [enum process_key] */
	ACTION_NEXT_SORT,
	ACTION_CHOOSE_SORT,
	ACTION_REVERSE,
	ACTION_TREE,
	ACTION_THREADS,
	ACTION_KERNEL,   /* show or hide kernel threads */
	ACTION_COMMANDS, /* show command lines or names */
	ACTION_SIGNAL,
};

/* Bits of key_row.needs; 0: no needs. */
enum key_need {
	/* Without these the key does nothing, and keys_why gives the reason. */
	NEEDS_LIVE = 1 << 0,        /* the screen shows current data */
	NEEDS_REPLAY = 1 << 1,      /* the screen plays a log */
	NEEDS_TIMELINE = 1 << 5,    /* the timeline is shown: the screen is paused, or plays a log */
	NEEDS_NO_TIMELINE = 1 << 6, /* the timeline is hidden */
	NEEDS_MACHINE = 1 << 10,    /* the screen shows current data, also of another machine */
	/* Without these, footer and help omit the key. Its action reports the missing one. */
	NEEDS_GPUS = 1 << 2,    /* there are several GPUs */
	NEEDS_ROWS = 1 << 3,    /* the view has no rows with keys of their own */
	NEEDS_TABLE = 1 << 7,   /* the view lists the counters */
	NEEDS_LANES = 1 << 9,   /* the view shows single frames */
	NEEDS_APPS = 1 << 8,    /* the view shows frames, and several applications have some */
	NEEDS_BOARDS = 1 << 11, /* there are several boards */
	NEEDS_HOT = 1 << 12,    /* the view shows the functions that run */
	NEEDS_COUNT = 1 << 4,   /* CPU events can be counted for one process */
};

/* The group in which help lists a key. */
enum key_group { GROUP_MOVE, GROUP_LOOK, GROUP_ACT, KEY_GROUPS };

/* A key, its action, and the number that the action gets. */
struct key_code {
	uint32_t key; /* a character or an enum key */
	enum action action;
	int number;
};

/* The texts for the keys of an action. An action has several rows if its needs differ. */
struct key_row {
	enum action action;
	unsigned needs; /* enum key_need, all of them */
	enum key_group group;
	const char *keys, *ascii, *word; /* as struct foot_key; without `word` it is not in the footer */
	unsigned rank;
	const char *brief, *help; /* two to six words, for a column of help; a sentence */
};

/* The tables end with ACTION_NONE. */
struct key_table {
	const struct key_code *codes[2]; /* the first code of an action is its main one */
	const struct key_row *rows;      /* in the order of footer and help */
};

extern const struct key_table keys_everywhere[1];
extern const struct key_table keys_of_processes[1]; /* in Processes, before the others */

/* The result of looking up a key. */
struct key_action {
	enum action action; /* ACTION_NONE: nothing */
	int number;
};

/* Find the action of a key in a table. `has` are the needs that are met (enum key_need). */
struct key_action keys_action(const struct key_table *table, uint32_t key, unsigned has);

/* Return the code of an action with that key, or its main one for key 0; NULL without one. */
const struct key_code *keys_code(const struct key_table *table, enum action action, uint32_t key);

/* Whether a key acts while a card covers the rows: it concerns the time or the whole screen. */
bool keys_pass_card(uint32_t key);

/* Append to *said why a key does nothing: it is not in the table, or a need is not met. */
void keys_why(const struct key_table *table, uint32_t key, unsigned has, struct strbuf *said);

/* Return the next of ascending steps in a direction (1 or -1); 0: there is none. */
double keys_step(const double *steps, size_t n, double now, int by);

/* The answer of a mode to a key. */
enum key_answer {
	KEY_TAKEN,
	KEY_UNKNOWN, /* unknown, and not passed on */
	KEY_PASSED,  /* not handled: pass it to the mode below */
	KEY_CLOSES,  /* handled, and the mode closes */
	KEY_LEAVES,  /* not handled: the mode closes, and the key is passed on */
};

/* Fill *foot with the keys of the footer: those of the view (`own`, NULL if it has none), then
 * those for all views. */
void keys_foot(struct foot_keys *foot, const struct key_table *own, unsigned has);
/* Add the keys of one table. */
void keys_foot_add(struct foot_keys *foot, const struct key_table *table, unsigned has);

#endif
