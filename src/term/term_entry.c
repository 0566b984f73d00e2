/* Check the terminfo entry before ncurses reads it. ncurses trusts the offsets in a compiled entry,
 * so a damaged one can make it crash, wait for years or draw for ever. A damaged entry is replaced
 * by the built-in one, and so is one that is missing, as on a board without terminfo. The format is
 * described in term(5). */
#include "base/alloc.h"
#include "base/file.h"
#include "term/term_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For strnames[]. After our own headers, because term.h of curses defines hundreds of short names
 * as macros. */
#include <curses.h>
#include <term.h>

#define MAGIC 0432
#define MAGIC_32 01036 /* numbers have 32 bits */
#define ENTRY_MAX 32768
#define SIZE_MOST 1000 /* columns or rows; more would only waste memory */
#define STRING_MOST 512
#define PADDING_MOST 4 /* digits of milliseconds */
#define NUMBER_COLUMNS 0
#define NUMBER_LINES 2

struct entry_reader {
	const unsigned char *p, *end;
	bool ok;
};

/* The next n bytes. Returns NULL, then and for all later calls, if there are fewer. */
static const unsigned char *take_bytes(struct entry_reader *r, size_t n)
{
	const unsigned char *p = r->p;

	r->ok = r->ok && n <= (size_t)(r->end - r->p);
	if (!r->ok)
		return NULL;
	r->p += n;
	return p;
}

/* Little-endian, signed, 2 or 4 bytes. */
static int number_at(const unsigned char *p, size_t bytes)
{
	unsigned v = (unsigned)p[0] | (unsigned)p[1] << 8;

	if (bytes == 2)
		return (int16_t)v;
	return (int)(v | (unsigned)p[2] << 16 | (unsigned)p[3] << 24);
}

static unsigned take_count(struct entry_reader *r)
{
	const unsigned char *p = take_bytes(r, 2);
	int v = p ? number_at(p, 2) : -1;

	r->ok = r->ok && v >= 0;
	return r->ok ? (unsigned)v : 0;
}

static void align_number(struct entry_reader *r, const unsigned char *start)
{
	if ((r->p - start) % 2)
		take_bytes(r, 1);
}

/* Whether the string ends inside its table, is not too long, and has no noticeable delay. */
static bool is_string(const char *table, size_t size, int offset)
{
	size_t length, digits;
	const char *s;

	if (offset < 0 || (size_t)offset >= size)
		return false;
	s = table + offset;
	length = strnlen(s, size - (size_t)offset);
	if (length == size - (size_t)offset || length > STRING_MOST)
		return false;
	for (s = strstr(s, "$<"); s; s = strstr(s + 2, "$<")) {
		digits = strspn(s + 2, "0123456789");
		if (digits > PADDING_MOST)
			return false;
	}
	return true;
}

/* Whether a parameter is formatted as text (%s, %l). ncurses would use a number there as an
 * address. */
static bool formats_text(const char *s)
{
	for (s = strchr(s, '%'); s; s = strchr(s, '%')) {
		s++;
		if (*s == ':')
			s += 1 + strspn(s + 1, "-+");
		s += strspn(s, "# .0123456789");
		if (*s == 's' || *s == 'l')
			return true;
		if (*s)
			s++; /* including the second % of %% */
	}
	return false;
}

/* Whether capability i takes a text as a parameter: programmable keys and labels do. */
static bool may_format_text(unsigned i)
{
	static const char *const names[] = {"pfkey", "pfloc", "pfx", "pfxl", "pln"};

	for (unsigned n = 0; n < i; n++)
		if (!strnames[n])
			return true; /* unknown, so never used */
	for (unsigned n = 0; strnames[i] && n < ARRAY_LEN(names); n++)
		if (strcmp(strnames[i], names[n]) == 0)
			return true;
	return !strnames[i];
}

/* Check the strings at these offsets; -1 is absent, -2 is cancelled. Returns the number of bytes
 * that they use. */
