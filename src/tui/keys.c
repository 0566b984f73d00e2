#include "tui/keys.h"

#include "base/alloc.h"
#include "model/process.h"
#include "tui/process_pane.h"

#include <assert.h>

static const struct key_code characters_everywhere[] = {
	{'1', ACTION_VIEW, '1'},    {'2', ACTION_VIEW, '2'},    {'3', ACTION_VIEW, '3'},
	{'4', ACTION_VIEW, '4'},    {'5', ACTION_VIEW, '5'},    {'6', ACTION_VIEW, '6'},
	{'7', ACTION_VIEW, '7'},    {'8', ACTION_VIEW, '8'},    {'9', ACTION_VIEW, '9'},
	{'0', ACTION_VIEW, '0'},    {'f', ACTION_VIEW, 'f'},    {'h', ACTION_VIEW, 'h'},
	{' ', ACTION_PAUSE, 0},     {'<', ACTION_HISTORY, -1},  {',', ACTION_HISTORY, -1},
	{'>', ACTION_HISTORY, 1},   {'.', ACTION_HISTORY, 1},   {'T', ACTION_SCALE, -1},
	{'t', ACTION_SCALE, 1},     {'j', ACTION_GO_TO, 0},     {'[', ACTION_SPEED, -1},
	{']', ACTION_SPEED, 1},     {'{', ACTION_FIND, -1},     {'}', ACTION_FIND, 1},
	{'V', ACTION_PHASE, 0},     {'B', ACTION_BOARDS, 0},    {'v', ACTION_RANGE, 0},
	{'P', ACTION_PIN, 0},       {'=', ACTION_COMPARE, 0},   {'b', ACTION_BASELINE, 0},
	{'S', ACTION_SNAPSHOT, 0},  {'/', ACTION_FILTER, 0},    {'s', ACTION_NEXT_SORT, 0},
	{'s', ACTION_SCOPE, 0},     {'R', ACTION_LATE_ONLY, 0}, {'n', ACTION_COUNTED, 0},
	{'w', ACTION_WINDOWS, 0},   {'+', ACTION_INTERVAL, 1},  {'-', ACTION_INTERVAL, -1},
	{'c', ACTION_PER_CORE, 0},  {'a', ACTION_COUNTERS, 0},  {'g', ACTION_GPU, 0},
	{'A', ACTION_FRAMES, 0},    {'(', ACTION_LANES, -1},    {')', ACTION_LANES, 1},
	{'O', ACTION_LATE, -1},     {'o', ACTION_LATE, 1},      {'W', ACTION_WORST, 0},
	{'C', ACTION_COUNTING, 0},  {'J', ACTION_PROFILING, 0}, {'l', ACTION_LOG, 0},
	{'m', ACTION_MARK, 0},      {'z', ACTION_ZOOM, 0},      {'!', ACTION_FINDINGS, 0},
	{'u', ACTION_OWN, 0},       {'U', ACTION_RELOAD, 0},    {'i', ACTION_EXPLAIN, 0},
	{'L', ACTION_LAYOUT, 0},    {'?', ACTION_HELP, 0},      {'q', ACTION_QUIT, 0},
	{K_SPECIAL, ACTION_NONE, 0}};

static const struct key_code specials_everywhere[] = {
	{K_RIGHT, ACTION_TURN, 1},        {K_TAB, ACTION_TURN, 1},      {K_LEFT, ACTION_TURN, -1},
	{K_BACK_TAB, ACTION_TURN, -1},    {K_PAGE_UP, ACTION_LEAP, -1}, {K_PAGE_DOWN, ACTION_LEAP, 1},
	{K_HOME, ACTION_ENDS, -1},        {K_END, ACTION_ENDS, 1},      {K_UP, ACTION_SELECT, -1},
	{K_DOWN, ACTION_SELECT, 1},       {K_ENTER, ACTION_ZOOM, 0},    {K_WHEEL_UP, ACTION_SCROLL, -1},
	{K_WHEEL_DOWN, ACTION_SCROLL, 1}, {K_PAGE_UP, ACTION_PAGE, -1}, {K_PAGE_DOWN, ACTION_PAGE, 1},
	{K_HOME, ACTION_EDGE, -1},        {K_END, ACTION_EDGE, 1},      {K_F2, ACTION_SETTINGS, 0},
	{K_F1, ACTION_HELP, 0},           {K_ESCAPE, ACTION_BACK, 0},   {K_REDRAW, ACTION_REDRAW, 0},
	{K_CTRL_C, ACTION_QUIT, 0},       {K_F10, ACTION_QUIT, 0},      {K_SPECIAL, ACTION_NONE, 0}};

