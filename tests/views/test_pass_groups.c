/* Passes by their labels: groups, their order, and what is folded. */
#include "base/alloc.h"
#include "tests/support/test.h"
#include "views/pass_groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A table of "name ms", the longest first. */
static void fill_table(struct pass_table *table, const char *const *lines, unsigned n)
{
	*table = (struct pass_table){.frames = 1, .n = n};
	for (unsigned i = 0; i < n; i++) {
		const char *ms = strrchr(lines[i], ' ');

		table->lines[i] = (struct pass_line){.row = i + 1, .ms = atof(ms), .share = atof(ms)};
		snprintf(table->lines[i].name, PASS_NAME_TEXT, "%.*s", (int)(ms - lines[i]), lines[i]);
	}
}

/* The rows as text: "v group 5, > in it 3, ..." */
static void write_rows(const struct pass_table *table, const struct view_folds *folds, struct strbuf *out)
{
	struct grouped_pass rows[PASS_ROWS_SHOWN];
	unsigned n = pass_groups(table, folds, rows);

	for (unsigned i = 0; i < n; i++)
		strbuf_printf(out, "%s%s%s %g", i ? ", " : "",
			      rows[i].folded   ? "+ "
			      : rows[i].group  ? "- "
			      : rows[i].inside ? "  "
					       : "",
			      rows[i].line.name, rows[i].line.ms);
}

TEST(passes_of_one_label_are_a_group)
{
	static const struct {
		const char *lines[6];
		const char *want;
	} cases[] = {
		{{"scene 9", "ui 2"}, "scene 9, ui 2"},
		{{"shadow/a 3"}, "shadow/a 3"},
		{{"scene 4", "shadow/a 3", "ui 2", "shadow/b 2"}, "- shadow 5,   a 3,   b 2, scene 4, ui 2"},
		{{"scene 6", "shadow/a 3", "shadow/b/c 1", "shadow 1"},
		 "scene 6, - shadow 5,   a 3,   b/c 1,   shadow 1"},
		{{"shadow 3", "shadow #2 2"}, "shadow 3, shadow #2 2"},
		{{"shadows/a 3", "shadow/a 2", "/x 1", "/y 1", "z/ 1"},
		 "shadows/a 3, shadow/a 2, /x 1, /y 1, z/ 1"},
		{{"a/x 3", "b/x 3", "a/y 1", "b/y 2"}, "- b 5,   x 3,   y 2, - a 4,   x 3,   y 1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf out = {0};
		struct pass_table table;
		unsigned n = 0;

		while (n < ARRAY_LEN(cases[i].lines) && cases[i].lines[n])
			n++;
		fill_table(&table, cases[i].lines, n);
		write_rows(&table, NULL, &out);
		if (strcmp(out.p, cases[i].want) != 0)
			fail_msg("case %zu: '%s', expected '%s'", i, out.p, cases[i].want);
	}
}

TEST(a_folded_group_is_one_row_with_the_sum)
{
	static const char *const lines[] = {"shadow/a 3", "scene 2", "shadow/b 2"};
	struct grouped_pass rows[PASS_ROWS_SHOWN];
	struct view_folds folds = {.n = 0};
	AUTO_STRBUF struct strbuf out = {0};
	struct pass_table table;

	fill_table(&table, lines, ARRAY_LEN(lines));
	assert_int_equal(pass_groups(&table, &folds, rows), 4);
	view_folds_turn(&folds, rows[0].group);
	write_rows(&table, &folds, &out);
	assert_string_equal(out.p, "+ shadow 5, scene 2");
	view_folds_turn(&folds, rows[0].group);
	assert_int_equal(pass_groups(&table, &folds, rows), 4);
	assert_true(isnan(rows[0].line.p50_ms) && rows[0].passes == 2 && rows[0].line.share == 5);
}

TEST(of_too_many_folds_the_oldest_is_unfolded)
{
	struct view_folds folds = {.n = 0};

	for (uint64_t i = 1; i <= VIEW_FOLDS + 1; i++)
		view_folds_turn(&folds, i);
	assert_int_equal(folds.n, VIEW_FOLDS);
	assert_false(view_folds_has(&folds, 1));
	assert_true(view_folds_has(&folds, 2) && view_folds_has(&folds, VIEW_FOLDS + 1));
	view_folds_turn(&folds, 2);
	assert_true(folds.n == VIEW_FOLDS - 1 && !view_folds_has(&folds, 2));
}

TEST(a_full_table_of_groups_has_room)
{
	struct grouped_pass rows[PASS_ROWS_SHOWN];
	struct pass_table table = {.n = PASS_TABLE_ROWS};

	for (unsigned i = 0; i < PASS_TABLE_ROWS; i++)
		snprintf(table.lines[i].name, PASS_NAME_TEXT, "group %u/part %u", i / 2, i);
	assert_int_equal(pass_groups(&table, NULL, rows), PASS_ROWS_SHOWN);
}
