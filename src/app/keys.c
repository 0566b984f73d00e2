#include "app/keys.h"

#include "base/alloc.h"

static const struct {
	uint32_t key;
	enum action action;
} keys[] = {
	{'0', ACTION_VIEW},
	{'1', ACTION_VIEW},
	{'2', ACTION_VIEW},
	{'3', ACTION_VIEW},
	{'4', ACTION_VIEW},
	{'5', ACTION_VIEW},
	{'6', ACTION_VIEW},
	{'7', ACTION_VIEW},
	{'8', ACTION_VIEW},
	{'9', ACTION_VIEW},
	{K_TAB, ACTION_NEXT_VIEW},
	{K_RIGHT, ACTION_NEXT_VIEW},
	{K_BACK_TAB, ACTION_PREVIOUS_VIEW},
	{K_LEFT, ACTION_PREVIOUS_VIEW},
	{K_UP, ACTION_LINE_UP},
	{K_DOWN, ACTION_LINE_DOWN},
	{K_WHEEL_UP, ACTION_LINE_UP},
	{K_WHEEL_DOWN, ACTION_LINE_DOWN},
	{K_PAGE_UP, ACTION_PAGE_UP},
	{K_PAGE_DOWN, ACTION_PAGE_DOWN},
	{K_HOME, ACTION_TOP},
	{K_END, ACTION_BOTTOM},
	{' ', ACTION_PAUSE},
	{'<', ACTION_OLDER},
	{',', ACTION_OLDER},
	{'>', ACTION_NEWER},
	{'.', ACTION_NEWER},
	{'+', ACTION_SLOWER},
	{'=', ACTION_SLOWER}, /* + without Shift on many keyboards */
	{'-', ACTION_FASTER},
	{'c', ACTION_PER_CORE},
	{'a', ACTION_COUNTERS},
	{'g', ACTION_GPU},
	{'?', ACTION_HELP},
	{'h', ACTION_HELP},
	{K_F1, ACTION_HELP},
	{K_ESCAPE, ACTION_BACK},
	{'q', ACTION_QUIT},
	{0x03, ACTION_QUIT}, /* Ctrl-C where the terminal makes no signal of it */
};

const struct key_help key_helps[] = {
	{"space", "pause", "Pause and go on. The measuring goes on meanwhile.", false, false},
	{"< >", "history", "Step back and forth through the history; also , and . (pauses)", false, false},
	{"+ -", "interval", "A longer or shorter sampling interval, in steps of 1, 2, 5", false, false},
	{"c", "per core", "Break down per shader core, cache slice and CPU, and back to sums", false, false},
	{"a", "counters", "Every counter of the GPU as a table, and back", false, false},
	{"g", "GPU", "Show the next GPU; all of them are measured", true, false},
	{"1 to 9, 0", NULL, "Choose a view; so does a click on its tab", false, false},
	{"Tab, Right", NULL, "The next view", false, false},
	{"Shift-Tab, Left", NULL, "The view before", false, false},
	{"Up, Down", NULL, "Scroll by a line; so does the mouse wheel", false, true},
	{"PgUp, PgDn", NULL, "Scroll by a page", false, true},
	{"Home, End", NULL, "Scroll to the top and to the end", false, true},
	{"?, h, F1", NULL, "This help, and back; Escape leaves it, too", false, false},
	{"q", "quit", "Quit; so does Ctrl-C", false, false},
	{NULL, NULL, NULL, false, false},
};

enum action keys_action(uint32_t key)
{
	for (unsigned i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].key == key)
			return keys[i].action;
	return ACTION_NONE;
}

char keys_view(uint32_t key)
{
	return key >= '0' && key <= '9' ? (char)key : '\0';
}
