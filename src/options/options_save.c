/* What the program writes of its configuration: all of it with its help, one line of the file, or
 * a chart of the user's own. */
#include "options/options_table.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>

#define FILE_MAX ((size_t)1 << 20) /* bytes */
#define COMMENT_WIDTH 100

static void print_value(const struct option_row *row, const struct options *options, struct strbuf *out)
{
	if (row->kind->print)
		row->kind->print(row, (const char *)options + row->offset, out);
}

static void print_option(const struct option_row *row, const struct options *options,
			 const struct options *standard, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf value = {0}, other = {0}, help = {0};
	struct span rest, line;

	print_value(row, options, &value);
	print_value(row, standard, &other);
	strbuf_wrap(&help, 4, 0, COMMENT_WIDTH, row->help);
	for (rest = span_of(help.p); rest.n;) {
		line = span_until(&rest, '\n');
		strbuf_printf(out, "  # %.*s\n", SPAN_ARG(line));
	}
	if (value.n && (!other.n || strcmp(value.p, other.p) != 0))
		strbuf_printf(out, "  %-12s %s\n", row->name, value.p);
	else
		strbuf_printf(out, "  # %-10s %s\n", row->name,
			      other.n         ? other.p
			      : row->standard ? row->standard
			      : row->arg      ? row->arg
					      : "yes");
}

void options_print_config(const struct options *options, struct strbuf *out)
{
	struct options standard = {.command = options->command};

	options_defaults(&standard);
	strbuf_str(out,
		   "# The configuration of malitop: malitop/config in the XDG directory, or --config FILE.\n"
		   "# Options on the command line win. Those in comments have their defaults. The file may "
		   "also\n"
		   "# have views, metrics and findings of your own (OWN VIEWS in "
		   "malitop-views(5)).\n\noptions\n");
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->config && row->kind != &kind_gpudb)
			print_option(row, options, &standard, out);
	strbuf_str(out, "  # own GPUs, metrics, findings and views: a directory or a file; repeatable\n");
	for (unsigned i = 0; i < options->n_gpudb; i++)
		if (options->gpudb[i].must_exist)
			strbuf_printf(out, "  %-12s %s\n", "gpudb", options->gpudb[i].path);
	option_keys_print(options, out);
	options_fini(&standard);
}

/* ---- changing one option ---- */

/* Whether a line of the stanza is this option, or its comment. */
static bool is_option_line(struct span line, const char *name, bool comment)
{
	struct span rest = span_trim(line), word = span_word(&rest);

	if (!line.n || line.p[0] != ' ')
		return false;
	if (comment && span_is(word, "#"))
		word = span_word(&rest);
	else if (comment)
		return false;
	return span_is(word, name);
}

void options_edit(struct span text, const char *name, const char *value, struct strbuf *out)
{
	struct span rest = text, old = {0}, comment = {0}, head = {0};
	bool mine = false;
	const char *end;

	while (rest.n) {
		struct span line = span_until(&rest, '\n'), words = line, word = span_word(&words);

		if (line.n && line.p[0] != ' ' && line.p[0] != '#' && word.n)
			mine = span_is(word, "options");
		if (mine && span_is(word, "options"))
			head = line;
		else if (mine && is_option_line(line, name, false))
			old = line; /* the last one counts */
		else if (mine && is_option_line(line, name, true))
			comment = line;
	}
	end = old.p ? old.p : comment.p ? comment.p + comment.n : head.p ? head.p + head.n : text.p + text.n;
	strbuf_add(out, text.p, (size_t)(end - text.p));
	if (!old.p && out->n && out->p[out->n - 1] != '\n')
		strbuf_str(out, "\n");
	if (!old.p && !head.p)
		strbuf_printf(out, "%soptions\n", out->n ? "\n" : "");
	strbuf_printf(out, "  %-12s %s", name, value);
	end += old.n;
	if (end == text.p + text.n || *end != '\n')
		strbuf_str(out, "\n");
	strbuf_add(out, end, (size_t)(text.p + text.n - end));
}

struct options_line {
	const char *name, *value;
};

static bool edit_line(void *ctx, struct span text, struct strbuf *out)
{
	const struct options_line *line = ctx;

	options_edit(text, line->name, line->value, out);
	return true;
}

bool options_save(const struct options *options, const char *name, const char *value, struct err *err)
{
	struct options_line line = {name, value};

	if (!options->config_path)
		return err_set(err, 0,
			       "configuration: no place for it: set HOME, or start with --config FILE");
	return file_edit(options->config_path, FILE_MAX, edit_line, &line, err);
}

void options_value(const struct options *options, const char *name, struct strbuf *out)
{
	print_value(option_row_find(span_of(name)), options, out);
}

const char *options_about(const char *name)
{
	return option_row_find(span_of(name))->help;
}

bool options_change(struct options *options, const char *name, const char *text, struct err *err)
{
	return options_set(options, option_row_find(span_of(name)), text, "", err);
}

/* ---- the file of the user's own charts, which the screen adds metrics to ---- */

#define OWN_CHART "my-metrics"

static const char head[] = "# Metrics that the key e adds, in the explanation of a metric on the screen. "
			   "Edit this file as you like;\n"
			   "# the key U reads it again. OWN VIEWS in malitop-views(5) describes it.\n\n"
			   "view my\n"
			   "  title        My charts\n";
static const char chart[] = "\nchart " OWN_CHART "\n"
			    "  title        Metrics\n"
			    "  widget       rows\n";

bool options_own_edit(struct span text, const char *metric, struct strbuf *out)
{
	struct span rest = text;
	const char *end = NULL; /* of the last field of our chart */
	bool mine = false;

	while (rest.n) {
		struct span line = span_until(&rest, '\n'), words = line, word = span_word(&words);
		bool field = line.n && line.p[0] == ' ';

		if (!field && word.n && word.p[0] != '#')
			mine = span_is(word, "chart") && span_is(span_trim(words), OWN_CHART);
		if (mine && span_is(word, "series") && span_is(span_word(&words), metric))
			return false;
		if (mine && word.n && word.p[0] != '#')
			end = line.p + line.n;
	}
	strbuf_add(out, text.p, end ? (size_t)(end - text.p) : text.n);
	if (out->n && out->p[out->n - 1] != '\n')
		strbuf_str(out, "\n");
	if (!end)
		strbuf_printf(out, "%s%s", text.n ? "\nview my\n  title        My charts\n" : head, chart);
	strbuf_printf(out, "  series       %s\n", metric);
	if (end && end < text.p + text.n)
		strbuf_add(out, end + 1, (size_t)(text.p + text.n - end - 1));
	return true;
}

struct own_metric {
	const char *name;
	bool *added;
};

static bool edit_own(void *ctx, struct span text, struct strbuf *out)
{
	const struct own_metric *metric = ctx;

	*metric->added = options_own_edit(text, metric->name, out);
	return *metric->added;
}

bool options_own_add(const struct options *options, const char *metric, bool *added, struct err *err)
{
	if (!options->own_view)
		return err_set(err, 0, "own charts: no place for them: set HOME");
	return file_edit(options->own_view, FILE_MAX, edit_own, &(struct own_metric){metric, added}, err);
}
