/* The widget of the Processes view: what it shows of a table made by hand. */
#include "tests/support/people.h"
#include "tests/support/tiny_source.h"
#include "views/processes.h"

#define QUEUES (1u << PROCESS_BY_GPU_FRAGMENT | 1u << PROCESS_BY_GPU_VERTEX)

struct shown {
	struct tiny tiny;
	struct process_list *list;
	struct process_row *rows;
	struct process_table table;
	unsigned first, page;
};

/* Every row of the list, in its order. */
static void shown_list(struct shown *s, struct process_list *list)
{
	*s = (struct shown){.list = list, .rows = xcalloc(list->n + 1, sizeof(*s->rows))};
	tiny_init(&s->tiny);
	process_list_follow(list, NULL);
	for (unsigned i = 0; i < list->n; i++)
		s->rows[i].process = &list->processes[i];
	s->table = (struct process_table){.list = list,
					  .rows = s->rows,
					  .n = list->n,
					  .first = &s->first,
					  .page = &s->page,
					  .order.key = PROCESS_BY_PID,
					  .unknown = 1u << PROCESS_BY_IPC | 1u << PROCESS_BY_WAIT |
						     1u << PROCESS_BY_MISSES | QUEUES,
					  .n_processes = 412,
					  .n_threads = 1830,
					  .n_running = 3};
	s->tiny.data.processes = &s->table;
}

static void shown_init(struct shown *s)
{
	shown_list(s, people_list(true));
}

static void shown_fini(struct shown *s)
{
	process_list_free(s->list);
	free(s->rows);
	tiny_fini(&s->tiny);
}

/* The words of the border, and the panel, a column from either side. Frees what was drawn
 * before. */
static const char *drawn(struct shown *s, int cols, int rows, bool ascii)
{
	static struct strbuf text;
	struct chart chart = {.title = ""};
	char corner[256] = "";
	struct canvas canvas;

	strbuf_fini(&text);
	canvas_init(&canvas, cols, rows, ascii);
	widget_processes.corner(&(struct drawing){&chart, &s->tiny.data, &canvas}, corner, sizeof(corner));
	strbuf_printf(&text, "%s\n", corner);
	widget_processes.draw(&(struct drawing){&chart, &s->tiny.data, &canvas},
			      (struct rect){1, 0, cols - 2, rows});
	canvas_dump(&canvas, &text);
	canvas_fini(&canvas);
	return text.p;
}

static void expect_text(const char *got, const char *want)
{
	if (!strstr(got, want))
		fail_msg("'%s' is not in\n%s", want, got);
}

static void expect_not(const char *got, const char *text)
{
	if (strstr(got, text))
		fail_msg("'%s' is in\n%s", text, got);
}

TEST(before_the_first_list_it_says_that_it_reads)
{
	struct shown s;

	shown_init(&s);
	s.table.list = NULL;
	expect_text(drawn(&s, 80, 24, false), " reading processes...\n");
	s.tiny.data.processes = NULL;
	expect_text(drawn(&s, 80, 24, false), " reading processes...\n");
	shown_fini(&s);
}

TEST(every_number_has_its_column_and_unknown_ones_a_dash)
{
#define PAST "\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7\u2581"
	static const char *const want =
		"412 processes, 1,830 threads, 3 running   by pid\n"
		"      pid\u25b2 user      S    thr  CPU % last 8 s  GPU %     RSS  GPU mem     TIME name\n"
		" >       1 root      S      1    0.1 " PAST
		"      \u2013 11.8 MB     \u2013     0:12.50 init\n"
		"         2 root      S      1    0.0 " PAST
		"      \u2013    0 B      \u2013     0:00.02 [kthreadd]\n"
		"        97 root      I      1    1.2 " PAST "      \u2013    0 B      \u2013     5:01.70 "
		"[kworker/u16:3-mali_jobs]\n"
		"       812 system    S     24    8.1 " PAST
		"    6.2 96.5 MB  96.0 MB    2h15m surfaceflinger\n"
		"      1200 u0_a117   D      3    0.0 " PAST "      \u2013 3.25 MB     \u2013       6d22h "
		"com.studio.updater\n";
	struct shown s;

	shown_init(&s);
	s.table.n = 5;
	expect_text(drawn(&s, 114, 20, false), want);
	shown_fini(&s);
}

