/* The chooser of layouts of the Overview: the view below it is the preview. */
#include "tui/live_priv.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define CHOOSER_COLS 44
#define MAP_FROM 100 /* least columns to have a small map beside the list */
#define MAP_ROWS_FROM 36
#define MAP_COLS 24
#define MAP_ROWS 11

/* Return the position in the list: the named layouts, then the user's own. */
static unsigned layout_at(const struct live *l)
{
	unsigned i = 0;

	while (i < SCREEN_LAYOUTS &&
	       strcmp(l->screen.layout.minimal ? "minimal" : l->screen.layout.letters,
		      l->screen.layout.minimal ? screen_layouts[i].name : screen_layouts[i].letters) != 0)
		i++;
	return i;
}

/* Return the shown layout in the form of the option. */
static const char *layout_name(const struct live *l)
{
	unsigned at = layout_at(l);

	return at < SCREEN_LAYOUTS ? screen_layouts[at].name : l->screen.layout.letters;
}

static unsigned count_layouts(const struct live *l)
{
	return SCREEN_LAYOUTS + (l->own_layout[0] != 0);
}

static void choose_layout(struct live *l, unsigned at)
{
	if (at < count_layouts(l))
		screen_lay_out(&l->screen, at < SCREEN_LAYOUTS ? screen_layouts[at].name : l->own_layout);
}

void live_show_layouts(struct live *l)
{
	screen_show(&l->screen, views_find(&l->screen.views, "overview"));
	snprintf(l->layout_before, sizeof(l->layout_before), "%s", layout_name(l));
	if (layout_at(l) == SCREEN_LAYOUTS)
		snprintf(l->own_layout, sizeof(l->own_layout), "%s", l->screen.layout.letters);
	l->screen.layout.choosing = true;
	live_open(l, MODE_LAYOUT);
}

/* Hide or show a panel; the result is the user's own layout. */
static void toggle_panel(struct live *l, char letter, struct strbuf *said)
{
	char all[16], shown[16], own[16];
	size_t n = 0;

	screen_letters(&l->screen, all, shown);
	for (const char *p = all; *p; p++)
		if ((*p == letter) != (strchr(shown, *p) != NULL))
			own[n++] = *p;
	own[n] = 0;
	if (!n) {
		strbuf_str(said, "layout: the last panel stays");
		return;
	}
	snprintf(l->own_layout, sizeof(l->own_layout), "%s", own);
	screen_lay_out(&l->screen, own);
}

enum key_answer live_key_in_layouts(struct live *l, uint32_t key, struct strbuf *said)
{
	char all[16], shown[16], path[256];
	struct err err;

	screen_letters(&l->screen, all, shown);
	if (key == K_ENTER || key == 'L')
		return KEY_CLOSES;
	if (key == K_ESCAPE || key == 'q') {
		screen_lay_out(&l->screen, l->layout_before);
		return KEY_CLOSES;
	}
	if (key == K_F2 && options_save(l->options, "layout", layout_name(l), &err))
		strbuf_printf(said, "layout: saved in %s",
			      str_printable(path, sizeof(path), l->options->config_path));
	else if (key == K_F2)
		strbuf_str(said, err.text);
	else if (key == K_UP || key == K_DOWN)
		choose_layout(l, (layout_at(l) + count_layouts(l) + (key == K_UP ? -1u : 1u)) %
					 count_layouts(l));
	else if (key >= '0' && key <= '9')
		choose_layout(l, key - '0');
	else if (key < 0x80 && strchr(all, (int)key))
		toggle_panel(l, (char)key, said);
	else
		return KEY_UNKNOWN;
	return KEY_TAKEN;
}

/* ---- drawing ---- */

/* Draw ">5 own g f u m s c · p". */
static void draw_layout(const struct live *l, unsigned at, const char *all, struct canvas *canvas,
			struct rect row)
{
	const char *name = at < SCREEN_LAYOUTS ? screen_layouts[at].name : "own",
		   *letters = at < SCREEN_LAYOUTS ? screen_layouts[at].letters : l->own_layout;
	struct rect whole = row;
	bool chosen = at == layout_at(l);

	canvas_printf(canvas, rect_left(&row, 12), STYLE_TEXT, "%c%u %s", chosen ? '>' : ' ', at, name);
	if (!strcmp(name, "minimal"))
		canvas_text(canvas, row, STYLE_DIM, "the most important rows");
	for (const char *p = all; *p && strcmp(name, "minimal") != 0; p++) {
		bool shown = !letters[0] || strchr(letters, *p);

		canvas_printf(canvas, rect_left(&row, 2), shown ? STYLE_KEY : STYLE_DIM, "%c",
			      shown ? *p : '-');
	}
	if (chosen)
		canvas_restyle(canvas, whole, STYLE_SELECTED);
}

/* ---- the map ---- */

/* The sides to which lines go at a place: bits in the order of the signs. */
enum { MAP_LEFT = 1, MAP_RIGHT = 2, MAP_UP = 4, MAP_DOWN = 8 };
static const char *const map_signs[16] = {" ",      "\u2500", "\u2500", "\u2500", "\u2502", "\u2518",
					  "\u2514", "\u2534", "\u2502", "\u2510", "\u250c", "\u252c",
					  "\u2502", "\u2524", "\u251c", "\u253c"};

struct layout_map {
	uint8_t sides[MAP_ROWS][MAP_COLS];
};

