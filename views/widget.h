/* widget: the interface of widgets, and their shared functions. A new widget is a file and a line
 * in widgets[] (view.c). */
#ifndef MALITOP_WIDGET_H
#define MALITOP_WIDGET_H

#include "views/view.h"

extern const struct widget widget_advice, widget_area, widget_busiest, widget_changes, widget_clusters,
	widget_funnel, widget_heat, widget_histogram, widget_hot, widget_hot_around, widget_lanes,
	widget_matrix, widget_notice, widget_passes, widget_processes, widget_regions, widget_rows,
	widget_spans, widget_table;

/* The feed that a series belongs to. */
const struct feed *series_feed(const struct series *series, const struct view_data *data);
/* The value at a point of history (0 the newest) or over the last refresh (back < 0), and over the
 * whole run; NaN if it is undefined. */
double series_back(const struct series *series, const struct view_data *data, int back);
double series_total(const struct series *series, const struct view_data *data);
/* These values of one instance (core3, cluster1) or of all (NULL); per second if they grow with
 * time (counts, bytes). The instance may come from another source that has the same one. */
double series_rate(const struct series *series, const struct view_data *data,
		   const struct metric_instance *instance, int back);
double series_rate_total(const struct series *series, const struct view_data *data);
static inline double series_now(const struct series *series, const struct view_data *data)
{
	return series_back(series, data, -1);
}
static inline double series_rate_now(const struct series *series, const struct view_data *data)
{
	return series_rate(series, data, NULL, -1);
}
/* Whether a feed is compared with something, and the value of the other side, also per second. */
bool feed_compares(const struct feed *feed);
double series_was(const struct series *series, const struct view_data *data,
		  const struct metric_instance *instance);
/* Add up the rates of n series at the newest `points` points, the oldest first. */
void series_rates(const struct series *series, unsigned n, const struct view_data *data,
		  const struct metric_instance *instance, double *rates, int points);
/* Return the greatest rate of all points; 1 if there is none. */
double series_top(const struct series *series, const struct view_data *data);
/* Make a series of a metric, labelled with its short title; of NULL a series without a metric. */
struct series series_of(const struct metric *metric, enum source_kind source);
/* Make a series of the metric that is shown beside a series. Returns false if there is none. */
bool series_beside(const struct series *series, struct series *beside);

static inline bool style_is_beyond(enum style style)
{
	return style == STYLE_BUSY || style == STYLE_HOT;
}
/* The percentages from which a load without a limit is busy, and hot. */
#define LOAD_BUSY 70
#define LOAD_HOT 90
enum style load_style(double percent);
/* Calm within the limit of a metric. Beyond it busy, hot or STYLE_TEXT, as its finding is a
 * warning, critical or a note (judge_severity). STYLE_TEXT without a limit, and beyond the frame
 * budget while frames have no work. An instance (NULL: all) is beyond a limit only while the whole
 * is: findings judge the whole, and a screen has one judgement. */
enum style series_style(const struct series *series, const struct view_data *data,
			const struct metric_instance *instance, double value);
/* The same in a chart, now (back < 0) or at a point of history, where notes are warnings. With
 * `levels load`, percentages without a limit are loads; with `hot METRIC` they are hot only while
 * that metric is hot, too; with `levels limit` its limit is a metric's. */
enum style chart_style(const struct drawing *d, const struct series *series,
		       const struct metric_instance *instance, double value, int back);
/* Whether a busy unit may limit the workload at that time: the metric of the option `hot` is at
 * least CHART_HOT_FROM. */
#define CHART_HOT_FROM 85 /* percent: the guides calculate with this share, not with 100 */
bool chart_may_be_hot(const struct drawing *d, int back);

/* Fixed columns of a value: number right-aligned, "[99.9]" if estimated, else followed by a blank;
 * unit; mark. The mark is '!' beyond the guide's threshold, else a dot if the samples are flagged
 * (gap, stretched, error). */
#define WIDGET_NUMBER_COLS 7
#define WIDGET_PERCENT_COLS 9 /* number, "%", mark */
#define WIDGET_VALUE_COLS 13  /* number, "Mcy/s", mark: enough for every unit */
/* Return the columns that values of a unit need, including the mark. */
int widget_value_cols(const struct unit *unit);
/* Draw the value of one instance or of all (NULL) at the left of r, as a rate if it grows with
 * time, and its mark right after the unit. `judged` omits the '!', because a word beside the value
 * replaces it. */
void widget_value(const struct drawing *d, struct rect r, const struct series *series,
		  const struct metric_instance *instance, double value, enum style style, bool judged);
/* Draw any number without a mark. Returns the columns up to the end of the unit. */
int widget_number(struct canvas *canvas, struct rect r, const struct unit *unit, double value, bool rate,
		  bool estimated, enum style style);
/* Draw the rate of a metric, dim, beside a more important number. */
void widget_dim_number(struct canvas *canvas, struct rect r, const struct metric *metric, double rate);
/* Draw the number with its prefix, and the change since `before` in place of the unit: "+12%". */
void widget_compared(struct canvas *canvas, struct rect r, const struct unit *unit, bool rate, double before,
		     double now, enum style style);
