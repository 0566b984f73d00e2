/* export_findings: the findings and the verdict of a whole run as text, as a JSON object, and as
 * JUnit's XML for test servers. The judge must be finished. */
#ifndef MALITOP_EXPORT_FINDINGS_H
#define MALITOP_EXPORT_FINDINGS_H

#include "export/export.h"

/* For the writers of formats: append the report. */
void findings_text(const struct export_table *table, const struct judge *judge, struct strbuf *out);
/* Append all findings, even without options.findings. */
void findings_report(const struct export_table *table, const struct judge *judge, struct strbuf *out);
void findings_jsonl(const struct export_table *table, const struct judge *judge, struct strbuf *out);

/* Append "above 0.65 W (guide)". */
void findings_limit(const struct judged *f, struct strbuf *out);
/* Fill `ranks`, which has room for all findings of the judge, with those that held, the most useful
 * change first. Returns how many. */
unsigned findings_ranked(const struct judge *judge, struct judge_rank *ranks);
/* Whether a finding of that severity or worse, under the verdict of the run, held. */
bool findings_held(const struct judge *judge, enum finding_severity level);

/* Write one line: "GPU bound: fragment (clear, 92 % of the time): ...". Returns whether a finding
 * of that severity or worse held; false if fail_on is 0. Without a watch (NULL) `verdict` is "". */
#define FINDINGS_VERDICT_TEXT 256
bool findings_result(const struct watch *watch, enum finding_severity fail_on,
		     char verdict[FINDINGS_VERDICT_TEXT]);

#endif
