#include "app/options_table.h"

#include "base/alloc.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 64
#define LONG_BASE 1000 /* what getopt_long returns for row i: LONG_BASE + i */

/* The command line, taken apart but not yet understood: the configuration file comes first. */
struct words {
	struct {
		const struct option_row *row;
		const char *text;
	} * options;
	unsigned n_options, cap_options;
	const char **operands;
	unsigned n_operands, cap_operands;
	char **rest; /* behind "--", up to NULL; NULL if there is none */
};

static void words_fini(struct words *words)
{
	free(words->options);
	free(words->operands);
}

/* An argument as it may be shown. */
#define SHOWN 80
static const char *shown(char buf[SHOWN], const char *text)
{
	return str_printable(buf, SHOWN, text);
}

/* ---- first: words ---- */

/* What getopt_long wants to know; `letters` has room for three characters per row and three more. */
static unsigned getopt_tables(struct option long_options[ROWS_MAX + 1], char *letters)
{
	unsigned n = 0;
	char *at = letters;

	*at++ = '-'; /* operands in their place */
	*at++ = ':'; /* we word the messages */
	for (const struct option_row *row = option_rows; row->name; row++, n++) {
		assert(n < ROWS_MAX);
		long_options[n] = (struct option){
			.name = row->name,
			.has_arg = !row->arg      ? no_argument
				   : row->without ? optional_argument
						  : required_argument,
			.val = LONG_BASE + (int)n,
		};
		if (row->letter)
			*at++ = row->letter;
		if (row->letter && row->arg)
			*at++ = ':';
	}
	long_options[n] = (struct option){0};
	*at = 0;
	return n;
}

static const struct option_row *row_of(int val)
{
	if (val >= LONG_BASE)
		return &option_rows[val - LONG_BASE];
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->letter && row->letter == val)
			return row;
	return NULL;
}

static bool wrong_option(int problem, const char *word, struct err *err)
{
	const struct option_row *row = row_of(optopt);
	char buf[SHOWN];

	if (problem == ':')
		return err_set(err, 0, "--%s: needs %s: see malitop --help", row->name, row->arg);
	if (row && optopt >= LONG_BASE)
		return err_set(err, 0, "--%s: takes no argument: see malitop --help", row->name);
	if (optopt && strncmp(word, "--", 2) != 0)
		return err_set(err, 0, "-%c: unknown option: see malitop --help", optopt > 0x20 && optopt < 0x7f ? optopt : '?');
	return err_set(err, 0, "%s: unknown or ambiguous option: see malitop --help", shown(buf, word));
}

static void add_option(struct words *words, const struct option_row *row, const char *text)
{
	GROW(words->options, words->n_options, words->cap_options);
	words->options[words->n_options].row = row;
	words->options[words->n_options++].text = text ? text : row->without ? row->without : "yes";
}

static bool split(struct words *words, int argc, char **argv, struct err *err)
{
	struct option long_options[ROWS_MAX + 1];
	char letters[3 * ROWS_MAX + 3];
	int c;

	getopt_tables(long_options, letters);
	optind = 0; /* start anew, also in tests */
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		const struct option_row *row = row_of(c);

		if (c == 1) {
			GROW(words->operands, words->n_operands, words->cap_operands);
			words->operands[words->n_operands++] = optarg;
			continue;
		}
		if (c == '?' || c == ':')
			return wrong_option(c, argv[optind - 1], err);
		if (!row->commands)
			return err_set(err, 0, "--%s: this version does not have it: see malitop --help", row->name);
		add_option(words, row, optarg);
	}
	if (optind > 0 && optind <= argc && strcmp(argv[optind - 1], "--") == 0)
		words->rest = argv + optind;
	return true;
}

/* ---- then: the command ---- */

static bool find_command(struct options *options, const struct words *words, struct err *err)
{
	const char *word = words->n_operands ? words->operands[0] : NULL;
	char buf[SHOWN];
	size_t len;

	if (!word)
		return true;
	for (unsigned c = 0; c < COMMAND_COUNT; c++)
		if (command_rows[c].name && strcmp(word, command_rows[c].name) == 0) {
			options->command = c;
			return true;
		}
	for (unsigned i = 0; later_commands[i]; i++)
		if (strcmp(word, later_commands[i]) == 0)
			return err_set(err, 0, "%s: this version does not have that command: see malitop --help", word);
	len = strlen(word);
	if (len > 5 && strcmp(word + len - 5, ".mlog") == 0)
		return err_set(err, 0, "%s: this version does not replay logs: see malitop --help", shown(buf, word));
	return err_set(err, 0, "%s: unknown command: expected record, stat, eval, list or doctor, see malitop --help",
		       shown(buf, word));
}