static const struct key_row rows_everywhere[] = {
	{ACTION_VIEW, 0, GROUP_MOVE, "1-9 0 f h", NULL, NULL, 0, "a view; or click its tab",
	 "Choose a view; so does a click on its tab"},
	{ACTION_TURN, 0, GROUP_MOVE, "\u2190 \u2192", "Tab", "view", 3, "next view, the one before",
	 "The next view (Right or Tab) or the previous one (Left or Shift-Tab)"},
	{ACTION_PAUSE, NEEDS_LIVE, GROUP_MOVE, "space", NULL, "pause", 2, "pause; sampling goes on",
	 "Pause or resume the display; sampling continues unless it would keep the GPU awake"},
	{ACTION_PAUSE, NEEDS_REPLAY, GROUP_MOVE, "space", NULL, "pause", 2, "pause, play",
	 "Pause and play; at the end: play from the start"},
	{ACTION_HISTORY, NEEDS_LIVE, GROUP_MOVE, "< >", NULL, "history", 5, "a step back, on (pauses)",
	 "Step back and forth through the history; also , and . (pauses)"},
	{ACTION_HISTORY, NEEDS_REPLAY, GROUP_MOVE, "< >", NULL, "step", 3, "a refresh back, on (pauses)",
	 "Step back and forth by a refresh; also , and . (pauses)"},
	{ACTION_SCALE, NEEDS_ROWS, GROUP_LOOK, "T t", NULL, "time", 6, "less, more time in graphs",
	 "Show less or more time in all graphs: 0.05, 0.1, 0.5, 1, 5 or 30 s, 5 or 20 minutes a cell"},
	{ACTION_LEAP, NEEDS_TIMELINE, GROUP_MOVE, "PgUp PgDn", NULL, "leap", 6, "a tenth back, on; or click",
	 "Go back or on by a tenth of the timeline; a click on it goes to its moment"},
	{ACTION_ENDS, NEEDS_TIMELINE, GROUP_MOVE, "Home, End", NULL, NULL, 0, "start, end of the timeline",
	 "Go to the start or the end of the timeline"},
	{ACTION_GO_TO, NEEDS_LIVE, GROUP_MOVE, "j", NULL, NULL, 0, "go to a time",
	 "Go to a time in the history: 14:02:11, -30s, 50% (pauses)"},
	{ACTION_SPEED, NEEDS_REPLAY, GROUP_MOVE, "[ ]", NULL, "speed", 4, "play slower, faster",
	 "Play slower or faster, at 0.1 to 100 times the recorded speed"},
	{ACTION_FIND, NEEDS_REPLAY, GROUP_MOVE, "{ }", NULL, "places", 5, "mark, loss, scene",
	 "Go to the previous or the next mark, loss or other scene (pauses)"},
	{ACTION_FIND, NEEDS_LIVE, GROUP_MOVE, "{ }", NULL, NULL, 0, "mark, scene, finding",
	 "Go to the previous or the next mark, other scene, finding or change of the verdict (pauses)"},
	{ACTION_PHASE, 0, GROUP_LOOK, "V", NULL, NULL, 0, "the phase as range",
	 "Select the phase at this moment as the range: from the mark or other scene before it to the next "
	 "one. Numbers are its means"},
	{ACTION_BOARDS, NEEDS_BOARDS, GROUP_MOVE, "B", NULL, "boards", 2, "back to the boards",
	 "Go back to the boards; [ and ] show the board before and the one after"},
	{ACTION_GO_TO, NEEDS_REPLAY, GROUP_MOVE, "j", NULL, "go to", 2, "go to a time",
	 "Go to a time in the log: 90s, 1:30, 1:02:03, +10s, -5s, 50%"},
	{ACTION_RANGE, NEEDS_TIMELINE, GROUP_LOOK, "v", NULL, "range", 7, "start, end, clear range",
	 "Start a range at this moment; press again to end it; numbers are means of the range. A third "
	 "press clears it"},
	{ACTION_PIN, NEEDS_ROWS, GROUP_LOOK, "P", NULL, NULL, 0, "pin the row to Overview",
	 "Pin the selected row to the top of the Overview; press again to undo"},
	{ACTION_COMPARE, 0, GROUP_LOOK, "=", NULL, NULL, 0, "compare with now, a mark",
	 "Compare with what is shown now, with a mark, or with the log of --baseline: was, now and the "
	 "change of each row, the largest ones on the Overview; press again to undo"},
	{ACTION_BASELINE, 0, GROUP_LOOK, "b", NULL, NULL, 0, "compare with a log",
	 "Compare with another log, phase by phase where both have marks of the same name"},
	{ACTION_SNAPSHOT, 0, GROUP_ACT, "S", NULL, NULL, 0, "save the screen",
	 "Save the screen as malitop-DATE-TIME.txt in this directory, every metric as .csv, and, if "
	 "--snapshot or F2 asks for it, the report of what is kept as .html"},
	{ACTION_FILTER, NEEDS_ROWS, GROUP_LOOK, "/", NULL, "filter", 6, "only rows with this text",
	 "Show only rows with this text in a name, in every view. Escape shows all again"},
	{ACTION_NEXT_SORT, NEEDS_TABLE, GROUP_LOOK, "s", NULL, "sort", 6, "sort the counters",
	 "Sort the counters by what they counted, by name, and as the hardware has them"},
	{ACTION_SCOPE, NEEDS_HOT, GROUP_LOOK, "s", NULL, "scope", 6, "its process, thread, all",
	 "Show what the process of the row runs, then its thread alone, then all. h on a process in "
	 "Processes shows that one"},
	{ACTION_LATE_ONLY, NEEDS_HOT, GROUP_LOOK, "R", NULL, "late frames", 6, "only in late frames",
	 "Show only what ran inside late frames: those over the budget or, if they are most, the slowest 5 "
	 "%; press again for all time"},
	{ACTION_COUNTED, NEEDS_TABLE, GROUP_LOOK, "n", NULL, "never counted", 6, "hide, show never counted",
	 "Hide the counters that were never counted, and show them again"},
	{ACTION_WINDOWS, NEEDS_TABLE, GROUP_LOOK, "w", NULL, "windows", 6, "now, 5 s, 30 s, all",
	 "Show the rates of the counters over several times at once: a refresh, 5 s, 30 s, since the start; "
	 "press again to undo"},
	{ACTION_INTERVAL, NEEDS_MACHINE, GROUP_ACT, "+ -", NULL, NULL, 0, "longer, shorter interval",
	 "A longer or shorter sampling interval, in steps of 1, 2, 5"},
	{ACTION_PER_CORE, 0, GROUP_LOOK, "c", NULL, "per core", 4, "each core, CPU",
	 "Break down per shader core, cache slice and CPU, and back to sums"},
	{ACTION_COUNTERS, 0, GROUP_LOOK, "a", NULL, "counters", 6, "all counters",
	 "Every counter of the GPU as a table, and back"},
	{ACTION_GPU, NEEDS_GPUS, GROUP_MOVE, "g", NULL, "GPU", 4, "next GPU",
	 "Show the next GPU; all of them are measured"},
	{ACTION_FRAMES, NEEDS_MACHINE | NEEDS_APPS, GROUP_LOOK, "A", NULL, "application", 4,
	 "next application", "Show the frames of the next application that has malitop's layer"},
	{ACTION_LANES, NEEDS_LANES, GROUP_MOVE, "( )", NULL, "frame", 3, "frame before, next",
	 "Show the lanes of the frame before or of the next frame (pauses)"},
	{ACTION_LATE, NEEDS_LANES, GROUP_MOVE, "O o", NULL, "late", 4, "late frame before, next",
	 "Show the late frame before or the next one, of the 100 longest frames (pauses)"},
	{ACTION_WORST, NEEDS_LANES, GROUP_LOOK, "W", NULL, "worst", 2, "the longest frames",
	 "List the longest frames, when they were and what they had more of; Enter goes to one"},
	{ACTION_COUNTING, NEEDS_MACHINE, GROUP_ACT, "C", NULL, NULL, 0, "GPU counting",
	 "Pause or resume GPU counting, which keeps the GPU powered on Panfrost and Panthor"},
	{ACTION_PROFILING, NEEDS_LIVE, GROUP_ACT, "J", NULL, NULL, 0, "time GPU jobs",
	 "Panfrost's or Panthor's job timing on or off (asks first)"},
	{ACTION_LOG, NEEDS_MACHINE, GROUP_ACT, "l", NULL, NULL, 0, "start, end a log",
	 "Begin a log of raw counters, malitop-DATE-TIME.mlog in this directory; end the log"},
	{ACTION_MARK, NEEDS_MACHINE, GROUP_ACT, "m", NULL, NULL, 0, "set a mark",
	 "Set a mark, shown below the graphs and written into the log if there is one"},
	{ACTION_SELECT, NEEDS_ROWS, GROUP_MOVE, "Up, Down", NULL, NULL, 0, "a row",
	 "Select a row, in every view; so does a click on it. Escape selects none"},
	{ACTION_ZOOM, NEEDS_ROWS, GROUP_LOOK, "z", NULL, "zoom", 7, "one panel alone",
	 "Show the selected row's panel alone, Up and Down lead to the next one; also Enter, a second click "
	 "and a click on its title. Escape shows all again. A group of passes is folded or unfolded"},
	{ACTION_SCROLL, NEEDS_ROWS, GROUP_MOVE, "wheel", NULL, NULL, 0, "a line, or a row",
	 "Scroll by a line, or select a row where nothing scrolls"},
	{ACTION_PAGE, NEEDS_ROWS | NEEDS_NO_TIMELINE, GROUP_MOVE, "PgUp, PgDn", NULL, NULL, 0, "a page",
	 "Scroll by a page"},
	{ACTION_EDGE, NEEDS_ROWS | NEEDS_NO_TIMELINE, GROUP_MOVE, "Home, End", NULL, NULL, 0, "top, end",
	 "Scroll to the top or to the end"},
	{ACTION_FINDINGS, 0, GROUP_MOVE, "!", NULL, NULL, 0, "the findings",
	 "The findings that hold or held in the last minute; Enter there goes to the view"},
	{ACTION_OWN, NEEDS_ROWS, GROUP_MOVE, "u", NULL, NULL, 0, "next own view",
	 "The views of your own, one after the other"},
	{ACTION_RELOAD, 0, GROUP_ACT, "U", NULL, NULL, 0, "read own files",
	 "Read your own views, metrics and findings again; so does SIGHUP if there are any"},
	{ACTION_EXPLAIN, NEEDS_ROWS, GROUP_LOOK, "i", NULL, "explain", 7, "explain the row",
	 "Explain the selected row, or the first: formula with its values now, what it tells, what to do"},
	{ACTION_LAYOUT, 0, GROUP_LOOK, "L", NULL, NULL, 0, "layout of panels",
	 "Choose a layout of the Overview, hide and show its panels by their letters, and save that"},
	{ACTION_SETTINGS, 0, GROUP_ACT, "F2", NULL, NULL, 0, "settings, and save them",
	 "Settings: change them at once, and save them in the configuration file"},
	{ACTION_HELP, 0, GROUP_ACT, "?", NULL, "help", 1, "this help; again: back",
	 "This help; also F1. The same keys, q and Escape close it"},
	{ACTION_BACK, 0, GROUP_MOVE, "Esc", NULL, NULL, 0, "close what is on top",
	 "Close what is on top: a card, one panel alone, the filter, the selection"},
	{ACTION_REDRAW, 0, GROUP_ACT, "Ctrl-L", NULL, NULL, 0, "draw the screen again",
	 "Redraw the screen, if another program wrote on it"},
	{ACTION_QUIT, 0, GROUP_ACT, "q", NULL, "quit", 0, "quit malitop", "Quit; so do Ctrl-C and F10"},
	{.action = ACTION_NONE},
};

