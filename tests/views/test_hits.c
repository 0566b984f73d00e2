/* What stands where: panels and rows that can be selected, on every view, GPU and size. */
#include "tests/support/golden_machine.h"

static const char *const gpus[] = {"Mali-G52", "Mali-G715", "Mali-G625", NULL};
static const int sizes[][2] = {{40, 10}, {80, 24}, {100, 30}, {160, 48}, {300, 100}};

static void draw_view(struct golden_machine *m, const struct view *view, const int size[2], struct canvas *c)
{
	canvas_resize(c, size[0], size[1]);
	m->data.hits->n = 0;
	machine_draw(m, view, c);
}

static bool is_inside(const struct rect *in, const struct rect *out)
{
	return in->x >= out->x && in->y >= out->y && in->x + in->w <= out->x + out->w &&
	       in->y + in->h <= out->y + out->h;
}

/* Rows follow their panel and lie in it, if there is room for panels, and no two have the same
 * subject. */
static void check_rows(const struct hits *hits, const char *where)
{
	const struct hit *panel = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < hits->n; i++) {
		const struct hit *hit = &hits->list[i];

		if (hit->kind == HIT_PANEL)
			panel = hit;
		if (hit->kind != HIT_ROW)
			continue;
		if (panel && hit->subject.chart != panel->subject.chart)
			fail_msg("%s: row %u is in another panel", where, n);
		if (panel && hit->at.h > 0 && (!is_inside(&hit->at, &panel->at) || hit->at.w < 10))
			fail_msg("%s: row %u of %s is not inside its panel", where, n,
				 panel->subject.chart->name);
		if (hits_row(hits, &hit->subject) != (int)i)
			fail_msg("%s: two rows of %s are the same", where, hit->subject.chart->name);
		n++;
	}
	if (!n)
		fail_msg("%s: no row can be selected", where);
}

/* Processes are rows of another kind; without a GPU there are no counters. */
static bool has_rows(const struct view *view, const char *gpu)
{
	return strcmp(view->name, "processes") != 0 && (gpu || strcmp(view->name, "counters") != 0);
}

TEST(every_view_has_rows_to_select_inside_its_panels)
{
	struct hits hits = {0};
	struct canvas c;

	canvas_init(&c, 1, 1, false);
	for (size_t g = 0; g < ARRAY_LEN(gpus); g++) {
		struct golden_machine m;

		machine_init(&m, gpus[g], NULL);
		m.data.hits = &hits;
		for (unsigned i = 0; i < m.views.n_views * ARRAY_LEN(sizes) * 2; i++) {
			const struct view *view = &m.views.views[i / 2 / ARRAY_LEN(sizes)];
			const int *size = sizes[i / 2 % ARRAY_LEN(sizes)];
			char where[64];

			if (!has_rows(view, gpus[g]))
				continue;
			m.data.per_instance = i & 1;
			snprintf(where, sizeof(where), "%s, %s, %dx%d%s", gpus[g] ? gpus[g] : "no GPU",
				 view->name, size[0], size[1], i & 1 ? ", per core" : "");
			draw_view(&m, view, size, &c);
			check_rows(&hits, where);
		}
		machine_fini(&m);
	}
	hits_fini(&hits);
	canvas_fini(&c);
}

/* The selected row stands out over its width, and nothing else does. */
static void check_marked(const struct canvas *c, const struct rect *row, const char *where)
{
	for (int i = 0; i < c->cols * c->rows; i++) {
		int x = i % c->cols, y = i / c->cols;
		bool marked = c->cells[i].style >= STYLE_ON_SELECTED;
		bool wanted = is_inside(&(struct rect){x, y, 1, 1}, row);

		if (marked != wanted)
			fail_msg("%s: %d, %d %s marked", where, x, y, marked ? "is" : "is not");
	}
}

TEST(the_selected_row_is_marked_and_no_other)
{
	static const int size[2] = {160, 48};
	struct hits hits = {0};
	struct golden_machine m;
	struct canvas c;

	canvas_init(&c, 1, 1, false);
	machine_init(&m, "Mali-G715", NULL);
	m.data.hits = &hits;
	for (unsigned v = 0; v < m.views.n_views; v++) {
		if (!has_rows(&m.views.views[v], "Mali-G715"))
			continue;
		m.data.selected = (struct row_subject){0};
		draw_view(&m, &m.views.views[v], size, &c);
		check_marked(&c, &(struct rect){0}, m.views.views[v].name);
		for (int at = -1; (at = hits_next_row(&hits, at, 1)) >= 0 && at < 200;) {
			m.data.selected = hits.list[at].subject;
			draw_view(&m, &m.views.views[v], size, &c);
			check_marked(&c, &hits.list[at].mark, hits.list[at].subject.chart->name);
		}
	}
	machine_fini(&m);
	hits_fini(&hits);
	canvas_fini(&c);
}

