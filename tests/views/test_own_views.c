/* Views, metrics and findings of the user's own: the example can be copied, and each mistake has a
 * message with its line. */
#include "backends/backend.h"
#include "base/alloc.h"
#include "model/finding.h"
#include "tests/support/test.h"
#include "views/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One file of the user's, and what a GPU makes of it. */
struct own_bench {
	struct gpudb *db;
	struct metric_set *set;
	struct views views;
};

static bool load_file(struct own_bench *b, const char *path, const char *gpu, struct err *err)
{
	const struct gpudb_dir dirs[] = {{path, true}};
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct source source = {0};

	*b = (struct own_bench){.db = gpudb_load(dirs, 1, err)};
	if (!b->db)
		return false;
	source.product = gpudb_by_name(b->db, gpu);
	source_add_gpu_sums(&source);
	b->set = metric_set_new(b->db,
				&(struct metric_source){.product = source.product,
							.slots = source.slots,
							.n_slots = source.n_slots},
				err);
	free(source.slots);
	sets[SOURCE_GPU] = b->set;
	return b->set && views_init(&b->views, b->db, sets, err);
}

static void bench_fini(struct own_bench *b)
{
	views_fini(&b->views);
	metric_set_free(b->set);
	gpudb_free(b->db);
}

static bool load_text(struct own_bench *b, const char *text, struct err *err)
{
	char path[] = "/tmp/own-XXXXXX";
	int fd = mkstemp(path);
	bool ok;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ok = load_file(b, path, "Mali-G715", err);
	unlink(path);
	return ok;
}

#define VIEW "view mine\n  title Mine\n"
#define CHART VIEW "chart c\n  widget rows\n"
#define METRIC "metric M\n  title M\n  unit percent\n"
#define FINDING "finding f\n  title F\n  says S\n"

/* The line number counts from the first line of the text. */
static const struct {
	const char *text, *message;
} broken[] = {
	/* lines and stanzas */
	{"viw mine\n", ":1: 'viw': expected view, options, gpu, layout, metric"},
	{"  title Mine\n", ":1: field without a stanza"},
	{"view\n", ":1: 'view': expected 'view NAME' or 'chart NAME'"},
	{VIEW "   \ttitle x\n", ":3: "},
	{VIEW " title x\n", ":3: indented by one blank"},
	{VIEW "chart c\n  widget rows\n    series MaliGPUActiveCy\n", ":5: indented by four or more"},
	/* views */
	{"view my view\n", ":1: view 'my view': expected a name of letters, digits, - and _"},
	{"view queues\n  title Mine\n", ":1: view queues is there already"},
	{CHART "  series GPUBusy\nview mine\n", ":6: view mine is there already"},
	{VIEW, ":2: view mine above has no chart"},
	{VIEW "view other\n", ":3: view mine above has no chart"},
	{VIEW "  key 7\n", ":3: key: own views have none"},
	{VIEW "  colour red\n", ":3: 'colour red' in a view: expected key"},
	{VIEW "  hidden maybe\n", ":3: 'hidden maybe' in a view"},
	/* charts */
	{"chart c\n", ":1: chart without a view: expected 'view NAME' above"},
	{VIEW "chart\n", ":3: 'chart': expected 'view NAME' or 'chart NAME'"},
	{VIEW "chart a b\n", ":3: chart 'a b': expected a name of letters"},
	{CHART "  series GPUBusy\nchart c\n", ":6: chart c is there already"},
	{VIEW "chart c\n  series GPUBusy\n", ":4: chart c above has no widget"},
	{CHART, ":4: chart c above has no series"},
	{VIEW "chart c\n  widget pie\n", ":4: unknown widget 'pie'"},
	{CHART "  place left\n  series GPUBusy\n", ":5: place 'left': expected half, full, wide or card"},
	{CHART "  priority 10\n  series GPUBusy\n", ":5: priority '10': expected 1 to 9"},
	{CHART "  weight much\n  series GPUBusy\n", ":5: weight 'much': expected 0 to 9"},
	{CHART "  only mali\n  series GPUBusy\n",
	 ":5: only 'mali': expected gpu, no-gpu, no-counters or a GPU set"},
	{CHART "  from 0\n  series GPUBusy\n", ":5: from '0': expected 1 to 500 columns"},
	{CHART "  series GPUBusy\n  zoom 3\n", ":6: unknown field 'zoom': expected title, base"},
	{CHART "  series GPUBusy\n  levels high\n", ":6: levels 'high': expected one of: load"},
	{CHART "  title\n", ":5: field 'title' without a value"},
	/* series */
	{CHART "  series\n", ":5: series without a metric"},
	{CHART "  series MaliFragQueueUtl\n",
	 ":5: series 'MaliFragQueueUtl': no metric has this name: see malitop list metrics"},
	{CHART "  series GPUBusy / GPUBusyness\n", ":5: series 'GPUBusyness': no metric has this name"},
	{CHART "  series GPUBusy | busy | GPULazy\n", ":5: series 'GPULazy': no metric has this name"},
	{CHART "  part GPUBusy\n", ":5: part without a series before it"},
	/* formulas */
	{CHART "  expr\n", ":5: expr without a formula"},
	{CHART "  expr GPUBusy | busy | furlongs\n", ":5: unit 'furlongs' is not known"},
	{CHART "  expr (GPUBusy + 1\n", ":5: metric mine.c.1: "},
	{CHART "  expr GPUBusy\n  expr 2 * $Nothing\n", ":6: metric mine.c.2: unknown name '$Nothing'"},
	/* metrics */
	{"metric A B\n", ":1: metric 'A B': a name has no blanks"},
	{"metric M\n  unit percent\n", ":1: metric M: expected a field 'title'"},
	{"metric M\n  title M\n", ":1: metric M: expected a field 'unit'"},
	{METRIC "  expr M + 1\n", "metric M is defined by itself"},
	{METRIC "  expr GPUBusy +\n", ":4: metric M: "},
	{METRIC "  alert over 3\n", ":4: alert 'over 3': expected 'above' or 'below' and a number"},
	/* findings */
	{"finding f\n", ":1: finding f: "},
	{FINDING "  severity high\n", ":4: severity 'high': expected note, warning or critical"},
	{FINDING "  when GPUBusy over 3\n", ":4: "},
	{FINDING "  when GPUBusiness above 3\n  do D\n  look queues\n  evidence GPUBusy\n  house H\n",
	 "GPUBusiness"},
};