const struct key_table keys_everywhere[1] = {{{characters_everywhere, specials_everywhere}, rows_everywhere}};

static const struct key_code characters_of_processes[] = {{'/', ACTION_FILTER, PANE_FILTER},
							  {'u', ACTION_USER, PANE_USER},
							  {'P', ACTION_SORT, PROCESS_BY_CPU},
							  {'M', ACTION_SORT, PROCESS_BY_MEMORY},
							  {'T', ACTION_SORT, PROCESS_BY_TIME},
							  {'N', ACTION_SORT, PROCESS_BY_PID},
							  {'s', ACTION_NEXT_SORT, 0},
							  {'R', ACTION_REVERSE, 0},
							  {'I', ACTION_REVERSE, 0},
							  {'t', ACTION_TREE, 0},
							  {'H', ACTION_THREADS, 0},
							  {'K', ACTION_KERNEL, 0},
							  {'p', ACTION_COMMANDS, 0},
							  {'k', ACTION_SIGNAL, 0},
							  {K_SPECIAL, ACTION_NONE, 0}};

static const struct key_code specials_of_processes[] = {{K_ENTER, ACTION_COUNT, 0},
							{K_UP, ACTION_SELECT, -1},
							{K_WHEEL_UP, ACTION_SELECT, -1},
							{K_DOWN, ACTION_SELECT, 1},
							{K_WHEEL_DOWN, ACTION_SELECT, 1},
							{K_PAGE_UP, ACTION_PAGE, -1},
							{K_PAGE_DOWN, ACTION_PAGE, 1},
							{K_HOME, ACTION_EDGE, -1},
							{K_END, ACTION_EDGE, 1},
							{K_F4, ACTION_FILTER, PANE_FILTER},
							{K_F3, ACTION_SEARCH, PANE_SEARCH},
							{K_F6, ACTION_CHOOSE_SORT, 0},
							{K_F5, ACTION_TREE, 0},
							{K_F9, ACTION_SIGNAL, 0},
							{K_SPECIAL, ACTION_NONE, 0}};

