#include "options/options_table.h"

#include <stdio.h>
#include <string.h>

#define HELP_WIDTH 80
#define HELP_INDENT 27 /* column of the explanations */

static struct option_meaning meaning_of(const struct option_row *row, enum command_word command)
{
	for (const struct option_meaning *m = row->meanings; m && m->commands; m++)
		if (m->commands & 1u << command)
			return *m;
	return (struct option_meaning){row->commands, row->help, row->standard};
}

static void help_option(const struct option_row *row, enum command_word command, struct strbuf *out)
{
	const struct option_meaning meaning = meaning_of(row, command);
	AUTO_STRBUF struct strbuf right = {0};
	char left[64];
	int n;

	n = snprintf(left, sizeof(left), row->letter ? "  -%c, --%s" : "  %c   --%s",
		     row->letter ? row->letter : ' ', row->name);
	if (row->arg)
		n += snprintf(left + n, sizeof(left) - (size_t)n, row->without ? "[=%s]" : " %s", row->arg);
	strbuf_str(&right, meaning.help);
	if (row->names) {
		strbuf_str(&right, ": ");
		row->names(&right);
	}
	if (meaning.standard)
		strbuf_printf(&right, " (default: %s)", meaning.standard);
	if (n + 1 >= HELP_INDENT)
		strbuf_printf(out, "%s\n%*s", left, HELP_INDENT, "");
	else
		strbuf_printf(out, "%-*s", HELP_INDENT, left);
	strbuf_wrap(out, HELP_INDENT, HELP_INDENT, HELP_WIDTH, right.p);
}

static void help_usage(enum command_word command, struct strbuf *out)
{
	if (command != COMMAND_LIVE) {
		strbuf_printf(out, "Usage: %s\n", command_rows[command].usage);
		return;
	}
	for (unsigned c = 0; c < COMMAND_COUNT; c++)
		strbuf_printf(out, "%s%s\n", c ? "       " : "Usage: ", command_rows[c].usage);
	strbuf_str(out, "       malitop help [COMMAND]\n");
}

void options_help(const struct options *options, struct strbuf *out)
{
	enum command_word command = options->command;
	bool has_times = false;

	help_usage(command, out);
	strbuf_wrap(out, 0, 0, HELP_WIDTH, command_rows[command].help);
	strbuf_str(out, "\nOptions:\n");
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & 1u << command) {
			help_option(row, command, out);
			has_times |= row->kind == &kind_time;
		}
	strbuf_str(out, "\n");
	if (has_times)
		strbuf_wrap(out, 0, 0, HELP_WIDTH, "TIME is a decimal number with ns, us, ms, s or m.");
	strbuf_wrap(out, 0, 0, HELP_WIDTH, "Exit status: 0 success, 1 failure, 2 usage error.");
}

void options_version(struct strbuf *out, const char *version, const char *build_options, const char *licence)
{
	strbuf_printf(out, "malitop %s\n%s\n%s\n", version, build_options, licence);
}
