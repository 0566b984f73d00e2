/* player: what a replay shows, and when: over logs that are written here. */
#include "tui/player.h"
#include "tests/support/log_bench.h"
#include "tests/support/people.h"

#define REFRESH (500 * MS)
#define POINTS 20

static struct sys sys;

/* A log that is played. `real` is our own clock. */
struct player_bench {
	struct options options;
	struct session session;
	struct feeds feeds;
	struct player *player;
	int64_t real_ns;
};

static bool try_open(struct player_bench *b, const char *path, const struct options *more, struct err *err)
{
	*b = (struct player_bench){.options = *more, .real_ns = 77 * SECOND_NS};
	b->options.command = COMMAND_REPLAY;
	b->options.operand = path;
	b->options.refresh_ns = REFRESH;
	b->options.view = "overview";
	if (!b->options.speed)
		b->options.speed = 1;
	b->player = player_open(&b->session, &sys, &b->options, NULL, err);
	if (!b->player)
		return false;
	feeds_init(&b->feeds, &b->session, b->options.per_core, b->player->refresh_ns);
	feeds_want_points(&b->feeds, POINTS);
	return player_start(b->player, &b->feeds, b->real_ns, err);
}

static void open_log(struct player_bench *b, const char *path, const struct options *more)
{
	struct err err;

	if (!try_open(b, path, more, &err))
		fail_msg("%s", err.text);
}

static void close_log(struct player_bench *b)
{
	feeds_fini(&b->feeds);
	session_close(&b->session);
	player_free(b->player);
}

/* Our clock goes on, as the live screen runs it. */
static void pass_time(struct player_bench *b, int64_t ns)
{
	for (int64_t end = b->real_ns + ns; b->real_ns < end; b->real_ns += 10 * MS)
		player_run(b->player, b->real_ns);
	player_run(b->player, b->real_ns);
}

static void go_away(struct player_bench *b, const char *text)
{
	int64_t wanted;
	struct err err;

	if (!player_go(b->player, text, &wanted, &err))
		fail_msg("%s", err.text);
	player_settle(b->player);
}

static double at_s(const struct player_bench *b)
{
	return (double)(b->player->at_ns - LOG_BEGIN_NS) * 1e-9;
}

static const char *position(const struct player_bench *b)
{
	static char text[64];

	player_position(b->player, b->real_ns, text, sizeof(text));
	for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = 0;
	return text + strspn(text, " ");
}

static void assert_said(struct player_bench *b, const char *want)
{
	struct strbuf *said = &b->player->said;

	assert_string_equal(said->n ? said->p : "", want);
	strbuf_clear(said);
}

/* ---- what is on the screen, as bytes ---- */

static void add_vector(struct strbuf *out, const double *vector, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (isnan(vector[i]))
			strbuf_str(out, "-");
		else
			strbuf_add(out, &vector[i], sizeof(vector[i]));
	strbuf_str(out, "|");
}

/* Every metric at the newest points. */
static void add_points(struct strbuf *out, const struct feed_state *f, int points)
{
	AUTOFREE double *values = xcalloc((size_t)points, sizeof(*values));

	for (unsigned m = 0; m < f->source->set->n_metrics; m++) {
		for (int i = 0; i < points; i++)
			values[i] =
				points_value(f->points, &f->source->set->metrics[m], NULL, points - 1 - i);
		add_vector(out, values, (unsigned)points);
	}
	points_settle(f->points);
}

/* Every value of now, of the totals if they are wanted, and of the newest points, for one GPU after
 * the other. */
static void picture(const struct feeds *feeds, bool totals, int points, struct strbuf *out)
{
	strbuf_clear(out);
	strbuf_str(out, "");
	for (unsigned i = 0; i < feeds->n; i++) {
		const struct feed_state *f = &feeds->feeds[i];

		add_vector(out, f->now, f->n_vector);
		if (totals)
			add_vector(out, f->total, f->n_vector);
		add_points(out, f, points);
	}
}

static void assert_same(const struct strbuf *a, const struct strbuf *b, const char *where)
{
	if (a->n != b->n || memcmp(a->p, b->p, a->n) != 0)
		fail_msg("%s: the pictures differ", where);
	assert_true(a->n > 1000);
}

static const struct log_what two_gpus = {{"G715", "G52"}, {100 * MS, 250 * MS}, "mixed", false};

static void write_plain(struct log_bench *log, const struct log_what *what, int64_t length_ns)
{
	log_begin(log, what);
	log_until(log, length_ns);
	log_end(log);
}

/* What a live screen shows that got these samples and made its steps at these moments. */
static void live_picture(const struct log_bench *log, const struct player_bench *b, int64_t until_ns,
			 struct strbuf *out)
{
	struct session session;
	struct feeds feeds;
	struct err err;
	unsigned next = 0;

