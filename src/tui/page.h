/* page: texts that are longer than the screen: lines from the top, and a window that shows some of
 * them. A window without height only counts them. Thread: ui. */
#ifndef MALITOP_PAGE_H
#define MALITOP_PAGE_H

#include "views/canvas.h"

#define PAGE_INDENT 1 /* columns before a key */

struct page {
	struct canvas *canvas;
	struct rect window;
	int first, n; /* the line at the top of the window; number of lines so far */
};

/* Return the row of the next line; a line outside the window has no width and height. */
struct rect page_line(struct page *page);
/* Add a text from a column on, in as many lines as it needs. `key`, if any, is left of its first
 * line. */
void page_add(struct page *page, int left, enum style style, enum style key_style, const char *key,
	      const char *text);

static inline void page_text(struct page *page, int left, enum style style, const char *key, const char *text)
{
	page_add(page, left, style, STYLE_KEY, key, text);
}

#endif
