/* report_page: the parts of a page that its pages share: its frame, style and script, and the plots
 * of a log in their sections.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_REPORT_PAGE_H
#define MALITOP_REPORT_PAGE_H

#include "report/report_plot.h"
#include "passes/pass_table.h"

/* The text of the policy names the script by its SHA-256, so that no other script runs. */
#define REPORT_SCRIPT_SHA256 "cpVthVFEOL5ejDrFcUYRmXbRbF2RQoe9gvpROuyPvR8="

/* Everything up to the header's end; title is plain text, n_logs how many the page is about. */
void report_page_open(const struct report_log *log, unsigned n_logs, const char *title, struct strbuf *out);
/* Its length, and when it began. */
void report_put_start(const struct report_log *log, struct strbuf *out);
void report_page_close(struct strbuf *out);
/* A heading of a section. */
void report_heading(const char *id, const char *title, struct strbuf *out);
/* "<th scope=col>" for each name; an empty name is a column of text, "#name" one of numbers. */
void report_head(const char *const *names, struct strbuf *out);
/* The views of the plots: the shipped ones, then the user's own. Free them with views_fini. */
bool report_views(const struct report_log *log, struct views *views, struct err *err);
/* All of a log on one page; as Markdown. */
bool report_html(const struct report_log *log, struct strbuf *out, struct err *err);
bool report_markdown(const struct report_log *log, struct strbuf *out, struct err *err);
/* What several runs, or builds, have in common and apart: 2 sides are what was and what is now. */
struct report_side;
bool report_compare_html(const struct report_side *sides, unsigned n, struct strbuf *out, struct err *err);
void report_compare_markdown(const struct report_side *sides, unsigned n, struct strbuf *out);
/* The band of a verdict for each step. */
void report_band(const struct report_log *log, const struct judged *const *verdicts, const char *label,
		 struct strbuf *out);
/* The one sentence: "GPU bound: fragment in level 1: a frame needs ...". Plain text. */
void report_sentence(const struct report_log *log, struct strbuf *out);
/* Whether nothing holds it back: the main verdict is known and asks for no change. */
bool report_is_calm(const struct report_log *log);
/* What else held, and late frames. Plain text, may be empty. */
void report_lead(const struct report_log *log, struct strbuf *out);

#endif
