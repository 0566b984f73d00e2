#include "views/widget.h"

#include "base/alloc.h"
#include "base/real.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct feed *series_feed(const struct series *series, const struct view_data *data)
{
	return &data->feeds[series->source];
}

const double feed_windows_s[FEED_WINDOWS] = {5, 30};

double feed_now(const struct feed *feed, struct span name)
{
	const struct metric *m = feed->set && feed->now ? metric_find(feed->set, name) : NULL;

	return m ? metric_value(m, feed->now) : (double)NAN;
}

static double rate_over(const struct metric *metric, double value, double seconds)
{
	return !metric->grows ? value : seconds > 0 ? value / seconds : (double)NAN;
}

/* Return the vector of an instance, in *own, which the caller frees; without an instance return the
 * vector itself. The instance may come from another source that has the same one. */
static const double *instance_vector(const struct feed *feed, const struct metric_instance *instance,
				     const double *vector, double **own)
{
	if (!instance || !vector)
		return vector;
	*own = xmalloc(feed->set->n_vector * sizeof(**own));
	metric_vector_instance(feed->set, instance, vector, feed->n_vector, *own);
	return *own;
}

static double rate_of(const struct feed *feed, const struct metric *metric,
		      const struct metric_instance *instance, const double *vector)
{
	AUTOFREE double *own = NULL;

	vector = instance_vector(feed, instance, vector, &own);
	return vector ? rate_over(metric, metric_value(metric, vector), vector[VECTOR_SECONDS]) : (double)NAN;
}

double series_back(const struct series *series, const struct view_data *data, int back)
{
	const struct feed *feed = series_feed(series, data);

	if (back < 0)
		return feed->now ? metric_value(series->metric, feed->now) : (double)NAN;
	return back < feed->n_points ? points_value(feed->points, series->metric, NULL, back) : (double)NAN;
}

double series_total(const struct series *series, const struct view_data *data)
{
	const double *total = series_feed(series, data)->total;

	return total ? metric_value(series->metric, total) : (double)NAN;
}

double series_rate_total(const struct series *series, const struct view_data *data)
{
	const struct feed *feed = series_feed(series, data);

	return rate_of(feed, series->metric, NULL, feed->total);
}

double series_rate(const struct series *series, const struct view_data *data,
		   const struct metric_instance *instance, int back)
{
	const struct feed *feed = series_feed(series, data);
	const struct metric_instance *own = instance ? metric_instance_like(feed->set, instance) : NULL;

	if (back < 0)
		return rate_of(feed, series->metric, instance, feed->now);
	if (back >= feed->n_points || (instance && !own))
		return (double)NAN;
	return rate_over(series->metric, points_value(feed->points, series->metric, own, back),
			 points_seconds(feed->points, back));
}

bool feed_compares(const struct feed *feed)
{
	return feed->mark || feed->was;
}

double series_was(const struct series *series, const struct view_data *data,
		  const struct metric_instance *instance)
{
	const struct feed *feed = series_feed(series, data);

	if (feed->mark)
		return rate_of(feed, series->metric, instance, feed->mark);
	return feed->was && !instance ? feed->was[series->metric - feed->set->metrics] : (double)NAN;
}

static void add_rates(const struct feed *feed, const struct metric *metric,
		      const struct metric_instance *instance, bool first, double *sums, int points)
{
	const float *values = points_newest(feed->points, metric, instance) + 1 - points;
	const float *seconds = points_newest(feed->points, NULL, NULL) + 1 - points;

	for (int i = 0; i < points; i++) {
		double rate = rate_over(metric, (double)values[i], (double)seconds[i]);

		sums[i] = first ? rate : sums[i] + rate;
	}
}

void series_rates(const struct series *series, unsigned n, const struct view_data *data,
		  const struct metric_instance *instance, double *rates, int points)
{
	for (unsigned i = 0; i < n; i++) {
		const struct feed *feed = series_feed(&series[i], data);
		const struct metric_instance *own =
			instance ? metric_instance_like(feed->set, instance) : NULL;
		int known = instance && !own ? 0 : points < feed->n_points ? points : feed->n_points;

		for (int k = 0; k < points - known; k++)
			rates[k] = NAN;
		if (known > 0)
			add_rates(feed, series[i].metric, own, i == 0, rates + points - known, known);
	}
}