/* Draw the word for the style of a value (chart_style): "ok", "high !", "low !!"; nothing without a
 * limit. */
#define WIDGET_WORD_COLS 8
#define WIDGET_WORD_BRIEF 3 /* "ok", "!", "!!" */
void widget_word(struct canvas *canvas, struct rect r, const struct series *series, enum style style,
		 bool dim);
/* Columns of the longest label. */
int widget_label_cols(const struct chart *chart);
/* The history of a series, of one instance or of all (NULL), as cells for canvas_history: shares of
 * `scale`, each cell in the colour of its value. */
struct widget_past {
	double points[2 * CANVAS_COLS_MAX];
	uint8_t styles[CANVAS_COLS_MAX];
	int cells;
};
void widget_history(const struct drawing *d, const struct series *series,
		    const struct metric_instance *instance, double scale, struct widget_past *past,
		    int cells);
/* Draw the history in r, with a line at the time that a pause shows. Returns its greatest point;
 * NaN if none is known. */
double widget_draw_history(const struct drawing *d, const struct series *series,
			   const struct metric_instance *instance, double scale, struct rect r);
/* Get the points alone: the rates of n series, stacked. */
void widget_past_points(const struct series *series, unsigned n, const struct view_data *data,
			const struct metric_instance *instance, struct widget_past *past, int cells);
/* Format the length of a piece of history: "90 s", "15 min", "2.5 h". Returns buf. */
char *widget_span_text(char buf[UNITS_TEXT], double seconds);
/* Draw the heading over a history, if there is one: "last 20 s". */
void widget_history_head(const struct drawing *d, struct rect r);
/* The value of a full bar or history: 100 for a percentage; twice the upper limit if there is one
 * (for a percentage, only a small limit of a series that is not a load); or the value of the option
 * `scale`. Otherwise a round number above the peak of the last points, but not far above a lower
 * limit. */
double widget_scale(const struct drawing *d, const struct series *series, int points);
/* Draw a line at the time that a pause shows, over a history in r with its newest cell at the right
 * edge. */
void widget_cursor(const struct drawing *d, const struct feed *feed, struct rect r);
/* The smallest of 1, 2, 3, 5, 10, 20, ... that is at least a tenth above the peak. */
double widget_nice_top(double peak);
/* That scale for the newest of n values (the oldest first), of which `points` are in view at a
 * time. It goes up at once, and down a step after the peak in view was below 45 % of it for more
 * than `hold` values. It depends on the values alone, so the same history has the same scale. */
double widget_held_top(const double *values, int n, int points, int hold);
/* That scale for n stacked series, held for 10 s. */
double widget_series_top(const struct series *series, unsigned n, const struct view_data *data, int points);
/* Return the sort key of rows, which changes every 5 s at most. */
double series_sort_key(const struct series *series, const struct view_data *data);
/* Draw a chart of any widget in the way of `rows`. */
void widget_rows_draw(const struct drawing *d, struct rect r);
/* A cell of a matrix: a bar, the value, and a history from WIDGET_CELL_HISTORY columns on
 * (matrix.c). */
#define WIDGET_CELL_HISTORY 44
struct widget_cell {
	const struct series *series;
	const struct metric_instance *instance; /* NULL: all */
	double scale;
	int value_cols; /* columns of the values in that column; 0: fit this value */
	int word_cols;  /* columns of the judgement's word; 0: a mark replaces it */
	unsigned part;  /* its colour, if a value is neither good nor bad */
	bool odd_one;   /* the cell is marked as deviating */
};
void widget_cell(const struct drawing *d, const struct widget_cell *cell, struct rect r);
/* Get the cores of the GPU, or the CPUs, of the chart's first series. Returns how many. */
#define EACH_MAX 64
unsigned widget_instances(const struct drawing *d, const struct metric_instance *found[EACH_MAX]);
/* Whether `c` breaks the chart down by these. */
bool widget_has_each(const struct drawing *d);
/* Draw the first series over time, with a row per core or CPU (heat.c). Returns false, with nothing
 * drawn, unless widget_has_each. */
bool widget_heat_each(const struct drawing *d, struct rect r);
/* Write "mean 45.0 % least 42.1 % most 48.0 % uneven 6.7 %" of the cores or CPUs. `uneven` is how
 * far the greatest exceeds the mean. */
void widget_each_corner(const struct drawing *d, char *text, size_t size);
/* Draw the series that can be broken down per core or CPU (rows_each.c). Returns false, with
 * nothing drawn, unless widget_has_each. widget_each_rows returns how many lines this takes. */
int widget_each_rows(const struct drawing *d);
bool widget_rows_each(const struct drawing *d, struct rect r);
/* Whether a matrix of the clusters, or with `c` of the CPUs, has room in a panel of this width. */
bool widget_matrix_fits(const struct drawing *d, int cols);
/* Record that r shows something that can be selected, and the part to highlight then. Does nothing
 * without a chart. */
