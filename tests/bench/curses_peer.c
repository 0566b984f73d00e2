#include "tests/bench/curses_peer.h"

#include "base/alloc.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>

#define ROOM (1 << 20) /* for the writes of a frame */

/* Its terminal is a socket that keeps writes apart. */
struct curses_peer {
	SCREEN *screen;
	FILE *out;
	int rows, cols, output;
};

struct curses_peer *curses_peer_new(int rows, int cols)
{
	struct curses_peer *peer = xcalloc(1, sizeof(*peer));
	int ends[2], room = ROOM;
	AUTOFREE char *lines = xasprintf("%d", rows), *columns = xasprintf("%d", cols);

	setlocale(LC_ALL, "C.UTF-8");
	setenv("LINES", lines, 1); /* the size of a terminal that has no kernel to ask */
	setenv("COLUMNS", columns, 1);
	peer->rows = rows;
	peer->cols = cols;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		free(peer);
		return NULL;
	}
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	peer->output = ends[1];
	peer->out = fdopen(ends[0], "we");
	peer->screen = peer->out ? newterm("xterm-256color", peer->out, stdin) : NULL;
	unsetenv("LINES");
	unsetenv("COLUMNS");
	if (!peer->screen) {
		curses_peer_free(peer);
		return NULL;
	}
	start_color();
	use_default_colors();
	return peer;
}

void curses_peer_free(struct curses_peer *peer)
{
	if (!peer)
		return;
	if (peer->screen)
		delscreen(peer->screen);
	if (peer->out)
		fclose(peer->out);
	close(peer->output);
	free(peer);
}

static int color_of(const VTermColor *color, bool is_default)
{
	return is_default || !VTERM_COLOR_IS_INDEXED(color) ? -1 : color->indexed.idx;
}

static void draw_cell(int y, int x, const VTermScreenCell *cell)
{
	int pair = alloc_pair(color_of(&cell->fg, VTERM_COLOR_IS_DEFAULT_FG(&cell->fg)),
			      color_of(&cell->bg, VTERM_COLOR_IS_DEFAULT_BG(&cell->bg)));
	attr_t attributes = (cell->attrs.bold ? A_BOLD : 0) | (cell->attrs.underline ? A_UNDERLINE : 0) |
			    (cell->attrs.reverse ? A_REVERSE : 0);
	wchar_t text[] = {cell->chars[0] ? (wchar_t)cell->chars[0] : L' ', 0};
	cchar_t c;

	setcchar(&c, text, attributes, 0, &pair);
	mvadd_wch(y, x, &c);
}

void curses_peer_draw(struct curses_peer *peer, const VTermScreen *screen, unsigned long long *bytes,
		      unsigned long long *writes)
{
	static char sink[1 << 16];

	set_term(peer->screen);
	for (int y = 0; y < peer->rows; y++)
		for (int x = 0; x < peer->cols; x++) {
			VTermScreenCell cell;

			vterm_screen_get_cell(screen, (VTermPos){y, x}, &cell);
			draw_cell(y, x, &cell);
		}
	refresh();
	for (ssize_t n; (n = recv(peer->output, sink, sizeof(sink), MSG_DONTWAIT)) > 0;) {
		*bytes += (unsigned long long)n;
		++*writes;
	}
}