double series_top(const struct series *series, const struct view_data *data)
{
	double top = 0;

	for (int back = 0; back < series_feed(series, data)->n_points; back++)
		top = real_max(top, series_rate(series, data, NULL, back)); /* real_max ignores NaN */
	return top > 0 ? top : 1;
}

struct series series_of(const struct metric *metric, enum source_kind source)
{
	const char *title = metric ? metric->def->short_title : "";

	return (struct series){
		.metric = metric, .source = source, .label = title, .brief = title, .note = ""};
}

bool series_beside(const struct series *series, struct series *beside)
{
	*beside = series_of(series->beside, series->beside_source);
	return series->beside != NULL;
}

struct span chart_option(const struct chart *chart, const char *key)
{
	for (unsigned i = 0; i < chart->n_options; i++)
		if (span_is(chart->options[i].key, key))
			return chart->options[i].value;
	return (struct span){"", 0};
}

struct span chart_option_words(const struct chart *chart, const char *key)
{
	struct span words = chart_option(chart, key);

	span_until(&words, '|');
	return span_trim(words);
}

bool chart_option_series(const struct chart *chart, const struct view_data *data, const char *key,
			 struct series *series)
{
	struct span rest = chart_option(chart, key), names = span_until(&rest, '|');

	for (enum source_kind kind = 0; names.n && kind < SOURCE_KINDS; kind++) {
		const struct metric_set *set = data->feeds[kind].set;
		const struct metric *metric = NULL;

		for (struct span left = names; set && !metric && left.n;)
			metric = metric_find(set, span_trim(span_until(&left, '/')));
		if (!metric)
			continue;
		*series = series_of(metric, kind);
		return true;
	}
	return false;
}

bool chart_is_idle(const struct chart *chart, const struct view_data *data)
{
	struct series s;

	return chart_option_series(chart, data, "idle", &s) && series_now(&s, data) < CHART_IDLE_PERCENT;
}

void widget_corner(const struct drawing *d, char *text, size_t size)
{
	struct span label = chart_option_words(d->chart, "corner");
	char value[UNITS_TEXT];
	struct series s;

	if (!chart_is_idle(d->chart, d->data) && chart_option_series(d->chart, d->data, "corner", &s))
		snprintf(text, size, "%.*s%s%s", SPAN_ARG(label), label.n ? " " : "",
			 unit_format(value, series_rate_now(&s, d->data), s.metric->unit, s.metric->grows,
				     false));
}

int widget_words(struct canvas *canvas, struct rect *r, enum style style, const char *words)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct span lines;
	int n = 0;

	strbuf_wrap(&text, 0, 0, r->w > 0 ? (unsigned)r->w : 1, words);
	for (lines = (struct span){text.p, text.n}; lines.n; n++) {
		struct span line = span_until(&lines, '\n');
		struct rect row = rect_top(r, 1);

		if (canvas)
			canvas_printf(canvas, row, style, "%.*s", SPAN_ARG(line));
	}
	return n;
}

int chart_option_int(const struct chart *chart, const char *key, int otherwise)
{
	uint64_t value;

	return span_u64(chart_option(chart, key), &value) && value >= 1 && value <= 200 ? (int)value
											: otherwise;
}

void widget_rule(struct canvas *canvas, struct rect r, const char *words)
{
	rect_left(&r, canvas_text(canvas, r, STYLE_DIM, words) + 1);
	canvas_fill(canvas, r, STYLE_TRACK, 0x2500);
}

bool widget_heading(struct canvas *canvas, struct rect free, struct rect column, const char *text)
{
	int w = text_width(text);
	struct rect at = {column.x + column.w - 1 - w, free.y, w, free.h}; /* without the mark */

	if (at.x < free.x)
		return false;
	canvas_text(canvas, at, STYLE_DIM, text);
	return true;
}

