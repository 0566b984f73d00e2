/* The row for the whole history: what a cell of it shows, and which moment a column stands for. */
#include "tests/support/test.h"
#include "views/timeline.h"
#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define S 1000000000ll
#define COLS 40 /* of which 20 are the timeline */
#define FIRST 10
#define CELLS 20

static struct timeline_cell cells[CELLS];
static const struct timeline_place marks[] = {{.at_ns = 0, .text = "mark 1"},
					      {.at_ns = 150 * S, .text = "mark 2"},
					      {.at_ns = 900 * S, .text = "after the end"}};

static struct timeline timeline_of(int64_t at_ns)
{
	return (struct timeline){.begin_ns = 100 * S,
				 .end_ns = 200 * S,
				 .at_ns = at_ns,
				 .cells = cells,
				 .n_cells = CELLS,
				 .marks = marks,
				 .n_marks = ARRAY_LEN(marks),
				 .begin = "14:00:00",
				 .end = "14:01:40"};
}

FIXTURE(measure_cells)
{
	static const float shares[] = {0, 0.5f, 0.8f, 0.95f, NAN};

	for (size_t i = 0; i < CELLS; i++)
		cells[i] = (struct timeline_cell){.share = shares[i % ARRAY_LEN(shares)]};
	cells[6].lost = true;
	return 0;
}

static const struct cell *cell_at(const struct canvas *c, int x)
{
	return &c->cells[FIRST + x];
}

static void draw_row(struct canvas *c, const struct timeline *t, bool ascii, struct hits *hits)
{
	canvas_init(c, COLS, 1, ascii);
	timeline_draw(t, c, canvas_rect(c), hits);
}

TEST(a_cell_shows_load_loss_marks_and_nothing)
{
	static const struct {
		int x;
		bool ascii;
		uint32_t ch;
		enum style style;
	} cases[] = {
		{5, false, 0x2581, STYLE_TRACK}, /* a measured zero */
		{7, false, 0x2586, STYLE_BUSY},   {8, false, 0x2588, STYLE_HOT},
		{9, false, 0xb7, STYLE_TRACK},  /* nothing was measured */
		{6, false, '!', STYLE_HOT},     /* samples are missing */
		{0, false, 0x25b2, STYLE_MARK}, /* one from before the begin stands at the edge */
		{10, false, 0x25b2, STYLE_MARK},  {19, false, 0x25b2, STYLE_MARK},
		{3, false, 0x2588, STYLE_CURSOR}, {8, true, '#', STYLE_HOT},
		{6, true, '!', STYLE_HOT},
	};
	struct timeline t = timeline_of(115 * S);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct cell *cell;
		struct canvas c;

		draw_row(&c, &t, cases[i].ascii, NULL);
		cell = cell_at(&c, cases[i].x);
		if (cell->ch != cases[i].ch || cell->style != cases[i].style)
			fail_msg("cell %d is U+%04X in style %d", cases[i].x, cell->ch, cell->style);
		canvas_fini(&c);
	}
}

TEST(the_clock_of_both_ends_stands_beside_it)
{
	struct timeline t = timeline_of(100 * S);
	AUTO_STRBUF struct strbuf text = {0};
	struct canvas c;

	draw_row(&c, &t, true, NULL);
	canvas_dump(&c, &text);
	assert_int_equal(strncmp(text.p, " 14:00:00 ", 10), 0);
	assert_non_null(strstr(text.p, " 14:01:40"));
	canvas_fini(&c);
}

TEST(the_cursor_stays_in_the_row)
{
	static const struct {
		int64_t at_ns;
		int x;
	} cases[] = {{100 * S, 0}, {199 * S, 19}, {200 * S, 19}, {0, 0}, {INT64_MAX / 4, 19}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct timeline t = timeline_of(cases[i].at_ns);
		struct canvas c;
		int found = -1, n = 0;

		draw_row(&c, &t, false, NULL);
		for (int x = 0; x < CELLS; x++)
			if (cell_at(&c, x)->style == STYLE_CURSOR) {
				found = x;
				n++;
			}
		assert_int_equal(n, 1);
		assert_int_equal(found, cases[i].x);
		canvas_fini(&c);
	}
}

TEST(a_selected_range_has_its_background)
{
	struct timeline t = timeline_of(100 * S);
	struct canvas c;

	t.from_ns = 125 * S;
	t.to_ns = 150 * S;
	draw_row(&c, &t, false, NULL);
	for (int x = 0; x < CELLS; x++)
		assert_int_equal(cell_at(&c, x)->style >= STYLE_ON_SELECTED, x >= 5 && x <= 10);
	canvas_fini(&c);
}

TEST(a_history_of_no_length_has_its_cursor_at_the_end)
{
	struct timeline t = timeline_of(100 * S);
	struct canvas c;

	t.end_ns = t.begin_ns;
	t.n_cells = 0;
	draw_row(&c, &t, false, NULL);
	assert_int_equal(cell_at(&c, CELLS - 1)->style, STYLE_CURSOR);
	canvas_fini(&c);
}

TEST(a_column_stands_for_a_moment_also_beside_the_row)
{
	static const struct {
		int x;
		int64_t want_ns;
	} cases[] = {{10, 100 * S}, {29, 200 * S}, {-5, 100 * S}, {500, 200 * S}};
	struct timeline t = timeline_of(0);
	struct hits hits = {0};
	struct canvas c;

	draw_row(&c, &t, false, &hits);
	assert_int_equal(hits.n, 1);
	assert_int_equal(hits.list[0].kind, HIT_TIMELINE);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(timeline_moment(&t, &hits.list[0].at, cases[i].x), cases[i].want_ns);
	hits_fini(&hits);
	canvas_fini(&c);
}

TEST(a_narrow_terminal_has_none)
{
	assert_int_equal(timeline_cells(39), 0);
	assert_int_equal(timeline_cells(40), 20);
	assert_int_equal(timeline_cells(500), 480);
}

TEST_GROUP(measure_cells, NULL)
