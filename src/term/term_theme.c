/* Themes are data: one row says how a style looks at every depth of colour. Backgrounds only where something must stand out. */
#include "term/term_priv.h"

#include "base/alloc.h"

#include <string.h>

#define BOLD LOOK_BOLD
#define DIM LOOK_DIM
#define UNDER LOOK_UNDERLINE
#define REV LOOK_REVERSE

/* Bars are full blocks, which reversed would be blank: no load and no series is ever shown in reverse. */
#define MONO_ROW(style, attrs) [style] = {{-1, -1, attrs}, {-1, -1, attrs}, {-1, -1, attrs}, {-1, -1, attrs}}
#define MONO_TEXT 0
#define MONO_DIM 0
#define MONO_TITLE BOLD
#define MONO_TAB_ON (REV | BOLD)
#define MONO_KEY BOLD
#define MONO_BUSY BOLD
#define MONO_HOT (BOLD | UNDER)
#define MONO_ALERT (REV | BOLD)

static const struct theme {
	const char *name;
	struct look looks[STYLE_COUNT][DEPTH_COUNT];
} themes[] = {
	{"dark",
	 {
		 /* without colour, with 8, 16, 256 colours */
		 [STYLE_TEXT] = {{-1, -1, MONO_TEXT}, {-1, -1, 0}, {-1, -1, 0}, {-1, -1, 0}},
		 [STYLE_DIM] = {{-1, -1, MONO_DIM}, {-1, -1, DIM}, {-1, -1, DIM}, {246, -1, 0}},
		 [STYLE_TITLE] = {{-1, -1, MONO_TITLE}, {6, -1, BOLD}, {14, -1, BOLD}, {117, -1, BOLD}},
		 [STYLE_HEADER] = {{-1, -1, BOLD}, {-1, -1, BOLD}, {-1, -1, BOLD}, {254, -1, BOLD}},
		 [STYLE_TAB] = {{-1, -1, 0}, {-1, -1, 0}, {-1, -1, 0}, {250, -1, 0}},
		 [STYLE_TAB_ON] = {{-1, -1, MONO_TAB_ON}, {0, 6, 0}, {0, 14, 0}, {234, 117, BOLD}},
		 [STYLE_FOOTER] = {{-1, -1, MONO_DIM}, {-1, -1, DIM}, {-1, -1, DIM}, {246, -1, 0}},
		 [STYLE_KEY] = {{-1, -1, MONO_KEY}, {6, -1, BOLD}, {14, -1, 0}, {117, -1, 0}},
		 [STYLE_CALM] = {{-1, -1, 0}, {2, -1, 0}, {10, -1, 0}, {78, -1, 0}},
		 [STYLE_BUSY] = {{-1, -1, MONO_BUSY}, {3, -1, BOLD}, {11, -1, 0}, {221, -1, 0}},
		 [STYLE_HOT] = {{-1, -1, MONO_HOT}, {1, -1, BOLD}, {9, -1, BOLD}, {203, -1, BOLD}},
		 [STYLE_ALERT] = {{-1, -1, MONO_ALERT}, {7, 1, BOLD}, {15, 1, BOLD}, {231, 160, BOLD}},
		 [STYLE_SELECTED] = {{-1, -1, REV}, {0, 7, 0}, {0, 7, 0}, {255, 238, 0}},
		 [STYLE_SERIES1] = {{-1, -1, 0}, {6, -1, 0}, {12, -1, 0}, {75, -1, 0}},
		 [STYLE_SERIES2] = {{-1, -1, BOLD}, {3, -1, 0}, {11, -1, 0}, {180, -1, 0}},
		 [STYLE_SERIES3] = {{-1, -1, 0}, {5, -1, 0}, {13, -1, 0}, {176, -1, 0}},
		 [STYLE_SERIES4] = {{-1, -1, BOLD}, {2, -1, 0}, {10, -1, 0}, {115, -1, 0}},
	 }},
	{"light",
	 {
		 [STYLE_TEXT] = {{-1, -1, MONO_TEXT}, {-1, -1, 0}, {-1, -1, 0}, {-1, -1, 0}},
		 [STYLE_DIM] = {{-1, -1, MONO_DIM}, {-1, -1, 0}, {-1, -1, DIM}, {241, -1, 0}},
		 [STYLE_TITLE] = {{-1, -1, MONO_TITLE}, {4, -1, BOLD}, {4, -1, BOLD}, {25, -1, BOLD}},
		 [STYLE_HEADER] = {{-1, -1, BOLD}, {-1, -1, BOLD}, {-1, -1, BOLD}, {235, -1, BOLD}},
		 [STYLE_TAB] = {{-1, -1, 0}, {-1, -1, 0}, {-1, -1, 0}, {238, -1, 0}},
		 [STYLE_TAB_ON] = {{-1, -1, MONO_TAB_ON}, {7, 4, BOLD}, {15, 4, BOLD}, {231, 25, BOLD}},
		 [STYLE_FOOTER] = {{-1, -1, MONO_DIM}, {-1, -1, 0}, {-1, -1, DIM}, {241, -1, 0}},
		 [STYLE_KEY] = {{-1, -1, MONO_KEY}, {4, -1, BOLD}, {4, -1, 0}, {25, -1, 0}},
		 [STYLE_CALM] = {{-1, -1, 0}, {2, -1, 0}, {2, -1, 0}, {28, -1, 0}},
		 [STYLE_BUSY] = {{-1, -1, MONO_BUSY}, {5, -1, 0}, {5, -1, 0}, {130, -1, 0}},
		 [STYLE_HOT] = {{-1, -1, MONO_HOT}, {1, -1, BOLD}, {1, -1, BOLD}, {160, -1, BOLD}},
		 [STYLE_ALERT] = {{-1, -1, MONO_ALERT}, {7, 1, BOLD}, {15, 1, BOLD}, {231, 160, BOLD}},
		 [STYLE_SELECTED] = {{-1, -1, REV}, {7, 0, 0}, {15, 8, 0}, {232, 252, 0}},
		 [STYLE_SERIES1] = {{-1, -1, 0}, {4, -1, 0}, {4, -1, 0}, {25, -1, 0}},
		 [STYLE_SERIES2] = {{-1, -1, BOLD}, {1, -1, 0}, {1, -1, 0}, {130, -1, 0}},
		 [STYLE_SERIES3] = {{-1, -1, 0}, {5, -1, 0}, {5, -1, 0}, {91, -1, 0}},
		 [STYLE_SERIES4] = {{-1, -1, BOLD}, {2, -1, 0}, {2, -1, 0}, {30, -1, 0}},
	 }},
	{"mono",
	 {
		 MONO_ROW(STYLE_TEXT, MONO_TEXT),
		 MONO_ROW(STYLE_DIM, MONO_DIM),
		 MONO_ROW(STYLE_TITLE, MONO_TITLE),
		 MONO_ROW(STYLE_HEADER, BOLD),
		 MONO_ROW(STYLE_TAB, 0),
		 MONO_ROW(STYLE_TAB_ON, MONO_TAB_ON),
		 MONO_ROW(STYLE_FOOTER, MONO_DIM),
		 MONO_ROW(STYLE_KEY, MONO_KEY),
		 MONO_ROW(STYLE_CALM, 0),
		 MONO_ROW(STYLE_BUSY, MONO_BUSY),
		 MONO_ROW(STYLE_HOT, MONO_HOT),
		 MONO_ROW(STYLE_ALERT, MONO_ALERT),
		 MONO_ROW(STYLE_SELECTED, REV),
		 MONO_ROW(STYLE_SERIES1, 0),
		 MONO_ROW(STYLE_SERIES2, BOLD),
		 MONO_ROW(STYLE_SERIES3, 0),
		 MONO_ROW(STYLE_SERIES4, BOLD),
	 }},
};

static const struct theme *find(const char *name)
{
	if (!name)
		return &themes[0];
	for (unsigned i = 0; i < ARRAY_LEN(themes); i++)
		if (!strcmp(name, themes[i].name))
			return &themes[i];
	return NULL;
}

const char *term_theme_name(unsigned i)
{
	return i < ARRAY_LEN(themes) ? themes[i].name : NULL;
}

bool term_theme_known(const char *name)
{
	return find(name) != NULL;
}

struct look theme_look(const char *name, enum depth depth, enum style style)
{
	const struct theme *theme = find(name);

	return (theme ? theme : &themes[0])->looks[style][depth];
}
