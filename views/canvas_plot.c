/* The drawn glyphs of canvas.h: bars, strips and shades. */
#include "views/canvas.h"
#include "base/alloc.h"
#include "base/real.h"

#include <math.h>

#define EIGHTHS 8
#define BLOCK_FULL 0x2588   /* this minus 7 is one eighth */
#define BLOCK_EIGHTH 0x2581 /* this plus 7 is the full block */
#define BLOCK_UPPER_HALF 0x2580
#define BLOCK_LOWER_HALF 0x2584
#define BLOCK_THREE_QUARTERS 0x2586
#define QUADRANT_LOWER_LEFT 0x2596
#define SHADE_MEDIUM 0x2592
#define BRAILLE 0x2800
#define BELOW_5 4 /* the shade before the last one, which needs a different glyph without colours */
#define LEVELS 4  /* of a braille character, and of its ASCII form */

static double share_of(double v)
{
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* Return how many of the levels a point fills. A measured zero fills one, to differ from a gap. */
static int point_level(double v, int levels)
{
	return isnan(v) ? 0 : 1 + (int)real_round(share_of(v) * (levels - 1));
}

static int level_in_row(int level, int row_from_bottom)
{
	level -= row_from_bottom * LEVELS;
	return level < 0 ? 0 : level > LEVELS ? LEVELS : level;
}

static uint32_t braille_cell(int left, int right)
{
	/* dots from the bottom upwards */
	static const uint8_t left_dots[LEVELS + 1] = {0, 0x40, 0x44, 0x46, 0x47};
	static const uint8_t right_dots[LEVELS + 1] = {0, 0x80, 0xa0, 0xb0, 0xb8};

	return BRAILLE + left_dots[left] + right_dots[right];
}

void canvas_heat(struct canvas *c, int x, int y, int h, int shade)
{
	static const uint32_t glyphs[] = {0xb7, 0x2591, SHADE_MEDIUM, 0x2593, BLOCK_FULL, BLOCK_FULL};
	static const char ascii[] = ".-=*#@";
	static const uint8_t styles[] = {STYLE_TRACK, STYLE_HEAT1, STYLE_HEAT2,
					 STYLE_HEAT3, STYLE_HEAT4, STYLE_HEAT5};

	if (shade >= 0)
		canvas_fill(c, (struct rect){x, y, 1, h}, styles[shade],
			    c->ascii                      ? (uint32_t)ascii[shade]
			    : c->mono && shade == BELOW_5 ? BLOCK_THREE_QUARTERS
							  : glyphs[shade]);
}

void canvas_meter(struct canvas *c, struct rect r, enum style style, double share, double limit)
{
	int halves = isnan(share) ? 0 : (int)real_round(share_of(share) * r.w * 2);

	if (r.h < 1 || r.w < 1)
		return;
	if (!halves && share > 0)
		halves = 1;
	canvas_fill(c, (struct rect){r.x, r.y, r.w, 1}, STYLE_TRACK, '.');
	canvas_fill(c, (struct rect){r.x, r.y, halves / 2, 1}, style, BLOCK_LOWER_HALF);
	if (halves % 2)
		canvas_put(c, r.x + halves / 2, r.y, style, QUADRANT_LOWER_LEFT);
	if (limit > 0 && limit < 1)
		canvas_put(c, r.x + (int)(limit * r.w), r.y, STYLE_LIMIT, 0x2502);
}

void canvas_meter_peak(struct canvas *c, struct rect r, double share, double peak)
{
	int at = isnan(peak) ? r.w : (int)(share_of(peak) * r.w);

	/* a tick next to the end of the bar would flicker */
	if (peak > share && at < r.w && at > (int)real_round(share_of(share) * r.w * 2 + 1) / 2 &&
	    c->cells[r.y * c->cols + r.x + at].style == STYLE_TRACK)
		canvas_put(c, r.x + at, r.y, STYLE_AXIS, c->ascii ? ':' : 0x2577);
}

/* The parts of a bar, and layers of a graph. Without colours each but the first has a texture. */
static const struct {
	uint8_t style;
	char ascii;
	uint16_t texture;
} parts[] = {{STYLE_SERIES1, '#', 0},      {STYLE_SERIES2, '=', 0x2592}, {STYLE_SERIES3, '*', 0x2591},
	     {STYLE_SERIES4, '+', 0x2593}, {STYLE_AXIS, 'o', 0x259e},    {STYLE_MARK, '%', 0x259a}};

enum style canvas_part_style(unsigned part)
{
	return parts[part % ARRAY_LEN(parts)].style;
}

/* Return the character that tells a part of that style from others; 0 if its colour does. */
static uint32_t part_texture(const struct canvas *c, enum style style)
{
	for (unsigned i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i].style == style)
			return c->ascii ? (unsigned char)parts[i].ascii : c->mono ? parts[i].texture : 0;
	return 0;
}

