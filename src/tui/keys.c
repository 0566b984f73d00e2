#include "tui/keys.h"

#include "base/alloc.h"
#include "model/process.h"

#include <assert.h>

const struct key_row keys_everywhere[] = {
	{{{'1', '1'},
	  {'2', '2'},
	  {'3', '3'},
	  {'4', '4'},
	  {'5', '5'},
	  {'6', '6'},
	  {'7', '7'},
	  {'8', '8'},
	  {'9', '9'},
	  {'0', '0'},
	  {'f', 'f'},
	  {'h', 'h'}},
	 ACTION_VIEW,
	 0,
	 {.keys = "1-9 0 f h"},
	 "Choose a view; so does a click on its tab",
	 GROUP_MOVE,
	 "a view; or click its tab"},
	{{{K_RIGHT, 1}, {K_TAB, 1}, {K_LEFT, -1}, {K_BACK_TAB, -1}},
	 ACTION_TURN,
	 0,
	 {"\u2190 \u2192", "Tab", "view", 3},
	 "The next view (Right or Tab) or the previous one (Left or Shift-Tab)",
	 GROUP_MOVE,
	 "next view, the one before"},
	{{{' ', 0}},
	 ACTION_PAUSE,
	 NEEDS_LIVE,
	 {"space", NULL, "pause", 2},
	 "Pause the screen and go on; measuring goes on, unless it keeps the GPU powered",
	 GROUP_MOVE,
	 "pause; measuring goes on"},
	{{{' ', 0}},
	 ACTION_PAUSE,
	 NEEDS_REPLAY,
	 {"space", NULL, "pause", 2},
	 "Pause and play; at the end: play from the start",
	 GROUP_MOVE,
	 "pause, play"},
	{{{'<', -1}, {',', -1}, {'>', 1}, {'.', 1}},
	 ACTION_HISTORY,
	 NEEDS_LIVE,
	 {"< >", NULL, "history", 5},
	 "Step back and forth through the history; also , and . (pauses)",
	 GROUP_MOVE,
	 "a step back, on (pauses)"},
	{{{'<', -1}, {',', -1}, {'>', 1}, {'.', 1}},
	 ACTION_HISTORY,
	 NEEDS_REPLAY,
	 {"< >", NULL, "step", 3},
	 "Step back and forth by a refresh; also , and . (pauses)",
	 GROUP_MOVE,
	 "a refresh back, on (pauses)"},
	{{{'T', -1}, {'t', 1}},
	 ACTION_SCALE,
	 NEEDS_ROWS,
	 {"T t", NULL, "time", 6},
	 "Show less or more time in all graphs: 0.05, 0.1, 0.5, 1, 5 or 30 s, 5 or 20 minutes a cell",
	 GROUP_LOOK,
	 "less, more time in graphs"},
	{{{K_PAGE_UP, -1}, {K_PAGE_DOWN, 1}},
	 ACTION_LEAP,
	 NEEDS_TIMELINE,
	 {"PgUp PgDn", NULL, "leap", 6},
	 "Go back or on by a tenth of the timeline; a click on it goes to its moment",
	 GROUP_MOVE,
	 "a tenth back, on; or click"},
	{{{K_HOME, -1}, {K_END, 1}},
	 ACTION_ENDS,
	 NEEDS_TIMELINE,
	 {.keys = "Home, End"},
	 "Go to the start or the end of the timeline",
	 GROUP_MOVE,
	 "start, end of the timeline"},
	{{{'j', 0}},
	 ACTION_GO_TO,
	 NEEDS_LIVE,
	 {.keys = "j"},
	 "Go to a time in the history: 14:02:11, -30s, 50% (pauses)",
	 GROUP_MOVE,
	 "go to a time"},
	{{{'[', -1}, {']', 1}},
	 ACTION_SPEED,
	 NEEDS_REPLAY,
	 {"[ ]", NULL, "speed", 4},
	 "Play slower or faster, at 0.1 to 100 times the recorded speed",
	 GROUP_MOVE,
	 "play slower, faster"},
	{{{'{', -1}, {'}', 1}},
	 ACTION_FIND,
	 NEEDS_REPLAY,
	 {"{ }", NULL, "places", 5},
	 "Go to the previous or the next mark, loss or other scene (pauses)",
	 GROUP_MOVE,
	 "mark, loss, scene"},
	{{{'{', -1}, {'}', 1}},
	 ACTION_FIND,
	 NEEDS_LIVE,
	 {.keys = "{ }"},
	 "Go to the previous or the next mark, other scene, finding or change of the verdict (pauses)",
	 GROUP_MOVE,
	 "mark, scene, finding"},
	{{{'V', 0}},
	 ACTION_PHASE,
	 0,
	 {.keys = "V"},
	 "Select the phase at this moment as the range: from the mark or other scene before it to the next "
	 "one. "
	 "Numbers are its means",
	 GROUP_LOOK,
	 "the phase as range"},
	{{{'B', 0}},
	 ACTION_BOARDS,
	 NEEDS_BOARDS,
	 {"B", NULL, "boards", 2},
	 "Go back to the boards; [ and ] show the board before and the one after",
	 GROUP_MOVE,
	 "back to the boards"},
	{{{'j', 0}},
	 ACTION_GO_TO,
	 NEEDS_REPLAY,
	 {"j", NULL, "go to", 2},
	 "Go to a time in the log: 90s, 1:30, 1:02:03, +10s, -5s, 50%",
	 GROUP_MOVE,
	 "go to a time"},
	{{{'v', 0}},
	 ACTION_RANGE,
	 NEEDS_TIMELINE,
	 {"v", NULL, "range", 7},
	 "Begin a range at this moment; again: end it there; numbers are means of the range. A third time: "
	 "no range",
	 GROUP_LOOK,
	 "begin, end, drop a range"},
	{{{'P', 0}},
	 ACTION_PIN,
	 NEEDS_ROWS,
	 {.keys = "P"},
	 "Pin the selected row to the top of the Overview; again: no longer",
	 GROUP_LOOK,
	 "pin the row to Overview"},
	{{{'=', 0}},
	 ACTION_COMPARE,
	 0,
	 {.keys = "="},
	 "Compare with what is shown now, with a mark, or with the log of --baseline: was, now and the "
	 "change of "
	 "each row, the largest ones on the Overview; again: no longer",
	 GROUP_LOOK,
	 "compare with now, a mark"},
	{{{'b', 0}},
	 ACTION_BASELINE,
	 0,
	 {.keys = "b"},
	 "Compare with another log, phase by phase where both have marks of the same name",
	 GROUP_LOOK,
	 "compare with a log"},
	{{{'S', 0}},
	 ACTION_SNAPSHOT,
	 0,
	 {.keys = "S"},
	 "Save the screen as malitop-DATE-TIME.txt in this directory, every metric as .csv, and, if "
	 "--snapshot or F2 asks for them, a picture as .svg and the report of what is kept as .html",
	 GROUP_ACT,
	 "save the screen"},
	{{{'/', 0}},
	 ACTION_FILTER,
	 NEEDS_ROWS,
	 {"/", NULL, "filter", 6},
	 "Show only rows with this text in a name, in every view. Escape shows all again",
	 GROUP_LOOK,
	 "only rows with this text"},
	{{{'s', 0}},
	 ACTION_NEXT_SORT,
	 NEEDS_TABLE,
	 {"s", NULL, "sort", 6},
	 "Sort the counters by what they counted, by name, and as the hardware has them",
	 GROUP_LOOK,
	 "sort the counters"},
	{{{'s', 0}},
	 ACTION_SCOPE,
	 NEEDS_HOT,
	 {"s", NULL, "scope", 6},
	 "Show what the process of the row runs, then its thread alone, then all. h on a process in "
	 "Processes shows that one",
	 GROUP_LOOK,
	 "its process, thread, all"},
	{{{'R', 0}},
	 ACTION_LATE_ONLY,
	 NEEDS_HOT,
	 {"R", NULL, "late frames", 6},
	 "Show only what ran inside late frames: those over the budget or, if they are most, the slowest "
	 "5 %; again: all time",
	 GROUP_LOOK,
	 "only in late frames"},
	{{{'n', 0}},
	 ACTION_COUNTED,
	 NEEDS_TABLE,
	 {"n", NULL, "never counted", 6},
	 "Hide the counters that were never counted, and show them again",
	 GROUP_LOOK,
	 "hide, show never counted"},
	{{{'w', 0}},
	 ACTION_WINDOWS,
	 NEEDS_TABLE,
	 {"w", NULL, "windows", 6},
	 "Show the rates of the counters over several times at once: a refresh, 5 s, 30 s, since the start; "
	 "again: no longer",
	 GROUP_LOOK,
	 "now, 5 s, 30 s, all"},
	{{{'+', 1}, {'-', -1}},
	 ACTION_INTERVAL,
	 NEEDS_MACHINE,
	 {.keys = "+ -"},
	 "A longer or shorter sampling interval, in steps of 1, 2, 5",
	 GROUP_ACT,
	 "longer, shorter interval"},
	{{{'c', 0}},
	 ACTION_PER_CORE,
	 0,
	 {"c", NULL, "per core", 4},
	 "Break down per shader core, cache slice and CPU, and back to sums",
	 GROUP_LOOK,
	 "each core, CPU"},
	{{{'a', 0}},
	 ACTION_COUNTERS,
	 0,
	 {"a", NULL, "counters", 6},
	 "Every counter of the GPU as a table, and back",
	 GROUP_LOOK,
	 "all counters"},
	{{{'g', 0}},
	 ACTION_GPU,
	 NEEDS_GPUS,
	 {"g", NULL, "GPU", 4},
	 "Show the next GPU; all of them are measured",
	 GROUP_MOVE,
	 "next GPU"},
	{{{'A', 0}},
	 ACTION_FRAMES,
	 NEEDS_MACHINE | NEEDS_APPS,
	 {"A", NULL, "application", 4},
	 "Show the frames of the next application that has malitop's layer",
	 GROUP_LOOK,
	 "next application"},
	{{{'(', -1}, {')', 1}},
	 ACTION_LANES,
	 NEEDS_LANES,
	 {"( )", NULL, "frame", 3},
	 "Show the lanes of the frame before or of the next frame (pauses)",
	 GROUP_MOVE,
	 "frame before, next"},
	{{{'O', -1}, {'o', 1}},
	 ACTION_LATE,
	 NEEDS_LANES,
	 {"O o", NULL, "late", 4},
	 "Show the late frame before or the next one, of the 100 longest frames (pauses)",
	 GROUP_MOVE,
	 "late frame before, next"},
	{{{'W', 0}},
	 ACTION_WORST,
	 NEEDS_LANES,
	 {"W", NULL, "worst", 2},
	 "List the longest frames, when they were and what they had more of; Enter goes to one",
	 GROUP_LOOK,
	 "the longest frames"},
	{{{'C', 0}},
	 ACTION_COUNTING,
	 NEEDS_MACHINE,
	 {.keys = "C"},
	 "Stop measuring the GPU, and go on: counting on Panfrost and Panthor keeps it powered",
	 GROUP_ACT,
	 "stop GPU counting"},
	{{{'J', 0}},
	 ACTION_PROFILING,
	 NEEDS_LIVE,
	 {.keys = "J"},
	 "Let Panfrost or Panthor time the jobs of the queues, after a question, and no longer",
	 GROUP_ACT,
	 "time the GPU jobs"},
	{{{'l', 0}},
	 ACTION_LOG,
	 NEEDS_MACHINE,
	 {.keys = "l"},
	 "Begin a log of raw counters, malitop-DATE-TIME.mlog in this directory; end the log",
	 GROUP_ACT,
	 "begin, end a log"},
	{{{'m', 0}},
	 ACTION_MARK,
	 NEEDS_MACHINE,
	 {.keys = "m"},
	 "Set a mark, shown below the graphs and written into the log if there is one",
	 GROUP_ACT,
	 "set a mark"},
	{{{K_UP, -1}, {K_DOWN, 1}},
	 ACTION_SELECT,
	 NEEDS_ROWS,
	 {.keys = "Up, Down"},
	 "Select a row, in every view; so does a click on it. Escape selects none",
	 GROUP_MOVE,
	 "a row"},
	{{{'z', 0}, {K_ENTER, 0}},
	 ACTION_ZOOM,
	 NEEDS_ROWS,
	 {"z", NULL, "zoom", 7},
	 "Show the selected row's panel alone, Up and Down lead to the next one; also Enter, a second "
	 "click and a click on its title. Escape shows all again. A group of passes is folded or unfolded",
	 GROUP_LOOK,
	 "one panel alone"},
	{{{K_WHEEL_UP, -1}, {K_WHEEL_DOWN, 1}},
	 ACTION_SCROLL,
	 NEEDS_ROWS,
	 {.keys = "wheel"},
	 "Scroll by a line, or select a row where nothing scrolls",
	 GROUP_MOVE,
	 "a line, or a row"},
	{{{K_PAGE_UP, -1}, {K_PAGE_DOWN, 1}},
	 ACTION_PAGE,
	 NEEDS_ROWS | NEEDS_NO_TIMELINE,
	 {.keys = "PgUp, PgDn"},
	 "Scroll by a page",
	 GROUP_MOVE,
	 "a page"},
	{{{K_HOME, -1}, {K_END, 1}},
	 ACTION_EDGE,
	 NEEDS_ROWS | NEEDS_NO_TIMELINE,
	 {.keys = "Home, End"},
	 "Scroll to the top or to the end",
	 GROUP_MOVE,
	 "top, end"},
	{{{'!', 0}},
	 ACTION_FINDINGS,
	 0,
	 {.keys = "!"},
	 "The findings that hold or held in the last minute; Enter there goes to the view",
	 GROUP_MOVE,
	 "the findings"},
	{{{'u', 0}},
	 ACTION_OWN,
	 NEEDS_ROWS,
	 {.keys = "u"},
	 "The views of your own, one after the other",
	 GROUP_MOVE,
	 "next own view"},
	{{{'U', 0}},
	 ACTION_RELOAD,
	 0,
	 {.keys = "U"},
	 "Read your own views, metrics and findings again; so does SIGHUP if there are any",
	 GROUP_ACT,
	 "read own files"},
	{{{'i', 0}},
	 ACTION_EXPLAIN,
	 NEEDS_ROWS,
	 {"i", NULL, "explain", 7},
	 "Explain the selected row, or the first: formula with its values now, what it tells, what to do",
	 GROUP_LOOK,
	 "explain the row"},
	{{{'L', 0}},
	 ACTION_LAYOUT,
	 0,
	 {.keys = "L"},
	 "Choose a layout of the Overview, hide and show its panels by their letters, and save that",
	 GROUP_LOOK,
	 "layout of panels"},
	{{{K_F2, 0}},
	 ACTION_SETTINGS,
	 0,
	 {.keys = "F2"},
	 "Settings: change them at once, and save them in the configuration file",
	 GROUP_ACT,
	 "settings, and save them"},
	{{{'?', 0}, {K_F1, 0}},
	 ACTION_HELP,
	 0,
	 {"?", NULL, "help", 1},
	 "This help; also F1. The same keys, q and Escape close it",
	 GROUP_ACT,
	 "this help; again: back"},
	{{{K_ESCAPE, 0}},
	 ACTION_BACK,
	 0,
	 {.keys = "Esc"},
	 "Close what is on top: a card, one panel alone, the filter, the selection",
	 GROUP_MOVE,
	 "close what is on top"},
	{{{K_REDRAW, 0}},
	 ACTION_REDRAW,
	 0,
	 {.keys = "Ctrl-L"},
	 "Redraw the screen, if another program wrote on it",
	 GROUP_ACT,
	 "draw the screen again"},
	{{{'q', 0}, {K_CTRL_C, 0}, {K_F10, 0}},
	 ACTION_QUIT,
	 0,
	 {"q", NULL, "quit", 0},
	 "Quit; so do Ctrl-C and F10",
	 GROUP_ACT,
	 "leave malitop"},
	{.action = ACTION_NONE},
};