TEST(a_thread_has_neither_memory_nor_threads)
{
	struct shown s;

	shown_init(&s);
	expect_text(drawn(&s, 114, 20, true), "     4715 u0_a42    R      -   98.7 .......#      -    -      "
					      "  -    60:00.50 RenderThread\n");
	shown_fini(&s);
}

TEST(what_no_process_tells_has_no_column)
{
	struct shown s;

	shown_init(&s);
	expect_text(drawn(&s, 120, 20, false), "GPU %     RSS  GPU mem");
	expect_not(drawn(&s, 120, 20, false), "IPC");
	s.table.unknown = 1u << PROCESS_BY_GPU | 1u << PROCESS_BY_GPU_MEMORY | QUEUES;
	expect_text(drawn(&s, 120, 20, false), "RSS  IPC misses     TIME");
	expect_not(drawn(&s, 120, 20, false), "GPU");
	shown_fini(&s);
}

TEST(the_least_important_columns_go_first)
{
	static const struct {
		int cols;
		const char *headings;
	} cases[] = {
		{40, "      pid^  CPU %     RSS name\n"},
		{53, "      pid^  CPU %     RSS name\n"},
		{54, "      pid^  CPU %  GPU %     RSS name\n"},
		{63, "      pid^  CPU %  GPU %     RSS  GPU mem name\n"},
		{66, "      pid^ S   CPU %  GPU %     RSS  GPU mem name\n"},
		{75, "      pid^ S   CPU % last 8 s  GPU %     RSS  GPU mem name\n"},
		{85, "      pid^ user      S   CPU % last 8 s  GPU %     RSS  GPU mem name\n"},
		{103, "      pid^ user      S    thr  CPU % last 8 s  GPU %     RSS  GPU mem name\n"},
		{112,
		 "      pid^ user      S    thr  CPU % last 8 s  GPU %     RSS  GPU mem     TIME name\n"},
		{168, "      pid^ user      S    thr  CPU %            last 20 s             GPU %           "
		      "   RSS  GPU mem     TIME name\n"},
	};
	struct shown s;

	shown_init(&s);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_text(drawn(&s, cases[i].cols, 20, true), cases[i].headings);
	shown_fini(&s);
}

TEST(a_glyph_marks_what_the_rows_are_sorted_by)
{
	static const struct {
		enum process_key key;
		bool reversed;
		const char *heading, *words;
	} cases[] = {
		{PROCESS_BY_CPU, false, "CPU %\u25bc", "by CPU %\n"},
		{PROCESS_BY_CPU, true, "CPU %\u25b2", "by CPU %\n"},
		{PROCESS_BY_MEMORY, false, "RSS\u25bc", "by RSS\n"},
		{PROCESS_BY_GPU, false, "GPU %\u25bc", "by GPU %\n"},
		{PROCESS_BY_GPU_MEMORY, false, "GPU mem\u25bc", "by GPU mem\n"},
		{PROCESS_BY_TIME, false, "TIME\u25bc", "by TIME\n"},
		{PROCESS_BY_PID, false, "pid\u25b2", "by pid\n"},
		{PROCESS_BY_PID, true, "pid\u25bc", "by pid\n"},
		{PROCESS_BY_NAME, false, "name\u25b2", "by name\n"},
		{PROCESS_BY_USER, false, "user\u25b2", "by user\n"},
		{PROCESS_BY_THREADS, false, "thr\u25bc", "by threads\n"},
		{PROCESS_BY_STATE, false, "S\u25b2", "by state\n"},
		{PROCESS_BY_IPC, false, "IPC\u25bc", "by IPC\n"},
	};
	struct shown s;

	shown_init(&s);
	s.table.unknown = 1u << PROCESS_BY_WAIT | 1u << PROCESS_BY_MISSES | QUEUES;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got;

		s.table.order.key = cases[i].key;
		s.table.order.reversed = cases[i].reversed;
		got = drawn(&s, 120, 20, false);
		expect_text(got, cases[i].heading);
		expect_text(got, cases[i].words);
		assert_ptr_equal(strstr(got, "\u25b2") ? strstr(got, "\u25bc") : NULL, NULL); /* one glyph */
	}
	shown_fini(&s);
}