static bool set_list(struct options *options, const struct words *words, struct err *err)
{
	const char *word = words->n_operands > 1 ? words->operands[1] : NULL;
	char buf[SHOWN];

	for (unsigned i = 0; word && list_names[i]; i++)
		if (strcmp(word, list_names[i]) == 0) {
			options->list = i;
			return true;
		}
	return err_set(err, 0, "list: %s%s: expected gpus, counters, metrics, views or backends",
		       word ? "unknown list " : "of what", word ? shown(buf, word) : "");
}

/* Operands that belong to the command, and none that do not. */
static bool set_operands(struct options *options, const struct words *words, struct err *err)
{
	static const unsigned most[COMMAND_COUNT] = {[COMMAND_LIVE] = 0, [COMMAND_RECORD] = 1, [COMMAND_STAT] = 1,
						     [COMMAND_EVAL] = 2, [COMMAND_LIST] = 2,   [COMMAND_DOCTOR] = 1};
	bool runs = options->command == COMMAND_RECORD || options->command == COMMAND_STAT;
	char buf[SHOWN];

	if (options->command == COMMAND_LIST && !set_list(options, words, err))
		return false;
	if (words->n_operands > most[options->command])
		return err_set(err, 0, "%s: one argument too many%s: see malitop --help",
			       shown(buf, words->operands[most[options->command]]), runs ? ", a command stands behind --" : "");
	if (options->command == COMMAND_EVAL) {
		options->operand = words->n_operands > 1 ? words->operands[1] : words->rest ? words->rest[0] : NULL;
		if (!options->operand || (words->rest && words->rest[0] && (words->n_operands > 1 || words->rest[1])))
			return err_set(err, 0, "eval: expected one FILE: see malitop eval --help");
		return true;
	}
	if (runs && words->rest && words->rest[0])
		options->cmd = words->rest;
	else if (words->rest && words->rest[0])
		return err_set(err, 0, "%s: only record and stat run a command: see malitop --help", shown(buf, words->rest[0]));
	return true;
}

/* ---- then: the options ---- */

static void set_defaults(struct options *options)
{
	const char *own;

	options->interval_ns = options->command == COMMAND_STAT ? 1000000000 : 100000000;
	options->refresh_ns = 500000000;
	options->view = "overview";
	options->frames = 2;
	options->fps = 60;
	options->resolution = (struct dimensions){1920, 1080};
	options->seed = 1;
	options->theme = "dark";
	own = options_xdg(options, "gpudb");
	if (own) {
		GROW(options->gpudb, options->n_gpudb, options->cap_gpudb);
		options->gpudb[options->n_gpudb++] = (struct gpudb_dir){own, false};
	}
}

static bool given(const struct words *words, const char *name)
{
	for (unsigned i = 0; i < words->n_options; i++)
		if (strcmp(words->options[i].row->name, name) == 0)
			return true;
	return false;
}

static bool apply_words(struct options *options, const struct words *words, struct err *err)
{
	const char *command = command_rows[options->command].name;

	for (unsigned i = 0; i < words->n_options; i++) {
		const struct option_row *row = words->options[i].row;

		if (!(row->commands & 1u << options->command))
			return err_set(err, 0, "--%s: not with %s: see malitop %s%s--help", row->name,
				       command ? command : "the live screen", command ? command : "", command ? " " : "");
		if (!options_set(options, row, words->options[i].text, "--", err))
			return false;
	}
	return true;
}

/* --help, --version and --config count before anything else is looked at. */
static void apply_first(struct options *options, const struct words *words)
{
	for (unsigned i = 0; i < words->n_options; i++) {
		const char *name = words->options[i].row->name;

		options->help = options->help || strcmp(name, "help") == 0;
		options->version = options->version || strcmp(name, "version") == 0;
		if (strcmp(name, "config") == 0)
			options->config = words->options[i].text;
	}
}

/* ---- last: do they go together? ---- */

static bool check_refresh(struct options *options, bool refresh_given, struct err *err)
{
	char refresh[UNITS_TEXT], interval[UNITS_TEXT];

	if (options->refresh_ns >= options->interval_ns || options->command != COMMAND_LIVE)
		return true;
	if (refresh_given)
		return err_set(err, 0, "--refresh: %s is below the interval of %s: give %s to 60 s, or a shorter --interval",
			       time_format(refresh, options->refresh_ns), time_format(interval, options->interval_ns), interval);
	options->refresh_ns = options->interval_ns;
	return true;
}

static bool has_ending(const char *name, const char *ending)
{
	size_t n = strlen(name), len = strlen(ending);

	return n > len + 1 && name[n - len - 1] == '.' && strcmp(name + n - len, ending) == 0;
}

/* The format that the name of a file tells. */
static bool format_by_ending(struct options *options)
{
	for (unsigned f = FORMAT_CSV; output_format_names[f]; f++)
		if (has_ending(options->log, output_format_names[f])) {
			options->format = f;
			return true;
		}
	return false;
}

