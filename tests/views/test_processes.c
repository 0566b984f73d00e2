/* The widget of the Processes view: what it shows of a table made by hand. */
#include "tests/support/people.h"
#include "tests/support/tiny_source.h"
#include "views/processes.h"

#define TEXT "view v\n  key 0\nchart c\n  widget processes\n"

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
	for (unsigned i = 0; i < list->n; i++)
		s->rows[i].process = &list->processes[i];
	s->table = (struct process_table){.list = list,
					  .rows = s->rows,
					  .n = list->n,
					  .first = &s->first,
					  .page = &s->page,
					  .order.key = PROCESS_BY_PID,
					  .unknown = 1u << PROCESS_BY_IPC,
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

/* Draws, and frees what was drawn before. */
static const char *drawn(struct shown *s, int cols, int rows, bool ascii)
{
	static char *text;

	free(text);
	text = s ? tiny_shown(&s->tiny, TEXT, cols, rows, ascii) : NULL;
	return text;
}

static void expect(const char *got, const char *want)
{
	if (!strstr(got, want))
		fail_msg("'%s' is not in\n%s", want, got);
}

static void expect_not(const char *got, const char *text)
{
	if (strstr(got, text))
		fail_msg("'%s' is in\n%s", text, got);
}

static void before_the_first_list_it_says_that_it_reads(void **state)
{
	struct shown s;

	(void)state;
	shown_init(&s);
	s.table.list = NULL;
	expect(drawn(&s, 80, 24, false), " reading processes...\n");
	s.tiny.data.processes = NULL;
	expect(drawn(&s, 80, 24, false), " reading processes...\n");
	shown_fini(&s);
}

static void every_number_has_its_column_and_unknown_ones_a_dash(void **state)
{
	static const char *const want =
		" 412 processes, 1,830 threads, 3 running                                                     by pid\n"
		"      pid\u25b2 user      S    thr  CPU %     RSS  GPU %  GPU mem     TIME name\n"
		" >       1 root      S      1    0.1 11.8 MB      \u2013     \u2013     0:12.50 init\n"
		"         2 root      S      1    0.0    0 B       \u2013     \u2013     0:00.02 [kthreadd]\n"
		"        97 root      I      1    1.2    0 B       \u2013     \u2013     5:01.70 [kworker/u16:3-mali_jobs]\n"
		"       812 system    S     24    8.1 96.5 MB    6.2  96.0 MB    2h15m surfaceflinger\n"
		"      1200 u0_a117   D      3    0.0 3.25 MB      \u2013     \u2013       6d22h com.studio.updater\n";
	struct shown s;

	(void)state;
	shown_init(&s);
	s.table.n = 5;
	expect(drawn(&s, 100, 20, false), want);
	shown_fini(&s);
}

static void a_thread_has_neither_memory_nor_threads(void **state)
{
	struct shown s;

	(void)state;
	shown_init(&s);
	expect(drawn(&s, 100, 20, true), "     4715 u0_a42    R      -   98.7    -         -     -    60:00.50 RenderThread\n");
	shown_fini(&s);
}

static void what_no_process_tells_has_no_column(void **state)
{
	struct shown s;

	(void)state;
	shown_init(&s);
	expect(drawn(&s, 120, 20, false), "GPU %  GPU mem");
	expect_not(drawn(&s, 120, 20, false), "IPC");
	s.table.unknown = 1u << PROCESS_BY_GPU | 1u << PROCESS_BY_GPU_MEMORY;
	expect(drawn(&s, 120, 20, false), "RSS  IPC     TIME");
	expect_not(drawn(&s, 120, 20, false), "GPU");
	shown_fini(&s);
}

static void the_least_important_columns_go_first(void **state)
{
	static const struct {
		int cols;
		const char *headings;
	} cases[] = {
		{40, "      pid^  CPU %     RSS name\n"},
		{53, "      pid^  CPU %     RSS name\n"},
		{54, "      pid^  CPU %     RSS  GPU % name\n"},
		{63, "      pid^  CPU %     RSS  GPU %  GPU mem name\n"},
		{66, "      pid^ S   CPU %     RSS  GPU %  GPU mem name\n"},
		{76, "      pid^ user      S   CPU %     RSS  GPU %  GPU mem name\n"},
		{85, "      pid^ user      S   CPU %     RSS  GPU %  GPU mem     TIME name\n"},
		{91, "      pid^ user      S    thr  CPU %     RSS  GPU %  GPU mem     TIME name\n"},
	};
	struct shown s;

	(void)state;
	shown_init(&s);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(drawn(&s, cases[i].cols, 20, true), cases[i].headings);
	shown_fini(&s);
}

static void a_glyph_marks_what_the_rows_are_sorted_by(void **state)
{
	static const struct {
		enum process_key key;
		bool reversed;
		const char *heading, *words;
	} cases[] = {
		{PROCESS_BY_CPU, false, "CPU %\u25bc", "by CPU %\n"},
		{PROCESS_BY_CPU, true, "CPU %\u25b2", "by CPU %, reversed\n"},
		{PROCESS_BY_MEMORY, false, "RSS\u25bc", "by RSS\n"},
		{PROCESS_BY_GPU, false, "GPU %\u25bc", "by GPU %\n"},
		{PROCESS_BY_GPU_MEMORY, false, "GPU mem\u25bc", "by GPU mem\n"},
		{PROCESS_BY_TIME, false, "TIME\u25bc", "by TIME\n"},
		{PROCESS_BY_PID, false, "pid\u25b2", "by pid\n"},
		{PROCESS_BY_PID, true, "pid\u25bc", "by pid, reversed\n"},
		{PROCESS_BY_NAME, false, "name\u25b2", "by name\n"},
		{PROCESS_BY_USER, false, "user\u25b2", "by user\n"},
		{PROCESS_BY_THREADS, false, "thr\u25bc", "by threads\n"},
		{PROCESS_BY_STATE, false, "S\u25b2", "by state\n"},
		{PROCESS_BY_IPC, false, "IPC\u25bc", "by IPC\n"},
	};
	struct shown s;

	(void)state;
	shown_init(&s);
	s.table.unknown = 0;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got;

		s.table.order.key = cases[i].key;
		s.table.order.reversed = cases[i].reversed;
		got = drawn(&s, 120, 20, false);
		expect(got, cases[i].heading);
		expect(got, cases[i].words);
		assert_ptr_equal(strstr(got, "\u25b2") ? strstr(got, "\u25bc") : NULL, NULL); /* one glyph */
	}
	shown_fini(&s);
}