TEST(what_is_left_out_is_always_said)
{
	static const struct {
		int cols;
		const char *filter, *user;
		const char *want;
	} cases[] = {
		{100, "", NULL, "\n 1\u201311 of 11   K shows 212 kernel threads   7 may not be read\n"},
		{100, "om", NULL,
		 "\n filter om: 11 shown   1\u201311 of 11   K shows 212 kernel threads   7 may not be "
		 "read\n"},
		{100, "om", "root",
		 "\n filter om: 11 shown   user root   1\u201311 of 11   K shows 212 kernel threads   7 may "
		 "not be read\n"},
		{60, "om", "root", "\n filter om: 11 shown   user root   1\u201311 of 11\n"},
		{40, "com.studio", NULL, "\n filter com.studio: 11 shown\n"},
		{40, "a filter that is longer than the line", NULL,
		 "\n filter a filter that is longer than th\n"},
	};
	struct shown s;

	shown_init(&s);
	s.list->n_hidden = 7;
	s.table.n_kernel = 212;
	s.table.order.no_kernel = true;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		s.table.order.filter = cases[i].filter;
		s.table.order.user = cases[i].user;
		expect_text(drawn(&s, cases[i].cols, 20, false), cases[i].want);
	}
	s.table.n = 0;
	expect_text(drawn(&s, 80, 20, false), "\n no process matches\n");
	shown_fini(&s);
}

TEST(the_selected_row_and_the_counted_one_are_marked)
{
	struct shown s;

	shown_init(&s);
	s.table.selected = 3;
	s.table.counted = (struct process_id){812, 1812, false};
	expect_text(drawn(&s, 80, 20, true), "\n >*    812 S");
	s.table.selected = 1;
	expect_text(drawn(&s, 80, 20, true), "\n  *    812 S");
	s.table.counted.start++; /* another process had that pid */
	expect_text(drawn(&s, 80, 20, true), "\n       812 S");
	expect_text(drawn(&s, 80, 20, true), "\n >       2 S");
	shown_fini(&s);
}

TEST(the_selected_row_is_always_in_sight)
{
	static const struct {
		int rows;
		unsigned selected, first, want_first, want_page;
	} cases[] = {
		{12, 0, 0, 0, 10}, {12, 10, 0, 1, 10}, {12, 0, 1, 0, 10}, {10, 10, 0, 3, 8},
		{10, 5, 3, 3, 8},  {10, 2, 3, 2, 8},   {20, 4, 9, 0, 18}, {10, 4, 99, 3, 8},
	};
	struct shown s;

	shown_init(&s);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		s.table.selected = cases[i].selected;
		s.first = cases[i].first;
		expect_text(drawn(&s, 80, cases[i].rows, true), "\n >");
		if (s.first != cases[i].want_first || s.page != cases[i].want_page)
			fail_msg("case %zu: first %u, page %u", i, s.first, s.page);
	}
	shown_fini(&s);
}

