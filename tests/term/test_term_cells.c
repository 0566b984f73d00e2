/* term_cells: its output makes any terminal show the canvas, in few bytes. libvterm is the
 * terminal. */
#include "term/term_priv.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vterm.h>
#include <wchar.h>

/* ---- a terminal ---- */

enum wrapping { WRAPS_LATE, WRAPS_AT_ONCE, WRAPS_NEVER }; /* after the last column: xenl, am alone, neither */

struct terminal {
	VTerm *vterm;
	VTermScreen *screen;
	int cols, rows;
	enum wrapping wrapping;
	struct term_strings strings;
	struct cells cells;
	struct look looks[STYLE_COUNT];
	bool ascii, looks_are_told;
	struct canvas canvas;
	struct strbuf out;
};

static void feed_bytes(struct terminal *t, const char *p, size_t n)
{
	vterm_input_write(t->vterm, p, n);
}

static int cursor_column(const struct terminal *t)
{
	VTermPos pos;

	vterm_state_get_cursorpos(vterm_obtain_state(t->vterm), &pos);
	return pos.col;
}

/* libvterm wraps when the next character is written. For a terminal that wraps at once, write the
 * new line here. */
static void feed_wrapping(struct terminal *t, const char *p, const char *end)
{
	while (p < end) {
		const char *from = p;
		int column = cursor_column(t), width = 0;

		if (*p == '\x1b') {
			p += p[1] == '[' ? 2 : 1;
			while (p < end && (unsigned char)*p < 0x40)
				p++;
			p++;
		} else {
			width = wcwidth((wchar_t)utf8_next(&p, end));
		}
		feed_bytes(t, from, (size_t)(p - from));
		if (width > 0 && column + width >= t->cols)
			feed_bytes(t, "\r\n", 2);
	}
}

static bool show_frame(struct terminal *t)
{
	bool any;

	strbuf_clear(&t->out);
	any = cells_draw(&t->cells, &t->canvas, &t->out);
	assert_int_equal(any, t->out.n > 0);
	if (t->wrapping == WRAPS_AT_ONCE && any)
		feed_wrapping(t, t->out.p, t->out.p + t->out.n);
	else if (any)
		feed_bytes(t, t->out.p, t->out.n);
	return any;
}

static void set_size(struct terminal *t, int cols, int rows)
{
	t->cols = cols;
	t->rows = rows;
	vterm_set_size(t->vterm, rows, cols);
	cells_resize(&t->cells, cols, rows);
	canvas_resize(&t->canvas, cols, rows);
}

static void start_terminal(struct terminal *t, const char *name, bool ascii)
{
	struct err err;
	enum depth depth;

	*t = (struct terminal){.ascii = ascii, .looks_are_told = true};
	setenv("TERM", name, 1);
	if (!caps_open(STDOUT_FILENO, &err))
		fail_msg("%s", err.text);
	caps_strings(&t->strings);
	depth = caps_depth(COLOR_ALWAYS);
	for (int i = 0; i < STYLE_COUNT; i++)
		t->looks[i] = theme_look(NULL, depth, (enum style)i);
	t->wrapping = !t->strings.am ? WRAPS_NEVER : t->strings.xenl ? WRAPS_LATE : WRAPS_AT_ONCE;
}

static void start_screen(struct terminal *t, int cols, int rows)
{
	t->vterm = vterm_new(rows, cols);
	vterm_set_utf8(t->vterm, 1);
	t->screen = vterm_obtain_screen(t->vterm);
	vterm_screen_reset(t->screen, 1);
	if (t->wrapping == WRAPS_NEVER)
		feed_bytes(t, "\x1b[?7l", 5);
	cells_init(&t->cells, &t->strings, t->looks, STYLE_COUNT, t->ascii);
	canvas_init(&t->canvas, cols, rows, t->ascii);
	set_size(t, cols, rows);
}

static void stop_terminal(struct terminal *t)
{
	vterm_free(t->vterm);
	cells_fini(&t->cells);
	canvas_fini(&t->canvas);
	strbuf_fini(&t->out);
	caps_close();
}

/* ---- what shall be shown ---- */

static bool has_color(const VTermColor *color, int wanted, bool is_default)
{
	return wanted < 0 ? is_default : VTERM_COLOR_IS_INDEXED(color) && color->indexed.idx == wanted;
}

