/* live_priv: the state of the live screen. live.c is its loop, live_keys.c handles keys,
 * live_mouse.c the mouse, live_log.c records a log, live_replay.c shows one, live_settings.c
 * changes settings. Only these files include this. */
#ifndef MALITOP_LIVE_PRIV_H
#define MALITOP_LIVE_PRIV_H

#include "tui/alerts.h"
#include "tui/explain_card.h"
#include "tui/findings_card.h"
#include "tui/help.h"
#include "tui/player.h"
#include "record/recorder.h"
#include "session/scanner.h"
#include "tui/screen.h"
#include "term/term.h"

/* The past that a paused screen shows, and marks. */
struct live_past {
	bool wanted;       /* pause as soon as there is something to show */
	int64_t window_ns; /* the newest end of histories */
	struct timeline line;
	struct timeline_cell cells[CANVAS_COLS_MAX];
	struct timeline_mark marks[TIMELINE_MARKS];
	unsigned n_marks, number; /* of the last mark */
};

#define SETTINGS_MOST 10

/* The settings: what they are now, and what was changed since they were saved. */
struct settings {
	bool shown, begun;
	int at;             /* the selected one */
	struct options now; /* borrows the texts of live's options, and `view` */
	char view[64];
	bool changed[SETTINGS_MOST];
};

struct live {
	const struct sys *sys;
	const struct options *options;
	struct session session;
	struct feeds feeds;
	struct screen screen;
	struct term *term;
	struct canvas canvas;
	struct recorder *recorder;                   /* NULL without a log */
	enum { LOG_RUNS, LOG_ENDS, LOG_FAILED } log; /* is being closed; failed and reported */
	struct scanner *scanner;                     /* of processes */
	struct player *player;                       /* replay only: it replaces those two */
	struct live_past past;                       /* of a measurement */
	struct alerts alerts;
	int64_t start_ns, next_step_ns;
	int64_t paused_since_ns; /* 0: not paused */
	char before_counters[2]; /* digit of the view */
	bool has_instances;      /* the sources deliver every core */
	unsigned changes;        /* changes of the session that were handled */
	unsigned jumps;          /* jumps of the player that were handled */
	enum { ASK_NOTHING, ASK_TIME, ASK_FILTER, ASK_COMPARE } asks; /* what is being typed */
	bool confirms; /* the question before profiling waits for an answer */
	char typed[32], question[48];
	struct foot_ask ask;
	int64_t range_from_ns, range_to_ns; /* selected: begin, end; 0: none, or the end is what is shown */
	struct help help;
	struct findings_card findings;
	struct explain_card explain; /* over the view, or over the findings */
	struct settings settings;    /* F2 */
	struct hit held;             /* what the button went down on */
	bool dirty, end;
	int signal;
};

/* Draw the canvas, and with it write down what stands where. */
void live_compose(struct live *l);
/* The same without the explanation, which covers the rows. */
void live_compose_below(struct live *l);
/* Handle a key; a click; a move with the button held; the wheel, which acts where it points. */
void live_key(struct live *l, uint32_t key);
void live_click(struct live *l, int x, int y);
void live_drag(struct live *l, int x);
void live_wheel(struct live *l, uint32_t key, int x, int y);

/* Break down per core, or no longer. */
void live_per_core(struct live *l);
/* live_explain.c: handle a key of an explanation, false if none is shown or it has no such key. */
bool live_key_in_explanation(struct live *l, uint32_t key, struct strbuf *said);
/* Make the definitions again, and all that is made of them. Pointers to metrics, findings, charts
 * and views are invalid afterwards, in locals of the callers as well. */
bool live_renew(struct live *l, struct err *err);
/* The same for the user's own files, which may have changed; an error is an alert. */
void live_reload(struct live *l);

/* live_settings.c: show them; draw them; handle a key, false for one that they do not handle. */
void live_show_settings(struct live *l);
void live_draw_settings(struct live *l, const struct alert *alert);
bool live_key_in_settings(struct live *l, uint32_t key, struct strbuf *said);

/* live_time.c: pause and go on; do it late, if it was too early; after a change of what is kept,
 * show the moment of a pause again. */
void live_pause(struct live *l);
void live_pause_if_wanted(struct live *l);
void live_show_again(struct live *l);
/* These pause a measurement: step by refreshes; go to a time on the clock of the samples, a page of
 * the timeline on or back, its end (1) or begin (-1), a typed time. */
void live_step(struct live *l, int by);
void live_go(struct live *l, int64_t at_ns);
void live_leap(struct live *l, int by);
void live_go_to_end(struct live *l, int way);
bool live_jump(struct live *l, const char *text, struct err *err);
/* What is drawn of it; NULL: nothing. */
const struct timeline *live_timeline(struct live *l);
/* Mark the moment that is shown; keep a mark that the measured program has set. */
void live_mark(struct live *l);
void live_keep_mark(struct live *l, const struct source_mark *mark);

/* live_gpu.c: pause measuring the GPU, or go on; profiling, after a question. What the footer asks,
 * NULL for nothing; handle a key, false if it is no answer. */
void live_pause_gpu(struct live *l, int unused);
/* In every turn of the loop: if measuring a GPU keeps it powered, that ends some time after the
 * screen was paused, and goes on with it. A log needs it all the time, and the same sources. */
void live_rest(struct live *l, int64_t now);
void live_profile(struct live *l, int unused);
const struct foot_ask *live_gpu_asked(struct live *l);
bool live_gpu_key(struct live *l, uint32_t key);

/* Begin or end a log; check its state in every turn of the loop. */
void live_log(struct live *l);
void live_look_at_log(struct live *l);
/* "malitop-20260131-140211.mlog"; the second one in a second "malitop-20260131-140211-2.mlog". */
void live_new_name(const struct sys *sys, unsigned number, const char *ending, char name[64]);

/* Replay: open the log and make the session of it; show its first point in time; advance it in
 * every turn of the loop. */
bool live_open_log(struct live *l, struct err *err);
bool live_start_log(struct live *l, int64_t now, struct err *err);
void live_run_log(struct live *l, int64_t now);
/* live_range.c: begin, end or forget the selected range; update it after the shown moment changed;
 * compare with what is shown, or no longer. */
void live_range(struct live *l);
void live_follow_range(struct live *l);
void live_forget_range(struct live *l);
void live_compare(struct live *l);
/* Compare with the mark of that number; "": with what is shown. */
void live_compare_with(struct live *l, const char *number);
/* live_snapshot.c: save the screen and its numbers under new names. */
void live_snapshot(struct live *l);

/* "Go to", "filter" and "compare with": begin to ask; what the footer asks, NULL for nothing;
 * handle a typed key, false if it is not part of the answer. */
void live_ask(struct live *l);
void live_ask_filter(struct live *l);
void live_ask_compare(struct live *l);
const struct foot_ask *live_asked(struct live *l);
bool live_key_typed(struct live *l, uint32_t key, int64_t now);

#endif
