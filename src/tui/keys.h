/* keys: which key does what where, and the words that footer and help show for it. One table; only what exists stands in it. */
#ifndef MALITOP_KEYS_H
#define MALITOP_KEYS_H

#include "views/view.h"

#include <stdint.h>

/* Keys that are no character. Characters are themselves (Unicode). */
enum key {
	K_TAB = '\t',
	K_ENTER = '\r',
	K_ESCAPE = 0x1b,
	K_BACKSPACE = 0x7f,
	K_SPECIAL = 0x110000, /* beyond Unicode */
	K_BACK_TAB,
	K_UP,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_HOME,
	K_END,
	K_F1,
	K_WHEEL_UP,
	K_WHEEL_DOWN,
};

enum action {
	ACTION_NONE,
	ACTION_VIEW, /* keys_view tells which */
	ACTION_NEXT_VIEW,
	ACTION_PREVIOUS_VIEW,
	ACTION_LINE_UP,
	ACTION_LINE_DOWN,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_TOP,
	ACTION_BOTTOM,
	ACTION_PAUSE,
	ACTION_OLDER, /* one step back in history, while paused */
	ACTION_NEWER,
	ACTION_FASTER, /* a shorter interval */
	ACTION_SLOWER,
	ACTION_SPEED_DOWN, /* of replay */
	ACTION_SPEED_UP,
	ACTION_MARK_BEFORE, /* to a mark or a loss */
	ACTION_MARK_AFTER,
	ACTION_GO_TO,
	ACTION_PER_CORE,
	ACTION_COUNTERS,
	ACTION_LOG,
	ACTION_MARK,
	ACTION_GPU, /* the next of several */
	ACTION_HELP,
	ACTION_BACK, /* leaves help */
	ACTION_QUIT,
};

/* What a key does where there is what `has` says (enum key_need); ACTION_NONE for one without a meaning. */
enum action keys_action(uint32_t key, unsigned has);
/* The view's own digit of an ACTION_VIEW key, as `struct view` has it. */
char keys_view(uint32_t key);

/* A line that is typed: what a key adds to the text, or takes off its end. */
void keys_type(char *text, size_t size, uint32_t key);

/* The words, in the order they are shown; an entry may cover several keys. Ends with a NULL `keys`. */
struct key_help {
	const char *keys;  /* "space", "< >" */
	const char *brief; /* for the footer: "pause"; NULL: only in help */
	const char *text;  /* for help: a sentence */
	unsigned needs;    /* enum key_need */
};
extern const struct key_help key_helps[];

#endif