static bool has_attribute(const struct terminal *t, const struct look *look, unsigned attr,
			  enum term_string cap)
{
	return (look->attrs & attr) && t->strings.cap[cap];
}

static bool same_looks(const struct terminal *t, const VTermScreenCell *seen, struct look look)
{
	bool blank = seen->chars[0] == 0 || seen->chars[0] == ' ';

	if (!t->strings.cap[CAP_SETAF])
		look.fg = -1;
	if (!t->strings.cap[CAP_SETAB])
		look.bg = -1;
	return has_color(&seen->bg, look.bg, VTERM_COLOR_IS_DEFAULT_BG(&seen->bg)) &&
	       seen->attrs.reverse == has_attribute(t, &look, LOOK_REVERSE, CAP_REV) &&
	       (seen->attrs.underline != 0) == has_attribute(t, &look, LOOK_UNDERLINE, CAP_SMUL) &&
	       (blank || (seen->attrs.bold == has_attribute(t, &look, LOOK_BOLD, CAP_BOLD) &&
			  has_color(&seen->fg, look.fg, VTERM_COLOR_IS_DEFAULT_FG(&seen->fg))));
}

/* Without insertion, the cell that would scroll the screen stays blank. */
static bool cannot_be_written(const struct terminal *t, int y, int x)
{
	const struct cell *last = &t->canvas.cells[t->rows * t->cols - 1];
	bool wide = !last->ch || (t->cols > 1 && !last[-1].ch);

	return t->wrapping == WRAPS_AT_ONCE && y == t->rows - 1 && x >= t->cols - (last->ch ? 1 : 2) &&
	       (!t->strings.cap[CAP_ICH] || !t->strings.cap[CAP_EL] || t->cols == 1 || wide);
}

static void assert_shows_canvas(const struct terminal *t, const char *what, unsigned seed, int frame)
{
	for (int y = 0; y < t->rows; y++)
		for (int x = 0; x < t->cols; x++) {
			const struct cell *cell = &t->canvas.cells[y * t->cols + x];
			uint32_t wanted = cell->ch ? cell->ch : (uint32_t)-1;
			VTermScreenCell seen;

			vterm_screen_get_cell(t->screen, (VTermPos){y, x}, &seen);
			if (cannot_be_written(t, y, x))
				continue;
			if ((seen.chars[0] ? seen.chars[0] : ' ') != wanted ||
			    (cell->ch && t->looks_are_told && !same_looks(t, &seen, t->looks[cell->style])))
				fail_msg("%s, seed %u, frame %d: %dx%d: row %d column %d: U+%04X in style %u "
					 "is U+%04X",
					 what, seed, frame, t->cols, t->rows, y, x, cell->ch, cell->style,
					 seen.chars[0]);
		}
}

/* ---- random canvases ---- */

static uint32_t chance_state;

static int below(int n)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 17;
	chance_state ^= chance_state << 5;
	return (int)(chance_state % (uint32_t)n);
}

static void draw_text(struct canvas *c)
{
	static const char *const texts[] = {
		"0.5",           "12.34 %",       "Overview", "   ",          "▁▂▃▄▅▆▇█",
		"████████████",  "⣿⣿⣀⣀⣀⣀⣀⣀⣿",     "日本",     "ネットワーク", "한국어 text",
		"e\u0301\u0302", "─────────────", "x",        "………"};
	struct rect r = {below(c->cols), below(c->rows), 1 + below(c->cols), 1};

	canvas_text(c, r, (enum style)below(STYLE_COUNT), texts[below(ARRAY_LEN(texts))]);
}

static void draw_box(struct canvas *c)
{
	static const uint32_t fills[] = {' ', ' ', ' ', '#', 0x2588, 0x28ff};
	struct rect r = {below(c->cols), below(c->rows), 1 + below(c->cols), 1 + below(c->rows)};

	canvas_fill(c, r, (enum style)below(STYLE_COUNT), fills[below(ARRAY_LEN(fills))]);
}

static void draw_digits(struct canvas *c)
{
	for (int i = below(20); i >= 0; i--)
		canvas_printf(c, (struct rect){below(c->cols), below(c->rows), c->cols, 1}, STYLE_TEXT, "%d",
			      below(100));
}

static void move_rows(struct canvas *c)
{
	int from = below(c->rows), to = below(c->rows), n = 1 + below(c->rows - (from > to ? from : to));

	memmove(&c->cells[to * c->cols], &c->cells[from * c->cols],
		(size_t)(n * c->cols) * sizeof(*c->cells));
}

