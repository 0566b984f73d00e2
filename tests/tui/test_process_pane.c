/* The Processes view's state and keys, over lists made by hand. */
#include "tests/support/people.h"

#include "tests/support/test.h"
#include "tui/process_pane.h"
#include "views/widget.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/fixture.h"

struct process_pane_bench {
	struct fixture machine;
	struct process_pane pane;
	struct strbuf said;
};

static void bench_init(struct process_pane_bench *b)
{
	*b = (struct process_pane_bench){0};
	fixture_init(&b->machine, NULL);
	process_pane_init(&b->pane, &b->machine.sys, NULL);
	b->pane.threads = true;
	process_pane_take(&b->pane, people_list(true));
}

static void bench_fini(struct process_pane_bench *b)
{
	process_pane_fini(&b->pane);
	fixture_fini(&b->machine);
	strbuf_fini(&b->said);
}

/* Every character is a key. All of them must be the pane's. */
static void type_keys(struct process_pane_bench *b, const char *text)
{
	const char *end = text + strlen(text);

	strbuf_clear(&b->said);
	while (text < end)
		assert_true(process_pane_key(&b->pane, utf8_next(&text, end), &b->said));
}

static void press_key(struct process_pane_bench *b, uint32_t key)
{
	strbuf_clear(&b->said);
	assert_true(process_pane_key(&b->pane, key, &b->said));
}

static int32_t selected(const struct process_pane_bench *b)
{
	const struct process *p = process_pane_selected(&b->pane);

	return p ? p->pid : 0;
}

static void select_pid(struct process_pane_bench *b, int32_t pid)
{
	for (unsigned i = 0; i < b->pane.table.n; i++)
		if (b->pane.table.rows[i].process->pid == pid) {
			process_pane_select(&b->pane, i);
			return;
		}
	fail_msg("%d is not there", pid);
}

/* The pids of the rows, as a text. */
static const char *rows(const struct process_pane_bench *b)
{
	static char text[512];
	size_t n = 0;

	text[0] = 0;
	for (unsigned i = 0; i < b->pane.table.n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d", i ? " " : "",
				      b->pane.table.rows[i].process->pid);
	return text;
}

static const char *asked(struct process_pane_bench *b)
{
	const struct foot_ask *ask = process_pane_ask(&b->pane);

	return ask ? ask->text : "";
}

/* The list without that pid. */
static struct process_list *list_without(int32_t pid)
{
	struct process_list *list = people_list(true);

	for (unsigned i = 0; i < list->n; i++)
		if (list->processes[i].pid == pid) {
			memmove(&list->processes[i], &list->processes[i + 1],
				(--list->n - i) * sizeof(*list->processes));
			return list;
		}
	fail_msg("%d is not there", pid);
	return NULL;
}

/* ---- selection ---- */

TEST(keys_move_the_selection_within_the_rows)
{
	static const struct {
		uint32_t key;
		unsigned row;
	} steps[] = {{K_UP, 0},         {K_DOWN, 1},    {K_WHEEL_DOWN, 2}, {K_PAGE_DOWN, 6},
		     {K_PAGE_DOWN, 10}, {K_DOWN, 10},   {K_WHEEL_UP, 9},   {K_PAGE_UP, 5},
		     {K_PAGE_UP, 1},    {K_PAGE_UP, 0}, {K_END, 10},       {K_HOME, 0}};
	struct process_pane_bench b;

	bench_init(&b);
	b.pane.page = 5;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		press_key(&b, steps[i].key);
		if (b.pane.table.selected != steps[i].row)
			fail_msg("step %zu: row %u", i, b.pane.table.selected);
	}
	bench_fini(&b);
}

TEST(the_selection_stays_on_its_process_when_the_order_changes)
{
	static const char keys[] = "PMTNsRsRsIHtssssR";
	struct process_pane_bench b;

	bench_init(&b);
	select_pid(&b, 812);
	for (const char *key = keys; *key; key++) {
		press_key(&b, (uint32_t)*key);
		assert_int_equal(selected(&b), 812);
	}
	process_pane_take(&b.pane, list_without(97));
	assert_int_equal(selected(&b), 812);
	bench_fini(&b);
}

TEST(the_first_thread_of_a_process_is_not_the_process)
{
	struct process_pane_bench b;

	bench_init(&b);
	for (int again = 0; again < 2; again++) {
		struct process_list *list = people_list(true);

		for (unsigned i = 0; i < list->n; i++)
			if (list->processes[i].pid == 4715) {
				list->processes[i].pid = 4711;
				list->processes[i].start = 5711;
			}
		process_pane_take(&b.pane, list);
		if (!again)
			process_pane_select(&b.pane, 1);
		assert_true(process_pane_selected(&b.pane)->is_thread);
		press_key(&b, again ? 'N' : 'P');
		assert_true(process_pane_selected(&b.pane)->is_thread);
	}
	bench_fini(&b);
}

