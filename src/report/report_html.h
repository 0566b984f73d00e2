/* report_html: the sections of the page of one log.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_REPORT_HTML_H
#define MALITOP_REPORT_HTML_H

#include "report/report_page.h"

/* A row with its title, its cells (of a number, of words, of a bar for a share of 1), its end. What
 * is written after one of them is in it: HTML ends a cell where the next one begins. */
void report_cell(struct strbuf *out, bool number);
void report_bar(struct strbuf *out, double share, const char *class);
void report_row_open(struct strbuf *out, const char *title);
void report_row_close(struct strbuf *out);

/* report_first.c */

void report_put_changes(const struct report_log *log, const struct judge_rank *held, unsigned n,
			struct strbuf *out);
/* was: of an earlier log, drawn over them; NULL: none */
void report_put_frames(const struct report_log *log, const struct report_log *was, struct strbuf *out);
void report_put_time(const struct report_log *log, struct strbuf *out);
void report_put_verdicts(const struct report_log *log, struct strbuf *out);

/* report_tables.c */

void report_put_worst(const struct report_log *log, struct strbuf *out);
void report_put_passes(const struct report_log *log, const struct pass_table *table, struct strbuf *out);
void report_put_regions(const struct pass_table *table, struct strbuf *out);
void report_put_phases(const struct report_log *log, struct strbuf *out);
void report_put_functions(const struct report_log *log, struct strbuf *out);
void report_put_processes(const struct report_log *log, struct strbuf *out);
void report_put_method(const struct report_log *log, const char *absent, struct strbuf *out);
void report_put_counters(const struct report_log *log, struct strbuf *out);

#endif
