/* Texts in a panel. A notice says what is missing: headings, words, and a table of two columns.
 * Advice says what to do: each a title, and words below it.
 *
 *   looked for
 *   /dev/mali*         not there
 *   /dev/dri/renderD*  of virtio_gpu, not a
 *                      Mali driver */
#include "base/alloc.h"
#include "views/widget.h"

#include <string.h>

#define GAP 2 /* columns, between the two of a table */
#define ADVICE_INDENT 2
#define ADVICE_ROWS 4 /* always, so that nothing moves when a finding comes or goes */

/* Cut off the part of a line before its tab, or the whole line without one. */
static struct span cut_label(struct span *line)
{
	return span_until(line, '\t');
}

static int label_cols(const char *notice)
{
	struct span rest = span_of(notice);
	int cols = 0;

	while (rest.n) {
		struct span line = span_until(&rest, '\n'), label = cut_label(&line);

		if (line.n && (int)label.n > cols)
			cols = (int)label.n;
	}
	return cols + GAP;
}

/* Draw as much as fits, or nothing if canvas is NULL. Returns how many rows the whole text
 * needs. */
static int lay_out(const char *notice, int cols, struct canvas *canvas, struct rect r)
{
	struct span rest = span_of(notice);
	int label_w = label_cols(notice), rows = 0;

	while (rest.n) {
		struct span line = span_until(&rest, '\n'), label = cut_label(&line), wrapped;
		int indent = line.n ? label_w : 0;
		AUTOFREE char *words = span_dup(line.n ? line : label), *name = span_dup(label);
		AUTO_STRBUF struct strbuf text = {0};
		bool first = true;

		strbuf_wrap(&text, (unsigned)indent, (unsigned)indent, (unsigned)cols, words);
		for (wrapped = (struct span){text.p, text.n}; wrapped.n; rows++, first = false) {
			struct span part = span_trim(span_until(&wrapped, '\n'));
			struct rect row = rect_top(&r, canvas ? 1 : 0);

			if (canvas && first && indent)
				canvas_text(canvas, row, STYLE_TEXT, name);
			rect_left(&row, indent);
			if (canvas)
				canvas_printf(canvas, row, indent ? STYLE_DIM : STYLE_TEXT, "%.*s",
					      SPAN_ARG(part));
		}
	}
	return rows;
}

static struct need notice_size(const struct drawing *d, int cols)
{
	int rows = d->data->notice && d->data->notice[0]
			   ? lay_out(d->data->notice, cols, NULL, (struct rect){0})
			   : 0;

	return (struct need){rows, rows};
}

static void notice_draw(const struct drawing *d, struct rect r)
{
	if (d->data->notice)
		lay_out(d->data->notice, r.w, d->canvas, r);
}

const struct widget widget_notice = {
	.name = "notice", .seriesless = true, .size = notice_size, .draw = notice_draw};

static struct need advice_size(const struct drawing *d, int cols)
{
	int rows = d->data->advice && d->data->advice[0] ? ADVICE_ROWS : 0;

	(void)cols;
	return (struct need){rows, rows};
}

static void draw_advice(struct span line, struct canvas *canvas, struct rect *r)
{
	struct span title = cut_label(&line), wrapped;
	AUTOFREE char *words = span_dup(line);
	AUTO_STRBUF struct strbuf text = {0};

	canvas_printf(canvas, rect_top(r, 1), STYLE_TEXT, "%.*s", SPAN_ARG(title));
	strbuf_wrap(&text, 0, 0, (unsigned)(r->w - ADVICE_INDENT), words);
	for (wrapped = (struct span){text.p, text.n}; line.n && wrapped.n;) {
		struct span part = span_until(&wrapped, '\n');

		canvas_printf(canvas, rect_top(r, 1), STYLE_DIM, "%*s%.*s", ADVICE_INDENT, "",
			      SPAN_ARG(part));
	}
}

static void advice_draw(const struct drawing *d, struct rect r)
{
	struct span rest = span_of(d->data->advice ? d->data->advice : "");

	while (rest.n && r.h > 0)
		draw_advice(span_until(&rest, '\n'), d->canvas, &r);
}

const struct widget widget_advice = {
	.name = "advice", .seriesless = true, .companion = true, .size = advice_size, .draw = advice_draw};
