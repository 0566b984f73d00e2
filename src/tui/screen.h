/* screen: draws one frame of the current data: header, tabs, the view, footer. The live screen and
 * --once use it. */
#ifndef MALITOP_SCREEN_H
#define MALITOP_SCREEN_H

#include "tui/compare.h"
#include "tui/feeds.h"
#include "tui/player.h"
#include "tui/process_pane.h"
#include "tui/screen_hot.h"
#include "tui/screen_judge.h"
#include "session/session.h"
#include "backends/process/process_scan.h"
#include "views/frame.h"

#define SCREEN_PINS 8

struct screen {
	struct session *session;
	struct feeds *feeds;
	struct views views;
	const struct view *view; /* the shown view */
	char wanted[32];         /* the view that the user chose, which a GPU may not have */
	bool per_instance;
	struct view_scroll scroll;
	struct view_folds folds;
	struct hits hits;            /* of the last frame; empty: outdated */
	struct row_subject selected; /* chart NULL: nothing is selected */
	const struct chart *zoom;    /* the only shown panel; NULL: all */
	struct {
		enum source_kind source;
		char name[64]; /* of a metric */
	} pins[SCREEN_PINS];   /* rows at the top of the Overview */
	unsigned n_pins;
	char filter[32];       /* filter of rows in all views; "" for none */
	struct view *filtered; /* `view` after the filter; NULL: no filter */
	char filtered_by[32];
	struct {
		char letters[16]; /* panels of the Overview; "" for all */
		bool minimal;     /* rows of the Overview without panels */
		bool choosing;    /* the titles have the letters of their panels */
	} layout;
	enum table_order order; /* of the counters */
	bool only_counted;      /* hide counters that were never counted */
	struct compare compare;
	int64_t paused_ns;                  /* end of the history shown; 0: now */
	char foot[VIEW_FOOT_LINES][256];    /* of the source; of the busiest thread; of it and the GPU */
	int64_t realtime_ns;                /* the time of day that is shown */
	char recording[128];                /* "REC run.csv 12.4 MB, 17 lost"; "" for none */
	bool of_boards;                     /* one of several */
	const char *replay;                 /* "REPLAY run.mlog", of a log; NULL: live */
	char position[64];                  /* in it: "12:03 of 1:02:03  19 %  x10" */
	const struct timeline *timeline;    /* of a pause or a log; NULL: it is not shown */
	const struct timeline_place *marks; /* for graphs */
	unsigned n_marks;
	const struct foot_ask *ask; /* NULL: none, or that of the pane */
	struct process_pane pane;
	struct screen_judge judge; /* of the shown sources */
	struct screen_hot hot;     /* of the view Hot */
	bool gives_way;            /* the last frame had no room for the panel of the busiest */
};

/* Make the views of the session's sources and show one, by name or digit. If it is unknown, the
 * error lists the views. */
bool screen_init(struct screen *screen, struct session *session, struct feeds *feeds, const char *view,
		 struct err *err);
void screen_fini(struct screen *screen);

/* Show another view (NULL is ignored). */
void screen_show(struct screen *screen, const struct view *view);
/* Rebuild the views after the shown sources changed. The view stays if they still have it. */
void screen_follow(struct screen *screen);
/* Read the user's own files again, with new metrics, findings and views. On failure, return false
 * with file and line in the error, and change nothing. */
bool screen_reload(struct screen *screen, struct err *err);
/* Start comparing with a moment of this screen, or with the log that was read (NULL); stop.
 * Rebuilds the views, because the Overview lists the largest changes. */
void screen_compare(struct screen *screen, const char *with);
void screen_compare_end(struct screen *screen);
/* Call this after the shown time changed: compares with the phase of the log that has this name. */
void screen_compare_phase(struct screen *screen, const char *name);
/* Show the next GPU, in the same view if it has that one. Returns false if there is no other GPU.
 * Rebuilds the views. */
bool screen_next_gpu(struct screen *screen);
/* Show the next (1) or previous (-1) tab. With `own`, show the first own view, or the one after the
 * shown one. Returns false if there is no other, or no own one. */
bool screen_turn(struct screen *screen, int by, bool own);

/* ---- the selected row; screen_select.c ---- */

/* Return the selected row; NULL if there is none, or the view has rows of its own (screen_pane).
 * Valid until the views are rebuilt. */
const struct row_subject *screen_selected(const struct screen *screen);
/* Select a row; NULL: none. */
void screen_select(struct screen *screen, const struct row_subject *subject);
/* Select the next row (1) or the previous one (-1) of the last drawing. If one panel is shown
 * alone, go to the next panel. Returns false if there is no other row. */
