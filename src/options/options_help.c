#include "options/options_table.h"

#include <stdio.h>
#include <string.h>

#define HELP_WIDTH 80
#define HELP_INDENT 27 /* where the explanations begin */

static void help_option(const struct option_row *row, struct strbuf *out)
{
	char left[64], right[512];
	int n;

	n = snprintf(left, sizeof(left), row->letter ? "  -%c, --%s" : "  %c   --%s", row->letter ? row->letter : ' ', row->name);
	if (row->arg)
		n += snprintf(left + n, sizeof(left) - (size_t)n, row->without ? "[=%s]" : " %s", row->arg);
	snprintf(right, sizeof(right), row->standard ? "%s (default: %s)" : "%s", row->help, row->standard);
	if (n + 1 >= HELP_INDENT)
		strbuf_printf(out, "%s\n%*s", left, HELP_INDENT, "");
	else
		strbuf_printf(out, "%-*s", HELP_INDENT, left);
	strbuf_wrap(out, HELP_INDENT, HELP_INDENT, HELP_WIDTH, right);
}

void options_help(const struct options *options, struct strbuf *out)
{
	const struct command_row *command = &command_rows[options->command];

	if (command->name) {
		strbuf_printf(out, "Usage: %s\n", command->usage);
	} else {
		for (unsigned c = 0; c < COMMAND_COUNT; c++)
			strbuf_printf(out, "%s%s\n", c ? "       " : "Usage: ", command_rows[c].usage);
	}
	strbuf_wrap(out, 0, 0, HELP_WIDTH, command->help);
	strbuf_str(out, "\nOptions:\n");
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & 1u << options->command)
			help_option(row, out);
	strbuf_str(out, "\n");
	strbuf_wrap(out, 0, 0, HELP_WIDTH,
		    "TIME is a decimal number with ns, us, ms, s or m. Exit status: 0 done, 1 failed, 2 wrong usage; record "
		    "and stat pass the status of their command on.");
}

void options_version(struct strbuf *out, const char *version, const char *build_options, const char *licence)
{
	strbuf_printf(out, "malitop %s\n%s\n%s\n", version, build_options, licence);
}