static void what_is_left_out_is_always_said(void **state)
{
	static const struct {
		int cols;
		const char *filter, *user;
		const char *want;
	} cases[] = {
		{100, "", NULL,
		 " 412 processes, 1,830 threads, 3 running, 7 hidden                                           by pid\n"},
		{100, "om", NULL, "7 hidden                     by pid   filter om: 11 shown\n"},
		{100, "om", "root", "7 hidden         by pid   user root   filter om: 11 shown\n"},
		{60, "om", "root", " 412 processes     by pid   user root   filter om: 11 shown\n"},
		{40, "com.studio", NULL, "        filter com.studio: 11 shown\n"},
		{40, "a filter that is longer than the line", NULL, " filter a filter that is longer than th\n"},
	};
	struct shown s;

	(void)state;
	shown_init(&s);
	s.list->n_hidden = 7;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		s.table.order.filter = cases[i].filter;
		s.table.order.user = cases[i].user;
		expect(drawn(&s, cases[i].cols, 20, false), cases[i].want);
	}
	s.table.n = 0;
	expect(drawn(&s, 80, 20, false), "\n none that the filter finds\n");
	shown_fini(&s);
}

static void the_selected_row_and_the_counted_one_are_marked(void **state)
{
	struct shown s;

	(void)state;
	shown_init(&s);
	s.table.selected = 3;
	s.table.counted = (struct process_id){812, 1812, false};
	expect(drawn(&s, 80, 20, true), "\n >*    812 system");
	s.table.selected = 1;
	expect(drawn(&s, 80, 20, true), "\n  *    812 system");
	s.table.counted.start++; /* another process had that pid */
	expect(drawn(&s, 80, 20, true), "\n       812 system");
	expect(drawn(&s, 80, 20, true), "\n >       2 root");
	shown_fini(&s);
}

