#include "options/options_table.h"

#include "base/alloc.h"
#include "base/file.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 128
#define LONG_BASE 1000 /* what getopt_long returns for row i: LONG_BASE + i */

/* ---- words ---- */

/* Fill the tables of getopt_long; `letters` has room for three characters per row and three
 * more. */
static void getopt_tables(struct option long_options[ROWS_MAX + 1], char *letters)
{
	unsigned n = 0;
	char *at = letters;

	*at++ = '-'; /* return operands in order */
	*at++ = ':'; /* print no messages */
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
	char buf[OPTION_SHOWN];

	if (problem == ':')
		return err_set(err, 0, "--%s: needs %s: see malitop --help", row->name, row->arg);
	if (row && optopt >= LONG_BASE)
		return err_set(err, 0, "--%s: takes no argument: see malitop --help", row->name);
	if (optopt && strncmp(word, "--", 2) != 0)
		return err_set(err, 0, "-%c: unknown option: see malitop --help",
			       optopt > 0x20 && optopt < 0x7f ? optopt : '?');
	return err_set(err, 0, "%s: unknown or ambiguous option: see malitop --help",
		       option_shown(buf, word));
}

static bool split_words(struct option_words *words, int argc, char **argv, struct err *err)
{
	struct option long_options[ROWS_MAX + 1];
	char letters[3 * ROWS_MAX + 3];
	int c;

	getopt_tables(long_options, letters);
	optind = 0; /* restart; tests parse many command lines */
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
		GROW(words->options, words->n_options, words->cap_options);
		words->options[words->n_options].row = row;
		words->options[words->n_options++].text = optarg         ? optarg
							  : row->without ? row->without
									 : "yes";
	}
	if (optind > 0 && optind <= argc && strcmp(argv[optind - 1], "--") == 0)
		words->rest = argv + optind;
	return true;
}

/* ---- the command ---- */

/* help [COMMAND] */
static bool find_help(struct options *options, const struct option_words *words, struct err *err)
{
	char buf[OPTION_SHOWN];

	options->help = words->n_operands < 2 ||
			(words->n_operands == 2 && command_find(words->operands[1], &options->command));
	return options->help || err_set(err, 0, "help %s: expected one command: see malitop help",
					option_shown(buf, words->operands[words->n_operands - 1]));
}

static bool find_command(struct options *options, const struct option_words *words, struct err *err)
{
	const char *word = words->n_operands ? words->operands[0] : NULL;
	AUTO_STRBUF struct strbuf names = {0};
	char buf[OPTION_SHOWN];

	if (!word)
		return true;
	if (strcmp(word, "help") == 0)
		return find_help(options, words, err);
	if (file_has_ending(word, ".mlog") || strcmp(word, "-") == 0) {
		options->command = COMMAND_REPLAY;
		return true;
	}
	if (command_find(word, &options->command))
		return true;
	for (unsigned c = COMMAND_LIVE + 1; c < COMMAND_COUNT; c++)
		strbuf_printf(&names, "%s, ", command_rows[c].name);
	return err_set(err, 0, "%s: unknown command: expected %shelp or FILE.mlog, see malitop --help",
		       option_shown(buf, word), names.p);
}

static bool set_list(struct options *options, const struct option_words *words, struct err *err)
{
	const char *word = words->n_operands > 1 ? words->operands[1] : NULL;
	AUTO_STRBUF struct strbuf names = {0};
	char buf[OPTION_SHOWN];

	for (unsigned i = 0; word && list_names[i]; i++)
		if (strcmp(word, list_names[i]) == 0) {
			options->list = i;
			return true;
		}
	option_choices(&names, list_names);
	return err_set(err, 0, "list: %s%s: expected %s", word ? "unknown list " : "missing argument",
		       word ? option_shown(buf, word) : "", names.p);
}

