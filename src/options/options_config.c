#include "options/options_table.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/stanza.h"
#include "term/term_key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_MAX ((size_t)1 << 20) /* bytes */

const char *options_keep(struct options *options, char *text)
{
	GROW(options->owned, options->n_owned, options->cap_owned);
	options->owned[options->n_owned++] = text;
	return text;
}

const char *options_xdg(struct options *options, const char *name)
{
	const char *dir = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (dir && dir[0] == '/') /* the specification ignores relative paths */
		return options_keep(options, xasprintf("%s/malitop/%s", dir, name));
	if (home && home[0] == '/')
		return options_keep(options, xasprintf("%s/.config/malitop/%s", home, name));
	return NULL;
}

bool options_set(struct options *options, const struct option_row *row, const char *text, const char *prefix,
		 struct err *err)
{
	if (row->kind->parse(row, text, (char *)options + row->offset, err))
		return true;
	return err_prefix(err, "%s%s: ", prefix, row->name);
}

static bool apply_field(struct options *options, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	const struct option_row *row = option_row_find(line->key);
	char prefix[512];

	if (!row || !row->config)
		return stanza_fail(s, line->line, err,
				   "'%.*s': expected an option that malitop --print-config shows",
				   line->key.n > 40 ? 40 : (int)line->key.n, line->key.p);
	snprintf(prefix, sizeof(prefix), "%s:%u: ", s->file, line->line);
	if (!options->print_config && !(row->commands & 1u << options->command)) {
		struct options other = {.command = options->command}; /* only checked */
		bool ok = options_set(&other, row, options_keep(&other, span_dup(line->value)), prefix, err);

		options_fini(&other);
		return ok;
	}
	return options_set(options, row, options_keep(options, span_dup(line->value)), prefix, err);
}

enum config_part { PART_OTHER, PART_OPTIONS, PART_KEYS, PART_BOARDS }; /* other readers take the others */

static bool open_part(const struct stanza *s, const struct stanza_line *line, enum config_part *part,
		      struct err *err)
{
	*part = PART_OTHER;
	if (span_is(line->key, "options") && !line->value.n)
		*part = PART_OPTIONS;
	else if (span_is(line->key, "keys") && !line->value.n)
		*part = PART_KEYS;
	else if (span_is(line->key, "boards") && !line->value.n)
		*part = PART_BOARDS;
	else if (!span_is(line->key, "view") && !gpudb_knows_stanza(line->key))
		return stanza_fail(s, line->line, err,
				   "'%.*s': expected options, keys, boards, view, chart, metric, finding or "
				   "another stanza of data",
				   line->text.n > 40 ? 40 : (int)line->text.n, line->text.p);
	return true;
}

/* "rk3588-04  root@rk3588-04.lab" */
static bool add_board(struct options *options, struct stanza *s, const struct stanza_line *line,
		      struct err *err)
{
	if (!line->value.n)
		return stanza_fail(s, line->line, err, "'%.*s': expected a name and where that board is",
				   SPAN_ARG(line->key));
	GROW(options->boards, options->n_boards, options->cap_boards);
	options->boards[options->n_boards].name = options_keep(options, span_dup(line->key));
	options->boards[options->n_boards++].where = options_keep(options, span_dup(line->value));
	return true;
}

static bool apply_config(struct options *options, const char *path, struct span text, bool *interval,
			 bool *refresh, struct err *err)
{
	enum config_part part = PART_OTHER;
	struct stanza_line line;
	struct stanza s;
	bool ok = true;

	stanza_init(&s, path, text);
	while (ok && stanza_next(&s, &line, err)) {
		if (line.kind == STANZA_END)
			return true;
		if (line.kind == STANZA_OPEN)
			ok = open_part(&s, &line, &part, err);
		else if (part == PART_OTHER)
			continue;
		else if (line.kind == STANZA_ROW)
			ok = stanza_fail(&s, line.line, err,
					 "indented too far: expected an option, indented by two blanks");
		else if (part == PART_BOARDS)
			ok = add_board(options, &s, &line, err);
		else if (part == PART_KEYS)
			ok = option_keys_field(options, &s, &line, err);
		else
			ok = apply_field(options, &s, &line, err);
		*interval |=
			part == PART_OPTIONS && line.kind == STANZA_FIELD && span_is(line.key, "interval");
		*refresh |= part == PART_OPTIONS && line.kind == STANZA_FIELD && span_is(line.key, "refresh");
	}
	return false;
}

