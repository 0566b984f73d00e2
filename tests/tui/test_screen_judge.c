/* What the findings say about the shown view: the row below the tabs, and the panel of advice. */
#include "tests/support/shipped.h"
#include "tests/support/sim_screen.h"

#define SETTLED 100 /* intervals after which everything is judged */

struct view_bench {
	struct gpudb *db;
	struct sim_screen s;
	struct strbuf text; /* of the last draw */
};

static void draw_view(struct view_bench *b, const char *view)
{
	screen_show(&b->s.screen, views_find(&b->s.screen.views, view));
	screen_draw(&b->s.screen, NULL, &b->s.canvas);
	strbuf_clear(&b->text);
	canvas_dump(&b->s.canvas, &b->text);
}

static void bench_init(struct view_bench *b, const char *scenario, int cols, int rows)
{
	*b = (struct view_bench){.db = load_shipped()};
	sim_screen_init(&b->s, b->db, "Mali-G715", scenario);
	sim_screen_run(&b->s, SETTLED);
	canvas_init(&b->s.canvas, cols, rows, false);
	draw_view(b, "counters"); /* judges */
}

static void bench_fini(struct view_bench *b)
{
	strbuf_fini(&b->text);
	canvas_fini(&b->s.canvas);
	sim_screen_fini(&b->s);
	gpudb_free(b->db);
}

static void assert_shown(const struct view_bench *b, const char *text, bool shown)
{
	if (!strstr(b->text.p, text) == shown)
		fail_msg("%s '%s' in\n%s", shown ? "no" : "there is", text, b->text.p);
}

TEST(a_view_says_its_worst_finding_and_what_to_do)
{
	struct view_bench b;

	bench_init(&b, "bandwidth-bound", 160, 48);
	draw_view(&b, "memory");
	assert_shown(&b, "\n Reads wait for the bus  Read stall rate ", true);
	assert_shown(&b, ", above 10.0 % (house); also ", true);
	assert_shown(&b, "What to do worst first", true);
	draw_view(&b, "geometry"); /* nothing of it is about geometry */
	assert_shown(&b, "Reads wait for the bus", false);
	bench_fini(&b);
}

/* The rows of the verdict say what it would be worth, and which change comes first. */
TEST(the_verdict_says_the_first_change_and_its_bound)
{
	struct verdict_text rows[VERDICT_ROWS] = {{0}};
	struct view_bench b;

	bench_init(&b, "bandwidth-bound", 160, 48);
	screen_judge_rows(&b.s.screen.judge, &b.s.screen.views, rows);
	assert_string_equal(rows[0].words, "Memory bound: read bandwidth");
	assert_non_null(strstr(rows[1].evidence, "3 Memory: Reads wait for the bus, up to "));
	bench_fini(&b);
	bench_init(&b, "idle", 160, 48);
	screen_judge_rows(&b.s.screen.judge, &b.s.screen.views, rows);
	assert_string_equal(rows[0].words, "Idle");
	assert_non_null(strstr(rows[0].evidence, "nothing to fix"));
	assert_non_null(strstr(rows[1].evidence, "no findings"));
	bench_fini(&b);
}

/* Verdicts on the CPUs alone are verdicts, too. */
TEST(a_machine_without_a_gpu_has_a_verdict)
{
	struct view_bench b;
	struct judge *judge;
	unsigned n_verdicts;

	bench_init(&b, "idle", 160, 48);
	judge = b.s.screen.judge.judge;
	n_verdicts = judge->n_verdicts;
	screen_show(&b.s.screen, views_find(&b.s.screen.views, "overview"));
	judge->product = NULL;
	assert_true(screen_shows_verdict(&b.s.screen));
	judge->n_verdicts = 0; /* nothing to judge by */
	assert_false(screen_shows_verdict(&b.s.screen));
	judge->n_verdicts = n_verdicts;
	bench_fini(&b);
}

/* Only a verdict knows what the frame waits for. */
TEST(without_a_verdict_nothing_is_said_to_cost_energy_only)
{
	AUTO_STRBUF struct strbuf other = {0}, unclear = {0};
	struct view_bench b;
	struct judge_rank rank;
	struct judge *judge;

	bench_init(&b, "bandwidth-bound", 160, 48);
	judge = b.s.screen.judge.judge;
	rank = screen_judge_rank(&b.s.screen.judge, sim_screen_finding(&b.s, "part-covered"));
	judge_put_worth(&rank, false, &other);
	assert_string_equal(other.p, "energy only, the frame waits for something else");
	judge->verdict.why = NULL;
	rank = screen_judge_rank(&b.s.screen.judge, sim_screen_finding(&b.s, "part-covered"));
	judge_put_worth(&rank, false, &unclear);
	assert_int_equal(unclear.n, 0);
	bench_fini(&b);
}

/* The row stays when a finding comes or goes, so that nothing below it moves. */
TEST(where_nothing_holds_the_row_says_so)
{
	struct view_bench b;

	bench_init(&b, "idle", 160, 48);
	draw_view(&b, "memory");
	assert_shown(&b, "\n Nothing found  ", true);
	assert_shown(&b, " checks are fine", true);
	assert_shown(&b, "nothing: no finding of this view holds now", true);
	assert_shown(&b, "what is checked", true);
	draw_view(&b, "counters"); /* no finding is about it */
	assert_shown(&b, "Nothing found", false);
	bench_fini(&b);
}

/* While the GPU is away, for example. */
TEST(without_numbers_nothing_is_clear)
{
	struct view_bench b;

	bench_init(&b, "idle", 160, 48);
	for (unsigned i = 0; i < b.s.screen.judge.judge->n_findings; i++)
		b.s.screen.judge.judge->findings[i].number.value = NAN;
	draw_view(&b, "memory");
	assert_shown(&b, "\n Not clear  no number that a check needs is known now", true);
	assert_shown(&b, "not clear", true);
	bench_fini(&b);
}

TEST(a_small_terminal_keeps_the_row_for_the_charts)
{
	struct view_bench b;

	bench_init(&b, "bandwidth-bound", 80, 19);
	draw_view(&b, "memory");
	assert_shown(&b, "Reads wait for the bus", false);
	bench_fini(&b);
	bench_init(&b, "bandwidth-bound", 80, 24);
	draw_view(&b, "memory");
	assert_shown(&b, "Reads wait for the bus", true);
	bench_fini(&b);
}

TEST(a_muted_finding_is_not_said)
{
	struct view_bench b;

	bench_init(&b, "bandwidth-bound", 160, 48);
	screen_judge_mute(&b.s.screen.judge, sim_screen_finding(&b.s, "read-stalls")->def, true);
	draw_view(&b, "memory");
	assert_shown(&b, "Reads wait for the bus", false);
	bench_fini(&b);
}