bool screen_move(struct screen *screen, int by);
/* Fold or unfold the selected row. Returns false if it has no rows below it. */
bool screen_fold(struct screen *screen);
/* Show one panel alone: this one (NULL: that of the selected row, or the first), or all again.
 * Returns false if there is no panel. */
bool screen_zoom(struct screen *screen, const struct chart *chart);
/* Show a view with the row of that metric selected. Returns false if the view does not show it. */
bool screen_show_metric(struct screen *screen, const struct view *view, const struct metric *metric);
/* Show the first view that the finding names and this machine has. Select the row of its number, or
 * that of its evidence. Returns false if there is no such view. */
bool screen_show_finding(struct screen *screen, const struct judged *finding);
/* Pin the row to the panel at the top of the Overview, or unpin it; *pinned is the new state.
 * Rebuilds the views. Returns false if the row has no metric, or the panel is full. */
bool screen_pin(struct screen *screen, const struct row_subject *subject, bool *pinned);
/* Undo the latest of these: zoom, filter, selection. Returns false if there is none. */
bool screen_back(struct screen *screen);

/* Return the pane of the Processes view, which gets keys first; NULL if another view is shown. */
struct process_pane *screen_pane(struct screen *screen);

/* Fill *query with the needs of the shown view for processes, and how often. Returns false if it
 * needs none. */
bool screen_wants_processes(struct screen *screen, struct process_query *query, int64_t *period_ns);
/* Show a list of processes, which the screen owns. Returns false if a later list will have more:
 * the first ones have no percentages, or no threads of the busiest processes.
 * (screen_processes.c) */
bool screen_take_processes(struct screen *screen, struct process_list *list);
/* Set the IPC of the one process or thread that is counted alone. Does nothing if it is NaN, or if
 * the process is not in the list. */
void screen_fill_ipc(struct process_list *list, struct process_id who, double ipc);

/* "thread 62 %, GPU 97 %: the GPU is busy all the time", from the shares of time that they were
 * active, in percent; "" if one is unknown (NaN). */
void screen_turns_text(char *out, size_t size, double thread_percent, double gpu_percent);

/* Fill *priority with the slots of a source that the last frame shows. */
void screen_priority(const struct screen *screen, enum source_kind kind, struct source_priority *priority);

/* Update the foot of the shown view, if it has one. */
void screen_describe(struct screen *screen, int64_t now_ns);
/* Drop the processes, because the log has none up to the shown time. */
void screen_forget_processes(struct screen *screen);

/* Show a log, without live-only keys. The player must outlive the screen. */
void screen_of_log(struct screen *screen, const struct player *player);
/* Set the time of the log to draw next. */
void screen_show_moment(struct screen *screen, const struct player *player, int64_t now_ns);

/* Return the shown view, after the filter. */
const struct view *screen_shown_view(struct screen *screen);
void screen_forget_filtered(struct screen *screen);
/* Layouts of the Overview: the letters of its panels, "" for all. "minimal" has rows without
 * panels. */
#define SCREEN_LAYOUTS 5
extern const struct screen_layout {
	const char *name, *letters;
} screen_layouts[SCREEN_LAYOUTS];
/* Choose the panels of the Overview: the name of a layout, or letters of panels. */
void screen_lay_out(struct screen *screen, const char *layout);
/* Get the letters of the panels that the Overview has on this machine, and of the shown ones. */
void screen_letters(const struct screen *screen, char all[16], char shown[16]);
/* Fill the data for views. */
void screen_fill_data(struct screen *screen, struct view_data *data);
/* Return how many applications have frames to show. */
unsigned screen_apps(const struct screen *screen);
/* Return the needs of keys that are met: enum key_need. */
unsigned screen_has(struct screen *screen);
/* Whether the shown view has the verdict, which needs the busiest thread unless the GPU is
 * saturated. */
bool screen_shows_verdict(const struct screen *screen);
/* Clear the canvas and draw the rows around *body, which is for a view, or for Findings (view
 * NULL). alert: NULL for none. (screen_frame.c) */
void screen_draw_frame(struct screen *screen, const struct view *view, const struct foot_keys *keys,
		       const struct alert *alert, struct canvas *canvas, struct rect *body);
/* Draw everything. alert: NULL for none. */
void screen_draw(struct screen *screen, const struct alert *alert, struct canvas *canvas);

#endif
