/* Themes: the look of each style at each colour depth. */
#include "term/term_priv.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define BOLD LOOK_BOLD
#define DIM LOOK_DIM
#define UNDER LOOK_UNDERLINE
#define REV LOOK_REVERSE
#define OWN (-1) /* the terminal's own colour */

/* The attributes of each style without colour, the same in every theme. Never show a load or a
 * series in reverse: bars are full blocks, which would become blank. */
static const uint8_t plain[STYLE_COUNT] = {
	[STYLE_TITLE] = BOLD,       [STYLE_HEADER] = BOLD,       [STYLE_TAB_ON] = REV | BOLD,
	[STYLE_KEY] = BOLD,         [STYLE_BUSY] = BOLD,         [STYLE_HOT] = BOLD | UNDER,
	[STYLE_ALERT] = REV | BOLD, [STYLE_SELECTED] = REV,      [STYLE_SERIES2] = BOLD,
	[STYLE_SERIES4] = BOLD,     [STYLE_VALUE] = BOLD,        [STYLE_MARK] = BOLD,
	[STYLE_CURSOR] = REV,       [STYLE_PAUSED] = REV | BOLD,
};

/* The looks with 16 and with 256 colours. With eight colours, brighter ones become bold. */
struct paint {
	struct look sixteen, many;
};

/* Use a background only for what must stand out. The first theme is the default, so the words
 * in it can be read on black and on white: a bright yellow could not. Levels differ in blue,
 * not only in red against green. A style that a theme omits looks as in the first theme. */
