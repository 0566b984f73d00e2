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
	const struct view *view; /* the one shown */
	char wanted[32];         /* the one that the user chose; a GPU may not have it */
	bool per_instance;
	struct view_scroll scroll;
	struct view_folds folds;
	struct hits hits;            /* of the last frame; empty: it is outdated */
	struct row_subject selected; /* chart NULL: nothing is selected */
	const struct chart *zoom;    /* the only panel that is shown; NULL: all */
	struct {
		enum source_kind source;
		char name[64]; /* of a metric */
	} pins[SCREEN_PINS];   /* rows at the top of the Overview */
	unsigned n_pins;
	char filter[32];       /* of the rows of all views; "" for none */
	struct view *filtered; /* what it leaves of `view`; NULL: all */
	char filtered_by[32];
	struct {
		char letters[16]; /* of the panels of the Overview; "" for all */
		bool minimal;     /* its rows without panels */
		bool choosing;    /* the titles have their letters */
	} layout;
	enum table_order order; /* of the counters */
	bool only_counted;      /* hide those that were never counted */
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
	const struct foot_ask *ask; /* NULL: nothing, or what the pane asks */
	struct process_pane pane;
	struct screen_judge judge; /* of the shown sources */
	struct screen_hot hot;     /* of the view Hot */
	bool gives_way;            /* the panel of the busiest had no room in the frame drawn last */
};

/* Make the views of the session's sources and show one, by name or digit. The error for an unknown
 * one lists the views. */
bool screen_init(struct screen *screen, struct session *session, struct feeds *feeds, const char *view,
		 struct err *err);
void screen_fini(struct screen *screen);

/* Show another view (NULL is ignored). */
void screen_show(struct screen *screen, const struct view *view);
/* Make the views again after the shown sources changed. The view stays if they still have it. */
void screen_follow(struct screen *screen);
/* Read the user's own files again, with new metrics, findings and views. false: an error with file
 * and line, and everything is as before. */
bool screen_reload(struct screen *screen, struct err *err);
/* Begin to compare with a moment of this screen, or with the log that was read (NULL); end it. The
 * views are made again: the Overview lists the largest changes. */
void screen_compare(struct screen *screen, const char *with);
void screen_compare_end(struct screen *screen);
/* After the shown moment changed: compare with the phase of the log that has this name. */
void screen_compare_phase(struct screen *screen, const char *name);
/* Show the next GPU, in the same view if it has that one; false if there is no other GPU. The views
 * are made again. */
bool screen_next_gpu(struct screen *screen);
/* Show the view of the next (1) or previous (-1) tab, or of the own ones: the first, or the one
 * after the shown one; false if there is no other, or no own one. */
bool screen_turn(struct screen *screen, int by, bool own);

/* ---- the selected row; screen_select.c ---- */

/* What is selected; NULL: nothing is, or the view has rows of its own (screen_pane). Valid until
 * the views are made again. */
const struct row_subject *screen_selected(const struct screen *screen);
/* Select a row; NULL: none. */
void screen_select(struct screen *screen, const struct row_subject *subject);
/* Select the next row (1) or the previous one (-1), as drawn last; from a panel that is shown alone
 * go to the next one. false: there is no other row. */
bool screen_move(struct screen *screen, int by);
/* Fold or unfold the selected row; false: it has none below it. */
bool screen_fold(struct screen *screen);
/* Show one panel alone: this one (NULL: that of the selected row, or the first), or all again.
 * false: there is no panel. */
bool screen_zoom(struct screen *screen, const struct chart *chart);
/* Show a view with the row of that metric selected; false: it does not show the metric. */
bool screen_show_metric(struct screen *screen, const struct view *view, const struct metric *metric);
/* Show the first view that the finding names and this machine has, with the row of its number
 * selected, or else that of its evidence; false: there is no such view. */
bool screen_show_finding(struct screen *screen, const struct judged *finding);
/* Put the row into the panel at the top of the Overview, or remove it from there; *pinned says
 * which. The views are made again. false: the row has no metric, or the panel is full. */
bool screen_pin(struct screen *screen, const struct row_subject *subject, bool *pinned);
/* Undo what was done last of these: zoom, filter, selection. false: there is neither. */
bool screen_back(struct screen *screen);

/* Return the pane of the Processes view, which gets keys first; NULL if another view is shown. */
struct process_pane *screen_pane(struct screen *screen);

/* Fill *query with what the shown view needs of processes, and how often; false: nothing, and none
 * need be read. */
bool screen_wants_processes(struct screen *screen, struct process_query *query, int64_t *period_ns);
/* Show a list of processes, which the screen owns from now on. Returns false if a later list will
 * have more: the first ones have no percentages, or none of the busiest threads.
 * (screen_processes.c) */
bool screen_take_processes(struct screen *screen, struct process_list *list);
/* Set the IPC of the one process or thread that is counted alone. Does nothing if it is NaN, or if
 * the process is not in the list. */
void screen_fill_ipc(struct process_list *list, struct process_id who, double ipc);

/* "thread 62 %, GPU 97 %: the GPU is busy all the time", from the shares of time that they worked,
 * in percent; "" if one is unknown (NaN). */
void screen_turns_text(char *out, size_t size, double thread_percent, double gpu_percent);

/* What of a source the last frame shows. (screen_query.c) */
void screen_priority(const struct screen *screen, enum source_kind kind, struct source_priority *priority);

/* Update the foot of the shown view, if it has one. */
void screen_describe(struct screen *screen, int64_t now_ns);
/* Forget the processes: the log has none up to the time that is shown. */
void screen_forget_processes(struct screen *screen);

/* Show a log: live-only keys are not offered. The player must outlive the screen. */
void screen_of_log(struct screen *screen, const struct player *player);
/* Set the time of the log that is drawn next. */
void screen_show_moment(struct screen *screen, const struct player *player, int64_t now_ns);

/* The view that is shown, as far as the filter wants it. */
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
/* The letters of the panels that the Overview has on this machine, and of those that are shown. */
void screen_letters(const struct screen *screen, char all[16], char shown[16]);
/* What views get to see. */
void screen_fill_data(struct screen *screen, struct view_data *data);
/* How many applications have frames to show. */
unsigned screen_apps(const struct screen *screen);
/* What the keys need and have now: enum key_need. */
unsigned screen_has(struct screen *screen);
/* Whether the shown view has the verdict, which needs the busiest thread while the GPU has time
 * left. */
bool screen_shows_verdict(const struct screen *screen);
/* Clear the canvas and draw what is around *body, which a view has, or the findings (view NULL).
 * alert: NULL for none. (screen_frame.c) */
void screen_draw_frame(struct screen *screen, const struct view *view, const struct foot_keys *keys,
		       const struct alert *alert, struct canvas *canvas, struct rect *body);
/* Draw everything. alert: NULL for none. */
void screen_draw(struct screen *screen, const struct alert *alert, struct canvas *canvas);

#endif