static const struct key_row rows_of_processes[] = {
	{ACTION_COUNT, NEEDS_COUNT, GROUP_LOOK, "Enter", NULL, "count", 3, "count this one alone",
	 "Count the selected process alone in the CPU view; press again for the whole machine"},
	{ACTION_SELECT, 0, GROUP_MOVE, "Up, Down", NULL, NULL, 0, "a row",
	 "Select a row; so do the mouse wheel and a click"},
	{ACTION_PAGE, 0, GROUP_MOVE, "PgUp, PgDn", NULL, NULL, 0, "a page", "Select a row one page away"},
	{ACTION_EDGE, 0, GROUP_MOVE, "Home, End", NULL, NULL, 0, "first row, last row",
	 "Stay on the first row; select the last row"},
	{ACTION_FILTER, 0, GROUP_LOOK, "/", NULL, "filter", 2, "filter: name, command, pid",
	 "Filter by name, command line, pid or user; also F4. Escape shows all again"},
	{ACTION_SEARCH, 0, GROUP_LOOK, "F3", NULL, NULL, 0, "search; again: the next",
	 "Search for such a text and select its row; F3 again: the next one"},
	{ACTION_USER, 0, GROUP_LOOK, "u", NULL, NULL, 0, "one user's processes",
	 "Show the processes of one user; Escape shows all again"},
	{ACTION_SORT, 0, GROUP_LOOK, "P, M, T, N", NULL, NULL, 0, "by CPU, memory, time, pid",
	 "Sort by CPU, memory, CPU time, pid"},
	{ACTION_NEXT_SORT, 0, GROUP_LOOK, "s", NULL, "sort", 2, "sort by the next key",
	 "Sort by the next key"},
	{ACTION_CHOOSE_SORT, 0, GROUP_LOOK, "F6", NULL, NULL, 0, "choose the sort key",
	 "Choose from a list what to sort by"},
	{ACTION_REVERSE, 0, GROUP_LOOK, "R, I", NULL, NULL, 0, "reverse the order", "Reverse the order"},
	{ACTION_TREE, 0, GROUP_LOOK, "t", NULL, "tree", 3, "tree of parents, and back",
	 "The tree of parents and children, and back; also F5"},
	{ACTION_THREADS, NEEDS_LIVE, GROUP_LOOK, "H", NULL, "threads", 3, "show, hide threads",
	 "Show threads, and hide them"},
	{ACTION_KERNEL, 0, GROUP_LOOK, "K", NULL, NULL, 0, "hide kernel threads",
	 "Hide kernel threads, and show them"},
	{ACTION_COMMANDS, NEEDS_LIVE, GROUP_LOOK, "p", NULL, NULL, 0, "command lines, or names",
	 "Command lines, or names alone"},
	{ACTION_SIGNAL, NEEDS_MACHINE, GROUP_ACT, "k", NULL, "signal", 2, "send a signal",
	 "Send a signal, after a question; also F9"},
	{.action = ACTION_NONE},
};

