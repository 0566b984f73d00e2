/* A canvas as a picture (SVG 1.1). Blocks, dots and lines are drawn as shapes, because fonts differ
 * in how they join them; all other characters are text. */
#include "term/term_priv.h"

#include "base/alloc.h"

#include <string.h>

/* A cell, in units of the picture. Of most monospaced fonts a character is 0.6 as wide as high. */
#define CELL_W 10
#define CELL_H 20
#define FONT_SIZE "16.6"
#define BASELINE 15
#define BRAILLE 0x2800 /* without dots */

/* ---- colours ---- */

struct ink {
	uint32_t fg;
	int64_t bg; /* -1: the ground */
	unsigned attrs;
};

static uint32_t palette_rgb(int index)
{
	static const uint32_t basic[] = {0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc,
					 0x11a8cd, 0xe5e5e5, 0x767676, 0xf14c4c, 0x23d18b, 0xf5f543,
					 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff};
	static const uint8_t levels[] = {0, 95, 135, 175, 215, 255};
	unsigned cube = (unsigned)index - 16;

	if (index < 16)
		return basic[index];
	if (index >= 232)
		return (8 + 10 * ((unsigned)index - 232)) * 0x010101;
	return (uint32_t)levels[cube / 36] << 16 | (uint32_t)levels[cube / 6 % 6] << 8 | levels[cube % 6];
}

static struct ink style_ink(const struct term_options *options, bool white, unsigned style)
{
	enum depth depth = options->color == COLOR_NEVER ? DEPTH_MONO : DEPTH_256;
	struct look look = theme_look(options->theme, depth, style);
	struct ink ink = {.attrs = look.attrs};
	uint32_t ground = white ? 0xffffff : 0x14171c;

	ink.fg = look.fg >= 0 ? palette_rgb(look.fg) : white ? 0x1c1c1cu : 0xd6d6d6u;
	ink.bg = look.bg >= 0 ? (int64_t)palette_rgb(look.bg) : -1;
	if (look.attrs & LOOK_REVERSE) {
		uint32_t fg = ink.fg;

		ink.fg = ink.bg < 0 ? ground : (uint32_t)ink.bg;
		ink.bg = fg;
	}
	return ink;
}

/* ---- shapes, in pixels of a cell ---- */

#define BOXES_MOST 8

/* Lines: which of left, right, up and down they go from the middle of the cell; dashes. */
enum { GO_LEFT = 1, GO_RIGHT = 2, GO_UP = 4, GO_DOWN = 8 };

static const struct {
	uint32_t ch;
	uint8_t goes, thick, dashes;
} lines[] = {
	{0x2500, GO_LEFT | GO_RIGHT, 1, 0},
	{0x2502, GO_UP | GO_DOWN, 1, 0},
	{0x2503, GO_UP | GO_DOWN, 3, 0},
	{0x2504, GO_LEFT | GO_RIGHT, 1, 3},
	{0x2508, GO_LEFT | GO_RIGHT, 1, 4},
	{0x2514, GO_UP | GO_RIGHT, 1, 0},
	{0x251c, GO_UP | GO_DOWN | GO_RIGHT, 1, 0},
	{0x2534, GO_LEFT | GO_RIGHT | GO_UP, 1, 0},
	{0x254c, GO_LEFT | GO_RIGHT, 1, 2},
	{0x256d, GO_DOWN | GO_RIGHT, 1, 0},
	{0x256e, GO_DOWN | GO_LEFT, 1, 0},
	{0x256f, GO_UP | GO_LEFT, 1, 0},
	{0x2570, GO_UP | GO_RIGHT, 1, 0},
	{0x2577, GO_DOWN, 1, 0},
};

static unsigned line_boxes(uint32_t ch, struct rect boxes[BOXES_MOST])
{
	const int mid_x = CELL_W / 2, mid_y = CELL_H / 2;
	unsigned n = 0, i = 0;

	while (i < ARRAY_LEN(lines) && lines[i].ch != ch)
		i++;
	if (i == ARRAY_LEN(lines))
		return 0;
	for (int dash = 0; dash < lines[i].dashes; dash++)
		boxes[n++] = (struct rect){1 + dash * CELL_W / lines[i].dashes, mid_y,
					   CELL_W / lines[i].dashes / 2 + 1, 1};
	if (n)
		return n;
	if (lines[i].goes & (GO_LEFT | GO_RIGHT)) {
		int from = lines[i].goes & GO_LEFT ? 0 : mid_x,
		    to = lines[i].goes & GO_RIGHT ? CELL_W : mid_x + 1;

		boxes[n++] = (struct rect){from, mid_y, to - from, 1};
	}
	if (lines[i].goes & (GO_UP | GO_DOWN)) {
		int from = lines[i].goes & GO_UP ? 0 : mid_y,
		    to = lines[i].goes & GO_DOWN ? CELL_H : mid_y + 1;

		boxes[n++] = (struct rect){mid_x - lines[i].thick / 2, from, lines[i].thick, to - from};
	}
	return n;
}