const struct key_row keys_of_processes[] = {
	{{{K_ENTER, 0}},
	 ACTION_COUNT,
	 NEEDS_COUNT,
	 {"Enter", NULL, "count", 3},
	 "The CPU view counts the selected one alone; again: the whole machine",
	 GROUP_LOOK,
	 "count this one alone"},
	{{{K_UP, -1}, {K_WHEEL_UP, -1}, {K_DOWN, 1}, {K_WHEEL_DOWN, 1}},
	 ACTION_SELECT,
	 0,
	 {.keys = "Up, Down"},
	 "Select a row; so do the mouse wheel and a click",
	 GROUP_MOVE,
	 "a row"},
	{{{K_PAGE_UP, -1}, {K_PAGE_DOWN, 1}},
	 ACTION_PAGE,
	 0,
	 {.keys = "PgUp, PgDn"},
	 "Select a row one page away",
	 GROUP_MOVE,
	 "a page"},
	{{{K_HOME, -1}, {K_END, 1}},
	 ACTION_EDGE,
	 0,
	 {.keys = "Home, End"},
	 "Stay on the first row; select the last row",
	 GROUP_MOVE,
	 "first row, last row"},
	{{{'/', 0}, {K_F4, 0}},
	 ACTION_FILTER,
	 0,
	 {"/", NULL, "filter", 2},
	 "Filter by name, command line, pid or user; also F4. Escape shows all again",
	 GROUP_LOOK,
	 "filter: name, command, pid"},
	{{{K_F3, 0}},
	 ACTION_SEARCH,
	 0,
	 {.keys = "F3"},
	 "Search for such a text and select its row; F3 again: the next one",
	 GROUP_LOOK,
	 "search; again: the next"},
	{{{'u', 0}},
	 ACTION_USER,
	 0,
	 {.keys = "u"},
	 "Show the processes of one user; Escape shows all again",
	 GROUP_LOOK,
	 "one user's processes"},
	{{{'P', PROCESS_BY_CPU}, {'M', PROCESS_BY_MEMORY}, {'T', PROCESS_BY_TIME}, {'N', PROCESS_BY_PID}},
	 ACTION_SORT,
	 0,
	 {.keys = "P, M, T, N"},
	 "Sort by CPU, memory, CPU time, pid",
	 GROUP_LOOK,
	 "by CPU, memory, time, pid"},
	{{{'s', 0}},
	 ACTION_NEXT_SORT,
	 0,
	 {"s", NULL, "sort", 2},
	 "Sort by the next key",
	 GROUP_LOOK,
	 "sort by the next key"},
	{{{K_F6, 0}},
	 ACTION_CHOOSE_SORT,
	 0,
	 {.keys = "F6"},
	 "Choose from a list what to sort by",
	 GROUP_LOOK,
	 "choose the sort key"},
	{{{'R', 0}, {'I', 0}},
	 ACTION_REVERSE,
	 0,
	 {.keys = "R, I"},
	 "Reverse the order",
	 GROUP_LOOK,
	 "reverse the order"},
	{{{'t', 0}, {K_F5, 0}},
	 ACTION_TREE,
	 0,
	 {"t", NULL, "tree", 3},
	 "The tree of parents and children, and back; also F5",
	 GROUP_LOOK,
	 "tree of parents, and back"},
	{{{'H', 0}},
	 ACTION_THREADS,
	 NEEDS_LIVE,
	 {"H", NULL, "threads", 3},
	 "Show threads, and hide them",
	 GROUP_LOOK,
	 "show, hide threads"},
	{{{'K', 0}},
	 ACTION_KERNEL,
	 0,
	 {.keys = "K"},
	 "Hide kernel threads, and show them",
	 GROUP_LOOK,
	 "hide kernel threads"},
	{{{'p', 0}},
	 ACTION_COMMANDS,
	 NEEDS_LIVE,
	 {.keys = "p"},
	 "Command lines, or names alone",
	 GROUP_LOOK,
	 "command lines, or names"},
	{{{'k', 0}, {K_F9, 0}},
	 ACTION_SIGNAL,
	 NEEDS_MACHINE,
	 {"k", NULL, "signal", 2},
	 "Send a signal, after a question; also F9",
	 GROUP_ACT,
	 "send a signal"},
	{.action = ACTION_NONE},
};