TEST(until_the_selection_moves_it_is_the_first_row)
{
	struct process_pane_bench b;

	bench_init(&b);
	assert_int_equal(selected(&b), 4711);
	press_key(&b, 'N');
	assert_int_equal(selected(&b), 1);
	press_key(&b, K_DOWN);
	press_key(&b, K_HOME);
	press_key(&b, 'P');
	assert_int_equal(selected(&b), 4711);
	process_pane_take(&b.pane, list_without(4711));
	assert_int_equal(b.pane.table.selected, 0);
	bench_fini(&b);
}

TEST(where_a_process_is_gone_the_row_stays)
{
	static const struct {
		int32_t gone, then; /* by pid */
	} cases[] = {{812, 1200}, {1, 2}, {5000, 4716}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_pane_bench b;

		bench_init(&b);
		press_key(&b, 'N');
		select_pid(&b, cases[i].gone);
		process_pane_take(&b.pane, list_without(cases[i].gone));
		assert_int_equal(selected(&b), cases[i].then);
		bench_fini(&b);
	}
}

TEST(another_process_of_the_same_pid_is_another_one)
{
	struct process_list *list = people_list(true);
	struct process_pane_bench b;

	bench_init(&b);
	select_pid(&b, 812);
	assert_int_equal(b.pane.table.selected, 3);
	for (unsigned i = 0; i < list->n; i++)
		if (list->processes[i].pid == 812) {
			list->processes[i].start++;
			list->processes[i].cpu_percent = 200;
		}
	process_pane_take(&b.pane, list);
	assert_int_equal(b.pane.table.selected, 3);
	assert_int_not_equal(selected(&b), 812);
	bench_fini(&b);
}

TEST(before_the_first_list_no_key_harms)
{
	static const char keys[] = "PMTNsRIHtk\r/x\ru\x1b/";
	struct process_pane pane;
	AUTO_STRBUF struct strbuf said = {0};

	process_pane_init(&pane, NULL, NULL);
	for (const char *key = keys; *key; key++)
		process_pane_key(&pane, (uint32_t)*key, &said);
	for (uint32_t key = K_SPECIAL; key <= K_WHEEL_DOWN; key++)
		process_pane_key(&pane, key, &said);
	assert_null(pane.table.list);
	assert_null(process_pane_selected(&pane));
	process_pane_fini(&pane);
}

/* ---- order ---- */

TEST(letters_sort)
{
	static const struct {
		char key;
		const char *rows;
	} cases[] = {
		{'P', "4711 4715 4716 812 97 1 2 1200 3900 3977 5000"},
		{'M', "4711 812 1 3900 1200 3977 2 97 5000 4715 4716"},
		{'T', "1200 812 4711 4715 4716 97 1 3900 2 3977 5000"},
		{'N', "1 2 97 812 1200 3900 3977 4711 4715 4716 5000"},
		{'R', "5000 4716 4715 4711 3977 3900 1200 812 97 2 1"},
		{'I', "1 2 97 812 1200 3900 3977 4711 4715 4716 5000"},
		{'t', "1 812 1200 3900 3977 5000 4711 4715 4716 2 97"},
	};
	struct process_pane_bench b;

	bench_init(&b);
	press_key(&b, 'N');
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		press_key(&b, (uint32_t)cases[i].key);
		assert_string_equal(rows(&b), cases[i].rows);
	}
	bench_fini(&b);
}

TEST(s_goes_round_the_keys_that_something_is_known_of)
{
	struct process_pane_bench b;

	bench_init(&b);
	press_key(&b, 'R');
	for (unsigned i = 1; i <= PROCESS_BY_IPC; i++) {
		press_key(&b, 's');
		assert_int_equal(b.pane.table.order.key,
				 i < PROCESS_BY_IPC ? i : PROCESS_BY_CPU); /* here is no IPC */
		assert_false(b.pane.table.order.reversed);
	}
	bench_fini(&b);
}

#define QUEUES (1u << PROCESS_BY_GPU_FRAGMENT | 1u << PROCESS_BY_GPU_VERTEX)

TEST(a_column_that_was_known_once_stays)
{
	struct process_list *list = people_list(false);
	struct process_pane_bench b;

	bench_init(&b);
	assert_int_equal(b.pane.table.unknown,
			 1u << PROCESS_BY_IPC | 1u << PROCESS_BY_WAIT | 1u << PROCESS_BY_MISSES | QUEUES);
	for (unsigned i = 0; i < list->n; i++)
		list->processes[i].gpu_percent = (float)NAN;
	list->processes[0].ipc = 1;
	process_pane_take(&b.pane, list);
	assert_int_equal(b.pane.table.unknown, QUEUES | 1u << PROCESS_BY_WAIT | 1u << PROCESS_BY_MISSES);
	bench_fini(&b);
}

