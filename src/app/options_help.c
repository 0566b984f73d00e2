#include "app/options_table.h"

#include <stdio.h>
#include <string.h>

#define HELP_WIDTH 80
#define HELP_INDENT 27 /* where the explanations begin */

/* Append words from column `at` on, continued at HELP_INDENT. */
static void wrap(struct strbuf *out, unsigned at, unsigned indent, const char *text)
{
	struct span rest = span_of(text), word;
	bool first = true;

	while ((word = span_word(&rest)).n) {
		if (!first && at + 1 + word.n > HELP_WIDTH) {
			strbuf_printf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			strbuf_str(out, " ");
			at++;
		}
		strbuf_add(out, word.p, word.n);
		at += (unsigned)word.n;
		first = false;
	}
	strbuf_str(out, "\n");
}

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
	wrap(out, HELP_INDENT, HELP_INDENT, right);
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
	wrap(out, 0, 0, command->help);
	strbuf_str(out, "\nOptions:\n");
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & 1u << options->command)
			help_option(row, out);
	strbuf_str(out, "\n");
	wrap(out, 0, 0,
	     "TIME is a decimal number with ns, us, ms, s or m. Exit status: 0 done, 1 failed, 2 wrong usage; record passes the "
	     "status of its command on.");
}

void options_version(struct strbuf *out, const char *version, const char *build_options, const char *licence)
{
	strbuf_printf(out, "malitop %s\n%s\n%s\n", version, build_options, licence);
}
