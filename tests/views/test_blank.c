/* The screen is used: at no size is more than a tenth of a view's rows blank, with a verdict row or
 * without. What is said in colour is said in words as well. */
#include "tests/support/golden_machine.h"

#define COPIES 1000
#define BORDER 0x2500
#define HEADING 8 /* columns about a number in which its heading stands */

/* Every series has this value, so that a graph fills its rows and what is blank was given to
 * nothing. */
static const char full_metrics[] = "slots test\n"
				   "  names A\n"
				   "metric Full\n"
				   "  title Full\n"
				   "  unit percent\n"
				   "  expr A / A * 100\n"
				   "metric Beyond\n"
				   "  title Beyond\n"
				   "  unit ratio\n"
				   "  alert above 10\n"
				   "  expr A / A * 100\n";

static struct metric_set *full_set(struct gpudb **db)
{
	struct err err;

	*db = gpudb_load_texts(&(struct gpudb_text){"full.metrics", span_of(full_metrics)}, 1, &err);
	if (!*db)
		fail_msg("%s", err.text);
	return set_new(*db, &(struct metric_source){.slots = (struct slot[]){{.name = "A", .scale = 1}},
						    .n_slots = 1});
}

static void fill_history(struct measured *source)
{
	for (int i = 0; source->set && i < POINTS; i++)
		source->newest[VECTOR_CONSTANTS] = source->vectors[i][VECTOR_CONSTANTS] = 1;
}

/* Each series has a metric of its own, because a compact view shows each only once. */
static struct metric *fill_series(struct golden_machine *m, const struct metric *full)
{
	struct metric *copies = xcalloc(COPIES, sizeof(*copies));
	unsigned n = 0;

	fill_history(&m->gpu);
	fill_history(&m->cpu);
	for (unsigned v = 0; v < m->views.n_views; v++)
		for (unsigned i = 0; i < m->views.views[v].n_charts; i++)
			for (unsigned k = 0; k < m->views.views[v].charts[i].n_series; k++) {
				assert_true(n < COPIES);
				copies[n] = *full;
				m->views.views[v].charts[i].series[k].metric = &copies[n++];
			}
	return copies;
}

/* Nothing but blanks and the sides of panels. */
static bool is_blank(const struct canvas *c, int row)
{
	for (int x = 0; x < c->cols; x++) {
		uint32_t ch = c->cells[row * c->cols + x].ch;

		if (ch != ' ' && ch != 0x2502)
			return false;
	}
	return true;
}

static int count_blank(const struct golden_machine *m, const struct view *view, int cols, int rows, int *body)
{
	struct canvas c;
	struct rect r;
	int blank = 0;

	canvas_init(&c, cols, rows, false);
	r = machine_draw(m, view, &c);
	for (int y = r.y; y < r.y + r.h; y++)
		blank += is_blank(&c, y);
	*body = r.h;
	canvas_fini(&c);
	return blank;
}

/* Lists have the rows of what they list, and below them is nothing else that could be shown. */
static bool is_list(const struct view *view)
{
	return !view->charts[view->n_charts - 1].n_series;
}

/* In panels of half the width bars have the columns of histories, which alone grow. Here, where
 * every series is a percentage, that is all of them; on the real screen it is not. */
static bool is_expected(const struct view *view, const int size[2])
{
	return strcmp(view->name, "units") == 0 && size[0] == 80;
}

static const char *const gpus[] = {"Mali-G52", "Mali-G715", "Mali-G625", NULL};
static const int sizes[][2] = {{40, 10}, {80, 24}, {100, 30}, {120, 40}, {160, 48}, {200, 60}, {300, 100}};

static const struct verdict_text no_verdict = {0},
				 a_verdict = {"GPU bound: fragment", STYLE_HOT, "97.6 % of GPU active", 0};

/* Returns at how many sizes a view of this machine wastes rows. */
static int count_wasted(const struct golden_machine *m, const char *gpu)
{
	int wasted = 0;

	for (unsigned v = 0; v < m->views.n_views; v++)
		for (size_t s = 0; s < ARRAY_LEN(sizes) && !is_list(&m->views.views[v]); s++) {
			const struct view *view = &m->views.views[v];
			int body, blank = count_blank(m, view, sizes[s][0], sizes[s][1], &body);

			if (10 * blank <= body || is_expected(view, sizes[s]))
				continue;
			print_error("%s of %s at %dx%d%s: %d of %d rows are blank\n", view->name,
				    gpu ? gpu : "no GPU", sizes[s][0], sizes[s][1],
				    m->text.verdict[0].words ? " with a verdict" : "", blank, body);
			wasted++;
		}
	return wasted;
}

