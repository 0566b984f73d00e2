/* The columns of the widget `rows`, and drawing one of its rows. */
#include "base/alloc.h"
#include "base/real.h"
#include "views/compared.h"
#include "views/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_MIN 12 /* least width of a label beside a bar or a history */
#define LABEL_TEXT 64
#define LABEL_WIDE 16 /* label width in wide panels, so that their bars are aligned */
#define WIDE 70
#define BAR_NARROW 7
#define BAR_MIN 8
#define BAR_MAX 40
#define HISTORY_MIN 7
#define HISTORY_CALM 20 /* least columns of a history beside a long note */
#define HISTORY_MAX 120
#define STATS_FROM 90 /* least columns for mean and peak */
#define WORDS_FROM 56 /* least columns for words, notes and second values */
#define NOTE_SHORT 10 /* a longer note may replace the history */
#define GAP 1

static const char *label_of(const struct row *row, bool brief, char text[LABEL_TEXT])
{
	const struct metric_instance *instance = row->instance;
	const char *label = brief ? row->series->brief : row->series->label;

	/* "Cortex-A76 x4" and "cpu3" are clear by themselves, "cluster0" is not. */
	if (!instance && !row->series->part)
		return label;
	if (!instance)
		snprintf(text, LABEL_TEXT, "  %s", label);
	else if (instance->kind == INSTANCE_CPU || strcmp(instance->title, instance->label) != 0)
		return instance->title + (brief && !strncmp(instance->title, "Cortex-", 7) ? 7 : 0);
	else
		snprintf(text, LABEL_TEXT, "%s %s", row->series->label, instance->label);
	return text;
}

bool rows_has_stats(const struct chart *chart, int cols)
{
	return cols >= STATS_FROM && chart_option_is(chart, "stats", "yes");
}

static int larger_of(int a, int b)
{
	return a > b ? a : b;
}

/* Whether the bar has a meaning without the history: it is a share, or has a limit. */
static bool has_share(const struct chart *chart, const struct series *s)
{
	return chart_option_is(chart, "scale", "one") || s->metric->unit->kind == UNIT_PERCENT ||
	       s->metric->alert != ALERT_NONE || s->n_parts ||
	       (s->beside && s->beside->unit->kind == UNIT_PERCENT);
}

/* Compute the widths that depend on the rows alone. Returns whether any row has a bar. */
static bool measure_rows(struct row_columns *c, const struct row *rows, unsigned n, bool wordy)
{
	bool bars = false;

	c->shared = true;
	for (unsigned i = 0; i < n; i++) {
		const struct series *s = rows[i].series;
		char text[LABEL_TEXT];

		c->label = larger_of(text_width(label_of(&rows[i], !wordy, text)) + GAP, c->label);
		c->value = larger_of(widget_value_cols(s->metric->unit), c->value);
		if (wordy && s->beside)
			c->beside = larger_of(widget_value_cols(s->beside->unit), c->beside);
		if (wordy && s->note[0] && text_width(s->note) <= NOTE_SHORT)
			c->note = larger_of(text_width(s->note) + GAP, c->note);
		if (s->metric->alert != ALERT_NONE) {
			c->word = wordy ? WIDGET_WORD_COLS : WIDGET_WORD_BRIEF;
			c->shared &= !wordy || !s->beside;
		}
		bars |= has_share(rows[i].d->chart, s) && !s->part;
	}
	return bars;
}

/* Return the width of the word and the second value together. */
static int extra_cols(const struct row_columns *c)
{
	return c->shared ? larger_of(c->word, c->beside) : c->word + c->beside;
}

static int longest_note(const struct row *rows, unsigned n)
{
	int cols = 0;

	for (unsigned i = 0; i < n; i++)
		cols = larger_of(text_width(rows[i].series->note) + GAP, cols);
	return cols;
}

struct row_columns rows_columns(const struct chart *chart, const struct row *rows, unsigned n, int cols)
{
	struct row_columns c = {.brief = cols < WORDS_FROM};
	bool wordy = cols >= WORDS_FROM, past = !chart_option_is(chart, "history", "no");
	bool bars = measure_rows(&c, rows, n, wordy) && !chart_option_is(chart, "bars", "no");
	int rest, wanted, need = past ? HISTORY_MIN + GAP : 0;
	int bar_min = wordy ? BAR_MIN : BAR_NARROW, longest = longest_note(rows, n);
	int label_most = wordy ? cols * 2 / 5 : larger_of(cols / 3, cols - c.value - bar_min - need);

