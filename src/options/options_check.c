#include "options/options_table.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/units.h"

#include <string.h>

const char *option_shown(char buf[OPTION_SHOWN], const char *text)
{
	return str_printable(buf, OPTION_SHOWN, text);
}

bool options_given(const struct option_words *words, const char *name)
{
	for (unsigned i = 0; i < words->n_options; i++)
		if (strcmp(words->options[i].row->name, name) == 0)
			return true;
	return false;
}

bool options_check_refresh(struct options *options, bool refresh_given, struct err *err)
{
	char refresh[UNITS_TEXT], interval[UNITS_TEXT];

	if (options->refresh_ns >= options->interval_ns || options->command != COMMAND_LIVE)
		return true;
	if (refresh_given)
		return err_set(
			err, 0,
			"--refresh: %s is below the interval of %s: give %s to 60 s, or a shorter --interval",
			time_format(refresh, options->refresh_ns),
			time_format(interval, options->interval_ns), interval);
	options->refresh_ns = options->interval_ns;
	return true;
}

/* Set the format from the extension of the log. Returns false if it has none that is known. */
static bool format_by_ending(struct options *options)
{
	static const struct {
		const char *ending;
		enum output_format format;
	} endings[] = {{".csv", FORMAT_CSV},
		       {".jsonl", FORMAT_JSONL},
		       {".mlog", FORMAT_MLOG},
		       {".txt", FORMAT_TABLE},
		       {".pftrace", FORMAT_PERFETTO},
		       {".perfetto-trace", FORMAT_PERFETTO},
		       {".folded", FORMAT_FOLDED},
		       {".html", FORMAT_HTML},
		       {".md", FORMAT_MD}};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (file_has_ending(options->log, endings[i].ending)) {
			options->format = endings[i].format;
			return true;
		}
	return false;
}

static bool check_format(const struct options *options, bool format_given, struct err *err)
{
	bool there = options->command == COMMAND_ON;
	const struct command_row *command = &command_rows[there ? options->remote_command : options->command];

	return command->formats & 1u << options->format ||
	       err_set(err, 0, "--%s: not %s: %s", format_given ? "format" : "log",
		       output_format_names[options->format], command->expected);
}

static bool check_log(struct options *options, bool format_given, struct err *err)
{
	char buf[OPTION_SHOWN];

	if (!options->log)
		return options->command != COMMAND_RECORD || err_set(err, 0, "record: no log: give -o FILE");
	if (strcmp(options->log, "-") == 0 && options->command != COMMAND_RECORD)
		return err_set(err, 0,
			       "--log: '-' is not for the live screen: give a file that ends in .mlog, .csv, "
			       ".jsonl or .pftrace");
	if (strcmp(options->log, "-") == 0 && !format_given) /* a stream */
		options->format = FORMAT_MLOG;
	else if (!format_given && (!format_by_ending(options) || options->format == FORMAT_TABLE))
		return err_set(err, 0,
			       "--log: '%s' does not end in .mlog, .csv, .jsonl or .pftrace: rename it or "
			       "give --format",
			       option_shown(buf, options->log));
	if (!check_format(options, format_given, err))
		return false;
	if (options->rotate_bytes && options->format != FORMAT_MLOG)
		return err_set(err, 0, "--rotate: only for a log that ends in .mlog");
	return true;
}

/* What comes back from another machine: in the format that was asked for there, or that the
 * extension of the log says. */
static bool check_remote(struct options *options, const struct option_words *words, struct err *err)
{
	bool given = options_given(words, "format");

	options->format = options->remote_command == COMMAND_RECORD ? FORMAT_MLOG : FORMAT_TABLE;
	for (unsigned i = 0; i < words->n_options; i++)
		if (strcmp(words->options[i].row->name, "format") == 0 &&
		    !options_set(options, words->options[i].row, words->options[i].text, "--", err))
			return false;
	options->format_there = !given && options->log && format_by_ending(options);
	return check_format(options, given, err);
}

