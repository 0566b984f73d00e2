/* report_text: texts and numbers in a page. */
#ifndef MALITOP_REPORT_TEXT_H
#define MALITOP_REPORT_TEXT_H

#include "report/report_log.h"

/* Append any text, escaped for HTML; control characters become '?'. */
void html_text(struct strbuf *out, const char *text);
void html_span(struct strbuf *out, struct span text);
/* Append a metric's value with its unit, an en dash for an unknown one. */
void html_value(struct strbuf *out, const struct metric *metric, double value);
/* "42.1 %" of a number of the judge. */
void html_number(struct strbuf *out, const struct judge_number *number, double value);
/* "23.1 ms", "–"; "4.0 s", "1:02:03" */
void html_ms(struct strbuf *out, double ms);
void html_seconds(struct strbuf *out, double seconds);
/* A name as the id of an element: letters, digits and hyphens. */
void html_id(struct strbuf *out, const char *prefix, const char *name);
/* Whether it held for all of the log, but for a moment. */
bool report_throughout(const struct report_log *log, const struct judged *what, bool is_verdict);
/* "level 1, 24.0 s; menu, 3.0 s": where a verdict or a finding held, the longest phases first, at
 * most `most`; "throughout, 60.0 s". Plain text. */
void report_where(const struct report_log *log, const struct judged *what, bool is_verdict, unsigned most,
		  struct strbuf *out);
/* "GPU active 98.2 %, fragment 92.0 %": what a verdict or finding was judged by, the mean while it
 * held. Plain text. */
void report_evidence(const struct judged *f, struct strbuf *out);
/* "GPU active 42 % (limit 85 %, guide)". Plain text. */
void report_limit(const struct judged *f, struct strbuf *out);

/* What frames need of the GPU and have, ms. NaN: unknown. */
struct report_need {
	double need_ms, have_ms;
	bool wanted; /* frames were not counted: per frame of the wanted rate */
};
struct report_need report_need(const struct report_log *log, const struct report_span *span);
/* The same over the steps in which that verdict held longest. */
struct report_need report_verdict_need(const struct report_log *log, const struct judged *verdict);
/* Whether the GPU's time decides in it, so that a need means something. */
bool report_is_gpu(const struct judged *verdict);
/* The findings that held, as `export --findings` ranks them. The caller frees the list. */
struct judge_rank *report_findings(const struct report_log *log, unsigned *n);
/* "; up to 6.1 of 23.1 ms", if there is a bound. */
void report_worth(const struct report_log *log, const struct judge_rank *rank, struct strbuf *out);

#endif
