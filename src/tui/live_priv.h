/* live_priv: the state of the live screen. live.c is its loop, live_modes.c the modes over the
 * view, keys and clicks, live_actions.c the actions of keys, live_time.c the shown time,
 * live_save.c writes files, live_settings.c changes settings, live_layout.c the Overview,
 * worst_card.c lists the longest frames, splash.c waits for devices and connections. Only these
 * files include this. */
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
	bool wanted;       /* pause once there is data to show */
	int64_t window_ns; /* end of histories */
	struct timeline line;
	struct timeline_cell cells[CANVAS_COLS_MAX];
	int64_t scenes[TIMELINE_SCENES];
	struct timeline_place events[JUDGE_EVENTS]; /* before the pause */
	unsigned n_events;
	struct timeline_place marks[TIMELINE_MARKS];
	unsigned n_marks, number; /* of the last mark */
};

/* The card of the longest frames, and where each exceeded the others. */
struct worst_card {
	int at, first, page;
	double number; /* of the selected frame, which stays selected; 0: the first */
};

#define SETTINGS_MOST 10

/* The current settings, and which were changed since they were saved. */
struct settings {
	bool begun;
	int at;             /* index of the selected one */
	struct options now; /* borrows the texts of live's options, and `view` */
	char view[64];
	bool changed[SETTINGS_MOST];
};

/* The modes that can be over the view: each has a row of modes[] in live_modes.c. */
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
	const char *answers, *of_log; /* of_log: the answers in a replay, NULL if they are the same */
	bool typed;
	/* Called while typing, or NULL; and at Enter or y: it may ask the next question. */
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
	enum { LOG_RUNS, LOG_ENDS, LOG_FAILED } log; /* is being closed; has failed, reported */
	struct scanner *scanner;                     /* of processes */
	struct boards *boards;                       /* this is one of them; NULL: none */
	enum live_leave leave;                       /* with boards: how the user left it */
	struct player *player;                       /* replay only: it replaces recorder and scanner */
	struct live_past past;                       /* of a measurement */
	struct alerts alerts;
	int64_t start_ns, next_step_ns;
	int64_t unload_ns;                  /* when to call self_unload */
	int64_t paused_since_ns;            /* 0: not paused */
	char before_counters[2];            /* digit of the view */
	bool has_instances;                 /* the sources deliver every core */
	unsigned changes;                   /* handled changes of the session */
	unsigned jumps;                     /* handled jumps of the player */
	int64_t range_from_ns, range_to_ns; /* selected range; 0: none, or its end is the shown time */
	enum mode_id open[MODES];           /* the open modes, the topmost last */
	unsigned n_open;
	struct help help;
	char own_cost[128]; /* CPU time and memory of malitop itself when help was opened; "": unknown */
	struct findings_card findings;
	struct worst_card worst;
	struct explain_card explain;
	struct settings settings;
	char own_layout[16], layout_before[16]; /* letters; layout_before is the one that Esc restores */
	const struct question *asks;
	char typed[128], question[192];
	struct foot_ask ask;
	struct hit held; /* the hit on which the button was pressed, and where */
	int held_x;
	bool dirty, end;
	int signal;
};

/* ---- live_modes.c ---- */

/* Open a mode over all others; close it. */
void live_open(struct live *l, enum mode_id mode);
void live_close(struct live *l, enum mode_id mode);
bool live_is_open(const struct live *l, enum mode_id mode);
/* Ask in the footer. `typed` is the initial text of the answer. The caller keeps the question. */
void live_ask(struct live *l, const struct question *question, const char *typed);
/* Whether no mode hides the view. */
bool live_sees_view(const struct live *l);
/* Draw the canvas, and record its hits. */
void live_compose(struct live *l);
/* Handle a key; a click; a move with the button held; the wheel, which acts at the pointer. */
void live_key(struct live *l, uint32_t key);
void live_click(struct live *l, int x, int y);
void live_drag(struct live *l, int x);
void live_wheel(struct live *l, uint32_t key, int x, int y);
/* Answer a key with a line that the next key removes. */
void live_hint(struct live *l, const char *text);

/* ---- live_actions.c ---- */

