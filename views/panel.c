/* The border of a panel: title, base and corner above, time ticks and marks below. */
#include "views/rows.h"
#include "views/timeline.h"

#include <stdio.h>
#include <string.h>

#define TICK_CELLS 20 /* between the ticks of a time axis */

/* What is in a cell of the row of a time axis. */
enum axis_cell { AXIS_FREE, AXIS_TICK, AXIS_MARK };

struct axis {
	struct rect row;                /* below the plot */
	uint8_t cells[CANVAS_COLS_MAX]; /* enum axis_cell */
};

static bool is_free(const struct axis *axis, int x, int cols, enum axis_cell most)
{
	if (x < axis->row.x || x + cols > axis->row.x + axis->row.w)
		return false;
	for (int i = x; i < x + cols; i++)
		if (axis->cells[i - axis->row.x] > most)
			return false;
	return true;
}

static void take_cells(struct axis *axis, int x, int cols, enum axis_cell with)
{
	for (int i = x - axis->row.x; i < x - axis->row.x + cols && i < axis->row.w; i++)
		if (i >= 0 && axis->cells[i] < with)
			axis->cells[i] = (uint8_t)with;
}

/* Draw the ticks, or only take their cells. A tick that a mark would cut is left out. */
static void put_ticks(const struct drawing *d, struct axis *axis, bool draw)
{
	for (int cells = TICK_CELLS; cells < axis->row.w - 12; cells += TICK_CELLS) {
		char span[UNITS_TEXT], tick[48];
		int w = snprintf(tick, sizeof(tick), " \u2212%s \u2534",
				 widget_span_text(span, 2 * cells * d->data->point_s)),
		    x = axis->row.x + axis->row.w - cells - (w = text_width(tick));

		if (!draw)
			take_cells(axis, x, w, AXIS_TICK);
		else if (is_free(axis, x, w, AXIS_TICK))
			canvas_text(d->canvas, (struct rect){x, axis->row.y, w, 1}, STYLE_AXIS, tick);
	}
}

/* Draw "mark 1" beside its sign at x: at the side that has room, if there is one. */
static void put_mark_words(const struct drawing *d, struct axis *axis, const char *words, int x)
{
	char text[sizeof(((struct timeline_place *)0)->text) + 2];
	int cols;

	snprintf(text, sizeof(text), " %s ", words);
	cols = text_width(text);
	for (enum axis_cell most = AXIS_FREE; most < AXIS_MARK; most++)
		for (int side = 0; side < 2; side++) {
			int at = side ? x - cols : x + 1;

			if (!is_free(axis, at, cols, most))
				continue;
			take_cells(axis, at, cols, AXIS_MARK);
			canvas_text(d->canvas, (struct rect){at, axis->row.y, cols, 1}, STYLE_MARK, text);
			return;
		}
}

/* Return the column of a mark; -1 if it is not on the axis. */
static int mark_column(const struct drawing *d, const struct axis *axis, const struct timeline_place *mark)
{
	const struct feed *feed = series_feed(&d->chart->series[0], d->data);
	int64_t points, cells;

	if (feed->point_ns <= 0 || feed->end_ns < mark->at_ns)
		return -1;
	points = (feed->end_ns - mark->at_ns) / feed->point_ns;
	cells = (points + feed->n_steps % 2) / 2;
	return cells < axis->row.w ? axis->row.x + axis->row.w - 1 - (int)cells : -1;
}

/* Marks come before ticks, and the newest before the others. */
static void draw_time_axis(const struct drawing *d, struct rect plot, int row)
{
	struct axis axis = {.row = {plot.x, row, plot.w, 1}};

	put_ticks(d, &axis, false);
	for (unsigned i = 0; i < d->data->n_marks; i++) {
		int x = mark_column(d, &axis, &d->data->marks[i]);

		if (x < 0)
			continue;
		take_cells(&axis, x, 1, AXIS_MARK);
		canvas_fill(d->canvas, (struct rect){x, row, 1, 1}, STYLE_MARK, 0x25b2);
	}
	for (unsigned i = d->data->n_marks; i-- > 0;) {
		int x = mark_column(d, &axis, &d->data->marks[i]);

		if (x >= 0)
			put_mark_words(d, &axis, d->data->marks[i].text, x);
	}
	put_ticks(d, &axis, true);
}

/* Draw the base of the panel's percentages; if it does not fit, only the part before the comma. */
static void draw_base(const char *base, struct canvas *canvas, struct rect *top, int room)
{
	struct span whole = span_of(base), rest = whole, part = span_until(&rest, ',');
	char text[128];

	if (text_width(base) + 1 > room)
		whole = part;
	snprintf(text, sizeof(text), "%.*s ", SPAN_ARG(whole));
	if (!whole.n || text_width(text) > room)
		return;
	rect_left(top, canvas_text(canvas, *top, STYLE_DIM, text));
}

/* Whether the corner's metric is above the option `warn`, in percent. A busy unit that `unless`
 * names explains the value. With `hot`, the GPU must be at its limit. */
static bool corner_warns(const struct drawing *d)
{
	int limit = chart_option_int(d->chart, "warn", 0);
	struct series s;

	if (!limit || !chart_option_series(d->chart, d->data, "corner", &s) ||
	    !(series_now(&s, d->data) > limit))
		return false;
	return chart_may_be_hot(d, -1) && !(chart_option_series(d->chart, d->data, "unless", &s) &&
					    series_now(&s, d->data) >= CHART_HOT_FROM);
}

/* Write the text of the corner, in its short form if it would exceed `room` columns. Returns its
 * style. */
