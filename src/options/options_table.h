/* options_table: one row per option and per command; shared by the files of options, nobody else. */
#ifndef MALITOP_OPTIONS_TABLE_H
#define MALITOP_OPTIONS_TABLE_H

#include "options/options.h"

struct option_row;

/* How the text of an option becomes a value, and back. */
struct option_kind {
	/* *text lives as long as the options. The message begins behind "--name: ". */
	bool (*parse)(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err);
	void (*print)(const struct option_row *row, const void *value, struct strbuf *out); /* nothing for "not given" */
};

#define IN_LIVE (1u << COMMAND_LIVE)
#define IN_REPLAY (1u << COMMAND_REPLAY)
#define IN_RECORD (1u << COMMAND_RECORD)
#define IN_STAT (1u << COMMAND_STAT)
#define IN_EXPORT (1u << COMMAND_EXPORT)
#define IN_EVAL (1u << COMMAND_EVAL)
#define IN_LIST (1u << COMMAND_LIST)
#define IN_DOCTOR (1u << COMMAND_DOCTOR)
#define IN_MEASURING (IN_LIVE | IN_RECORD | IN_STAT)
#define IN_SCREEN (IN_LIVE | IN_REPLAY)
#define IN_OF_LOG (IN_REPLAY | IN_EXPORT)
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

/* The command line, taken apart but not yet understood: the configuration file comes first. */
struct option_words {
	struct {
		const struct option_row *row;
		const char *text;
	} * options;
	unsigned n_options, cap_options;
	const char **operands;
	unsigned n_operands, cap_operands;
	char **rest; /* behind "--", up to NULL; NULL if there is none */
};

/* options_check.c: do they go together? */

bool options_given(const struct option_words *words, const char *name);
bool options_check_refresh(struct options *options, bool refresh_given, struct err *err);
bool options_check(struct options *options, const struct option_words *words, bool refresh_given, struct err *err);
bool option_has_ending(const char *file, const char *ending); /* behind a point, and with something before it */
static inline bool option_reads_log(enum command_word command)
{
	return command == COMMAND_REPLAY || command == COMMAND_EXPORT;
}
/* An argument as it may be shown. */
#define OPTION_SHOWN 80
const char *option_shown(char buf[OPTION_SHOWN], const char *text);

/* options_kinds.c */

extern const struct option_kind kind_flag, kind_text, kind_time, kind_choice, kind_count, kind_seed, kind_real, kind_dimensions,
	kind_gpudb, kind_event, kind_rotate;
bool check_backends(const char *list, struct err *err);
bool check_cpus(const char *list, struct err *err);
bool check_view(const char *name, struct err *err);
bool check_theme(const char *name, struct err *err);

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