	assert_true(session_open_log(&session, &sys, &b->options, &log->about, NULL, &err));
	feeds_init(&feeds, &session, b->options.per_core, REFRESH);
	feeds_want_points(&feeds, POINTS);
	for (int64_t t = LOG_BEGIN_NS / REFRESH * REFRESH; t <= until_ns; t += REFRESH) {
		for (; next < log->n && log->samples[next]->end_ns <= t; next++)
			feeds_take(&feeds, log->samples[next]);
		feeds_step(&feeds);
	}
	picture(&feeds, true, POINTS, out);
	feeds_fini(&feeds);
	session_close(&session);
}

TEST(a_replay_shows_what_a_live_screen_showed_to_the_bit)
{
	static const char *const gpus[] = {"G31",  "G52",  "G57",  "G76",  "G78",
					   "G610", "G715", "G720", "G725", "G1-Ultra"};
	static const char *const scenarios[] = {"idle", "mixed", "bandwidth-bound", "serialised",
						"raytracing"};
	AUTO_STRBUF struct strbuf live = {0}, replayed = {0};

	for (size_t i = 0; i < ARRAY_LEN(gpus); i++) {
		bool per_core = i % 2;
		struct log_bench log;
		struct player_bench b;

		write_plain(&log, &(struct log_what){{gpus[i]}, {100 * MS}, scenarios[i % 5], per_core},
			    4 * SECOND_NS);
		open_log(&b, log.path, &(struct options){.per_core = per_core});
		pass_time(&b, 3 * SECOND_NS);
		live_picture(&log, &b, b.player->at_ns, &live);
		picture(&b.feeds, true, POINTS, &replayed);
		assert_same(&live, &replayed, gpus[i]);
		close_log(&b);
		log_fini(&log);
	}
}

TEST(every_speed_shows_the_same_at_the_same_moment)
{
	static const double speeds[] = {0.1, 0.5, 1, 3, 10, 100};
	AUTO_STRBUF struct strbuf live = {0}, replayed = {0};
	struct log_bench log;

	write_plain(&log, &two_gpus, 60 * SECOND_NS);
	for (size_t i = 0; i < ARRAY_LEN(speeds); i++) {
		struct player_bench b;

		open_log(&b, log.path, &(struct options){.speed = speeds[i]});
		pass_time(&b, (int64_t)(20e9 / speeds[i]));
		assert_true(fabs(at_s(&b) - 20) <= 1.0);
		live_picture(&log, &b, b.player->at_ns, &live);
		picture(&b.feeds, true, POINTS, &replayed);
		assert_same(&live, &replayed, position(&b));
		close_log(&b);
	}
	log_fini(&log);
}

TEST(a_moment_looks_the_same_however_it_was_reached)
{
	AUTO_STRBUF struct strbuf played = {0}, sought = {0};
	struct player_bench walker, jumper;
	struct log_bench log;
	char text[32];

	log_begin(&log, &two_gpus);
	log_until(&log, 10 * SECOND_NS);
	log.away = 1;
	log_until(&log, 15 * SECOND_NS); /* a gap */
	log.away = 0;
	log.seq[0] += 7; /* and a loss */
	log_until(&log, 40 * SECOND_NS);
	log_end(&log);
	open_log(&walker, log.path, &(struct options){0});
	open_log(&jumper, log.path, &(struct options){0});
	player_settle(walker.player);
	for (int i = 0; i < 79; i++) {
		int there = i * 29 % 79;

		player_step(walker.player, 1, walker.real_ns);
		player_settle(walker.player);
		snprintf(text, sizeof(text), "%.3fs", there * 0.5 + 0.1);
		go_away(&jumper, text); /* somewhere else */
		snprintf(text, sizeof(text), "%.3fs", at_s(&walker) - 0.2);
		go_away(&jumper, text);
		assert_int_equal(walker.player->at_ns, jumper.player->at_ns);
		picture(&walker.feeds, true, POINTS, &played);
		picture(&jumper.feeds, true, POINTS, &sought);
		assert_same(&played, &sought, text);
	}
	close_log(&walker);
	close_log(&jumper);
	log_fini(&log);
}

/* ---- keys ---- */

TEST(it_plays_pauses_and_steps)
{
	struct log_bench log;
	struct player_bench b;

	write_plain(&log, &two_gpus, 20 * SECOND_NS);
	open_log(&b, log.path, &(struct options){0});
	pass_time(&b, 5 * SECOND_NS);
	assert_string_equal(position(&b), "0:05.4 of 0:20   27 %  x1");
	player_pause(b.player, b.real_ns);
	pass_time(&b, 5 * SECOND_NS);
	assert_string_equal(position(&b), "0:05.4 of 0:20   27 %  PAUSED");
	player_step(b.player, -3, b.real_ns);
	assert_true(fabs(at_s(&b) - 3.963) < 0.001);
	player_step(b.player, -100, b.real_ns);
	assert_true(fabs(at_s(&b) - 0.463) < 0.001);
	player_step(b.player, 1000, b.real_ns);
	player_settle(b.player);
	assert_string_equal(position(&b), "0:20.0 of 0:20  100 %  END");
	player_pause(b.player, b.real_ns); /* plays again from the start */
	pass_time(&b, SECOND_NS);
	assert_string_equal(position(&b), "0:01.4 of 0:20    7 %  x1");
	close_log(&b);
	log_fini(&log);
}

