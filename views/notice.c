/* Texts in a panel. A notice lists missing data: headings, words, and a table of two columns.
 * Advice is a list of titles with words below.
 *
 *   looked for
 *   /dev/mali*         not there
 *   /dev/dri/renderD*  of virtio_gpu, not a
 *                      Mali driver */
#include "base/alloc.h"
#include "views/widget.h"

#include <string.h>

#define GAP 2 /* columns between the two of a table */
#define ADVICE_INDENT 2
#define ADVICE_ROWS 4 /* fixed rows, so that nothing moves when a finding starts or ends */

static int label_cols(const char *notice)
{
	struct span rest = span_of(notice);
	int cols = 0;

	while (rest.n) {
		struct span line = span_until(&rest, '\n'), label = span_until(&line, '\t');

		if (line.n && (int)label.n > cols)
			cols = (int)label.n;
	}
	return cols + GAP;
}

/* Draw the lines that fit; none if canvas is NULL. Returns how many rows the whole text needs. A
 * line without a tab has no label. */
static int lay_out(const char *notice, struct canvas *canvas, struct rect r)
{
	struct span rest = span_of(notice);
	int label_w = label_cols(notice), rows = 0;

	while (rest.n) {
		struct span line = span_until(&rest, '\n'), label = span_until(&line, '\t');
		AUTOFREE char *words = span_dup(line.n ? line : label), *name = span_dup(label);
		struct rect at = r;
		int n;

		if (canvas && line.n)
			canvas_text(canvas, rect_left(&at, label_w), STYLE_TEXT, name);
		else
			rect_left(&at, line.n ? label_w : 0);
		n = widget_words(canvas, &at, line.n ? STYLE_DIM : STYLE_TEXT, words);
		rect_top(&r, n);
		rows += n;
	}
	return rows;
}

static struct need notice_size(const struct drawing *d, int cols)
{
	int rows = d->data->notice ? lay_out(d->data->notice, NULL, (struct rect){.w = cols}) : 0;

	return (struct need){rows, rows};
}

static void notice_draw(const struct drawing *d, struct rect r)
{
	if (d->data->notice)
		lay_out(d->data->notice, d->canvas, r);
}

const struct widget widget_notice = {
	.name = "notice", .seriesless = true, .size = notice_size, .draw = notice_draw};

static struct need advice_size(const struct drawing *d, int cols)
{
	int rows = d->data->advice && d->data->advice[0] ? ADVICE_ROWS : 0;

	(void)cols;
	return (struct need){rows, rows};
}

static void advice_draw(const struct drawing *d, struct rect r)
{
	struct span rest = span_of(d->data->advice);

	while (rest.n && r.h > 0) {
		struct span words = span_until(&rest, '\n'), title = span_until(&words, '\t');
		AUTOFREE char *text = span_dup(words);
		struct rect at;

		canvas_printf(d->canvas, rect_top(&r, 1), STYLE_TEXT, "%.*s", SPAN_ARG(title));
		at = r;
		rect_left(&at, ADVICE_INDENT);
		rect_top(&r, words.n ? widget_words(d->canvas, &at, STYLE_DIM, text) : 0);
	}
}

const struct widget widget_advice = {
	.name = "advice", .seriesless = true, .companion = true, .size = advice_size, .draw = advice_draw};
