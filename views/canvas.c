#include "views/canvas.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int clamp_cell(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

void canvas_init(struct canvas *c, int cols, int rows, bool ascii)
{
	*c = (struct canvas){.ascii = ascii};
	canvas_resize(c, cols, rows);
}

void canvas_fini(struct canvas *c)
{
	free(c->cells);
	c->cells = NULL;
	c->cols = c->rows = 0;
}

void canvas_resize(struct canvas *c, int cols, int rows)
{
	c->cols = clamp_cell(cols, 1, CANVAS_COLS_MAX);
	c->rows = clamp_cell(rows, 1, CANVAS_ROWS_MAX);
	c->cells = xreallocarray(c->cells, (size_t)c->cols * (size_t)c->rows, sizeof(*c->cells));
	canvas_clear(c);
}

void canvas_clear(struct canvas *c)
{
	size_t cols = (size_t)c->cols;

	for (size_t x = 0; x < cols; x++)
		c->cells[x] = (struct cell){' ', STYLE_TEXT};
	for (int y = 1; y < c->rows; y++)
		memcpy(c->cells + (size_t)y * cols, c->cells, cols * sizeof(*c->cells));
}

struct rect canvas_rect(const struct canvas *c)
{
	return (struct rect){0, 0, c->cols, c->rows};
}

void canvas_dump(const struct canvas *c, struct strbuf *out)
{
	for (int y = 0; y < c->rows; y++) {
		const struct cell *row = &c->cells[y * c->cols];
		int n = c->cols;

		while (n && row[n - 1].ch == ' ')
			n--;
		for (int x = 0; x < n; x++)
			if (row[x].ch) {
				char utf8[4];

				strbuf_add(out, utf8, utf8_put(utf8, row[x].ch));
			}
		strbuf_str(out, "\n");
	}
}

struct rect rect_top(struct rect *r, int h)
{
	h = clamp_cell(h, 0, r->h > 0 ? r->h : 0);
	struct rect cut = {r->x, r->y, r->w, h};

	r->y += h;
	r->h -= h;
	return cut;
}

struct rect rect_bottom(struct rect *r, int h)
{
	h = clamp_cell(h, 0, r->h > 0 ? r->h : 0);
	r->h -= h;
	return (struct rect){r->x, r->y + r->h, r->w, h};
}

struct rect rect_left(struct rect *r, int w)
{
	w = clamp_cell(w, 0, r->w > 0 ? r->w : 0);
	struct rect cut = {r->x, r->y, w, r->h};

	r->x += w;
	r->w -= w;
	return cut;
}

struct rect rect_right(struct rect *r, int w)
{
	w = clamp_cell(w, 0, r->w > 0 ? r->w : 0);
	r->w -= w;
	return (struct rect){r->x + r->w, r->y, w, r->h};
}

struct canvas_range {
	uint32_t first, last;
};

static bool in_ranges(const struct canvas_range *ranges, size_t n, uint32_t ch)
{
	for (size_t i = 0; i < n; i++)
		if (ch >= ranges[i].first && ch <= ranges[i].last)
			return true;
	return false;
}

/* Our own tables, because wcwidth depends on the locale and a dump must not. From Unicode's East
 * Asian width (W, F). */