/* The values of now, of one GPU after the other. */
static void numbers(const struct feeds *feeds, bool totals, struct strbuf *out)
{
	picture(feeds, totals, 0, out);
}

/* The newest points. */
static void histories(const struct feeds *feeds, int points, struct strbuf *out)
{
	strbuf_clear(out);
	for (unsigned i = 0; i < feeds->n; i++) {
		add_points(out, &feeds->feeds[i], points);
	}
}

/* How many points the cursor is left of the newest. */
static int cursor_back(const struct player_bench *b)
{
	b->player->feeds->paused = b->player->paused;
	return feeds_view(b->player->feeds, SOURCE_GPU).cursor - 1;
}

TEST(steps_back_show_what_was_played)
{
	static const struct options cases[] = {{.per_core = false}, {.per_core = true}};
	AUTO_STRBUF struct strbuf played = {0}, stepped = {0}, window = {0}, kept = {0};
	struct log_bench log;

	write_plain(&log, &(struct log_what){{"G52"}, {100 * MS}, "mixed", true}, 30 * SECOND_NS);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct player_bench b;

		open_log(&b, log.path, &cases[i]);
		pass_time(&b, 20 * SECOND_NS);
		numbers(&b.feeds, false, &played);
		pass_time(&b, 5 * SECOND_NS);
		histories(&b.feeds, POINTS, &window);
		player_step(b.player, -10, b.real_ns);
		assert_false(player_is_reading(b.player)); /* the history has it */
		assert_true(fabs(at_s(&b) - 20.463) < 0.001);
		numbers(&b.feeds, false, &stepped);
		assert_same(&played, &stepped, "stepped");
		histories(&b.feeds, POINTS, &kept); /* they stay, the cursor moves */
		assert_same(&window, &kept, "window");
		assert_int_equal(cursor_back(&b), 10);
		player_pause(b.player, b.real_ns);
		pass_time(&b, 10 * MS);
		assert_true(fabs(at_s(&b) - 20.463) < 0.001); /* from here, not from where it was */
		close_log(&b);
	}
	log_fini(&log);
}

TEST(a_jump_while_paused_also_shows_what_came_after_the_moment)
{
	enum { WIDE = 400 }; /* points of a screen: a jump looks WIDE / 16 of them ahead */
	AUTO_STRBUF struct strbuf played = {0}, jumped = {0}, window = {0}, kept = {0};
	struct player_bench player, jumper;
	struct log_bench log;
	unsigned jumps;

	write_plain(&log, &two_gpus, 400 * SECOND_NS);
	open_log(&player, log.path, &(struct options){0});
	open_log(&jumper, log.path, &(struct options){0});
	feeds_want_points(&player.feeds, WIDE);
	feeds_want_points(&jumper.feeds, WIDE);
	player_pause(jumper.player, jumper.real_ns);
	go_away(&player, "300s");
	go_away(&jumper, "300s");
	assert_int_equal(cursor_back(&jumper), WIDE / 16);
	numbers(&player.feeds, true, &played);
	numbers(&jumper.feeds, true, &jumped);
	assert_same(&played, &jumped, "the moment");
	go_away(&player, "312.5s");
	histories(&player.feeds, WIDE / 4, &played);
	histories(&jumper.feeds, WIDE / 4, &window);
	assert_same(&played, &window, "the window");

	jumps = jumper.player->jumps;
	go_away(&jumper, "280s"); /* in the window: nothing is read */
	assert_int_equal(jumper.player->jumps, jumps);
	assert_int_equal(cursor_back(&jumper), WIDE / 16 + 40);
	histories(&jumper.feeds, WIDE / 4, &kept);
	assert_same(&window, &kept, "a move in the window");
	for (int i = 0; i < 65; i++)
		player_step(jumper.player, 1, jumper.real_ns);
	assert_false(player_is_reading(jumper.player));
	assert_int_equal(cursor_back(&jumper), 0);
	player_step(jumper.player, 1, jumper.real_ns); /* the window goes on */
	player_settle(jumper.player);
	go_away(&player, "313s");
	picture(&player.feeds, true, WIDE / 4, &played);
	picture(&jumper.feeds, true, WIDE / 4, &jumped);
	assert_same(&played, &jumped, "behind the window");

	go_away(&jumper, "0%"); /* at the begin all of the screen is behind the cursor */
	assert_int_equal(cursor_back(&jumper), (WIDE - VIEW_POINTS_BEFORE) / 2);
	go_away(&jumper, "100%");
	assert_int_equal(cursor_back(&jumper), 0);
	go_away(&jumper, "-5s");
	player_pause(jumper.player, jumper.real_ns); /* plays on from the cursor */
	pass_time(&jumper, SECOND_NS);
	assert_true(fabs(at_s(&jumper) - 396.463) < 0.6);
	close_log(&player);
	close_log(&jumper);
	log_fini(&log);
}

