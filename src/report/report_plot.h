/* report_plot: plots as SVG, each with a title, a sentence and a table. The picture is as wide as
 * the page: x is in steps and y in REPORT_PLOT_UNITS of the height, so that texts, which stand
 * beside it in HTML, keep their size. Each line is stored once, as its path.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_REPORT_PLOT_H
#define MALITOP_REPORT_PLOT_H

#include "report/report_text.h"
#include "views/view.h"

#define REPORT_LINES 6
#define REPORT_PLOT_UNITS 2000

enum report_shape { REPORT_LINE, REPORT_STACK, REPORT_SHARES };

struct report_line {
	char label[64];
	double *values;  /* n_steps of the log; owned */
	double *was;     /* the same of an earlier log; NULL: none; owned */
	double was_mean; /* over all of it; NaN: unknown */
	enum source_kind source;
	const struct metric *metric;
	const struct metric_instance *instance; /* NULL: all */
};

struct report_plot {
	const struct report_log *log;
	const char *id, *title, *base;
	enum report_shape shape;
	const struct unit *unit;
	bool rate;
	struct report_line lines[REPORT_LINES];
	unsigned n;
	double limit;   /* NaN: none */
	char words[64]; /* what the limit is */
};

/* Make the plot of a chart. Returns false, with nothing to free, if it has nothing to show. */
bool report_plot_init(struct report_plot *plot, const struct report_log *log, const struct chart *chart);
void report_plot_fini(struct report_plot *plot);
/* Append it as a figure. */
void report_plot_html(const struct report_plot *plot, struct strbuf *out);
/* The same of the primitives that are left after each stage, in the phase with most of them.
 * Returns false if there are none. */
bool report_funnel_html(const struct report_log *log, const struct chart *chart, struct strbuf *out);

/* ---- parts of other plots on the same axis ---- */

/* Open the picture: phases, grid and marks; `name` is its name for people who do not see it. */
void report_svg_open(const struct report_log *log, const char *name, unsigned height, struct strbuf *out);
void report_svg_close(struct strbuf *out);
/* One line: its values as shares of top over bottom; class is for its colour, metric the
 * name of a column as in an export, NULL for none. */
void report_svg_path(const struct report_log *log, const double *values, double bottom, double top,
		     const char *class, const char *label, const char *metric, bool filled,
		     struct strbuf *out);
void report_svg_limit(double share, const char *text, struct strbuf *out);
/* The numbers at the left, from bottom to top; the ticks of time below. */
void report_axis(double bottom, double top, double factor, struct strbuf *out);
void report_ticks(const struct report_log *log, struct strbuf *out);
/* The names of the phases, above the picture. */
void report_phase_names(const struct report_log *log, struct strbuf *out);
/* A number of an axis without more digits than it needs. */
void report_axis_number(struct strbuf *out, double value);

#endif
