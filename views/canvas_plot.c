/* The drawn glyphs of canvas.h: bars, strips and shades. */
#include "views/canvas.h"

#include <math.h>

#define EIGHTHS 8
#define BLOCK_FULL 0x2588 /* one eighth is 7 further */
#define SHADE_MEDIUM 0x2592
#define BRAILLE 0x2800
#define LEVELS 4 /* of a braille character, and of its ASCII stand-in */

static double share_of(double v)
{
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

static void put_cell(struct canvas *c, int x, int y, enum style style, uint32_t ch)
{
	canvas_fill(c, (struct rect){x, y, 1, 1}, style, ch);
}

/* Eighths of a column that a share fills. Something is never drawn as nothing. */
static int bar_eighths(double share, int w)
{
	int n = (int)lround(share_of(share) * w * EIGHTHS);

	return n == 0 && share > 0 && w > 0 ? 1 : n;
}

void canvas_bar(struct canvas *c, struct rect r, enum style style, double share)
{
	if (isnan(share) || r.h < 1 || r.w < 1)
		return;
	int eighths = bar_eighths(share, r.w), full = eighths / EIGHTHS, part = eighths % EIGHTHS;

	canvas_fill(c, (struct rect){r.x, r.y, full, 1}, style, BLOCK_FULL);
	if (!part || full >= r.w)
		return;
	put_cell(c, r.x + full, r.y, style, c->ascii ? '-' : BLOCK_FULL + (uint32_t)(EIGHTHS - part));
}

void canvas_bar2(struct canvas *c, struct rect r, enum style style, double share, enum style style2, double share2)
{
	if (isnan(share) || r.h < 1 || r.w < 1)
		return;
	canvas_bar(c, r, style, share);
	if (isnan(share2))
		return;
	/* The second part begins with a cell of its own: no glyph holds both textures. */
	int begin = (bar_eighths(share, r.w) + EIGHTHS - 1) / EIGHTHS;
	int end = (int)lround(share_of(share_of(share) + share_of(share2)) * r.w);

	canvas_fill(c, (struct rect){r.x + begin, r.y, end - begin, 1}, style2, SHADE_MEDIUM);
}

/* How many of the levels a point fills: at least one, so that a measured zero differs from a hole. */
static int point_level(double v, int levels)
{
	return isnan(v) ? 0 : 1 + (int)lround(share_of(v) * (levels - 1));
}

static int level_in_row(int level, int row_from_bottom)
{
	level -= row_from_bottom * LEVELS;
	return level < 0 ? 0 : level > LEVELS ? LEVELS : level;
}

static uint32_t braille_cell(int left, int right)
{
	/* Dots from the bottom upwards. */
	static const uint8_t left_dots[LEVELS + 1] = {0, 0x40, 0x44, 0x46, 0x47};
	static const uint8_t right_dots[LEVELS + 1] = {0, 0x80, 0xa0, 0xb0, 0xb8};

	return BRAILLE + left_dots[left] + right_dots[right];
}

void canvas_strip(struct canvas *c, struct rect r, enum style style, const double *points, int n)
{
	static const char ascii_levels[LEVELS + 1] = {' ', '.', ':', '|', '#'};
	int levels = r.h * LEVELS;

	for (int x = 0; x < r.w && r.h > 0; x++) {
		int at = n - 2 * (r.w - x); /* of the left point of this column */
		int left = at >= 0 ? point_level(points[at], levels) : 0;
		int right = at + 1 >= 0 && at + 1 < n ? point_level(points[at + 1], levels) : 0;

		for (int row = 0; row < r.h; row++) {
			int a = level_in_row(left, row), b = level_in_row(right, row);
			int y = r.y + r.h - 1 - row;

			if (a == 0 && b == 0)
				continue;
			put_cell(c, r.x + x, y, style, c->ascii ? (uint32_t)ascii_levels[a > b ? a : b] : braille_cell(a, b));
		}
	}
}

void canvas_shade(struct canvas *c, struct rect r, enum style style, double share)
{
	static const uint32_t utf8[] = {0xb7, 0x2591, SHADE_MEDIUM, 0x2593, BLOCK_FULL};
	static const uint32_t ascii[] = {'.', '-', '=', '*', '#'};
	int steps = sizeof(utf8) / sizeof(utf8[0]);

	if (isnan(share) || r.w < 1 || r.h < 1)
		return;
	/* The first step is nearly nothing, the others are quarters. */
	int step = share < 0.02 ? 0 : 1 + (int)(share_of(share) * (steps - 1) * 0.9999);

	canvas_fill(c, (struct rect){r.x, r.y, 1, r.h}, step ? style : STYLE_DIM, c->ascii ? ascii[step] : utf8[step]);
}
