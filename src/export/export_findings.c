#include "export/export_findings.h"

#include "base/json.h"
#include "base/put.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

unsigned findings_ranked(const struct judge *judge, struct judge_rank *ranks)
{
	double share;
	const struct judged *verdict = judge_of_run(judge, &share);
	unsigned n = 0;

	for (unsigned i = 0; i < judge->n_findings; i++) {
		struct judge_rank rank;
		unsigned at = n;

		if (!(judge->findings[i].held_s > 0))
			continue;
		rank = judge_rank(judge, verdict, true, &judge->findings[i]);
		for (; at > 0 && judge_ranks_before(&rank, &ranks[at - 1]); at--)
			ranks[at] = ranks[at - 1];
		ranks[at] = rank;
		n++;
	}
	return n;
}

bool findings_held(const struct judge *judge, enum finding_severity level)
{
	AUTOFREE struct judge_rank *ranks = xcalloc(judge->n_findings + 1, sizeof(*ranks));
	unsigned n = findings_ranked(judge, ranks);

	for (unsigned i = 0; i < n; i++)
		if (ranks[i].severity >= level)
			return true;
	return false;
}

/* ---- text ---- */

static char *number_text(char text[UNITS_TEXT], const struct judge_number *number, double value)
{
	return unit_format(text, value, number->unit, number->metric && number->metric->grows, true);
}

static void verdict_line(const struct judge *judge, struct strbuf *out)
{
	double share;
	const struct judged *verdict = judge_of_run(judge, &share);
	char text[UNITS_TEXT];

	if (!verdict) {
		strbuf_str(out, "Not clear: ");
		judge_missing(judge, out);
		return;
	}
	strbuf_printf(out, "%s", verdict->def->title);
	judge_put_share(verdict, share, out);
	strbuf_str(out, ": ");
	for (unsigned i = 0; i < verdict->n_evidence; i++)
		strbuf_printf(out, "%s%s %s", i ? ", " : "", verdict->evidence[i].title,
			      number_text(text, &verdict->evidence[i], verdict->evidence_mean[i]));
}

bool findings_result(const struct watch *watch, enum finding_severity fail_on,
		     char verdict[FINDINGS_VERDICT_TEXT])
{
	const struct judge *judge = watch ? watch_judge(watch) : NULL;
	AUTO_STRBUF struct strbuf line = {0};

	if (judge)
		verdict_line(judge, &line);
	str_printable(verdict, FINDINGS_VERDICT_TEXT, line.n ? line.p : "");
	return judge && fail_on && findings_held(judge, fail_on);
}

static void put_words(struct strbuf *out, const char *name, struct span text)
{
	if (text.n)
		strbuf_printf(out, "    %-9s %.*s\n", name, SPAN_ARG(text));
}

static double run_seconds(const struct judge *judge)
{
	return (double)(judge->end_ns - judge->begin_ns) * 1e-9;
}

void findings_limit(const struct judged *f, struct strbuf *out)
{
	char text[UNITS_TEXT];

	strbuf_printf(out, "%s %s (%s)", f->side == ALERT_ABOVE ? "above" : "below",
		      unit_format(text, f->limit, f->number.unit, false, true), finding_origin(f->def));
}

/* "DRAM power above 0.65 W (guide): held 41 s of 60, worst 0.83 W, mean 0.71 W" */
static void put_held(struct strbuf *out, const struct judge *judge, const struct judged *f)
{
	double run_s = run_seconds(judge);
	char worst[UNITS_TEXT], mean[UNITS_TEXT];

	strbuf_printf(out, "%s ", f->number.title);
	findings_limit(f, out);
	if (f->held_s > 0.995 * run_s)
		strbuf_printf(out, ": held all of %.1f s", run_s);
	else
		strbuf_printf(out, ": held %.1f s of %.1f", f->held_s, run_s);
	strbuf_printf(out, ", worst %s, mean %s", number_text(worst, &f->number, f->worst),
		      number_text(mean, &f->number, f->mean));
}

static void text_finding(const struct judge *judge, const struct judge_rank *rank, struct strbuf *out)
{
	const struct gpu_product *product = judge->product;
	const struct judged *f = rank->f;
	AUTO_STRBUF struct strbuf worth = {0};

	judge_put_worth(rank, true, &worth);
	strbuf_printf(out, "\n %-8s %s: %s%s%s\n    ", finding_severity_names[rank->severity], f->def->name,
		      f->def->title, worth.n ? ", " : "", worth.n ? worth.p : "");
	put_held(out, judge, f);
	strbuf_str(out, "\n");
	put_words(out, "means", finding_text(f->def->says, product));
	put_words(out, "do", finding_text(f->def->advice, product));
	put_words(out, "look at", f->def->look);
	put_words(out, "guide", finding_guide(judge->db, f->def, product));
}