/* Of one board a screen keeps the stream as it is; of several it is in a directory. */
static bool check_kept(struct options *options, struct err *err)
{
	char buf[OPTION_SHOWN];

	if (!options->log || options->n_wheres > 1)
		return true;
	if (strcmp(options->log, "-") != 0 && (!format_by_ending(options) || options->format == FORMAT_MLOG))
		return true;
	return err_set(
		err, 0,
		"--log: '%s': on keeps the stream, in a file that ends in .mlog: for rows give on WHERE "
		"record -o FILE",
		option_shown(buf, options->log));
}

static bool has_any_ending(const char *path)
{
	const char *slash = strrchr(path, '/'), *point = strrchr(slash ? slash + 1 : path, '.');

	return point && point[1];
}

static bool check_findings(const struct options *options, struct err *err)
{
	if (options->compare && options->findings)
		return err_set(err, 0, "--findings: not with --compare: export each log by itself");
	if (options->compare && !(1u << options->format & (FORMATS(TABLE) | FORMATS(CSV) | FORMATS(JSONL))))
		return err_set(err, 0, "--compare: not in %s: give --format table, csv or jsonl",
			       output_format_names[options->format]);
	return !(options->findings && options->repeat) ||
	       err_set(err, 0, "--findings: not with --repeat: findings are of one run");
}

static bool check_tables(struct options *options, const struct option_words *words, struct err *err)
{
	static const char *const others[] = {"log", "format", "compare", "findings"};

	for (size_t i = 0; options->tables && i < ARRAY_LEN(others); i++)
		if (options_given(words, others[i]))
			return err_set(err, 0, "--tables: not with --%s: its files are of one kind",
				       others[i]);
	if (options->tables)
		options->format = FORMAT_CSV;
	return true;
}

static bool check_logs(const struct options *options, struct err *err)
{
	if (options->n_logs < 2)
		return true;
	if (!(1u << options->format & (FORMATS(CSV) | FORMATS(JSONL) | FORMATS(OPENMETRICS))))
		return err_set(err, 0,
			       "export: several logs: not in %s: give --format csv, jsonl or openmetrics",
			       output_format_names[options->format]);
	return !(options->findings || options->compare) ||
	       err_set(err, 0, "--%s: not with several logs: export each by itself",
		       options->findings ? "findings" : "compare");
}

/* The output of stat and export: standard output if no file is given, a table if the extension does
 * not set the format. export refuses an unknown extension, because the program that reads the file
 * would not expect a table. */
static bool check_output(struct options *options, bool format_given, struct err *err)
{
	char buf[OPTION_SHOWN];

	if (!options->log)
		options->log = "-";
	if (!format_given && !format_by_ending(options) && options->command == COMMAND_EXPORT &&
	    has_any_ending(options->log))
		return err_set(err, 0,
			       "--log: '%s' does not end in .csv, .jsonl, .pftrace or .txt: rename it or "
			       "give --format",
			       option_shown(buf, options->log));
	options->findings =
		options->findings || options->fail_on || options->budget || options->format == FORMAT_JUNIT;
	options->report = options->command == COMMAND_EXPORT && options->findings && !format_given &&
			  options->format == FORMAT_TABLE;
	return check_format(options, format_given, err) && check_findings(options, err) &&
	       check_logs(options, err);
}

/* The output of report: standard output if no file is given, a page if the extension does not set
 * the format. Its findings are a budget's if there is one, which then decides the exit status. */
static bool check_report(struct options *options, bool format_given, struct err *err)
{
	char buf[OPTION_SHOWN];

	if (!options->log)
		options->log = "-";
	if (!format_given && !format_by_ending(options)) {
		if (has_any_ending(options->log))
			return err_set(err, 0,
				       "--log: '%s' does not end in .html or .md: rename it or give --format",
				       option_shown(buf, options->log));
		options->format = FORMAT_HTML;
	}
	if (options->repeat && (options->n_logs % options->repeat || options->n_logs < 2 * options->repeat))
		return err_set(err, 0,
			       "--repeat: %u log%s %s not make up two or more builds of %u runs each: list "
			       "the logs of each build together",
			       options->n_logs, plural_ending(options->n_logs),
			       options->n_logs == 1 ? "does" : "do", options->repeat);
	options->findings = true;
	if (options->budget && !options->fail_on)
		options->fail_on = SEVERITY_WARNING;
	return check_format(options, format_given, err);
}

/* A short interval, because the first and the last one limit how exactly the totals match CMD. */
#define TOTAL_INTERVAL_NS 10000000

