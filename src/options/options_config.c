#include "options/options_table.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/stanza.h"

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

static bool is_of_others(struct span keyword)
{
	return span_is(keyword, "view") || gpudb_knows_stanza(keyword);
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
	else if (!is_of_others(line->key))
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
		return EXIT_FAILED;
	}
	str_printable(name, sizeof(name), path);
	GROW(options->gpudb, options->n_gpudb, options->cap_gpudb);
	options->gpudb[options->n_gpudb++] = (struct gpudb_dir){path, false};
	return apply_config(options, name, (struct span){text, n}, interval, refresh, err) ? EXIT_DONE
											   : EXIT_USAGE;
}