int widget_number(struct canvas *canvas, struct rect r, const struct unit *unit, double value, bool rate,
		  bool estimated, enum style style)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT], text[UNITS_TEXT + 2];
	int apart;

	unit_split(number, suffix, value, unit, rate, false);
	estimated = estimated && !isnan(value);
	stpcpy(stpcpy(stpcpy(text, estimated ? "[" : ""), number), estimated ? "]" : " ");
	/* without brackets, a blank keeps the digits aligned */
	canvas_text_right(canvas, rect_left(&r, WIDGET_NUMBER_COLS), style, text);
	apart = estimated && isalpha((unsigned char)suffix[0]) && text_width(suffix) < r.w;
	rect_left(&r, apart);
	return canvas_text(canvas, r, STYLE_DIM, suffix) + WIDGET_NUMBER_COLS + apart;
}

void widget_dim_number(struct canvas *canvas, struct rect r, const struct metric *metric, double rate)
{
	widget_number(canvas, r, metric->unit, rate, metric->grows, false, STYLE_DIM);
}

/* Whether a value is an estimate, or its inputs were counted for part of the time only. Flags of
 * samples cover all slots, or each slot has its own share. */
static bool is_estimated(const struct feed *feed, const struct metric *metric,
			 const struct metric_instance *instance)
{
	AUTOFREE double *own = NULL;

	if (metric->def->estimate)
		return true;
	if (!feed->now_column || !(feed->now_column->flags & SAMPLE_ESTIMATED))
		return false;
	return !(metric_share(feed->set, metric, instance_vector(feed, instance, feed->now, &own)) >= 1);
}

#define CHANGE_COLS 5 /* ">999%" */

/* Format "+12%"; "" if there is nothing to compare. */
static const char *change_text(char text[UNITS_TEXT], double before, double now)
{
	double percent = (now - before) / fabs(before) * 100;

	if (now == before || fabs(percent) < 0.5)
		return "0%";
	if (!isfinite(now) || !isfinite(before))
		return "";
	if (before == 0)
		return "new";
	snprintf(text, UNITS_TEXT, percent > 999 ? ">999%%" : percent < -999 ? "<-99x" : "%+.0f%%", percent);
	return text;
}

void widget_compared(struct canvas *canvas, struct rect r, const struct unit *unit, bool rate, double before,
		     double now, enum style style)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT], short_text[2 * UNITS_TEXT], text[UNITS_TEXT];
	size_t symbol = strlen(unit->symbol) + (rate ? strlen("/s") : 0);
	int cols = widget_value_cols(unit);
	struct rect cell = rect_left(&r, r.w < cols ? r.w : cols), change = rect_right(&cell, CHANGE_COLS);
	const char *words;

	unit_split(number, suffix, now, unit, rate, false);
	suffix[strlen(suffix) > symbol ? strlen(suffix) - symbol : 0] = 0;
	snprintf(short_text, sizeof(short_text), "%s%s", number, suffix);
	canvas_text_right(canvas, cell, style, short_text);
	words = change_text(text, before, now);
	rect_right(&change, text_width(words) < CHANGE_COLS - 1); /* the next text may touch it */
	canvas_text_right(canvas, change, fabs(now - before) <= fabs(before) / 100 ? STYLE_DIM : STYLE_TITLE,
			  words);
}

void widget_value(const struct drawing *d, struct rect r, const struct series *series,
		  const struct metric_instance *instance, double value, enum style style, bool judged)
{
	const struct feed *feed = series_feed(series, d->data);
	uint32_t flags = feed->now_column ? feed->now_column->flags : 0;
	enum style level;

	if (feed_compares(feed)) {
		widget_compared(d->canvas, r, series->metric->unit, series->metric->grows,
				series_was(series, d->data, instance), value, style);
		return;
	}
	rect_left(&r, widget_number(d->canvas, r, series->metric->unit, value, series->metric->grows,
				    is_estimated(feed, series->metric, instance), style));
	level = series_style(series, d->data, instance, value);
	if (!judged && style_is_beyond(level))
		canvas_text(d->canvas, r, style, "!");
	else if (flags & (SAMPLE_GAP | SAMPLE_STRETCHED | SAMPLE_ERROR))
		canvas_text(d->canvas, r, style, "\u00b7");
}

