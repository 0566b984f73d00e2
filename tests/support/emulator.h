/* emulator: what a user sees of a pty: libvterm fed with its output. */
#ifndef MALITOP_TEST_EMULATOR_H
#define MALITOP_TEST_EMULATOR_H

#include "tests/support/pty.h"

#include <vterm.h>

struct emulator {
	VTerm *vterm;
	VTermScreen *screen;
	int cols, rows;
	bool alternate, cursor_visible;
	int mouse; /* VTERM_PROP_MOUSE_* */
	VTermPos cursor;
	char *row; /* what emulator_row gave */
};

#define EMULATOR_PROMPT "user@host $ malitop" /* stands on the main screen before the program starts */

void emulator_init(struct emulator *e, int cols, int rows);
void emulator_fini(struct emulator *e);
void emulator_attach(struct emulator *e, struct pty *pty);
void emulator_resize(struct emulator *e, struct pty *pty, int cols, int rows);

/* The text of a row, blanks at the end cut; valid until the next call. Negative: from the bottom,
 * -1 the last. */
const char *emulator_row(struct emulator *e, int row);
/* The first row from `from` on that has this text; -1 for none. */
int emulator_find(struct emulator *e, int from, const char *text);
VTermScreenCell emulator_cell(const struct emulator *e, int row, int col);
bool emulator_stands_out(const struct emulator *e, int row, int col); /* reversed or with a background */

/* Why the terminal is not as it was before the program; NULL when it is. */
const char *emulator_complaint(struct emulator *e);

#endif