TEST(a_list_without_percentages_replaces_none_that_has_them)
{
	struct process_list *first = people_list(false), *again = people_list(false);
	struct process_pane_bench b;

	bench_init(&b);
	process_pane_fini(&b.pane);
	process_pane_init(&b.pane, &b.machine.sys, NULL);
	b.pane.threads = true;
	first->begin_ns = again->begin_ns = 0;
	process_pane_take(&b.pane, first);
	assert_ptr_equal(b.pane.table.list, first);
	process_pane_take(&b.pane, people_list(true));
	assert_int_equal(b.pane.table.n, 11);
	process_pane_take(&b.pane, again);
	assert_int_equal(b.pane.table.n, 11);
	bench_fini(&b);
}

TEST(processes_are_counted_threads_or_not)
{
	struct process_pane_bench b;

	bench_init(&b);
	for (int threads = 0; threads < 2; threads++) {
		process_pane_take(&b.pane, people_list(threads));
		assert_int_equal(b.pane.table.n_processes, 9);
		assert_int_equal(b.pane.table.n_threads, 91);
		assert_int_equal(b.pane.table.n_running, 1);
	}
	assert_true(b.pane.threads);
	press_key(&b, 'H');
	assert_false(b.pane.threads);
	bench_fini(&b);
}

TEST(threads_are_hidden_until_h_asks_for_them)
{
	struct process_pane_bench b;

	bench_init(&b);
	process_pane_fini(&b.pane);
	process_pane_init(&b.pane, &b.machine.sys, NULL);
	process_pane_take(&b.pane, people_list(true));
	for (int shown = 0; shown < 2; shown++) {
		bool any = false;

		for (unsigned i = 0; i < b.pane.table.n; i++)
			any |= b.pane.table.rows[i].process->is_thread;
		assert_int_equal(any, shown);
		press_key(&b, 'H');
		process_pane_take(&b.pane, people_list(true));
	}
	bench_fini(&b);
}

/* ---- typing ---- */

TEST(a_filter_works_while_it_is_typed)
{
	static const struct {
		const char *key, *filter, *rows;
	} steps[] = {
		{"/", "", "4711 4715 4716 812 97 1 2 1200 3900 3977 5000"},
		{"s", "s", "4711 812 97 1200 3900 3977 5000"},
		{"h", "sh", "3900 3977 5000"},
		{"q", "shq", ""},
		{"\x7f", "sh", "3900 3977 5000"},
		{"\b", "s", "4711 812 97 1200 3900 3977 5000"},
		{"\x7f", "", "4711 4715 4716 812 97 1 2 1200 3900 3977 5000"},
		{"\x7f", "", "4711 4715 4716 812 97 1 2 1200 3900 3977 5000"},
		{"\u7ebf", "\u7ebf", "4716"},
		{"\u7a0b", "\u7ebf\u7a0b", "4716"},
		{"\x7f", "\u7ebf", "4716"},
		{"\x01", "\u7ebf", "4716"},
	};
	struct process_pane_bench b;

	bench_init(&b);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		type_keys(&b, steps[i].key);
		assert_string_equal(b.pane.table.order.filter, steps[i].filter);
		assert_string_equal(rows(&b), steps[i].rows);
		assert_non_null(strstr(asked(&b), steps[i].filter));
	}
	bench_fini(&b);
}

TEST(every_key_belongs_to_the_text)
{
	struct process_pane_bench b;

	bench_init(&b);
	type_keys(&b, "/ qk0P?/");
	assert_string_equal(asked(&b), "filter:  qk0P?/");
	press_key(&b, K_UP);
	press_key(&b, K_F1);
	press_key(&b, K_TAB);
	assert_string_equal(asked(&b), "filter:  qk0P?/");
	bench_fini(&b);
}

TEST(enter_keeps_a_filter_and_escape_clears_it)
{
	struct process_pane_bench b;

	bench_init(&b);
	type_keys(&b, "/sh\r");
	assert_null(process_pane_ask(&b.pane));
	assert_string_equal(rows(&b), "3900 3977 5000");
	type_keys(&b, "/e");
	assert_string_equal(b.pane.table.order.filter, "she");
	press_key(&b, K_ESCAPE);
	assert_null(process_pane_ask(&b.pane));
	assert_int_equal(b.pane.table.n, 11);
	type_keys(&b, "/sh\r");
	press_key(&b, K_ESCAPE); /* of one that was kept, too */
	assert_int_equal(b.pane.table.n, 11);
	assert_false(process_pane_key(&b.pane, K_ESCAPE, &b.said)); /* nothing to clear any more */
	bench_fini(&b);
}

TEST(a_text_that_is_too_long_ends_before_a_character)
{
	struct process_pane_bench b;

	bench_init(&b);
	type_keys(&b, "/");
	for (int i = 0; i < 100; i++)
		type_keys(&b, "\u7ebf");
	assert_int_equal(strlen(b.pane.filter), (PANE_TEXT - 1) / 3 * 3);
	bench_fini(&b);
}

/* ---- pause ---- */

