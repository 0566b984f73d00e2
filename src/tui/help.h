/* help: the help screen: keys in three groups, tasks, signs; a search over them, metrics and
 * findings; what the sources report, and the last alerts. Where a terminal has no room for panels
 * it is one list that scrolls. Thread: ui. */
#ifndef MALITOP_HELP_H
#define MALITOP_HELP_H

#include "tui/alerts.h"
#include "tui/help_rows.h"
#include "views/canvas.h"

struct help {
	bool typing;     /* the search is being typed */
	char search[32]; /* "" for none */
	int page;        /* from 0; the last one has the sources and alerts */
	int selected;    /* from 1, of the rows; 0: none */
	int scroll;
	/* of the last help_draw: pages, those of keys among them; lines of the window; rows
	 * that can be selected, the first one from 1 */
	int pages, key_pages, scroll_max, window, first, last;
	struct help_rows rows;
};

/* What a row offers: keys to press one after the other, or something to explain. */
struct help_choice {
	uint32_t press[HELP_PRESSES];
	char metric[64]; /* "" for none */
	const struct finding_def *finding;
};

/* Handle a key while help is shown. A chosen row closes help and is in *choice. A message for the
 * user is added to *said. */
enum key_answer help_key(struct help *help, uint32_t key, struct help_choice *choice, struct strbuf *said);
/* Free what it lists, and open at the first page the next time. */
void help_close(struct help *help);

struct help_text {
	struct session *session;
	const char *view;            /* its title */
	const struct key_table *own; /* the keys of the view that is shown; NULL if it has none */
	unsigned has;                /* enum key_need */
	bool frames;                 /* there is a view of frames */
	const char *own_cost;        /* what malitop itself takes; NULL: unknown */
	const struct alerts *alerts;
	const struct alert *alert; /* the one to show now, NULL: none */
	int64_t now_ns;
};
void help_draw(struct help *help, const struct help_text *text, struct canvas *canvas);

#endif