const struct key_table keys_of_processes[1] = {
	{{characters_of_processes, specials_of_processes}, rows_of_processes}};

/* The needs without which a key does nothing. */
#define NEEDS_TO_ACT \
	((unsigned)(NEEDS_LIVE | NEEDS_REPLAY | NEEDS_TIMELINE | NEEDS_NO_TIMELINE | NEEDS_MACHINE))

const struct key_code *keys_code(const struct key_table *table, enum action action, uint32_t key)
{
	for (size_t i = 0; i < ARRAY_LEN(table->codes); i++)
		for (const struct key_code *c = table->codes[i]; c->action; c++)
			if (c->action == action && (!key || c->key == key))
				return c;
	return NULL;
}

/* Find the first row with the key whose needs are all met, else the first that can act; NULL if
 * there is none. With all bits of `has` set, this is the first row with the key. */
static const struct key_row *find_row(const struct key_table *table, uint32_t key, unsigned has)
{
	const struct key_row *found = NULL;

	for (const struct key_row *row = table->rows; row->action && key; row++) {
		if (row->needs & NEEDS_TO_ACT & ~has || !keys_code(table, row->action, key))
			continue;
		if (!(row->needs & ~has))
			return row;
		found = found ? found : row;
	}
	return found;
}

struct key_action keys_action(const struct key_table *table, uint32_t key, unsigned has)
{
	const struct key_row *row = find_row(table, key, has);

