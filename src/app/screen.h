/* screen: one frame from what is known now: header, tabs, the view, footer. Live and --once draw through it. */
#ifndef MALITOP_SCREEN_H
#define MALITOP_SCREEN_H

#include "app/feeds.h"
#include "app/session.h"
#include "views/view.h"

struct screen {
	struct session *session;
	struct feeds *feeds;
	struct views views;
	const struct view *view; /* the one shown */
	bool per_instance;
	int scroll, scroll_max;
	int64_t paused_ns; /* end of the history shown; 0: now */
	char cpu_line[256];
	char recording[64]; /* "REC run.csv 12.4 MB"; "" for none */
};

/* Views of what the session has; `view` by name or digit (NULL: the first). An unknown one is an error that lists those there are. */
bool screen_init(struct screen *screen, struct session *session, struct feeds *feeds, const char *view, struct err *err);
void screen_fini(struct screen *screen);

/* Show another view (NULL is ignored). */
void screen_show(struct screen *screen, const struct view *view);
/* The visible view so many tabs further. */
void screen_turn(struct screen *screen, int by);

/* Read what only describe tells (the foot of the CPU view), when the view that is shown needs it. */
void screen_describe(struct screen *screen);
/* Draw everything. alert: NULL for none. */
void screen_draw(struct screen *screen, const char *alert, struct canvas *canvas);

#endif
