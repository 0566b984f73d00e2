/* Settings that can be changed while the screen runs and saved in the configuration file. */
#include "tui/live_priv.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define NAME_COLS 14
#define VALUE_COLS 18
#define PANEL_COLS 76
#define PANEL_EXTRA 3 /* rows besides the settings: borders, and the file where they are saved */

static const char *const flags[] = {"no", "yes", NULL};

/* Applies settings.now. Returns false, with the reason, if that is not possible now. */
typedef bool apply_fn(struct live *l, struct err *err);
static apply_fn apply_look, apply_refresh, apply_interval, apply_per_core, apply_budget, apply_view;

static const struct setting {
	const char *option;
	const char *const *values; /* values in order, NULL-terminated; NULL: the themes, or the views */
	apply_fn *apply;           /* NULL if the option is read at each use */
} settings[] = {
	{"theme", NULL, apply_look},
	{"color", (const char *const[]){"auto", "always", "never", NULL}, apply_look},
	{"ascii", flags, apply_look},
	{"refresh", (const char *const[]){"50ms", "100ms", "200ms", "500ms", "1s", "2s", "5s", NULL},
	 apply_refresh},
	{"interval",
	 (const char *const[]){"5ms", "10ms", "20ms", "50ms", "100ms", "200ms", "500ms", "1s", NULL},
	 apply_interval},
	{"per-core", flags, apply_per_core},
	{"fps", (const char *const[]){"24", "30", "50", "60", "72", "90", "120", "144", NULL}, apply_budget},
	{"resolution",
	 (const char *const[]){"1280x720", "1920x1080", "2400x1080", "2560x1440", "3840x2160", NULL},
	 apply_budget},
	{"snapshot", (const char *const[]){"txt", "csv", "txt,csv", "txt,csv,html", "html", NULL}, NULL},
	{"view", NULL, apply_view},
};

/* Return the i-th value of a setting, NULL after the last. */
static const char *value_at(const struct live *l, const struct setting *s, unsigned i)
{
	if (s->values)
		return s->values[i];
	if (s->apply == apply_look)
		return term_theme_name(i);
	return i < l->screen.views.n_views ? l->screen.views.views[i].name : NULL;
}

/* ---- applying a change ---- */

static bool apply_look(struct live *l, struct err *err)
{
	const struct options *o = &l->settings.now;

	(void)err;
	term_restyle(l->term,
		     &(struct term_options){.color = o->color, .theme = o->theme, .ascii = o->ascii});
	l->canvas.ascii = !term_utf8(l->term);
	return true;
}

static bool apply_refresh(struct live *l, struct err *err)
{
	int64_t ns = l->settings.now.refresh_ns;

	if (l->player)
		return err_set(err, 0, "refresh: a replay has that of its start");
	if (l->session.gpu && ns < l->session.gpu->asked_ns)
		return err_set(err, 0, "refresh: not below the sampling interval");
	feeds_set_refresh(&l->feeds, ns);
	l->next_step_ns = l->sys->monotonic_ns(l->sys) + ns;
	return true;
}

static bool apply_interval(struct live *l, struct err *err)
{
	int64_t ns = l->settings.now.interval_ns;

	if (l->player || !l->session.gpu)
		return err_set(err, 0, "interval: there is no GPU to sample");
	if (l->recorder)
		return err_set(err, 0, "interval: cannot change while logging; l ends the log");
	if (ns > l->feeds.refresh_ns)
		return err_set(err, 0, "interval: not longer than a refresh");
	feeds_set_interval(&l->feeds, l->session.gpu, ns);
	return true;
}

static bool apply_per_core(struct live *l, struct err *err)
{
	(void)err;
	if (l->screen.per_instance != l->settings.now.per_core)
		live_per_core(l); /* it reports the reason if it cannot */
	l->settings.now.per_core = l->screen.per_instance;
	return true;
}

static bool apply_budget(struct live *l, struct err *err)
{
	double fps = l->session.fps;
	struct dimensions resolution = l->session.resolution;

	l->session.fps = l->settings.now.fps;
	l->session.resolution = l->settings.now.resolution;
	if (live_renew(l, err))
		return true;
	l->session.fps = fps;
	l->session.resolution = resolution;
	return false;
}

/* The view of the next start. Its name belongs to the views, which a reload frees. */
static bool apply_view(struct live *l, struct err *err)
{
	struct settings *s = &l->settings;

	(void)err;
	snprintf(s->view, sizeof(s->view), "%s", s->now.view);
	s->now.view = s->view;
	return true;
}

/* ---- keys ---- */

void live_show_settings(struct live *l)
{
	struct settings *s = &l->settings;

	static_assert(ARRAY_LEN(settings) <= SETTINGS_MOST, "room for all settings");
	if (!s->begun)
		s->now = *l->options;
	s->begun = true;
	live_open(l, MODE_SETTINGS);
	s->now.refresh_ns = l->feeds.refresh_ns;
	if (l->session.gpu && l->session.gpu->asked_ns)
		s->now.interval_ns = l->session.gpu->asked_ns;
	s->now.per_core = l->screen.per_instance;
	s->now.fps = l->session.fps;
	s->now.resolution = l->session.resolution;
}

