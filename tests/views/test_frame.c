#include "tests/support/tiny_source.h"
#include "tui/keys.h"

#include <stdio.h>

/* The keys of every view; main fills them. */
static struct foot_keys words;

static const struct frame_text everything = {
	.gpu = "Mali-G715 7 cores",
	.driver = "kbase r44p1",
	.clock = "746 of 848 MHz",
	.span = "100 ms, mean of 0.5 s",
	.state = "REC run.mlog 12.4 MB",
	.time = "14:02:11",
	.dropped = "0 dropped",
	.keys = &words,
};

static const char three_views[] =
	"view one\n  key 1\n  title Overview\nchart c\n  widget rows\n  series Share\n"
	"view two\n  key 3\n  title Memory\nchart c\n  widget rows\n  series Share\n"
	"view ten\n  key a\n  title Counters\n  hidden yes\nchart c\n  widget rows\n  series Share\n";

/* Header, tabs and footer with view `shown`, the body's rows left out. */
static char *frame_shown(struct tiny *t, const struct frame_text *text, unsigned shown, int cols, bool ascii)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct canvas c;
	struct rect body;
	struct err err;
	char *p;

	if (!tiny_read(t, three_views, &err))
		fail_msg("%s", err.text);
	canvas_init(&c, cols, 10, ascii);
	body = canvas_rect(&c);
	frame_draw(text, &t->views, &t->views.views[shown], &c, &body);
	if (cols >= 40)
		assert_true(body.x == 0 && body.w == c.cols && body.y + body.h == 9);
	canvas_dump(&c, &out);
	canvas_fini(&c);
	while ((p = out.p ? strstr(out.p, "\n\n") : NULL))
		memmove(p, p + 1, strlen(p));
	return take_ptr(&out.p);
}

