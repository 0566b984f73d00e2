/* The findings on the screen: what holds, what is fine, what came and went, and the keys. */
#include "tui/findings_card.h"
#include "tests/support/shipped.h"
#include "tests/support/sim_screen.h"
#include "tui/keys.h"

#define SETTLED 100 /* intervals after which everything is judged */

struct card_bench {
	struct gpudb *db;
	struct sim_screen s;
	struct findings_card card;
	struct strbuf text; /* of the last draw */
};

static void draw_card(struct card_bench *b)
{
	findings_card_draw(&b->card, &b->s.screen, NULL, &b->s.canvas);
	strbuf_clear(&b->text);
	canvas_dump(&b->s.canvas, &b->text);
}

static void bench_init(struct card_bench *b, const char *scenario, int cols, int rows)
{
	*b = (struct card_bench){.db = load_shipped()};
	sim_screen_init(&b->s, b->db, "Mali-G715", scenario);
	sim_screen_run(&b->s, SETTLED);
	canvas_init(&b->s.canvas, cols, rows, false);
	draw_card(b);
}

static void bench_fini(struct card_bench *b)
{
	strbuf_fini(&b->text);
	canvas_fini(&b->s.canvas);
	sim_screen_fini(&b->s);
	gpudb_free(b->db);
}

static enum key_answer press_key(struct card_bench *b, uint32_t key)
{
	AUTO_STRBUF struct strbuf said = {0};
	enum key_answer answer = findings_card_key(&b->card, &b->s.screen, key, &said);

	draw_card(b);
	return answer;
}

static void assert_shown(const struct card_bench *b, const char *text)
{
	if (!strstr(b->text.p, text))
		fail_msg("no '%s' in\n%s", text, b->text.p);
}

static void assert_not_shown(const struct card_bench *b, const char *text)
{
	if (strstr(b->text.p, text))
		fail_msg("'%s' in\n%s", text, b->text.p);
}

TEST(what_holds_stands_above_what_is_fine_and_what_came)
{
	static const char *const texts[] = {"Holds the frame back",
					    "Reads wait for the bus",
					    "above     10.0 % house",
					    "3 Memory",
					    "! warning  Reads wait for the bus",
					    "worth at most",
					    "Meaning",
					    "up to ",
					    "checked and fine;",
					    "Recent",
					    "Memory bound"};
	struct card_bench b;

	bench_init(&b, "bandwidth-bound", 160, 60);
	for (unsigned i = 0; i < ARRAY_LEN(texts); i++)
		assert_shown(&b, texts[i]);
	while (b.card.def) /* the last line stands for the rest */
		press_key(&b, K_DOWN);
	assert_shown(&b, "Checked and fine");
	assert_shown(&b, "ok  Tiler utilization");
	assert_shown(&b, "< 80.0 %");
	assert_not_shown(&b, "ok  Read stall rate"); /* it holds, so it is not fine */
	press_key(&b, K_UP);
	assert_non_null(b.card.def);
	bench_fini(&b);
}

/* Its end is worth more than the whole history beside it. */
TEST(a_title_is_whole_where_there_is_room)
{
	static const char *const titles[] = {"Saturated: frame times show by how much",
					     "Saturated, so that frame times would show by how much"};
	struct card_bench b;

	for (unsigned i = 0; i < ARRAY_LEN(titles); i++) {
		struct finding_def named;
		struct judged *f;

		bench_init(&b, "bandwidth-bound", 160, 60);
		f = sim_screen_finding(&b.s, "read-stalls");
		named = *f->def;
		named.title = titles[i];
		f->def = &named;
		draw_card(&b);
		assert_shown(&b, titles[i]);
		assert_shown(&b, "look at");
		bench_fini(&b);
	}
}

TEST(a_finding_that_ended_stays_for_a_minute)
{
	struct card_bench b;
	struct judged *f;

	bench_init(&b, "bandwidth-bound", 160, 80);
	f = sim_screen_finding(&b.s, "read-stalls");
	f->holds = false;
	f->since_ns = b.s.screen.judge.judge->end_ns - JUDGE_KEPT_NS + 1;
	f->number.value = NAN;
	draw_card(&b);
	while (b.card.def != f->def)
		press_key(&b, K_DOWN);
	assert_shown(&b, "Ended in the last minute");
	assert_shown(&b, "ended 59 s ago");
	assert_shown(&b, "on average, above 10.0 %"); /* it has no number now */
	f->since_ns--;
	draw_card(&b);
	assert_not_shown(&b, "Ended in the last minute");
	bench_fini(&b);
}

TEST(a_number_back_within_its_limit_has_the_one_where_it_ends)
{
	struct card_bench b;
	struct judged *f;

	bench_init(&b, "bandwidth-bound", 160, 60);
	f = sim_screen_finding(&b.s, "read-stalls"); /* above 10 until 8 */
	f->number.value = 8.4;
	draw_card(&b);
	assert_shown(&b, "8.4 %  until      8.0 % house");
	bench_fini(&b);
}

/* Pretend that the first two rows were the other way round until now. */
static void turn_first_two(struct card_bench *b)
{
	const struct finding_def *first = b->card.shown[0];

	b->card.shown[0] = b->card.shown[1];
	b->card.shown[1] = first;
}