TEST(a_pause_shows_the_processes_of_its_moment_or_says_that_there_are_none)
{
	static const struct {
		int64_t moment_s;
		int32_t missing; /* the pid that was not there then; 0: there is no list */
	} cases[] = {{3, 97}, {5, 3900}, {7, 4711}, {9, 0}, {0, 5000}, {3, 97}, {1, 0}, {0, 5000}};
	static const int32_t without[] = {97, 3900, 4711, 5000};
	static const int64_t ends_s[] = {3, 5, 7, 12};
	struct process_pane_bench b;

	bench_init(&b);
	process_pane_forget(&b.pane);
	press_key(&b, 'N');
	for (size_t i = 0; i < ARRAY_LEN(ends_s); i++) {
		struct process_list *list = list_without(without[i]);

		list->begin_ns = (ends_s[i] - 2) * 1000000000;
		list->end_ns = ends_s[i] * 1000000000;
		process_pane_take(&b.pane, list);
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		process_pane_pause(&b.pane, cases[i].moment_s * 1000000000 - (cases[i].moment_s > 0));
		assert_int_equal(b.pane.table.list != NULL, cases[i].missing != 0);
		if (b.pane.table.list)
			assert_null(process_find(b.pane.table.list, cases[i].missing));
		else
			assert_string_equal(b.pane.table.missing,
					    "no processes are kept from this moment: space resumes");
		press_key(&b, K_DOWN); /* over a list or none */
		press_key(&b, 't');
	}
	bench_fini(&b);
}

/* ---- search ---- */