/* As histories move on. */
static void pull_cells(struct canvas *c)
{
	int x = below(c->cols), y = below(c->rows), w = below(c->cols - x), h = 1 + below(c->rows - y);

	for (int row = y; row < y + h; row++) {
		struct cell *cells = &c->cells[row * c->cols + x];
		bool wide = false;

		for (int i = 0; i <= w + 1 && x + i < c->cols; i++)
			wide |= !cells[i].ch;
		if (!wide)
			memmove(cells, cells + 1, (size_t)w * sizeof(*cells));
	}
}

static void draw_noise(struct canvas *c)
{
	for (int i = 0; i < c->cols * c->rows; i++)
		c->cells[i] = (struct cell){(uint32_t)(33 + below(90)), (uint8_t)below(STYLE_COUNT)};
}

static void change_canvas(struct canvas *c)
{
	static void (*const changes[])(struct canvas *) = {draw_text,    draw_text, draw_text,  draw_digits,
							   draw_digits,  move_rows, pull_cells, draw_box,
							   canvas_clear, draw_noise};

	for (int i = below(6); i >= 0; i--)
		changes[below(below(4) ? 7 : ARRAY_LEN(changes))](c);
}

/* Another program writes over the screen, and the user presses Ctrl-L. */
static void disturb_screen(struct terminal *t)
{
	static const char rubbish[] =
		"\x1b[3;2H\x1b[45;7mBroadcast message\r\n\x1b[1L\x1b[5@\x1b[1;4mmore of it\x0e";

	feed_bytes(t, rubbish, sizeof(rubbish) - 1);
	cells_forget(&t->cells);
}

static void run_frames(struct terminal *t, const char *what, unsigned seed, int frames)
{
	for (int frame = 0; frame < frames; frame++) {
		if (below(20) == 0)
			set_size(t, 1 + below(below(3) ? 70 : 4), 1 + below(20));
		if (below(20) == 0)
			disturb_screen(t);
		change_canvas(&t->canvas);
		show_frame(t);
		assert_shows_canvas(t, what, seed, frame);
		if (show_frame(t))
			fail_msg("%s, seed %u: the same frame is written twice", what, seed);
	}
}

/* ---- tests ---- */

TEST(every_terminal_shows_every_canvas)
{
	static const struct {
		const char *name;
		bool ascii;
	} terminals[] = {
		{"xterm-256color", false}, {"xterm", false}, {"screen-256color", false},
		{"tmux-256color", false},  {"linux", true},  {"vt100", true},
		{"vt220", true},           {"ansi", true},
	};

	for (unsigned i = 0; i < ARRAY_LEN(terminals); i++)
		for (unsigned seed = 1; seed <= 12; seed++) {
			struct terminal t;

			chance_state = seed * 2654435761u;
			start_terminal(&t, terminals[i].name, terminals[i].ascii);
			start_screen(&t, 1 + below(70), 1 + below(20));
			run_frames(&t, terminals[i].name, seed, 50);
			stop_terminal(&t);
		}
}

/* A terminal may lack anything but clearing and cursor addressing; xterm has everything. */
TEST(terminals_that_lack_capabilities_show_every_canvas)
{
	for (unsigned seed = 1; seed <= 150; seed++) {
		struct terminal t;

		chance_state = seed * 2654435761u;
		start_terminal(&t, below(2) ? "xterm" : "xterm-256color", false);
		for (int cap = CAP_HOME; cap < CAP_COUNT; cap++)
			if (cap != CAP_SGR0 && below(2))
				t.strings.cap[cap] = NULL;
		t.wrapping = (enum wrapping)below(3);
		t.strings.am = t.wrapping != WRAPS_NEVER;
		t.strings.xenl = t.wrapping == WRAPS_LATE;
		t.strings.msgr = below(2);
		start_screen(&t, 1 + below(70), 1 + below(20));
		run_frames(&t, "a poor xterm", seed, 30);
		stop_terminal(&t);
	}
}

TEST(a_terminal_without_a_reset_gets_no_attributes)
{
	struct terminal t;

	start_terminal(&t, "xterm-256color", false);
	t.strings.cap[CAP_SGR0] = t.strings.cap[CAP_OP] = NULL;
	t.looks_are_told = false;
	start_screen(&t, 60, 20);
	draw_noise(&t.canvas);
	show_frame(&t);
	assert_null(memmem(t.out.p, t.out.n, "\x1b[1", 3));
	assert_null(memmem(t.out.p, t.out.n, "\x1b[38", 4));
	run_frames(&t, "no sgr0", 1, 50);
	stop_terminal(&t);
}

