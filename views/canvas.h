/* canvas: rows and columns of (character, style) that views draw into. It knows no terminal: term.c shows it, canvas_dump prints it.
 *
 * Drawing outside the canvas or the given rectangle is cut off, never an error. Text is UTF-8; with `ascii` every glyph that we
 * draw ourselves has an ASCII stand-in and other characters become '?'.
 */
#ifndef MALITOP_CANVAS_H
#define MALITOP_CANVAS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Styles by meaning; term.c maps them to colours and attributes. */
enum style {
	STYLE_TEXT,     /* numbers and labels */
	STYLE_DIM,      /* units, axes, explanations */
	STYLE_TITLE,    /* titles of charts */
	STYLE_HEADER,   /* first row */
	STYLE_TAB,      /* a tab */
	STYLE_TAB_ON,   /* the tab that is shown */
	STYLE_FOOTER,   /* last row: what the keys do */
	STYLE_KEY,      /* the keys themselves */
	STYLE_CALM,     /* load below 70 %, or within the guide's number */
	STYLE_BUSY,     /* below 90 % */
	STYLE_HOT,      /* above, or beyond the guide's number */
	STYLE_ALERT,    /* an alert line, SIMULATED, REPLAY */
	STYLE_SELECTED, /* the selected row */
	STYLE_SERIES1,  /* series that stand beside each other in one chart */
	STYLE_SERIES2,
	STYLE_SERIES3,
	STYLE_SERIES4,
	STYLE_COUNT
};

struct cell {
	uint32_t ch; /* 0: the right half of a wide character */
	uint8_t style;
};

struct rect {
	int x, y, w, h;
};

struct canvas {
	int cols, rows;
	bool ascii;
	struct cell *cells; /* rows * cols, owned */
};

#define CANVAS_COLS_MAX 500
#define CANVAS_ROWS_MAX 200

void canvas_init(struct canvas *c, int cols, int rows, bool ascii);
void canvas_fini(struct canvas *c);
void canvas_resize(struct canvas *c, int cols, int rows); /* clears */
void canvas_clear(struct canvas *c);
struct rect canvas_rect(const struct canvas *c);
/* One line per row, blanks at the end cut. */
void canvas_dump(const struct canvas *c, struct strbuf *out);

/* Cutting rectangles: take so many rows or columns off *r. Never negative. */
struct rect rect_top(struct rect *r, int h);
struct rect rect_bottom(struct rect *r, int h);
struct rect rect_left(struct rect *r, int w);
struct rect rect_right(struct rect *r, int w);

/* Text on the first row of r, cut at its width; returns the columns used. *_right ends at the right edge. */
int canvas_text(struct canvas *c, struct rect r, enum style style, const char *text);
int canvas_text_right(struct canvas *c, struct rect r, enum style style, const char *text);
int canvas_printf(struct canvas *c, struct rect r, enum style style, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void canvas_fill(struct canvas *c, struct rect r, enum style style, uint32_t ch);
int text_width(const char *text); /* columns */

/* A horizontal bar in eighths of a column over the first row of r; share 0 to 1, NaN draws nothing. */
void canvas_bar(struct canvas *c, struct rect r, enum style style, double share);
/* The same with a second part behind it in another texture (what a stage kills). */
void canvas_bar2(struct canvas *c, struct rect r, enum style style, double share, enum style style2, double share2);
/* A history strip, newest at the right: two points per column, r.h rows of braille (four levels each), or ASCII. points[i] is a
 * share 0 to 1, NaN leaves the column blank. n points, the last 2 * r.w are drawn. */
void canvas_strip(struct canvas *c, struct rect r, enum style style, const double *points, int n);
/* One cell shaded by share 0 to 1 in five steps; NaN is blank. */
void canvas_shade(struct canvas *c, struct rect r, enum style style, double share);

#endif