TEST(every_mistake_has_its_message)
{
	assert_true(ARRAY_LEN(broken) >= 40);
	for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
		struct own_bench b = {0};
		struct err err = {0};

		if (load_text(&b, broken[i].text, &err))
			fail_msg("no error, wanted: %s\n%s", broken[i].message, broken[i].text);
		if (!strstr(err.text, "/tmp/own-") || !strstr(err.text, broken[i].message))
			fail_msg("wanted: %s\ngot: %s\n%s", broken[i].message, err.text, broken[i].text);
		bench_fini(&b);
	}
}

TEST(the_example_can_be_copied)
{
	static const char *const gpus[] = {"Mali-G715", "Mali-G52", "Mali-G625"};
	const char *srcdir = getenv("srcdir");
	AUTOFREE char *path = xasprintf("%s/contrib/own.view", srcdir ? srcdir : ".");

	for (size_t i = 0; i < ARRAY_LEN(gpus); i++) {
		struct own_bench b;
		const struct view *view;
		struct err err;

		if (!load_file(&b, path, gpus[i], &err))
			fail_msg("%s", err.text);
		view = views_find(&b.views, "user");
		assert_non_null(view);
		assert_string_equal(view->name, "game");
		assert_ptr_equal(view, views_find(&b.views, "u"));
		assert_int_equal(view->n_charts, 3);
		for (unsigned c = 0; c < view->n_charts; c++)
			assert_true(view->charts[c].n_series >= 2);
		assert_int_equal(view->charts[1].n_series, 4); /* with both formulas */
		assert_non_null(finding_find(b.db, FINDING_RULE, SPAN_LIT("game-traffic")));
		bench_fini(&b);
	}
}

TEST(a_formula_is_a_metric_with_its_label_and_unit)
{
	struct own_bench b;
	struct err err;
	const struct metric *m;
	AUTOFREE double *vector = NULL;

	if (!load_text(&b,
		       CHART
		       "  expr 3 * $MaliExternalBusBeatsReadBeats / MaliExtBusRdBt | three / 3 | ratio\n",
		       &err))
		fail_msg("%s", err.text);
	m = metric_find(b.set, SPAN_LIT("mine.c.1"));
	assert_non_null(m);
	assert_string_equal(m->def->unit->name, "ratio");
	assert_string_equal(views_find(&b.views, "mine")->charts[0].series[0].label, "three");
	assert_string_equal(views_find(&b.views, "mine")->charts[0].series[0].brief, "3");
	vector = xmalloc(b.set->n_vector * sizeof(*vector));
	for (unsigned i = 0; i < b.set->n_vector; i++)
		vector[i] = 7;
	assert_true(metric_value(m, vector) == 3);
	bench_fini(&b);
}

TEST(one_tab_leads_to_all_own_views)
{
	struct own_bench b;
	struct err err;

	if (!load_text(&b, CHART "  series GPUBusy\nview second\nchart c\n  widget rows\n  series GPUBusy\n",
		       &err))
		fail_msg("%s", err.text);
	assert_int_equal(views_find(&b.views, "mine")->key, 'u');
	assert_false(views_find(&b.views, "mine")->hidden);
	assert_int_equal(views_find(&b.views, "second")->key, 0);
	assert_true(views_find(&b.views, "second")->hidden);
	bench_fini(&b);
}
