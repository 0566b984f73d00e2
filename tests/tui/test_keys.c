/* The tables of keys: what keys do, and what footer, help and the last row show of them. */
#include "tests/support/test.h"
#include "tui/keys.h"
#include "base/alloc.h"
#include "model/process.h"
#include "views/view.h"

#include <stdlib.h>
#include <string.h>

#define LIVE (NEEDS_LIVE | NEEDS_MACHINE)
#define NEEDS_ALL (~0u)

static const struct key_table *const tables[] = {keys_everywhere, keys_of_processes};

/* ---- what keys do ---- */

TEST(keys_do_what_help_says)
{
	static const struct {
		const struct key_table *table;
		uint32_t key;
		enum action action;
		int number;
	} cases[] = {
		{keys_everywhere, '0', ACTION_VIEW, '0'},
		{keys_everywhere, 'f', ACTION_VIEW, 'f'},
		{keys_everywhere, '9', ACTION_VIEW, '9'},
		{keys_everywhere, 'h', ACTION_VIEW, 'h'},
		{keys_everywhere, K_TAB, ACTION_TURN, 1},
		{keys_everywhere, K_BACK_TAB, ACTION_TURN, -1},
		{keys_everywhere, ' ', ACTION_PAUSE, 0},
		{keys_everywhere, '<', ACTION_HISTORY, -1},
		{keys_everywhere, '.', ACTION_HISTORY, 1},
		{keys_everywhere, 't', ACTION_SCALE, 1},
		{keys_everywhere, 'T', ACTION_SCALE, -1},
		{keys_of_processes, 't', ACTION_TREE, 0},
		{keys_everywhere, '+', ACTION_INTERVAL, 1},
		{keys_everywhere, '-', ACTION_INTERVAL, -1},
		{keys_everywhere, '=', ACTION_COMPARE, 0},
		{keys_everywhere, 'S', ACTION_SNAPSHOT, 0},
		{keys_everywhere, 'P', ACTION_PIN, 0},
		{keys_everywhere, '/', ACTION_FILTER, 0},
		{keys_everywhere, 'n', ACTION_COUNTED, 0},
		{keys_everywhere, 'w', ACTION_WINDOWS, 0},
		{keys_everywhere, 'v', ACTION_NONE, 0}, /* without a timeline */
		{keys_everywhere, K_F1, ACTION_HELP, 0},
		{keys_everywhere, 'q', ACTION_QUIT, 0},
		{keys_everywhere, 0x03, ACTION_QUIT, 0},
		{keys_everywhere, K_F10, ACTION_QUIT, 0},
		{keys_everywhere, 'Q', ACTION_NONE, 0},
		{keys_everywhere, 'k', ACTION_NONE, 0},
		{keys_everywhere, 0, ACTION_NONE, 0},
		{keys_everywhere, 0x1f600, ACTION_NONE, 0},
		{keys_of_processes, 'k', ACTION_SIGNAL, 0},
		{keys_of_processes, 'T', ACTION_SORT, PROCESS_BY_TIME},
		{keys_of_processes, K_DOWN, ACTION_SELECT, 1},
		{keys_of_processes, 'q', ACTION_NONE, 0},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct key_action got = keys_action(cases[i].table, cases[i].key, LIVE);

		assert_int_equal(got.action, cases[i].action);
		assert_int_equal(got.number, cases[i].number);
	}
}

/* Of the shipped views: a tab that shows a key is opened by it. */
TEST(the_key_of_every_view_opens_it)
{
	static const char field[] = "\n  key ";
	unsigned n = 0;

	for (const struct embedded *file = embedded_charts; file->file; file++) {
		struct span text = {file->begin, (size_t)(file->end - file->begin)};
		const char *at = memmem(text.p, text.n, field, strlen(field));
		struct span rest, word;
		struct key_action does;

		if (!at)
			continue;
		rest = (struct span){at + strlen(field), text.n - (size_t)(at - text.p) - strlen(field)};
		word = span_word(&rest);
		does = keys_action(keys_everywhere, (unsigned char)word.p[0], NEEDS_ALL);
		if (word.n != 1 || (does.action != ACTION_VIEW && does.action != ACTION_COUNTERS))
			fail_msg("%s: its key %.*s does not open it", file->file, SPAN_ARG(word));
		n++;
	}
	assert_true(n >= 12);
}