uint32_t canvas_part_glyph(const struct canvas *c, enum style style)
{
	uint32_t texture = part_texture(c, style);

	return texture ? texture : BLOCK_LOWER_HALF;
}

void canvas_parts(struct canvas *c, struct rect r, const double *shares, const uint8_t *styles, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++) {
		int from = (int)real_round(share_of(sum) * r.w), to;
		struct rect part = {r.x + from, r.y, 0, r.h};
		uint32_t texture = part_texture(c, styles[i]);

		sum += shares[i] > 0 ? shares[i] : 0;
		to = (int)real_round(share_of(sum) * r.w);
		part.w = to - from;
		if (r.h > 1 && !c->ascii)
			canvas_fill(c, rect_bottom(&part, 1), styles[i], BLOCK_UPPER_HALF);
		canvas_fill(c, part, styles[i], texture ? texture : r.h > 1 ? BLOCK_FULL : BLOCK_LOWER_HALF);
	}
}

/* Draw one row: the mean of the two points in eighths. */
static void put_block(struct canvas *c, int x, int y, enum style style, double a, double b)
{
	static const char ascii_levels[EIGHTHS + 1] = "_.:-=+*##";
	double share = isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
	int level = isnan(share) ? 0 : (int)real_round(share_of(share) * EIGHTHS);

	if (isnan(share))
		canvas_put(c, x, y, STYLE_TRACK, 0xb7);
	else if (level == 0)
		canvas_put(c, x, y, share > 0 ? style : STYLE_TRACK, BLOCK_EIGHTH);
	else
		canvas_put(c, x, y, style,
			   c->ascii ? (uint32_t)ascii_levels[level] : BLOCK_EIGHTH - 1 + (uint32_t)level);
}

/* Draw one column of an area, from the bottom up. A value beyond a limit has its colour at the top
 * only, so that a saturated graph is not a red block. */
static void put_area(struct canvas *c, struct rect r, enum style style, double a, double b)
{
	enum style body = style == STYLE_HOT || style == STYLE_BUSY ? STYLE_CALM : style;
	static const char ascii_levels[LEVELS + 1] = {' ', '.', ':', '|', '#'};
	int levels = r.h * LEVELS, bottom = r.y + r.h - 1;
	int left = point_level(a, levels), right = point_level(b, levels);

	if (isnan(a) && isnan(b))
		canvas_put(c, r.x, bottom, STYLE_TRACK, 0xb7);
	for (int row = 0; row < r.h; row++) {
		int l = level_in_row(left, row), h = level_in_row(right, row);
		uint32_t texture = l == LEVELS && h == LEVELS ? part_texture(c, style) : 0;
		bool top = !level_in_row(left, row + 1) && !level_in_row(right, row + 1);

		if (texture)
			canvas_put(c, r.x, bottom - row, style, texture);
		else if (l || h)
			canvas_put(c, r.x, bottom - row,
				   !(a > 0 || b > 0) ? STYLE_TRACK
				   : top             ? style
						     : body,
				   c->ascii ? (uint32_t)ascii_levels[l > h ? l : h] : braille_cell(l, h));
	}
}

void canvas_history(struct canvas *c, struct rect r, const double *points, const uint8_t *styles, int cells)
{
	for (int x = 0; x < r.w && r.h > 0; x++) {
		int at = cells - r.w + x;
		double a = at >= 0 ? points[2 * at] : (double)NAN,
		       b = at >= 0 ? points[2 * at + 1] : (double)NAN;
		enum style style = at >= 0 ? styles[at] : STYLE_TRACK;

		if (r.h == 1)
			put_block(c, r.x + x, r.y, style, a, b);
		else
			put_area(c, (struct rect){r.x + x, r.y, 1, r.h}, style, a, b);
	}
}

void canvas_box(struct canvas *c, struct rect r, enum style style)
{
	int right = r.x + r.w - 1, bottom = r.y + r.h - 1;

	if (r.w < 2 || r.h < 2)
		return;
	canvas_fill(c, (struct rect){r.x, r.y, r.w, 1}, style, 0x2500);
	canvas_fill(c, (struct rect){r.x, bottom, r.w, 1}, style, 0x2500);
	canvas_fill(c, (struct rect){r.x, r.y, 1, r.h}, style, 0x2502);
	canvas_fill(c, (struct rect){right, r.y, 1, r.h}, style, 0x2502);
	canvas_put(c, r.x, r.y, style, 0x256d);
	canvas_put(c, right, r.y, style, 0x256e);
	canvas_put(c, r.x, bottom, style, 0x2570);
	canvas_put(c, right, bottom, style, 0x256f);
}