/* Dots from the top, the left column first; their bits are in an order of their own. */
static unsigned braille_boxes(unsigned dots, struct rect boxes[BOXES_MOST])
{
	static const uint8_t bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
	unsigned n = 0;

	for (int x = 0; x < 2; x++)
		for (int y = 0; y < 4; y++)
			if (dots & bits[x][y])
				boxes[n++] = (struct rect){x * CELL_W / 2 + 1, y * CELL_H / 4 + 1,
							   CELL_W / 2 - 1, CELL_H / 4 - 1};
	return n;
}

/* The boxes that a character consists of; 0: it is text. */
static unsigned char_boxes(uint32_t ch, struct rect boxes[BOXES_MOST])
{
	int high = 0;

	if (ch >= BRAILLE && ch <= BRAILLE + 0xff)
		return braille_boxes(ch - BRAILLE, boxes);
	if (ch >= 0x2581 && ch <= 0x2588)
		high = (int)(ch - 0x2580) * CELL_H / 8;
	else if (ch >= 0x2591 && ch <= 0x2593)
		high = CELL_H;
	boxes[0] = (struct rect){0, CELL_H - high, CELL_W, high};
	if (ch == 0x2580)
		boxes[0] = (struct rect){0, 0, CELL_W, CELL_H / 2};
	else if (ch == 0x2596)
		boxes[0] = (struct rect){0, CELL_H / 2, CELL_W / 2, CELL_H / 2};
	else if (!high)
		return line_boxes(ch, boxes);
	return 1;
}

/* How much of a cell a shade covers, in percent. */
static int shade_of(uint32_t ch)
{
	return ch >= 0x2591 && ch <= 0x2593 ? (int)(ch - 0x2590) * 25 : 100;
}

/* ---- the picture ---- */

/* Cells from x on that are alike: of one style; of one character as well if it is not 0. */
static int run_length(const struct canvas *c, int x, int y, uint32_t ch)
{
	const struct cell *row = &c->cells[y * c->cols];
	int end = x + 1;

	while (end < c->cols && row[end].style == row[x].style && (!ch || row[end].ch == ch))
		end++;
	return end - x;
}

static void put_box(struct strbuf *out, int x, int y, int w, int h)
{
	strbuf_printf(out, "M%d %dh%dv%dh%dz", x, y, w, h, -w);
}

/* The ground of all cells of a style. */
static void add_ground(const struct canvas *c, unsigned style, const struct ink *ink, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf path = {0};

	for (int y = 0; y < c->rows && ink->bg >= 0; y++)
		for (int x = 0, n; x < c->cols; x += n) {
			n = run_length(c, x, y, 0);
			if (c->cells[y * c->cols + x].style == style)
				put_box(&path, x * CELL_W, y * CELL_H, n * CELL_W, CELL_H);
		}
	if (path.n)
		strbuf_printf(out, "<path fill=\"#%06x\" d=\"%s\"/>\n", (unsigned)ink->bg, path.p);
}

/* Boxes as wide as their cells join into one. */
static void put_shapes(struct strbuf *path, uint32_t ch, int x, int y, int n)
{
	struct rect boxes[BOXES_MOST];
	unsigned n_boxes = char_boxes(ch, boxes);

	for (unsigned i = 0; i < n_boxes; i++) {
		const struct rect *b = &boxes[i];
		bool joins = b->w == CELL_W;

		for (int at = 0; at < (joins ? 1 : n); at++)
			put_box(path, (x + at) * CELL_W + b->x, y * CELL_H + b->y, joins ? n * CELL_W : b->w,
				b->h);
	}
}

static void add_shapes(const struct canvas *c, unsigned style, int shade, const struct ink *ink,
		       struct strbuf *out)
{
	AUTO_STRBUF struct strbuf path = {0};