TEST(rows_change_places_only_after_five_seconds)
{
	const struct judged *first, *second;
	struct card_bench b;
	struct judge *judge;

	bench_init(&b, "bandwidth-bound", 160, 60);
	judge = b.s.screen.judge.judge;
	first = b.card.rows[0];
	second = b.card.rows[1];
	turn_first_two(&b);
	draw_card(&b);
	assert_ptr_equal(b.card.rows[0], second);
	judge->end_ns += 4999 * MS;
	draw_card(&b);
	assert_ptr_equal(b.card.rows[0], second);
	judge->end_ns += MS;
	draw_card(&b);
	assert_ptr_equal(b.card.rows[0], first);
	turn_first_two(&b); /* an order that was shown long ago counts no longer */
	judge->end_ns += 5001 * MS;
	draw_card(&b);
	assert_ptr_equal(b.card.rows[0], first);
	turn_first_two(&b); /* a log went back */
	draw_card(&b);
	judge->end_ns -= 60000 * MS;
	draw_card(&b);
	assert_ptr_equal(b.card.rows[0], first);
	bench_fini(&b);
}

TEST(a_muted_finding_is_neither_listed_nor_counted)
{
	struct card_bench b;
	const struct finding_def *worst;
	unsigned held;

	bench_init(&b, "bandwidth-bound", 160, 60);
	held = screen_judge_held(&b.s.screen.judge);
	worst = b.card.def;
	assert_ptr_equal(b.card.def, worst);
	assert_int_equal(press_key(&b, 'x'), KEY_TAKEN);
	assert_int_equal(screen_judge_held(&b.s.screen.judge), held - 1);
	assert_ptr_not_equal(b.card.def, worst);
	screen_judge_follow(&b.s.screen.judge, &b.s.session); /* other sources: it stays muted */
	sim_screen_run(&b.s, SETTLED);
	draw_card(&b);
	assert_int_equal(screen_judge_held(&b.s.screen.judge), held - 1);
	press_key(&b, 'X');
	press_key(&b, K_UP); /* the selection stays on its finding */
	assert_ptr_equal(b.card.def, worst);
	press_key(&b, 'x');
	assert_int_equal(screen_judge_held(&b.s.screen.judge), held);
	bench_fini(&b);
}

TEST(every_finding_can_be_read_in_a_small_terminal)
{
	struct card_bench b;

	bench_init(&b, "bandwidth-bound", 80, 24);
	for (int i = 0; i < b.card.n; i++) {
		const struct finding_def *def = b.card.def;
		char begin[24];

		snprintf(begin, sizeof(begin), "%.20s",
			 finding_text(def->advice, b.s.screen.judge.judge->product).p);
		assert_shown(&b, def->title);
		assert_shown(&b, begin);
		press_key(&b, K_DOWN);
	}
	for (int i = 0; i < 2; i++) { /* what was checked is the last line, and stays */
		press_key(&b, K_DOWN);
		assert_int_equal(b.card.at, b.card.n);
		assert_shown(&b, "Checked and fine");
	}
	bench_fini(&b);
}

/* Six rows and the selected one in a small terminal, ten and more in a large one. */
TEST(each_finding_has_one_line)
{
	static const struct {
		int cols, rows, least;
	} cases[] = {{80, 24, 6}, {160, 48, 8}};
	struct card_bench b;

	bench_init(&b, "bandwidth-bound", 80, 24);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		int shown = 0;

		canvas_resize(&b.s.canvas, cases[i].cols, cases[i].rows);
		draw_card(&b);
		for (int k = 0; k < b.card.n; k++) {
			char title[16];

			snprintf(title, sizeof(title), "%.15s", b.card.rows[k]->def->title);
			shown += strstr(b.text.p, title) != NULL;
		}
		assert_in_range(shown, cases[i].least, b.card.n);
		if (shown < b.card.n)
			assert_shown(&b, " more");
	}
	bench_fini(&b);
}

TEST(a_time_has_two_units)
{
	static const struct {
		int64_t s;
		const char *want, *brief;
	} cases[] = {{0, "0 s", "0 s"},
		     {59, "59 s", "59 s"},
		     {223, "3 min 43 s", "3m43"},
		     {3600, "1 h 0 min", "1h00"},
		     {90061, "25 h 1 min", "25h01"}};
	char text[UNITS_TEXT];

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		findings_lasted(text, cases[i].s * 1000000000, false);
		assert_string_equal(text, cases[i].want);
		findings_lasted(text, cases[i].s * 1000000000, true);
		assert_string_equal(text, cases[i].brief);
	}
}

TEST(a_key_that_shows_a_view_closes_the_findings)
{
	static const struct {
		uint32_t key;
		enum key_answer answer;
	} cases[] = {{'2', KEY_LEAVES},  {K_RIGHT, KEY_LEAVES}, {'q', KEY_CLOSES}, {'!', KEY_CLOSES},
		     {'z', KEY_UNKNOWN}, {' ', KEY_PASSED},     {'m', KEY_PASSED}, {'X', KEY_TAKEN}};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct card_bench b;

		bench_init(&b, "idle", 80, 24);
		assert_int_equal(press_key(&b, cases[i].key), cases[i].answer);
		bench_fini(&b);
	}
}

TEST(nothing_to_find_is_said)
{
	struct card_bench b;

	bench_init(&b, "idle", 80, 24);
	assert_shown(&b, "findings: none now");
	assert_int_equal(press_key(&b, 'x'), KEY_TAKEN);
	assert_null(b.card.def);
	bench_fini(&b);
}

TEST(no_size_harms)
{
	static const int sizes[][2] = {{1, 1}, {20, 5}, {40, 10}, {41, 12}, {79, 14}, {135, 20}, {300, 100}};
	struct card_bench b;

	bench_init(&b, "bandwidth-bound", 80, 24);
	for (unsigned i = 0; i < ARRAY_LEN(sizes); i++) {
		canvas_resize(&b.s.canvas, sizes[i][0], sizes[i][1]);
		draw_card(&b);
		assert_in_range(b.card.at, 0, b.card.n);
	}
	bench_fini(&b);
}