static bool check_log(struct options *options, bool format_given, struct err *err)
{
	char buf[SHOWN];

	if (!options->log)
		return options->command != COMMAND_RECORD || err_set(err, 0, "record: no log: give -o FILE");
	if (strcmp(options->log, "-") == 0)
		return err_set(err, 0, "--log: '-' is not for %s: give a file that ends in .csv or .jsonl",
			       options->command == COMMAND_RECORD ? "record" : "the live screen");
	if (format_given ? options->format != FORMAT_TABLE : format_by_ending(options))
		return true;
	if (format_given)
		return err_set(err, 0, "--format: a log is no table: give csv or jsonl");
	if (has_ending(options->log, "mlog"))
		return err_set(err, 0, "--log: this version does not write .mlog: give a name that ends in .csv or .jsonl");
	return err_set(err, 0, "--log: '%s' does not end in .csv or .jsonl: rename it or say --format", shown(buf, options->log));
}

/* Sums over a command are the truer the shorter the intervals at both its ends. */
#define TOTAL_INTERVAL_NS 10000000

static bool check_stat(struct options *options, const struct words *words, struct err *err)
{
	if (!options->log)
		options->log = "-";
	if (!given(words, "format"))
		format_by_ending(options);
	if (has_ending(options->log, "mlog"))
		return err_set(err, 0, "--log: stat does not write .mlog: give another name");
	options->rows = !options->cmd || given(words, "interval");
	if (!options->rows)
		options->interval_ns = TOTAL_INTERVAL_NS;
	return true;
}

/* Whose CPU counters: one answer at most. */
static bool check_scope(const struct options *options, struct err *err)
{
	if ((options->pid != 0) + (options->tid != 0) + (options->cpus != NULL) > 1)
		return err_set(err, 0, "--pid, --tid, --cpu: more than one of them: give one");
	if (options->cmd && (options->pid || options->tid))
		return err_set(err, 0, "--%s: not with a command: its CPU counters are those of the command",
			       options->pid ? "pid" : "tid");
	return true;
}

static bool check_all(struct options *options, const struct words *words, bool refresh_given, struct err *err)
{
	bool format_given = given(words, "format");

	if (!check_refresh(options, refresh_given, err))
		return false;
	if (options->command <= COMMAND_RECORD && !check_log(options, format_given, err))
		return false;
	if (options->command == COMMAND_STAT && !check_stat(options, words, err))
		return false;
	if (!check_scope(options, err))
		return false;
	if (options->command == COMMAND_LIVE && format_given && !options->log)
		return err_set(err, 0, "--format: only with --log: give a log as well");
	if (given(words, "frames") && !options->once.w)
		return err_set(err, 0, "--frames: only with --once: give that as well");
	if (options->command == COMMAND_EVAL && !options->gpu)
		return err_set(err, 0, "eval: no GPU: give --gpu NAME, see malitop list gpus");
	return true;
}

static enum exit_status understand(struct options *options, const struct words *words, struct err *err)
{
	bool interval = false, refresh = false;
	enum exit_status status;

	apply_first(options, words);
	if (!find_command(options, words, err))
		return options->help || options->version ? EXIT_DONE : EXIT_USAGE;
	if (options->help || options->version)
		return EXIT_DONE;
	set_defaults(options);
	status = options_config(options, &interval, &refresh, err);
	if (status != EXIT_DONE)
		return status;
	if (!apply_words(options, words, err))
		return EXIT_USAGE;
	/* A refresh from the file gives way to an interval from the command line, but not to one that stands beside it. */
	refresh = given(words, "refresh") || (refresh && interval && !given(words, "interval"));
	if (options->print_config)
		return check_refresh(options, refresh, err) ? EXIT_DONE : EXIT_USAGE;
	if (!set_operands(options, words, err) || !check_all(options, words, refresh, err))
		return EXIT_USAGE;
	return EXIT_DONE;
}

enum exit_status options_parse(struct options *options, int argc, char **argv, struct err *err)
{
	struct words words = {0};
	enum exit_status status = EXIT_USAGE;

	*options = (struct options){.command = COMMAND_LIVE};
	if (split(&words, argc, argv, err))
		status = understand(options, &words, err);
	words_fini(&words);
	return status;
}

void options_fini(struct options *options)
{
	for (unsigned i = 0; i < options->n_owned; i++)
		free(options->owned[i]);
	free(options->owned);
	free(options->gpudb);
	free(options->events);
	*options = (struct options){0};
}

const char *options_backends(const struct options *options, struct strbuf *buf)
{
	if (!options->scenario)
		return options->backends;
	strbuf_printf(buf, "sim,%s", options->backends ? options->backends : options->n_events ? "proc,perf" : "proc");
	return buf->p;
}

bool options_gpu(const struct options *options, const struct gpudb *db, const struct gpu_product **product, struct err *err)
{
	char buf[SHOWN];

	*product = options->gpu ? gpudb_by_name(db, options->gpu) : NULL;
	if (*product || !options->gpu)
		return true;
	return err_set(err, ERR_USAGE, "--gpu: unknown '%s': see malitop list gpus", shown(buf, options->gpu));
}