TEST(parts_give_way_by_importance)
{
	static const struct {
		int cols;
		const char *want;
	} cases[] = {
		{120,
		 "malitop  Mali-G715 7 cores  kbase r44p1  746 of 848 MHz    100 ms, mean of 0.5 s          "
		 "REC run.mlog 12.4 MB  14:02:11\n 1 Overview  3 Memory"},
		{100, "malitop  Mali-G715 7 cores  746 of 848 MHz    100 ms, mean of 0.5 s   "
		      "REC run.mlog 12.4 MB  14:02:11\n 1 Overview  3 Memory"},
		{80, "malitop  Mali-G715 7 cores  746 of 848 MHz        REC run.mlog 12.4 MB  14:02:11\n 1 "
		     "Overview  3 Memory"},
		{60, "malitop  Mali-G715 7 cores    REC run.mlog 12.4 MB  14:02:11\n 1 Overview  3 Memory"},
		{40, "Mali-G715 7 cores   REC run.mlog 12.4 MB\n 1 Overview  3 Memory"},
	};
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = frame_shown(&t, &everything, 0, cases[i].cols, false);

		if (strncmp(got, cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("at %d columns: '%s' does not begin\n%s", cases[i].cols, cases[i].want, got);
	}
	tiny_fini(&t);
}

TEST(simulated_and_replayed_are_never_dropped)
{
	struct frame_text text = everything;
	struct tiny t;

	tiny_init(&t);
	for (int cols = 40; cols <= 200; cols++) {
		AUTOFREE char *simulated = (text.state = "SIMULATED", frame_shown(&t, &text, 0, cols, false));
		AUTOFREE char *replay = (text.state = "REPLAY run-of-a-very-long-name-indeed.mlog and so on",
					 frame_shown(&t, &text, 0, cols, false));

		assert_non_null(strstr(simulated, "SIMULATED"));
		assert_non_null(strstr(replay, "REPLAY run-of-a-very-long-name"));
	}
	tiny_fini(&t);
}

TEST(a_clock_that_changes_its_length_moves_nothing)
{
	struct frame_text text = everything;
	struct tiny t;

	tiny_init(&t);
	text.clock = "98 of 848 MHz";
	AUTOFREE char *a = frame_shown(&t, &everything, 0, 120, false),
		      *b = frame_shown(&t, &text, 0, 120, false);

	assert_ptr_equal(strstr(a, "100 ms") - a, strstr(b, "100 ms") - b);
	tiny_fini(&t);
}

TEST(a_machine_without_gpu_has_a_header_all_the_same)
{
	static const struct frame_text text = {.driver = "", .time = "14:02:11"};
	struct tiny t;

	tiny_init(&t);
	AUTOFREE char *got = frame_shown(&t, &text, 0, 60, false);

	assert_memory_equal(got, "malitop                                             14:02:11\n", 61);
	tiny_fini(&t);
}

TEST(a_hidden_view_has_a_tab_only_while_it_is_shown)
{
	struct tiny t;

	tiny_init(&t);
	AUTOFREE char *one = frame_shown(&t, &everything, 0, 80, false),
		      *ten = frame_shown(&t, &everything, 2, 80, false);

	assert_null(strstr(one, "a Counters "));
	assert_non_null(strstr(ten, " 1 Overview  3 Memory  a Counters  "));
	tiny_fini(&t);
}

TEST(an_alert_is_beside_the_tabs_and_covers_no_key)
{
	struct frame_text text = everything;
	struct tiny t;

	tiny_init(&t);
	AUTOFREE char *keys = frame_shown(&t, &text, 0, 80, true);

	assert_non_null(strstr(keys, "space pause"));
	assert_non_null(strstr(keys, "q quit       0 dropped\n"));
	text.alert = &(struct alert){.text = "log: disk full"};
	AUTOFREE char *alert = frame_shown(&t, &text, 0, 80, true);

	assert_non_null(strstr(alert, "q quit       0 dropped\n"));
	assert_non_null(strstr(alert, " 1 Overview "));
	assert_non_null(strstr(alert, " log: disk full\n"));
	tiny_fini(&t);
}

/* The end of a message says what is wrong, so a long path gives way before it. */
TEST(a_long_path_in_an_alert_loses_its_middle)
{
	struct alert alert = {.text = "view: /home/someone/very/long/way/to/their/own/views/gpu.view:12: "
				      "unknown field 'seris'"};
	struct frame_text text = everything;
	struct tiny t;

	tiny_init(&t);
	text.alert = &alert;
	AUTOFREE char *narrow = frame_shown(&t, &text, 0, 60, true);

	assert_non_null(strstr(narrow, "\n view: /home/someone"));
	assert_non_null(strstr(narrow, ":12: unknown field 'seris'\n"));
	tiny_fini(&t);
}

TEST(an_alert_covers_no_tabs)
{
	static const struct {
		const char *alert, *words, *row;
	} cases[] = {
		{"log: disk full, logging stopped after 12.4 MB", "",
		 "\n              log: disk full, logging stopped after 12.4 MB\n"},
		{"log: disk full, logging stopped after 12.4 MB", "GPU bound",
		 "\n GPU bound    log: disk full, logging stopped after 12.4 MB\n"},
		{"log: disk full, logging stopped after 12.4 MB", "GPU bound by fragment",
		 "\n              log: disk full, logging stopped after 12.4 MB\n"},
	};
	struct frame_text text = everything;
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct alert alert = {0};

		snprintf(alert.text, sizeof(alert.text), "%s", cases[i].alert);
		text.alert = &alert;
		text.verdict[0] = (struct verdict_text){.words = cases[i].words};
		AUTOFREE char *got = frame_shown(&t, &text, 0, 60, true);

		if (!strstr(got, "\n 1 Overview  3 Memory") || !strstr(got, cases[i].row))
			fail_msg("case %zu:\n%s", i, got);
	}
	tiny_fini(&t);
}

TEST(keys_give_way_by_rank_and_have_ascii_names)
{
	static const struct foot_keys keys = {.keys = {{"x", NULL, "explode", 1},
						       {"\u2190", "Left", "yield", 5},
						       {"space", NULL, "pause", 2},
						       {"q", NULL, "quit", 0}},
					      .n = 4};
	struct frame_text text = everything;
	struct tiny t;

	tiny_init(&t);
	text.keys = &keys;
	text.dropped = NULL;
	AUTOFREE char *wide = frame_shown(&t, &text, 0, 80, false),
		      *ascii = frame_shown(&t, &text, 0, 80, true);
	AUTOFREE char *narrow = frame_shown(&t, &text, 0, 40, true);

	assert_non_null(strstr(wide, "\n x explode  \u2190 yield  space pause  q quit\n"));
	assert_non_null(strstr(ascii, "\n x explode  Left yield  space pause  q quit\n"));
	assert_non_null(strstr(narrow, "\n x explode  space pause  q quit\n"));
	tiny_fini(&t);
}

