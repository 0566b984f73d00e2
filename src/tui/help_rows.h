/* help_rows: what help lists: keys, tasks, signs, and, to a search, metrics and findings. Thread:
 * ui. */
#ifndef MALITOP_HELP_ROWS_H
#define MALITOP_HELP_ROWS_H

#include "model/finding.h"
#include "session/session.h"
#include "tui/keys.h"

/* In the order of the screen and of a list. */
enum help_section {
	HELP_VIEW, /* keys that the shown view alone has */
	HELP_MOVE, /* the groups of keys */
	HELP_LOOK,
	HELP_ACT,
	HELP_TASK,
	HELP_SIGN,
	HELP_METRIC, /* the rest only to a search */
	HELP_FINDING,
	HELP_SECTIONS
};

#define HELP_PRESSES 4

struct help_row {
	enum help_section section;
	const char *key;              /* or the sign, or a name */
	const char *brief, *detail;   /* a few words; a sentence */
	enum style style;             /* of the key */
	uint32_t press[HELP_PRESSES]; /* keys that do what the row says; 0: none, or after the last */
	const char *metric;           /* to explain; NULL for none */
	const struct finding_def *finding;
	bool second; /* the upper case of the letter before: both share a line */
};

/* {0} is empty. */
struct help_rows {
	struct help_row *rows; /* by section */
	unsigned n, cap;
};

struct help_scene {
	struct session *session;
	const struct key_table *own; /* the keys of the view that is shown; NULL if it has none */
	unsigned has;                /* enum key_need */
	bool frames, ascii;          /* there is a view of frames */
	const char *search;          /* only what has this text, words that begin with it first; "": all */
};

/* Replace *rows by what there is now. */
void help_rows_gather(struct help_rows *rows, const struct help_scene *scene);
void help_rows_fini(struct help_rows *rows);

#endif
