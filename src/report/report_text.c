#include "report/report_page.h"

#include "base/alloc.h"
#include "base/put.h"
#include "export/export_findings.h"
#include "mlog/moment.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define THROUGHOUT 0.95 /* share of the time */

void html_text(struct strbuf *out, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	size_t size = text ? strlen(text) + 1 : 1;
	AUTOFREE char *printable = xmalloc(size);

	str_printable(printable, size, text ? text : "");
	for (const char *p = printable, *at; *p; p++)
		if ((at = strchr(special, *p)))
			strbuf_str(out, entities[at - special]);
		else
			strbuf_add(out, p, 1);
}

void html_put(struct strbuf *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_format(out, html_text, NULL, fmt, ap);
	va_end(ap);
}

void html_id(struct strbuf *out, const char *prefix, const char *name)
{
	strbuf_str(out, prefix);
	for (; *name; name++)
		strbuf_add(out, isascii(*name) && isalnum((unsigned char)*name) ? name : "-", 1);
}

/* ---- numbers ---- */

char *report_ms(char text[UNITS_TEXT], double ms)
{
	snprintf(text, UNITS_TEXT, isfinite(ms) ? "%.1f ms" : "–", ms);
	return text;
}

char *report_percent(char text[UNITS_TEXT], double percent)
{
	snprintf(text, UNITS_TEXT, isfinite(percent) ? "%.1f %%" : "–", percent);
	return text;
}

char *report_seconds(char text[UNITS_TEXT], double seconds)
{
	if (isfinite(seconds) && seconds >= 120)
		return moment_format(text, (int64_t)(seconds * 1e9), false);
	snprintf(text, UNITS_TEXT, isfinite(seconds) ? "%.1f s" : "–", seconds);
	return text;
}

char *report_value_text(char text[UNITS_TEXT], const struct metric *metric, double value)
{
	return unit_format(text, value, metric->unit, metric->grows, false);
}

char *report_number_text(char text[UNITS_TEXT], const struct judge_number *number, double value)
{
	return unit_format(text, value, number->unit, number->metric && number->metric->grows, false);
}

/* ---- verdicts and findings ---- */

/* For all of the log, but for a moment. */
static bool held_throughout(const struct report_log *log, const struct judged *what)
{
	return report_held_s(log, what, log->n_phases) * 1e9 >=
	       THROUGHOUT * (double)(log->end_ns - log->begin_ns);
}

void report_where(const struct report_log *log, const struct judged *what, unsigned most, struct strbuf *out)
{
	double held_s[REPORT_PHASES];

	if (held_throughout(log, what) && log->n_phases > 1) {
		strbuf_printf(out, "throughout, %s",
			      report_seconds(TEXT, report_held_s(log, what, log->n_phases)));
		return;
	}
	for (unsigned i = 0; i < log->n_phases; i++)
		held_s[i] = report_held_s(log, what, i);
	for (unsigned n = 0; n < most; n++) {
		unsigned best = 0;

		for (unsigned i = 1; i < log->n_phases; i++)
			if (held_s[i] > held_s[best])
				best = i;
		if (!(held_s[best] > 0))
			break;
		strbuf_printf(out, "%s%s%s%s", n ? "; " : "", log->n_phases > 1 ? log->phases[best].name : "",
			      log->n_phases > 1 ? ", " : "", report_seconds(TEXT, held_s[best]));
		held_s[best] = 0;
	}
}

void report_evidence(const struct judged *f, struct strbuf *out)
{
	for (unsigned i = 0; i < f->n_evidence; i++)
		if (!isnan(f->evidence_mean[i]))
			strbuf_printf(out, "%s%s %s", out->n ? ", " : "", f->evidence[i].title,
				      report_number_text(TEXT, &f->evidence[i], f->evidence_mean[i]));
}

void report_limit(const struct judged *f, struct strbuf *out)
{
	strbuf_printf(out, "%s %s", f->number.title, report_number_text(TEXT, &f->number, f->mean));
	if (f->side == ALERT_NONE)
		return;
	strbuf_str(out, ", ");
	findings_limit(f, out);
}