/* Down through the counters: the list follows, so that each is seen when it is selected. */
TEST(a_scrolling_list_follows_the_selected_row)
{
	static const int size[2] = {100, 30};
	struct view_scroll scroll = {0};
	struct hits hits = {0};
	struct golden_machine m;
	struct canvas c;
	unsigned rows = 0;

	canvas_init(&c, 1, 1, false);
	machine_init(&m, "Mali-G715", NULL);
	m.data.hits = &hits;
	m.data.scroll = &scroll;
	draw_view(&m, views_find(&m.views, "counters"), size, &c);
	for (int at = -1; (at = hits_next_row(&hits, at, 1)) >= 0; rows++) {
		m.data.selected = hits.list[at].subject;
		scroll.follow = true;
		draw_view(&m, views_find(&m.views, "counters"), size, &c);
		assert_int_equal(hits.list[at].at.h, 1);
	}
	assert_int_equal(scroll.at, scroll.max);
	assert_true(rows > 100);
	scroll = (struct view_scroll){.at = 0}; /* the wheel moves away from it */
	draw_view(&m, views_find(&m.views, "counters"), size, &c);
	assert_int_equal(scroll.at, 0);
	machine_fini(&m);
	hits_fini(&hits);
	canvas_fini(&c);
}

TEST(a_panel_can_be_shown_alone_over_the_whole_body)
{
	struct hits hits = {0};
	struct golden_machine m;
	struct canvas c;

	canvas_init(&c, 1, 1, false);
	machine_init(&m, "Mali-G715", NULL);
	m.data.hits = &hits;
	for (unsigned i = 0; i < m.views.n_views * ARRAY_LEN(sizes); i++) {
		const struct view *view = &m.views.views[i / ARRAY_LEN(sizes)];
		const struct chart *chart = view_panel(view, &m.data, view->charts - 1, 1);

		assert_non_null(chart);
		for (; chart; chart = view_panel(view, &m.data, chart, 1)) {
			unsigned panels = 0;

			m.data.zoom = chart;
			draw_view(&m, view, sizes[i % ARRAY_LEN(sizes)], &c);
			for (unsigned k = 0; k < hits.n; k++) {
				if (hits.list[k].kind != HIT_PANEL)
					continue;
				panels++;
				assert_ptr_equal(hits.list[k].subject.chart, chart);
				assert_int_equal(hits.list[k].at.w, c.cols);
				assert_in_range(hits.list[k].at.h, c.rows - 3 - VIEW_FOOT_LINES, c.rows - 3);
			}
			assert_int_equal(panels, 1);
		}
	}
	machine_fini(&m);
	hits_fini(&hits);
	canvas_fini(&c);
}

TEST(the_last_drawn_is_on_top)
{
	struct hits hits = {0};

	hits_add(NULL, &(struct hit){.kind = HIT_ROW}); /* no map is wanted */
	assert_null(hits_at(&hits, 0, 0));
	hits_add(&hits, &(struct hit){.at = {2, 2, 10, 5}, .kind = HIT_PANEL});
	hits_add(&hits, &(struct hit){.at = {4, 3, 6, 1}, .kind = HIT_ROW});
	hits_add(&hits, &(struct hit){.at = {4, 4, 6, 0}, .kind = HIT_ROW}); /* scrolled away */
	assert_int_equal(hits_at(&hits, 4, 3)->kind, HIT_ROW);
	assert_int_equal(hits_at(&hits, 9, 3)->kind, HIT_ROW);
	assert_int_equal(hits_at(&hits, 10, 3)->kind, HIT_PANEL);
	assert_int_equal(hits_at(&hits, 4, 4)->kind, HIT_PANEL);
	assert_null(hits_at(&hits, 12, 3));
	assert_null(hits_at(&hits, 4, 7));
	hits_fini(&hits);
}

/* Its newest cell ends at 100 s, and each is a second long. */
TEST(a_graph_has_a_moment_in_each_cell_and_covers_its_row)
{
	static const struct {
		int x;
		int64_t at_ns;
	} cases[] = {{29, 100}, {28, 99}, {20, 91}, {35, 100}, {3, 91}};
	struct hits hits = {0};
	const struct hit *hit;

	hits_add(&hits, &(struct hit){.at = {0, 4, 30, 1}, .kind = HIT_ROW, .number = 7});
	hits_add(&hits, &(struct hit){.at = {20, 4, 10, 1},
				      .kind = HIT_GRAPH,
				      .end_ns = 100000000000,
				      .cell_ns = 1000000000});
	hit = hits_at(&hits, 25, 4);
	assert_int_equal(hit->kind, HIT_GRAPH);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(hits_moment(hit, cases[i].x), cases[i].at_ns * 1000000000);
	assert_int_equal(hits_row_at(&hits, 25, 4)->number, 7);
	assert_null(hits_row_at(&hits, 25, 5));
	hits_fini(&hits);
}