	if (bars && cols >= WIDE)
		c.label = larger_of(c.label, LABEL_WIDE);
	wanted = c.label;
	if (rows_has_stats(chart, cols))
		c.mean = c.peak = c.value - GAP;
	if (bars && c.label > label_most)
		c.label = larger_of(label_most, LABEL_MIN);
	else if (past && c.label > cols - c.value - need)
		c.label = larger_of(cols - c.value - need, LABEL_MIN);
	rest = cols - wanted - c.value - need;
	if (c.brief && rest - (bars && rest >= bar_min ? bar_min : 0) < c.word)
		c.word = 0; /* a word would cost a label or a bar; a mark at the value replaces it */
	rest = cols - c.label - c.value - c.mean - c.peak - extra_cols(&c);
	if (c.note > rest - need - (bars ? bar_min : 0))
		c.note = 0;
	rest -= c.note;
	if (bars && past && rest < bar_min + need && !wordy)
		bars = rest >= bar_min && rest < need;
	if (!bars)
		rest -= widget_widen(&c.label, wanted, rest - need);
	if (bars && rest >= bar_min) {
		c.bar = wordy ? rest * 2 / 5 : rest - need;
		c.bar = c.bar > BAR_MAX ? BAR_MAX : larger_of(c.bar, bar_min);
		if (!wordy && past && c.bar > rest / 2)
			c.bar = larger_of(rest / 2, bar_min);
		rest -= c.bar;
	}
	if (past && longest - c.note <= rest - HISTORY_CALM) {
		int note = larger_of(longest, c.note);

		rest -= note - c.note;
		c.note = note;
	} else if (!past && rest > 0) {
		int note = larger_of(longest - GAP, c.note);

		c.note = note > rest ? rest : note;
		rest -= c.note;
	}
	if (past && rest >= need)
		c.history = rest - GAP > HISTORY_MAX ? HISTORY_MAX : rest - GAP;
	else if (c.bar)
		c.bar = c.bar + rest > BAR_MAX ? BAR_MAX : c.bar + rest;
	return c;
}

/* Return the share of its bar that a row fills; NaN if it has no bar. Set *limit to the position of
 * its limit in the bar. */
static double bar_share(const struct row *row, double scale, double *limit)
{
	const struct metric *m = row->series->metric;
	struct series beside;

	*limit = m->alert == ALERT_NONE ? (double)NAN : m->alert_at / scale;
	if (m->unit->kind != UNIT_PERCENT && m->alert == ALERT_NONE && series_beside(row->series, &beside) &&
	    beside.metric->unit->kind == UNIT_PERCENT)
		return series_rate(&beside, row->d->data, row->instance, -1) / 100;
	return row->value / scale;
}

/* Draw a bar of the parts listed below the series, each in its own colour, up to their total
 * share. */
static void draw_parts(const struct row *row, struct rect r)
{
	double parts[SERIES_PARTS], sum = 0;
	uint8_t styles[SERIES_PARTS];

	for (unsigned i = 0; i < row->series->n_parts; i++) {
		parts[i] = series_rate(&row->series[i + 1], row->d->data, row->instance, -1);
		sum += parts[i] > 0 ? parts[i] : 0;
	}
	/* the remainder belongs to none of the parts */
	if (row->series[1].metric->unit->kind == UNIT_PERCENT)
		sum = sum < 100 ? 100 : sum;
	else if (row->value > sum)
		sum = row->value;
	for (unsigned i = 0; i < row->series->n_parts; i++) {
		parts[i] /= sum;
		styles[i] = (uint8_t)canvas_part_style(i);
	}
	canvas_meter(row->d->canvas, r, STYLE_TRACK, 0, NAN);
	canvas_parts(row->d->canvas, r, parts, styles, row->series->n_parts);
}

static void draw_bar(const struct row *row, double scale, double peak, enum style style, struct rect r)
{
	double limit, share = bar_share(row, scale, &limit);

	if (row->series->n_parts && row->d->chart->widget != &widget_area) {
		draw_parts(row, r);
	} else if (!row->series->part) {
		bool amount = style == STYLE_TEXT || style == STYLE_VALUE;

		canvas_meter(row->d->canvas, r, amount ? canvas_part_style(row->series->colour) : style,
			     share, limit);
		if (share == row->value / scale)
			canvas_meter_peak(row->d->canvas, r, share, peak);
	}
}

