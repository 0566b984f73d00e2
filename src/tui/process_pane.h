/* process_pane: the state of the Processes view: the newest list, the order of its rows, the
 * selected row, and an open text or choice. process_pane.c holds the state, process_keys.c handles
 * its keys.
 *
 * Rows are arranged when the list or the order changes, not for every frame. Thread: ui. */
#ifndef MALITOP_PROCESS_PANE_H
#define MALITOP_PROCESS_PANE_H

#include "base/str.h"
#include "base/sys.h"
#include "tui/keys.h"
#include "backends/process/process_scan.h"
#include "views/processes.h"
#include "views/frame.h"

#define PANE_TEXT 64

/* The newest lists of processes, for a screen that is paused. */
#define PROCESS_KEPT 120
#define PROCESS_KEPT_BYTES (512u << 10) /* of all lists but the newest, which is always kept */

struct process_kept {
	struct process_list *lists[PROCESS_KEPT]; /* oldest first; owned */
	unsigned n;
};

/* Zero-initialize it. */
void process_kept_fini(struct process_kept *kept);
/* Keep a newer list, which continues the history of the one before. It replaces that one if both
 * have the same interval, or if that one had no percentages. */
void process_kept_add(struct process_kept *kept, struct process_list *list);
/* NULL if there is none. */
struct process_list *process_kept_newest(const struct process_kept *kept);
/* Return the list whose interval contains this time, with its history. NULL if none was read then,
 * or if it is no longer kept. The newest list also applies until the next one is due. */
struct process_list *process_kept_at(struct process_kept *kept, int64_t ns);

/* What the next key applies to. */
enum pane_mode {
	PANE_ROWS,
	PANE_FILTER,
	PANE_SEARCH,
	PANE_USER,
	PANE_SORT,
	PANE_SIGNAL,
	PANE_CONFIRM,
	PANE_MODES
};

struct process_pane {
	const struct sys *sys;
	struct process_kept kept;
	struct process_list *list; /* the shown one of `kept`; NULL: none */
	struct process_row *rows;  /* as many as the list has */
	struct process_table table;
	unsigned first, page; /* of the last draw */
	/* The busiest processes, or threads, for a panel of another view; arranged only if
	 * requested. */
	struct process_table busiest;
	struct process_row *busiest_rows;
	unsigned busiest_first, busiest_page;
	enum pane_busiest { BUSIEST_NONE, BUSIEST_PROCESSES, BUSIEST_THREADS } wants_busiest;
	struct process_id selected; /* pid 0: always the first row, at the start and after Home */
	bool threads;               /* threads must be read, too */
	int64_t paused_ns;          /* shown time of a pause, without new lists; 0: now */
	bool past;                  /* the list comes from a log: its processes get no signals */

	enum pane_mode mode;
	char filter[PANE_TEXT], search[PANE_TEXT], user[PANE_TEXT], typed[PANE_TEXT];
	unsigned sort_keys[PROCESS_KEYS]; /* the keys to choose from */
	struct process target;            /* the process to signal */
	struct process_choice choice;
	struct foot_ask ask;
	char title[PANE_TEXT], question[2 * PANE_TEXT];
	struct strbuf *said; /* messages for the user, about the current key */

	/* Make the shown machine send a signal; NULL if it is this machine, or a log. */
	void (*ask_signal)(void *ctx, const struct process *process, const char *signal);
	/* Count this process alone, or the whole machine again (NULL). The callback is NULL if the
	 * machine cannot count. */
	void (*count)(void *ctx, const struct process *process);
	void *count_ctx;
};

/* user: the initial filter, NULL for none. The pane must not move in memory. */
void process_pane_init(struct process_pane *pane, const struct sys *sys, const char *user);
void process_pane_fini(struct process_pane *pane);

/* Show a new list, which the pane owns. The selection stays on its process or, if that is gone, on
 * its row. A list without percentages (a scanner's first) does not replace one with percentages. */
void process_pane_take(struct process_pane *pane, struct process_list *list);
/* Set which panel of processes the shown view has. */
void process_pane_want_busiest(struct process_pane *pane, enum pane_busiest wanted);
/* Limit the busiest ones to those whose name, command or pid contains the text, which must last. */
void process_pane_filter_busiest(struct process_pane *pane, const char *text);
/* Drop the list, as before the first one. */
void process_pane_forget(struct process_pane *pane);
/* Pause at a time (CLOCK_MONOTONIC), or resume (0). The pane shows the list of that time if it is
 * kept, or that it has none. */
void process_pane_pause(struct process_pane *pane, int64_t moment_ns);
/* Set which command lines the pane needs: that of the selected process; those of the visible rows
 * unless only names are shown; or all during a search. */
void process_pane_query(const struct process_pane *pane, struct process_query *query);
/* Cancel an open text or choice, because another view is shown. */
void process_pane_leave(struct process_pane *pane);

/* Handle a key while the view is shown. Returns false for a key that the pane does not handle. A
 * message for the user is appended to *said. */
bool process_pane_key(struct process_pane *pane, uint32_t key, struct strbuf *said);
/* A click on the title of a column sorts by it, a second one reverses the order. A click on a row
 * selects it. */
void process_pane_click_title(struct process_pane *pane, enum process_key key);
void process_pane_click_row(struct process_pane *pane, unsigned row);
/* Return the needs of the pane's keys that are met: NEEDS_LIVE or NEEDS_REPLAY, NEEDS_COUNT. */
unsigned process_pane_has(const struct process_pane *pane);
/* Return the question in the footer, valid until the next call; NULL if there is none. */
const struct foot_ask *process_pane_ask(struct process_pane *pane);

/* For process_keys.c: arrange the rows after the order or a filter changed; select a row, or the
 * nearest that exists; return the process of the selected row, NULL without one. */
void process_pane_arrange(struct process_pane *pane);
void process_pane_select(struct process_pane *pane, int64_t row);
const struct process *process_pane_selected(const struct process_pane *pane);

#endif