static bool set_file(struct options *options, const char *const *operands, unsigned n, char **rest,
		     struct err *err)
{
	for (unsigned i = 0;
	     i < n && (options->command == COMMAND_EXPORT || options->command == COMMAND_REPORT); i++) {
		GROW(options->logs, options->n_logs, options->cap_logs);
		options->logs[options->n_logs++] = operands[i];
	}
	options->operand = n ? operands[0] : rest ? rest[0] : NULL;
	if (options->operand && !(rest && rest[0] && (n || rest[1])))
		return true;
	return err_set(err, 0, "%s: expected %s: see malitop %s --help", command_rows[options->command].name,
		       options->command == COMMAND_EXPLAIN ? "NAME" : "FILE",
		       command_rows[options->command].name);
}

static void add_board(struct options *options, const char *where, const char *name)
{
	GROW(options->wheres, options->n_wheres, options->cap_wheres);
	options->wheres[options->n_wheres++] = (struct options_board){where, name};
}

/* What the last operand of `on` asks to run there: a screen here if it is no command. */
static enum command_word remote_command(const char *const *operands, unsigned *n, bool *once)
{
	const char *word = *n > 1 ? operands[*n - 1] : "";
	enum command_word there = COMMAND_ON;
	bool runs = command_find(word, &there) &&
		    (there == COMMAND_RECORD || there == COMMAND_STAT || there == COMMAND_DOCTOR);

	*once = strcmp(word, "once") == 0;
	*n -= *once || runs;
	return runs ? there : COMMAND_ON;
}

/* Boards by their names in the stanza, or by where they are; without any all of the stanza. */
static bool set_boards(struct options *options, const char *const *operands, unsigned n, struct err *err)
{
	bool once;

	remote_command(operands, &n, &once);
	if (once && !options->once.w)
		options->once = (struct dimensions){100, 30};
	for (unsigned i = 0; i < n; i++) {
		const struct options_board *found = NULL;

		for (unsigned k = 0; k < options->n_boards; k++)
			if (strcmp(options->boards[k].name, operands[i]) == 0)
				found = &options->boards[k];
		add_board(options, found ? found->where : operands[i], found ? found->name : NULL);
	}
	for (unsigned k = 0; !n && k < options->n_boards; k++)
		add_board(options, options->boards[k].where, options->boards[k].name);
	if (!options->n_wheres)
		return err_set(err, 0,
			       "on: no board: give user@host, adb, docker:NAME or cmd:PROGRAM, or add a "
			       "stanza boards to the configuration: see malitop on --help");
	if (options->n_wheres > BOARDS_MOST)
		return err_set(err, 0,
			       "on: %u boards: expected %u at most: show the others in another terminal",
			       options->n_wheres, BOARDS_MOST);
	if (options->n_wheres > 1 && options->push)
		return err_set(err, 0, "--push: works with one board only");
	if (options->n_wheres > 1 && options->remote_command != COMMAND_ON)
		return err_set(err, 0, "on: %s: works with one board only",
			       command_rows[options->remote_command].name);
	options->where = options->wheres[0].where;
	return true;
}

/* Set the operands of the command, and refuse any that it does not take. */
static bool set_operands(struct options *options, const struct option_words *words, struct err *err)
{
	const struct command_row *command = &command_rows[options->command];
	bool is_word = words->n_operands && command->name && strcmp(words->operands[0], command->name) == 0;
	const char *const *operands = is_word ? words->operands + 1 : words->operands;
	unsigned n = words->n_operands - is_word, most = command->operands;
	char **rest = words->rest;
	char buf[OPTION_SHOWN];

	if (options->command == COMMAND_LIST && !set_list(options, words, err))
		return false;
	if (options->command == COMMAND_STAT && n == 1 && strcmp(operands[0], "-") == 0) {
		options->stream = true;
		options->operand = operands[0];
		return !(rest && rest[0]) ||
		       err_set(err, 0,
			       "stat -: reads a stream, so it cannot run a command: see malitop stat --help");
	}
	if (n > most && most > 1)
		return err_set(err, 0, "%s: %u files: expected %u at most", command->name, n, most);
	if (n > most && options->command != COMMAND_ON)
		return err_set(err, 0, "%s: one argument too many%s: see malitop --help",
			       option_shown(buf, operands[most]),
			       command->runs ? ", CMD must follow --" : "");
	if (options->command == COMMAND_ON && !set_boards(options, operands, n, err))
		return false;
	if (command->file)
		return set_file(options, operands, n, rest, err);
	if (command->runs && rest && rest[0])
		options->cmd = rest;
	else if (rest && rest[0])
		return err_set(err, 0, "%s: only record and stat run a command: see malitop --help",
			       option_shown(buf, rest[0]));
	return true;
}

