/* The chooser of layouts of the Overview: the view below it is the preview. */
#include "tui/live_priv.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define CHOOSER_COLS 44

/* The layout that is shown, as an option names it. */
static const char *layout_name(const struct live *l)
{
	const struct screen_layout *at = screen_layouts;

	if (l->screen.layout.minimal)
		return "minimal";
	while (at->name && strcmp(at->letters, l->screen.layout.letters) != 0)
		at++;
	return at->name ? at->name : l->screen.layout.letters;
}

/* Position in the list: the named ones, then the user's own. */
static unsigned layout_at(const struct live *l)
{
	const char *name = layout_name(l);
	unsigned i = 0;

	while (screen_layouts[i].name && strcmp(screen_layouts[i].name, name) != 0)
		i++;
	return i;
}

static unsigned count_layouts(const struct live *l)
{
	unsigned n = 0;

	while (screen_layouts[n].name)
		n++;
	return n + (l->own_layout[0] != 0);
}

static void choose_layout(struct live *l, unsigned at)
{
	if (at < count_layouts(l))
		screen_lay_out(&l->screen, screen_layouts[at].name ? screen_layouts[at].name : l->own_layout);
}

void live_show_layouts(struct live *l)
{
	screen_show(&l->screen, views_find(&l->screen.views, "overview"));
	snprintf(l->layout_before, sizeof(l->layout_before), "%s", layout_name(l));
	if (!screen_layouts[layout_at(l)].name)
		snprintf(l->own_layout, sizeof(l->own_layout), "%s", l->screen.layout.letters);
	l->screen.layout.choosing = true;
	live_open(l, MODE_LAYOUT);
}

void live_close_layouts(struct live *l)
{
	l->screen.layout.choosing = false;
}

/* Hide a panel or show it; what comes out is the user's own layout. */
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

static void save_layout(struct live *l, struct strbuf *said)
{
	char path[256];
	struct err err;

	if (options_save(l->options, "layout", layout_name(l), &err))
		strbuf_printf(said, "layout: saved in %s",
			      str_printable(path, sizeof(path), l->options->config_path));
	else
		strbuf_str(said, err.text);
}

enum key_answer live_key_in_layouts(struct live *l, uint32_t key, struct strbuf *said)
{
	char all[16], shown[16];

	screen_letters(&l->screen, all, shown);
	if (key == K_ENTER || key == 'L')
		return KEY_CLOSES;
	if (key == K_ESCAPE || key == 'q') {
		screen_lay_out(&l->screen, l->layout_before);
		return KEY_CLOSES;
	}
	if (key == K_F2)
		save_layout(l, said);
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

/* ">5 own      g f u m s c · p" */
static void draw_layout(const struct live *l, unsigned at, const char *all, struct canvas *canvas,
			struct rect row)
{
	const char *name = screen_layouts[at].name ? screen_layouts[at].name : "own",
		   *letters = screen_layouts[at].name ? screen_layouts[at].letters : l->own_layout;
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

void live_draw_layouts(struct live *l, const struct alert *alert)
{
	const struct foot_keys keys = {.keys = {{"\u2191 \u2193", "Up Down", "choose", 1},
						{"0-5", NULL, "layout", 1},
						{"letters", NULL, "show or hide a panel", 0},
						{"Enter", NULL, "keep", 0},
						{"F2", NULL, "save", 0},
						{"Esc", NULL, "as before", 0}},
				       .n = 6};
	struct canvas *canvas = &l->canvas;
	struct rect r = canvas_rect(canvas), footer = rect_bottom(&r, 1), box;
	unsigned n = count_layouts(l);
	char all[16], shown[16];

	screen_letters(&l->screen, all, shown);
	l->screen.hits.n = 0;
	frame_draw_footer(&(struct frame_text){.alert = alert, .keys = &keys, .dropped = ""}, canvas, footer);
	box = (struct rect){r.w > CHOOSER_COLS ? r.w - CHOOSER_COLS : 0, r.h - (int)n - 2,
			    r.w < CHOOSER_COLS ? r.w : CHOOSER_COLS, (int)n + 2};
	if (box.y < 2)
		return; /* the footer says what the keys do */
	canvas_fill(canvas, box, STYLE_TEXT, ' ');
	canvas_box(canvas, box, STYLE_BORDER);
	canvas_text(canvas, (struct rect){box.x + 2, box.y, box.w - 4, 1}, STYLE_TITLE,
		    " Layout of the Overview ");
	box = (struct rect){box.x + 2, box.y + 1, box.w - 4, box.h - 2};
	for (unsigned i = 0; i < n; i++)
		draw_layout(l, i, all, canvas, rect_top(&box, 1));
}
