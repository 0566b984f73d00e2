/* keys: what each key does, where, and the words that the footer and the help screen show for it.
 *
 * Dispatch, footer, help and the answer to a key that does nothing all come from these tables.
 * Thread: ui. */
#ifndef MALITOP_TUI_KEYS_H
#define MALITOP_TUI_KEYS_H

#include "base/str.h"
#include "term/term_key.h"
#include "views/frame.h"

/* The number of a key, if its action takes one, is in brackets. */
enum action {
	ACTION_NONE,
	ACTION_VIEW,     /* show a view [its digit, a character] */
	ACTION_TURN,     /* show the next or the previous view [1, -1] */
	ACTION_SELECT,   /* the next or the previous row [1, -1] */
	ACTION_ZOOM,     /* show one panel alone, and all again */
	ACTION_SCROLL,   /* by lines [1, -1]; where nothing scrolls the selection moves */
	ACTION_PAGE,     /* by pages [1, -1] */
	ACTION_EDGE,     /* to the end or the top [1, -1] */
	ACTION_PAUSE,    /* or go on */
	ACTION_HISTORY,  /* step to newer or older data [1, -1] */
	ACTION_SCALE,    /* more or less time in graphs [1, -1] */
	ACTION_LEAP,     /* a page of the timeline on or back [1, -1] */
	ACTION_ENDS,     /* to the end or the start of the timeline [1, -1] */
	ACTION_BOARDS,   /* back to them */
	ACTION_SPEED,    /* play faster or slower [1, -1] */
	ACTION_FIND,     /* go to the next or the previous mark, loss, change of scene or verdict [1, -1] */
	ACTION_PHASE,    /* select the phase that is shown as the range */
	ACTION_GO_TO,    /* ask for a time */
	ACTION_INTERVAL, /* sample at a longer or shorter interval [1, -1] */
	ACTION_PER_CORE,
	ACTION_COUNTERS,
	ACTION_GPU,       /* show the next GPU */
	ACTION_FRAMES,    /* show those of the next application */
	ACTION_LANES,     /* show the frame before (-1) or the next one (1) */
	ACTION_LATE,      /* likewise among the longest frames that were late */
	ACTION_WORST,     /* list the longest frames */
	ACTION_COUNTING,  /* stop measuring the GPU, or go on */
	ACTION_PROFILING, /* have the kernel time its queues, after a question, or no longer */
	ACTION_LOG,       /* begin or end one */
	ACTION_MARK,
	ACTION_HELP,
	ACTION_FINDINGS,  /* show them */
	ACTION_EXPLAIN,   /* the selected row */
	ACTION_RANGE,     /* begin it, end it, forget it */
	ACTION_PIN,       /* the selected row to the Overview, or no longer */
	ACTION_COMPARE,   /* with what is shown now, or no longer */
	ACTION_BASELINE,  /* ask for a log to compare with */
	ACTION_SNAPSHOT,  /* of the screen to files */
	ACTION_WINDOWS,   /* rates of the counters over several times, or no longer */
	ACTION_COUNTED,   /* hide counters that were never counted, or show them */
	ACTION_SETTINGS,  /* show them */
	ACTION_LAYOUT,    /* choose the panels of the Overview */
	ACTION_OWN,       /* show the next own view */
	ACTION_RELOAD,    /* read the user's own files again */
	ACTION_BACK,      /* close what is open, and clear the filters of the Processes view */
	ACTION_REDRAW,    /* the terminal does it itself (term.h) */
	ACTION_SCOPE,     /* whose functions are shown */
	ACTION_LATE_ONLY, /* of late frames only, or not */
	ACTION_QUIT,
	ACTION_RETRY, /* in Boards only: connect to those that are away */
	/* in the Processes view only */
	ACTION_COUNT,  /* CPU events of the selected process alone */
	ACTION_FILTER, /* by a text [enum pane_mode, as the next two] */
	ACTION_SEARCH, /* select the next row with a text */
	ACTION_USER,
	ACTION_SORT, /* [enum process_key] */
	ACTION_NEXT_SORT,
	ACTION_CHOOSE_SORT,
	ACTION_REVERSE,
	ACTION_TREE,
	ACTION_THREADS,
	ACTION_KERNEL,   /* hide kernel threads, or show them */
	ACTION_COMMANDS, /* command lines, or names */
	ACTION_SIGNAL,
};

/* Bits of key_row.needs; 0: nothing is needed. */
enum key_need {
	/* Without these the key does nothing, and keys_why gives the reason. */
	NEEDS_LIVE = 1 << 0,        /* the screen shows current data */
	NEEDS_REPLAY = 1 << 1,      /* the screen plays a log */
	NEEDS_TIMELINE = 1 << 5,    /* it is shown: the screen is paused, or plays a log */
	NEEDS_NO_TIMELINE = 1 << 6, /* it is not */
	NEEDS_MACHINE = 1 << 10,    /* it shows what a machine does now, this one or another (malitop on) */
	/* Without these, footer and help omit the key. Its action reports what is missing. */
	NEEDS_GPUS = 1 << 2,    /* there are several */
	NEEDS_ROWS = 1 << 3,    /* the view has no rows with keys of their own */
	NEEDS_TABLE = 1 << 7,   /* the view lists the counters */
	NEEDS_LANES = 1 << 9,   /* the view shows frames one by one */
	NEEDS_APPS = 1 << 8,    /* it shows frames, and several applications have some */
	NEEDS_BOARDS = 1 << 11, /* there are several boards */
	NEEDS_HOT = 1 << 12,    /* the view shows which functions run */
	NEEDS_COUNT = 1 << 4,   /* CPU events can be counted for one process */
};

/* Where help shows a key. */
enum key_group { GROUP_MOVE, GROUP_LOOK, GROUP_ACT, KEY_GROUPS };

/* A key, the action that it does, and the number that the action gets. */
struct key_code {
	uint32_t key; /* a character or an enum key */
	enum action action;
	int number;
};

/* What is said of the keys of an action; the same action has several rows if its needs differ. */
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
extern const struct key_table keys_of_processes[1]; /* in the Processes view, and first there */

/* What a key does. */
struct key_action {
	enum action action; /* ACTION_NONE: nothing */
	int number;
};

/* Find the action of a key in a table; `has` is what there is now (enum key_need). */
struct key_action keys_action(const struct key_table *table, uint32_t key, unsigned has);

/* The code of an action with that key, or its main one for 0; NULL without one. */
const struct key_code *keys_code(const struct key_table *table, enum action action, uint32_t key);

/* Whether a key acts while a card covers the rows: it is about the moment or the whole screen. */
bool keys_pass_card(uint32_t key);

/* Add to *said why a key that is not in the table, or lacks what it needs, does nothing. */
void keys_why(const struct key_table *table, uint32_t key, unsigned has, struct strbuf *said);

/* The next of ascending steps in a direction (1 or -1); 0: there is none. */
double keys_step(const double *steps, size_t n, double now, int by);

/* What became of a key that something over the rows was offered. */
enum key_answer {
	KEY_TAKEN,
	KEY_UNKNOWN, /* it has no such key, and no one else gets it */
	KEY_PASSED,  /* it is for what is below */
	KEY_CLOSES,  /* taken, and it closes */
	KEY_LEAVES,  /* it closes, and the key is for what is below */
};

/* Fill *foot with the keys of the footer: those of the view (`own`, NULL if it has none), then
 * those of everywhere. */
void keys_foot(struct foot_keys *foot, const struct key_table *own, unsigned has);
/* Add the keys of one table. */
void keys_foot_add(struct foot_keys *foot, const struct key_table *table, unsigned has);

#endif
