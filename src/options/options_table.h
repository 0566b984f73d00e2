/* options_table: one row per option and per command. Private to src/options. */
#ifndef MALITOP_OPTIONS_TABLE_H
#define MALITOP_OPTIONS_TABLE_H

#include "base/stanza.h"
#include "options/options.h"

struct option_row;

/* How the text of an option becomes a value, and back. */
struct option_kind {
	/* *text lives as long as the options. The caller puts "--name: " before the message. */
	bool (*parse)(const struct option_row *row, const char *text, void *value, struct err *err);
	void (*print)(const struct option_row *row, const void *value,
		      struct strbuf *out); /* appends nothing if not given */
};

#define IN_LIVE (1u << COMMAND_LIVE)
#define IN_REPLAY (1u << COMMAND_REPLAY)
#define IN_RECORD (1u << COMMAND_RECORD)
#define IN_STAT (1u << COMMAND_STAT)
#define IN_EXPORT (1u << COMMAND_EXPORT)
#define IN_REPORT (1u << COMMAND_REPORT)
#define IN_EVAL (1u << COMMAND_EVAL)
#define IN_LIST (1u << COMMAND_LIST)
#define IN_DOCTOR (1u << COMMAND_DOCTOR)
#define IN_EXPLAIN (1u << COMMAND_EXPLAIN)
#define IN_SERVE (1u << COMMAND_SERVE)
#define IN_PASSES (1u << COMMAND_PASSES)
#define IN_MEASURING (IN_LIVE | IN_RECORD | IN_STAT)
#define IN_SAMPLING (IN_MEASURING | IN_SERVE)
#define IN_SCREEN (IN_LIVE | IN_REPLAY)
#define IN_OF_LOG (IN_REPLAY | IN_EXPORT)
#define IN_COMPLETE (1u << COMMAND_COMPLETE)
#define IN_ON (1u << COMMAND_ON)
#define IN_ALL ((1u << COMMAND_COUNT) - 1)

/* The meaning of an option for some commands, if it differs from the row's own. */
struct option_meaning {
	unsigned commands; /* bits IN_...; 0 ends a list */
	const char *help, *standard;
};

struct option_row {
	const char *name;
	char letter;         /* 0: none */
	const char *arg;     /* NULL: a flag */
	const char *without; /* the argument's value if it is omitted; NULL: it is required */
	const char *help;
	const char *standard; /* the default, for the help; NULL: none */
	unsigned commands;    /* bits IN_... */
	bool config;          /* allowed in the configuration file */
	const struct option_kind *kind;
	size_t offset;   /* of the value in struct options; 0: all of these, as it has several fields */
	double min, max; /* times in ns, numbers */
	struct dimensions most;
	const char *const *choices;                       /* of kind_choice; NULL-terminated */
	bool (*check)(const char *text, struct err *err); /* of kind_text; NULL: any text is valid */
	void (*names)(struct strbuf *out);                /* appended to the help after ": "; NULL: none */
	const struct option_meaning *meanings;            /* instead of help and standard; NULL: none */
	const char *hint;                                 /* of struct option_completion; NULL: "words" */
	unsigned lists;                                   /* bits 1 << enum list_name, whose names it takes */
};

extern const struct option_row option_rows[];               /* the last has a NULL name */
const struct option_row *option_row_find(struct span name); /* NULL if unknown */

#define FORMATS(f) (1u << FORMAT_##f)

struct command_row {
	const char *name; /* NULL: the live screen, which has no command word */
	const char *usage, *help;
	unsigned operands;    /* how many may follow the command word */
	bool file;            /* FILE is required; it may also follow -- */
	bool runs;            /* CMD may follow -- */
	unsigned formats;     /* that it writes: bits 1 << enum output_format */
	const char *expected; /* the same in words */
	const char *hint;     /* of the first operand, as struct option_completion; NULL: it has none */
	unsigned lists;       /* likewise */
};

extern const struct command_row command_rows[COMMAND_COUNT];
/* Find a command by its word. Returns false, and *command is unchanged, if there is none. */
bool command_find(const char *word, enum command_word *command);

extern const char *const list_names[LIST_COUNT + 1]; /* NULL-terminated */

/* The command line as words. They are parsed after the configuration file, which they override. */
struct option_words {
	struct {
		const struct option_row *row;
		const char *text;
	} * options;
	unsigned n_options, cap_options;
	const char **operands;
	unsigned n_operands, cap_operands;
	char **rest; /* the words after "--", and NULL; NULL without "--" */
};

/* What the option means for a command that has it. */
struct option_meaning option_meaning_of(const struct option_row *row, enum command_word command);

/* options_check.c: whether the options fit together */

bool options_given(const struct option_words *words, const char *name);
bool options_check_refresh(struct options *options, bool refresh_given, struct err *err);
bool options_check(struct options *options, const struct option_words *words, bool refresh_given,
		   struct err *err);
/* An argument that is safe to print. */
#define OPTION_SHOWN 80
const char *option_shown(char buf[OPTION_SHOWN], const char *text);

/* options_kinds.c */

extern const struct option_kind kind_flag, kind_text, kind_time, kind_choice, kind_count, kind_seed,
	kind_real, kind_dimensions, kind_gpudb, kind_event, kind_rotate;
/* Append "a, b or c"; `choices` ends with NULL. */
void option_choices(struct strbuf *out, const char *const *choices);
bool check_cpus(const char *list, struct err *err);
bool check_theme(const char *name, struct err *err);
bool check_snapshot(const char *list, struct err *err);
void theme_names(struct strbuf *out);
void snapshot_names(struct strbuf *out);
void scenario_names(struct strbuf *out);
void guide_names(struct strbuf *out);

/* Whether there is the view, shipped or the user's own. */
bool options_check_view(const struct options *options, bool view_given, struct err *err);
bool options_check_scenario(const struct options *options, struct err *err);

/* One field of the stanza `keys`: KEY does what MEANS does. */
bool option_keys_field(struct options *options, const struct stanza *s, const struct stanza_line *line,
		       struct err *err);
void option_keys_print(const struct options *options, struct strbuf *out);

/* options.c: what holds without a file and a command line. Ends with options_fini. */
void options_defaults(struct options *options);

/* options_config.c */

/* Apply the configuration file: --config FILE, else the user's own if it exists. Sets *refresh and
 * *interval if the file has these options. */
enum exit_status options_config(struct options *options, bool *interval, bool *refresh, struct err *err);
/* A path below malitop/ in the XDG configuration directory, owned by options; NULL if HOME is not
 * set. */
const char *options_xdg(struct options *options, const char *name);
/* Take ownership of the text: options_fini frees it. Returns it. */
const char *options_keep(struct options *options, char *text);
/* Parse one value. Messages begin with `prefix`. */
bool options_set(struct options *options, const struct option_row *row, const char *text, const char *prefix,
		 struct err *err);

#endif