TEST(some_keys_are_only_live_and_some_only_of_replay)
{
	static const struct {
		const struct key_table *table;
		uint32_t key;
		enum action live, replay;
	} cases[] = {
		{keys_everywhere, ' ', ACTION_PAUSE, ACTION_PAUSE},
		{keys_everywhere, '<', ACTION_HISTORY, ACTION_HISTORY},
		{keys_everywhere, '+', ACTION_INTERVAL, ACTION_NONE},
		{keys_everywhere, '-', ACTION_INTERVAL, ACTION_NONE},
		{keys_everywhere, '[', ACTION_NONE, ACTION_SPEED},
		{keys_everywhere, '{', ACTION_FIND, ACTION_FIND},
		{keys_everywhere, '(', ACTION_LANES, ACTION_LANES},
		{keys_everywhere, 'W', ACTION_WORST, ACTION_WORST},
		{keys_everywhere, 'o', ACTION_LATE, ACTION_LATE},
		{keys_everywhere, 'j', ACTION_GO_TO, ACTION_GO_TO},
		{keys_everywhere, 'l', ACTION_LOG, ACTION_NONE},
		{keys_everywhere, 'c', ACTION_PER_CORE, ACTION_PER_CORE},
		{keys_of_processes, 't', ACTION_TREE, ACTION_TREE},
		{keys_of_processes, 'k', ACTION_SIGNAL, ACTION_NONE},
		{keys_of_processes, 'H', ACTION_THREADS, ACTION_NONE},
		{keys_of_processes, 'p', ACTION_COMMANDS, ACTION_NONE},
		{keys_of_processes, 'K', ACTION_KERNEL, ACTION_KERNEL},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(keys_action(cases[i].table, cases[i].key, LIVE).action, cases[i].live);
		assert_int_equal(keys_action(cases[i].table, cases[i].key, NEEDS_REPLAY).action,
				 cases[i].replay);
	}
}

/* Live, paused and replay each have one row for a key at most: a second one would never act. */
TEST(no_key_has_two_meanings_in_one_place)
{
	static const unsigned places[] = {
		NEEDS_ALL & ~(unsigned)(NEEDS_REPLAY | NEEDS_TIMELINE | NEEDS_HOT),
		NEEDS_ALL & ~(unsigned)(NEEDS_REPLAY | NEEDS_NO_TIMELINE | NEEDS_TABLE),
		NEEDS_ALL & ~(unsigned)(NEEDS_LIVE | NEEDS_MACHINE | NEEDS_NO_TIMELINE | NEEDS_HOT)};

	for (unsigned t = 0; t < ARRAY_LEN(tables); t++)
		for (unsigned p = 0; p < ARRAY_LEN(places); p++)
			for (uint32_t key = 1; key <= K_WHEEL_DOWN; key = key == 0xff ? K_SPECIAL : key + 1) {
				unsigned n = 0;

				for (const struct key_row *row = tables[t]->rows; row->action; row++)
					n += keys_code(tables[t], row->action, key) &&
					     !(row->needs & ~places[p]);
				if (n > 1)
					fail_msg("table %u: key 0x%x is in %u rows", t, key, n);
			}
}