void findings_report(const struct export_table *table, const struct judge *judge, struct strbuf *out)
{
	AUTOFREE struct judge_rank *ranks = xcalloc(judge->n_findings + 1, sizeof(*ranks));
	AUTO_STRBUF struct strbuf headroom = {0};
	double share;
	const struct judged *verdict = judge_of_run(judge, &share);
	unsigned n = findings_ranked(judge, ranks), notes = 0;

	strbuf_str(out, "verdict  ");
	verdict_line(judge, out);
	strbuf_str(out, "\n");
	if (!table->options->findings)
		return;
	if (verdict) {
		judge_put_headroom(judge, verdict, true, &headroom);
		put_words(out, "headroom", (struct span){headroom.p, headroom.n});
		put_words(out, "means", finding_text(verdict->def->says, judge->product));
		put_words(out, "do", finding_text(verdict->def->advice, judge->product));
		put_words(out, "look at", verdict->def->look);
	}
	for (unsigned i = 0; i < n; i++)
		notes += ranks[i].severity == SEVERITY_NOTE;
	strbuf_printf(out, "\nfindings  %u of %u checks hold", n - notes, judge->n_findings);
	strbuf_printf(out, notes ? ", %u note%s\n" : "\n", notes, plural_ending(notes));
	for (unsigned i = 0; i < n; i++) {
		if (i == 0 || ranks[i].group != ranks[i - 1].group)
			strbuf_printf(out, "\n%s\n", judge_group_titles[ranks[i].group]);
		text_finding(judge, &ranks[i], out);
	}
}

void findings_text(const struct export_table *table, const struct judge *judge, struct strbuf *out)
{
	strbuf_str(out, "\n");
	findings_report(table, judge, out);
}

/* ---- JSON ---- */

/* Return the first view that the finding names. */
static struct span first_view(const struct finding_def *def)
{
	struct span rest = def->look;

	return span_word(&rest);
}

static void json_evidence(struct strbuf *out, const struct judged *f)
{
	strbuf_str(out, ",\"evidence\":[");
	for (unsigned i = 0; i < f->n_evidence; i++)
		json_put(out,
			 i ? ",{\"metric\":%s,\"value\":%g,\"unit\":%s}"
			   : "{\"metric\":%s,\"value\":%g,\"unit\":%s}",
			 f->evidence[i].name, f->evidence_mean[i], f->evidence[i].unit->name);
	strbuf_str(out, "]");
}

static void json_verdict(const struct judge *judge, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf text = {0};
	double share;
	const struct judged *verdict = judge_of_run(judge, &share);
	enum judge_surety surety = judged_surety(verdict);

	json_put(out, "{\"verdict\":{\"id\":%s,\"confidence\":%s,\"title\":%s,\"share\":%g",
		 verdict ? verdict->def->id : "unclear",
		 surety == JUDGE_UNCLEAR ? json_null : judge_surety_names[surety],
		 verdict ? verdict->def->title : "Not clear", share);
	strbuf_str(&text, "");
	if (verdict) {
		json_evidence(out, verdict);
		judge_put_headroom(judge, verdict, true, &text);
		json_put(out, ",\"look\":%.*s,\"headroom\":%s}", SPAN_ARG(first_view(verdict->def)), text.p);
	} else {
		judge_missing(judge, &text);
		json_put(out, ",\"evidence\":[],\"look\":\"\",\"missing\":%s}", text.p);
	}
}