/* The needs without which a key does nothing. */
#define NEEDS_TO_ACT \
	((unsigned)(NEEDS_LIVE | NEEDS_REPLAY | NEEDS_TIMELINE | NEEDS_NO_TIMELINE | NEEDS_MACHINE))

/* The index of a key in the codes of its row, -1 if the row does not have it. */
static int code_index(const struct key_row *row, uint32_t key)
{
	for (int i = 0; i < KEY_ROW_CODES && row->codes[i].key; i++)
		if (row->codes[i].key == key)
			return i;
	return -1;
}

/* Find the first row that has the key and all that it needs, else the first that can act; NULL if
 * there is none. With all bits of `has` set, that is the first row that has the key. */
static const struct key_row *find_row(const struct key_row *rows, uint32_t key, unsigned has)
{
	const struct key_row *found = NULL;

	for (; rows->action; rows++) {
		if (code_index(rows, key) < 0 || rows->needs & NEEDS_TO_ACT & ~has)
			continue;
		if (!(rows->needs & ~has))
			return rows;
		found = found ? found : rows;
	}
	return found;
}

struct key_action keys_action(const struct key_row *rows, uint32_t key, unsigned has)
{
	const struct key_row *row = find_row(rows, key, has);

	return row ? (struct key_action){row->action, row->codes[code_index(row, key)].number}
		   : (struct key_action){0};
}