/* Process 1 has three children, of whom 812 has two more, the last of these one. */
TEST(lines_join_children_to_their_parents)
{
	static const struct {
		unsigned person;
		uint16_t depth;
		bool last;
	} tree[] = {{0, 0, false}, {3, 1, false}, {4, 2, false}, {5, 2, true},
		    {6, 3, true},  {7, 1, false}, {10, 1, true}, {1, 0, true}};
	struct shown s;
	const char *got;

	shown_init(&s);
	for (unsigned i = 0; i < ARRAY_LEN(tree); i++)
		s.rows[i] =
			(struct process_row){&s.list->processes[tree[i].person], tree[i].depth, tree[i].last};
	s.table.n = ARRAY_LEN(tree);
	s.table.order.tree = true;
	got = drawn(&s, 120, 20, false);
	expect_text(got, " 0:12.50 init\n");
	expect_text(got, "2h15m \u251c\u2500 surfaceflinger\n");
	expect_text(got, "6d22h \u2502 \u251c\u2500 com.studio.updater\n");
	expect_text(got, "0:00.31 \u2502 \u2514\u2500 sh\n");
	expect_text(got, "0:00.00 \u2502   \u2514\u2500 sleep\n");
	expect_text(got, "78:31.25 \u251c\u2500 com.studio.game\n");
	expect_text(got, "0:00.00 \u2514\u2500 defunct one\n");
	expect_text(got, "0:00.02 [kthreadd]\n");
	expect_text(got, "running   tree, by pid\n");
	/* the same where only the end is in sight */
	s.first = 4;
	s.table.selected = 7;
	s.table.n_processes = 1;
	got = drawn(&s, 120, 10, true);
	expect_text(got, "0:00.00 |   +- sleep\n");
	expect_text(got, "1 process, ");
	shown_fini(&s);
}

TEST(a_deep_tree_keeps_its_names)
{
	struct shown s;

	shown_init(&s);
	for (unsigned i = 0; i < s.table.n; i++)
		s.rows[i].depth = (uint16_t)(i * 6000);
	s.table.order.tree = true;
	expect_text(drawn(&s, 40, 20, true),
		    "    +- com.s~"); /* at most half of the name's columns are lines */
	expect_text(drawn(&s, 120, 20, true), "com.studio.game\n");
	shown_fini(&s);
}

static void item_text(unsigned i, const char **name, const char **text)
{
	static char names[9][8];

	snprintf(names[i], sizeof(names[i]), "SIG%u", i);
	*name = names[i];
	*text = "does something";
}

TEST(a_choice_is_a_box_over_the_rows)
{
	struct process_choice choice = {.title = " 4711 game ", .n = 9, .item = item_text};
	struct shown s;
	const char *got;

	shown_init(&s);
	s.table.choice = &choice;
	got = drawn(&s, 80, 24, true);
	expect_text(got, "+- 4711 game ----------");
	expect_text(got, "|> SIG0      does something");
	expect_text(got, "|  SIG8      does something");
	choice.at = 8; /* too small for all of them */
	got = drawn(&s, 40, 10, true);
	expect_text(got, "|> SIG8      does something");
	expect_not(got, "SIG0");
	shown_fini(&s);
}

TEST(a_row_has_the_command_line_and_a_name_that_it_does_not_tell)
{
	struct shown s;
	const char *got;

	shown_init(&s);
	s.list->processes[0].command = "/sbin/init splash";
	s.list->processes[3].command = "/system/bin/surfaceflinger";
	s.list->processes[5].command = "-zsh --login";
	s.list->processes[7].command = "./start --level 3";
	expect_not(drawn(&s, 120, 20, true), "splash");
	s.table.commands = true;
	got = drawn(&s, 120, 20, true);
	expect_text(got, " command line\n");
	expect_text(got, " /sbin/init splash\n");
	expect_text(got, " /system/bin/surfaceflinger\n");
	expect_text(got, " -zsh --login\n");
	expect_text(got, " com.studio.game: ./start --level 3\n");
	expect_text(got, " [kthreadd]\n"); /* has none */
	expect_text(got, " RenderThread\n");
	shown_fini(&s);
}