static void json_finding(const struct judge *judge, const struct judge_rank *rank, struct strbuf *out)
{
	static const char *const groups[JUDGE_GROUPS] = {"holds", "beside", "notes"};
	const struct judged *f = rank->f;
	const struct finding_def *def = f->def;
	AUTO_STRBUF struct strbuf worth = {0};
	double run_s = run_seconds(judge);

	json_put(out,
		 "{\"id\":%s,\"severity\":%s,\"group\":%s,\"title\":%s,\"metric\":%s,\"value\":%g,"
		 "\"worst\":%g,\"unit\":%s,\"side\":%s,\"threshold\":%g,\"origin\":%s,\"guide\":%.*s",
		 def->name, finding_severity_names[rank->severity], groups[rank->group], def->title,
		 f->number.name, f->mean, f->worst, f->number.unit->name,
		 f->side == ALERT_ABOVE ? "above" : "below", f->limit, finding_origin(def),
		 SPAN_ARG(finding_guide(judge->db, def, judge->product)));
	if (isnan(rank->worth.gain))
		strbuf_str(out, ",\"gain\":null");
	else
		json_put(out, ",\"gain\":{\"share\":%g,\"of\":%s,\"ms\":%g}", rank->worth.gain,
			 f->resource->def->name, rank->worth.ms);
	strbuf_str(&worth, "");
	judge_put_worth(rank, true, &worth);
	json_put(out, ",\"worth\":%s,\"held_s\":%g,\"held\":%g,\"look\":%.*s", worth.p, f->held_s,
		 run_s > 0 ? f->held_s / run_s : (double)NAN, SPAN_ARG(first_view(def)));
	json_evidence(out, f);
	json_put(out, ",\"says\":%.*s,\"do\":%.*s}", SPAN_ARG(finding_text(def->says, judge->product)),
		 SPAN_ARG(finding_text(def->advice, judge->product)));
}

void findings_jsonl(const struct export_table *table, const struct judge *judge, struct strbuf *out)
{
	AUTOFREE struct judge_rank *ranks = xcalloc(judge->n_findings + 1, sizeof(*ranks));
	unsigned n = findings_ranked(judge, ranks);

	if (!table->options->findings) /* otherwise every object has the verdict */
		return;
	json_verdict(judge, out);
	strbuf_str(out, ",\"findings\":[");
	for (unsigned i = 0; i < n; i++) {
		strbuf_str(out, i ? "," : "");
		json_finding(judge, &ranks[i], out);
	}
	strbuf_str(out, "]}\n");
}

/* ---- JUnit ---- */

static void xml_text(struct strbuf *out, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};

	for (const char *at; *text; text++)
		if ((at = strchr(special, *text)))
			strbuf_str(out, entities[at - special]);
		else if ((unsigned char)*text >= 0x20 && *text != 0x7f)
			strbuf_add(out, text, 1);
}

static void __attribute__((format(printf, 2, 3))) xml_put(struct strbuf *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_format(out, xml_text, NULL, fmt, ap);
	va_end(ap);
}

static void junit_failure(const struct judge *judge, const struct judge_rank *rank, struct strbuf *out)
{
	const struct judged *f = rank->f;
	AUTO_STRBUF struct strbuf message = {0};

	put_held(&message, judge, f);
	xml_put(out, ">\n    <failure type=\"%s\" message=\"%s\">%.*s %.*s</failure>\n  </testcase>\n",
		finding_severity_names[rank->severity], message.p,
		SPAN_ARG(finding_text(f->def->says, judge->product)),
		SPAN_ARG(finding_text(f->def->advice, judge->product)));
}

/* A finding at the level of --fail-on, by default a warning, is a failure. */
static void findings_junit(const struct export_table *table, const struct judge *judge, struct strbuf *out)
{
	enum finding_severity fail_on = table->options->fail_on ? table->options->fail_on : SEVERITY_WARNING;
	AUTO_STRBUF struct strbuf line = {0};
	double share;
	const struct judged *verdict = judge_of_run(judge, &share);
	AUTOFREE struct judge_rank *ranks = xcalloc(judge->n_findings + 1, sizeof(*ranks));
	unsigned failures = 0;

	for (unsigned i = 0; i < judge->n_findings; i++) {
		ranks[i] = judge_rank(judge, verdict, true, &judge->findings[i]);
		failures += ranks[i].f->held_s > 0 && ranks[i].severity >= fail_on;
	}
	strbuf_printf(out,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"malitop\" tests=\"%u\" "
		      "failures=\"%u\" errors=\"0\" time=\"%.3f\">\n",
		      judge->n_findings, failures, run_seconds(judge));
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = ranks[i].f;

		xml_put(out, "  <testcase classname=\"malitop.findings\" name=\"%s\" time=\"%.3f\"",
			f->def->name, f->held_s);
		if (f->held_s > 0 && ranks[i].severity >= fail_on)
			junit_failure(judge, &ranks[i], out);
		else
			strbuf_str(out, "/>\n");
	}
	verdict_line(judge, &line);
	xml_put(out, "  <system-out>%s</system-out>\n</testsuite>\n", line.p);
}

const struct export_format export_report = {.name = "report", .findings = findings_report};

const struct export_format export_junit = {.name = "junit", .raw = true, .findings = findings_junit};