void widget_word(struct canvas *canvas, struct rect r, const struct series *series, enum style style,
		 bool dim)
{
	const char *word = series->metric->alert == ALERT_ABOVE ? "high" : "low";

	if (series->metric->alert == ALERT_NONE)
		return;
	if (style == STYLE_CALM)
		canvas_text(canvas, r, dim ? STYLE_DIM : STYLE_CALM, "ok");
	else if (style_is_beyond(style))
		canvas_printf(canvas, r, style, "%s%s%s", r.w < WIDGET_WORD_COLS ? "" : word,
			      r.w < WIDGET_WORD_COLS ? "" : " ", style == STYLE_HOT ? "!!" : "!");
}

int widget_value_cols(const struct unit *unit)
{
	int symbol = text_width(unit->symbol);

	switch (unit->kind) {
	case UNIT_PERCENT:
		return WIDGET_NUMBER_COLS + symbol + 1;
	case UNIT_RATIO:
	case UNIT_LEVEL:
		return WIDGET_NUMBER_COLS + 1 + symbol + 1;
	default:
		return WIDGET_NUMBER_COLS + 1 + symbol + 2 + 1;
	}
}

int widget_label_cols(const struct chart *chart)
{
	int cols = 0;

	for (unsigned i = 0; i < chart->n_series; i++) {
		int w = text_width(chart->series[i].label);

		if (w > cols)
			cols = w;
	}
	return cols;
}

void widget_hit(const struct drawing *d, struct rect r, struct rect mark, struct row_subject subject)
{
	if (subject.chart)
		hits_add(d->data->hits,
			 &(struct hit){.at = r, .mark = mark, .kind = HIT_ROW, .subject = subject});
}

void widget_row(const struct drawing *d, struct rect r, const struct series *series,
		const struct metric_instance *instance)
{
	widget_hit(d, r, r, (struct row_subject){d->chart, series, series->metric, instance, 0});
}

int widget_scroll(const struct view_data *data, int rows, int h, int selected)
{
	struct view_scroll *s = data->scroll;
	int most = rows > h ? rows - h : 0;

	if (!s)
		return 0;
	s->max = most > s->max ? most : s->max;
	if (s->follow && selected >= 0 && s->at + h <= selected)
		s->at = selected - h + 1;
	if (s->follow && selected >= 0 && s->at > selected)
		s->at = selected;
	s->at = s->at < 0 ? 0 : s->at > s->max ? s->max : s->at;
	return s->at < most ? s->at : most;
}

struct rect widget_head(struct rect *r)
{
	return rect_top(r, r->h > 1 ? 1 : 0);
}

int widget_fit(const struct widget_column *columns, unsigned n, uint32_t omit, bool any, int cols, int *w)
{
	memset(w, 0, n * sizeof(*w));
	for (unsigned rank = 0; rank < n; rank++) {
		unsigned i = 0;

		while (columns[i].rank != rank)
			i++;
		if (omit >> i & 1)
			continue;
		if (cols > columns[i].w)
			cols -= (w[i] = columns[i].w) + 1;
		else if (!any)
			break;
	}
	return cols;
}

int widget_widen(int *w, int most, int spare)
{
	int more = spare < most - *w ? spare : most - *w;

	more = more > 0 ? more : 0;
	*w += more;
	return more;
}

void widget_place(const int *w, unsigned n, struct rect *row, struct rect *at)
{
	bool first = true;

	for (unsigned i = 0; i < n; i++) {
		at[i] = (struct rect){row->x, row->y, 0, row->h};
		if (!w[i])
			continue;
		rect_left(row, !first);
		at[i] = rect_left(row, w[i]);
		first = false;
	}
}

void widget_heads(const struct widget_column *columns, unsigned n, const struct rect *at,
		  struct canvas *canvas)
{
	for (unsigned i = 0; i < n; i++)
		if (at[i].w && columns[i].head)
			(columns[i].left ? canvas_text : canvas_text_right)(canvas, at[i], STYLE_DIM,
									    columns[i].head);
}
