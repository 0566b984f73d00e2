/* Terminfo. Only this file and term_entry.c include curses. */
#include "term/term_key.h"
#include "term/term_priv.h"
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After our own headers, because term.h of curses defines hundreds of short names as macros. */
#include <curses.h>
#include <term.h>

/* The first matching prefix counts. Terminals older than Unicode and mouse mode 1006, or without a
 * font for more than their own characters, get plain ASCII and no private modes. */
static const struct term_kind kinds[] = {
	{"vte", true, true, true},       {"vt", false, false, false},
	{"linux", false, false, false},  {"ansi", false, false, false},
	{"cons25", false, false, false}, {"sun", false, false, false},
	{"xterm", true, true, true},     {"tmux", true, true, true},
	{"screen", true, true, true},    {"alacritty", true, true, true},
	{"foot", true, true, true},      {"kitty", true, true, true},
	{"wezterm", true, true, true},   {"contour", true, true, true},
	{"ghostty", true, true, true},   {"konsole", true, true, true},
	{"gnome", true, true, true},     {"mintty", true, true, true},
	{"iterm", true, true, true},     {"rxvt-unicode", false, true, true},
	{"st-", false, true, true},      {"putty", false, true, true},
	{"", false, false, true},
};

static const struct {
	const char *cap;
	uint32_t key;
} key_caps[] = {
	{"kcuu1", K_UP},    {"kcud1", K_DOWN},    {"kcub1", K_LEFT}, {"kcuf1", K_RIGHT},
	{"kpp", K_PAGE_UP}, {"knp", K_PAGE_DOWN}, {"khome", K_HOME}, {"kend", K_END},
	{"kf1", K_F1},      {"kcbt", K_BACK_TAB}, {"kf3", K_F3},     {"kf4", K_F4},
	{"kf5", K_F5},      {"kf6", K_F6},        {"kf9", K_F9},     {"kf10", K_F10},
};
_Static_assert(sizeof(key_caps) / sizeof(key_caps[0]) <=
		       sizeof(((struct input *)0)->caps) / sizeof(((struct input *)0)->caps[0]),
	       "a key of terminfo has no room");

static TERMINAL *entry;
static bool built_in; /* the built-in entry is used */

const struct term_kind *term_kind(const char *name)
{
	const struct term_kind *kind = kinds;

	while (strncmp(name, kind->prefix, strlen(kind->prefix)))
		kind++;
	return kind;
}

static const char *cap_string(const char *name)
{
	const char *s = tigetstr(name);

	return s == (char *)-1 ? NULL : s;
}

/* Append a text up to a '%' or its end, without padding ("$<5>" is 5 ms): terminals that still
 * need it have flow control. Returns the rest. */
static const char *add_plain(struct strbuf *out, const char *text)
{
	while (*text && *text != '%') {
		size_t plain = strcspn(text, "$%");
		const char *end =
			text[plain] == '$' && text[plain + 1] == '<' ? strchr(text + plain, '>') : NULL;

		if (text[plain] == '$' && !end)
			plain++;
		strbuf_add(out, text, plain);
		text = end ? end + 1 : text + plain;
	}
	return text;
}

static void add_decimal(struct strbuf *out, unsigned n)
{
	char text[12], *p = text + sizeof(text);

	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10));
	strbuf_add(out, p, (size_t)(text + sizeof(text) - p));
}

/* Fill in parameters that are plain numbers, as almost all in a frame are, because tparm takes ten
 * times as long. Returns false, with nothing appended, if the text has other parameters. */
static bool add_numbers(struct strbuf *out, const char *text, int a, int b)
{
	size_t start = out->n;
	int first = 0;

	for (text = add_plain(out, text); *text; text = add_plain(out, text)) {
		if (text[1] == 'i') {
			first = 1;
			text += 2;
		} else if (text[1] == 'p' && (text[2] == '1' || text[2] == '2') && text[3] == '%' &&
			   text[4] == 'd') {
			add_decimal(out, (unsigned)((text[2] == '1' ? a : b) + first));
			text += 5;
		} else {
			out->n = start;
			return false;
		}
	}
	return true;
}