TEST(a_key_that_does_nothing_says_why)
{
	static const struct {
		const struct key_table *table;
		uint32_t key;
		unsigned has;
		const char *why;
	} cases[] = {
		{keys_everywhere, 'x', LIVE, "x: does nothing here; ? lists the keys"},
		{keys_everywhere, 0x01, LIVE, "Ctrl-A: does nothing here; ? lists the keys"},
		{keys_everywhere, K_BACKSPACE, LIVE, "Backspace: does nothing here; ? lists the keys"},
		{keys_everywhere, 0xe4, LIVE, "\u00e4: does nothing here; ? lists the keys"},
		{keys_everywhere, K_ESCAPE, LIVE, "Esc: nothing to close; q quits"},
		{keys_everywhere, '[', LIVE, "[: only in a replay"},
		{keys_everywhere, 'v', LIVE | NEEDS_NO_TIMELINE, "v: only while paused (space)"},
		{keys_everywhere, 'l', NEEDS_REPLAY, "l: not in a replay"},
		{keys_everywhere, 'R', LIVE, "R: a key of the Processes view (0)"},
		{keys_everywhere, K_F9, LIVE, "F9: a key of the Processes view (0)"},
		{keys_everywhere, K_F7, LIVE, "F7: does nothing here; ? lists the keys"},
		{keys_of_processes, 'k', NEEDS_REPLAY, "k: not in a replay"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf said = {0};

		keys_why(cases[i].table, cases[i].key, cases[i].has, &said);
		assert_string_equal(said.p, cases[i].why);
	}
}

/* ---- what is shown of them ---- */

TEST(every_key_is_in_help_and_so_is_every_word_of_the_footer)
{
	for (unsigned t = 0; t < ARRAY_LEN(tables); t++)
		for (const struct key_row *row = tables[t]->rows; row->action; row++) {
			assert_non_null(row->keys);
			assert_non_null(keys_code(tables[t], row->action, 0));
			if (row->word && !row->help)
				fail_msg("%s %s: in the footer, but not in help", row->keys, row->word);
			if (!row->help || !row->brief)
				fail_msg("%s: not in help", row->keys);
		}
}

TEST(names_of_characters_name_keys_of_their_row)
{
	for (unsigned t = 0; t < ARRAY_LEN(tables); t++)
		for (const struct key_row *row = tables[t]->rows; row->action; row++) {
			AUTOFREE char *words = xstrdup(row->keys);

			for (char *word = strtok(words, " ,"); word; word = strtok(NULL, " ,")) {
				if (strlen(word) == 1 &&
				    !keys_code(tables[t], row->action, (uint32_t)word[0]))
					fail_msg("%s: %s is no key of this row", row->keys, word);
			}
		}
}

TEST(names_are_ascii_where_the_terminal_is)
{
	for (unsigned t = 0; t < ARRAY_LEN(tables); t++)
		for (const struct key_row *row = tables[t]->rows; row->action; row++)
			for (const char *p = row->ascii ? row->ascii : row->keys; *p; p++)
				assert_in_range((unsigned char)*p, ' ', '~');
}

TEST(the_footer_shows_what_there_is_a_view_own_keys_first)
{
	static const struct {
		const struct key_table *own;
		unsigned has;
		const char *words;
	} cases[] = {
		{NULL, LIVE, "view,pause,history,per core,counters,help,quit,"},
		{NULL, LIVE | NEEDS_GPUS, "view,pause,history,per core,counters,GPU,help,quit,"},
		{NULL, NEEDS_REPLAY, "view,pause,step,speed,places,go to,per core,counters,help,quit,"},
		{NULL, NEEDS_REPLAY | NEEDS_LANES,
		 "view,pause,step,speed,places,go to,per core,counters,frame,late,worst,help,quit,"},
		{keys_of_processes, LIVE | NEEDS_COUNT,
		 "count,filter,sort,tree,threads,signal,view,pause,history,per core,counters,help,quit,"},
		{keys_of_processes, LIVE,
		 "filter,sort,tree,threads,signal,view,pause,history,per core,counters,help,quit,"},
		{keys_of_processes, NEEDS_REPLAY,
		 "filter,sort,tree,view,pause,step,speed,places,go to,per core,counters,help,quit,"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf words = {0};
		struct foot_keys foot;

		keys_foot(&foot, cases[i].own, cases[i].has);
		for (unsigned k = 0; k < foot.n; k++)
			strbuf_printf(&words, "%s,", foot.keys[k].word);
		assert_string_equal(words.p, cases[i].words);
	}
}
