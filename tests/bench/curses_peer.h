/* curses_peer: the frames of a screen, drawn once more by ncurses, to compare what both write. */
#ifndef MALITOP_CURSES_PEER_H
#define MALITOP_CURSES_PEER_H

#include <vterm.h>

struct curses_peer;

/* A terminal of this size that ncurses writes to. NULL: it has none. */
struct curses_peer *curses_peer_new(int rows, int cols);
void curses_peer_free(struct curses_peer *peer);

/* Draw what the screen shows now. Adds to the bytes and the writes that this takes. */
void curses_peer_draw(struct curses_peer *peer, const VTermScreen *screen, unsigned long long *bytes,
		      unsigned long long *writes);

#endif