/* A key that is not a visible character has the name of its row. */
static void add_key_name(uint32_t key, struct strbuf *out)
{
	const struct key_row *row = find_row(keys_everywhere, key, ~0u);
	char utf8[4];

	if (!row)
		row = find_row(keys_of_processes, key, ~0u);
	if (key >= K_F2 && key <= K_F10)
		strbuf_printf(out, "F%u", key - K_F1 + 1);
	else if (row && (key <= ' ' || key >= K_SPECIAL))
		strbuf_str(out, row->shown.ascii ? row->shown.ascii : row->shown.keys);
	else if (key < ' ')
		strbuf_printf(out, "Ctrl-%c", (char)(key + '@'));
	else if (key == K_BACKSPACE)
		strbuf_str(out, "Backspace");
	else
		strbuf_add(out, utf8, utf8_put(utf8, key));
}

bool keys_pass_card(uint32_t key)
{
	static const enum action passed[] = {ACTION_PAUSE, ACTION_HISTORY,  ACTION_MARK,
					     ACTION_LOG,   ACTION_SNAPSHOT, ACTION_HELP};
	const struct key_row *row = find_row(keys_everywhere, key, ~0u);

	for (size_t i = 0; row && i < ARRAY_LEN(passed); i++)
		if (row->action == passed[i])
			return true;
	return false;
}

