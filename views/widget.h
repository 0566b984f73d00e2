/* widget: the list of widgets, and what they share. A new one is a file of its own and a line in widgets[] (view.c). */
#ifndef MALITOP_WIDGET_H
#define MALITOP_WIDGET_H

#include "views/view.h"

extern const struct widget widget_bars, widget_lanes, widget_strips, widget_histogram, widget_funnel, widget_facts, widget_table,
	widget_cores, widget_clusters, widget_about, widget_processes;

/* The feed that a series belongs to. */
const struct feed *series_feed(const struct series *series, const struct view_data *data);
/* Value over the last refresh, over the whole run, and at a point of history (0 the newest); NaN if undefined. */
double series_now(const struct series *series, const struct view_data *data);
double series_total(const struct series *series, const struct view_data *data);
double series_back(const struct series *series, const struct view_data *data, int back);
/* The same per second for what grows with time (counts, bytes), else as it is. */
double series_rate_now(const struct series *series, const struct view_data *data);
double series_rate_total(const struct series *series, const struct view_data *data);
double series_rate_back(const struct series *series, const struct view_data *data, int back);
/* A value as one instance (core3, cluster1) has it, per second likewise; back < 0: over the last refresh. */
double series_rate_instance(const struct series *series, const struct view_data *data, const struct metric_instance *instance,
			    int back);
/* What a bar or strip of it is full at: 100 for a percentage, else the peak of the last n points; 0 if there is none. */
double series_top(const struct series *series, const struct view_data *data, int n);
/* What stands beside the series, as a series of its own; false if nothing does. */
bool series_beside(const struct series *series, struct series *beside);

/* Calm, busy or hot by the guide's number: within it, beyond it, beyond it by half again. STYLE_TEXT without one. */
enum style series_style(const struct series *series, double value);
/* The same for a series of this chart: with `levels load`, percentages without such a number by 70 and 90 %. */
enum style chart_style(const struct chart *chart, const struct series *series, double value);

/* Fixed columns of a number: right-aligned, "[99.9]" if estimated, else with a blank behind it; unit; mark. The mark is '!' beyond
 * the guide's number, else a dot where the samples are flagged (gap, stretched, error). */
#define WIDGET_NUMBER_COLS 7
#define WIDGET_PERCENT_COLS 9 /* number, "%", mark */
#define WIDGET_VALUE_COLS 13  /* number, "Mcy/s", mark: enough for every unit */
/* Columns that values of a unit need, mark included. */
int widget_value_cols(const struct unit *unit);
/* A value (a rate, if it grows with time) at the left of r, its mark right behind the unit. */
void widget_value(struct canvas *canvas, struct rect r, const struct series *series, const struct view_data *data, double value,
		  enum style style);
/* The same for a value that one instance has. */
void widget_instance_value(struct canvas *canvas, struct rect r, const struct series *series, const struct view_data *data,
			   const struct metric_instance *instance, double value, enum style style);
/* The same without a mark, for any number. Returns the columns up to the end of the unit. */
int widget_number(struct canvas *canvas, struct rect r, const struct unit *unit, double value, bool rate, bool estimated,
		  enum style style);
/* Takes the title's row off *r and draws it; returns that row without the title's columns, for headings. No title: no row. */
struct rect widget_title(const struct chart *chart, struct canvas *canvas, struct rect *r);
/* Rows of the title: 1, or 0 if there is none. */
int widget_title_rows(const struct chart *chart);
/* Columns of the longest label. */
int widget_label_cols(const struct chart *chart);
/* The last n points of a series as shares of `top`, oldest first, for canvas_strip. Points before the history are NaN. */
void widget_points(const struct series *series, const struct view_data *data, double top, double *points, int n);

/* Option of a chart, "" if it has none. */
struct span chart_option(const struct chart *chart, const char *key);
/* An option that is a whole number from 1 to 200, else `otherwise`. */
int chart_option_int(const struct chart *chart, const char *key, int otherwise);

#endif