TEST(the_selected_process_is_described_where_there_is_room)
{
	struct shown s;
	const char *got;

	shown_init(&s);
	s.table.selected = 7;
	s.list->uptime_ns = 2 * 3600 * 1000000000ll;
	s.list->processes[7].command = "./start --level 3";
	expect_not(drawn(&s, 120, 23, true), "selected:");
	got = drawn(&s, 120, 24, true);
	expect_text(got, "\n selected: com.studio.game (4711) ");
	expect_text(got, "\n CPU         ##########################  164.2 %");
	expect_text(got, " ran 78:31.25 of the 1h59m since its start\n");
	expect_text(got, "\n GPU         ########################..  91.0 % of time");
	expect_text(got, " the GPU was active 97.5 % of that time\n");
	expect_text(got, "\n memory      ..........................  1.01 GB               RSS; GPU memory "
			 "412 MB, of which RSS may have a part\n");
	expect_text(got, "\n command     ./start --level 3\n");
	s.list->processes[7].gpu_percent = NAN; /* another program of the user works, too */
	s.list->processes[7].gpu_user_percent = 51.5f;
	expect_text(drawn(&s, 120, 24, true), "its user's programs together: 51.5 % of time\n");
	s.table.selected = 9; /* a thread has no memory of its own */
	expect_text(drawn(&s, 120, 24, true), "\n memory      ..........................  -\n");
	s.table.selected = 1;
	s.list->processes[1].kernel = true;
	expect_text(drawn(&s, 120, 24, true), "\n command     none: a kernel thread\n");
	shown_fini(&s);
}

TEST(what_is_compared_has_columns_in_place_of_bars)
{
	struct process_was was[32];
	const char *got;
	struct shown s;

	shown_init(&s);
	assert_true(s.list->n <= ARRAY_LEN(was));
	for (unsigned i = 0; i < s.list->n; i++)
		was[i] = (struct process_was){.is_new = i == 1, NAN, NAN, NAN};
	was[7] = (struct process_was){.cpu_percent = 100, .gpu_percent = 80, .rss_bytes = 5e8};
	s.table.was = was;
	got = drawn(&s, 120, 20, true);
	expect_text(got, "was  CPU %    change    was  GPU %     was     RSS");
	expect_text(got, "  100    164 + 64.2 pt   80.0   91.0  500 MB 1.01 GB");
	expect_text(got, "  new    0.0 ");
	expect_not(got, "last ");
	s.table.was = NULL;
	expect_not(drawn(&s, 120, 20, true), "was ");
	shown_fini(&s);
}

TEST(the_selection_is_a_bar_over_the_whole_row)
{
	struct chart chart = {.title = ""};
	struct canvas canvas;
	struct shown s;

	shown_init(&s);
	s.table.selected = 7; /* with bars, history and levels */
	canvas_init(&canvas, 160, 20, false);
	widget_processes.draw(&(struct drawing){&chart, &s.tiny.data, &canvas}, (struct rect){2, 0, 156, 20});
	for (int x = 0; x < canvas.cols; x++)
		assert_int_equal(canvas.cells[8 * canvas.cols + x].style >= STYLE_ON_SELECTED,
				 x >= 2 && x < 158);
	canvas_fini(&canvas);
	shown_fini(&s);
}

