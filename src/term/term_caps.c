/* What the terminal's terminfo entry says. Beside term.c the only file that includes curses. */
#include "tui/keys.h"
#include "term/term_priv.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* After ours: term.h of curses defines hundreds of short names as macros, none of which is used here. */
#include <curses.h>
#include <term.h>

/* The first prefix that fits counts. Terminals that were built before Unicode and mouse mode 1006, or have no font for more than
 * their own characters, get plain ASCII and no private modes. */
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
	{"kcuu1", K_UP},      {"kcud1", K_DOWN}, {"kcub1", K_LEFT}, {"kcuf1", K_RIGHT}, {"kpp", K_PAGE_UP},
	{"knp", K_PAGE_DOWN}, {"khome", K_HOME}, {"kend", K_END},   {"kf1", K_F1},      {"kcbt", K_BACK_TAB},
};
_Static_assert(sizeof(key_caps) / sizeof(key_caps[0]) <= sizeof(((struct input *)0)->caps) / sizeof(((struct input *)0)->caps[0]),
	       "a key of terminfo has no room");

static TERMINAL *probe;     /* ours; newterm makes another one for itself */
static struct strbuf *sink; /* where tputs puts: it takes a function without an argument for it */

static int sink_put(int c)
{
	char byte = (char)c;

	strbuf_add(sink, &byte, 1);
	return c;
}

const struct term_kind *term_kind(const char *name)
{
	const struct term_kind *kind = kinds;

	while (strncmp(name, kind->prefix, strlen(kind->prefix)))
		kind++;
	return kind;
}

static const char *cap(const char *name)
{
	const char *s = tigetstr(name);

	return s == (char *)-1 ? NULL : s;
}

/* Adds a capability, with what it says about padding resolved. */
static void add(struct strbuf *out, const char *name)
{
	const char *s = cap(name);

	sink = out;
	if (s)
		tputs(s, 1, sink_put);
}

static bool takes_mouse(const struct term_kind *kind)
{
	return kind->mouse && cap("kmous");
}

bool caps_open(int fd, struct err *err)
{
	const char *term = getenv("TERM");
	char name[64];
	int found = 0;

	if (!term || !*term)
		return err_set(err, 0,
			       "terminal: TERM is not set: set it to the kind of your terminal, as in TERM=xterm, or try "
			       "--once for one frame as text");
	str_printable(name, sizeof(name), term);
	if (setupterm(term, fd, &found) == ERR && found != 1)
		return err_set(err, 0,
			       "terminal: TERM=%s has no terminfo entry here: try TERM=xterm-256color or TERM=vt100, or "
			       "--once for one frame as text",
			       name);
	probe = cur_term;
	if (cap("cup") && cap("clear"))
		return true;
	caps_close();
	return err_set(err, 0,
		       "terminal: TERM=%s cannot place its cursor: try --once for one frame as text, or 'malitop record "
		       "-o FILE' for a log",
		       name);
}

void caps_close(void)
{
	if (probe)
		del_curterm(probe);
	probe = NULL;
}

void caps_setup(const struct term_kind *kind, bool enter, struct strbuf *out)
{
	if (enter)
		add(out, "smcup");
	add(out, "smkx");
	add(out, "civis");
	if (takes_mouse(kind))
		strbuf_str(out, "\x1b[?1000h\x1b[?1006h");
}

void caps_restore(const struct term_kind *kind, int rows, struct strbuf *out)
{
	const char *cup = cap("cup");
	bool alternate = cap("rmcup") != NULL;

	if (kind->sync)
		strbuf_str(out, "\x1b[?2026l");
	if (takes_mouse(kind))
		strbuf_str(out, "\x1b[?1006l\x1b[?1000l");
	add(out, "op");
	add(out, "sgr0");
	sink = out;
	if (!alternate && cup)
		tputs(tparm(cup, (long)rows - 1, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L), 1, sink_put);
	if (!alternate)
		add(out, "el");
	add(out, "cnorm");
	add(out, "rmkx");
	add(out, "rmcup");
	if (!alternate)
		strbuf_str(out, "\r\n");
}

void caps_keys(struct input *input)
{
	input->n_caps = 0;
	for (unsigned i = 0; i < ARRAY_LEN(key_caps); i++) {
		const char *seq = cap(key_caps[i].cap);

		if (seq && *seq)
			input->caps[input->n_caps++] = (struct term_keycap){seq, key_caps[i].key};
	}
}

enum depth caps_depth(enum color_mode mode)
{
	const char *no_color = getenv("NO_COLOR");
	int colors = tigetnum("colors");

	if (mode == COLOR_NEVER || (mode == COLOR_AUTO && no_color && *no_color) || !cap("setaf") || colors < 8)
		return DEPTH_MONO;
	/* Beyond 256 a number is a colour itself, except the first eight. */
	return colors == 256 ? DEPTH_256 : colors > 256 || colors < 16 ? DEPTH_8 : DEPTH_16;
}

void caps_size(int *cols, int *rows)
{
	int c = tigetnum("cols"), r = tigetnum("lines");

	*cols = c > 0 ? c : 80;
	*rows = r > 0 ? r : 24;
}
