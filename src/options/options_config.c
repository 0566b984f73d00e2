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

	if (dir && dir[0] == '/') /* the specification has relative ones ignored */
		return options_keep(options, xasprintf("%s/malitop/%s", dir, name));
	if (home && home[0] == '/')
		return options_keep(options, xasprintf("%s/.config/malitop/%s", home, name));
	return NULL;
}

bool options_set(struct options *options, const struct option_row *row, const char *text, const char *prefix, struct err *err)
{
	if (row->kind->parse(row, text, (char *)options + row->offset, options, err))
		return true;
	return err_prefix(err, "%s%s: ", prefix, row->name);
}

static bool apply_field(struct options *options, struct stanza *s, const struct stanza_line *line, struct err *err)
{
	const struct option_row *row = option_row_find(line->key);
	char prefix[512];

	if (!row || !row->config)
		return stanza_fail(s, line->line, err, "'%.*s': expected an option that malitop --print-config shows",
				   line->key.n > 40 ? 40 : (int)line->key.n, line->key.p);
	snprintf(prefix, sizeof(prefix), "%s:%u: ", s->file, line->line);
	return options_set(options, row, options_keep(options, span_dup(line->value)), prefix, err);
}

static bool apply_config(struct options *options, const char *path, struct span text, bool *interval, bool *refresh,
			 struct err *err)
{
	struct stanza_line line;
	struct stanza s;

	stanza_init(&s, path, text);
	for (;;) {
		if (!stanza_next(&s, &line, err))
			return false;
		if (line.kind == STANZA_END)
			return true;
		if (line.kind == STANZA_OPEN && (!span_is(line.key, "options") || line.value.n))
			return stanza_fail(&s, line.line, err, "'%.*s': expected options",
					   line.text.n > 40 ? 40 : (int)line.text.n, line.text.p);
		if (line.kind == STANZA_ROW)
			return stanza_fail(&s, line.line, err, "indented too far: expected an option, indented by two blanks");
		if (line.kind == STANZA_FIELD && !apply_field(options, &s, &line, err))
			return false;
		*interval = *interval || (line.kind == STANZA_FIELD && span_is(line.key, "interval"));
		*refresh = *refresh || (line.kind == STANZA_FIELD && span_is(line.key, "refresh"));
	}
}

enum exit_status options_config(struct options *options, bool *interval, bool *refresh, struct err *err)
{
	const char *path = options->config ? options->config : options_xdg(options, "config");
	AUTOFREE char *text = NULL;
	char name[256];
	struct err why;
	size_t n;

	if (!path)
		return EXIT_DONE;
	if (!file_read(path, CONFIG_MAX, &text, &n, &why)) {
		/* Nobody needs to have one; and HOME may be that of another user, as it is for a shell that dropped its rights. */
		if (!options->config && (why.code == ENOENT || why.code == ENOTDIR || why.code == EACCES))
			return EXIT_DONE;
		*err = why;
		return EXIT_FAILED;
	}
	str_printable(name, sizeof(name), path);
	return apply_config(options, name, (struct span){text, n}, interval, refresh, err) ? EXIT_DONE : EXIT_USAGE;
}

void options_print_config(const struct options *options, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf value = {0};

	strbuf_str(out, "options\n");
	for (const struct option_row *row = option_rows; row->name; row++) {
		strbuf_clear(&value);
		if (row->config && row->kind->print)
			row->kind->print(row, (const char *)options + row->offset, &value);
		if (value.n)
			strbuf_printf(out, "  %-12s %s\n", row->name, value.p);
	}
	for (unsigned i = 0; i < options->n_gpudb; i++)
		if (options->gpudb[i].must_exist)
			strbuf_printf(out, "  %-12s %s\n", "gpudb", options->gpudb[i].path);
}
