/* The text of the rules: what is wrong with a line is an error that names it. */
#include "backends/sim/sim_model.h"
#include "base/alloc.h"
#include "tests/support/shipped.h"

#include <stdio.h>
#include <stdlib.h>

static bool parse_rules(const char *text, struct sim_book *book, struct sim_laws *laws, struct err *err)
{
	const struct sim_gpu gpu = {.facts = {{"cores", 4}, {"ray_tracing", 0}}};

	return sim_book_load(book, laws, &gpu, &(struct gpudb_text){"own.rules", span_of(text)}, err);
}

#define KNOWN "ratios content\n  line 0.25\n  tex 0.5\n  rt_box 0\n"

static void a_wrong_line_is_an_error_that_names_file_and_line(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "own.rules:0: 'line': expected a ratio above"},
		{"ratios content\n  line\n", "own.rules:2: expected a number, a name"},
		{"ratios content\n  line x\n", "own.rules:2: unknown: expected an input or a value above"},
		{"ratios content\n  line gpu.x\n", "own.rules:2: not a number of the GPU"},
		{"ratios content\n  line @never 1\n", "own.rules:2: '@never': expected a stream, or what"},
		{"ratios content\n  line @vertex 1\n",
		 "own.rules:2: 'line': expected a formula for each stream"},
		{KNOWN "rules nothing\n  a b\n", "own.rules:6: 'nothing': expected a list of rules"},
		{KNOWN "rules exec\n  a : MaliX\n", "own.rules:6: 'a': expected a quantity above"},
		{KNOWN "rules exec\n  a b % line\n", "own.rules:6: 'b': expected a quantity above"},
		{KNOWN "rules exec\n  a exec / line\n", "own.rules:6: '/': expected an operation"},
		{KNOWN "rules exec\n  a exec %\n", "own.rules:6: '%': expected an operation"},
		{KNOWN "rules exec\n  a exec % b\n", "own.rules:6: 'b': expected a ratio above"},
		{KNOWN "rules exec\n  a exec + b\n", "own.rules:6: 'b': expected a quantity above"},
		{KNOWN "rules exec\n  a exec * 0\n",
		 "own.rules:6: '0': expected a number, or one of the GPU"},
		{KNOWN "rules exec\n  a exec * 513\n", "own.rules:6: '513': expected a number, or one of"},
		{KNOWN "rules queue\n  a cycles % 1.5\n", "own.rules:6: '1.5': expected a share"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct sim_book *book = xcalloc(1, sizeof(*book));
		struct sim_laws *laws = xcalloc(1, sizeof(*laws));
		struct err err = {0};

		if (parse_rules(cases[i].text, book, laws, &err) || !strstr(err.text, cases[i].says))
			fail_msg("%s: %s, not %s", cases[i].text, err.text, cases[i].says);
		sim_laws_fini(laws);
		sim_book_free(book);
		free(laws);
	}
}

static void a_block_has_at_most_255_quantities(void **state)
{
	(void)state;
	for (unsigned n = 255; n <= 256; n++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct sim_book *book = xcalloc(1, sizeof(*book));
		struct sim_laws *laws = xcalloc(1, sizeof(*laws));
		struct err err = {0};

		strbuf_str(&text, KNOWN "rules slice\n");
		for (unsigned i = 3; i < n; i++) /* beside those of the model */
			strbuf_printf(&text, "  a%u reads + writes : C%u\n", i, i);
		if (parse_rules(text.p, book, laws, &err) != (n == 255) ||
		    (n > 255 && !strstr(err.text, "'a255': expected a name, and fewer of them")))
			fail_msg("%u: %s", n, err.text);
		sim_laws_fini(laws);
		sim_book_free(book);
		free(laws);
	}
}

static void of_several_lines_the_first_that_fits_a_stream_counts(void **state)
{
	struct sim_book *book = xcalloc(1, sizeof(*book));
	struct sim_laws *laws = xcalloc(1, sizeof(*laws));
	struct err err = {0};
	unsigned streams[2] = {0};

	(void)state;
	if (!parse_rules(KNOWN "values\n  a @ray_tracing 1\n  a @fragment 2\n  a 3\n  a 4\n", book, laws,
			 &err))
		fail_msg("%s", err.text);
	assert_int_equal(laws->n_formulas, 5);
	for (unsigned i = 0; i < 2; i++)
		streams[i] = laws->formulas[3 + i].streams;
	assert_int_equal(streams[0], 1u << STREAM_FRAGMENT);
	assert_int_equal(streams[1], 1u << STREAM_VERTEX | 1u << STREAM_COMPUTE);
	sim_laws_fini(laws);
	sim_book_free(book);
	free(laws);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_line_is_an_error_that_names_file_and_line),
		cmocka_unit_test(a_block_has_at_most_255_quantities),
		cmocka_unit_test(of_several_lines_the_first_that_fits_a_stream_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
