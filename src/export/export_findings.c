#include "export/export_findings.h"

#include "base/json.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define MOSTLY 0.5 /* of the time that a verdict held, for its evidence to be called clear */

static bool has_held(const struct judged *f)
{
	return f->held_s > 0;
}

static bool is_unclear(const struct judged *verdict)
{
	return !verdict || strcmp(verdict->def->name, "unclear") == 0;
}

static bool is_clear(const struct judged *verdict)
{
	return verdict->clear_s >= MOSTLY * verdict->held_s;
}

static const struct gpu_product *product_of(const struct judge *judge)
{
	return judge->product;
}

unsigned findings_ranked(const struct judge *judge, struct judge_rank *ranks)
{
	double share;
	const struct judged *verdict = judge_longest(judge, &share);
	unsigned n = 0;

	for (unsigned i = 0; i < judge->n_findings; i++) {
		struct judge_rank rank;
		unsigned at = n;

		if (!has_held(&judge->findings[i]))
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

static void put_number(struct strbuf *out, const struct judge_number *number, double value)
{
	char text[UNITS_TEXT];
	bool rate = number->metric && number->metric->grows;

	strbuf_printf(out, "%s %s", number->title, unit_format(text, value, number->unit, rate, true));
}

static void put_evidence(struct strbuf *out, const struct judged *f)
{
	for (unsigned i = 0; i < f->n_evidence; i++) {
		strbuf_str(out, i ? ", " : "");
		put_number(out, &f->evidence[i], f->evidence_mean[i]);
	}
}

static void verdict_line(const struct judge *judge, struct strbuf *out)
{
	double share;
	const struct judged *verdict = judge_longest(judge, &share);

	if (!verdict) {
		strbuf_str(out, "Not clear: ");
		judge_missing(judge, out);
		return;
	}
	strbuf_printf(out, "%s", verdict->def->title);
	if (!is_unclear(verdict))
		strbuf_printf(out, " (%s, %.0f %% of the time)", is_clear(verdict) ? "clear" : "likely",
			      share * 100);
	strbuf_str(out, ": ");
	put_evidence(out, verdict);
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
	bool rate = f->number.metric && f->number.metric->grows;
	double run_s = run_seconds(judge);
	char text[UNITS_TEXT];

	strbuf_printf(out, "%s ", f->number.title);
	findings_limit(f, out);
	if (f->held_s > 0.995 * run_s)
		strbuf_printf(out, ": held all of %.1f s", run_s);
	else
		strbuf_printf(out, ": held %.1f s of %.1f", f->held_s, run_s);
	strbuf_printf(out, ", worst %s", unit_format(text, f->worst, f->number.unit, rate, true));
	strbuf_printf(out, ", mean %s", unit_format(text, f->mean, f->number.unit, rate, true));
}

static void text_finding(const struct judge *judge, const struct judge_rank *rank, struct strbuf *out)
{
	const struct gpu_product *product = product_of(judge);
	const struct judged *f = rank->f;
	AUTO_STRBUF struct strbuf worth = {0};

	judge_put_worth(judge, rank, true, &worth);
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
	const struct judged *verdict = judge_longest(judge, &share);
	unsigned n = findings_ranked(judge, ranks), notes = 0;

	strbuf_str(out, "verdict  ");
	verdict_line(judge, out);
	strbuf_str(out, "\n");
	if (!table->options->findings)
		return;
	if (verdict) {
		judge_put_headroom(judge, verdict, true, &headroom);
		put_words(out, "headroom", (struct span){headroom.p, headroom.n});
		put_words(out, "means", finding_text(verdict->def->says, product_of(judge)));
		put_words(out, "do", finding_text(verdict->def->advice, product_of(judge)));
		put_words(out, "look at", verdict->def->look);
	}
	for (unsigned i = 0; i < n; i++)
		notes += ranks[i].severity == SEVERITY_NOTE;
	strbuf_printf(out, "\nfindings  %u of %u checks", n - notes, judge->n_findings);
	strbuf_printf(out, notes ? ", %u note%s\n" : "\n", notes, notes == 1 ? "" : "s");
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

static void json_span(struct strbuf *out, const char *name, struct span text)
{
	AUTO_STRBUF struct strbuf copy = {0};

	strbuf_printf(out, ",\"%s\":", name);
	strbuf_add(&copy, text.p, text.n);
	json_string(out, copy.n ? copy.p : "");
}

/* The first view that it names. */
static struct span first_view(const struct finding_def *def)
{
	struct span rest = def->look;

	return span_word(&rest);
}

static void json_evidence(struct strbuf *out, const struct judged *f)
{
	strbuf_str(out, ",\"evidence\":[");
	for (unsigned i = 0; i < f->n_evidence; i++) {
		strbuf_str(out, i ? ",{\"metric\":" : "{\"metric\":");
		json_string(out, f->evidence[i].name);
		strbuf_str(out, ",\"value\":");
		json_number(out, f->evidence_mean[i]);
		strbuf_str(out, ",\"unit\":");
		json_string(out, f->evidence[i].unit->name);
		strbuf_str(out, "}");
	}
	strbuf_str(out, "]");
}

static void json_verdict(const struct judge *judge, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf missing = {0};
	double share;
	const struct judged *verdict = judge_longest(judge, &share);

	strbuf_str(out, "{\"verdict\":{\"id\":");
	json_string(out, verdict ? verdict->def->id : "unclear");
	strbuf_str(out, ",\"confidence\":");
	if (is_unclear(verdict))
		strbuf_str(out, "null");
	else
		json_string(out, is_clear(verdict) ? "clear" : "likely");
	strbuf_str(out, ",\"title\":");
	json_string(out, verdict ? verdict->def->title : "Not clear");
	strbuf_str(out, ",\"share\":");
	json_number(out, share);
	if (verdict) {
		AUTO_STRBUF struct strbuf headroom = {0};

		json_evidence(out, verdict);
		json_span(out, "look", first_view(verdict->def));
		judge_put_headroom(judge, verdict, true, &headroom);
		json_span(out, "headroom", (struct span){headroom.p, headroom.n});
		strbuf_str(out, "}");
		return;
	}
	judge_missing(judge, &missing);
	strbuf_str(out, ",\"evidence\":[],\"look\":\"\",\"missing\":");
	json_string(out, missing.p);
	strbuf_str(out, "}");
}

static void json_gain(struct strbuf *out, const struct judge_rank *rank)
{
	if (isnan(rank->worth.gain)) {
		strbuf_str(out, ",\"gain\":null");
		return;
	}
	strbuf_str(out, ",\"gain\":{\"share\":");
	json_number(out, rank->worth.gain);
	strbuf_str(out, ",\"of\":");
	json_string(out, rank->f->resource->def->name);
	strbuf_str(out, ",\"ms\":");
	json_number(out, rank->worth.ms);
	strbuf_str(out, "}");
}

static void json_finding(const struct judge *judge, const struct judge_rank *rank, struct strbuf *out)
{
	static const char *const groups[JUDGE_GROUPS] = {"holds", "beside", "notes"};
	const struct gpu_product *product = product_of(judge);
	const struct judged *f = rank->f;
	AUTO_STRBUF struct strbuf worth = {0};
	double run_s = run_seconds(judge);

	strbuf_str(out, "{\"id\":");
	json_string(out, f->def->name);
	strbuf_printf(out, ",\"severity\":\"%s\",\"group\":\"%s\",\"title\":",
		      finding_severity_names[rank->severity], groups[rank->group]);
	json_string(out, f->def->title);
	strbuf_str(out, ",\"metric\":");
	json_string(out, f->number.name);
	strbuf_str(out, ",\"value\":");
	json_number(out, f->mean);
	strbuf_str(out, ",\"worst\":");
	json_number(out, f->worst);
	strbuf_str(out, ",\"unit\":");
	json_string(out, f->number.unit->name);
	strbuf_printf(out, ",\"side\":\"%s\",\"threshold\":", f->side == ALERT_ABOVE ? "above" : "below");
	json_number(out, f->limit);
	strbuf_printf(out, ",\"origin\":\"%s\"", finding_origin(f->def));
	json_span(out, "guide", finding_guide(judge->db, f->def, product));
	json_gain(out, rank);
	judge_put_worth(judge, rank, true, &worth);
	json_span(out, "worth", (struct span){worth.p, worth.n});
	strbuf_str(out, ",\"held_s\":");
	json_number(out, f->held_s);
	strbuf_str(out, ",\"held\":");
	json_number(out, run_s > 0 ? f->held_s / run_s : (double)NAN);
	json_span(out, "look", first_view(f->def));
	json_evidence(out, f);
	json_span(out, "says", finding_text(f->def->says, product));
	json_span(out, "do", finding_text(f->def->advice, product));
	strbuf_str(out, "}");
}

void findings_jsonl(const struct export_table *table, const struct judge *judge, struct strbuf *out)
{
	AUTOFREE struct judge_rank *ranks = xcalloc(judge->n_findings + 1, sizeof(*ranks));
	unsigned n = findings_ranked(judge, ranks);

	if (!table->options->findings) /* every object has the verdict */
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

static void xml_text(struct strbuf *out, struct span text)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};

	for (size_t i = 0; i < text.n; i++) {
		const char *at = strchr(special, text.p[i]);

		if (at && *at)
			strbuf_str(out, entities[at - special]);
		else if ((unsigned char)text.p[i] >= 0x20 && text.p[i] != 0x7f)
			strbuf_add(out, &text.p[i], 1);
	}
}

static void junit_failure(const struct judge *judge, const struct judge_rank *rank, struct strbuf *out)
{
	const struct judged *f = rank->f;
	AUTO_STRBUF struct strbuf message = {0};

	put_held(&message, judge, f);
	strbuf_str(out, ">\n    <failure type=\"");
	strbuf_str(out, finding_severity_names[rank->severity]);
	strbuf_str(out, "\" message=\"");
	xml_text(out, span_of(message.p));
	strbuf_str(out, "\">");
	xml_text(out, finding_text(f->def->says, product_of(judge)));
	strbuf_str(out, " ");
	xml_text(out, finding_text(f->def->advice, product_of(judge)));
	strbuf_str(out, "</failure>\n  </testcase>\n");
}

/* A finding at the level of --fail-on, or a warning without it, is a failure. */
static void findings_junit(const struct export_table *table, const struct judge *judge, struct strbuf *out)
{
	enum finding_severity fail_on = table->options->fail_on ? table->options->fail_on : SEVERITY_WARNING;
	AUTO_STRBUF struct strbuf line = {0};
	double share;
	const struct judged *verdict = judge_longest(judge, &share);
	AUTOFREE struct judge_rank *ranks = xcalloc(judge->n_findings + 1, sizeof(*ranks));
	unsigned failures = 0;

	for (unsigned i = 0; i < judge->n_findings; i++) {
		ranks[i] = judge_rank(judge, verdict, true, &judge->findings[i]);
		failures += has_held(ranks[i].f) && ranks[i].severity >= fail_on;
	}
	strbuf_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	strbuf_printf(
		out, "<testsuite name=\"malitop\" tests=\"%u\" failures=\"%u\" errors=\"0\" time=\"%.3f\">\n",
		judge->n_findings, failures, run_seconds(judge));
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = ranks[i].f;

		strbuf_str(out, "  <testcase classname=\"malitop.findings\" name=\"");
		xml_text(out, span_of(f->def->name));
		strbuf_printf(out, "\" time=\"%.3f\"", f->held_s);
		if (has_held(f) && ranks[i].severity >= fail_on)
			junit_failure(judge, &ranks[i], out);
		else
			strbuf_str(out, "/>\n");
	}
	verdict_line(judge, &line);
	strbuf_str(out, "  <system-out>");
	xml_text(out, span_of(line.p));
	strbuf_str(out, "</system-out>\n</testsuite>\n");
}

static void no_rows(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	(void)table, (void)row, (void)out;
}

static void no_header(const struct export_table *table, struct strbuf *out)
{
	(void)table, (void)out;
}

const struct export_format export_report = {
	.name = "report", .begin = no_header, .row = no_rows, .findings = findings_report};

const struct export_format export_junit = {
	.name = "junit", .raw = true, .begin = no_header, .row = no_rows, .findings = findings_junit};