	return row ? (struct key_action){row->action, keys_code(table, row->action, key)->number}
		   : (struct key_action){0};
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

void keys_why(const struct key_table *table, uint32_t key, unsigned has, struct strbuf *said)
{
	const struct key_row *row = find_row(table, key, ~0u);
	const struct key_row *named = find_row(keys_everywhere, key, ~0u);
	unsigned lacks = row ? row->needs & ~has : 0;
	char utf8[4];

	if (!named)
		named = find_row(keys_of_processes, key, ~0u);
	/* an invisible key has the name of its row */
	if (key >= K_F2 && key <= K_F10)
		strbuf_printf(said, "F%u", key - K_F1 + 1);
	else if (named && (key <= ' ' || key >= K_SPECIAL))
		strbuf_str(said, named->ascii ? named->ascii : named->keys);
	else if (key < ' ')
		strbuf_printf(said, "Ctrl-%c", (char)(key + '@'));
	else if (key == K_BACKSPACE)
		strbuf_str(said, "Backspace");
	else
		strbuf_add(said, utf8, utf8_put(utf8, key));
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

/* The first key of an action with that number, or the first one if none has it. */
static uint32_t key_with(const struct key_table *table, enum action action, int number)
{
	for (size_t i = 0; i < ARRAY_LEN(table->codes); i++)
		for (const struct key_code *c = table->codes[i]; c->action; c++)
			if (c->action == action && c->number == number)
				return c->key;
	return keys_code(table, action, 0)->key;
}

/* Names of two keys are in the order back, forth, and so are the presses. */
void keys_foot_add(struct foot_keys *foot, const struct key_table *table, unsigned has)
{
	for (const struct key_row *row = table->rows; row->action; row++) {
		if (!row->word || row->needs & ~has)
			continue;
		assert(foot->n < ARRAY_LEN(foot->keys));
		foot->press[foot->n][0] = key_with(table, row->action, -1);
		foot->press[foot->n][1] = key_with(table, row->action, 1);
		foot->keys[foot->n++] = (struct foot_key){row->keys, row->ascii, row->word, row->rank};
	}
}

void keys_foot(struct foot_keys *foot, const struct key_table *own, unsigned has)
{
	foot->n = 0;
	if (own)
		keys_foot_add(foot, own, has);
	keys_foot_add(foot, keys_everywhere, has);
}

double keys_step(const double *steps, size_t n, double now, int by)
{
	double shorter = 0;

	for (size_t i = 0; i < n; i++) {
		if (by > 0 && steps[i] > now)
			return steps[i];
		shorter = steps[i] < now ? steps[i] : shorter;
	}
	return by > 0 ? 0 : shorter;
}
