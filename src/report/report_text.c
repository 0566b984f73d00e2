#include "report/report_text.h"

#include "base/alloc.h"
#include "export/export_findings.h"
#include "mlog/moment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THROUGHOUT 0.95 /* of the time */

void html_span(struct strbuf *out, struct span text)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	for (size_t i = 0; i < text.n; i++) {
		const char *at = text.p[i] ? strchr(special, text.p[i]) : NULL;
		unsigned char c = (unsigned char)text.p[i];

		if (at)
			strbuf_str(out, entities[at - special]);
		else if (c < 0x20 || c == 0x7f)
			strbuf_str(out, "?");
		else
			strbuf_add(out, &text.p[i], 1);
	}
}

void html_text(struct strbuf *out, const char *text)
{
	char printable[1024];

	html_span(out, span_of(str_printable(printable, sizeof(printable), text)));
}

void html_value(struct strbuf *out, const struct metric *metric, double value)
{
	char text[UNITS_TEXT];

	html_text(out, unit_format(text, value, metric->unit, metric->grows, false));
}

void html_number(struct strbuf *out, const struct judge_number *number, double value)
{
	char text[UNITS_TEXT];
	bool rate = number->metric && number->metric->grows;

	html_text(out, unit_format(text, value, number->unit, rate, false));
}

void html_ms(struct strbuf *out, double ms)
{
	if (isfinite(ms))
		strbuf_printf(out, "%.1f ms", ms);
	else
		strbuf_str(out, "–");
}

void html_seconds(struct strbuf *out, double seconds)
{
	char text[UNITS_TEXT];

	if (!isfinite(seconds))
		strbuf_str(out, "–");
	else if (seconds < 120)
		strbuf_printf(out, "%.1f s", seconds);
	else
		strbuf_str(out, moment_format(text, (int64_t)(seconds * 1e9), false));
}

void html_id(struct strbuf *out, const char *prefix, const char *name)
{
	strbuf_str(out, prefix);
	for (; *name; name++) {
		bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
			     (*name >= '0' && *name <= '9');

		strbuf_add(out, plain ? name : "-", 1);
	}
}

/* ---- what was judged ---- */

bool report_throughout(const struct report_log *log, const struct judged *what, bool is_verdict)
{
	double held_s = report_held_s(log, what, is_verdict, log->begin_ns, log->end_ns);

	return held_s * 1e9 >= THROUGHOUT * (double)(log->end_ns - log->begin_ns);
}

void report_where(const struct report_log *log, const struct judged *what, bool is_verdict, unsigned most,
		  struct strbuf *out)
{
	double held_s[REPORT_PHASES];
	unsigned n = 0;

	if (report_throughout(log, what, is_verdict) && log->n_phases > 1) {
		strbuf_str(out, "throughout, ");
		html_seconds(out, report_held_s(log, what, is_verdict, log->begin_ns, log->end_ns));
		return;
	}
	for (unsigned i = 0; i < log->n_phases; i++)
		held_s[i] =
			report_held_s(log, what, is_verdict, log->phases[i].begin_ns, log->phases[i].end_ns);
	for (; n < most; n++) {
		unsigned best = 0;

		for (unsigned i = 1; i < log->n_phases; i++)
			if (held_s[i] > held_s[best])
				best = i;
		if (!(held_s[best] > 0))
			break;
		strbuf_printf(out, "%s%s%s", n ? "; " : "", log->n_phases > 1 ? log->phases[best].name : "",
			      log->n_phases > 1 ? ", " : "");
		html_seconds(out, held_s[best]);
		held_s[best] = 0;
	}
}

static void put_number(struct strbuf *out, const struct judge_number *number, double value)
{
	char text[UNITS_TEXT];
	bool rate = number->metric && number->metric->grows;

	strbuf_printf(out, "%s %s", number->title, unit_format(text, value, number->unit, rate, false));
}

void report_evidence(const struct judged *f, struct strbuf *out)
{
	for (unsigned i = 0; i < f->n_evidence; i++) {
		if (isnan(f->evidence_mean[i]))
			continue;
		strbuf_str(out, out->n ? ", " : "");
		put_number(out, &f->evidence[i], f->evidence_mean[i]);
	}
}

void report_limit(const struct judged *f, struct strbuf *out)
{
	put_number(out, &f->number, f->mean);
	if (f->side == ALERT_NONE)
		return;
	strbuf_str(out, ", ");
	findings_limit(f, out);
}

/* ---- what frames need ---- */

struct report_need report_need(const struct report_log *log, const struct report_span *span)
{
	struct report_need need = {.need_ms = report_named(log, "GPUFrameNeeds", span, NULL),
				   .have_ms = report_named(log, "GPUFrameBudget", span, NULL)};

	need.wanted = isnan(need.need_ms);
	if (need.wanted)
		need.need_ms = report_named(log, "GPUFrameNeedsWanted", span, NULL);
	return need;
}

static struct column *fold_steps(const struct report_log *log, enum source_kind kind,
				 const struct judged *verdict)
{
	const struct report_source *s = &log->sources[kind];
	struct column *sum = s->source ? column_new(s->n_kept) : NULL;

	for (unsigned i = 0; sum && i < log->n_steps; i++)
		if (s->steps[i] && log->verdicts[i] == verdict)
			column_fold(sum, s->steps[i], s->source->set->slots, s->n_kept);
	return sum;
}

struct report_need report_verdict_need(const struct report_log *log, const struct judged *verdict)
{
	AUTOFREE struct column *gpu = fold_steps(log, SOURCE_GPU, verdict);
	AUTOFREE struct column *passes = fold_steps(log, SOURCE_PASSES, verdict);
	struct report_span span = {.of = {[SOURCE_GPU] = gpu, [SOURCE_PASSES] = passes}};

	return report_need(log, &span);
}

bool report_is_gpu(const struct judged *verdict)
{
	static const char *const names[] = {"memory", "serialised", "heat", "clock", "frame-cap"};

	if (!verdict)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(verdict->def->id, names[i]) == 0)
			return true;
	return strncmp(verdict->def->id, "gpu", 3) == 0;
}

struct judge_rank *report_findings(const struct report_log *log, unsigned *n)
{
	const struct judge *judge = report_judge(log);
	struct judge_rank *ranks = xcalloc(judge->n_findings + 1, sizeof(*ranks));

	*n = findings_ranked(judge, ranks);
	return ranks;
}

void report_worth(const struct report_log *log, const struct judge_rank *rank, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf worth = {0};

	judge_put_worth(report_judge(log), rank, true, &worth);
	if (worth.n)
		strbuf_printf(out, "; %s", worth.p);
}