static size_t check_strings(struct entry_reader *r, const unsigned char *offsets, unsigned n,
			    const char *table, size_t size, bool extended)
{
	size_t used = 0;

	for (unsigned i = 0; r->ok && i < n; i++) {
		int offset = number_at(offsets + (size_t)2 * i, 2);

		if (offset == -1 || offset == -2)
			continue;
		r->ok = is_string(table, size, offset) &&
			(extended || !formats_text(table + offset) || may_format_text(i));
		used += r->ok ? strlen(table + offset) + 1 : 0;
	}
	return used;
}

static void check_names(struct entry_reader *r, const unsigned char *offsets, unsigned n, const char *table,
			size_t size)
{
	for (unsigned i = 0; r->ok && i < n; i++)
		r->ok = is_string(table, size, number_at(offsets + (size_t)2 * i, 2));
}

/* Check the user-defined capabilities: their values, then all their names. Offsets of names count
 * from the end of the values. */
static void check_extended(struct entry_reader *r, const unsigned char *start, size_t number_size)
{
	unsigned bools, numbers, strings, items, size;
	const unsigned char *offsets;
	const char *table;
	size_t used;

	align_number(r, start);
	bools = take_count(r);
	numbers = take_count(r);
	strings = take_count(r);
	items = take_count(r);
	size = take_count(r);
	take_bytes(r, bools);
	align_number(r, start);
	take_bytes(r, number_size * numbers);
	r->ok = r->ok && items >= bools + numbers + strings;
	offsets = take_bytes(r, (size_t)2 * (bools + numbers + 2 * strings));
	table = (const char *)take_bytes(r, size);
	used = r->ok ? check_strings(r, offsets, strings, table, size, true) : 0;
	if (r->ok && used <= size)
		check_names(r, offsets + (size_t)2 * strings, bools + numbers + strings, table + used,
			    size - used);
	r->ok = r->ok && used <= size;
}

static bool is_size(const unsigned char *numbers, unsigned n, size_t number_size, unsigned i)
{
	return i >= n || number_at(numbers + number_size * i, number_size) <= SIZE_MOST;
}

bool entry_is_valid(const void *bytes, size_t n)
{
	const unsigned char *start = bytes, *names, *values, *offsets;
	struct entry_reader r = {start, start + n, true};
	unsigned magic = take_count(&r), names_size = take_count(&r), bools = take_count(&r),
		 numbers = take_count(&r), strings = take_count(&r), size = take_count(&r);
	size_t number_size = magic == MAGIC_32 ? 4 : 2;
	const char *table;

	names = take_bytes(&r, names_size);
	take_bytes(&r, bools);
	align_number(&r, start);
	values = take_bytes(&r, number_size * numbers);
	offsets = take_bytes(&r, (size_t)2 * strings);
	table = (const char *)take_bytes(&r, size);
	if (!r.ok || (magic != MAGIC && magic != MAGIC_32) || n > ENTRY_MAX || !names_size ||
	    names[names_size - 1])
		return false;
	check_strings(&r, offsets, strings, table, size, false);
	if (r.ok && r.end - r.p > 1)
		check_extended(&r, start, number_size);
	return r.ok && is_size(values, numbers, number_size, NUMBER_COLUMNS) &&
	       is_size(values, numbers, number_size, NUMBER_LINES);
}

/* ---- where to find it ---- */

enum found { FOUND_NONE, FOUND_VALID, FOUND_DAMAGED };

/* An entry is in the subdirectory of its first letter, or of that letter's hexadecimal code. */
static enum found look_in(const char *dir, size_t n, const char *name)
{
	for (unsigned i = 0; n && i < 2; i++) {
		AUTOFREE char *path = i ? xasprintf("%.*s/%02x/%s", (int)n, dir, (unsigned char)name[0], name)
					: xasprintf("%.*s/%c/%s", (int)n, dir, name[0], name);
		AUTOFREE char *text = NULL;
		struct err err;
		size_t size;

		if (file_read(path, ENTRY_MAX, &text, &size, &err))
			return entry_is_valid(text, size) ? FOUND_VALID : FOUND_DAMAGED;
		if (err.code != ENOENT && err.code != ENOTDIR && err.code != EACCES)
			return FOUND_DAMAGED;
	}
	return FOUND_NONE;
}