/* The canvas of a case: dots, with text over them in `row` from `column` on. */
TEST(each_change_takes_its_cheapest_way)
{
	static const struct {
		const char *term;
		int row, column;
		enum style style;
		const char *text;
		const char *bytes;
	} cases[] = {
		/* a cell */
		{"xterm-256color", 2, 4, STYLE_TEXT, "x", "\x1b[3;5Hx"},
		{"xterm-256color", 0, 0, STYLE_TEXT, "x", "\x1b[Hx"},
		/* unchanged cells are passed by writing them again, or by a cursor movement */
		{"xterm-256color", 2, 4, STYLE_TEXT, "x..x", "\x1b[3;5Hx..x"},
		{"xterm-256color", 2, 4, STYLE_TEXT, "x......x", "\x1b[3;5Hx\x1b[6Cx"},
		{"vt100", 2, 4, STYLE_TEXT, "x......x", "\x1b[3;5Hx\x1b[6Cx"},
		/* the end of a row is erased; the middle is erased, or a blank is repeated */
		{"xterm-256color", 2, 30, STYLE_TEXT, "          ", "\x1b[3;31H\x1b[K"},
		{"vt100", 2, 30, STYLE_TEXT, "          ", "\x1b[3;31H\x1b[K"}, /* without its padding */
		{"xterm-256color", 2, 4, STYLE_TEXT, "          ", "\x1b[3;5H \x1b[9b"},
		{"vt220", 2, 4, STYLE_TEXT, "          ", "\x1b[3;5H\x1b[10X"},
		{"vt100", 2, 4, STYLE_TEXT, "          ", "\x1b[3;5H          "},
		/* a bar: only ASCII is repeated */
		{"xterm-256color", 2, 4, STYLE_TEXT, "##########", "\x1b[3;5H#\x1b[9b"},
		{"xterm-256color", 2, 4, STYLE_TEXT, "██████████", "\x1b[3;5H██████████"},
		{"screen-256color", 2, 4, STYLE_TEXT, "██", "\x1b[3;5H██"},
		/* attributes: all in one sequence, reset at the end */
		{"xterm-256color", 2, 4, STYLE_TITLE, "x", "\x1b[3;5H\x1b[1;38;5;33mx\x1b[m"},
		{"xterm", 2, 4, STYLE_ALERT, "x x", "\x1b[3;5H\x1b[1;37;41mx x\x1b[m"},
		{"vt100", 2, 4, STYLE_ALERT, "x", "\x1b[3;5H\x1b[1;7mx\x1b[m"},
		/* a wide character: terminals differ in where the cursor is after it */
		{"xterm-256color", 2, 4, STYLE_TEXT, "日x", "\x1b[3;5H日\x1b[7Gx"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct terminal t;

		start_terminal(&t, cases[i].term, false);
		start_screen(&t, 40, 5);
		canvas_fill(&t.canvas, canvas_rect(&t.canvas), STYLE_TEXT, '.');
		show_frame(&t);
		canvas_text(&t.canvas, (struct rect){cases[i].column, cases[i].row, 36, 1}, cases[i].style,
			    cases[i].text);
		show_frame(&t);
		if (strcmp(t.out.p, cases[i].bytes) != 0)
			fail_msg("case %u: %s: \\e%s", i, cases[i].term, t.out.p + 1);
		assert_shows_canvas(&t, cases[i].term, 0, (int)i);
		stop_terminal(&t);
	}
}

TEST(a_column_is_written_downwards)
{
	struct terminal t;

	start_terminal(&t, "xterm-256color", false);
	start_screen(&t, 40, 5);
	show_frame(&t);
	for (int y = 1; y < 5; y++)
		canvas_text(&t.canvas, (struct rect){30, y, 1, 1}, STYLE_CALM, "x");
	canvas_text(&t.canvas, (struct rect){2, 4, 1, 1}, STYLE_HOT, "y");
	show_frame(&t);
	assert_string_equal(t.out.p, "\x1b[2;31H\x1b[38;5;73mx\b\nx\b\nx\b\nx\x1b[3G\x1b[38;5;203my\x1b[m");
	stop_terminal(&t);
}
