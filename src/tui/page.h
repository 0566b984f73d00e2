/* page: texts that are longer than the screen: lines from the top, of which a window shows some. A
 * window without height only counts them. Thread: ui. */
#ifndef MALITOP_PAGE_H
#define MALITOP_PAGE_H

#include "views/canvas.h"

#define PAGE_INDENT 1 /* columns before a key */

struct page {
	struct canvas *canvas;
	struct rect window;
	int first, n; /* the line at the top of the window; lines so far */
};

/* Return the row of the next line; one outside the window has no width and height. */
struct rect page_line(struct page *page);
/* Add a text from a column on, in as many lines as it needs. `key`, if any, goes left of its first
 * line. */
void page_text(struct page *page, int left, enum style style, const char *key, const char *text);
/* The same, with a sign in a style of its own instead of a key. */
void page_sign(struct page *page, int left, enum style style, const char *sign, const char *text);

#endif
