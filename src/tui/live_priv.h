/* live_priv: the state of the live screen. live.c is its loop, live_modes.c what stands over the
 * view and who gets a key or a click, live_actions.c what keys do, live_time.c which time is shown,
 * live_save.c writes files, live_settings.c changes settings, live_layout.c the Overview,
 * worst_card.c lists the longest frames, splash.c waits for devices. Only these files include
 * this. */
#ifndef MALITOP_LIVE_PRIV_H
#define MALITOP_LIVE_PRIV_H

#include "tui/alerts.h"
#include "tui/explain_card.h"
#include "tui/findings_card.h"
#include "tui/help.h"
#include "tui/boards.h"
#include "tui/live.h"
#include "tui/player.h"
#include "record/recorder.h"
#include "session/scanner.h"
#include "tui/screen.h"
#include "passes/frame_stats.h"
#include "term/term.h"

/* The past that a paused screen shows, and marks. */
struct live_past {
	bool wanted;       /* pause as soon as there is something to show */
	int64_t window_ns; /* the newest end of histories */
	struct timeline line;
	struct timeline_cell cells[CANVAS_COLS_MAX];
	int64_t scenes[TIMELINE_SCENES];
	struct timeline_place events[JUDGE_EVENTS]; /* before the pause */
	unsigned n_events;
	struct timeline_place marks[TIMELINE_MARKS];
	unsigned n_marks, number; /* of the last mark */
};

/* The longest frames, with what each had more of than others. */
struct worst_card {
	int at, first, page;
	double number; /* of the selected frame: it stays selected when a longer one comes; 0: the first */
};

#define SETTINGS_MOST 10

/* The settings: what they are now, and what was changed since they were saved. */
struct settings {
	bool begun;
	int at;             /* the selected one */
	struct options now; /* borrows the texts of live's options, and `view` */
	char view[64];
	bool changed[SETTINGS_MOST];
};

/* What can stand over the view: a row of modes[] in live_modes.c each. */
enum mode_id {
	MODE_FINDINGS,
	MODE_WORST,
	MODE_EXPLANATION,
	MODE_SETTINGS,
	MODE_LAYOUT,
	MODE_HELP,
	MODE_QUESTION,
	MODES
};

struct live;

/* A question in the footer, with a typed answer or y and n. */
struct question {
	const char *text;
	const char *answers, *of_log; /* which there are; in a replay, NULL if they are the same */
	bool typed;
	/* While one types, NULL: nothing follows. At Enter or y; it may ask the next question. */
	void (*follow)(struct live *l, const char *text);
	void (*answer)(struct live *l, const char *text);
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
	struct boards *boards;                       /* of which this is one; NULL: none */
	enum live_leave leave;                       /* with boards: why it ended */
	struct player *player;                       /* replay only: it replaces those two */
	struct live_past past;                       /* of a measurement */
	struct alerts alerts;
	int64_t start_ns, next_step_ns;
	int64_t paused_since_ns;            /* 0: not paused */
	char before_counters[2];            /* digit of the view */
	bool has_instances;                 /* the sources deliver every core */
	unsigned changes;                   /* changes of the session that were handled */
	unsigned jumps;                     /* jumps of the player that were handled */
	int64_t range_from_ns, range_to_ns; /* selected: begin, end; 0: none, or the end is what is shown */
	enum mode_id open[MODES];           /* the modes over the view, the topmost last */
	unsigned n_open;
	struct help help;
	char own_cost[128]; /* what malitop itself took when help was opened; "" unknown */
	struct findings_card findings;
	struct worst_card worst;
	struct explain_card explain;
	struct settings settings;
	char own_layout[16], layout_before[16]; /* letters; the layout to which Esc goes back */
	const struct question *asks;
	char typed[128], question[192];
	struct foot_ask ask;
	struct hit held; /* what the button went down on, where */
	int held_x;
	bool dirty, end;
	int signal;
};

/* ---- live_modes.c ---- */

/* Put a mode over all others; remove it. */
void live_open(struct live *l, enum mode_id mode);
void live_close(struct live *l, enum mode_id mode);
bool live_is_open(const struct live *l, enum mode_id mode);
/* Ask in the footer; `typed` is what the answer begins with. The question stays the caller's. */
void live_ask(struct live *l, const struct question *question, const char *typed);
/* Whether no mode hides the view. */
bool live_sees_view(const struct live *l);
/* Draw the canvas, and with it write down what stands where. */
void live_compose(struct live *l);
/* Handle a key; a click; a move with the button held; the wheel, which acts where it points. */
void live_key(struct live *l, uint32_t key);
void live_click(struct live *l, int x, int y);
void live_drag(struct live *l, int x);
void live_wheel(struct live *l, uint32_t key, int x, int y);
/* Answer a key with a line that the next key removes. */
void live_hint(struct live *l, const char *text);