static void the_selected_row_is_always_in_sight(void **state)
{
	static const struct {
		int rows;
		unsigned selected, first, want_first, want_page;
	} cases[] = {
		{12, 0, 0, 0, 10}, {12, 10, 0, 1, 10}, {12, 0, 1, 0, 10}, {10, 10, 0, 3, 8},
		{10, 5, 3, 3, 8},  {10, 2, 3, 2, 8},   {20, 4, 9, 0, 18}, {10, 4, 99, 3, 8},
	};
	struct shown s;

	(void)state;
	shown_init(&s);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		s.table.selected = cases[i].selected;
		s.first = cases[i].first;
		expect(drawn(&s, 80, cases[i].rows, true), "\n >");
		if (s.first != cases[i].want_first || s.page != cases[i].want_page)
			fail_msg("case %zu: first %u, page %u", i, s.first, s.page);
	}
	shown_fini(&s);
}

/* Process 1 has three children, of whom 812 has two more, the last of these one. */
static void lines_join_children_to_their_parents(void **state)
{
	static const struct {
		unsigned person;
		uint16_t depth;
		bool last;
	} tree[] = {{0, 0, false}, {3, 1, false}, {4, 2, false}, {5, 2, true},
		    {6, 3, true},  {7, 1, false}, {10, 1, true}, {1, 0, true}};
	struct shown s;
	const char *got;

	(void)state;
	shown_init(&s);
	for (unsigned i = 0; i < ARRAY_LEN(tree); i++)
		s.rows[i] = (struct process_row){&s.list->processes[tree[i].person], tree[i].depth, tree[i].last};
	s.table.n = ARRAY_LEN(tree);
	s.table.order.tree = true;
	got = drawn(&s, 100, 20, false);
	expect(got, " 0:12.50 init\n");
	expect(got, "2h15m \u251c\u2500 surfaceflinger\n");
	expect(got, "6d22h \u2502 \u251c\u2500 com.studio.updater\n");
	expect(got, "0:00.31 \u2502 \u2514\u2500 sh\n");
	expect(got, "0:00.00 \u2502   \u2514\u2500 sleep\n");
	expect(got, "78:31.25 \u251c\u2500 com.studio.game\n");
	expect(got, "0:00.00 \u2514\u2500 defunct one\n");
	expect(got, "0:00.02 [kthreadd]\n");
	expect(got, "tree, by pid\n");
	/* the same where only the end is in sight */
	s.first = 4;
	s.table.selected = 7;
	s.table.n_processes = 1;
	got = drawn(&s, 100, 10, true);
	expect(got, "0:00.00 |   +- sleep\n");
	expect(got, "1 process, ");
	shown_fini(&s);
}

static void a_deep_tree_keeps_its_names(void **state)
{
	struct shown s;

	(void)state;
	shown_init(&s);
	for (unsigned i = 0; i < s.table.n; i++)
		s.rows[i].depth = (uint16_t)(i * 6000);
	s.table.order.tree = true;
	expect(drawn(&s, 40, 20, true), "    +- com.st"); /* at most half of the name's columns are lines */
	expect(drawn(&s, 120, 20, true), "com.studio.game\n");
	shown_fini(&s);
}

static void item(unsigned i, const char **name, const char **text)
{
	static char names[9][8];

	snprintf(names[i], sizeof(names[i]), "SIG%u", i);
	*name = names[i];
	*text = "does something";
}