TEST(speeds_are_a_table)
{
	static const double up[] = {2, 5, 10, 20, 50, 100, 100}, down[] = {0.5, 0.2, 0.1, 0.1};
	struct log_bench log;
	struct player_bench b;

	write_plain(&log, &two_gpus, SECOND_NS);
	open_log(&b, log.path, &(struct options){.speed = 1.5});
	for (size_t i = 0; i < ARRAY_LEN(up); i++) {
		player_speed(b.player, 1, b.real_ns);
		assert_true(b.player->speed == up[i]);
	}
	b.player->speed = 0.7;
	for (size_t i = 0; i < ARRAY_LEN(down); i++) {
		player_speed(b.player, -1, b.real_ns);
		assert_true(b.player->speed == down[i]);
	}
	close_log(&b);
	log_fini(&log);
}

TEST(one_goes_to_any_moment)
{
	static const struct {
		const char *text, *want; /* NULL: not a time */
	} cases[] = {
		{"90s", "1:30.4 of 2:00   75 %  PAUSED"},
		{"1:40", "1:40.4 of 2:00   84 %  PAUSED"},
		{"+5s", "1:45.4 of 2:00   88 %  PAUSED"},
		{"-0:45", "1:00.4 of 2:00   50 %  PAUSED"},
		{"25%", "0:30.4 of 2:00   25 %  PAUSED"},
		{"0%", "0:00.4 of 2:00    0 %  PAUSED"},
		{"1:00:00", "2:00.0 of 2:00  100 %  END"},
		{"-1m", "1:00.4 of 2:00   50 %  PAUSED"},
		{"0.5s", "0:00.9 of 2:00    1 %  PAUSED"},
		{"-9m", "0:00.4 of 2:00    0 %  PAUSED"},
		{"90", NULL},
		{"1:60", NULL},
		{"", NULL},
		{"101%", NULL},
		{"soon", NULL},
		{"1:2:3:4", NULL},
		{"-", NULL},
		{"1:-5", NULL},
		{"99999999:00:00", NULL},
		{"1.5:30", NULL},
	};
	struct log_bench log;
	struct player_bench b;
	int64_t wanted;
	struct err err;

	write_plain(&log, &two_gpus, 120 * SECOND_NS);
	open_log(&b, log.path, &(struct options){0});
	player_pause(b.player, b.real_ns);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (cases[i].want) {
			go_away(&b, cases[i].text);
			if (strcmp(position(&b), cases[i].want) != 0)
				fail_msg("%s: %s", cases[i].text, position(&b));
		} else {
			assert_false(player_go(b.player, cases[i].text, &wanted, &err));
			assert_non_null(strstr(err.text, "not a time: try 90s"));
		}
	close_log(&b);
	log_fini(&log);
}

TEST(from_and_to_bound_it)
{
	struct log_bench log;
	struct player_bench b;
	struct err err;

	write_plain(&log, &two_gpus, 20 * SECOND_NS);
	open_log(&b, log.path, &(struct options){.from_ns = 5 * SECOND_NS, .to_ns = 8 * SECOND_NS});
	pass_time(&b, SECOND_NS);
	assert_string_equal(position(&b), "0:06.4 of 0:20   32 %  x1");
	pass_time(&b, 5 * SECOND_NS);
	assert_string_equal(position(&b), "0:08.4 of 0:20   42 %  END");
	go_away(&b, "0%");
	assert_string_equal(position(&b), "0:05.4 of 0:20   27 %  PAUSED");
	close_log(&b);
	assert_false(try_open(&b, log.path, &(struct options){.from_ns = 20 * SECOND_NS}, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.text, "--from: 20 s: the log is only 0:20.0 long");
	close_log(&b);
	log_fini(&log);
}

/* ---- what happened meanwhile ---- */

TEST(marks_and_messages_are_shown_when_their_moment_is_played)
{
	struct log_bench log;
	struct player_bench b;

	log_begin(&log, &two_gpus);
	log_until(&log, 5 * SECOND_NS);
	log_note(&log, MLOG_NOTE_MARK, -1, 1, "level \x1b[2J 2");
	log_until(&log, 6 * SECOND_NS);
	log_note(&log, MLOG_NOTE_MESSAGE, -1, 0, "the driver lost samples");
	log_note(&log, MLOG_NOTE_MARK, -1, 2, "");
	log_until(&log, 10 * SECOND_NS);
	log_end(&log);
	open_log(&b, log.path, &(struct options){0});
	pass_time(&b, 4 * SECOND_NS);
	assert_said(&b, "");
	pass_time(&b, SECOND_NS);
	assert_said(&b, "mark 1: level ?[2J 2\n");
	pass_time(&b, SECOND_NS);
	assert_said(&b, "the driver lost samples\nmark 2\n");
	go_away(&b, "8s");
	assert_said(&b, ""); /* they were then, not now */
	player_pause(b.player, b.real_ns);
	go_away(&b, "4s");
	assert_said(&b, ""); /* they will be */
	player_pause(b.player, b.real_ns);
	pass_time(&b, 2 * SECOND_NS);
	assert_said(&b, "mark 1: level ?[2J 2\nthe driver lost samples\nmark 2\n");
	close_log(&b);
	log_fini(&log);
}

TEST(keys_go_to_marks_and_losses)
{
	static const struct {
		bool back;
		double at_s;
		const char *said;
	} cases[] = {
		{false, 5.463, "level 2 at 0:05.0"},
		{false, 5.463, "a mark at 0:05.1"},
		{false, 7.463, "3 samples lost at 0:07.1"},
		{false, 7.463, "no mark, loss or other scene after this point"},
		{true, 5.463, "a mark at 0:05.1"},
		{true, 5.463, "level 2 at 0:05.0"},
		{true, 5.463, "no mark, loss or other scene before this point"},
	};
	struct log_bench log;
	struct player_bench b;

	log_begin(&log, &two_gpus);
	log_until(&log, 5 * SECOND_NS);
	log_note(&log, MLOG_NOTE_MARK, -1, 1, "level 2");
	log_until(&log, 5100 * MS);
	log_note(&log, MLOG_NOTE_MARK, -1, 2, "");
	log_until(&log, 7 * SECOND_NS);
	log.seq[0] += 3;
	log_until(&log, 12 * SECOND_NS);
	log_end(&log);
	open_log(&b, log.path, &(struct options){0});
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf said = {0};

		player_find(b.player, cases[i].back, &said);
		player_settle(b.player);
		if (!strstr(said.p, cases[i].said) || fabs(at_s(&b) - cases[i].at_s) > 0.001)
			fail_msg("%zu: %s at %.3f", i, said.p, at_s(&b));
		assert_true(b.player->paused);
	}
	close_log(&b);
	log_fini(&log);
}