/* ---- live_actions.c ---- */

/* Do what the tables of keys say; a reason why it does nothing is added to *said. */
void live_act(struct live *l, uint32_t key, struct strbuf *said);
/* What all frames of a log were, or since the start; NULL: there are none. */
const struct frame_stats *live_frame_stats(struct live *l);
/* Pause at a frame, and show it. */
void live_show_frame(struct live *l, const struct frame_facts *frame);
/* Break down per core, or no longer. */
void live_per_core(struct live *l);
/* Make the definitions again, and all that is made of them. Pointers to metrics, findings, charts
 * and views are invalid afterwards, in locals of the callers as well. */
bool live_renew(struct live *l, struct err *err);
/* The same for the user's own files, which may have changed; an error is an alert. */
void live_reload(struct live *l);

/* ---- worst_card.c ---- */

/* Draw it over the whole canvas. wall_ns: CLOCK_REALTIME minus the clock of the frames. */
void worst_card_draw(struct worst_card *card, struct screen *screen, const struct frame_stats *stats,
		     int64_t wall_ns, const struct alert *alert, struct canvas *canvas);
/* Handle a key while it is shown. Enter is the caller's. */
enum key_answer worst_card_key(struct worst_card *card, const struct frame_stats *stats, uint32_t key);
/* The selected frame; NULL if there is none. */
const struct frame_facts *worst_card_selected(const struct worst_card *card, const struct frame_stats *stats);

/* ---- splash.c ---- */

/* Show what the program waits for, and for how long, until fd is readable. Returns false if the
 * user quits before; *signal is then the signal that asked for it, 0 for a key. */
bool splash_run(const struct sys *sys, struct term *term, int fd, int64_t since_ns, int *signal);

/* ---- live_settings.c: show them; draw them; handle a key ---- */

void live_show_settings(struct live *l);
void live_draw_settings(struct live *l, const struct alert *alert);
enum key_answer live_key_in_settings(struct live *l, uint32_t key, struct strbuf *said);

/* ---- live_layout.c: the same for the layouts of the Overview ---- */

void live_show_layouts(struct live *l);
void live_draw_layouts(struct live *l, const struct alert *alert);
enum key_answer live_key_in_layouts(struct live *l, uint32_t key, struct strbuf *said);

/* ---- live_time.c ---- */

/* Pause and go on; pause, or remember to before there is something to show; after a change of what
 * is kept, show the moment of a pause again. */
void live_pause(struct live *l);
bool live_pause_screen(struct live *l);
void live_show_again(struct live *l);
/* These pause a measurement: step by refreshes; go to a time on the clock of the samples, a page of
 * the timeline on or back, its end (1) or begin (-1). */
void live_step(struct live *l, int by);
void live_go(struct live *l, int64_t at_ns);
void live_leap(struct live *l, int by);
/* Go to the next place (1) or the one before (-1) where something happened: a mark, a loss, a
 * change of the scene, and live what the judge saw. Pauses. */
void live_find(struct live *l, int way);
/* Show a moment that graphs have in sight, so that they stay; the range from another one to it, if
 * they differ. Pauses. */
void live_point(struct live *l, int64_t at_ns, int64_t from_ns);
/* Show more (1) or less (-1) time in the graphs. */
void live_scale(struct live *l, int by);
void live_go_to_end(struct live *l, int way);
void live_ask_time(struct live *l);
/* What is drawn of it; NULL: nothing. */
const struct timeline *live_timeline(struct live *l);
/* Mark the moment that is shown; keep a mark, such as one that the measured program has set. */
void live_mark(struct live *l);
void live_keep_mark(struct live *l, int64_t at_ns, const char *text);
/* Begin, end or forget the selected range; make it the phase that is shown, between marks and
 * changes of the scene; update it after the shown moment changed; compare with what is shown, or no
 * longer. */
void live_range(struct live *l);
void live_phase(struct live *l);
void live_follow_range(struct live *l);
void live_compare(struct live *l);
/* Read another log and compare with it; ask for one. */
bool live_read_baseline(struct live *l, const char *path, struct err *err);
void live_ask_baseline(struct live *l);

/* ---- live_save.c ---- */

/* Begin or end a log; check its state in every turn of the loop. */
void live_log(struct live *l);
void live_look_at_log(struct live *l);
/* Save the screen and its numbers under new names. */
void live_snapshot(struct live *l);

#endif
