#include "tui/page.h"

#include <stdio.h>
#include <string.h>

struct rect page_line(struct page *page)
{
	int y = page->n++ - page->first;
	struct rect row = page->window;

	row.y += y;
	row.h = y >= 0 && y < page->window.h;
	if (!row.h)
		row.w = 0;
	return row;
}

/* Return how many bytes of the text fit into a line: up to the last blank that fits, or part of a
 * long word. */
static size_t line_bytes(const char *text, int cols)
{
	size_t fits = 0, blank = 0;
	int used = 0;

	for (const char *p = text; *p;) {
		const char *from = p;
		char one[8];

		utf8_next(&p, p + strlen(p));
		snprintf(one, sizeof(one), "%.*s", (int)(p - from), from);
		used += text_width(one);
		if (used > cols)
			return blank ? blank : fits ? fits : (size_t)(p - text);
		fits = (size_t)(p - text);
		if (*p == ' ' || !*p)
			blank = fits;
	}
	return fits;
}

void page_add(struct page *page, int left, enum style style, enum style key_style, const char *key,
	      const char *text)
{
	int cols = page->window.w - left;
	bool first = true;

	do {
		size_t n = cols > 0 ? line_bytes(text, cols) : strlen(text);
		struct rect row = page_line(page), before = rect_left(&row, left);

		if (first && key && row.h) {
			rect_left(&before, PAGE_INDENT);
			canvas_text(page->canvas, before, key_style, key);
		}
		if (row.h)
			canvas_printf(page->canvas, row, style, "%.*s", (int)n, text);
		text += n;
		text += strspn(text, " ");
		first = false;
	} while (*text);
}
