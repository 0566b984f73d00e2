#include "tui/keys.h"

#include "base/alloc.h"

#include <string.h>

static const struct {
	uint32_t key;
	enum action action;
	unsigned needs;
} keys[] = {
	{'0', ACTION_VIEW, 0},
	{'1', ACTION_VIEW, 0},
	{'2', ACTION_VIEW, 0},
	{'3', ACTION_VIEW, 0},
	{'4', ACTION_VIEW, 0},
	{'5', ACTION_VIEW, 0},
	{'6', ACTION_VIEW, 0},
	{'7', ACTION_VIEW, 0},
	{'8', ACTION_VIEW, 0},
	{'9', ACTION_VIEW, 0},
	{K_TAB, ACTION_NEXT_VIEW, 0},
	{K_RIGHT, ACTION_NEXT_VIEW, 0},
	{K_BACK_TAB, ACTION_PREVIOUS_VIEW, 0},
	{K_LEFT, ACTION_PREVIOUS_VIEW, 0},
	{K_UP, ACTION_LINE_UP, 0},
	{K_DOWN, ACTION_LINE_DOWN, 0},
	{K_WHEEL_UP, ACTION_LINE_UP, 0},
	{K_WHEEL_DOWN, ACTION_LINE_DOWN, 0},
	{K_PAGE_UP, ACTION_PAGE_UP, 0},
	{K_PAGE_DOWN, ACTION_PAGE_DOWN, 0},
	{K_HOME, ACTION_TOP, 0},
	{K_END, ACTION_BOTTOM, 0},
	{' ', ACTION_PAUSE, 0},
	{'<', ACTION_OLDER, 0},
	{',', ACTION_OLDER, 0},
	{'>', ACTION_NEWER, 0},
	{'.', ACTION_NEWER, 0},
	{'+', ACTION_SLOWER, NEEDS_LIVE},
	{'=', ACTION_SLOWER, NEEDS_LIVE}, /* + without Shift on many keyboards */
	{'-', ACTION_FASTER, NEEDS_LIVE},
	{'[', ACTION_SPEED_DOWN, NEEDS_REPLAY},
	{']', ACTION_SPEED_UP, NEEDS_REPLAY},
	{'{', ACTION_MARK_BEFORE, NEEDS_REPLAY},
	{'}', ACTION_MARK_AFTER, NEEDS_REPLAY},
	{'j', ACTION_GO_TO, NEEDS_REPLAY},
	{'c', ACTION_PER_CORE, 0},
	{'a', ACTION_COUNTERS, 0},
	{'l', ACTION_LOG, NEEDS_LIVE},
	{'m', ACTION_MARK, NEEDS_LIVE},
	{'g', ACTION_GPU, 0},
	{'?', ACTION_HELP, 0},
	{'h', ACTION_HELP, 0},
	{K_F1, ACTION_HELP, 0},
	{K_ESCAPE, ACTION_BACK, 0},
	{'q', ACTION_QUIT, 0},
	{0x03, ACTION_QUIT, 0}, /* Ctrl-C where the terminal makes no signal of it */
};

const struct key_help key_helps[] = {
	{"space", "pause", "Pause and go on. The measuring goes on meanwhile.", NEEDS_LIVE},
	{"space", "pause", "Pause and play; at the end: play from the start", NEEDS_REPLAY},
	{"< >", "history", "Step back and forth through the history; also , and . (pauses)", NEEDS_LIVE},
	{"< >", "step", "Step back and forth by a refresh; also , and . (pauses)", NEEDS_REPLAY},
	{"[ ]", "speed", "Play slower or faster, 0.1 to 100 times as fast as it was", NEEDS_REPLAY},
	{"{ }", "marks", "The mark or loss before, and the next one (pauses)", NEEDS_REPLAY},
	{"j", "go to", "Go to a moment: 90s, 1:30, 1:02:03, +10s, -5s, 50%", NEEDS_REPLAY},
	{"+ -", "interval", "A longer or shorter sampling interval, in steps of 1, 2, 5", NEEDS_LIVE},
	{"c", "per core", "Break down per shader core, cache slice and CPU, and back to sums", 0},
	{"a", "counters", "Every counter of the GPU as a table, and back", 0},
	{"g", "GPU", "Show the next GPU; all of them are measured", NEEDS_GPUS},
	{"l", "log", "Begin a log of raw counters, malitop-DATE-TIME.mlog in this directory; end the log", NEEDS_LIVE},
	{"m", "mark", "Set a mark in the log", NEEDS_LIVE},
	{"1 to 9, 0", NULL, "Choose a view; so does a click on its tab", 0},
	{"Tab, Right", NULL, "The next view", 0},
	{"Shift-Tab, Left", NULL, "The view before", 0},
	{"Up, Down", NULL, "Scroll by a line; so does the mouse wheel", NEEDS_SCROLL},
	{"PgUp, PgDn", NULL, "Scroll by a page", NEEDS_SCROLL},
	{"Home, End", NULL, "Scroll to the top and to the end", NEEDS_SCROLL},
	{"?, h, F1", NULL, "This help, and back; Escape leaves it, too", 0},
	{"q", "quit", "Quit; so does Ctrl-C", 0},
	{NULL, NULL, NULL, 0},
};

enum action keys_action(uint32_t key, unsigned has)
{
	for (unsigned i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].key == key && !(keys[i].needs & ~has))
			return keys[i].action;
	return ACTION_NONE;
}

char keys_view(uint32_t key)
{
	return key >= '0' && key <= '9' ? (char)key : '\0';
}

void keys_type(char *text, size_t size, uint32_t key)
{
	size_t n = strlen(text), length;
	char utf8[4];

	if (key == K_BACKSPACE || key == '\b') {
		while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
			n--;
		text[n ? n - 1 : 0] = 0;
		return;
	}
	if (key < ' ' || key >= K_SPECIAL)
		return;
	length = utf8_put(utf8, key);
	if (n + length >= size)
		return;
	memcpy(text + n, utf8, length);
	text[n + length] = 0;
}