static void change_setting(struct live *l, int by, struct strbuf *said)
{
	const struct setting *s = &settings[l->settings.at];
	AUTO_STRBUF struct strbuf value = {0};
	const struct options before = l->settings.now;
	struct err err;
	int n = 0, at = -1;

	options_value(&l->settings.now, s->option, &value);
	for (; value_at(l, s, (unsigned)n); n++)
		if (value.n && strcmp(value.p, value_at(l, s, (unsigned)n)) == 0)
			at = n;
	at = at < 0 ? 0 : (at + by + n) % n;
	if (options_change(&l->settings.now, s->option, value_at(l, s, (unsigned)at), &err) &&
	    (!s->apply || s->apply(l, &err))) {
		l->settings.changed[l->settings.at] = true;
		return;
	}
	l->settings.now = before;
	strbuf_str(said, err.text);
}

/* Save the changed settings one by one, so that each step leaves a complete file. */
static void save_settings(struct live *l, struct strbuf *said)
{
	char path[256];
	unsigned n = 0;
	struct err err;

	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		AUTO_STRBUF struct strbuf value = {0};

		if (!l->settings.changed[i])
			continue;
		options_value(&l->settings.now, settings[i].option, &value);
		if (!options_save(l->options, settings[i].option, value.p, &err)) {
			strbuf_str(said, err.text);
			return;
		}
		l->settings.changed[i] = false;
		n++;
	}
	if (n)
		strbuf_printf(said, "settings: %u saved in %s", n,
			      str_printable(path, sizeof(path), l->options->config_path));
	else
		strbuf_str(said, "settings: nothing was changed");
}

enum key_answer live_key_in_settings(struct live *l, uint32_t key, struct strbuf *said)
{
	struct key_action does = keys_action(keys_everywhere, key, NEEDS_NO_TIMELINE);
	int n = ARRAY_LEN(settings);

	if (key == 'q' || does.action == ACTION_SETTINGS || does.action == ACTION_BACK)
		return KEY_CLOSES;
	if (does.action == ACTION_SELECT || does.action == ACTION_SCROLL)
		l->settings.at = (l->settings.at + does.number + n) % n;
	else if (key == K_LEFT || key == K_RIGHT)
		change_setting(l, key == K_LEFT ? -1 : 1, said);
	else if (key == 'w')
		save_settings(l, said);
	else
		return KEY_UNKNOWN;
	return KEY_TAKEN;
}

/* ---- drawing ---- */

static void draw_setting(const struct live *l, unsigned i, struct canvas *canvas, struct rect row)
{
	AUTO_STRBUF struct strbuf value = {0};
	bool selected = (int)i == l->settings.at;
	struct rect whole = row, name, at;
	char about[256];

	options_value(&l->settings.now, settings[i].option, &value);
	name = rect_left(&row, NAME_COLS);
	at = rect_left(&row, VALUE_COLS);
	rect_left(&name, 1);
	canvas_text(canvas, name, STYLE_TEXT, settings[i].option);
	canvas_text(canvas, rect_right(&at, 2), STYLE_VALUE, l->settings.changed[i] ? "*" : "");
	canvas_printf(canvas, at, STYLE_VALUE, selected ? "< %s >" : "  %s", value.n ? value.p : "");
	snprintf(about, sizeof(about), "%s%s",
		 settings[i].apply == apply_view ? "from the next start on: " : "",
		 options_about(settings[i].option));
	canvas_text_parts(canvas, row, STYLE_DIM, about);
	if (selected)
		canvas_restyle(canvas, whole, STYLE_SELECTED);
}

void live_draw_settings(struct live *l, const struct alert *alert)
{
	const struct foot_keys keys = {.keys = {{"\u2191 \u2193", "Up Down", "select", 1},
						{"\u2190 \u2192", "Left Right", "change", 0},
						{"w", NULL, "save", 0},
						{"F2 Esc", NULL, "close", 0}},
				       .n = 4};
	struct canvas *canvas = &l->canvas;
	struct rect r = canvas_rect(canvas), footer, inner;
	char path[256];
	int first, w, h;

	rect_top(&r, r.h > 14 ? 2 : 0); /* below header and tabs */
	footer = rect_bottom(&r, 1);
	l->screen.hits.n = 0;
	str_printable(path, sizeof(path),
		      l->options->config_path ? l->options->config_path : "nowhere: no HOME");
	/* at the lower left, over the view, which previews the theme */
	h = ARRAY_LEN(settings) + PANEL_EXTRA < (size_t)r.h ? (int)ARRAY_LEN(settings) + PANEL_EXTRA : r.h;
	w = r.w < PANEL_COLS ? r.w : PANEL_COLS;
	r = (struct rect){r.x + (r.w > w) * 2, r.y + r.h - h, w, h};
	canvas_fill(canvas, r, STYLE_TEXT, ' ');
	canvas_box(canvas, r, STYLE_BORDER);
	canvas_text(canvas, (struct rect){r.x + 2, r.y, r.w - 4, 1}, STYLE_TITLE, " Settings ");
	inner = (struct rect){r.x + 2, r.y + 1, r.w - 4, r.h - 2};
	if (inner.h > (int)ARRAY_LEN(settings))
		canvas_printf(canvas, rect_bottom(&inner, 1), STYLE_DIM, "* not saved; w saves in %s", path);
	first = l->settings.at >= inner.h ? l->settings.at - inner.h + 1 : 0;
	for (unsigned i = (unsigned)first; i < ARRAY_LEN(settings) && inner.h > 0; i++)
		draw_setting(l, i, canvas, rect_top(&inner, 1));
	frame_draw_footer(&(struct frame_text){.alert = alert, .keys = &keys, .dropped = ""}, canvas, footer);
}