static const struct theme {
	const char *name;
	struct paint paints[STYLE_COUNT];
} themes[] = {
	{"default",
	 {
		 [STYLE_TEXT] = {{OWN, OWN, 0}, {OWN, OWN, 0}},
		 [STYLE_DIM] = {{8, OWN, 0}, {244, OWN, 0}},
		 [STYLE_TITLE] = {{6, OWN, BOLD}, {33, OWN, BOLD}},
		 [STYLE_HEADER] = {{OWN, OWN, BOLD}, {OWN, OWN, BOLD}},
		 [STYLE_TAB] = {{OWN, OWN, 0}, {OWN, OWN, 0}},
		 [STYLE_TAB_ON] = {{0, 14, 0}, {234, 117, BOLD}},
		 [STYLE_FOOTER] = {{8, OWN, 0}, {244, OWN, 0}},
		 [STYLE_KEY] = {{12, OWN, BOLD}, {69, OWN, BOLD}},
		 [STYLE_CALM] = {{6, OWN, 0}, {73, OWN, 0}},
		 [STYLE_BUSY] = {{3, OWN, 0}, {172, OWN, 0}},
		 [STYLE_HOT] = {{9, OWN, BOLD}, {203, OWN, 0}},
		 [STYLE_ALERT] = {{15, 1, BOLD}, {255, 160, BOLD}},
		 [STYLE_SELECTED] = {{0, 7, 0}, {255, 237, 0}},
		 [STYLE_SERIES1] = {{12, OWN, 0}, {75, OWN, 0}},
		 [STYLE_SERIES2] = {{13, OWN, 0}, {141, OWN, 0}},
		 [STYLE_SERIES3] = {{6, OWN, 0}, {73, OWN, 0}},
		 [STYLE_SERIES4] = {{11, OWN, 0}, {180, OWN, 0}},
		 [STYLE_VALUE] = {{OWN, OWN, BOLD}, {OWN, OWN, BOLD}},
		 [STYLE_BORDER] = {{8, OWN, 0}, {238, OWN, 0}},
		 [STYLE_TRACK] = {{8, OWN, 0}, {237, OWN, 0}},
		 [STYLE_AXIS] = {{8, OWN, 0}, {244, OWN, 0}},
		 [STYLE_LIMIT] = {{OWN, OWN, 0}, {OWN, OWN, 0}},
		 [STYLE_MARK] = {{13, OWN, 0}, {170, OWN, 0}},
		 [STYLE_CURSOR] = {{OWN, OWN, REV}, {255, 24, 0}},
		 [STYLE_PAUSED] = {{0, 11, 0}, {234, 221, BOLD}},
		 [STYLE_HEAT1] = {{8, OWN, 0}, {236, OWN, 0}},
		 [STYLE_HEAT2] = {{4, OWN, 0}, {24, OWN, 0}},
		 [STYLE_HEAT3] = {{6, OWN, 0}, {73, OWN, 0}},
		 [STYLE_HEAT4] = {{15, OWN, 0}, {186, OWN, 0}},
		 [STYLE_HEAT5] = {{11, OWN, 0}, {221, OWN, 0}},
	 }},
	{"light",
	 {
		 [STYLE_TEXT] = {{OWN, OWN, 0}, {OWN, OWN, 0}},
		 [STYLE_DIM] = {{8, OWN, 0}, {242, OWN, 0}},
		 [STYLE_TITLE] = {{4, OWN, BOLD}, {25, OWN, BOLD}},
		 [STYLE_HEADER] = {{OWN, OWN, BOLD}, {OWN, OWN, BOLD}},
		 [STYLE_TAB] = {{OWN, OWN, 0}, {238, OWN, 0}},
		 [STYLE_TAB_ON] = {{15, 4, BOLD}, {231, 25, BOLD}},
		 [STYLE_FOOTER] = {{8, OWN, 0}, {242, OWN, 0}},
		 [STYLE_KEY] = {{4, OWN, BOLD}, {25, OWN, BOLD}},
		 [STYLE_CALM] = {{6, OWN, 0}, {30, OWN, 0}},
		 [STYLE_BUSY] = {{5, OWN, 0}, {136, OWN, 0}},
		 [STYLE_HOT] = {{1, OWN, BOLD}, {160, OWN, BOLD}},
		 [STYLE_ALERT] = {{15, 1, BOLD}, {231, 160, BOLD}},
		 [STYLE_SELECTED] = {{15, 8, 0}, {232, 252, 0}},
		 [STYLE_SERIES1] = {{4, OWN, 0}, {26, OWN, 0}},
		 [STYLE_SERIES2] = {{5, OWN, 0}, {97, OWN, 0}},
		 [STYLE_SERIES3] = {{6, OWN, 0}, {30, OWN, 0}},
		 [STYLE_SERIES4] = {{3, OWN, 0}, {130, OWN, 0}},
		 [STYLE_VALUE] = {{OWN, OWN, BOLD}, {OWN, OWN, BOLD}},
		 [STYLE_BORDER] = {{7, OWN, 0}, {250, OWN, 0}},
		 [STYLE_TRACK] = {{7, OWN, 0}, {251, OWN, 0}},
		 [STYLE_AXIS] = {{8, OWN, 0}, {243, OWN, 0}},
		 [STYLE_LIMIT] = {{0, OWN, 0}, {238, OWN, 0}},
		 [STYLE_MARK] = {{5, OWN, BOLD}, {127, OWN, BOLD}},
		 [STYLE_CURSOR] = {{OWN, OWN, REV}, {231, 25, 0}},
		 [STYLE_PAUSED] = {{0, 11, 0}, {234, 221, BOLD}},
		 [STYLE_HEAT1] = {{7, OWN, 0}, {252, OWN, 0}},
		 [STYLE_HEAT2] = {{6, OWN, 0}, {152, OWN, 0}},
		 [STYLE_HEAT3] = {{6, OWN, BOLD}, {73, OWN, 0}},
		 [STYLE_HEAT4] = {{4, OWN, 0}, {25, OWN, 0}},
		 [STYLE_HEAT5] = {{1, OWN, 0}, {130, OWN, 0}},
	 }},
	{"high-contrast",
	 {
		 [STYLE_DIM] = {{OWN, OWN, 0}, {252, OWN, 0}},
		 [STYLE_FOOTER] = {{OWN, OWN, 0}, {252, OWN, 0}},
		 [STYLE_CALM] = {{14, OWN, 0}, {51, OWN, 0}},
		 [STYLE_BUSY] = {{11, OWN, BOLD}, {226, OWN, BOLD}},
		 [STYLE_HOT] = {{9, OWN, BOLD}, {210, OWN, BOLD}},
		 [STYLE_BORDER] = {{OWN, OWN, 0}, {248, OWN, 0}},
		 [STYLE_TRACK] = {{8, OWN, 0}, {242, OWN, 0}},
		 [STYLE_AXIS] = {{OWN, OWN, 0}, {252, OWN, 0}},
		 [STYLE_SELECTED] = {{0, 15, 0}, {231, 239, 0}},
	 }},
	/* For eyes that see no red or no green, and those that see no blue: from dark blue over
	 * pale to full orange. */
	{"colour-blind",
	 {
		 [STYLE_CALM] = {{4, OWN, 0}, {32, OWN, 0}},
		 [STYLE_BUSY] = {{14, OWN, 0}, {223, OWN, 0}},
		 [STYLE_HOT] = {{11, OWN, BOLD}, {208, OWN, BOLD}},
		 [STYLE_SERIES1] = {{12, OWN, 0}, {74, OWN, 0}},
		 [STYLE_SERIES2] = {{11, OWN, 0}, {220, OWN, 0}},
		 [STYLE_SERIES3] = {{15, OWN, 0}, {252, OWN, 0}},
		 [STYLE_SERIES4] = {{3, OWN, 0}, {166, OWN, 0}},
	 }},
	{.name = "mono"}, /* attributes alone */
};

