#include "options/options_table.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define HELP_WIDTH 80
#define HELP_INDENT 27 /* column of the explanations */

struct option_meaning option_meaning_of(const struct option_row *row, enum command_word command)
{
	for (const struct option_meaning *m = row->meanings; m && m->commands; m++)
		if (m->commands & 1u << command)
			return *m;
	return (struct option_meaning){row->commands, row->help, row->standard};
}

static void add_help(const struct option_row *row, const char *help, struct strbuf *out)
{
	strbuf_str(out, help);
	if (row->names) {
		strbuf_str(out, ": ");
		row->names(out);
	}
}

static void help_option(const struct option_row *row, enum command_word command, struct strbuf *out)
{
	const struct option_meaning meaning = option_meaning_of(row, command);
	AUTO_STRBUF struct strbuf right = {0};
	char left[64];
	int n;

	n = snprintf(left, sizeof(left), row->letter ? "  -%c, --%s" : "  %c   --%s",
		     row->letter ? row->letter : ' ', row->name);
	if (row->arg)
		n += snprintf(left + n, sizeof(left) - (size_t)n, row->without ? "[=%s]" : " %s", row->arg);
	add_help(row, meaning.help, &right);
	if (meaning.standard)
		strbuf_printf(&right, " (default: %s)", meaning.standard);
	if (n + 1 >= HELP_INDENT)
		strbuf_printf(out, "%s\n%*s", left, HELP_INDENT, "");
	else
		strbuf_printf(out, "%-*s", HELP_INDENT, left);
	strbuf_wrap(out, HELP_INDENT, HELP_INDENT, HELP_WIDTH, right.p);
}

void options_help(const struct options *options, struct strbuf *out)
{
	enum command_word command = options->command;
	bool has_times = false;

	if (command == COMMAND_LIVE) {
		for (unsigned c = 0; c < COMMAND_COUNT; c++)
			strbuf_printf(out, "%s%s\n", c ? "       " : "Usage: ", command_rows[c].usage);
		strbuf_str(out, "       malitop help [COMMAND]\n");
	} else {
		strbuf_printf(out, "Usage: %s\n", command_rows[command].usage);
	}
	strbuf_wrap(out, 0, 0, HELP_WIDTH, command_rows[command].help);
	strbuf_str(out, "\nOptions:\n");
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & 1u << command) {
			help_option(row, command, out);
			has_times |= row->kind == &kind_time;
		}
	strbuf_str(out, "\n");
	if (has_times)
		strbuf_wrap(out, 0, 0, HELP_WIDTH, "TIME is a decimal number with ns, us, ms, s, m, h or d.");
	strbuf_wrap(
		out, 0, 0, HELP_WIDTH,
		option_row_find(SPAN_LIT("fail-on"))->commands & 1u << command
			? "Exit status: 0 success, 1 failure, 2 usage error, 3 a finding of --fail-on held."
			: "Exit status: 0 success, 1 failure, 2 usage error.");
}

/* ---- the whole table ---- */

/* Call `add` for the commands among these for which the option means this. */
static void each_meaning(const struct option_row *row, const struct option_meaning *meaning,
			 void (*add)(void *ctx, const struct option_entry *entry), void *ctx)
{
	AUTOFREE char *arg = row->without ? xasprintf("[=%s]", row->arg) : xstrdup(row->arg ? row->arg : "");
	struct option_entry entry = {.name = row->name,
				     .arg = arg,
				     .letter = row->letter,
				     .standard = meaning->standard,
				     .config = row->config};

	for (unsigned c = 0; c < COMMAND_COUNT; c++)
		if (meaning->commands & 1u << c)
			strbuf_printf(&entry.commands, "%s%s", entry.commands.n ? " " : "",
				      command_rows[c].name ? command_rows[c].name : "live");
	add_help(row, meaning->help, &entry.help);
	add(ctx, &entry);
	strbuf_fini(&entry.commands);
	strbuf_fini(&entry.help);
}

void options_each(void (*add)(void *ctx, const struct option_entry *entry), void *ctx)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		struct option_meaning rest = {row->commands, row->help, row->standard};

		for (const struct option_meaning *m = row->meanings; m && m->commands; m++)
			rest.commands &= ~m->commands;
		each_meaning(row, &rest, add, ctx);
		for (const struct option_meaning *m = row->meanings; m && m->commands; m++)
			each_meaning(row, m, add, ctx);
	}
}

void options_version(struct strbuf *out, const char *version, const char *build_options, const char *licence)
{
	strbuf_printf(out, "malitop %s\n%s\n%s\n", version, build_options, licence);
}