/* Read until every cell is known. */
static const struct timeline *read_timeline(struct player_bench *b, int n_cells)
{
	const struct timeline *line = player_timeline(b->player, n_cells);

	assert_non_null(line);
	while (!player_line_is_read(b->player))
		player_read_line(b->player);
	return line;
}

/* The simulated game plays for 42 s, shows a menu for 10 s, plays for 22 s, stands still for 8 s
 * and shows a menu again. */
TEST(keys_go_to_other_scenes)
{
	static const double begins_s[] = {42, 52, 74, 82};
	const struct timeline *line;
	struct timeline live;
	struct timeline_cell cells[140];
	int64_t scenes[TIMELINE_SCENES];
	struct player_bench b;
	struct log_bench log;

	write_plain(&log, &(struct log_what){{"G715"}, {100 * MS}, "mixed", false}, 88 * SECOND_NS);
	open_log(&b, log.path, &(struct options){0});
	line = read_timeline(&b, ARRAY_LEN(cells));
	assert_int_equal(line->n_scenes, ARRAY_LEN(begins_s));
	for (size_t i = 0; i < ARRAY_LEN(begins_s); i++) {
		AUTO_STRBUF struct strbuf said = {0};

		player_find(b.player, false, &said);
		player_settle(b.player);
		if (fabs(at_s(&b) - begins_s[i]) > 1 || strncmp(said.p, "another scene at ", 17) != 0)
			fail_msg("scene %zu: %s at %.3f", i, said.p, at_s(&b));
	}
	/* a live screen finds the same in its history */
	go_away(&b, "0%");
	player_pause(b.player, b.real_ns);
	pass_time(&b, 90 * SECOND_NS);
	live = *line;
	live.cells = cells;
	feeds_activity(&b.feeds, live.begin_ns, live.end_ns, live.n_cells, cells);
	assert_int_equal(feeds_scenes(&b.feeds, &live, scenes), line->n_scenes);
	for (unsigned i = 0; i < line->n_scenes; i++)
		assert_true(llabs(scenes[i] - line->scenes[i]) <= SECOND_NS);
	close_log(&b);
	log_fini(&log);
}

TEST(the_timeline_of_a_log_shows_its_activity_marks_gaps_and_losses)
{
	enum { CELLS = 20 }; /* of a second each */
	struct timeline_cell history[CELLS];
	const struct timeline *line;
	struct log_bench log;
	struct player_bench b;

	log_begin(&log, &(struct log_what){{"G715"}, {100 * MS}, "fragment-bound", false});
	log_until(&log, 5 * SECOND_NS);
	log_note(&log, MLOG_NOTE_MARK, -1, 1, "level 2");
	log_until(&log, 8 * SECOND_NS);
	log.away = 1;
	log_until(&log, 12 * SECOND_NS);
	log.away = 0;
	log_until(&log, 15500 * MS);
	log.seq[0] += 3;
	log_until(&log, 20 * SECOND_NS);
	log_end(&log);
	open_log(&b, log.path, &(struct options){0});
	line = read_timeline(&b, CELLS);
	assert_int_equal(line->n_cells, CELLS);
	assert_int_equal(line->n_marks, 1);
	assert_string_equal(line->marks[0].text, "level 2");
	assert_true(llabs(line->marks[0].at_ns - LOG_BEGIN_NS - 5 * SECOND_NS) < 100 * MS);
	for (int i = 0; i < CELLS; i++) {
		assert_int_equal(isnan(line->cells[i].share), i >= 8 && i < 12);
		if (i < 8 || i >= 12)
			assert_true(line->cells[i].share > 0.9f && line->cells[i].share <= 1);
		assert_int_equal(line->cells[i].lost, i == 15);
	}
	/* what was played is kept, and shows the same */
	go_away(&b, "100%");
	feeds_activity(&b.feeds, line->begin_ns, line->end_ns, CELLS, history);
	for (int i = 13; i < CELLS; i++)
		assert_true(fabsf(history[i].share - line->cells[i].share) < 0.05f);
	assert_true(history[15].lost);
	/* it follows the cursor and the width */
	assert_true(player_timeline(b.player, CELLS)->at_ns > LOG_BEGIN_NS + 19 * SECOND_NS);
	assert_int_equal(read_timeline(&b, 40)->n_cells, 40);
	assert_null(player_timeline(b.player, 0));
	close_log(&b);
	log_fini(&log);
}