/* At most one of --pid, --tid and --cpu. */
static bool check_scope(const struct options *options, struct err *err)
{
	if ((options->pid != 0) + (options->tid != 0) + (options->cpus != NULL) > 1)
		return err_set(err, 0, "--pid, --tid, --cpu: more than one of them: give one");
	if (options->cmd && (options->pid || options->tid))
		return err_set(err, 0, "--%s: not with a command: the CPU events of the command are counted",
			       options->pid ? "pid" : "tid");
	return true;
}

/* Runs of CMD are repeated for their totals. */
static bool check_repeat(struct options *options, const struct option_words *words, struct err *err)
{
	if (!options->cmd && !options_given(words, "repeat") && !options_given(words, "warmup"))
		options->repeat = options->warmup = 0; /* the file means runs of a command */
	if ((!options->repeat && !options->warmup) || options->command == COMMAND_REPORT)
		return true;
	options->repeat = options->repeat ? options->repeat : 1;
	if (!options->cmd)
		return err_set(err, 0, "--%s: no command to run: give -- CMD",
			       options_given(words, "repeat") ? "repeat" : "warmup");
	return !options_given(words, "interval") ||
	       err_set(err, 0, "--interval: not with --repeat, which reports totals only");
}

/* The report is about one log, which is recorded here. */
static bool check_run_report(struct options *options, struct err *err)
{
	const char *file = options->report_file, *with;
	char buf[OPTION_SHOWN];

	if (!file)
		return true;
	if (!file_has_ending(file, ".html") && !file_has_ending(file, ".md"))
		return err_set(err, 0, "--report: '%s' does not end in .html or .md: rename it",
			       option_shown(buf, file));
	options->report_format = file_has_ending(file, ".md") ? FORMAT_MD : FORMAT_HTML;
	if (options->log && strcmp(options->log, file) == 0)
		return err_set(err, 0, "--report: '%s' is the file of --log, too: choose another name",
			       option_shown(buf, file));
	with = options->command == COMMAND_ON                           ? "on"
	       : options->stream                                        ? "a stream"
	       : options->repeat                                        ? "--repeat"
	       : options->rotate_bytes                                  ? "--rotate"
	       : options->control && strcmp(options->control, "-") == 0 ? "--control -"
									: NULL;
	return !with ||
	       err_set(err, 0, "--report: not with %s: record a .mlog, and give it to malitop report", with);
}

static bool check_eval(struct options *options, bool format_given, struct err *err)
{
	if (!options->gpu)
		return err_set(err, 0, "eval: no GPU: give --gpu NAME, see malitop list gpus");
	if (!check_format(options, format_given, err))
		return false;
	options->findings = options->findings || options->fail_on || options->format == FORMAT_JUNIT;
	return options->findings || options->format == FORMAT_TABLE ||
	       err_set(err, 0, "--format: eval writes metrics as a table only: also give --findings");
}

/* What was given, but would change nothing here. What the configuration file says is for other
 * commands, too. */