TEST(f3_selects_rows_with_a_text_one_after_the_other)
{
	static const struct {
		const char *typed;
		unsigned again; /* F3 */
		int32_t selected;
		const char *said;
	} cases[] = {
		{"com.", 0, 1200, ""},
		{"com.", 1, 4711, ""},
		{"com.", 2, 1200, ""},
		{"SH", 0, 3900, ""},
		{"SH", 1, 3977, ""},
		{"", 2, 1, ""},
		{"49", 0, 4711, "search: no row has 49"},
		{"--level", 0, 4711, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_pane_bench b;

		bench_init(&b);
		press_key(&b, 'N');
		b.pane.list->processes[7].command = "./game --level 3";
		press_key(&b, K_F3);
		type_keys(&b, cases[i].typed);
		for (unsigned k = 0; k < cases[i].again; k++)
			press_key(&b, K_F3);
		assert_int_equal(selected(&b), cases[i].selected);
		assert_string_equal(b.said.n ? b.said.p : "", cases[i].said);
		press_key(&b, K_ENTER);
		assert_int_equal(b.pane.mode, PANE_ROWS);
		assert_int_equal(selected(&b), cases[i].selected);
		press_key(&b, K_F3); /* the text is still there */
		press_key(&b, K_F3);
		assert_int_equal(b.pane.table.n, b.pane.list->n);
		bench_fini(&b);
	}
}

/* ---- keys of htop ---- */

TEST(f_keys_do_what_they_do_in_htop)
{
	static const struct {
		uint32_t key;
		enum pane_mode mode;
		const char *asks;
	} cases[] = {
		{K_F3, PANE_SEARCH, "search: "},
		{K_F4, PANE_FILTER, "filter: "},
		{K_F5, PANE_ROWS, ""},
		{K_F6, PANE_SORT, "sort by what?"},
		{K_F9, PANE_SIGNAL, "which signal?"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_pane_bench b;

		bench_init(&b);
		press_key(&b, cases[i].key);
		assert_int_equal(b.pane.mode, cases[i].mode);
		assert_string_equal(asked(&b), cases[i].asks);
		assert_int_equal(b.pane.table.order.tree, cases[i].key == K_F5);
		bench_fini(&b);
	}
	assert_int_equal(keys_action(keys_everywhere, K_F10, NEEDS_LIVE).action, ACTION_QUIT);
	assert_int_equal(keys_action(keys_of_processes, 'j', NEEDS_LIVE).action, ACTION_NONE);
}

TEST(f6_offers_what_is_known_and_the_order_it_has)
{
	const char *name, *text;
	struct process_pane_bench b;

	bench_init(&b);
	press_key(&b, 'M');
	press_key(&b, K_F6);
	assert_int_equal(b.pane.choice.n,
			 PROCESS_KEYS - 5); /* nothing counts IPC, misses, waits, or tells queues apart */
	b.pane.choice.item(b.pane.choice.ids[b.pane.choice.at], &name, &text);
	assert_string_equal(name, "RSS");
	press_key(&b, K_END);
	b.pane.choice.item(b.pane.choice.ids[b.pane.choice.at], &name, &text);
	assert_string_equal(name, "state");
	press_key(&b, K_ESCAPE);
	assert_int_equal(b.pane.table.order.key, PROCESS_BY_MEMORY);
	assert_null(b.pane.table.choice);
	press_key(&b, K_F6);
	press_key(&b, K_DOWN);
	press_key(&b, K_ENTER);
	assert_int_equal(b.pane.table.order.key, PROCESS_BY_GPU);
	assert_int_equal(b.pane.mode, PANE_ROWS);
	bench_fini(&b);
}

TEST(a_click_sorts_and_selects_unless_something_is_asked)
{
	struct process_pane_bench b;

	bench_init(&b);
	process_pane_click_title(&b.pane, PROCESS_BY_MEMORY);
	assert_int_equal(b.pane.table.order.key, PROCESS_BY_MEMORY);
	assert_false(b.pane.table.order.reversed);
	process_pane_click_title(&b.pane, PROCESS_BY_MEMORY);
	assert_true(b.pane.table.order.reversed);
	process_pane_click_row(&b.pane, 3);
	assert_int_equal(b.pane.table.selected, 3);
	process_pane_click_row(&b.pane, 3000); /* the list became shorter */
	assert_int_equal(b.pane.table.selected, b.pane.table.n - 1);
	press_key(&b, K_F6);
	process_pane_click_title(&b.pane, PROCESS_BY_PID);
	process_pane_click_row(&b.pane, 1);
	assert_int_equal(b.pane.table.order.key, PROCESS_BY_MEMORY);
	assert_int_equal(b.pane.table.selected, b.pane.table.n - 1);
	bench_fini(&b);
}

TEST(kernel_threads_are_hidden_and_their_number_is_said)
{
	struct process_pane_bench b;

	bench_init(&b);
	press_key(&b, 'N');
	assert_int_equal(b.pane.table.n_kernel, 2);
	press_key(&b, 'K');
	assert_string_equal(b.said.p, "kernel threads: 2 hidden");
	assert_string_equal(rows(&b), "1 812 1200 3900 3977 4711 4715 4716 5000");
	press_key(&b, 'K');
	assert_string_equal(b.said.p, "kernel threads: 2 shown");
	assert_int_equal(b.pane.table.n, b.pane.list->n);
	bench_fini(&b);
}

TEST(a_panel_of_another_view_has_the_busiest_whatever_the_order_of_the_list)
{
	static const struct {
		enum pane_busiest wanted;
		int32_t first, second;
	} cases[] = {{BUSIEST_PROCESSES, 4711, 4715}, {BUSIEST_THREADS, 4715, 4716}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_pane_bench b;
		const struct process_table *t = &b.pane.busiest;

		bench_init(&b);
		assert_null(t->list); /* nothing is sorted that no view shows */
		type_keys(&b, "N/init\r");
		process_pane_want_busiest(&b.pane, cases[i].wanted);
		assert_int_equal(t->rows[0].process->pid, cases[i].first);
		assert_int_equal(t->rows[1].process->pid, cases[i].second);
		process_pane_take(&b.pane, list_without(cases[i].first));
		assert_int_not_equal(t->rows[0].process->pid, cases[i].first);
		process_pane_want_busiest(&b.pane, BUSIEST_NONE);
		assert_null(t->list);
		process_pane_want_busiest(&b.pane, cases[i].wanted);
		process_pane_forget(&b.pane);
		assert_int_equal(t->n, 0);
		bench_fini(&b);
	}
}

TEST(command_lines_are_wanted_of_the_rows_in_sight_or_of_all_while_a_text_is_looked_for)
{
	struct process_query query = {0};
	struct process_pane_bench b;

	bench_init(&b);
	press_key(&b, 'N');
	process_pane_query(&b.pane, &query); /* nothing was drawn yet */
	assert_int_equal(query.n_commands, 1);
	assert_int_equal(query.commands[0], 1); /* the selected one */
	query.n_commands = 0;
	b.pane.first = 6;
	b.pane.page = 4;
	process_pane_query(&b.pane, &query);
	assert_int_equal(query.n_commands, 3); /* two of the four are threads */
	assert_int_equal(query.commands[1], 3977);
	assert_int_equal(query.commands[2], 4711);
	assert_false(query.all_commands);
	press_key(&b, K_F3);
	process_pane_query(&b.pane, &query);
	assert_true(query.all_commands);
	type_keys(&b, "x\r");
	process_pane_query(&b.pane, &query);
	assert_false(query.all_commands);
	type_keys(&b, "/com\r");
	process_pane_query(&b.pane, &query);
	assert_true(query.all_commands);
	assert_true(b.pane.table.commands);
	press_key(&b, 'p');
	assert_false(b.pane.table.commands);
	query.n_commands = 0;
	process_pane_query(&b.pane, &query);
	assert_int_equal(query.n_commands, 1);
	bench_fini(&b);
}

TEST(one_user_only)
{
	struct process_pane_bench b;

	bench_init(&b);
	type_keys(&b, "ushell");
	assert_string_equal(asked(&b), "user: shell");
	assert_int_equal(b.pane.table.n, 11); /* half a name is no user */
	press_key(&b, K_ENTER);
	assert_string_equal(rows(&b), "3900 3977 5000");
	type_keys(&b, "u");
	press_key(&b, K_ESCAPE);
	assert_int_equal(b.pane.table.n, 11);
	type_keys(&b, "unobody\r");
	assert_int_equal(b.pane.table.n, 0);
	assert_string_equal(b.said.p, "user nobody: has no process; Escape shows all users");
	press_key(&b, K_ESCAPE);
	assert_int_equal(b.pane.table.n, 11);
	bench_fini(&b);
}

TEST(a_user_may_be_there_from_the_start)
{
	struct process_pane_bench b;

	bench_init(&b);
	process_pane_fini(&b.pane);
	process_pane_init(&b.pane, &b.machine.sys, "system");
	process_pane_take(&b.pane, people_list(true));
	assert_string_equal(rows(&b), "812");
	process_pane_fini(&b.pane);
	process_pane_init(&b.pane, &b.machine.sys, "\x1b[31mred");
	assert_string_equal(b.pane.user, "?[31mred");
	bench_fini(&b);
}

TEST(a_selection_that_the_filter_hides_goes_to_its_row)
{
	struct process_pane_bench b;

	bench_init(&b);
	press_key(&b, 'N');
	select_pid(&b, 4711);
	type_keys(&b, "/sh");
	assert_int_equal(selected(&b), 5000);
	type_keys(&b, "x"); /* nobody */
	assert_int_equal(selected(&b), 0);
	type_keys(&b, "\x7f");
	assert_int_equal(selected(&b), 5000);
	bench_fini(&b);
}

/* ---- signals ---- */

static struct {
	int fails_with;
	int32_t pid;
	int signo; /* that arrived; 0: none */
} kernel;

static int fake_pidfd_open(const struct sys *sys, pid_t pid)
{
	kernel.pid = pid;
	return sys->open(sys, "proc", O_PATH);
}

static int fake_pidfd_send_signal(const struct sys *sys, int pidfd, int signo)
{
	(void)sys, (void)pidfd;
	if (kernel.fails_with)
		return errno = kernel.fails_with, -1;
	kernel.signo = signo;
	return 0;
}

static void machine_of(struct process_pane_bench *b, int32_t pid, int start)
{
	char path[32], text[128];

	memset(&kernel, 0, sizeof(kernel));
	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	snprintf(text, sizeof(text), "%d (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n", pid, start);
	fixture_write(&b->machine, path, text);
	b->machine.sys.pidfd_open = fake_pidfd_open;
	b->machine.sys.pidfd_send_signal = fake_pidfd_send_signal;
}

TEST(a_signal_is_chosen_and_confirmed)
{
	static const struct {
		uint32_t moves[4];
		const char *name;
		int signo;
	} cases[] = {
		{{0}, "SIGTERM", SIGTERM},
		{{K_DOWN}, "SIGINT", SIGINT},
		{{K_DOWN, K_DOWN, K_WHEEL_DOWN}, "SIGKILL", SIGKILL},
		{{K_END}, "SIGXFSZ", SIGXFSZ},
		{{K_END, K_DOWN, K_WHEEL_UP, K_UP}, "SIGWINCH", SIGWINCH},
		{{K_END, K_HOME, K_UP}, "SIGTERM", SIGTERM},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char want[128];
		struct process_pane_bench b;

		bench_init(&b);
		machine_of(&b, 4711, 5711);
		press_key(&b, 'k');
		assert_non_null(b.pane.table.choice);
		assert_string_equal(b.pane.table.choice->title, " 4711 com.studio.game ");
		for (unsigned m = 0; m < ARRAY_LEN(cases[i].moves) && cases[i].moves[m]; m++)
			press_key(&b, cases[i].moves[m]);
		press_key(&b, K_ENTER);
		snprintf(want, sizeof(want), "send %s to 4711 com.studio.game?", cases[i].name);
		assert_string_equal(asked(&b), want);
		assert_string_equal(process_pane_ask(&b.pane)->answers, "y/n");
		assert_int_equal(kernel.signo, 0); /* not before the answer */
		press_key(&b, 'y');
		assert_int_equal(kernel.pid, 4711);
		assert_int_equal(kernel.signo, cases[i].signo);
		snprintf(want, sizeof(want), "4711 com.studio.game: %s sent", cases[i].name);
		assert_string_equal(b.said.p, want);
		assert_null(b.pane.table.choice);
		assert_null(process_pane_ask(&b.pane));
		bench_fini(&b);
	}
}

TEST(only_y_sends)
{
	static const struct {
		const char *keys;
		bool asks; /* still */
	} cases[] = {{"k\x1b", false}, {"kq", false},   {"ky", true},    {"k\rn", false},  {"k\r\x1b", false},
		     {"k\r\r", true},  {"k\rx ", true}, {"k\rq", false}, {"k\x1by", false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_pane_bench b;

		bench_init(&b);
		machine_of(&b, 4711, 5711);
		for (const char *key = cases[i].keys; *key; key++)
			process_pane_key(&b.pane, (uint32_t)*key, &b.said);
		assert_int_equal(kernel.signo, 0);
		if ((process_pane_ask(&b.pane) != NULL) != cases[i].asks)
			fail_msg("case %zu: '%s'", i, asked(&b));
		bench_fini(&b);
	}
}

TEST(what_fails_is_said)
{
	static const struct {
		int start, fails_with;
		const char *said;
	} cases[] = {
		{5711, EPERM, "4711 com.studio.game: SIGTERM not permitted: you are not its owner"},
		{5711, ESRCH, "4711 com.studio.game: has already ended: nothing was sent"},
		{5712, 0, "4711 com.studio.game: has already ended: nothing was sent"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_pane_bench b;

		bench_init(&b);
		machine_of(&b, 4711, cases[i].start);
		kernel.fails_with = cases[i].fails_with;
		type_keys(&b, "k\ry");
		assert_string_equal(b.said.p, cases[i].said);
		assert_int_equal(kernel.signo, 0);
		bench_fini(&b);
	}
}

/* What was asked is answered for the process it was asked for, whatever the list does meanwhile. */
TEST(the_list_may_change_while_it_is_asked)
{
	struct process_pane_bench b;

	bench_init(&b);
	machine_of(&b, 4711, 5711);
	type_keys(&b, "k\r");
	process_pane_take(&b.pane, list_without(4711));
	assert_string_equal(asked(&b), "send SIGTERM to 4711 com.studio.game?");
	type_keys(&b, "y");
	assert_int_equal(kernel.pid, 4711);
	bench_fini(&b);
}

TEST(a_signal_for_a_thread_goes_to_its_process)
{
	struct process_pane_bench b;

	bench_init(&b);
	select_pid(&b, 4716);
	type_keys(&b, "k\r");
	assert_string_equal(asked(&b), "send SIGTERM to 4711 com.studio.game?");
	bench_fini(&b);
}

TEST(init_and_ourselves_are_refused_with_a_word)
{
	struct process_list *list = people_list(false);
	struct process_pane_bench b;

	bench_init(&b);
	select_pid(&b, 1);
	type_keys(&b, "k");
	assert_string_equal(b.said.p, "1 init: not signaled: it belongs to the system");
	assert_null(process_pane_ask(&b.pane));
	list->processes[list->n - 1].pid = getpid();
	process_pane_take(&b.pane, list);
	select_pid(&b, getpid());
	type_keys(&b, "k");
	assert_non_null(strstr(b.said.p, "not signaled: it is malitop itself: q quits"));
	assert_null(process_pane_ask(&b.pane));
	bench_fini(&b);
}

TEST(another_view_gives_up_what_was_asked)
{
	static const char *const cases[] = {"k", "k\r", "/sh", "ush"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process_pane_bench b;

		bench_init(&b);
		type_keys(&b, cases[i]);
		process_pane_leave(&b.pane);
		assert_null(process_pane_ask(&b.pane));
		assert_null(b.pane.table.choice);
		bench_fini(&b);
	}
}

/* ---- counting one alone ---- */

static void note_counted(void *ctx, const struct process *process)
{
	*(int32_t *)ctx = process ? process->pid : 0;
}

TEST(keys_that_do_nothing_say_why)
{
	static const struct {
		uint32_t key;
		const char *why;
	} empty[] = {{K_UP, "no processes were read yet"},   {K_END, "no processes were read yet"},
		     {K_HOME, "no processes were read yet"}, {K_PAGE_DOWN, "no processes were read yet"},
		     {'k', "no processes were read yet"},    {K_ENTER, "no processes were read yet"}},
	  paused[] = {{'H', "threads: hidden when the screen resumes (space)"},
		      {'H', "threads: listed when the screen resumes (space)"}};
	struct process_pane_bench b;

	bench_init(&b);
	process_pane_pause(&b.pane, 1);
	for (unsigned i = 0; i < ARRAY_LEN(paused); i++) {
		press_key(&b, paused[i].key);
		assert_string_equal(b.said.p, paused[i].why);
	}
	type_keys(&b, "/nothing has this name\r");
	press_key(&b, K_DOWN);
	assert_string_equal(b.said.p, "no process in the list to select");
	process_pane_forget(&b.pane);
	for (unsigned i = 0; i < ARRAY_LEN(empty); i++) {
		press_key(&b, empty[i].key);
		assert_string_equal(b.said.p, empty[i].why);
	}
	bench_fini(&b);
}

TEST(enter_counts_one_alone_and_again_everything)
{
	int32_t counted = -1;
	struct process_pane_bench b;

	bench_init(&b);
	press_key(&b, K_ENTER); /* nothing counts: the key is not offered, and says why */
	assert_string_equal(b.said.p, "Enter: no CPU events to count here; malitop doctor says why");
	assert_false(process_pane_has(&b.pane) & NEEDS_COUNT);
	b.pane.count = note_counted;
	b.pane.count_ctx = &counted;
	assert_true(process_pane_has(&b.pane) & NEEDS_COUNT);
	select_pid(&b, 4715);
	press_key(&b, K_ENTER);
	assert_int_equal(counted, 4715);
	assert_int_equal(b.pane.table.counted.pid, 4715);
	select_pid(&b, 812);
	press_key(&b, K_ENTER);
	assert_int_equal(counted, 812);
	press_key(&b, K_ENTER);
	assert_int_equal(counted, 0);
	assert_int_equal(b.pane.table.counted.pid, 0);
	bench_fini(&b);
}

/* ---- the table of keys ---- */

TEST(every_key_of_the_table_is_the_panes)
{
	struct process_pane_bench b;

	bench_init(&b);
	for (unsigned i = 0; i < ARRAY_LEN(keys_of_processes->codes); i++)
		for (const struct key_code *c = keys_of_processes->codes[i]; c->action; c++) {
			process_pane_leave(&b.pane);
			assert_true(process_pane_key(&b.pane, c->key, &b.said));
		}
	bench_fini(&b);
}

TEST(no_process_of_a_log_gets_a_signal)
{
	struct process_pane_bench b;

	bench_init(&b);
	b.pane.past = true;
	press_key(&b, 'k');
	assert_string_equal(b.said.p, "k: not in a replay");
	press_key(&b, 'H');
	assert_string_equal(b.said.p, "H: not in a replay");
	assert_true(b.pane.threads);
	assert_true(process_pane_key(&b.pane, 't', &b.said));
	assert_int_equal(b.pane.mode, PANE_ROWS);
	process_pane_forget(&b.pane);
	assert_null(b.pane.table.list);
	assert_true(process_pane_key(&b.pane, K_DOWN, &b.said)); /* over nothing */
	bench_fini(&b);
}

/* No key of the pane has a meaning everywhere, but those of rows. */
TEST(keys_of_everywhere_keep_their_meaning)
{
	struct process_pane_bench b;

	bench_init(&b);
	for (uint32_t key = 0; key <= K_WHEEL_DOWN; key = key == 0x7f ? K_SPECIAL : key + 1) {
		enum action action = keys_action(keys_everywhere, key, ~0u).action;
		bool of_rows = action == ACTION_SELECT || action == ACTION_ZOOM || action == ACTION_SCROLL ||
			       action == ACTION_PAGE || action == ACTION_EDGE || action == ACTION_LEAP ||
			       action == ACTION_ENDS || action == ACTION_FILTER || action == ACTION_PIN ||
			       action == ACTION_OWN || action == ACTION_NEXT_SORT || action == ACTION_SCALE ||
			       action == ACTION_LATE_ONLY;

		process_pane_leave(&b.pane);
		if (action != ACTION_NONE && !of_rows)
			if (process_pane_key(&b.pane, key, &b.said))
				fail_msg("key 0x%x", key);
	}
	bench_fini(&b);
}

/* ---- speed ---- */

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec * 1e-6;
}

/* Printed, not asserted: machines differ. */
TEST(keys_over_20000_processes_are_timed)
{
	enum { MANY = 20000 };
	static const struct {
		const char *what;
		uint32_t key;
	} keys[] = {{"down", K_DOWN}, {"end", K_END},  {"sort", 'M'},
		    {"tree", 't'},    {"filter", '/'}, {"a letter", '7'}};
	struct process_list *list = xcalloc(1, sizeof(*list));
	struct chart chart = {.title = ""};
	struct canvas canvas;
	struct process_pane_bench b;

	canvas_init(&canvas, 200, 60, false);
	list->processes = xcalloc(MANY, sizeof(*list->processes));
	list->n = MANY;
	list->begin_ns = 1;
	for (int32_t i = 0; i < MANY; i++)
		list->processes[i] = (struct process){.pid = i + 1,
						      .parent = i / 3,
						      .start = (uint64_t)i,
						      .cpu_percent = (float)(i * 7919 % 1000),
						      .rss_bytes = (uint64_t)(i * 104729 % 65536),
						      .gpu_bytes = SAMPLE_UNKNOWN,
						      .name = "some-process",
						      .user = "somebody"};
	bench_init(&b);
	process_pane_take(&b.pane, list);
	assert_int_equal(b.pane.table.n, MANY);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		double start = now_ms();

		press_key(&b, keys[i].key);
		widget_processes.draw(
			&(struct drawing){&chart, &(struct view_data){.processes = &b.pane.table}, &canvas},
			canvas_rect(&canvas));
		print_message("%s: %.2f ms\n", keys[i].what, now_ms() - start);
	}
	canvas_fini(&canvas);
	assert_true(b.pane.table.n > 0 && b.pane.table.n < MANY);
	bench_fini(&b);
}
