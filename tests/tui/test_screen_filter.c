/* A filter leaves the rows with its text in every view; counters can be sorted. */
#include "tests/support/shipped.h"
#include "tests/support/sim_screen.h"

#define SAMPLES 10

struct filter_bench {
	struct gpudb *db;
	struct sim_screen s;
	struct strbuf text; /* of the last draw */
};

static void draw_view(struct filter_bench *b, const char *view, const char *filter)
{
	struct screen *screen = &b->s.screen;
	AUTOFREE char *text = xstrdup(filter); /* it may be the screen's */

	if (strcmp(screen->view->name, view) != 0)
		screen_show(screen, views_find(&screen->views, view));
	snprintf(screen->filter, sizeof(screen->filter), "%s", text);
	screen_draw(screen, NULL, &b->s.canvas);
	strbuf_clear(&b->text);
	canvas_dump(&b->s.canvas, &b->text);
}

FIXTURE(bench_init)
{
	struct filter_bench *b = *state = xcalloc(1, sizeof(*b));

	b->db = load_shipped();
	sim_screen_init(&b->s, b->db, "Mali-G715", "fragment-bound");
	sim_screen_run(&b->s, SAMPLES);
	canvas_init(&b->s.canvas, 160, 100, false);
	return 0;
}

FIXTURE(bench_fini)
{
	struct filter_bench *b = *state;

	strbuf_fini(&b->text);
	canvas_fini(&b->s.canvas);
	screen_forget_filtered(&b->s.screen);
	sim_screen_fini(&b->s);
	gpudb_free(b->db);
	free(b);
	return 0;
}

TEST_EACH(bench_init, bench_fini)

static bool shows(const struct filter_bench *b, const char *text)
{
	return strstr(b->text.p, text) != NULL;
}

TEST(only_rows_with_the_text_stay)
{
	struct filter_bench *b = *state;

	draw_view(b, "core", "");
	assert_true(shows(b, "arithmetic") && shows(b, "load/store"));
	draw_view(b, "core", "LOAD/st");
	assert_true(shows(b, "load/store") && shows(b, "FILTER LOAD/st"));
	assert_false(shows(b, "arithmetic"));
	draw_view(b, "core", "MaliALUUtil"); /* the name of the metric */
	assert_true(shows(b, "arithmetic"));
	assert_false(shows(b, "load/store"));
	draw_view(b, "core", "nothing has this");
	assert_true(shows(b, "No row matches. Esc clears the filter."));
}

TEST(a_row_of_the_filtered_view_can_be_selected_and_escape_shows_all)
{
	struct filter_bench *b = *state;
	struct screen *screen = &b->s.screen;

	draw_view(b, "core", "load/store");
	assert_true(screen_move(screen, 1));
	assert_string_equal(screen_selected(screen)->metric->def->name, "MaliLSUtil");
	assert_true(screen_zoom(screen, NULL));
	draw_view(b, "core", screen->filter);
	assert_true(screen_back(screen)); /* the panel alone */
	assert_true(screen_back(screen)); /* the filter */
	assert_string_equal(screen->filter, "");
	draw_view(b, "core", screen->filter);
	assert_true(shows(b, "arithmetic"));
	assert_null(screen_selected(screen)); /* its row was one of the filtered view */
}

TEST(a_metric_that_is_gone_to_is_shown_whatever_the_filter)
{
	struct filter_bench *b = *state;
	struct screen *screen = &b->s.screen;
	const struct metric *m = metric_find(b->s.session.gpu->set, SPAN_LIT("MaliALUUtil"));

	draw_view(b, "core", "load/store");
	assert_true(screen_show_metric(screen, views_find(&screen->views, "core"), m));
	draw_view(b, "core", screen->filter);
	assert_true(shows(b, "arithmetic"));
	assert_ptr_equal(screen_selected(screen)->metric, m);
}

/* The metrics of the rows as they are drawn. */
static unsigned list_rows(const struct filter_bench *b, const struct metric *rows[])
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->s.screen.hits.n; i++)
		if (b->s.screen.hits.list[i].kind == HIT_ROW && b->s.screen.hits.list[i].subject.metric)
			rows[n++] = b->s.screen.hits.list[i].subject.metric;
	return n;
}

TEST(counters_are_sorted_within_their_block)
{
	static const struct metric *rows[3][1000];
	struct filter_bench *b = *state;
	const double *total;
	unsigned n[3], same = 0;

	for (enum table_order order = 0; order < TABLE_ORDERS; order++) {
		b->s.screen.order = order;
		draw_view(b, "counters", "queue");
		n[order] = list_rows(b, rows[order]);
	}
	total = feeds_view(&b->s.feeds, SOURCE_GPU).total;
	assert_in_range(n[0], 5, 1000);
	assert_int_equal(n[1], n[0]);
	assert_int_equal(n[2], n[0]);
	for (unsigned i = 1; i < n[0] && i < 5; i++) { /* all of the front end */
		assert_true(metric_value(rows[TABLE_BY_COUNT][i - 1], total) >=
			    metric_value(rows[TABLE_BY_COUNT][i], total));
		assert_true(strcmp(rows[TABLE_BY_NAME][i - 1]->def->name, rows[TABLE_BY_NAME][i]->def->name) <
			    0);
	}
	for (unsigned i = 0; i < n[0]; i++)
		same += rows[TABLE_AS_HARDWARE][i] == rows[TABLE_BY_COUNT][i];
	assert_true(same < n[0]);
}
