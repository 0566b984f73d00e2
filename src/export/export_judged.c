#include "export/export_judged.h"

#include "base/alloc.h"

enum { TOLD_HOLDS = 1, TOLD_EVER = 2 };

/* Append the change of one, if it is of this kind. */
static void put_change(struct export_judged *judged, const struct export_table *table,
		       const struct export_format *format, unsigned number, bool last, bool begins,
		       struct strbuf *out)
{
	const struct judge *judge = watch_judge(table->options->watch);
	bool is_verdict = number < judge->n_verdicts;
	const struct judged *what =
		is_verdict ? &judge->verdicts[number] : &judge->findings[number - judge->n_verdicts];
	unsigned char *told = &judged->told[number];
	struct export_judgement change = {.what = what, .number = number, .is_verdict = is_verdict};

	if (begins != (what->holds && !last) || begins == (bool)(*told & TOLD_HOLDS))
		return;
	change.begins = begins;
	change.first = begins && !(*told & TOLD_EVER);
	/* a verdict ends when the next one begins */
	change.time_ns = last                    ? judge->end_ns
			 : is_verdict && !begins ? judge->verdict.since_ns
						 : what->since_ns;
	change.time_ns += table->options->epoch_offset_ns;
	change.begin_ns = what->begun_ns + table->options->epoch_offset_ns;
	*told = begins ? TOLD_HOLDS | TOLD_EVER : TOLD_EVER;
	format->judged(table, &change, out);
}

void export_judged_step(struct export_judged *judged, const struct export_table *table,
			const struct export_format *format, bool last, struct strbuf *out)
{
	const struct judge *judge = watch_judge(table->options->watch);
	unsigned n = judge->n_verdicts + judge->n_findings;

	if (!judged->told)
		judged->told = xcalloc(n + 1, 1);
	if (judge->end_ns == judged->at_ns && !last)
		return;
	judged->at_ns = judge->end_ns;
	for (int begins = 0; begins <= 1; begins++)
		for (unsigned i = 0; i < n; i++)
			put_change(judged, table, format, i, false, begins, out);
	for (unsigned i = 0; last && i < n; i++)
		put_change(judged, table, format, i, true, false, out);
}
