/* The terminfo entry that a board without terminfo has. The format is described in term(5). */
#include "base/alloc.h"
#include "term/term_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For strnames[]. After our own headers, because term.h of curses defines hundreds of short names
 * as macros. */
#include <curses.h>
#include <term.h>

#define MAGIC 0432
#define NUMBER_COLUMNS 0
#define NUMBER_LINES 2
#define NUMBER_COLORS 13
#define NUMBER_PAIRS 14

/* What all terminals of the last decades support: parts of ECMA-48 and the VT220; and the alternate
 * screen, which the rest ignore. */
static const struct built_in {
	const char *name, *value, *wide; /* wide: instead with 256 colours; NULL: the same */
} built_in[] = {
	{"clear", "\x1b[H\x1b[2J", NULL},
	{"cup", "\x1b[%i%p1%d;%p2%dH", NULL},
	{"el", "\x1b[K", NULL},
	{"ed", "\x1b[J", NULL},
	{"bold", "\x1b[1m", NULL},
	{"rev", "\x1b[7m", NULL},
	{"smul", "\x1b[4m", NULL},
	{"rmul", "\x1b[24m", NULL},
	{"sgr0", "\x1b[m", NULL},
	{"op", "\x1b[39;49m", NULL},
	{"setaf", "\x1b[3%p1%dm", "\x1b[38;5;%p1%dm"},
	{"setab", "\x1b[4%p1%dm", "\x1b[48;5;%p1%dm"},
	{"civis", "\x1b[?25l", NULL},
	{"cnorm", "\x1b[?25h", NULL},
	{"smcup", "\x1b[?1049h", NULL},
	{"rmcup", "\x1b[?1049l", NULL},
	{"home", "\x1b[H", NULL},
	{"cr", "\r", NULL},
	{"cud1", "\n", NULL},
	{"ind", "\n", NULL},
};
/* The cursor waits after the last column until the next character, and moves with any attribute. */
static const char *const built_in_flags[] = {"am", "xenl", "msgr"};
/* With 8 and with 256 colours, by their places in an entry. */
static const int built_in_numbers[][2] = {[NUMBER_COLUMNS] = {80, 80},
					  [NUMBER_LINES] = {24, 24},
					  [NUMBER_COLORS] = {8, 256},
					  [NUMBER_PAIRS] = {64, INT16_MAX}};

static const char *built_in_value(const char *name, bool is_wide)
{
	for (size_t i = 0; i < ARRAY_LEN(built_in); i++)
		if (strcmp(name, built_in[i].name) == 0)
			return is_wide && built_in[i].wide ? built_in[i].wide : built_in[i].value;
	return NULL;
}

static void add_number(struct strbuf *out, int v)
{
	const char bytes[2] = {(char)(v & 0xff), (char)(v >> 8 & 0xff)};

	strbuf_add(out, bytes, sizeof(bytes));
}

static void entry_build(const char *name, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf table = {0}, offsets = {0};
	const int n_numbers = ARRAY_LEN(built_in_numbers);
	const bool is_wide = strstr(name, "256color");
	int n = 0, n_flags = 0;

	while (boolnames[n_flags])
		n_flags++;
	for (; strnames[n]; n++) {
		const char *value = built_in_value(strnames[n], is_wide);

		add_number(&offsets, value ? (int)table.n : -1);
		if (value)
			strbuf_add(&table, value, strlen(value) + 1);
	}
	const int header[] = {MAGIC, (int)strlen(name) + 1, n_flags, n_numbers, n, (int)table.n};

	for (unsigned i = 0; i < ARRAY_LEN(header); i++)
		add_number(out, header[i]);
	strbuf_add(out, name, strlen(name) + 1);
	for (int i = 0; i < n_flags; i++) {
		bool is_set = false;

		for (unsigned k = 0; k < ARRAY_LEN(built_in_flags); k++)
			is_set |= strcmp(boolnames[i], built_in_flags[k]) == 0;
		strbuf_add(out, is_set ? "\1" : "", 1);
	}
	if (out->n % 2)
		strbuf_add(out, "", 1);
	for (int i = 0; i < n_numbers; i++)
		add_number(out, built_in_numbers[i][is_wide] ? built_in_numbers[i][is_wide] : -1);
	strbuf_add(out, offsets.p, offsets.n);
	strbuf_add(out, table.p, table.n);
}

void entry_use_built_in(const char *name)
{
	AUTO_STRBUF struct strbuf bytes = {0}, text = {0};

	entry_build(name, &bytes);
	strbuf_str(&text, "hex:");
	for (size_t i = 0; i < bytes.n; i++)
		strbuf_printf(&text, "%02X", (unsigned char)bytes.p[i]);
	setenv("TERMINFO", text.p, 1);
}