void widget_hit(const struct drawing *d, struct rect r, struct rect mark, struct row_subject subject);
/* Record a row of a series, of one instance or of all (NULL). */
void widget_row(const struct drawing *d, struct rect r, const struct series *series,
		const struct metric_instance *instance);
/* Return the first row to draw of a body of `rows` rows in h lines. `selected` is the position of
 * the selected row, -1 if it is elsewhere. */
int widget_scroll(const struct view_data *data, int rows, int h, int selected);
/* Draw the border of a panel over r, with its title, base and corner. The ticks and marks of a time
 * axis are below `inner`, the area inside the border (panel.c). panel_box draws one without a
 * chart, and returns the rest of the border between base and corner. */
#define PANEL_MARGIN 2 /* columns of border and blank at either side */
struct panel_texts {
	const char *title, *base, *corner; /* "" for none; of the corner, text after two blanks is dim */
	enum style style;                  /* style of the corner */
};
struct rect panel_box(const struct panel_texts *texts, struct canvas *canvas, struct rect r);
void panel_border(const struct drawing *d, struct rect r);
void panel_axis(const struct drawing *d, struct rect inner);
/* Draw words over as many lines as needed, and cut these off *r; only count them if canvas is NULL.
 * Returns how many lines. */
int widget_words(struct canvas *canvas, struct rect *r, enum style style, const char *words);
/* Draw words, and a line after them, as a heading inside a panel. */
void widget_rule(struct canvas *canvas, struct rect r, const char *words);
/* Draw the heading of a column in the row `free`, right-aligned with its numbers. Returns false,
 * with nothing drawn, if it would start left of that row. */
bool widget_heading(struct canvas *canvas, struct rect free, struct rect column, const char *text);
/* A column of a table. A narrow table omits the least important ones. */
struct widget_column {
	const char *head; /* NULL: none */
	int w;
	unsigned rank; /* 0 is the most important; each occurs once */
	bool left;     /* headings and texts are left-aligned */
};
#define COLUMNS_MOST 32
/* Choose the columns that fit into that width, each with a blank, in the order of their ranks.
 * `omit` has a bit for each column to omit. If one does not fit, later ones are still tried (`any`)
 * or omitted, too. Sets their widths, 0 for the others, and returns the spare columns. */
int widget_fit(const struct widget_column *columns, unsigned n, uint32_t omit, bool any, int cols, int *w);
/* Widen a column by up to `spare`, to at most `most`. Returns by how much. */
int widget_widen(int *w, int most, int spare);
/* Cut columns of these widths off *row, from left to right. */
void widget_place(const int *w, unsigned n, struct rect *row, struct rect *at);
void widget_heads(const struct widget_column *columns, unsigned n, const struct rect *at,
		  struct canvas *canvas);
/* Cut the row of column headings off *r, if there is room for it and a row below. */
struct rect widget_head(struct rect *r);

/* Draw the most important rows of all charts of the view, in the order of the charts and in common
 * columns, for a terminal without room for panels (compact.c). Returns false, with nothing drawn,
 * if no chart has rows. */
bool widget_draw_compact(const struct view *view, const struct view_data *data, struct canvas *canvas,
			 struct rect r);
/* Draw a graph of the first series, of all stacked, or of the first divided into its parts, with
 * axis, grid and limit (area.c). r has at least three rows. */
#define WIDGET_AXIS_COLS 5
void widget_area_plot(const struct drawing *d, struct rect r);
/* Draw "vertex over time ────" and a graph of that series, in at least that many rows. */
#define WIDGET_OVER_TIME_MIN 4
void widget_over_time(const struct drawing *d, const struct series *series, struct rect r);
/* Write the option `corner METRIC | label` as the text of struct widget's corner; "" while the
 * chart means little (chart_is_idle). */
void widget_corner(const struct drawing *d, char *text, size_t size);

/* Return an option of a chart, "" if it is not set. */
struct span chart_option(const struct chart *chart, const char *key);
static inline bool chart_option_is(const struct chart *chart, const char *key, const char *word)
{
	return span_is(chart_option(chart, key), word);
}
/* Get an option that names a metric, or alternatives separated by '/', with a label after a '|', as
 * a series. Returns false, with the series unchanged, if there is no such option or metric. */
bool chart_option_series(const struct chart *chart, const struct view_data *data, const char *key,
			 struct series *series);
/* Whether the chart means little now because the share of time that its option `idle` names is
 * below CHART_IDLE_PERCENT. */
#define CHART_IDLE_PERCENT 10
bool chart_is_idle(const struct chart *chart, const struct view_data *data);
/* Return the text after the '|' of such an option. */
struct span chart_option_words(const struct chart *chart, const char *key);
/* Return an option that is a whole number from 1 to 200; `otherwise` if it is not set. */
int chart_option_int(const struct chart *chart, const char *key, int otherwise);

#endif
