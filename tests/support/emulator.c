#include "tests/support/emulator.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static int on_property(VTermProp prop, VTermValue *val, void *user)
{
	struct emulator *e = user;

	if (prop == VTERM_PROP_ALTSCREEN)
		e->alternate = val->boolean;
	if (prop == VTERM_PROP_CURSORVISIBLE)
		e->cursor_visible = val->boolean;
	if (prop == VTERM_PROP_MOUSE)
		e->mouse = val->number;
	return 1;
}

static int on_cursor(VTermPos pos, VTermPos oldpos, int visible, void *user)
{
	struct emulator *e = user;

	(void)oldpos;
	(void)visible;
	e->cursor = pos;
	return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property, .movecursor = on_cursor};

static void feed_bytes(void *ctx, const char *p, size_t n)
{
	struct emulator *e = ctx;

	vterm_input_write(e->vterm, p, n);
}

void emulator_init(struct emulator *e, int cols, int rows)
{
	*e = (struct emulator){.cols = cols, .rows = rows, .cursor_visible = true};
	e->vterm = vterm_new(rows, cols);
	vterm_set_utf8(e->vterm, 1);
	e->screen = vterm_obtain_screen(e->vterm);
	vterm_screen_enable_altscreen(e->screen, 1);
	vterm_screen_set_callbacks(e->screen, &callbacks, e);
	vterm_screen_reset(e->screen, 1);
	feed_bytes(e, EMULATOR_PROMPT "\r\n", strlen(EMULATOR_PROMPT) + 2);
}

void emulator_fini(struct emulator *e)
{
	vterm_free(e->vterm);
	free(e->row);
}

void emulator_attach(struct emulator *e, struct pty *pty)
{
	pty->feed = feed_bytes;
	pty->feed_ctx = e;
}

void emulator_resize(struct emulator *e, struct pty *pty, int cols, int rows)
{
	e->cols = cols;
	e->rows = rows;
	vterm_set_size(e->vterm, rows, cols);
	pty_resize(pty, cols, rows);
}

VTermScreenCell emulator_cell(const struct emulator *e, int row, int col)
{
	VTermScreenCell cell = {0};

	vterm_screen_get_cell(e->screen, (VTermPos){.row = row, .col = col}, &cell);
	return cell;
}

bool emulator_stands_out(const struct emulator *e, int row, int col)
{
	VTermScreenCell cell = emulator_cell(e, row, col);

	return cell.attrs.reverse || !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg);
}

const char *emulator_row(struct emulator *e, int row)
{
	struct strbuf text = {0};

	if (row < 0)
		row += e->rows;
	for (int col = 0; col < e->cols; col++) {
		uint32_t ch = emulator_cell(e, row, col).chars[0];
		char utf8[4];

		if (ch != (uint32_t)-1) /* the right half of a wide one */
			strbuf_add(&text, utf8, utf8_put(utf8, ch ? ch : ' '));
	}
	while (text.n && text.p[text.n - 1] == ' ')
		text.p[--text.n] = '\0';
	free(e->row);
	e->row = text.p;
	return e->row ? e->row : "";
}

int emulator_find(struct emulator *e, int from, const char *text)
{
	for (int row = from; row < e->rows; row++)
		if (strstr(emulator_row(e, row), text))
			return row;
	return -1;
}

/* What the Up key sends shows the cursor key mode, which has no property. */
static bool sends_normal_keys(struct emulator *e)
{
	char sent[16] = "";
	size_t n;

	vterm_output_read(e->vterm, sent, sizeof(sent) - 1);
	vterm_keyboard_key(e->vterm, VTERM_KEY_UP, VTERM_MOD_NONE);
	n = vterm_output_read(e->vterm, sent, sizeof(sent) - 1);
	sent[n] = '\0';
	return strcmp(sent, "\x1b[A") == 0;
}

/* It has no property either. */
static bool brackets_pastes(struct emulator *e)
{
	char sent[16] = "";

	vterm_output_read(e->vterm, sent, sizeof(sent));
	vterm_keyboard_start_paste(e->vterm);
	return vterm_output_read(e->vterm, sent, sizeof(sent)) > 0;
}

const char *emulator_complaint(struct emulator *e)
{
	VTermPos cursor = e->cursor;
	VTermScreenCell cell;

	if (e->alternate)
		return "the alternate screen is still on";
	if (!e->cursor_visible)
		return "the cursor is hidden";
	if (e->mouse != VTERM_PROP_MOUSE_NONE)
		return "the mouse is still reported";
	if (brackets_pastes(e))
		return "pastes are still bracketed";
	if (!sends_normal_keys(e))
		return "the cursor keys are still in application mode";
	if (strcmp(emulator_row(e, 0), EMULATOR_PROMPT) != 0)
		return "the main screen has changed";
	if (cursor.row != 1 || cursor.col != 0)
		return "the cursor is elsewhere";
	feed_bytes(e, "x", 1);
	cell = emulator_cell(e, 1, 0);
	if (cell.chars[0] != 'x' || cell.attrs.bold || cell.attrs.reverse || cell.attrs.underline ||
	    !VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) || !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg))
		return "text is written in another style";
	return NULL;
}