#define OLD_DEFAULT "dark" /* the former name of the first theme */

static const struct theme *find_theme(const char *name)
{
	if (!name || !strcmp(name, OLD_DEFAULT))
		return &themes[0];
	for (unsigned i = 0; i < ARRAY_LEN(themes); i++)
		if (!strcmp(name, themes[i].name))
			return &themes[i];
	return NULL;
}

const char *theme_on_ground(const char *name)
{
	const char *colours = getenv("COLORFGBG"), *ground = colours ? strrchr(colours, ';') : NULL;
	bool white = ground && (!strcmp(ground, ";7") || !strcmp(ground, ";15"));

	return white && find_theme(name) == &themes[0] ? "light" : name;
}

const char *term_theme_name(unsigned i)
{
	return i < ARRAY_LEN(themes) ? themes[i].name : NULL;
}

bool term_theme_known(const char *name)
{
	return find_theme(name) != NULL;
}

static struct look style_look(const char *name, enum depth depth, enum style style)
{
	const struct theme *theme = find_theme(name);
	static const struct paint none;
	const struct look attributes = {OWN, OWN, plain[style]};
	const struct paint *paint = &(theme ? theme : themes)->paints[style];
	struct look look;

	if (style >= STYLE_BAR1 && style <= STYLE_BAR4) { /* words on a bar have its colour as their ground */
		look = style_look(name, depth, style - STYLE_BAR1 + STYLE_SERIES1);
		look.attrs |= REV;
		return look;
	}
	if (depth == DEPTH_MONO || (theme && !strcmp(theme->name, "mono")))
		return attributes;
	if (!memcmp(paint, &none, sizeof(*paint)))
		paint = &themes[0].paints[style];
	look = depth == DEPTH_256 ? paint->many : paint->sixteen;
	if (depth != DEPTH_8)
		return look;
	if (look.fg == 8) /* there is no bright black */
		return (struct look){OWN, look.bg, DIM};
	if (look.fg > 8)
		look = (struct look){look.fg - 8, look.bg, look.attrs | BOLD};
	look.bg = look.bg > 7 ? look.bg - 8 : look.bg;
	return look;
}

/* Only 256 colours have a ground on which every colour can be read. */
struct look theme_look(const char *name, enum depth depth, unsigned style)
{
	bool on_selected = style >= STYLE_ON_SELECTED;
	struct look look = style_look(name, depth, (enum style)(style % STYLE_COUNT)), selected;

	if (!on_selected)
		return look;
	selected = style_look(name, depth, STYLE_SELECTED);
	if (depth != DEPTH_256 || selected.attrs & REV || look.fg == OWN || look.bg != OWN)
		return (struct look){selected.fg, selected.bg, selected.attrs | (look.attrs & BOLD)};
	return (struct look){look.fg, selected.bg, look.attrs};
}
