/* notice: what the program says of something that is missing: headings, words, and a table of two
 * columns.
 *
 *   looked for
 *   /dev/mali*         not there
 *   /dev/dri/renderD*  of virtio_gpu, not a
 *                      Mali driver */
#include "base/alloc.h"
#include "views/widget.h"

#include <string.h>

#define GAP 2

/* The part of a line before its tab; the whole of one without. */
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

/* Draw as much as fits, unless canvas is NULL. Returns the rows that it takes. */
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

static void notice_size(const struct chart *chart, const struct view_data *data, int cols, int *min,
			int *most)
{
	(void)chart;
	*min = *most =
		data->notice && data->notice[0] ? lay_out(data->notice, cols, NULL, (struct rect){0}) : 0;
}

static void notice_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas,
			struct rect r)
{
	(void)chart;
	if (data->notice)
		lay_out(data->notice, r.w, canvas, r);
}

const struct widget widget_notice = {
	.name = "notice", .seriesless = true, .size = notice_size, .draw = notice_draw};