/* ---- the options ---- */

void options_defaults(struct options *options)
{
	const char *own;

	options->interval_ns = options->command == COMMAND_STAT ? 1000000000 : 100000000;
	options->refresh_ns = 500000000;
	options->view = "overview";
	options->layout = "all";
	options->frames = 2;
	if (options->command != COMMAND_REPLAY && options->command != COMMAND_ON &&
	    options->command != COMMAND_EXPORT &&
	    options->command != COMMAND_REPORT) { /* a log has its own */
		options->fps = 60;
		options->resolution = (struct dimensions){1920, 1080};
	}
	options->seed = 1;
	options->sync_ns = 5000000000;
	options->speed = 1;
	options->theme = "default";
	options->snapshot = "txt,csv";
	options->listen = "127.0.0.1:9821";
	options->window_ns = 15000000000;
	own = options_xdg(options, "gpudb");
	if (own) {
		GROW(options->gpudb, options->n_gpudb, options->cap_gpudb);
		options->gpudb[options->n_gpudb++] = (struct gpudb_dir){own, false};
		options->own_view = options_keep(options, xasprintf("%s/my.view", own));
	}
}

static void keep_remote(struct options *options, const struct option_row *row, const char *text)
{
	GROW(options->remote, options->n_remote, options->cap_remote);
	options->remote[options->n_remote++] = options_keep(
		options, row->arg ? xasprintf("--%s=%s", row->name, text) : xasprintf("--%s", row->name));
}

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names) != 0)
		names++;
	return *names != NULL;
}

/* With `on`, what concerns the measurement goes to the far side, which checks it; of a command that
 * runs there, all but where its result goes. Returns whether it is for this side, too. */
static bool divide_option(struct options *options, const struct option_row *row, const char *text)
{
	static const char *const ours[] = {"log",     "force",  "rotate",     "sync",         "control",
					   "config",  "gpudb",  "duration",   "print-config", "help",
					   "version", "format", "keep-going", "theme",        "definitions",
					   "push",    "report", NULL};
	static const char *const results[] = {"log",     "force",   "push",   "help",
					      "version", "control", "report", NULL};
	bool here = row->commands & IN_ON;

	if (options->remote_command != COMMAND_ON) {
		bool there = row->commands & 1u << options->remote_command && !is_one_of(row->name, results);

		if (there)
			keep_remote(options, row, text);
		return !there;
	}
	if (is_one_of(row->name, ours) || !(row->commands & IN_RECORD))
		return true;
	keep_remote(options, row, text);
	return here || row->commands & IN_REPLAY;
}

static bool apply_words(struct options *options, const struct option_words *words, struct err *err)
{
	const char *command = command_rows[options->command].name;
	bool on = options->command == COMMAND_ON;
	unsigned here = !on                                     ? 1u << options->command
			: options->remote_command == COMMAND_ON ? IN_ON | IN_REPLAY
								: IN_ON;

	for (unsigned i = 0; i < words->n_options; i++) {
		const struct option_row *row = words->options[i].row;

		if (on && !divide_option(options, row, words->options[i].text))
			continue;
		if (!(row->commands & here))
			return err_set(err, 0, "--%s: not with %s: see malitop %s%s--help", row->name,
				       command ? command : "the live screen", command ? command : "",
				       command ? " " : "");
		if (!options_set(options, row, words->options[i].text, "--", err))
			return false;
	}
	return true;
}