/* A cell may begin at the end of a block, and all that it has of that may be samples in which the
 * clock changed. */
TEST(the_timeline_of_a_whole_log_has_no_gaps)
{
	static const int widths[] = {60, 140, 180, 220};
	struct log_bench log;
	struct player_bench b;

	log_begin(&log, &(struct log_what){{"G715"}, {100 * MS}, "mixed", false});
	for (int tenth = 7; tenth <= 800; tenth += tenth % 15 ? 8 : 7) {
		log_until(&log, tenth * 100 * MS);
		log_flush(&log);
	}
	log_end(&log);
	open_log(&b, log.path, &(struct options){0});
	for (size_t w = 0; w < ARRAY_LEN(widths); w++) {
		const struct timeline *line = read_timeline(&b, widths[w]);

		for (int i = 0; i < widths[w]; i++)
			if (isnan(line->cells[i].share))
				fail_msg("cell %d of %d is empty", i, widths[w]);
	}
	close_log(&b);
	log_fini(&log);
}

/* Cells may be shorter than the interval of the log. */
TEST(the_timeline_of_a_short_log_has_no_gaps)
{
	const struct timeline *line;
	struct log_bench log;
	struct player_bench b;

	log_begin(&log, &(struct log_what){{"G715"}, {100 * MS}, "fragment-bound", false});
	log_until(&log, 3000 * MS);
	log_flush(&log);
	log_until(&log, 6000 * MS);
	log_end(&log);
	open_log(&b, log.path, &(struct options){0});
	line = read_timeline(&b, 200);
	for (int i = 0; i < 200; i++)
		if (!(line->cells[i].share > 0.5f))
			fail_msg("cell %d is %g", i, (double)line->cells[i].share);
	close_log(&b);
	log_fini(&log);
}

TEST(a_source_that_was_away_is_shown_so)
{
	static const struct {
		const char *go;
		enum session_away away;
		bool known;
	} cases[] = {{"4.2s", AWAY_NOT, true},
		     {"7s", AWAY_IN_LOG, false},
		     {"12s", AWAY_NOT, true},
		     {"8s", AWAY_IN_LOG, false}};
	struct log_bench log;
	struct player_bench b;

	log_begin(&log, &two_gpus);
	log_until(&log, 5 * SECOND_NS);
	log.away = 1;
	log_note(&log, MLOG_NOTE_MESSAGE, -1, 0, "the device is gone");
	log_note(&log, MLOG_NOTE_AWAY, 0, 0, "the device is gone");
	log_until(&log, 10 * SECOND_NS);
	log_note(&log, MLOG_NOTE_BACK, 0, 0, "");
	log.away = 0;
	log_until(&log, 15 * SECOND_NS);
	log_end(&log);
	open_log(&b, log.path, &(struct options){0});
	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		const bool again = i == ARRAY_LEN(cases);

		if (again) /* the same in a window that has all of them */
			player_pause(b.player, b.real_ns);
		if (again)
			feeds_want_points(&b.feeds, 200);
		go_away(&b, cases[i % ARRAY_LEN(cases)].go);
		assert_int_equal(b.session.sources[0].away, cases[i % ARRAY_LEN(cases)].away);
		assert_int_equal(!isnan(b.feeds.feeds[0].now[VECTOR_CONSTANTS]),
				 cases[i % ARRAY_LEN(cases)].known);
		assert_int_equal(b.session.sources[1].away, AWAY_NOT);
	}
	go_away(&b, "0%");
	player_pause(b.player, b.real_ns);
	pass_time(&b, 11 * SECOND_NS);
	assert_said(&b, "the device is gone\n");
	close_log(&b);
	log_fini(&log);
}