static void a_choice_is_a_box_over_the_rows(void **state)
{
	struct process_choice choice = {.title = " 4711 game ", .n = 9, .item = item};
	struct shown s;
	const char *got;

	(void)state;
	shown_init(&s);
	s.table.choice = &choice;
	got = drawn(&s, 80, 24, true);
	expect(got, "+- 4711 game ----------");
	expect(got, "|> SIG0      does something");
	expect(got, "|  SIG8      does something");
	choice.at = 8; /* too small for all of them */
	got = drawn(&s, 40, 10, true);
	expect(got, "|> SIG8      does something");
	expect_not(got, "SIG0");
	shown_fini(&s);
}

static void wide_names_are_cut_between_characters(void **state)
{
	struct shown s;

	(void)state;
	shown_init(&s);
	for (unsigned i = 0; i < s.list->n; i++) {
		strcpy(s.list->processes[i].name, "\u6e38\u620f\u7ebf\u7a0b\u6e38\u620f\u7ebf\u7a0b\u6e38\u620f\u7ebf\u7a0b");
		strcpy(s.list->processes[i].user, "\u6e38\u620f\u7ebf\u7a0b\u6e38");
	}
	expect(drawn(&s, 80, 20, false), "\u6e38\u620f\u7ebf\u7a0b\u2026 S ");
	expect(drawn(&s, 40, 20, false), "11.8 MB \u6e38\u620f\u7ebf\u7a0b\u6e38\u620f\n");
	shown_fini(&s);
}

static void every_size_is_drawn_within_its_bounds(void **state)
{
	struct process_choice choice = {.title = "title", .n = 9, .at = 5, .item = item};
	const struct widget *widget = &widget_processes;
	struct chart chart = {.title = ""};
	struct canvas canvas;
	struct shown s;

	(void)state;
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
			widget->draw(&chart, &s.tiny.data, &canvas, r);
			for (int y = 0; y < canvas.rows; y++)
				for (int x = 0; x < canvas.cols; x++)
					if ((x < 1 || x > w || y < 1 || y > h) && canvas.cells[y * canvas.cols + x].ch != ' ')
						fail_msg("%dx%d: something at %d,%d", w, h, x, y);
		}
	canvas_fini(&canvas);
	shown_fini(&s);
}

static void an_empty_list_and_a_long_one_are_drawn(void **state)
{
	enum { MANY = 20000 };
	struct process_list *list = xcalloc(1, sizeof(*list));
	struct shown s;

	(void)state;
	list->processes = xcalloc(MANY, sizeof(*list->processes));
	list->n = MANY;
	for (unsigned i = 0; i < MANY; i++)
		list->processes[i] = (struct process){.pid = (int32_t)i + 1, .state = 'S', .name = "many", .user = "root"};
	shown_list(&s, list);
	s.table.selected = MANY - 1;
	expect(drawn(&s, 100, 30, true), "\n >   20000 root");
	assert_int_equal(s.first, MANY - s.page);
	s.table.n = list->n = s.table.selected = 0;
	s.table.n_processes = s.table.n_threads = s.table.n_running = 0;
	expect(drawn(&s, 100, 30, true), " 0 processes, 0 threads, 0 running ");
	assert_int_equal(s.first, 0);
	shown_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_the_first_list_it_says_that_it_reads),
		cmocka_unit_test(every_number_has_its_column_and_unknown_ones_a_dash),
		cmocka_unit_test(a_thread_has_neither_memory_nor_threads),
		cmocka_unit_test(what_no_process_tells_has_no_column),
		cmocka_unit_test(the_least_important_columns_go_first),
		cmocka_unit_test(a_glyph_marks_what_the_rows_are_sorted_by),
		cmocka_unit_test(what_is_left_out_is_always_said),
		cmocka_unit_test(the_selected_row_and_the_counted_one_are_marked),
		cmocka_unit_test(the_selected_row_is_always_in_sight),
		cmocka_unit_test(lines_join_children_to_their_parents),
		cmocka_unit_test(a_deep_tree_keeps_its_names),
		cmocka_unit_test(a_choice_is_a_box_over_the_rows),
		cmocka_unit_test(wide_names_are_cut_between_characters),
		cmocka_unit_test(every_size_is_drawn_within_its_bounds),
		cmocka_unit_test(an_empty_list_and_a_long_one_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
