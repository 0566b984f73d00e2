/* frame: the rows around the body of a view: header, tabs, verdict, footer, and an alert. */
#ifndef MALITOP_VIEW_FRAME_H
#define MALITOP_VIEW_FRAME_H

#include "views/timeline.h"
#include "views/view.h"

/* A key in the footer. */
struct foot_key {
	const char *keys, *ascii; /* its name, and one in ASCII; NULL if it is the same */
	const char *word;         /* what it does */
	unsigned rank;            /* 0 is always shown; the highest is omitted first */
};

#define FOOT_KEYS 24

/* The keys of the footer, from left to right. */
struct foot_keys {
	struct foot_key keys[FOOT_KEYS];
	uint32_t press[FOOT_KEYS][2]; /* keys that a click on each presses: its first and its last one */
	unsigned n;
};

/* A question that replaces the keys in the footer. */
struct foot_ask {
	const char *text, *answers; /* "send SIGTERM to 4711 game?", "y/n" */
	bool typed;                 /* the text is being typed, so its end must be visible */
};

/* The conclusion from the numbers on the screen in two to five words, and its evidence. */
struct verdict_text {
	const char *words; /* NULL or "" for none, and for no row */
	enum style style;  /* of the words: STYLE_CALM, STYLE_BUSY or STYLE_HOT */
	const char *evidence;
	int from; /* least rows of the terminal to show it */
};

#define VERDICT_ROWS 2

/* A line at the right end of the tabs. */
struct alert {
	char text[512]; /* printable */
	int64_t at_ns;
	bool quiet; /* listed only, because the screen shows it already */
	bool news;  /* not a failure: a log is complete, the verdict has changed, a key has an answer */
};

/* The rows around the body: header, tabs, verdict, footer. All texts are printable. */
struct frame_text {
	const char *gpu, *driver,
		*clock;               /* "Mali-G715 7 cores", "simulator", "746 of 848 MHz"; NULL to omit */
	const char *fps;              /* "52.6 fps"; NULL if no source knows it */
	const char *span;             /* "100 ms, mean of 0.5 s" */
	const char *state;            /* "SIMULATED", "REPLAY run.mlog", "REC run.csv 12.4 MB" */
	const char *paused;           /* "PAUSED 12.5 s back"; NULL or "" for a running screen */
	const char *time;             /* "14:02:11" */
	const struct foot_ask *ask;   /* NULL if nothing is asked */
	const struct alert *alert;    /* NULL for none */
	const struct foot_keys *keys; /* NULL: none */
	const char *dropped;          /* "0 dropped" */
	const struct timeline *timeline; /* in a row above the footer; NULL for no such row */
	struct hits *hits;               /* gets the tabs and the words of the footer; NULL if not needed */
	unsigned findings;               /* number of findings, after the tabs; 0 is shown only in Findings */
	struct verdict_text verdict[VERDICT_ROWS];
};
/* Draw header, tabs, verdict and footer, and cut them off *r; the rest is the body. `shown` is NULL
 * while Findings is shown. */
void frame_draw(const struct frame_text *text, const struct views *views, const struct view *shown,
		struct canvas *canvas, struct rect *r);
/* Draw only the footer, into the row r, and the alert. */
void frame_draw_footer(const struct frame_text *text, struct canvas *canvas, struct rect r);

#endif