/* Perform the action of a key. If it does nothing, the reason is appended to *said. */
void live_act(struct live *l, uint32_t key, struct strbuf *said);
/* Return statistics of all frames of a log, or since the start; NULL: there are none. */
const struct frame_stats *live_frame_stats(struct live *l);
/* Pause at a frame, and show it. */
void live_show_frame(struct live *l, const struct frame_facts *frame);
/* Break down per core, or stop. */
void live_per_core(struct live *l);
/* Rebuild the definitions and all that depends on them. Pointers to metrics, findings, charts and
 * views become invalid, also in locals of the callers. */
bool live_renew(struct live *l, struct err *err);
/* Rebuild likewise from the user's own files, which may have changed. An error is an alert. */
void live_reload(struct live *l);

/* ---- worst_card.c ---- */

/* Draw the card over the whole canvas. wall_ns: CLOCK_REALTIME minus the clock of the frames. */
void worst_card_draw(struct worst_card *card, struct screen *screen, const struct frame_stats *stats,
		     int64_t wall_ns, const struct alert *alert, struct canvas *canvas);
/* Handle a key while the card is shown. The caller handles Enter. */
enum key_answer worst_card_key(struct worst_card *card, const struct frame_stats *stats, uint32_t key);
/* Return the selected frame; NULL if there is none. */
const struct frame_facts *worst_card_selected(const struct worst_card *card, const struct frame_stats *stats);

/* ---- splash.c ---- */

/* What the program waits for: until fd is readable or, if it is not NULL, is_done. */
struct splash {
	const char *title, *reason, *remedy;
	int fd;
	bool (*is_done)(void *ctx); /* also asked every 100 ms */
	void *ctx;
};
/* Show that, and for how long. Returns false if the user quits before. *signal is then the signal
 * that ended it, 0 for a key. */
bool splash_run(const struct sys *sys, struct term *term, const struct splash *splash, int64_t since_ns,
		int *signal);

/* ---- live_settings.c: show them; draw them; handle a key ---- */

void live_show_settings(struct live *l);
void live_draw_settings(struct live *l, const struct alert *alert);
enum key_answer live_key_in_settings(struct live *l, uint32_t key, struct strbuf *said);

/* ---- live_layout.c: the same for layouts of the Overview ---- */

void live_show_layouts(struct live *l);
void live_draw_layouts(struct live *l, const struct alert *alert);
enum key_answer live_key_in_layouts(struct live *l, uint32_t key, struct strbuf *said);

/* ---- live_time.c ---- */

/* Pause or resume; pause now or as soon as there is data; show the paused moment again after other
 * data is kept. */
void live_pause(struct live *l);
bool live_pause_screen(struct live *l);
void live_show_again(struct live *l);
/* These pause a measurement: step by refreshes; go to a time on the clock of the samples; go a page
 * of the timeline forward or back; go to its end (1) or start (-1). */
void live_step(struct live *l, int by);
void live_go(struct live *l, int64_t at_ns);
void live_leap(struct live *l, int by);
/* Go to the next (1) or previous (-1) event: a mark, a loss, a change of the scene, and live those
 * of the judge. Pauses. */
void live_find(struct live *l, int way);
/* Show a time that is visible in graphs, so that they do not move; if from_ns differs, select the
 * range from it. Pauses. */
void live_point(struct live *l, int64_t at_ns, int64_t from_ns);
/* Show more (1) or less (-1) time in the graphs. */
void live_scale(struct live *l, int by);
void live_go_to_end(struct live *l, int way);
void live_ask_time(struct live *l);
/* Return the timeline to draw; NULL: none. */
const struct timeline *live_timeline(struct live *l);
/* Mark the shown time; keep a mark, such as one that the measured program has set. */
void live_mark(struct live *l);
void live_keep_mark(struct live *l, int64_t at_ns, const char *text);
/* Start, end or clear the selected range; select the shown phase, between marks and changes of the
 * scene; update the range after the shown time changed; start or stop comparing with the shown
 * values. */
void live_range(struct live *l);
void live_phase(struct live *l);
void live_follow_range(struct live *l);
void live_compare(struct live *l);
/* Read another log and compare with it; ask the user for one. */
bool live_read_baseline(struct live *l, const char *path, struct err *err);
void live_ask_baseline(struct live *l);

/* ---- live_save.c ---- */

/* Start or end a log; check its state in every turn of the loop. */
void live_log(struct live *l);
void live_look_at_log(struct live *l);
/* Save the screen and its numbers under new names. */
void live_snapshot(struct live *l);

#endif
