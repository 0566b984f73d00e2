/* term_key: the codes of keys, and editing a line with them. What a key does is in tui/keys.h. */
#ifndef MALITOP_TERM_KEY_H
#define MALITOP_TERM_KEY_H

#include <stddef.h>
#include <stdint.h>

/* Keys that are not visible characters. Characters are themselves (Unicode). */
enum key {
	K_CTRL_C = 0x03, /* if the terminal does not turn it into a signal */
	K_TAB = '\t',
	K_REDRAW = 0x0c, /* Ctrl-L: the terminal handles it (term.h) */
	K_ENTER = '\r',
	K_ESCAPE = 0x1b,
	K_BACKSPACE = 0x7f,
	K_SPECIAL = 0x110000, /* past the end of Unicode */
	K_BACK_TAB,
	K_UP,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_HOME,
	K_END,
	K_F1, /* to K_F10 in their order */
	K_F2,
	K_F3,
	K_F4,
	K_F5,
	K_F6,
	K_F7,
	K_F8,
	K_F9,
	K_F10,
	K_WHEEL_UP,
	K_WHEEL_DOWN,
};

/* Edit a line of text: append the character of a key, or let Backspace remove the last one,
 * Ctrl-W the last word and Ctrl-U all. Other keys, and characters that do not fit into `size`
 * bytes, change nothing. */
void term_key_type(char *text, size_t size, uint32_t key);

#endif
