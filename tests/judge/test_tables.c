/* Counter tables made by hand, on several GPUs: each with the verdict, the change to make first,
 * and what must not be said. They go through `eval --findings`, as those of a user.
 * MALITOP_TEST_SHOW=CASE prints what is found in one, MALITOP_TEST_WRITE=CASE its table. */
#include "base/alloc.h"
#include "cli/commands.h"
#include "tests/judge/table.h"
#include "tests/support/gpu_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES_LEAST 100

/* The JSON object of a case. */
static void judge_case(const struct gpudb *db, const struct ratio_table *t, struct strbuf *out)
{
	AUTOFREE char *gpu = span_dup(table_text(t, "gpu-name"));
	const struct gpu_product *product = gpudb_by_name(db, gpu);
	AUTO_STRBUF struct strbuf text = {0};
	struct options options = {.findings = true,
				  .format = FORMAT_JSONL,
				  .fps = table_value(t, "wanted"),
				  .resolution = {.w = 1920, .h = 1080}};
	struct err err;

	options.fps = options.fps > 0 ? options.fps : 60;
	assert_non_null(product);
	if (product->family == FAMILY_BIFROST && strcmp(product->name, "Mali-G52") == 0)
		options.resolution.w = 1280, options.resolution.h = 720;
	table_check(t);
	table_write(t, product->layout, &text);
	if (getenv("MALITOP_TEST_WRITE") && span_is(t->name, getenv("MALITOP_TEST_WRITE")))
		fputs(text.p, stdout);
	if (eval_findings(&options, db, product, "table", (struct span){text.p, text.n}, out, &err) !=
	    EXIT_DONE)
		fail_msg("%.*s: %s", SPAN_ARG(t->name), err.text);
}

/* What stands after `key":"` in text, up to the next quote. */
static struct span value_after(const char *text, const char *key)
{
	AUTOFREE char *pattern = xasprintf("\"%s\":\"", key);
	const char *at = text ? strstr(text, pattern) : NULL, *end;

	if (!at)
		return (struct span){"", 0};
	at += strlen(pattern);
	end = strchr(at, '"');
	return (struct span){at, (size_t)(end - at)};
}

static const char *find_finding(const char *json, struct span name)
{
	AUTOFREE char *pattern = xasprintf("{\"id\":\"%.*s\"", SPAN_ARG(name));
	const char *list = strstr(json, "\"findings\":[");

	return list ? strstr(list, pattern) : NULL;
}

static unsigned wrong; /* cases of this run */

static void complain(const struct ratio_table *t, const char *json, const char *what, struct span wanted)
{
	print_message("%.*s (line %u): %s '%.*s'; it is %.*s", SPAN_ARG(t->name), t->line, what,
		      SPAN_ARG(wanted), SPAN_ARG(value_after(json, "id")));
	for (const char *at = strstr(json, "\"findings\":["); at && (at = strstr(at, "{\"id\":\"")); at++)
		print_message(", %.*s (%.*s, %.*s)", SPAN_ARG(value_after(at, "id")),
			      SPAN_ARG(value_after(at, "severity")), SPAN_ARG(value_after(at, "group")));
	print_message("\n");
	wrong++;
}

/* "first read-stalls", "first critical overdraw"; "first none": nothing is more than a note. */
static void check_first(const struct ratio_table *t, const char *json)
{
	struct span words = table_text(t, "first"), name = span_word(&words), rest = span_word(&words);
	const char *first = strstr(json, "\"findings\":[{\"id\"");
	struct span severity = value_after(first, "severity");

	if (!name.n)
		complain(t, json, "what is first? add", SPAN_LIT("first"));
	else if (span_is(name, "none") && first && !span_is(severity, "note"))
		complain(t, json, "first is not", name);
	else if (!span_is(name, "none") &&
		 (!first || !span_eq(value_after(first, "id"), rest.n ? rest : name) ||
		  (rest.n && !span_eq(severity, name))))
		complain(t, json, "first is not", table_text(t, "first"));
}

static void check_severity(const struct ratio_table *t, const char *json, const char *severity)
{
	struct span names = table_text(t, severity), word;

	while ((word = span_word(&names)).n) {
		const char *at = find_finding(json, word);

		if (!at || !span_is(value_after(at, "severity"), severity))
			complain(t, json, severity, word);
	}
}

static void check_names(const struct ratio_table *t, const char *json)
{
	struct span has = table_text(t, "has"), not = table_text(t, "not"), word;

	while ((word = span_word(&has)).n)
		if (!find_finding(json, word))
			complain(t, json, "lacks", word);
	while ((word = span_word(&not )).n)
		if (find_finding(json, word))
			complain(t, json, "says", word);
	check_severity(t, json, "note");
	check_severity(t, json, "critical");
}

static void check_case(const struct gpudb *db, const struct ratio_table *t)
{
	AUTOFREE char *says = span_dup(table_text(t, "says"));
	struct span verdict = table_text(t, "verdict");
	AUTO_STRBUF struct strbuf json = {0};

	judge_case(db, t, &json);
	if (getenv("MALITOP_TEST_SHOW") && span_is(t->name, getenv("MALITOP_TEST_SHOW")))
		print_message("%s", json.p);
	if (!span_eq(value_after(json.p, "id"), verdict))
		complain(t, json.p, "verdict is not", verdict);
	if (says[0] && !strstr(json.p, says))
		complain(t, json.p, "it does not say", span_of(says));
	check_first(t, json.p);
	check_names(t, json.p);
}

TEST(each_table_has_its_verdict_and_its_first_change)
{
	struct gpudb *db = load_shipped();
	struct tables tables = {0};
	unsigned n = 0;

	tables_read(&tables, "tests/judge/bases.tables");
	tables_read(&tables, "tests/judge/cases.tables");
	for (unsigned i = 0; i < tables.n; i++) {
		if (!table_text(&tables.list[i], "verdict").n)
			continue;
		check_case(db, &tables.list[i]);
		n++;
	}
	if (wrong)
		fail_msg("%u complaints about %u tables", wrong, n);
	assert_true(n >= CASES_LEAST);
	tables_fini(&tables);
	gpudb_free(db);
}