static const struct canvas_range wide[] = {
	{0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
	{0x2614, 0x2615},   {0x2648, 0x2653},   {0x26a1, 0x26a1},   {0x2705, 0x2705},   {0x2728, 0x2728},
	{0x274c, 0x274c},   {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},
	{0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xa960, 0xa97f},
	{0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
	{0xffe0, 0xffe6},   {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
	{0x1f18e, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393},
	{0x1f3a0, 0x1f3ca}, {0x1f3e0, 0x1f3f0}, {0x1f3f8, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc},
	{0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};
/* Combining and invisible characters. They are omitted, because a cell holds one character. */
static const struct canvas_range no_width[] = {
	{0x00ad, 0x00ad}, {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a},
	{0x064b, 0x065f}, {0x06d6, 0x06dc}, {0x0900, 0x0902}, {0x093c, 0x093c},   {0x0941, 0x0948},
	{0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1160, 0x11ff},   {0x1ab0, 0x1aff},
	{0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f},   {0x20d0, 0x20ff},
	{0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0000, 0xe0fff},
};

static int char_width(uint32_t ch)
{
	if (ch < 0x300)
		return ch == 0xad ? 0 : 1;
	if ((ch >= 0x2500 && ch < 0x25fd) || (ch >= 0x2800 && ch < 0x2900))
		return 1; /* lines, blocks and braille, the most frequent characters */
	if (in_ranges(no_width, ARRAY_LEN(no_width), ch))
		return 0;
	return in_ranges(wide, ARRAY_LEN(wide), ch) ? 2 : 1;
}

/* The ASCII form of each glyph that we draw. */
static uint32_t ascii_of(uint32_t ch)
{
	static const struct {
		uint32_t first, last;
		char ascii;
	} stand_ins[] = {
		{0x00b7, 0x00b7, '.'}, {0x00d7, 0x00d7, 'x'}, {0x2010, 0x2015, '-'}, {0x2018, 0x2019, '\''},
		{0x201c, 0x201d, '"'}, {0x2022, 0x2022, '*'}, {0x2026, 0x2026, '~'}, {0x2190, 0x2190, '<'},
		{0x2191, 0x2191, '^'}, {0x2192, 0x2192, '>'}, {0x2193, 0x2193, 'v'}, {0x2500, 0x2501, '-'},
		{0x2502, 0x2503, '|'}, {0x250c, 0x254b, '+'}, {0x2588, 0x2588, '#'}, {0x2591, 0x2591, '-'},
		{0x2592, 0x2592, '='}, {0x2593, 0x2593, '*'}, {0x25b2, 0x25b2, '^'}, {0x25bc, 0x25bc, 'v'},
		{0x2212, 0x2212, '-'}, {0x2504, 0x2504, '-'}, {0x2508, 0x2508, '.'}, {0x254c, 0x254c, '-'},
		{0x256d, 0x2570, '+'}, {0x2580, 0x2580, '#'}, {0x2584, 0x2584, '#'}, {0x2596, 0x2596, '#'},
		{0x2264, 0x2264, '<'}, {0x2265, 0x2265, '>'}, {0x25c6, 0x25c6, '*'}, {0x2581, 0x2581, '_'},
		{0x2577, 0x2577, ':'},
	};

	if (ch < 0x7f)
		return ch;
	for (size_t i = 0; i < ARRAY_LEN(stand_ins); i++)
		if (ch >= stand_ins[i].first && ch <= stand_ins[i].last)
			return (uint32_t)stand_ins[i].ascii;
	return '?';
}

/* Convert a character to the one that a cell shows. */
static uint32_t shown_char(const struct canvas *c, uint32_t ch)
{
	if (ch >= 0x20 && ch < 0x7f)
		return ch;
	if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0))
		ch = '?';
	return c->ascii ? ascii_of(ch) : ch;
}

/* Call this before cells of a row are set: it blanks the other half of a wide character that is
 * overwritten in part. */
static inline void release_cells(struct canvas *c, int x, int y, int w)
{
	struct cell *row = &c->cells[y * c->cols];

	if (!row[x].ch && x > 0)
		row[x - 1].ch = ' ';
	if (x + w < c->cols && !row[x + w].ch)
		row[x + w].ch = ' ';
}

static inline void fill_cells(struct canvas *c, int x, int y, int w, enum style style, uint32_t ch)
{
	int end = x + w < c->cols ? x + w : c->cols;

	x = x > 0 ? x : 0;
	if (x >= end || y < 0 || y >= c->rows)
		return;
	release_cells(c, x, y, end - x);
	for (struct cell *row = &c->cells[y * c->cols]; x < end; x++)
		row[x] = (struct cell){ch, style};
}

static void put_wide(struct canvas *c, int x, int y, enum style style, uint32_t ch)
{
	/* A wide character that is half outside the canvas is not drawn. */
	bool whole = ch >= 0x7f && x >= 0 && x + 1 < c->cols && y >= 0 && y < c->rows;

	fill_cells(c, x, y, 2, style, whole ? ' ' : '?');
	if (!whole)
		return;
	c->cells[y * c->cols + x].ch = ch;
	c->cells[y * c->cols + x + 1].ch = 0;
}

void canvas_put(struct canvas *c, int x, int y, enum style style, uint32_t ch)
{
	fill_cells(c, x, y, 1, style, shown_char(c, ch));
}

/* Draw the ASCII characters at the start of a text, the fast path of most texts. Returns their
 * columns. */
static int put_ascii(struct canvas *c, struct rect r, enum style style, const char **text)
{
	struct cell *row = &c->cells[r.y * c->cols + r.x];
	const char *p = *text;
	int n = 0;

	while (n < r.w && p[n] >= 0x20 && p[n] < 0x7f)
		n++;
	if (n)
		release_cells(c, r.x, r.y, n);
	for (int i = 0; i < n; i++)
		row[i] = (struct cell){(unsigned char)p[i], style};
	*text += n;
	return n;
}

int canvas_text(struct canvas *c, struct rect r, enum style style, const char *text)
{
	const char *end = text + strlen(text);
	bool clipped = r.x < 0 || r.x + r.w > c->cols || r.y < 0 || r.y >= c->rows;
	int used = 0;

	if (r.h < 1)
		return 0;
	if (!clipped)
		used = put_ascii(c, r, style, &text);
	while (text < end) {
		uint32_t ch = utf8_next(&text, end);
		int width = char_width(ch);

		if (used + width > r.w)
			break;
		if (width == 1)
			canvas_put(c, r.x + used, r.y, style, ch);
		else if (width)
			put_wide(c, r.x + used, r.y, style, shown_char(c, ch));
		used += width;
	}
	return used;
}

int text_width(const char *text)
{
	const char *end = text + strlen(text);
	int width = 0;

	while (text < end)
		width += char_width(utf8_next(&text, end));
	return width;
}

int canvas_text_cut(struct canvas *c, struct rect r, enum style style, const char *text)
{
	int cols = canvas_text(c, r, style, text);

	if (text_width(text) > r.w)
		canvas_text(c, rect_right(&r, 1), style, "\u2026");
	return cols;
}

/* The longest word that has a slash; empty if there is none. */
static struct span longest_path(const char *text)
{
	struct span rest = span_of(text), word, longest = {text, 0};

	while ((word = span_word(&rest)).n)
		if (word.n > longest.n && memchr(word.p, '/', word.n))
			longest = word;
	return longest;
}

void canvas_text_path(struct canvas *c, struct rect r, enum style style, const char *text)
{
	struct span path = longest_path(text);
	const char *end = path.p + path.n, *head = path.p, *tail;
	int over = text_width(text) + 1 - r.w;
	struct rect rest = r;

	while (head < path.p + path.n / 3)
		utf8_next(&head, end);
	for (tail = head; over > 0 && tail < end;)
		over -= char_width(utf8_next(&tail, end));
	if (over > 0 || text_width(text) <= r.w) {
		canvas_text_cut(c, r, style, text);
		return;
	}
	rect_left(&rest, canvas_printf(c, rest, style, "%.*s", (int)(head - text), text));
	rect_left(&rest, canvas_text(c, rest, style, "\u2026"));
	canvas_text(c, rest, style, tail);
}

/* Whether a part of the text ends before p: at a punctuation mark or two blanks. */
static bool is_end(const char *p)
{
	return p[0] == ' ' && (p[1] == ' ' || strchr(",;:", p[-1]));
}

void canvas_text_parts(struct canvas *c, struct rect r, enum style style, const char *text)
{
	char parts[512];

	snprintf(parts, sizeof(parts), "%s", text);
	for (size_t n = strlen(parts), fits = text_width(parts) <= r.w; n > 1 && !fits; n--)
		if (is_end(parts + n - 1)) {
			parts[n - (parts[n] == ' ' ? 1 : 2)] = 0;
			fits = text_width(parts) <= r.w;
		}
	canvas_text_cut(c, r, style, parts);
}

int canvas_text_right(struct canvas *c, struct rect r, enum style style, const char *text)
{
	int spare = r.w - text_width(text);

	/* Truncate at the end, because a number without its first digits is another number. */
	if (spare > 0) {
		r.x += spare;
		r.w -= spare;
	}
	return canvas_text(c, r, style, text);
}

int canvas_printf(struct canvas *c, struct rect r, enum style style, const char *fmt, ...)
{
	char text[4 * CANVAS_COLS_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return canvas_text(c, r, style, text);
}

void canvas_fill(struct canvas *c, struct rect r, enum style style, uint32_t ch)
{
	assert(char_width(ch) == 1);
	ch = shown_char(c, ch);
	for (int y = r.y; y < r.y + r.h; y++)
		fill_cells(c, r.x, y, r.w, style, ch);
}

void canvas_restyle(struct canvas *c, struct rect r, enum style style)
{
	int right = r.x + r.w < c->cols ? r.x + r.w : c->cols;
	int bottom = r.y + r.h < c->rows ? r.y + r.h : c->rows;

	for (int y = r.y > 0 ? r.y : 0; y < bottom; y++)
		for (int x = r.x > 0 ? r.x : 0; x < right; x++) {
			struct cell *cell = &c->cells[y * c->cols + x];

			if (style != STYLE_SELECTED)
				cell->style = style;
			else if (cell->style < STYLE_COUNT && cell->style != STYLE_CURSOR)
				cell->style += STYLE_ON_SELECTED;
		}
}