TEST(what_is_asked_takes_the_place_of_keys_and_alerts)
{
	static const struct {
		struct foot_ask ask;
		int cols;
		const char *want;
	} cases[] = {
		{{"send SIGTERM to 4711 game?", "y/n", false},
		 60,
		 "\n send SIGTERM to 4711 game?                             y/n\n"},
		{{"send SIGTERM to 4711 com.studio.game?", "y/n", false},
		 40,
		 "\n send SIGTERM to 4711 com.studio.g  y/n\n"},
		{{"filter: ga", "Enter keeps", true},
		 60,
		 "\n filter: ga_                                    Enter keeps\n"},
		{{"filter: a text of some length", "Enter keeps", true},
		 40,
		 "\n r: a text of some length_  Enter keeps\n"},
	};
	struct frame_text text = everything;
	struct tiny t;

	tiny_init(&t);
	text.alert = &(struct alert){.text = "log: disk full"};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		text.ask = &cases[i].ask;
		AUTOFREE char *got = frame_shown(&t, &text, 0, cases[i].cols, true);

		if (!strstr(got, cases[i].want))
			fail_msg("'%s' is not in\n%s", cases[i].want, got);
	}
	tiny_fini(&t);
}

TEST(the_key_that_quits_is_always_there)
{
	struct tiny t;

	tiny_init(&t);
	for (int cols = 40; cols < 140; cols += 3) {
		AUTOFREE char *got = frame_shown(&t, &everything, 0, cols, false);

		assert_non_null(strstr(got, "q quit"));
	}
	tiny_fini(&t);
}

TEST(clicks_find_what_stands_under_them)
{
	/* " 1 Overview  3 Memory ", and the words of the footer */
	static const struct {
		int cols, x, y;
		enum hit_kind kind;
		int number;
	} cases[] = {
		{80, 0, 1, HIT_TAB, '1'},     {80, 11, 1, HIT_TAB, '1'},   {80, 12, 1, HIT_TAB, '3'},
		{80, 21, 1, HIT_TAB, '3'},    {80, 22, 1, HIT_NONE, 0},    {80, 78, 1, HIT_KEY, '?'},
		{80, -1, 1, HIT_NONE, 0},     {80, 500, 1, HIT_NONE, 0},   {80, 5, 0, HIT_NONE, 0},
		{80, 5, 5, HIT_NONE, 0},      {80, 1, 9, HIT_KEY, K_LEFT}, /* "<- -> view  space pause" */
		{80, 3, 9, HIT_KEY, K_RIGHT}, {80, 6, 9, HIT_KEY, K_LEFT}, {80, 12, 9, HIT_KEY, ' '},
		{80, 20, 9, HIT_KEY, ' '},    {80, 10, 9, HIT_NONE, 0}, /* between two words */
		{40, 38, 1, HIT_KEY, '?'},
	};
	struct hits hits = {0};
	struct frame_text text = everything;
	struct tiny t;

	text.hits = &hits;
	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		hits.n = 0;
		free(frame_shown(&t, &text, 0, cases[i].cols, false));
		const struct hit *hit = hits_at(&hits, cases[i].x, cases[i].y);

		if ((hit ? hit->kind : HIT_NONE) != cases[i].kind || (hit && hit->number != cases[i].number))
			fail_msg("%d, %d: kind %d, number %d", cases[i].x, cases[i].y,
				 hit ? (int)hit->kind : 0, hit ? hit->number : 0);
	}
	hits_fini(&hits);
	tiny_fini(&t);
}

TEST(below_40x10_the_frame_is_left_to_the_view)
{
	struct tiny t;

	tiny_init(&t);
	AUTOFREE char *got = frame_shown(&t, &everything, 0, 39, false);

	assert_string_equal(got, "\n");
	tiny_fini(&t);
}

int main(void)
{
	keys_foot(&words, NULL, NEEDS_LIVE);

	return test_run();
}
