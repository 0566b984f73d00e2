#include "model/template.h"
#include "tests/support/gpu_set.h"
#include "tests/support/reference.h"

#include <ctype.h>
#include <stdio.h>

#define PRODUCTS 32

static struct gpudb *db;
static struct metric_set *sets[PRODUCTS];
static struct template_view views[PRODUCTS];

FIXTURE(load_all)
{
	db = load_shipped();
	assert_int_equal(db->n_products, PRODUCTS);
	for (unsigned i = 0; i < PRODUCTS; i++) {
		sets[i] = set_of_gpu(db, gpudb_product(db, i), DEFINITIONS_CURRENT, false);
		template_view_init(&views[i], db, sets[i]);
	}
	return 0;
}

FIXTURE(free_all)
{
	for (unsigned i = 0; i < PRODUCTS; i++) {
		template_view_fini(&views[i]);
		metric_set_free(sets[i]);
	}
	gpudb_free(db);
	return 0;
}

static unsigned place_of(const char *gpu)
{
	return (unsigned)(gpudb_by_name(db, gpu) - db->products);
}

static const struct template_row *row_numbered(const char *gpu, const char *number)
{
	const struct template_view *view = &views[place_of(gpu)];

	for (unsigned i = 0; i < view->n_rows; i++)
		if (strcmp(view->rows[i].number, number) == 0)
			return &view->rows[i];
	return NULL;
}

static const struct template_row *row_of_metric(const char *gpu, const char *name)
{
	const struct template_view *view = &views[place_of(gpu)];

	for (unsigned i = 0; i < view->n_rows; i++)
		if (strcmp(view->rows[i].metric->def->name, name) == 0)
			return &view->rows[i];
	return NULL;
}

/* template-*.tsv: section_no section chart_no chart metric_no metric unit_detail lgc_name. What
 * is a percentage today may be a plain ratio in a guide.
 */
TEST(the_templates_are_those_of_the_guides_row_by_row)
{
	static const struct {
		const char *gpu, *file;
		unsigned rows;
	} cases[] = {{"G52", "template-g52.tsv", 78},
		     {"G715", "template-g715.tsv", 112},
		     {"G625", "template-g625.tsv", 115}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct template_view *view = &views[place_of(cases[i].gpu)];
		struct reference r;
		unsigned n = 0;

		assert_int_equal(view->n_rows, cases[i].rows);
		reference_open(&r, cases[i].file);
		while (reference_next(&r)) {
			const struct template_row *row = &view->rows[n];

			if (!r.cell[7].n)
				continue; /* of the CPU */
			assert_true(n++ < view->n_rows);
			if (!span_is(r.cell[1], row->section) || !span_is(r.cell[3], row->chart) ||
			    !span_is(r.cell[4], row->number) || !span_is(r.cell[5], row->title) ||
			    !(span_is(r.cell[6], row->unit_name) ||
			      row->metric->unit->kind == UNIT_PERCENT) ||
			    !span_is(r.cell[7], row->metric->def->name))
				fail_msg("%s:%u: not %s %s / %s / %s, %s, %s", cases[i].file, r.line,
					 row->number, row->section, row->chart, row->title, row->unit_name,
					 row->metric->def->name);
		}
		assert_int_equal(n, cases[i].rows);
	}
}

TEST(every_gpu_follows_the_template_of_its_family)
{
	static const char *const templates[FAMILY_COUNT] = {
		[FAMILY_MIDGARD] = "Midgard",     [FAMILY_BIFROST] = "Mali-G52",
		[FAMILY_VALHALL_JM] = "Mali-G52", [FAMILY_VALHALL_CSF] = "Mali-G715",
		[FAMILY_5TH_GEN] = "Mali-G625",
	};

	for (unsigned i = 0; i < PRODUCTS; i++) {
		const struct gpu_product *p = gpudb_product(db, i);
		bool has_guide = strcmp(p->name, "Mali-G52") == 0 || strcmp(p->name, "Mali-G715") == 0 ||
				 strcmp(p->name, "Mali-G625") == 0;

		assert_string_equal(template_for(db, p)->name, templates[p->family]);
		assert_ptr_equal(views[i].parent, template_for(db, p));
		assert_int_equal(template_guide_of(db, p) != NULL, has_guide);
		assert_true(views[i].n_rows > (p->family == FAMILY_MIDGARD ? 35 : 60));
	}
}