void report_reason(const struct report_log *log, const struct judge_rank *rank, unsigned most,
		   struct strbuf *limit, struct strbuf *where)
{
	AUTO_STRBUF struct strbuf worth = {0};

	report_limit(rank->f, limit);
	judge_put_worth(rank, true, &worth);
	if (worth.n)
		strbuf_printf(limit, "; %s", worth.p);
	report_where(log, rank->f, most, where);
}

/* ---- the verdict in words ---- */

bool report_is_calm(const struct report_log *log)
{
	double share;
	const struct judged *verdict = judge_of_run(report_judge(log), &share);

	return verdict && judged_is_calm(verdict);
}

/* Return the phase in which it held longest. */
static const struct report_phase *phase_of(const struct report_log *log, const struct judged *what)
{
	unsigned best = 0;

	for (unsigned i = 1; i < log->n_phases; i++)
		if (report_held_s(log, what, i) > report_held_s(log, what, best))
			best = i;
	return &log->phases[best];
}

static void put_need(const struct report_need *need, struct strbuf *out)
{
	double over = need->need_ms - need->have_ms;

	strbuf_printf(out, ": a frame%s needs %.1f ms of the GPU and has %.1f ms, ",
		      need->wanted ? " at the target rate" : "", need->need_ms, need->have_ms);
	strbuf_printf(out, over > 0 ? "over by %.1f ms" : "%.1f ms to spare", over > 0 ? over : -over);
}

void report_sentence(const struct report_log *log, struct strbuf *out)
{
	double share;
	const struct judged *verdict = judge_of_run(report_judge(log), &share);
	struct report_need need;

	if (!verdict) {
		strbuf_str(out, "Not clear: ");
		judge_missing(report_judge(log), out);
		return;
	}
	need = report_verdict_need(log, verdict);
	strbuf_str(out, verdict->def->title);
	if (log->n_phases > 1 && !held_throughout(log, verdict))
		strbuf_printf(out, " in %s", phase_of(log, verdict)->name);
	judge_put_share(verdict, share, out);
	if (report_is_gpu(verdict) && isfinite(need.need_ms) && isfinite(need.have_ms)) {
		put_need(&need, out);
	} else {
		AUTO_STRBUF struct strbuf evidence = {0};

		report_evidence(verdict, &evidence);
		strbuf_printf(out, "%s%s", evidence.n ? ": " : "", evidence.n ? evidence.p : "");
	}
	strbuf_str(out, ".");
}

void report_lead(const struct report_log *log, struct strbuf *out)
{
	const struct judge *judge = report_judge(log);
	double share;
	const struct judged *verdict = judge_of_run(judge, &share);
	unsigned n = 0;

	for (unsigned i = 0; i < judge->n_verdicts; i++) {
		const struct judged *v = &judge->verdicts[i];
		double held_s = report_held_s(log, v, log->n_phases);

		if (v == verdict || !(held_s > 0))
			continue;
		strbuf_printf(out, "%s%s for %s", n++ ? ", " : "Also ", v->def->title,
			      report_seconds(TEXT, held_s));
	}
	strbuf_str(out, n ? ". " : "");
	if (log->frames->times.n)
		strbuf_printf(out, "%llu of %llu frame%s %s late. ", (unsigned long long)log->frames->late,
			      (unsigned long long)log->frames->times.n, plural_ending(log->frames->times.n),
			      was_or_were(log->frames->late));
	if (log->session.fps > 0 && (log->session.gpu || log->frames->times.n))
		strbuf_printf(out, "Goal: %g fps, %.2f ms, of which 15 %% stay in reserve.", log->session.fps,
			      1000 / log->session.fps);
}

/* ---- the need of frames ---- */

struct report_need report_need(const struct report_log *log, const struct report_span *span)
{
	struct report_need need = {.need_ms = report_named(log, "GPUFrameNeeds", span),
				   .have_ms = report_named(log, "GPUFrameBudget", span)};

	need.wanted = isnan(need.need_ms);
	if (need.wanted)
		need.need_ms = report_named(log, "GPUFrameNeedsWanted", span);
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
