/* report_page: the parts of pages and tickets about logs: texts and numbers, parts of a page,
 * plots, and the sections of the page of one log.
 *
 * Thread: one at a time. */
#ifndef MALITOP_REPORT_PAGE_H
#define MALITOP_REPORT_PAGE_H

#include "report/report_log.h"
#include "views/view.h"

/* The policy of the page names the script by its SHA-256, so that no other script runs. */
#define REPORT_SCRIPT_SHA256 "cpVthVFEOL5ejDrFcUYRmXbRbF2RQoe9gvpROuyPvR8="

/* ---- texts and numbers (report_text.c) ---- */

/* Append any text, escaped for HTML; control characters become '?'. NULL is empty. */
void html_text(struct strbuf *out, const char *text);
/* Append HTML whose %s are escaped by html_text (put.h). */
void html_put(struct strbuf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Append a name as the id of an element: letters, digits and hyphens. */
void html_id(struct strbuf *out, const char *prefix, const char *name);

/* Format numbers, "–" if unknown: "23.1 ms"; "42.1 %"; "4.0 s", "1:02:03"; a metric's value; a
 * number of the judge. Each returns text, as report_ms(TEXT, ms). */
#define TEXT ((char[UNITS_TEXT]){""})
char *report_ms(char text[UNITS_TEXT], double ms);
char *report_percent(char text[UNITS_TEXT], double percent);
char *report_seconds(char text[UNITS_TEXT], double seconds);
char *report_value_text(char text[UNITS_TEXT], const struct metric *metric, double value);
char *report_number_text(char text[UNITS_TEXT], const struct judge_number *number, double value);

/* The following are plain text. Append where a verdict or a finding held, the longest phases first,
 * up to `most`: "level 1, 24.0 s; menu, 3.0 s"; or "throughout, 60.0 s". */
void report_where(const struct report_log *log, const struct judged *what, unsigned most, struct strbuf *out);
/* Append the evidence of a verdict or finding, as means while it held: "GPU active 98.2 %, fragment
 * 92.0 %". */
void report_evidence(const struct judged *f, struct strbuf *out);
/* Append "GPU active 42 % (limit 85 %, guide)". */
void report_limit(const struct judged *f, struct strbuf *out);
/* Append the limit, "; up to 6.1 of 23.1 ms" if there is a bound, and where it held, in up to
 * `most` phases. */
void report_reason(const struct report_log *log, const struct judge_rank *rank, unsigned most,
		   struct strbuf *limit, struct strbuf *where);
/* Append the summary: "GPU bound: fragment in level 1: a frame needs ...". */
void report_sentence(const struct report_log *log, struct strbuf *out);
/* Append other verdicts that held, and late frames. May append nothing. */
void report_lead(const struct report_log *log, struct strbuf *out);
/* Whether nothing limits the log: the main verdict is known and asks for no change. */
bool report_is_calm(const struct report_log *log);
/* Whether the verdict depends on the GPU's time, so that a need has a meaning. */
bool report_is_gpu(const struct judged *verdict);

/* The GPU time per frame that is needed and available, ms. NaN: unknown. */
struct report_need {
	double need_ms, have_ms;
	bool wanted; /* frames were not counted; per frame of the wanted rate */
};
struct report_need report_need(const struct report_log *log, const struct report_span *span);
/* Return the need over the steps in which that verdict held longest. */
struct report_need report_verdict_need(const struct report_log *log, const struct judged *verdict);
/* The findings that held, as `export --findings` ranks them. The caller frees the list. */
struct judge_rank *report_findings(const struct report_log *log, unsigned *n);

/* ---- parts of a page (report_page.c) ---- */

/* Append the page up to its header. title is plain text, n_logs the number of its logs. */
void report_page_open(const struct report_log *log, unsigned n_logs, const char *title, struct strbuf *out);
void report_page_close(struct strbuf *out);
/* Append the length of the log, and when it started. */
void report_put_start(const struct report_log *log, struct strbuf *out);
/* Append the heading of a section. */
void report_heading(const char *id, const char *title, struct strbuf *out);

/* A table: the heading of its section and a note in HTML; a row with its title, cells of words,
 * cells of a number, a bar for a share of 1. HTML ends a cell where the next one starts. */
#define ROW "<tr><th scope=\"row\">%s"
#define WORDS "<td>%s"
#define NUMBER "<td class=\"n\">%s"
#define ROW_END "</tr>"
#define TABLE_END "</tbody></table></div>"
void report_table(const char *id, const char *title, const char *note, const char *const *names,
		  struct strbuf *out);
/* "<th scope=col>" for each name; an empty name is a column of text, "#name" one of numbers. */
void report_head(const char *const *names, struct strbuf *out);
void report_bar(struct strbuf *out, double share, const char *class);

/* Read the views of the plots: the shipped ones, then the user's own. Free them with views_fini. */
bool report_views(const struct report_log *log, struct views *views, struct err *err);
/* Append the band that has a verdict for each step. */
void report_band(const struct report_log *log, const struct judged *const *verdicts, const char *label,
		 struct strbuf *out);

/* ---- plots (report_plot.c) ----
 *
 * Each has a title, a sentence and a table. The picture is SVG, as wide as the page: x is in steps
 * and y in REPORT_PLOT_UNITS of the height. Texts are beside it in HTML, so that they keep their
 * size. Each line is stored once, as its path. */

#define REPORT_LINES 6
#define REPORT_PLOT_UNITS 2000

enum report_shape { REPORT_LINE, REPORT_STACK, REPORT_SHARES };

struct report_line {
	char label[64];
	double *values;  /* a value for each of the log's n_steps; owned */
	double *was;     /* values of an earlier log; NULL: none; owned */
	double was_mean; /* over the whole earlier log; NaN: unknown */
	enum source_kind source;
	const struct metric *metric;
	const struct metric_instance *instance; /* NULL: all */
};

struct report_plot {
	const struct report_log *log;
	const struct chart *chart;
	enum report_shape shape;
	const struct unit *unit;
	bool rate;
	struct report_line lines[REPORT_LINES];
	unsigned n;
	double limit;   /* NaN for none */
	char words[64]; /* the text of the limit */
};

/* Make the plot of a chart. Returns false, with nothing to free, if it has nothing to show. */
bool report_plot_init(struct report_plot *plot, const struct report_log *log, const struct chart *chart);
void report_plot_fini(struct report_plot *plot);
/* Return the value of a line over a phase. */
double report_line_value(const struct report_plot *plot, unsigned line, unsigned phase);
/* Append the plot as a figure. */
void report_plot_html(const struct report_plot *plot, struct strbuf *out);
/* Append a funnel as a figure: the primitives that are left after each stage, in the phase with
 * most of them. Returns false if it is another chart, or there are none. */
bool report_funnel_html(const struct report_log *log, const struct chart *chart, struct strbuf *out);

/* Parts of other plots on the same axis. Open the picture: phases, grid and marks. `name` describes
 * it for screen readers. */
void report_svg_open(const struct report_log *log, const char *name, unsigned height, struct strbuf *out);
/* Append one line: its values as shares of top over bottom. class sets its colour; metric is the
 * name of a column as in an export, NULL for none. */
void report_svg_path(const struct report_log *log, const double *values, double bottom, double top,
		     const char *class, const char *label, const char *metric, bool filled,
		     struct strbuf *out);
void report_svg_limit(double share, const char *text, struct strbuf *out);
/* Append the numbers at the left, from bottom to top, and the ticks of time below. */
void report_axis(double bottom, double top, double factor, struct strbuf *out);
void report_ticks(const struct report_log *log, struct strbuf *out);
/* Append the names of the phases, above the picture. */
void report_phase_names(const struct report_log *log, struct strbuf *out);

/* ---- sections of the page of one log ---- */

/* report_first.c; `was` is an earlier log that is drawn over this one, NULL for none */
void report_put_changes(const struct report_log *log, const struct judge_rank *held, unsigned n,
			struct strbuf *out);
void report_put_frames(const struct report_log *log, const struct report_log *was, struct strbuf *out);
/* Append frame time and verdicts. `steps` has the step of `was` for each step, -1: none. */
void report_put_time(const struct report_log *log, const struct report_log *was, const long *steps,
		     struct strbuf *out);
void report_put_verdicts(const struct report_log *log, struct strbuf *out);

/* report_html.c */
/* Return the ms of a frame that a pass takes over a phase; NaN: there is no such pass. */
double report_pass_ms(const struct report_log *log, unsigned phase, const char *name);

/* ---- whole pages ---- */

/* Append the page of a log; as Markdown. */
bool report_html(const struct report_log *log, struct strbuf *out, struct err *err);
bool report_markdown(const struct report_log *log, struct strbuf *out, struct err *err);
/* Append the page of several runs or builds. 2 sides are before and after. */
struct report_side;
bool report_compare_html(const struct report_side *sides, unsigned n, struct strbuf *out, struct err *err);
bool report_compare_markdown(const struct report_side *sides, unsigned n, struct strbuf *out,
			     struct err *err);

/* report_changes: the numbers in tables of phases and comparisons, and their changes from one build
 * to the next.
 *
 * Thread: one at a time. */

#define REPORT_SAME 0.02 /* a smaller change, as a share of the earlier value, is ignored */

/* ---- rows ---- */

unsigned report_rows(void);
const char *report_row_title(const struct report_log *log, unsigned row);
/* Return the value of a phase; NaN: unknown. */
double report_row_value(const struct report_log *log, unsigned row, unsigned phase);
/* Format such a value, or a mean or deviation, with its unit; "–" if unknown. Returns text. */
char *report_row_format(const struct report_log *log, unsigned row, double value, char text[UNITS_TEXT]);

/* ---- sides ---- */

/* The runs of one build, at least one. Plots and findings are those of the first. */
struct report_side {
	const struct report_log *runs;
	unsigned n;
};

/* The mean of the n runs with a value, and their deviation (n - 1); NaN: unknown. */
struct report_mean {
	double mean, deviation;
	unsigned n;
};

/* Append "before.mlog", or "before.mlog and 4 more", as plain text. */
void report_side_name(const struct report_side *side, struct strbuf *out);
/* Find the phase of this name; NULL is the whole log. */
bool report_phase_named(const struct report_log *log, const char *name, unsigned *phase);
/* Append a row: `put` writes the cell of each side. Returns false if no side has a value. */
bool report_side_cells(const struct report_side *sides, unsigned n, unsigned row, const char *phase,
		       void (*put)(const struct report_side *side, unsigned row,
				   const struct report_mean *value, struct strbuf *out),
		       struct strbuf *out);
/* Return the mean of the known values. */
struct report_mean report_mean_of(const double *values, unsigned n);
/* Format "± 0.2 ms"; "" for one run. Returns text. */
char *report_side_deviation(const struct report_side *side, unsigned row, const struct report_mean *value,
			    char text[UNITS_TEXT]);

/* ---- changes ---- */

enum report_word {
	REPORT_WORSE, /* a cost that rose */
	REPORT_BETTER,
	REPORT_OTHER,  /* neither direction is better */
	REPORT_CHANCE, /* within the differences between runs of one build */
	REPORT_NO_CHANGE
};

struct report_change {
	unsigned row;
	const char *phase; /* NULL for the whole log */
	struct report_mean was, now;
	double share; /* of the earlier value */
	enum report_word word;
};

/* List the numbers that both sides have: those that got worse, then those that got better, the
 * largest change first. The caller frees the list. */
unsigned report_changes(const struct report_side *was, const struct report_side *now,
			struct report_change **changes);
/* Format "+31.2 %" or "no change". Returns text. */
char *report_change_text(const struct report_change *change, char text[32]);
/* Return "worse" or the like; "" if a side has one run, which says nothing about chance. */
const char *report_change_word(const struct report_change *change);
/* Append the summary as plain text: the most important change, or for more than two sides the
 * lowest and the highest. */
void report_side_sentence(const struct report_side *sides, unsigned n_sides,
			  const struct report_change *changes, unsigned n, struct strbuf *out);
/* Whether the means differ by more than runs of one build do: by more than each deviation, and
 * beyond the 95 % interval of Welch's test. */
bool report_differ(const struct report_mean *was, const struct report_mean *now);

/* ---- tables with a column for each side (report_sides.c) ---- */

/* Append a cell with the mean and the deviation. */
void report_put_mean(const struct report_side *side, unsigned row, const struct report_mean *value,
		     struct strbuf *out);
void report_put_columns(const struct report_side *sides, unsigned n, struct strbuf *out);
void report_put_side_findings(const struct report_side *sides, unsigned n, struct strbuf *out);
/* Append the tables of passes and of hot functions. */
void report_put_side_tables(const struct report_side *sides, unsigned n, struct strbuf *out);

#endif