TEST(processes_are_those_of_the_moment)
{
	struct log_bench log;
	struct player_bench b;
	struct err err;

	log_begin(&log, &two_gpus);
	for (int s = 1; s <= 40; s++) {
		struct process_list *list = people_list(false);

		log_until(&log, s * SECOND_NS);
		list->begin_ns = log.now_ns - SECOND_NS;
		list->end_ns = log.now_ns;
		list->processes[0].cpu_ns = (uint64_t)s;
		assert_true(mlog_writer_processes(log.writer, list, &err));
		log_flush(&log);
		process_list_free(list);
	}
	log_end(&log);
	open_log(&b, log.path, &(struct options){0});
	assert_null(player_take_processes(b.player));
	player_want_processes(b.player, true);
	for (int i = 0; i < 78; i++) {
		int s = 1 + i * 17 % 39;
		AUTOFREE char *text = xasprintf("%ds", s);
		struct process_list *list;

		if (i == 39) /* paused, what came later is read, too */
			player_pause(b.player, b.real_ns);
		go_away(&b, text); /* 0.463 s before it is due */
		list = player_take_processes(b.player);
		assert_non_null(list);
		assert_int_equal(list->processes[0].cpu_ns, s);
		assert_true(list->end_ns <= b.player->at_ns);
		process_list_free(list);
		assert_null(player_take_processes(b.player));
	}
	close_log(&b);
	log_fini(&log);
}

/* ---- files that grow, are large, or damaged ---- */

TEST(a_log_that_grows_is_followed)
{
	struct log_bench log;
	struct player_bench b;

	log_begin(&log, &two_gpus);
	open_log(&b, log.path, &(struct options){0});
	pass_time(&b, SECOND_NS);
	assert_string_equal(position(&b), "0:00.0 of 0:00  100 %  END"); /* nothing stands in it yet */
	assert_int_equal(player_realtime_ns(b.player), LOG_DAY_NS);
	log_until(&log, 2 * SECOND_NS);
	log_flush(&log);
	pass_time(&b, SECOND_NS);
	assert_true(at_s(&b) > 0.9 && at_s(&b) < 2);
	assert_int_equal(player_realtime_ns(b.player), LOG_DAY_NS + b.player->at_ns - LOG_BEGIN_NS);
	for (int s = 3; s <= 10; s++) {
		log_until(&log, s * SECOND_NS);
		log_flush(&log);
		pass_time(&b, SECOND_NS);
	}
	assert_true(at_s(&b) > 8.4);
	go_away(&b, "100%");
	assert_string_equal(position(&b), "0:10.0 of 0:10  100 %  FOLLOWING");
	log_until(&log, 11 * SECOND_NS);
	log_flush(&log);
	pass_time(&b, 400 * MS);
	assert_non_null(strstr(position(&b), " of 0:11 "));
	pass_time(&b, 2 * SECOND_NS);
	assert_string_equal(position(&b), "0:11.0 of 0:11  100 %  FOLLOWING");
	pass_time(&b, 6 * SECOND_NS);
	assert_string_equal(position(&b), "0:11.0 of 0:11  100 %  END"); /* for all we know */
	log_end(&log);
	pass_time(&b, SECOND_NS);
	assert_true(b.player->paused);
	close_log(&b);
	log_fini(&log);
}

/* Random counts do not compress: this one is too large to be read from its start for a moment in
 * its middle. */
static void write_large(struct log_bench *log)
{
	struct err err;
	uint64_t random = 1;
	struct sample *sample;

	log_begin(log, &(struct log_what){{"G715"}, {10 * MS}, "mixed", false});
	sample = xcalloc(1, sizeof(*sample) + log->sources[0].n_slots * sizeof(sample->value[0]));
	sample->n_values = log->sources[0].n_slots;
	for (int i = 1; i <= 40000; i++) {
		sample->seq++;
		sample->begin_ns = LOG_BEGIN_NS + (i - 1) * 10 * MS;
		sample->end_ns = LOG_BEGIN_NS + i * 10 * MS;
		for (unsigned v = 0; v < sample->n_values; v++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			sample->value[v] = random >> 40;
		}
		assert_true(mlog_writer_sample(log->writer, sample, &err));
		if (i % 60 == 0)
			log_flush(log);
	}
	free(sample);
	log_end(log);
}

TEST(of_a_large_log_only_the_part_before_the_moment_is_read)
{
	AUTO_STRBUF struct strbuf played = {0}, sought = {0};
	int64_t oldest, newest, most = 0;
	struct log_bench log;
	struct player_bench b;
	int64_t wanted;
	struct err err;

	write_large(&log);
	open_log(&b, log.path, &(struct options){.speed = 100});
	assert_true(b.player->state.bytes > 20000000);
	assert_true(player_go(b.player, "395s", &wanted, &err));
	for (b.real_ns += 10 * MS; player_is_reading(b.player); b.real_ns += 10 * MS) {
		player_run(b.player, b.real_ns);
		most = WORK_MOST - b.player->work > most ? WORK_MOST - b.player->work : most;
		assert_int_equal(player_wait_ns(b.player, b.real_ns) == 0,
				 player_is_reading(b.player) || b.player->behind);
	}
	assert_true(most < 3 * WORK_MOST / 2); /* at once; the rest at the next turn */
	assert_true(feeds_reach(&b.feeds, &oldest, &newest));
	assert_true(oldest > LOG_BEGIN_NS + 200 * SECOND_NS && oldest < LOG_BEGIN_NS + 386 * SECOND_NS);
	assert_true(isnan(b.feeds.feeds[0].total[VECTOR_CONSTANTS])); /* since a start that nobody read */
	picture(&b.feeds, false, POINTS, &sought);
	go_away(&b, "385s");
	player_pause(b.player, b.real_ns);
	for (int i = 0; i < 20; i++) {
		player_step(b.player, 1, b.real_ns);
		player_settle(b.player);
	}
	assert_true(fabs(at_s(&b) - 395.463) < 0.001);
	picture(&b.feeds, false, POINTS, &played);
	assert_same(&played, &sought, "large");
	close_log(&b);
	log_fini(&log);
}

