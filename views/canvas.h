/* canvas: rows and columns of (character, style) that views draw into. It knows nothing of
 * terminals: term.c shows it, canvas_dump prints it.
 *
 * Drawing outside the canvas or the given rectangle is clipped, never an error. Text is UTF-8; with
 * `ascii` every glyph that we draw ourselves has an ASCII form, and other characters become '?'. */
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
	STYLE_FOOTER,   /* last row: keys and their actions */
	STYLE_KEY,      /* the keys themselves */
	STYLE_CALM,     /* load below 70 %, or within its limit */
	STYLE_BUSY,     /* load below 90 %, or the subject of a warning */
	STYLE_HOT,      /* load above 90 %, or a critical finding */
	STYLE_ALERT,    /* an alert line, SIMULATED, REPLAY */
	STYLE_SELECTED, /* the selected row */
	STYLE_SERIES1,  /* series side by side in one chart */
	STYLE_SERIES2,
	STYLE_SERIES3,
	STYLE_SERIES4,
	STYLE_BAR1, /* words on a bar of such a series */
	STYLE_BAR2,
	STYLE_BAR3,
	STYLE_BAR4,
	STYLE_VALUE,  /* the number that matters in a row */
	STYLE_BORDER, /* of a panel */
	STYLE_TRACK,  /* of a bar; the grid of a graph; a measured zero */
	STYLE_AXIS,   /* of a graph, and its time ticks */
	STYLE_LIMIT,  /* a line that should not be crossed */
	STYLE_MARK,   /* a mark that the user set */
	STYLE_CURSOR, /* time that is shown while paused */
	STYLE_PAUSED,
	STYLE_HEAT1, /* heat maps, from almost nothing */
	STYLE_HEAT2,
	STYLE_HEAT3,
	STYLE_HEAT4,
	STYLE_HEAT5,
	STYLE_COUNT
};

/* A cell of the selected row has its own style on the background of STYLE_SELECTED. */
#define STYLE_ON_SELECTED STYLE_COUNT
#define STYLE_LOOKS (2 * STYLE_COUNT)

struct cell {
	uint32_t ch : 24;   /* 0 in the right half of a wide character */
	uint32_t style : 8; /* enum style, or STYLE_ON_SELECTED plus it */
};

struct rect {
	int x, y, w, h;
};

struct canvas {
	int cols, rows;
	bool ascii;
	bool mono;          /* without colours: parts of a bar differ by their texture */
	struct cell *cells; /* rows * cols, owned */
};

#define CANVAS_COLS_MAX 500
#define CANVAS_ROWS_MAX 200

void canvas_init(struct canvas *c, int cols, int rows, bool ascii);
void canvas_fini(struct canvas *c);
void canvas_resize(struct canvas *c, int cols, int rows); /* clears */
void canvas_clear(struct canvas *c);
struct rect canvas_rect(const struct canvas *c);
/* One line per row, without blanks at its end. */
void canvas_dump(const struct canvas *c, struct strbuf *out);

/* Cut h rows or w columns off *r and return them. Never negative. */
struct rect rect_top(struct rect *r, int h);
struct rect rect_bottom(struct rect *r, int h);
struct rect rect_left(struct rect *r, int w);
struct rect rect_right(struct rect *r, int w);

/* Draw text on the first row of r, clipped at its width. Returns the columns used.
 * canvas_text_right ends at the right edge. */
int canvas_text(struct canvas *c, struct rect r, enum style style, const char *text);
/* Draw text likewise, but end it with an ellipsis if it is truncated. */
int canvas_text_cut(struct canvas *c, struct rect r, enum style style, const char *text);
/* Draw a message likewise. A long path in it loses its middle first, because the end of the message
 * names the error. */
void canvas_text_path(struct canvas *c, struct rect r, enum style style, const char *text);
/* Draw as many whole parts of the text as fit. A part ends at a comma, semicolon, colon or two
 * blanks. */
void canvas_text_parts(struct canvas *c, struct rect r, enum style style, const char *text);
int canvas_text_right(struct canvas *c, struct rect r, enum style style, const char *text);
int canvas_printf(struct canvas *c, struct rect r, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Draw a character of one column. */
void canvas_put(struct canvas *c, int x, int y, enum style style, uint32_t ch);
void canvas_fill(struct canvas *c, struct rect r, enum style style, uint32_t ch);
int text_width(const char *text); /* columns */

/* Draw a bar of half a row's height on a track of dots, over the first row of r, with a limit line
 * at `limit` (NaN for none). A share above zero fills at least half a cell. A share of NaN draws
 * the track alone. */
void canvas_meter(struct canvas *c, struct rect r, enum style style, double share, double limit);
/* Add a tick for the peak to the meter of `share` in r; NaN for none. */
void canvas_meter_peak(struct canvas *c, struct rect r, double share, double peak);
/* Draw several parts side by side, each in its own style, up to a total share of 1. The bar is as
 * high as r, less half a row. */
void canvas_parts(struct canvas *c, struct rect r, const double *shares, const uint8_t *styles, unsigned n);
/* The style of each part of an amount, in bars and in graphs alike. */
enum style canvas_part_style(unsigned part);
/* The square before the words of a part. */
uint32_t canvas_part_glyph(const struct canvas *c, enum style style);
/* Draw a history in cells, newest at the right edge of r: two points per cell (0 to 1, NaN if
 * unknown), and a style per cell. One row has eight levels of blocks; more rows are an area of
 * braille, in which only the top of a column is yellow or red. A measured zero is a baseline, and
 * an unknown value is a dot on it. */
void canvas_history(struct canvas *c, struct rect r, const double *points, const uint8_t *styles, int cells);
/* Draw the border of a panel, with round corners. */
void canvas_box(struct canvas *c, struct rect r, enum style style);
/* Change the style of the cells in r, and keep the characters. STYLE_SELECTED changes only the
 * background, any other style everything. */
void canvas_restyle(struct canvas *c, struct rect r, enum style style);
/* Draw a cell of a heat map, h rows high, with a glyph and a colour for each shade: 0 (almost
 * nothing) to 5; -1 is blank. */
void canvas_heat(struct canvas *c, int x, int y, int h, int shade);

#endif
