#include "term/term_key.h"

#include "base/str.h"

#include <string.h>

#define CTRL_U 0x15
#define CTRL_W 0x17

void term_key_type(char *text, size_t size, uint32_t key)
{
	size_t n = strlen(text), length;
	char utf8[4];

	if (key == CTRL_U)
		text[0] = 0;
	else if (key == CTRL_W) {
		while (n && text[n - 1] == ' ')
			n--;
		while (n && text[n - 1] != ' ')
			n--;
		text[n] = 0;
	}
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