/* Our clock runs so fast beside the work that the log cannot be read as fast. */
TEST(the_clock_waits_for_what_cannot_be_read_in_time)
{
	struct log_bench log;
	struct player_bench b;

	write_large(&log);
	open_log(&b, log.path, &(struct options){.speed = 100});
	player_settle(b.player);
	for (int i = 0; i < 3; i++) {
		b.real_ns += SECOND_NS;
		player_run(b.player, b.real_ns);
		assert_int_equal(player_wait_ns(b.player, b.real_ns), 0);
	}
	assert_true(at_s(&b) > 20 && at_s(&b) < 200);
	assert_non_null(strstr(position(&b), " of x100"));
	close_log(&b);
	log_fini(&log);
}

TEST(a_damaged_log_is_played_around_the_damage)
{
	AUTO_STRBUF struct strbuf complaint = {0};
	struct log_bench log;
	struct player_bench b;

	write_plain(&log, &two_gpus, 20 * SECOND_NS);
	fseek(log.file, 0, SEEK_END);
	fseek(log.file, ftell(log.file) / 2, SEEK_SET);
	fputs("here was a block", log.file);
	fflush(log.file);
	open_log(&b, log.path, &(struct options){.speed = 10});
	pass_time(&b, 3 * SECOND_NS);
	assert_string_equal(position(&b), "0:20.0 of 0:20  100 %  END x10");
	player_complain(b.player, &complaint);
	assert_non_null(strstr(complaint.p, "inside are damaged"));
	close_log(&b);
	log_fini(&log);
}

TEST(what_is_no_log_is_refused)
{
	static const struct {
		const char *path, *want;
	} cases[] = {{"/nowhere/run.mlog", "/nowhere/run.mlog: cannot open: No such file or directory"},
		     {"/tmp", "/tmp: is a directory"},
		     {"/dev/null", "/dev/null: not a regular file"}};
	struct player_bench b;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_false(try_open(&b, cases[i].path, &(struct options){0}, &err));
		if (!strstr(err.text, cases[i].want))
			fail_msg("%s", err.text);
	}
}

static int count_known(const struct player_bench *b)
{
	int known = 0;

	for (int i = 0; i < POINTS; i++)
		known += !isnan(points_seconds(b->feeds.feeds[0].points, i));
	return known;
}

/* From all of a log in a few points down to a screen that is full of its last second. */
TEST(a_log_of_any_length_is_seen_at_every_scale)
{
	static const int64_t lengths_s[] = {3, 180, 10800}, cells_ms[] = {50, 500, 5000, 30000, 300000};

	for (size_t i = 0; i < ARRAY_LEN(lengths_s); i++) {
		const struct log_what what = {
			{"G31"}, {lengths_s[i] > 1000 ? 500 * MS : 100 * MS}, "mixed", false};
		struct log_bench log;
		struct player_bench b;

		write_plain(&log, &what, lengths_s[i] * SECOND_NS);
		open_log(&b, log.path, &(struct options){.speed = 1});
		player_pause(b.player, b.real_ns);
		go_away(&b, "100%");
		for (size_t k = 0; k < ARRAY_LEN(cells_ms); k++) {
			int64_t points = lengths_s[i] * 2000 / cells_ms[k];
			int want = points < POINTS ? (int)points : POINTS, known;

			feeds_set_cell(&b.feeds, cells_ms[k] * MS);
			player_seek(b.player, b.player->sought_ns);
			player_settle(b.player);
			known = count_known(&b);
			if (known < want - 1 || known > want + 2)
				fail_msg("%lld s, %lld ms a cell: %d points, not %d", (long long)lengths_s[i],
					 (long long)cells_ms[k], known, want);
			assert_true(at_s(&b) >= (double)lengths_s[i] - 0.5);
			go_away(&b, "50%");
			known = count_known(&b);
			player_step(b.player, -1, b.real_ns);
			player_settle(b.player);
			player_step(b.player, 1, b.real_ns);
			player_settle(b.player);
			if (lengths_s[i] > 3 && count_known(&b) != known)
				fail_msg("%lld s, %lld ms a cell: %d points, not %d after a step",
					 (long long)lengths_s[i], (long long)cells_ms[k], count_known(&b),
					 known);
			go_away(&b, "100%");
		}
		close_log(&b);
		log_fini(&log);
	}
}
