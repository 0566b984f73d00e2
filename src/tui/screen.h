/* screen: one frame from what is known now: header, tabs, the view, footer. Live and --once draw through it. */
#ifndef MALITOP_SCREEN_H
#define MALITOP_SCREEN_H

#include "tui/feeds.h"
#include "tui/player.h"
#include "tui/process_pane.h"
#include "session/session.h"
#include "backends/machine/process_scan.h"
#include "views/view.h"

struct screen {
	struct session *session;
	struct feeds *feeds;
	struct views views;
	const struct view *view; /* the one shown */
	char wanted[32];         /* the one that was asked for; a GPU may not have it */
	bool per_instance;
	int scroll, scroll_max;
	int64_t paused_ns;               /* end of the history shown; 0: now */
	char foot[VIEW_FOOT_LINES][256]; /* what the source says that the view names; the busiest thread; it and the GPU */
	int64_t described_ns;            /* when the first was asked for; 0: for another view, or never */
	int64_t realtime_ns;             /* the time of day that is shown */
	char recording[128];             /* "REC run.csv 12.4 MB, 17 lost"; "" for none */
	const char *replay;              /* "REPLAY run.mlog", of a log; NULL: live */
	char position[64];               /* in it: "12:03 of 1:02:03  19 %  x10" */
	const struct foot_ask *ask;      /* NULL: nothing, or what the pane asks */
	struct process_pane pane;
};

/* Views of what the session has; `view` by name or digit. An unknown one is an error that lists those there are. */
bool screen_init(struct screen *screen, struct session *session, struct feeds *feeds, const char *view, struct err *err);
void screen_fini(struct screen *screen);

/* Show another view (NULL is ignored). */
void screen_show(struct screen *screen, const struct view *view);
/* The sources that are shown changed: views of what they have, in the same view where there still is one. */
void screen_follow(struct screen *screen);
/* Show the next GPU, if there are several: in the same view, if it has that, too. All other views are new ones. */
void screen_next_gpu(struct screen *screen);
/* The visible view so many tabs further. */
void screen_turn(struct screen *screen, int by);

/* The pane of the Processes view while that is shown: it gets the keys first. NULL in all others. */
struct process_pane *screen_pane(struct screen *screen);

/* What the view that is shown wants to know of processes; false: nothing, so that nobody reads them. */
bool screen_wants_processes(struct screen *screen, struct process_wish *wish);
/* A list of them for that view, which is the screen's from now on. Returns whether a later list would tell no more of its kind: the first
 * ones have no percentages, or not those of the busiest threads. (screen_processes.c) */
bool screen_take_processes(struct screen *screen, struct process_list *list);
/* What is counted of one process or thread alone, into its row; NaN, or one that is not in the list: nothing happens. */
void screen_fill_ipc(struct process_list *list, struct process_id who, double ipc);

/* Ask for the foot of the view that is shown, if it has one: at most once a second. */
void screen_describe(struct screen *screen, int64_t now_ns);
/* There are none up to the moment that is shown: the views are empty again. */
void screen_forget_processes(struct screen *screen);

/* It shows a log: what only makes sense live is not offered. The player must live as long. */
void screen_of_log(struct screen *screen, const struct player *player);
/* The moment that is drawn next. */
void screen_show_moment(struct screen *screen, const struct player *player, int64_t now_ns);

/* What keys can do here: enum key_need. */
unsigned screen_has(const struct screen *screen);
/* Draw everything. alert: NULL for none. */
void screen_draw(struct screen *screen, const char *alert, struct canvas *canvas);

#endif