	for (int y = 0; y < c->rows; y++)
		for (int x = 0, n; x < c->cols; x += n) {
			const struct cell *cell = &c->cells[y * c->cols + x];

			n = run_length(c, x, y, cell->ch);
			if (cell->style == style && cell->ch > 0x7f && shade_of(cell->ch) == shade)
				put_shapes(&path, cell->ch, x, y, n);
		}
	if (path.n)
		strbuf_printf(out, "<path fill=\"#%06x\" fill-opacity=\"%.2f\" d=\"%s\"/>\n", ink->fg,
			      (ink->attrs & LOOK_DIM ? 0.6 : 1) * shade / 100, path.p);
}

/* What XML has a meaning for is escaped; what it does not permit is replaced. */
static void put_char(struct strbuf *out, uint32_t ch)
{
	bool valid = (ch >= 0x20 && ch < 0xd800) || (ch >= 0xe000 && ch < 0xfffe) ||
		     (ch >= 0x10000 && ch <= 0x10ffff);
	char utf8[4];

	if (ch == '&' || ch == '<' || ch == '>')
		strbuf_str(out, ch == '&' ? "&amp;" : ch == '<' ? "&lt;" : "&gt;");
	else
		strbuf_add(out, utf8, utf8_put(utf8, valid ? ch : 0xfffd));
}

static bool is_text(const struct cell *cell, unsigned style)
{
	struct rect boxes[BOXES_MOST];

	return cell->style == style && cell->ch > ' ' && cell->ch != BRAILLE && !char_boxes(cell->ch, boxes);
}

/* Words of a style with one blank between them: further ones would be lost. A wide character ends
 * them, since its width is the font's choice. Returns the columns. */
static int text_length(const struct canvas *c, int x, int y, unsigned style)
{
	const struct cell *row = &c->cells[y * c->cols];
	int end = x;

	while (end < c->cols) {
		int next = end + (end > x && row[end].ch == ' ' && row[end].style == style);

		if (next >= c->cols || !is_text(&row[next], style))
			break;
		end = next + 1;
		if (end < c->cols && !row[end].ch)
			return end + 1 - x;
	}
	return end - x;
}

static void add_texts(const struct canvas *c, unsigned style, const struct ink *ink, struct strbuf *out)
{
	size_t begin = out->n;

	for (int y = 0; y < c->rows; y++)
		for (int x = 0, n; x < c->cols; x += n ? n : 1) {
			n = text_length(c, x, y, style);
			if (!n)
				continue;
			if (out->n == begin)
				strbuf_printf(out, "<g fill=\"#%06x\"%s%s%s>\n", ink->fg,
					      ink->attrs & LOOK_BOLD ? " font-weight=\"bold\"" : "",
					      ink->attrs & LOOK_DIM ? " fill-opacity=\"0.6\"" : "",
					      ink->attrs & LOOK_UNDERLINE ? " text-decoration=\"underline\""
									  : "");
			strbuf_printf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\">", x * CELL_W,
				      y * CELL_H + BASELINE, n * CELL_W);
			for (int i = 0; i < n; i++)
				if (c->cells[y * c->cols + x + i].ch)
					put_char(out, c->cells[y * c->cols + x + i].ch);
			strbuf_str(out, "</text>\n");
		}
	if (out->n > begin)
		strbuf_str(out, "</g>\n");
}

void term_svg(const struct canvas *canvas, const struct term_options *options, struct strbuf *out)
{
	const char *theme = theme_on_ground(options->theme);
	const struct term_options shown = {.color = options->color, .theme = theme, .ascii = options->ascii};
	bool white = theme && strcmp(theme, "light") == 0;
	int w = canvas->cols * CELL_W, h = canvas->rows * CELL_H;

	strbuf_printf(
		out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"\n"
		" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"" FONT_SIZE "\">\n"
		"<title>malitop</title>\n<rect width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
		w, h, w, h, w, h, white ? "#ffffff" : "#14171c");
	for (unsigned style = 0; style < STYLE_LOOKS; style++) {
		struct ink ink = style_ink(&shown, white, style);

		add_ground(canvas, style, &ink, out);
	}
	for (unsigned style = 0; style < STYLE_LOOKS; style++) {
		struct ink ink = style_ink(&shown, white, style);

		for (int shade = 25; shade <= 100; shade += 25)
			add_shapes(canvas, style, shade, &ink, out);
		add_texts(canvas, style, &ink, out);
	}
	strbuf_str(out, "</svg>\n");
}
