/* process_pane: what the Processes view shows and asks: the newest list, the order of its rows, the selected one, what is being typed
 * or chosen. process_pane.c is the state, process_keys.c what keys do to it.
 *
 * Rows are arranged when the list or the order changes, never for a frame. Thread: ui.
 */
#ifndef MALITOP_PROCESS_PANE_H
#define MALITOP_PROCESS_PANE_H

#include "tui/keys.h"
#include "base/str.h"
#include "base/sys.h"
#include "views/processes.h"
#include "views/view.h"

#define PANE_TEXT 64

/* Who gets the keys. */
enum pane_mode { PANE_ROWS, PANE_FILTER, PANE_USER, PANE_SIGNAL, PANE_CONFIRM, PANE_MODES };

struct process_pane {
	const struct sys *sys;
	struct process_list *list; /* owned; NULL before the first */
	struct process_row *rows;  /* room for the whole list */
	struct process_table table;
	unsigned first, page;       /* what the view drew last */
	struct process_id selected; /* pid 0: the first row, whoever that is, as long as nobody moved, and after Home */
	bool threads;               /* are to be read */
	bool past;                  /* it is a log: nobody is there to get a signal */

	enum pane_mode mode;
	char filter[PANE_TEXT], user[PANE_TEXT], typed[PANE_TEXT];
	struct process target; /* who gets a signal */
	struct process_choice choice;
	struct foot_ask ask;
	char title[PANE_TEXT], question[2 * PANE_TEXT];

	/* Count this one alone; NULL for the whole machine again. Without it there is no such key. */
	void (*count)(void *ctx, const struct process *process);
	void *count_ctx;
};

/* user: the filter to begin with; NULL: none. The pane must not move in memory. */
void process_pane_init(struct process_pane *pane, const struct sys *sys, const char *user);
void process_pane_fini(struct process_pane *pane);

/* A new list, which the pane owns from now on. The selection stays on its process; where that is gone, on its row. A list without
 * percentages, as the first of a scanner is, does not take the place of one that has them. */
void process_pane_take(struct process_pane *pane, struct process_list *list);
/* Nothing is known any more, as before the first list. */
void process_pane_forget(struct process_pane *pane);
/* Another view is shown: what was being typed or chosen is given up. */
void process_pane_leave(struct process_pane *pane);

/* What a key does while the view is shown; false: it is not one of the pane's. What there is to say is added to *said. */
bool process_pane_key(struct process_pane *pane, uint32_t key, struct strbuf *said);
/* What the footer asks, until the next call; NULL: nothing. */
const struct foot_ask *process_pane_ask(struct process_pane *pane);
/* Words for the footer and for help; end with NULL keys. */
const struct foot_key *process_pane_foot_keys(const struct process_pane *pane);
const struct key_help *process_pane_helps(const struct process_pane *pane);

/* For process_keys.c: the order or a filter changed; the row to select, cut to those there are; the process of the selected row, NULL
 * without one. */
void process_pane_arrange(struct process_pane *pane);
void process_pane_select(struct process_pane *pane, int64_t row);
const struct process *process_pane_selected(const struct process_pane *pane);

#endif
