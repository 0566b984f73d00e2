/* help: the help screen: keys in three groups, tasks, signs; a search over them, metrics and
 * findings; the reports of the sources, and the last alerts. If panels do not fit, it is one list
 * that scrolls. Thread: ui. */
#ifndef MALITOP_HELP_H
#define MALITOP_HELP_H

#include "tui/alerts.h"
#include "model/finding.h"
#include "session/session.h"
#include "tui/keys.h"
#include "views/canvas.h"

/* In the order of the screen and of a list. */
enum help_section {
	HELP_VIEW, /* keys of the shown view only */
	HELP_MOVE, /* the groups of keys */
	HELP_LOOK,
	HELP_ACT,
	HELP_TASK,
	HELP_SIGN,
	HELP_METRIC, /* this and the rest are only in a search */
	HELP_FINDING,
	HELP_SECTIONS
};

#define HELP_PRESSES 4

struct help_row {
	enum help_section section;
	const char *key, *brief, *detail; /* the key, sign or name; a few words; a sentence */
	enum style style;                 /* of the key */
	uint32_t press[HELP_PRESSES];     /* keys that perform the row; 0 after the last */
	const char *metric;               /* metric to explain; NULL for none */
	const struct finding_def *finding;
	bool second; /* upper case of the letter before, which shares its line */
};

struct how_task { /* a row of doc/how.md; keys: "" for none */
	char *task, *keys, *then;
};

/* {0} is empty. */
struct help_rows {
	struct help_row *rows; /* by section */
	unsigned n, cap;
	struct how_task how[16];
	unsigned n_how;
};

struct help {
	bool typing;     /* the search is being typed */
	char search[32]; /* "" for none */
	int page;        /* from 0; the last one has the sources and alerts */
	int selected;    /* from 1, of the rows; 0: none */
	int scroll;
	/* set by the last help_draw: all pages, pages of keys; lines of the window; rows that can
	 * be selected, from 1 */
	int pages, key_pages, scroll_max, window, first, last;
	struct help_rows rows;
};

/* Handle a key while help is shown. Choosing a row closes help and sets *choice. A message for the
 * user is appended to *said. */
enum key_answer help_key(struct help *help, uint32_t key, struct help_row *choice, struct strbuf *said);
/* Free the rows, and open at the first page the next time. */
void help_close(struct help *help);

struct help_text {
	struct session *session;
	const char *view;            /* title of the shown view */
	const struct key_table *own; /* keys of the shown view; NULL if it has none */
	unsigned has;                /* enum key_need */
	bool frames;                 /* there is a view of frames */
	const char *own_cost;        /* CPU time and memory of malitop itself; NULL: unknown */
	const struct alerts *alerts;
	const struct alert *alert; /* the one to show now, NULL: none */
	int64_t now_ns;
};

/* Replace *rows by the current ones that match the search, those with a word that starts with it
 * first; "": all. (help_rows.c) */
void help_rows_gather(struct help_rows *rows, const struct help_text *text, const char *search, bool ascii);
void help_rows_free(struct help_rows *rows);
void help_draw(struct help *help, const struct help_text *text, struct canvas *canvas);

#endif