void keys_why(const struct key_row *rows, uint32_t key, unsigned has, struct strbuf *said)
{
	const struct key_row *row = find_row(rows, key, ~0u);
	unsigned lacks = row ? row->needs & ~has : 0;

	add_key_name(key, said);
	strbuf_str(said,
		   lacks & NEEDS_LIVE && has & NEEDS_MACHINE
			   ? ": only on the machine itself; malitop on takes --pid, --profiling, --per-core"
		   : lacks & (NEEDS_LIVE | NEEDS_MACHINE)  ? ": not in a replay"
		   : lacks & NEEDS_REPLAY                  ? ": only in a replay"
		   : lacks & NEEDS_TIMELINE                ? ": only while paused (space)"
		   : key == K_ESCAPE                       ? ": nothing to close; q quits"
		   : find_row(keys_of_processes, key, ~0u) ? ": a key of the Processes view (0)"
							   : ": does nothing here; ? lists the keys");
}

/* The key of a row with that number; the first one of a row whose keys have no such number. */
static uint32_t key_with(const struct key_row *row, int number)
{
	for (int i = 0; i < KEY_ROW_CODES && row->codes[i].key; i++)
		if (row->codes[i].number == number)
			return row->codes[i].key;
	return row->codes[0].key;
}

/* Names of two keys are in the order back, forth. */
static void add_foot_key(struct foot_keys *foot, const struct key_row *row)
{
	assert(foot->n < ARRAY_LEN(foot->keys));
	foot->press[foot->n][0] = key_with(row, -1);
	foot->press[foot->n][1] = key_with(row, 1);
	foot->keys[foot->n++] = row->shown;
}

static void add_foot_keys(struct foot_keys *foot, const struct key_row *rows, unsigned has)
{
	for (; rows->action; rows++)
		if (rows->shown.word && !(rows->needs & ~has))
			add_foot_key(foot, rows);
}

void keys_foot_add(struct foot_keys *foot, enum action action)
{
	for (const struct key_row *row = keys_everywhere; row->action; row++)
		if (row->action == action)
			add_foot_key(foot, row);
}

void keys_foot(struct foot_keys *foot, const struct key_row *own, unsigned has)
{
	foot->n = 0;
	if (own)
		add_foot_keys(foot, own, has);
	add_foot_keys(foot, keys_everywhere, has);
}
