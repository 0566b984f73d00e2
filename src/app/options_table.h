/* options_table: one row per option and per command; shared by the files of options, nobody else. */
#ifndef MALITOP_OPTIONS_TABLE_H
#define MALITOP_OPTIONS_TABLE_H

#include "app/options.h"

struct option_row;

/* How the text of an option becomes a value, and back. */
struct option_kind {
	/* *text lives as long as the options. The message begins behind "--name: ". */
	bool (*parse)(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err);
	void (*print)(const struct option_row *row, const void *value, struct strbuf *out); /* nothing for "not given" */
};

#define IN_LIVE (1u << COMMAND_LIVE)
#define IN_RECORD (1u << COMMAND_RECORD)
#define IN_STAT (1u << COMMAND_STAT)
#define IN_EVAL (1u << COMMAND_EVAL)
#define IN_LIST (1u << COMMAND_LIST)
#define IN_DOCTOR (1u << COMMAND_DOCTOR)
#define IN_MEASURING (IN_LIVE | IN_RECORD | IN_STAT)
#define IN_ALL ((1u << COMMAND_COUNT) - 1)

struct option_row {
	const char *name;
	char letter;         /* 0: none */
	const char *arg;     /* NULL: a flag */
	const char *without; /* the argument may be left out and is this then; NULL: it may not */
	const char *help;
	const char *standard; /* default, for the help; NULL: not worth saying */
	unsigned commands;    /* bits IN_...; 0: a later version will have it */
	bool config;          /* may stand in the configuration file */
	const struct option_kind *kind;
	size_t offset;   /* of the value in struct options */
	double min, max; /* times in ns, numbers */
	struct dimensions most;
	const char *const *choices;                       /* NULL-terminated */
	bool (*check)(const char *text, struct err *err); /* of a text */
};

extern const struct option_row option_rows[];               /* ends with a name of NULL */
const struct option_row *option_row_find(struct span name); /* NULL if unknown */

struct command_row {
	const char *name; /* NULL: no word, the live screen */
	const char *usage, *help;
};

extern const struct command_row command_rows[COMMAND_COUNT];
extern const char *const later_commands[];           /* words that a later version will have; NULL-terminated */
extern const char *const list_names[LIST_COUNT + 1]; /* NULL-terminated */

/* options_config.c */

/* Apply the configuration file: --config FILE, else the user's own if there is one. Remembers in *refresh and *interval whether
 * it set these. */
enum exit_status options_config(struct options *options, bool *interval, bool *refresh, struct err *err);
/* A directory or file of ours under the XDG configuration directory, owned by options; NULL without a home. */
const char *options_xdg(struct options *options, const char *name);
/* Keep a text as long as the options. Returns it. */
const char *options_keep(struct options *options, char *text);
/* Parse one value. Messages begin with `prefix`. */
bool options_set(struct options *options, const struct option_row *row, const char *text, const char *prefix, struct err *err);

#endif
