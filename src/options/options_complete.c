#include "options/options_table.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

void option_candidate(const struct option_completion *c, struct span text, const char *help,
		      struct strbuf *out)
{
	char shown[160], *end;

	if (text.n < c->word.n || !span_eq((struct span){text.p, c->word.n}, c->word))
		return;
	str_printable(shown, sizeof(shown), help ? help : "");
	end = strstr(shown, ". ");
	if (end)
		*end = 0; /* the first sentence is enough */
	strbuf_printf(out, "%.*s%.*s\t%s\n", SPAN_ARG(c->kept), SPAN_ARG(text), shown);
}

/* The option that a word names. value->p is NULL unless the word has its argument too. */
static const struct option_row *find_option(const char *word, struct span *value)
{
	struct span rest = span_of(word), name;

	*value = (struct span){NULL, 0};
	if (strncmp(word, "--", 2) == 0) {
		rest = span_of(word + 2);
		name = span_until(&rest, '=');
		if (name.p[name.n] == '=')
			*value = span_of(name.p + name.n + 1);
		return option_row_find(name);
	}
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->letter && word[0] == '-' && word[1] == row->letter) {
			if (word[2])
				*value = span_of(word + 2);
			return row;
		}
	return NULL;
}

/* The argument of an option; `kept` is what stands before it in the same word. */
static void complete_value(const struct option_row *row, struct option_completion *c, struct span kept,
			   struct span value, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf names = {0};
	struct span rest, name;
	size_t comma = value.n;

	c->hint = row->hint ? row->hint : "words";
	c->lists = row->lists;
	while (strcmp(c->hint, "list") == 0 && comma > 0 && value.p[comma - 1] != ',')
		comma--;
	if (strcmp(c->hint, "list") != 0)
		comma = 0;
	c->kept = (struct span){kept.n ? kept.p : value.p, kept.n + comma};
	c->word = (struct span){value.p + comma, value.n - comma};
	for (unsigned i = 0; row->choices && row->choices[i]; i++)
		if (row->choices != output_format_names || command_rows[c->command].formats & 1u << i)
			option_candidate(c, span_of(row->choices[i]), NULL, out);
	if (row->choices || !row->names)
		return;
	row->names(&names);
	for (rest = span_of(names.p); (name = span_item(&rest)).n;)
		option_candidate(c, name, NULL, out);
}

static void add_options(const struct option_completion *c, struct strbuf *out)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		char word[64];
		int n = snprintf(word, sizeof(word), "--%s", row->name);

		if (row->commands & 1u << c->command)
			option_candidate(c, (struct span){word, (size_t)n},
					 option_meaning_of(row, c->command).help, out);
	}
}

/* The n-th operand, from 0. */
static void complete_operand(struct option_completion *c, unsigned n, const char *first, struct strbuf *out)
{
	const struct command_row *command = &command_rows[c->command];
	bool is_help = n == 1 && strcmp(first, "help") == 0;

	for (unsigned i = 0; i < COMMAND_COUNT && (n == 0 || is_help); i++)
		if (command_rows[i].name)
			option_candidate(c, span_of(command_rows[i].name), command_rows[i].help, out);
	if (n == 0) {
		option_candidate(c, span_of("help"), "The same as --help.", out);
		c->hint = "files mlog";
	} else if (command->hint && n <= command->operands) {
		c->hint = command->hint;
		c->lists = command->lists;
		for (unsigned i = 0; c->command == COMMAND_LIST && list_names[i]; i++)
			option_candidate(c, span_of(list_names[i]), NULL, out);
	} else if (!is_help && !c->word.n) {
		add_options(c, out);
	}
}

static void note_value(struct option_completion *c, const struct option_row *row, struct span value)
{
	if (strcmp(row->name, "gpu") == 0)
		c->gpu = value;
}

void options_complete(char *const *words, struct option_completion *c, struct strbuf *out)
{
	const struct option_row *row, *waits = NULL; /* an option that still needs its argument */
	const char *first = "";
	unsigned n_operands = 0;
	struct span value;

	*c = (struct option_completion){.hint = "words", .command = COMMAND_LIVE};
	for (; words[0] && words[1]; words++) {
		row = waits ? waits : find_option(*words, &value);
		if (waits) {
			note_value(c, row, span_of(*words));
			waits = NULL;
		} else if (strcmp(*words, "--") == 0) {
			c->hint = command_rows[c->command].runs ? "command" : "files";
			return;
		} else if (row && value.p) {
			note_value(c, row, value);
		} else if (row) {
			waits = row->arg && !row->without ? row : NULL;
		} else if (n_operands++ == 0) {
			first = *words;
			if (!command_find(first, &c->command) && file_has_ending(first, ".mlog"))
				c->command = COMMAND_REPLAY;
		}
	}
	c->word = span_of(*words);
	row = words[0] ? find_option(*words, &value) : NULL;
	if (waits)
		complete_value(waits, c, (struct span){NULL, 0}, c->word, out);
	else if (row && row->arg && value.p)
		complete_value(row, c, (struct span){*words, (size_t)(value.p - *words)}, value, out);
	else if (c->word.n && c->word.p[0] == '-')
		add_options(c, out);
	else
		complete_operand(c, n_operands, first, out);
}
