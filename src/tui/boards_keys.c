#include "tui/boards_keys.h"

#include "base/alloc.h"
#include "term/term_key.h"

#define CTRL_C 0x03

static const struct {
	struct {
		uint32_t key;
		int number;
	} codes[5];
	enum boards_deed deed;
	struct foot_key shown;
	const char *help;
} rows[] = {
	{{{K_UP, -1}, {K_DOWN, 1}, {K_WHEEL_UP, -1}, {K_WHEEL_DOWN, 1}},
	 BOARDS_MOVE,
	 {"\u2191 \u2193", "Up Down", "select", 3},
	 "select a board"},
	{{{K_PAGE_UP, -1}, {K_PAGE_DOWN, 1}}, BOARDS_PAGE, {.keys = "PgUp PgDn"}, "ten boards up, down"},
	{{{K_HOME, -1}, {K_END, 1}}, BOARDS_EDGE, {.keys = "Home End"}, "first, last board"},
	{{{K_ENTER, 0}},
	 BOARDS_OPEN,
	 {"Enter", NULL, "open the board", 1},
	 "its views; B there comes back, [ ] go to the board before, after"},
	{{{'/', 0}}, BOARDS_FILTER, {"/", NULL, "filter", 5}, "only boards with a text in their name or GPU"},
	{{{'s', 0}}, BOARDS_SORT, {"s", NULL, "sort", 4}, "worst first, by name, fps, GPU, heat"},
	{{{'r', 0}}, BOARDS_RETRY, {"r", NULL, "reconnect", 4}, "connect at once to those that are away"},
	{{{'l', 0}}, BOARDS_LOG, {"l", NULL, "log all", 5}, "keep all streams in files here, or no longer"},
	{{{'m', 0}}, BOARDS_MARK, {"m", NULL, "mark all", 5}, "a mark on every board"},
	{{{'?', 0}, {'h', 0}, {K_F1, 0}}, BOARDS_HELP, {"?", NULL, "help", 1}, "these keys"},
	{{{'q', 0}, {CTRL_C, 0}, {K_F10, 0}}, BOARDS_QUIT, {"q", NULL, "quit", 0}, "leave malitop"},
};

enum boards_deed boards_key(uint32_t key, int *number)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; k < ARRAY_LEN(rows[i].codes) && rows[i].codes[k].key; k++)
			if (rows[i].codes[k].key == key) {
				*number = rows[i].codes[k].number;
				return rows[i].deed;
			}
	return BOARDS_NOTHING;
}

void boards_keys_foot(struct foot_keys *foot)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].shown.word) {
			foot->press[foot->n][0] = rows[i].codes[0].key;
			foot->press[foot->n][1] = rows[i].codes[0].key;
			foot->keys[foot->n++] = rows[i].shown;
		}
}

void boards_keys_help(struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		strbuf_printf(out, "%s\t%s\n", rows[i].shown.keys, rows[i].help);
}