static enum style corner_text(const struct drawing *d, int room, char *text, size_t size)
{
	struct span label = chart_option_words(d->chart, "corner"), brief = chart_option(d->chart, "brief");
	char value[64];
	bool warns;

	text[0] = 0;
	if (d->chart->widget->corner)
		d->chart->widget->corner(d, text, size);
	warns = text[0] && corner_warns(d);
	snprintf(value, sizeof(value), "%.*s", (int)sizeof(value) - 1, text + (text[0] ? label.n : 0));
	if (warns)
		snprintf(text, size, "%.*s%s high !", SPAN_ARG(label), value);
	if (brief.n && text_width(text) > room)
		snprintf(text, size, "%.*s%s%s", SPAN_ARG(brief), value, warns ? " !" : "");
	return warns ? STYLE_BUSY : STYLE_VALUE;
}

/* Return the columns of a legend, with the short or the long names. */
static int legend_cols(const struct chart *chart, bool brief)
{
	int cols = 1;

	for (unsigned i = chart->series[0].n_parts > 0; i < chart->n_series; i++)
		cols += 4 + text_width(brief ? chart->series[i].brief : chart->series[i].label);
	return cols;
}

/* Draw the squares and names of the colours of a graph: "▄ vertex ▄ fragment". Short names are
 * used, or none, if they do not fit. */
static void draw_legend(const struct chart *chart, struct canvas *canvas, struct rect r)
{
	unsigned from = chart->series[0].n_parts > 0;

	for (int brief = 0; brief < 2; brief++) {
		if (legend_cols(chart, brief) > r.w)
			continue;
		for (unsigned i = from; i < chart->n_series; i++) {
			const struct series *s = &chart->series[i];
			enum style style = canvas_part_style(i - from);

			canvas_fill(canvas, rect_left(&r, 2), STYLE_BORDER, ' ');
			canvas_fill(canvas, rect_left(&r, 1), style, canvas_part_glyph(canvas, style));
			canvas_fill(canvas, rect_left(&r, 1), STYLE_BORDER, ' ');
			rect_left(&r, canvas_text(canvas, r, STYLE_DIM, brief ? s->brief : s->label));
		}
		canvas_fill(canvas, rect_left(&r, 1), STYLE_BORDER, ' ');
		return;
	}
}

struct rect panel_box(const struct panel_texts *texts, struct canvas *canvas, struct rect r)
{
	struct rect top = {r.x + PANEL_MARGIN, r.y, r.w - 2 * PANEL_MARGIN, 1};
	int cols = texts->corner[0] ? text_width(texts->corner) + 2 : 0;

	canvas_box(canvas, r, STYLE_BORDER);
	if (texts->title[0]) {
		canvas_fill(canvas, rect_left(&top, 1), STYLE_BORDER, ' ');
		rect_left(&top, canvas_text(canvas, top, STYLE_TITLE, texts->title));
		canvas_fill(canvas, rect_left(&top, 1), STYLE_BORDER, ' ');
	}
	cols = cols <= top.w ? cols : 0;
	draw_base(texts->base, canvas, &top, top.w - cols);
	if (cols) {
		struct rect corner = rect_right(&top, cols);
		const char *rest = strstr(texts->corner, "  "); /* the mean and peak */
		int n = rest ? (int)(rest - texts->corner) : (int)strlen(texts->corner);

		canvas_fill(canvas, corner, STYLE_BORDER, ' ');
		rect_left(&corner, 1);
		rect_left(&corner, canvas_printf(canvas, corner, texts->style, "%.*s", n, texts->corner));
		canvas_text(canvas, corner, STYLE_DIM, texts->corner + n);
	}
	return top;
}

/* Return the base of the panel. A base that explains bars is omitted without bars. */
static const char *base_of(const struct drawing *d, int cols)
{
	bool compares = d->chart->n_series && feed_compares(series_feed(&d->chart->series[0], d->data)),
	     of_bars = strncmp(d->chart->base, "bars", 4) == 0 && d->chart->widget == &widget_rows;

	if (compares && d->chart->widget == &widget_rows)
		return "was, now, change";
	return of_bars && !rows_have_bars(d, cols) ? "" : d->chart->base;
}

void panel_border(const struct drawing *d, struct rect r)
{
	int inner = r.w - 2 * PANEL_MARGIN;
	const struct series *s = d->chart->series;
	const char *base = base_of(d, inner);
	int room = inner - text_width(d->chart->title) - text_width(base) - 5;
	char corner[256], title[96] = "";
	enum style style = corner_text(d, room, corner, sizeof(corner));

	bool legend = d->chart->widget == &widget_area && d->chart->n_series > 1;
	char *more = strstr(corner, "  ");

	if (legend && more && legend_cols(d->chart, true) > room - text_width(corner))
		*more = 0; /* the mean is worth more than colours without names */
	if (d->chart->widget == &widget_area && d->chart->loads && s->metric->alert == ALERT_NONE) {
		enum style now = chart_style(d, s, NULL, series_rate_now(s, d->data), -1);

		style = style_is_beyond(now) ? now : style;
	}
	if (d->data->letters && d->chart->letter)
		snprintf(title, sizeof(title), "%c %s", d->chart->letter, d->chart->title);
	r = panel_box(&(struct panel_texts){title[0] ? title : d->chart->title, base, corner, style},
		      d->canvas, r);
	if (legend)
		draw_legend(d->chart, d->canvas, r);
}

void panel_axis(const struct drawing *d, struct rect inner)
{
	const struct widget *widget = d->chart->widget;
	struct rect plot = inner;

	rect_right(&plot, widget->axis_right);
	plot = rect_right(&plot, widget->axis(d, plot));
	draw_time_axis(d, plot, inner.y + inner.h);
}