static bool check_heeded(const struct options *o, const struct option_words *words, struct err *err)
{
	static const char plain[] = "not with --once, which prints plain text",
			  now[] = "not with on, which shows what happens now",
			  rows[] = "not with --once of several boards, which prints a row of each",
			  mlog[] = "only for a log that ends in .mlog";
	bool once = o->once.w != 0, on = o->command == COMMAND_ON, several = once && o->n_wheres > 1,
	     to_output = o->log && strcmp(o->log, "-") == 0,
	     not_mlog = (o->command == COMMAND_LIVE || o->command == COMMAND_RECORD) &&
			(o->log ? o->format != FORMAT_MLOG : once);
	const struct {
		const char *name;
		bool unheeded;
		const char *why;
	} rules[] = {
		{"duration", once, "not with --once: give --frames"},
		{"baseline", once, "not with --once: malitop report compares logs"},
		{"speed", once, "not with --once, which does not wait"},
		{"follow", once, "not with --once, which begins at the start of the log"},
		{"snapshot", once, plain},
		{"theme", once, plain},
		{"color", once && o->color == COLOR_ALWAYS, plain},
		{"from", on, now},
		{"to", on, now},
		{"follow", on, now},
		{"view", several, rows},
		{"layout", several, rows},
		{"user", several, rows},
		{"refresh", several, rows},
		{"lean", not_mlog, mlog},
		{"flush", not_mlog, mlog},
		{"sync", not_mlog || to_output, mlog},
		{"rotate", not_mlog || to_output, mlog},
		{"detail", not_mlog, mlog},
		{"units", !on && (o->format != FORMAT_CSV || o->compare || o->repeat),
		 "only for csv with a column per metric: other outputs name units"},
		{"hot-callers", !on && !o->hot, "only with --hot"},
		{"long", o->command == COMMAND_STAT && o->format != FORMAT_TABLE, "only for a table"},
		{"force", (to_output || (on && !o->log && o->n_wheres == 1)) && !o->tables && !o->report_file,
		 "only with --log FILE"},
		{"seed", !on && !o->scenario && !(o->backends && strstr(o->backends, "sim")),
		 "only with --demo or --backend sim"},
	};

	for (unsigned i = 0; i < words->n_options; i++) {
		const struct option_row *row = words->options[i].row;

		if (o->stream && !(row->commands & IN_EXPORT) && strcmp(row->name, "long") != 0)
			return err_set(err, 0, "--%s: not with stat -, which measures nothing", row->name);
		for (size_t k = 0; k < ARRAY_LEN(rules); k++)
			if (rules[k].unheeded && strcmp(rules[k].name, row->name) == 0)
				return err_set(err, 0, "--%s: %s", row->name, rules[k].why);
	}
	return true;
}

bool options_check(struct options *options, const struct option_words *words, bool refresh_given,
		   struct err *err)
{
	bool format_given = options_given(words, "format");
	enum command_word command = options->command;
	char from[UNITS_TEXT], to[UNITS_TEXT];

	if (!format_given && !(command_rows[command].formats & 1u << options->format))
		options->format = FORMAT_TABLE; /* the file means other commands */
	if (!check_tables(options, words, err) || !options_check_refresh(options, refresh_given, err) ||
	    !options_check_view(options, options_given(words, "view"), err) ||
	    !options_check_scenario(options, err))
		return false;
	if (options->to_ns && options->to_ns <= options->from_ns)
		return err_set(err, 0,
			       "--to: %s is not after --from, %s: both count from the start of the log",
			       time_format(to, options->to_ns), time_format(from, options->from_ns));
	if (!check_scope(options, err) || !check_repeat(options, words, err))
		return false;
	if (command == COMMAND_ON &&
	    !(options->remote_command == COMMAND_ON ? check_kept(options, err)
						    : check_remote(options, words, err)))
		return false;
	if ((command == COMMAND_LIVE || command == COMMAND_RECORD) && !check_log(options, format_given, err))
		return false;
	if ((command == COMMAND_STAT || command == COMMAND_EXPORT) &&
	    !check_output(options, format_given, err))
		return false;
	if (command == COMMAND_REPORT && !check_report(options, format_given, err))
		return false;
	if ((command == COMMAND_LIST || command == COMMAND_DOCTOR) &&
	    !check_format(options, format_given, err))
		return false;
	/* A measurement shorter than the interval is one interval. */
	if ((command == COMMAND_STAT || command == COMMAND_RECORD) && options->duration_ns &&
	    options->duration_ns < options->interval_ns)
		options->interval_ns = options->duration_ns;
	if (command == COMMAND_STAT) {
		options->rows = !options->cmd || options_given(words, "interval");
		options->interval_ns = options->rows ? options->interval_ns : TOTAL_INTERVAL_NS;
	}
	if (!check_run_report(options, err))
		return false;
	if (command == COMMAND_LIVE && format_given && !options->log)
		return err_set(err, 0, "--format: only with --log: also give a log");
	if (options_given(words, "frames") && !options->once.w)
		return err_set(err, 0, "--frames: only with --once: also give --once");
	if (command == COMMAND_PASSES && !options->env)
		return err_set(err, 0,
			       "passes: give --env to print the environment; stat --passes -- CMD times the "
			       "passes of CMD");
	if (command == COMMAND_EVAL && !check_eval(options, format_given, err))
		return false;
	return check_heeded(options, words, err);
}