/* These take effect before all others. */
static void apply_first(struct options *options, const struct option_words *words)
{
	for (unsigned i = 0; i < words->n_options; i++) {
		const char *name = words->options[i].row->name;

		options->help = options->help || strcmp(name, "help") == 0;
		options->version = options->version || strcmp(name, "version") == 0;
		options->print_config = options->print_config || strcmp(name, "print-config") == 0;
		if (strcmp(name, "config") == 0)
			options->config = words->options[i].text;
	}
}

static enum exit_status apply_all(struct options *options, const struct option_words *words, struct err *err)
{
	bool interval = false, refresh = false;
	enum exit_status status;

	apply_first(options, words);
	if (!find_command(options, words, err))
		return options->help || options->version ? EXIT_DONE : EXIT_USAGE;
	if (options->help || options->version)
		return EXIT_DONE;
	options_defaults(options);
	status = options_config(options, &interval, &refresh, err);
	if (status != EXIT_DONE)
		return status;
	if (options->command == COMMAND_ON) {
		unsigned n = words->n_operands - 1;
		bool once;

		options->remote_command = remote_command(words->operands + 1, &n, &once);
	}
	if (!apply_words(options, words, err))
		return EXIT_USAGE;
	/* An --interval on the command line overrides a refresh from the file, but an interval from
	 * the file does not. */
	options->interval_given = interval || options_given(words, "interval");
	refresh =
		options_given(words, "refresh") || (refresh && interval && !options_given(words, "interval"));
	if (options->print_config)
		return options_check_refresh(options, refresh, err) ? EXIT_DONE : EXIT_USAGE;
	if (!set_operands(options, words, err) || !options_check(options, words, refresh, err))
		return EXIT_USAGE;
	return EXIT_DONE;
}

enum exit_status options_parse(struct options *options, int argc, char **argv, struct err *err)
{
	struct option_words words = {0};
	enum exit_status status = EXIT_USAGE;

	*options = (struct options){.command = COMMAND_LIVE};
	if (split_words(&words, argc, argv, err))
		status = apply_all(options, &words, err);
	free(words.options);
	free(words.operands);
	return status;
}

void options_fini(struct options *options)
{
	for (unsigned i = 0; i < options->n_owned; i++)
		free(options->owned[i]);
	free(options->owned);
	free(options->gpudb);
	free(options->keys);
	free(options->events);
	free(options->logs);
	free(options->remote);
	free(options->wheres);
	free(options->boards);
	free(options->event_groups);
	*options = (struct options){0};
}

const char *options_backends(const struct options *options, struct strbuf *buf)
{
	if (!options->scenario)
		return options->backends;
	strbuf_printf(buf, "sim%s%s", options->backends ? "," : "",
		      options->backends ? options->backends : "");
	return buf->p;
}

bool options_budget(const struct options *options, struct gpudb *db, struct err *err)
{
	return !options->budget || gpudb_budget(db, options->budget, err) || err_prefix(err, "--budget: ");
}

bool options_gpu(const struct options *options, const struct gpudb *db, const struct gpu_product **product,
		 struct err *err)
{
	char buf[OPTION_SHOWN];

	AUTO_STRBUF struct strbuf like = {0};

	*product = options->gpu ? gpudb_by_name(db, options->gpu) : NULL;
	if (*product || !options->gpu)
		return true;
	gpudb_like(db, options->gpu, &like);
	return err_set(err, ERR_USAGE, "--gpu: unknown '%s': %s%s%ssee malitop list gpus",
		       option_shown(buf, options->gpu), like.n ? "is it " : "", like.n ? like.p : "",
		       like.n ? "? " : "");
}