/* Search in the same order as ncurses. */
bool entry_is_damaged(const char *name)
{
	static const char standard[] =
		"/etc/terminfo:/lib/terminfo:/usr/share/terminfo:/usr/lib/terminfo:/usr/local/share/terminfo";
	const char *own = getenv("TERMINFO"), *home = getenv("HOME"), *dirs = getenv("TERMINFO_DIRS");
	AUTOFREE char *all = xasprintf("%s:%s%s:%s:%s", own ? own : "", home ? home : "",
				       home ? "/.terminfo" : "", dirs ? dirs : "", standard);
	enum found found = FOUND_NONE;

	if (strchr(name, '/'))
		return false; /* ncurses refuses such a name */
	if (own && (strncmp(own, "hex:", 4) == 0 || strncmp(own, "b64:", 4) == 0))
		return true; /* TERMINFO is the entry itself; it is not checked */
	for (const char *p = all; *p && found == FOUND_NONE; p += strspn(p, ":")) {
		size_t n = strcspn(p, ":");

		found = look_in(p, n, name);
		p += n;
	}
	return found == FOUND_DAMAGED;
}

/* ---- the built-in entry ---- */

/* What all terminals of the last decades support: parts of ECMA-48 and the VT220; and the alternate
 * screen, which the rest ignore. */
static const struct built_in {
	const char *name, *value;
} built_in[] = {
	{"clear", "\x1b[H\x1b[2J"},
	{"cup", "\x1b[%i%p1%d;%p2%dH"},
	{"el", "\x1b[K"},
	{"ed", "\x1b[J"},
	{"bold", "\x1b[1m"},
	{"rev", "\x1b[7m"},
	{"smul", "\x1b[4m"},
	{"rmul", "\x1b[24m"},
	{"sgr0", "\x1b[m"},
	{"op", "\x1b[39;49m"},
	{"setaf", "\x1b[3%p1%dm"},
	{"setab", "\x1b[4%p1%dm"},
	{"civis", "\x1b[?25l"},
	{"cnorm", "\x1b[?25h"},
	{"smcup", "\x1b[?1049h"},
	{"rmcup", "\x1b[?1049l"},
	{"home", "\x1b[H"},
	{"cr", "\r"},
	{"cud1", "\n"},
	{"ind", "\n"},
};
/* In their place with 256 colours. */
static const struct built_in wide[] = {{"setaf", "\x1b[38;5;%p1%dm"}, {"setab", "\x1b[48;5;%p1%dm"}};
/* The cursor waits after the last column until the next character, and moves with any attribute. */
static const char *const built_in_flags[] = {"am", "xenl", "msgr"};
#define NUMBER_COLORS 13
#define NUMBER_PAIRS 14
static const int built_in_numbers[] = {
	[NUMBER_COLUMNS] = 80, [NUMBER_LINES] = 24, [NUMBER_COLORS] = 8, [NUMBER_PAIRS] = 64};

static const char *find_value(const struct built_in *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i].name) == 0)
			return list[i].value;
	return NULL;
}

static const char *built_in_value(const char *name, bool is_wide)
{
	const char *value = is_wide ? find_value(wide, ARRAY_LEN(wide), name) : NULL;

	return value ? value : find_value(built_in, ARRAY_LEN(built_in), name);
}

static int built_in_number(int i, bool is_wide)
{
	if (is_wide && i == NUMBER_COLORS)
		return 256;
	if (is_wide && i == NUMBER_PAIRS)
		return INT16_MAX;
	return built_in_numbers[i] ? built_in_numbers[i] : -1;
}

static bool has_built_in_flag(const char *name)
{
	for (unsigned i = 0; i < ARRAY_LEN(built_in_flags); i++)
		if (strcmp(name, built_in_flags[i]) == 0)
			return true;
	return false;
}

static void add_number(struct strbuf *out, int v)
{
	const char bytes[2] = {(char)(v & 0xff), (char)(v >> 8 & 0xff)};

	strbuf_add(out, bytes, sizeof(bytes));
}

void entry_build(const char *name, struct strbuf *out)
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
	for (int i = 0; i < n_flags; i++)
		strbuf_add(out, has_built_in_flag(boolnames[i]) ? "\1" : "", 1);
	if (out->n % 2)
		strbuf_add(out, "", 1);
	for (int i = 0; i < n_numbers; i++)
		add_number(out, built_in_number(i, is_wide));
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