TEST(titles_and_rows_are_where_a_click_finds_them)
{
	static const struct {
		int x, y;
		enum hit_kind kind;
		int number;
	} cases[] = {
		{8, 0, HIT_COLUMN, PROCESS_BY_PID},
		{12, 0, HIT_COLUMN, PROCESS_BY_USER},
		{36, 0, HIT_COLUMN, PROCESS_BY_CPU},
		{45, 0, HIT_COLUMN, PROCESS_BY_CPU},
		{150, 0, HIT_COLUMN, PROCESS_BY_NAME},
		{8, 1, HIT_PROCESS, 0},
		{150, 8, HIT_PROCESS, 7},
		{8, 12, HIT_NONE, 0},
	};
	struct chart chart = {.title = ""};
	struct hits hits = {0};
	struct canvas canvas;
	struct shown s;

	shown_init(&s);
	s.tiny.data.hits = &hits;
	canvas_init(&canvas, 160, 20, false);
	widget_processes.draw(&(struct drawing){&chart, &s.tiny.data, &canvas}, (struct rect){2, 0, 156, 20});
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct hit *hit = hits_at(&hits, cases[i].x, cases[i].y);

		assert_int_equal(hit ? hit->kind : HIT_NONE, cases[i].kind);
		assert_int_equal(hit ? hit->number : 0, cases[i].number);
	}
	canvas_fini(&canvas);
	hits_fini(&hits);
	shown_fini(&s);
}

TEST(wide_names_are_cut_between_characters)
{
	struct shown s;

	shown_init(&s);
	for (unsigned i = 0; i < s.list->n; i++) {
		strcpy(s.list->processes[i].name,
		       "\u6e38\u620f\u7ebf\u7a0b\u6e38\u620f\u7ebf\u7a0b\u6e38\u620f\u7ebf\u7a0b");
		strcpy(s.list->processes[i].user, "\u6e38\u620f\u7ebf\u7a0b\u6e38");
	}
	expect_text(drawn(&s, 100, 20, false), "\u6e38\u620f\u7ebf\u7a0b\u2026 S ");
	expect_text(drawn(&s, 40, 20, false), "11.8 MB \u6e38\u620f\u7ebf\u7a0b\u6e38\u620f\u2026\n");
	shown_fini(&s);
}

TEST(every_size_is_drawn_within_its_bounds)
{
	struct process_choice choice = {.title = "title", .n = 9, .at = 5, .item = item_text};
	const struct widget *widget = &widget_processes;
	struct chart chart = {.title = ""};
	struct canvas canvas;
	struct shown s;

	shown_init(&s);
	canvas_init(&canvas, 202, 44, false);
	for (int w = 0; w <= 200; w++)
		for (int h = 0; h <= 40; h += h < 12 ? 1 : 7) {
			struct rect r = {1, 1, w, h};

			canvas_clear(&canvas);
			s.table.choice = (w + h) % 2 ? &choice : NULL;
			s.table.order.tree = w % 3 == 0;
			s.rows[4].depth = (uint16_t)(w % 7);
			s.table.selected = (unsigned)(w + h) % s.table.n;
			widget->draw(&(struct drawing){&chart, &s.tiny.data, &canvas}, r);
			for (int y = 0; y < canvas.rows; y++)
				for (int x = 0; x < canvas.cols; x++)
					if ((x < 1 || x > w || y < 1 || y > h) &&
					    canvas.cells[y * canvas.cols + x].ch != ' ')
						fail_msg("%dx%d: something at %d,%d", w, h, x, y);
		}
	canvas_fini(&canvas);
	shown_fini(&s);
}

TEST(an_empty_list_and_a_long_one_are_drawn)
{
	enum { MANY = 20000 };
	struct process_list *list = xcalloc(1, sizeof(*list));
	struct shown s;

	list->processes = xcalloc(MANY, sizeof(*list->processes));
	list->n = MANY;
	for (unsigned i = 0; i < MANY; i++)
		list->processes[i] =
			(struct process){.pid = (int32_t)i + 1, .state = 'S', .name = "many", .user = "root"};
	shown_list(&s, list);
	s.table.selected = MANY - 1;
	expect_text(drawn(&s, 100, 30, true), "\n >   20000 root");
	assert_int_equal(s.first, MANY - s.page);
	s.table.n = list->n = s.table.selected = 0;
	s.table.n_processes = s.table.n_threads = s.table.n_running = 0;
	expect_text(drawn(&s, 100, 30, true), "0 processes, 0 threads, 0 running ");
	assert_int_equal(s.first, 0);
	shown_fini(&s);
}