enum exit_status options_config(struct options *options, bool *interval, bool *refresh, struct err *err)
{
	const char *path = options->config ? options->config : options_xdg(options, "config");
	AUTOFREE char *text = NULL;
	char name[256];
	struct err why;
	size_t n;

	options->config_path = path;
	if (!path)
		return EXIT_DONE;
	if (!file_read(path, CONFIG_MAX, &text, &n, &why)) {
		/* The user's own file is optional, and HOME may belong to another user (a shell
		 * that dropped privileges). */
		if (!options->config && (why.code == ENOENT || why.code == ENOTDIR || why.code == EACCES))
			return EXIT_DONE;
		*err = why;
		if (options->config)
			err_prefix(err, "--config: ");
		return EXIT_FAILED;
	}
	str_printable(name, sizeof(name), path);
	GROW(options->gpudb, options->n_gpudb, options->cap_gpudb);
	options->gpudb[options->n_gpudb++] = (struct gpudb_dir){path, false};
	return apply_config(options, name, (struct span){text, n}, interval, refresh, err) ? EXIT_DONE
											   : EXIT_USAGE;
}

/* ---- keys of the user's own: the stanza `keys` ---- */

static const struct {
	const char *name;
	uint32_t key;
} key_names[] = {
	{"space", ' '},       {"enter", K_ENTER},  {"tab", K_TAB},        {"backtab", K_BACK_TAB},
	{"escape", K_ESCAPE}, {"up", K_UP},        {"down", K_DOWN},      {"left", K_LEFT},
	{"right", K_RIGHT},   {"pgup", K_PAGE_UP}, {"pgdn", K_PAGE_DOWN}, {"home", K_HOME},
	{"end", K_END},       {"f1", K_F1},        {"f2", K_F2},          {"f3", K_F3},
	{"f4", K_F4},         {"f5", K_F5},        {"f6", K_F6},          {"f7", K_F7},
	{"f8", K_F8},         {"f9", K_F9},        {"f10", K_F10},
};

/* A name, or one character. */
static bool parse_key(struct span word, uint32_t *key)
{
	const char *p = word.p;

	for (size_t i = 0; i < ARRAY_LEN(key_names); i++)
		if (span_is(word, key_names[i].name)) {
			*key = key_names[i].key;
			return true;
		}
	if (!word.n)
		return false;
	*key = utf8_next(&p, word.p + word.n);
	return p == word.p + word.n && *key > ' ' && *key != 0xfffd;
}

bool option_keys_field(struct options *options, const struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	struct option_key k;

	if (!parse_key(line->key, &k.key) || !parse_key(line->value, &k.means))
		return stanza_fail(s, line->line, err,
				   "'%.*s': expected a key and the key whose meaning it gets: characters, or "
				   "space, enter, tab, backtab, escape, up, down, left, right, pgup, pgdn, "
				   "home, end, f1 to f10",
				   line->text.n > 40 ? 40 : (int)line->text.n, line->text.p);
	GROW(options->keys, options->n_keys, options->cap_keys);
	options->keys[options->n_keys++] = k;
	return true;
}

uint32_t options_key(const struct options *options, uint32_t key)
{
	for (unsigned i = options->n_keys; i-- > 0;)
		if (options->keys[i].key == key)
			return options->keys[i].means;
	return key;
}

static void print_key(uint32_t key, struct strbuf *out)
{
	char utf8[4];

	for (size_t i = 0; i < ARRAY_LEN(key_names); i++)
		if (key_names[i].key == key) {
			strbuf_str(out, key_names[i].name);
			return;
		}
	strbuf_add(out, utf8, utf8_put(utf8, key));
}

void option_keys_print(const struct options *options, struct strbuf *out)
{
	strbuf_str(out,
		   "\n# A key, and the key of malitop (?) whose meaning it gets; not while a text is typed.\n"
		   "keys\n  # p          space\n");
	for (unsigned i = 0; i < options->n_keys; i++) {
		AUTO_STRBUF struct strbuf name = {0};

		print_key(options->keys[i].key, &name);
		strbuf_printf(out, "  %-12s ", name.p);
		print_key(options->keys[i].means, out);
		strbuf_str(out, "\n");
	}
}