TEST(no_more_than_a_tenth_of_the_rows_is_blank)
{
	struct gpudb *db;
	struct metric_set *set = full_set(&db);
	int wasted = 0;

	for (size_t g = 0; g < ARRAY_LEN(gpus); g++) {
		struct golden_machine m;

		machine_init(&m, gpus[g], NULL);
		AUTOFREE struct metric *copies = fill_series(&m, &set->metrics[0]);

		(void)copies; /* freed at the end */
		m.text.verdict[0] = no_verdict;
		wasted += count_wasted(&m, gpus[g]);
		m.text.verdict[0] = a_verdict;
		wasted += count_wasted(&m, gpus[g]);
		machine_fini(&m);
	}
	metric_set_free(set);
	gpudb_free(db);
	assert_int_equal(wasted, 0);
}

/* Whether a cell of that row, or of the heading over the column x, is `ch`. */
static bool is_near(const struct canvas *c, int x, int row, uint32_t ch)
{
	for (int i = 0; i < c->cols; i++)
		if (c->cells[row * c->cols + i].ch == ch)
			return true;
	for (int y = row; y >= 0 && c->cells[y * c->cols + x].ch != BORDER; y--)
		for (int i = x > HEADING ? x - HEADING : 0; i < x + HEADING && i < c->cols; i++)
			if (c->cells[y * c->cols + i].ch == ch)
				return true;
	return false;
}

/* The level of a number is told without its colour by a mark, or because it is a percentage, whose
 * levels are 70 and 90. */
static bool is_told(const struct canvas *c, int row)
{
	for (int x = 0; x < c->cols; x++) {
		const struct cell *cell = &c->cells[row * c->cols + x];

		if ((cell->style == STYLE_BUSY || cell->style == STYLE_HOT) && cell->ch >= '0' &&
		    cell->ch <= '9' && !is_near(c, x, row, '!') && !is_near(c, x, row, '%'))
			return false;
	}
	return true;
}

static int count_untold(const struct golden_machine *m, const struct view *view, const int size[2])
{
	struct canvas c;
	struct rect r;
	int untold = 0;

	canvas_init(&c, size[0], size[1], false);
	r = machine_draw(m, view, &c);
	for (int y = r.y; y < r.y + r.h; y++) {
		if (is_told(&c, y))
			continue;
		print_error("%s at %dx%d: only a colour tells the level in row %d\n", view->name, size[0],
			    size[1], y);
		untold++;
	}
	canvas_fini(&c);
	return untold;
}

TEST(a_number_beyond_its_limit_is_marked_and_not_only_coloured)
{
	struct gpudb *db;
	struct metric_set *set = full_set(&db);
	int untold = 0;

	for (size_t g = 0; g < ARRAY_LEN(gpus); g++) {
		struct golden_machine m;

		machine_init(&m, gpus[g], NULL);
		AUTOFREE struct metric *copies = fill_series(&m, &set->metrics[1]);

		(void)copies; /* freed at the end */
		for (unsigned v = 0; v < m.views.n_views; v++)
			for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
				untold += count_untold(&m, &m.views.views[v], sizes[s]);
		machine_fini(&m);
	}
	metric_set_free(set);
	gpudb_free(db);
	assert_int_equal(untold, 0);
}

TEST(the_verdict_has_a_row_of_its_own_while_there_is_one)
{
	struct golden_machine m;
	const struct view *view;

	machine_init(&m, "Mali-G715", NULL);
	view = &m.views.views[0];
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		struct canvas without, with;
		struct rect below, above;

		canvas_init(&without, sizes[s][0], sizes[s][1], false);
		canvas_init(&with, sizes[s][0], sizes[s][1], false);
		m.text.verdict[0] = no_verdict;
		above = machine_draw(&m, view, &without);
		m.text.verdict[0] = a_verdict;
		below = machine_draw(&m, view, &with);
		assert_int_equal(below.y, above.y + 1);
		assert_int_equal(below.h, above.h - 1);
		assert_int_equal(with.cells[above.y * with.cols + 1].ch, 'G');
		assert_int_equal(with.cells[above.y * with.cols + 1].style, STYLE_HOT);
		canvas_fini(&with);
		canvas_fini(&without);
	}
	machine_fini(&m);
}