static void mark_line(struct layout_map *map, int x, int y, int n, bool down)
{
	for (int i = 0; i <= n; i++)
		map->sides[y + (down ? i : 0)][x + (down ? 0 : i)] |=
			(i > 0 ? down ? MAP_UP : MAP_LEFT : 0) | (i < n ? down ? MAP_DOWN : MAP_RIGHT : 0);
}

/* Scale a rectangle of the view to the map; neighbours share their border. */
static struct rect on_map(struct rect at, struct rect view)
{
	int x = (at.x - view.x) * (MAP_COLS - 1) / view.w, y = (at.y - view.y) * (MAP_ROWS - 1) / view.h,
	    right = (at.x + at.w - view.x) * (MAP_COLS - 1) / view.w,
	    bottom = (at.y + at.h - view.y) * (MAP_ROWS - 1) / view.h;

	return (struct rect){x, y, right - x, bottom - y};
}

/* Draw the panels of the view, from their hits, on the map. */
static void draw_map(const struct hits *hits, struct canvas *canvas, struct rect r)
{
	struct layout_map map = {0};
	struct rect view = {0, INT_MAX, canvas->cols, 0};
	int end = 0;

	for (unsigned i = 0; i < hits->n; i++)
		if (hits->list[i].kind == HIT_PANEL) {
			const struct rect *at = &hits->list[i].at;

			view.y = at->y < view.y ? at->y : view.y;
			end = at->y + at->h > end ? at->y + at->h : end;
		}
	view.h = end - view.y;
	for (unsigned i = 0; i < hits->n && end; i++) {
		struct rect at = on_map(hits->list[i].at, view);

		if (hits->list[i].kind != HIT_PANEL || !at.w || !at.h)
			continue;
		mark_line(&map, at.x, at.y, at.w, false);
		mark_line(&map, at.x, at.y + at.h, at.w, false);
		mark_line(&map, at.x, at.y, at.h, true);
		mark_line(&map, at.x + at.w, at.y, at.h, true);
	}
	for (int y = 0; y < MAP_ROWS; y++)
		for (int x = 0; x < MAP_COLS; x++)
			canvas_text(canvas, (struct rect){r.x + x, r.y + y, 1, 1}, STYLE_BORDER,
				    map_signs[map.sides[y][x]]);
	for (unsigned i = 0; i < hits->n && end; i++) {
		struct rect at = on_map(hits->list[i].at, view);

		if (hits->list[i].kind == HIT_PANEL && at.w > 1 && at.h > 1)
			canvas_printf(canvas, (struct rect){r.x + at.x + 2, r.y + at.y + 1, 1, 1}, STYLE_KEY,
				      "%c", hits->list[i].subject.chart->letter);
	}
}

void live_draw_layouts(struct live *l, const struct alert *alert)
{
	const struct foot_keys keys = {.keys = {{"\u2191 \u2193", "Up Down", "choose", 1},
						{"0-5", NULL, "layout", 1},
						{"letters", NULL, "show or hide a panel", 0},
						{"Enter", NULL, "keep", 0},
						{"F2", NULL, "save", 0},
						{"Esc", NULL, "cancel", 0}},
				       .n = 6};
	const struct view *view = l->screen.view;
	struct canvas *canvas = &l->canvas;
	struct rect r = canvas_rect(canvas), footer = rect_bottom(&r, 1), box;
	bool has_map = r.w >= MAP_FROM && r.h >= MAP_ROWS_FROM;
	int n = (int)count_layouts(l), h = has_map && n < MAP_ROWS ? MAP_ROWS + 2 : n + 2,
	    w = has_map ? CHOOSER_COLS + MAP_COLS : CHOOSER_COLS;
	char all[16], shown[16];

	screen_letters(&l->screen, all, shown);
	if (h > r.h / 2) {
		l->screen.hits.n = 0; /* in the row of the footer: "layout 5 own  g f u m s c - p" */
		canvas_fill(canvas, footer, STYLE_TEXT, ' ');
		rect_left(&footer, 1 + canvas_text(canvas, footer, STYLE_TITLE, " layout"));
		draw_layout(l, layout_at(l), all, canvas, footer);
		return;
	}
	frame_draw_footer(&(struct frame_text){.alert = alert, .keys = &keys, .dropped = ""}, canvas, footer);
	box = (struct rect){r.w > w ? r.w - w : 0, r.h - h, r.w < w ? r.w : w, h};
	canvas_fill(canvas, box, STYLE_TEXT, ' ');
	canvas_box(canvas, box, STYLE_BORDER);
	canvas_text(canvas, (struct rect){box.x + 2, box.y, box.w - 4, 1}, STYLE_TITLE,
		    " Layout of the Overview ");
	box = (struct rect){box.x + 2, box.y + 1, box.w - 4, box.h - 2};
	if (has_map)
		draw_map(&l->screen.hits, canvas, rect_right(&box, MAP_COLS));
	l->screen.hits.n = 0;
	for (unsigned i = 0; (int)i < n; i++)
		draw_layout(l, i, all, canvas, rect_top(&box, 1));
	rect_top(&box, 1);
	for (const char *p = all; *p && has_map && !l->screen.layout.minimal && box.h > 0; p++)
		for (unsigned i = 0; i < view->n_charts && !strchr(shown, *p); i++)
			if (view->charts[i].letter == *p && !view->charts[i].elsewhere) {
				canvas_printf(canvas, rect_top(&box, 1), STYLE_DIM, " hidden    %c %s", *p,
					      view->charts[i].title);
				break;
			}
}
