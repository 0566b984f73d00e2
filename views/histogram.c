#include "views/widget.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>

/* histogram: one row per class of a distribution: its share now and since the start, and how it was over time.
 *
 * Option `words`: a comma-separated word for each series, such as "fast, ok, slow". */

/* What a word says, it says in colour as well. */
static const struct {
	const char *word;
	enum style style;
} word_styles[] = {
	{"fast", STYLE_CALM},
	{"ok", STYLE_CALM},
	{"slow", STYLE_BUSY},
	{"very slow", STYLE_HOT},
};

enum {
	LABEL_W = 8,
	LABEL_GAP = 1,
	NOW_GAP = 1,
	TOTAL_GAP = 5,
	WORD_GAP = 2,
	WORD_W = 9,
	HEAT_GAP = 3,
	BAR_MIN = 6,
	HEAT_MIN = 8
};

/* The columns of one row. Those that do not fit are 0 wide. */
struct columns {
	struct rect label, bar, now, total, word, heat;
};

static struct columns cut(struct rect row, bool words, bool percent)
{
	struct columns c = {.heat.w = 0};
	int value_w = percent ? WIDGET_PERCENT_COLS : WIDGET_VALUE_COLS;
	int word_w = words ? WORD_GAP + WORD_W : 0;
	int spare;

	c.label = rect_left(&row, LABEL_W);
	rect_left(&row, LABEL_GAP);
	spare = row.w - NOW_GAP - value_w - TOTAL_GAP - value_w - word_w;
	if (spare >= BAR_MIN + HEAT_GAP + HEAT_MIN) {
		c.heat = rect_right(&row, (spare - HEAT_GAP) / 2);
		rect_right(&row, HEAT_GAP);
	}
	if (row.w >= BAR_MIN + NOW_GAP + value_w + word_w) {
		c.word = rect_right(&row, word_w);
		rect_left(&c.word, WORD_GAP);
	}
	if (row.w >= BAR_MIN + NOW_GAP + value_w + TOTAL_GAP + value_w) {
		c.total = rect_right(&row, value_w);
		rect_right(&row, TOTAL_GAP);
	}
	c.now = rect_right(&row, value_w);
	rect_right(&row, NOW_GAP);
	c.bar = row;
	return c;
}

static enum style word_style(struct span word)
{
	for (size_t i = 0; i < ARRAY_LEN(word_styles); i++)
		if (span_is(word, word_styles[i].word))
			return word_styles[i].style;
	return STYLE_SERIES1;
}

static bool is_percent(const struct series *series)
{
	return series->metric->unit->kind == UNIT_PERCENT;
}

/* What a full bar stands for: everything for shares, the largest class for counts. */
static double scale_of(const struct chart *chart, const struct view_data *data)
{
	double largest = 0;

	for (unsigned i = 0; i < chart->n_series; i++) {
		if (is_percent(&chart->series[i]))
			return 100;
		largest = fmax(largest, series_rate_now(&chart->series[i], data));
	}
	return largest;
}

/* A heading that ends where the numbers under it end; false if the title is there. */
static bool draw_heading(struct canvas *canvas, struct rect free, struct rect column, const char *text)
{
	int w = text_width(text);

	rect_right(&column, 1); /* the mark of a value */
	if (column.x + column.w - w <= free.x)
		return false;
	canvas_text(canvas, (struct rect){column.x + column.w - w, free.y, w, free.h}, STYLE_DIM, text);
	return true;
}

static void draw_headings(const struct view_data *data, struct canvas *canvas, struct rect free, const struct columns *c)
{
	char text[UNITS_TEXT], span[UNITS_TEXT];
	struct rect heat = c->heat;

	if (data->refresh_s > 0) {
		snprintf(text, sizeof(text), "now %.20s", time_format(span, (int64_t)(data->refresh_s * 1e9)));
		if (!draw_heading(canvas, free, c->now, text))
			draw_heading(canvas, free, c->now, "now");
	}
	draw_heading(canvas, free, c->total, "since start");
	heat.y = free.y;
	canvas_text(canvas, heat, STYLE_DIM,
		    heat.w < text_width("over time, newest right") ? "over time" : "over time, newest right");
}

static void draw_heat(const struct series *series, const struct view_data *data, struct canvas *canvas, struct rect heat,
		      enum style style, double scale)
{
	for (int back = 0; heat.w > 0; back++) {
		/* half of everything is as dark as it gets: classes rarely hold more, and small ones must be seen */
		double share = 2 * series_rate_back(series, data, back) / scale;

		canvas_shade(canvas, rect_right(&heat, 1), style, share > 1 ? 1 : share);
	}
}

static void draw_row(const struct series *series, const struct view_data *data, struct canvas *canvas, const struct columns *c,
		     struct span word, double scale)
{
	double now = series_rate_now(series, data);
	enum style style = word_style(word);

	canvas_text_right(canvas, c->label, STYLE_TEXT, series->label);
	canvas_bar(canvas, c->bar, style, now / scale);
	widget_value(canvas, c->now, series, data, now, STYLE_TEXT);
	widget_number(canvas, c->total, series->metric->unit, series_rate_total(series, data), true, false, STYLE_DIM);
	canvas_printf(canvas, c->word, style, "%.*s", SPAN_ARG(word));
	draw_heat(series, data, canvas, c->heat, style, scale);
}

static void histogram_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	(void)data;
	(void)cols;
	*min = widget_title_rows(chart) + 1;
	*most = widget_title_rows(chart) + (int)chart->n_series;
}

static void histogram_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	struct span words = chart_option(chart, "words");
	bool has_words = words.n > 0, percent = is_percent(&chart->series[0]);
	struct columns c = cut(r, has_words, percent);
	double scale = scale_of(chart, data);
	int skip;

	draw_headings(data, canvas, widget_title(chart, canvas, &r), &c);
	/* where it is tight, the last classes are the ones worth seeing: the slowest */
	skip = (int)chart->n_series - r.h;
	for (unsigned i = 0; i < chart->n_series; i++) {
		struct span word = span_trim(span_until(&words, ','));

		if (skip-- > 0)
			continue;
		c = cut(rect_top(&r, 1), has_words, percent);
		draw_row(&chart->series[i], data, canvas, &c, word, scale);
	}
}

static const char *const histogram_options[] = {"words", NULL};

const struct widget widget_histogram = {
	.name = "histogram", .options = histogram_options, .size = histogram_size, .draw = histogram_draw};