static int compare_numbers(const char *a, const char *b)
{
	unsigned x[3], y[3];

	assert_int_equal(sscanf(a, "%u.%u.%u", &x[0], &x[1], &x[2]), 3);
	assert_int_equal(sscanf(b, "%u.%u.%u", &y[0], &y[1], &y[2]), 3);
	for (int i = 0; i < 3; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

TEST(numbers_rise_and_none_is_given_twice)
{
	for (unsigned i = 0; i < PRODUCTS; i++)
		for (unsigned k = 1; k < views[i].n_rows; k++)
			if (compare_numbers(views[i].rows[k - 1].number, views[i].rows[k].number) >= 0)
				fail_msg("%s: %s stands before %s", db->products[i].name,
					 views[i].rows[k - 1].number, views[i].rows[k].number);
}

TEST(rows_of_the_own_template_keep_their_numbers_and_gaps)
{
	for (unsigned i = 0; i < PRODUCTS; i++) {
		const struct metric_template *t = views[i].parent;
		unsigned at = 0;

		for (unsigned k = 0; k < t->n_rows; k++) {
			struct span names = t->rows[k].names;
			const struct metric *m = NULL;

			while (names.n && !m)
				m = metric_find(sets[i], span_trim(span_until(&names, '/')));
			while (m && views[i].rows[at].def != &t->rows[k])
				assert_true(++at < views[i].n_rows); /* additions in between */
			if (!m)
				continue;
			assert_string_equal(views[i].rows[at].number, t->rows[k].number);
			assert_ptr_equal(views[i].rows[at].metric, m);
		}
	}
}

TEST(a_metric_that_a_gpu_does_not_have_leaves_a_gap)
{
	static const struct {
		const char *gpu, *gap, *next;
	} cases[] = {
		{"G720", "4.6.1", "4.7.1"}, /* no prepass before Mali-G625 */
		{"G710", "6.1.5", "6.2.2"}, /* no ray tracing unit */
		{"G710", "10.1.1", "11.1.1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_null(row_numbered(cases[i].gpu, cases[i].gap));
		assert_non_null(row_numbered(cases[i].gpu, cases[i].next));
	}
}

TEST(the_first_alternative_that_a_gpu_has_is_taken_with_its_title)
{
	static const struct {
		const char *gpu, *number, *metric, *title;
	} cases[] = {
		{"G715", "3.1.1", "MaliGPUActiveRawCy", "GPU active cycles"},
		{"G710", "3.1.1", "MaliGPUActiveCy", "GPU active cycles"},
		{"G715", "4.2.2", "MaliGeomFaceCullRate", "Facing plane test cull rate"},
		{"G710", "4.2.2", "MaliGeomFaceXYPlaneCullRate",
		 "Facing or XY plane test cull percentage"}, /* another quantity */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct template_row *row = row_numbered(cases[i].gpu, cases[i].number);

		assert_string_equal(row->metric->def->name, cases[i].metric);
		assert_string_equal(row->title, cases[i].title);
	}
}

/* Valhall with a Job Manager gets what the template of Mali-G715 has beyond that of Mali-G52. */
TEST(a_valhall_jm_gpu_has_every_metric_of_both_templates_that_it_can)
{
	const struct metric_template *own = template_guide_of(db, gpudb_product(db, place_of("G52")));
	const struct metric_template *adds = template_guide_of(db, gpudb_product(db, place_of("G715")));
	const struct metric_template *const both[] = {own, adds};

	for (unsigned i = 0; i < PRODUCTS; i++) {
		bool added = db->products[i].family == FAMILY_VALHALL_JM;

		for (size_t t = 0; t < 1 + (size_t)added && views[i].parent == own; t++)
			for (unsigned k = 0; k < both[t]->n_rows; k++) {
				struct span names = both[t]->rows[k].names;
				const struct metric *m = NULL;

				while (names.n && !m)
					m = metric_find(sets[i], span_trim(span_until(&names, '/')));
				if (m && !row_of_metric(db->products[i].name, m->def->name))
					fail_msg("%s: %s is missing", db->products[i].name, m->def->name);
			}
		for (unsigned k = 0; k < views[i].n_rows && !added; k++) {
			const struct template_row_def *def = views[i].rows[k].def;

			assert_true(def >= views[i].parent->rows &&
				    def < views[i].parent->rows + views[i].parent->n_rows);
		}
	}
}

/* ---- the rules, with texts of their own ---- */

static const char tiny[] = "layout L\n  slots 64\n  block front_end\n    1 A MaliA\n    2 B MaliB\n    3 C "
			   "MaliC\n    4 D MaliD\n    5 E MaliE\n"
			   "gpu Mali-T1\n  family Valhall-JM\n  id 0x9009\n  layout L\n"
			   "metric MaliA\n  title A\n  unit cycles\n"
			   "metric MaliB\n  title B\n  unit cycles\n"
			   "metric MaliC\n  title C\n  unit cycles\n"
			   "metric MaliD\n  title D\n  unit cycles\n"
			   "metric MaliE\n  title E\n  unit cycles\n"
			   "metric MaliZ\n  title Z\n  unit cycles\n  gpus @5thGen\n";

static void expect_rows(const char *templates, const char *want)
{
	const struct gpudb_text texts[] = {{"tiny", SPAN_LIT(tiny)}, {"test", span_of(templates)}};
	AUTO_STRBUF struct strbuf out = {0};
	struct template_view view;
	struct metric_set *set;
	struct gpudb *own;
	struct err err;

	own = gpudb_load_texts(texts, 2, &err);
	if (!own)
		fail_msg("%s", err.text);
	set = set_of_gpu(own, gpudb_product(own, 0), DEFINITIONS_CURRENT, false);
	template_view_init(&view, own, set);
	strbuf_str(&out, "");
	for (unsigned i = 0; i < view.n_rows; i++)
		strbuf_printf(&out, "%s %s/%s/%s %s\n", view.rows[i].number, view.rows[i].section,
			      view.rows[i].chart, view.rows[i].title, view.rows[i].unit_name);
	assert_string_equal(out.p, want);
	template_view_fini(&view);
	metric_set_free(set);
	gpudb_free(own);
}

TEST(titles_and_units_of_the_guide_come_before_the_metrics_own)
{
	expect_rows(
		"template T\n  for Bifrost,Valhall-JM\nsection 1 S\nchart 1.1 X\n"
		"  1.1.1 MaliA\n  1.1.2 MaliB | Other\n  1.1.3 MaliC | | percent\n  1.1.4 MaliD | Third | "
		"bytes\n",
		"1.1.1 S/X/A cycles\n1.1.2 S/X/Other cycles\n1.1.3 S/X/C percent\n1.1.4 S/X/Third bytes\n");
}

TEST(additions_follow_their_chart_their_section_or_the_end)
{
	expect_rows("template T\n  for Valhall-JM\n  adds Valhall-JM U\n"
		    "section 1 S\nchart 1.1 X\n  1.1.1 MaliA\n  1.1.2 MaliZ\nchart 1.2 Y\n  1.2.1 MaliB\n"
		    "section 2 R\nchart 2.1 X\n  2.1.1 MaliZ\n"
		    "template U\nsection 7 S\nchart 7.1 X\n  7.1.1 MaliA\n  7.1.2 MaliC\nchart 7.2 New\n  "
		    "7.2.1 MaliD\n"
		    "section 9 Q\nchart 9.4 X\n  9.4.1 MaliE\n",
		    /* C follows the number of Z, which this GPU does not have; a chart of the same
		 * title in another section is a different one */
		    "1.1.1 S/X/A cycles\n1.1.3 S/X/C cycles\n1.2.1 S/Y/B cycles\n1.3.1 S/New/D cycles\n3.1.1 "
		    "Q/X/E cycles\n");
}

TEST(a_metric_that_is_there_already_is_not_added_again)
{
	expect_rows(
		"template T\n  for Valhall-JM\n  adds Valhall-JM U\nsection 1 S\nchart 1.1 X\n  1.1.1 MaliA\n"
		"template U\nsection 2 P\nchart 2.1 X\n  2.1.1 MaliA\n  2.1.2 MaliZ / MaliA\n",
		"1.1.1 S/X/A cycles\n");
}

TEST(other_families_get_no_additions)
{
	expect_rows(
		"template T\n  for Valhall-JM\n  adds Bifrost U\nsection 1 S\nchart 1.1 X\n  1.1.1 MaliA\n"
		"template U\nsection 1 S\nchart 1.1 X\n  1.1.1 MaliB\n",
		"1.1.1 S/X/A cycles\n");
	expect_rows("template T\n  for Bifrost\nsection 1 S\nchart 1.1 X\n  1.1.1 MaliA\n", "");
}

TEST(a_later_template_of_the_same_name_replaces_the_earlier)
{
	expect_rows("template T\n  for Valhall-JM\nsection 1 S\nchart 1.1 X\n  1.1.1 MaliA\n  1.1.2 MaliB\n"
		    "template T\n  for Valhall-JM\nsection 4 P\nchart 4.1 Y\n  4.1.1 MaliC\n",
		    "4.1.1 P/Y/C cycles\n");
}

TEST(malformed_templates_name_file_line_and_what_was_expected)
{
#define TEMPLATE "template T\nsection 1 S\n"
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"section 1 S\n", "test:1: section without a template above it"},
		{"chart 1.1 S\n", "test:1: chart without a template above it"},
		{"template T\nchart 1.1 X\n", "test:2: chart without a section above it"},
		{"template T\nsection S\n", "test:2: section 'S': expected a number and a title"},
		{"template T\nsection 1\n", "test:2: section '1': expected a number and a title"},
		{TEMPLATE "chart 1.1\n", "test:3: chart '1.1': expected a number and a title"},
		{TEMPLATE "chart X Y\n", "test:3: chart 'X Y': expected a number and a title"},
		{TEMPLATE "chart 1.1 X\n  MaliA\n",
		 "test:4: 'MaliA': expected a number such as 2.2.1 and a metric"},
		{TEMPLATE "chart 1.1 X\n  1.1.1\n", "test:4: 1.1.1: expected a metric"},
		{TEMPLATE "chart 1.1 X\n  1.1.1 | Title\n", "test:4: 1.1.1: expected a metric"},
		{TEMPLATE "chart 1.1 X\n  1.1.1 M | T | miles\n", "test:4: unit 'miles' is not known"},
		{TEMPLATE "chart 1.1 X\n  1.1.1 M\n    2 N\n",
		 "test:5: '2 N': a row of a chart is indented by 2"},
		{TEMPLATE "chart 1.1 X\n  1111111111111111 M\n",
		 "test:4: '1111111111111111': expected a number such as 2.2.1"},
		{"template T\n  adds Bifrost\n",
		 "test:2: adds 'Bifrost': expected a family and the name of a template"},
		{"template T\n  cores median\n", "test:2: cores 'median': expected mean or sum"},
		{"template T\n  bounds none\n", "test:2: bounds 'none': expected upper or both"},
		{"template T\n  color red\n",
		 "test:2: unknown field 'color': expected one of for adds cores bounds"},
		{"template T\nsection 1 S\n  x y\n", "test:3: "},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = {0};
		struct gpudb *none =
			gpudb_load_texts(&(struct gpudb_text){"test", span_of(cases[i].text)}, 1, &err);

		if (none || strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("case %zu: '%s' does not begin with '%s'", i, err.text, cases[i].want);
	}
}

/* ---- what people read ---- */

TEST(every_metric_of_a_template_exists)
{
	for (unsigned i = 0; i < db->n_templates; i++)
		for (unsigned k = 0; k < db->templates[i].n_rows; k++) {
			struct span names = db->templates[i].rows[k].names;

			while (names.n) {
				struct span name = span_trim(span_until(&names, '/'));

				if (!metric_def_find(db, name))
					fail_msg("%s %s: %.*s", db->templates[i].name,
						 db->templates[i].rows[k].number, SPAN_ARG(name));
			}
		}
}

static unsigned words(struct span rest)
{
	unsigned n = 0;

	while (span_word(&rest).n)
		n++;
	return n;
}

TEST(every_metric_of_a_template_has_a_help_of_twenty_words)
{
	for (unsigned i = 0; i < PRODUCTS; i++)
		for (unsigned k = 0; k < views[i].n_rows; k++) {
			const struct metric_def *def = views[i].rows[k].metric->def;

			AUTO_STRBUF struct strbuf help = {0};

			metric_help(def, &help);
			if (words((struct span){help.p, help.n}) < 20 || !def->group[0] ||
			    !views[i].rows[k].title[0])
				fail_msg("%s: %s: '%s'", db->products[i].name, def->name, help.p);
		}
}

/* Hashes of every five words in a row, without case and punctuation; sorted. */
struct grams {
	const struct metric_def *def;
	uint64_t hash[200];
	unsigned n;
};

static int by_hash(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void grams_init(struct grams *g, const struct metric_def *def)
{
	AUTO_STRBUF struct strbuf help = {0};
	uint64_t word[5] = {0};
	unsigned n = 0;

	strbuf_str(&help, "");
	metric_help(def, &help);
	g->def = def;
	g->n = 0;
	for (const char *p = help.p; *p;) {
		uint64_t h = 14695981039346656037u;

		while (*p && !isalnum((unsigned char)*p))
			p++;
		if (!*p)
			break;
		for (; isalnum((unsigned char)*p); p++)
			h = (h ^ (unsigned char)tolower((unsigned char)*p)) * 1099511628211u;
		memmove(word, word + 1, 4 * sizeof(*word));
		word[4] = h;
		if (++n < 5)
			continue;
		assert_true(g->n < ARRAY_LEN(g->hash));
		g->hash[g->n++] = span_hash((struct span){(const char *)word, sizeof(word)});
	}
	qsort(g->hash, g->n, sizeof(g->hash[0]), by_hash);
}

/* What part of the shorter help stands in the other. */
static double overlap(const struct grams *a, const struct grams *b)
{
	unsigned common = 0;

	for (unsigned i = 0, k = 0; i < a->n && k < b->n;) {
		common += a->hash[i] == b->hash[k];
		if (a->hash[i] <= b->hash[k])
			i++;
		else
			k++;
	}
	return (double)common / (a->n < b->n ? a->n : b->n);
}

/* Rows of one stanza have one help. */
static bool are_rows(const struct metric_def *a, const struct metric_def *b)
{
	return a->file == b->file && a->exprs && b->exprs && a->exprs->line == b->exprs->line;
}

TEST(no_two_helps_are_alike)
{
	AUTOFREE struct grams *all = xcalloc(db->n_metrics, sizeof(*all));
	unsigned n = 0;

	for (unsigned i = 0; i < db->n_metrics; i++)
		if (words(db->metrics[i].help) >= 20)
			grams_init(&all[n++], &db->metrics[i]);
	assert_true(n > 100);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++)
			if (overlap(&all[i], &all[k]) > 0.5 && !are_rows(all[i].def, all[k].def))
				fail_msg("%s and %s: %.2f", all[i].def->name, all[k].def->name,
					 overlap(&all[i], &all[k]));
}

TEST_GROUP(load_all, free_all)
