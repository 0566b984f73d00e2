/* boards_keys: what keys do in Boards, for its loop and its footer. Thread: ui. */
#ifndef MALITOP_BOARDS_KEYS_H
#define MALITOP_BOARDS_KEYS_H

#include "tui/boards.h"
#include "views/frame.h"

enum boards_deed {
	BOARDS_NOTHING,
	BOARDS_MOVE, /* by the number of the key */
	BOARDS_PAGE,
	BOARDS_EDGE,
	BOARDS_OPEN,
	BOARDS_SORT,
	BOARDS_FILTER,
	BOARDS_RETRY,
	BOARDS_LOG,
	BOARDS_MARK,
	BOARDS_HELP,
	BOARDS_QUIT,
};

enum boards_deed boards_key(uint32_t key, int *number);
/* Fill the footer. */
void boards_keys_foot(struct foot_keys *foot);
/* All of them, as one line. */
void boards_keys_help(struct strbuf *out);

#endif