static void add_filled(struct strbuf *out, const char *text, int a, int b)
{
	if (add_numbers(out, text, a, b))
		return;
	text = tparm(text, (long)a, (long)b, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
	for (text = add_plain(out, text ? text : ""); *text; text = add_plain(out, text + 1))
		strbuf_str(out, "%");
}

static void add_cap(struct strbuf *out, const char *name)
{
	const char *s = cap_string(name);

	if (s)
		add_filled(out, s, 0, 0);
}

static bool takes_mouse(const struct term_kind *kind)
{
	return kind->mouse && cap_string("kmous");
}

/* CSI ? 2004; current terminals ignore it if they do not support it. */
static bool takes_paste(const struct term_kind *kind)
{
	return kind->mouse || cap_string("BE");
}

const char *term_note(void)
{
	return built_in ? "terminal: the terminfo entry of TERM is missing: using a built-in one" : NULL;
}

/* The built-in entry suits every kind that is known. */
static bool set_up(const char *term, int fd)
{
	int found = 0;

	built_in = false;
	if (setupterm(term, fd, &found) == OK || found == 1)
		return true;
	if (!*term_kind(term)->prefix)
		return false;
	built_in = true;
	entry_use_built_in(term);
	return setupterm(term, fd, &found) == OK;
}

bool caps_open(int fd, struct err *err)
{
	const char *term = getenv("TERM");
	char name[64];

	if (!term || !*term)
		return err_set(err, 0,
			       "terminal: TERM is not set: set it to the kind of your terminal, as in "
			       "TERM=xterm, or try --once for one frame as text");
	str_printable(name, sizeof(name), term);
	use_env(FALSE); /* LINES and COLUMNS may be wrong; ask the kernel for the size */
	use_tioctl(TRUE);
	if (!set_up(term, fd))
		return err_set(err, 0,
			       "terminal: TERM=%s has no terminfo entry here: try TERM=xterm-256color or "
			       "TERM=vt100, or --once for one frame as text",
			       name);
	entry = cur_term;
	if (cap_string("cup") && cap_string("clear"))
		return true;
	caps_close();
	return err_set(err, 0,
		       "terminal: TERM=%s cannot place its cursor: try --once for one frame as text, or "
		       "'malitop record -o FILE' for a log",
		       name);
}

void caps_close(void)
{
	if (entry)
		del_curterm(entry);
	entry = NULL;
}

void caps_setup(const struct term_kind *kind, bool enter, struct strbuf *out)
{
	if (enter)
		add_cap(out, "smcup");
	add_cap(out, "smkx");
	add_cap(out, "civis");
	if (takes_mouse(kind))
		strbuf_str(out, "\x1b[?1002h\x1b[?1006h");
	if (takes_paste(kind))
		strbuf_str(out, "\x1b[?2004h");
}

void caps_restore(const struct term_kind *kind, int rows, struct strbuf *out)
{
	const char *cup = cap_string("cup");
	bool alternate = cap_string("rmcup") != NULL;

	if (kind->sync)
		strbuf_str(out, "\x1b[?2026l");
	if (takes_paste(kind))
		strbuf_str(out, "\x1b[?2004l");
	if (takes_mouse(kind))
		strbuf_str(out, "\x1b[?1006l\x1b[?1002l");
	add_cap(out, "op");
	add_cap(out, "sgr0");
	if (!alternate && cup)
		add_filled(out, cup, rows - 1, 0);
	if (!alternate)
		add_cap(out, "el");
	add_cap(out, "cnorm");
	add_cap(out, "rmkx");
	add_cap(out, "rmcup");
	if (!alternate)
		strbuf_str(out, "\r\n");
}

void caps_keys(struct input *input)
{
	input->n_caps = 0;
	for (unsigned i = 0; i < ARRAY_LEN(key_caps); i++) {
		const char *seq = cap_string(key_caps[i].cap);

		if (seq && *seq)
			input->caps[input->n_caps++] = (struct term_keycap){seq, key_caps[i].key};
	}
}

#define CAP_NAME(cap, name) #name,
static const char *const cap_names[CAP_COUNT] = {CAPS(CAP_NAME)};

void caps_strings(struct term_strings *strings)
{
	static const struct {
		int bit; /* of ncv */
		unsigned attr;
	} not_colored[] = {{2, LOOK_UNDERLINE}, {4, LOOK_REVERSE}, {16, LOOK_DIM}, {32, LOOK_BOLD}};
	int ncv = tigetnum("ncv");

	*strings = (struct term_strings){.am = tigetflag("am") > 0,
					 .xenl = tigetflag("xenl") > 0,
					 .msgr = tigetflag("msgr") > 0,
					 .add = add_filled};
	for (unsigned i = 0; i < CAP_COUNT; i++)
		strings->cap[i] = cap_string(cap_names[i]);
	for (unsigned i = 0; i < ARRAY_LEN(not_colored); i++)
		if (ncv > 0 && (ncv & not_colored[i].bit))
			strings->not_colored |= not_colored[i].attr;
}

enum depth caps_depth(enum color_mode mode)
{
	const char *no_color = getenv("NO_COLOR");
	int colors = tigetnum("colors");

	if (mode == COLOR_NEVER || (mode == COLOR_AUTO && no_color && *no_color) || !cap_string("setaf") ||
	    colors < 8)
		return DEPTH_MONO;
	/* Above 256 colours, a number above 7 is an RGB value. */
	return colors == 256 ? DEPTH_256 : colors > 256 || colors < 16 ? DEPTH_8 : DEPTH_16;
}

void caps_size(int *cols, int *rows)
{
	int c = tigetnum("cols"), r = tigetnum("lines");

	*cols = c > 0 ? c : 80;
	*rows = r > 0 ? r : 24;
}
