#include "export/export_findings.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define MOSTLY 0.5 /* of the time that a verdict held, for its evidence to be called clear */

static const char *const marks[] = {
	[SEVERITY_INFO] = " i", [SEVERITY_WARNING] = " !", [SEVERITY_CRITICAL] = "!!"};

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

/* The findings that held, the worst first, then the longest. Returns how many. */
static unsigned sort_held(const struct judge *judge, const struct judged **held)
{
	unsigned n = 0;

	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];
		unsigned at = n;

		if (!has_held(f))
			continue;
		for (; at > 0 && (held[at - 1]->def->severity < f->def->severity ||
				  (held[at - 1]->def->severity == f->def->severity &&
				   held[at - 1]->held_s < f->held_s));
		     at--)
			held[at] = held[at - 1];
		held[at] = f;
		n++;
	}
	return n;
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
	for (unsigned i = 0; judge && fail_on && i < judge->n_findings; i++)
		if (has_held(&judge->findings[i]) && judge->findings[i].def->severity >= fail_on)
			return true;
	return false;
}

static void put_words(struct strbuf *out, const char *name, struct span text)
{
	if (text.n)
		strbuf_printf(out, "    %-9s %.*s\n", name, SPAN_ARG(text));
}

static void put_limit(struct strbuf *out, const struct judged *f)
{
	char text[UNITS_TEXT];

	strbuf_printf(out, ", limit %s (%s)", unit_format(text, f->limit, f->number.unit, false, true),
		      f->def->house ? "house" : "guide");
}

static void text_finding(const struct judge *judge, const struct judged *f, struct strbuf *out)
{
	const struct gpu_product *product = product_of(judge);
	double run_s = (double)(judge->end_ns - judge->begin_ns) * 1e-9;

	strbuf_printf(out, "\n %s %s: %s\n    ", marks[f->def->severity], f->def->name, f->def->title);
	put_number(out, &f->number, f->mean);
	put_limit(out, f);
	strbuf_printf(out, ", for %.1f of %.1f s\n", f->held_s, run_s);
	put_words(out, "means", finding_text(f->def->says, product));
	put_words(out, "do", finding_text(f->def->advice, product));
	put_words(out, "look at", f->def->look);
	put_words(out, "guide", finding_guide(judge->db, f->def, product));
}

static void findings_report(const struct export_table *table, const struct judge *judge, struct strbuf *out)
{
	AUTOFREE const struct judged **held = xcalloc(judge->n_findings + 1, sizeof(*held));
	double share;
	const struct judged *verdict = judge_longest(judge, &share);
	unsigned n = sort_held(judge, held);

	strbuf_str(out, "verdict  ");
	verdict_line(judge, out);
	strbuf_str(out, "\n");
	if (!table->options->findings)
		return;
	if (verdict) {
		put_words(out, "means", finding_text(verdict->def->says, product_of(judge)));
		put_words(out, "do", finding_text(verdict->def->advice, product_of(judge)));
		put_words(out, "look at", verdict->def->look);
	}
	strbuf_printf(out, "\nfindings  %u of %u checks\n", n, judge->n_findings);
	for (unsigned i = 0; i < n; i++)
		text_finding(judge, held[i], out);
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
	json_string(out, verdict ? verdict->def->name : "unclear");
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
		json_evidence(out, verdict);
		json_span(out, "look", first_view(verdict->def));
		strbuf_str(out, "}");
		return;
	}
	judge_missing(judge, &missing);
	strbuf_str(out, ",\"evidence\":[],\"look\":\"\",\"missing\":");
	json_string(out, missing.p);
	strbuf_str(out, "}");
}

static void json_finding(const struct judge *judge, const struct judged *f, struct strbuf *out)
{
	const struct gpu_product *product = product_of(judge);

	strbuf_str(out, "{\"id\":");
	json_string(out, f->def->name);
	strbuf_printf(out, ",\"severity\":\"%s\",\"title\":", finding_severity_names[f->def->severity]);
	json_string(out, f->def->title);
	strbuf_str(out, ",\"metric\":");
	json_string(out, f->number.name);
	strbuf_str(out, ",\"value\":");
	json_number(out, f->mean);
	strbuf_str(out, ",\"unit\":");
	json_string(out, f->number.unit->name);
	strbuf_str(out, ",\"threshold\":");
	json_number(out, f->limit);
	strbuf_printf(out, ",\"origin\":\"%s\"", f->def->house ? "house" : "guide");
	json_span(out, "guide", finding_guide(judge->db, f->def, product));
	strbuf_str(out, ",\"held_s\":");
	json_number(out, f->held_s);
	json_span(out, "look", first_view(f->def));
	json_evidence(out, f);
	json_span(out, "says", finding_text(f->def->says, product));
	json_span(out, "do", finding_text(f->def->advice, product));
	strbuf_str(out, "}");
}

void findings_jsonl(const struct export_table *table, const struct judge *judge, struct strbuf *out)
{
	AUTOFREE const struct judged **held = xcalloc(judge->n_findings + 1, sizeof(*held));
	unsigned n = sort_held(judge, held);

	if (!table->options->findings) /* every object has the verdict */
		return;
	json_verdict(judge, out);
	strbuf_str(out, ",\"findings\":[");
	for (unsigned i = 0; i < n; i++) {
		strbuf_str(out, i ? "," : "");
		json_finding(judge, held[i], out);
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

static void junit_failure(const struct judge *judge, const struct judged *f, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf message = {0};

	put_number(&message, &f->number, f->mean);
	put_limit(&message, f);
	strbuf_str(out, ">\n    <failure type=\"");
	strbuf_str(out, finding_severity_names[f->def->severity]);
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
	AUTO_STRBUF struct strbuf verdict = {0};
	unsigned failures = 0;

	for (unsigned i = 0; i < judge->n_findings; i++)
		failures += has_held(&judge->findings[i]) && judge->findings[i].def->severity >= fail_on;
	strbuf_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	strbuf_printf(
		out, "<testsuite name=\"malitop\" tests=\"%u\" failures=\"%u\" errors=\"0\" time=\"%.3f\">\n",
		judge->n_findings, failures, (double)(judge->end_ns - judge->begin_ns) * 1e-9);
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];

		strbuf_str(out, "  <testcase classname=\"malitop.findings\" name=\"");
		xml_text(out, span_of(f->def->name));
		strbuf_printf(out, "\" time=\"%.3f\"", f->held_s);
		if (has_held(f) && f->def->severity >= fail_on)
			junit_failure(judge, f, out);
		else
			strbuf_str(out, "/>\n");
	}
	verdict_line(judge, &verdict);
	strbuf_str(out, "  <system-out>");
	xml_text(out, span_of(verdict.p));
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