/* Draw the mean since the start, and the peak of the shown history. */
static void draw_stats(const struct row *row, const struct row_columns *c, struct rect *line)
{
	struct rect mean = rect_left(line, c->mean), peak = rect_left(line, c->peak);
	double highest = NAN;

	if (!c->mean)
		return;
	for (int back = 0; back < 2 * c->history; back++)
		highest = real_max(highest, series_rate(row->series, row->d->data, row->instance, back));
	widget_dim_number(row->d->canvas, mean, row->series->metric,
			  series_rate_total(row->series, row->d->data));
	widget_dim_number(row->d->canvas, peak, row->series->metric, highest);
}

void rows_draw_head(const struct drawing *d, const struct row_columns *c, struct rect r)
{
	const struct {
		int cols;
		struct span words;
	} columns[] = {
		{c->value, span_of("now")},
		{c->mean, span_of("mean")},
		{c->peak, span_of("peak")},
		{c->shared ? 0 : c->word, span_of("")},
		{c->beside, chart_option(d->chart, "beside")},
	};

	widget_history_head(d, (struct rect){r.x + r.w - c->history, r.y, c->history, 1});
	rect_left(&r, c->label + c->bar);
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		struct rect cell = rect_left(&r, columns[i].cols);
		AUTOFREE char *words = span_dup(columns[i].words);

		cell.w = WIDGET_NUMBER_COLS + 1;
		if (columns[i].cols)
			canvas_text_right(d->canvas, cell, STYLE_DIM, words);
	}
}

/* Draw the label; for a part of a bar, with a square in its colour. */
static void draw_label(const struct row *row, const struct row_columns *c, struct rect r)
{
	enum style part = canvas_part_style(row->series->part - 1);
	char text[LABEL_TEXT];

	rect_right(&r, GAP);
	canvas_text(row->d->canvas, r, row->dim ? STYLE_DIM : STYLE_TEXT, label_of(row, c->brief, text));
	if (row->series->part)
		canvas_fill(row->d->canvas, rect_left(&r, 1), part, canvas_part_glyph(row->d->canvas, part));
}

void rows_draw_row(const struct row *row, const struct row_columns *c, struct rect r)
{
	const struct drawing *d = row->d;
	const struct series *s = row->series;
	const struct metric *m = s->metric;
	enum style level = chart_style(d, s, row->instance, row->value, -1),
		   style = row->dim ? STYLE_DIM : level;
	double peak, scale = isnan(row->scale) ? widget_scale(d, s, 2 * HISTORY_MAX) : row->scale;
	struct rect past = {r.x + r.w - c->history, r.y, c->history, 1}, bar, extra;
	int note = text_width(s->note);
	struct series beside;

	widget_row(d, r, s, row->instance);
	draw_label(row, c, rect_left(&r, c->label));
	if (feed_compares(series_feed(s, d->data))) {
		const struct comparison compared = {.unit = m->unit,
						    .grows = m->grows,
						    .was = series_was(s, d->data, row->instance),
						    .now = row->value,
						    .worse = metric_worse(m)};

		compared_draw(&compared, 0.5, d->canvas, r); /* a change by half fills half the bar */
		return;
	}
	bar = rect_left(&r, c->bar);
	widget_value(d, rect_left(&r, c->value), s, row->instance, row->value,
		     style == STYLE_TEXT ? STYLE_VALUE : style, c->word > 0);
	draw_stats(row, c, &r);
	extra = rect_left(&r, extra_cols(c));
	if (c->word)
		widget_word(d->canvas, extra, s, level, row->dim);
	rect_left(&extra, c->shared ? 0 : c->word);
	if (c->beside && series_beside(s, &beside))
		widget_dim_number(d->canvas, extra, beside.metric,
				  series_rate(&beside, d->data, row->instance, -1));
	/* a truncated note would mislead */
	if (!c->brief && note && note <= r.w) {
		if (r.x + note > past.x - GAP)
			past.w = 0;
		canvas_text(d->canvas, r, STYLE_DIM, s->note);
	}
	peak = widget_draw_history(d, s, row->instance, scale, past);
	draw_bar(row, scale, peak, style, bar);
}
