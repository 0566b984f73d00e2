/* options: what the user asked for: the command line over the configuration file over the defaults
 * (malitop(1) documents all).
 *
 * Each option is one row of a table (options_table.c), which the parser, the help and the
 * configuration file read. Nothing here prints or exits; main does.
 */
#ifndef MALITOP_OPTIONS_H
#define MALITOP_OPTIONS_H

#include "term/term.h"
#include "base/err.h"
#include "base/str.h"
#include "model/finding.h"
#include "model/gpudb.h"
#include "model/metric.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_FOUND = 3, /* a finding of --fail-on held */
};

enum command_word {
	COMMAND_LIVE,
	COMMAND_REPLAY,
	COMMAND_RECORD,
	COMMAND_STAT,
	COMMAND_EXPORT,
	COMMAND_REPORT,
	COMMAND_EVAL,
	COMMAND_LIST,
	COMMAND_DOCTOR,
	COMMAND_EXPLAIN,
	COMMAND_SERVE,
	COMMAND_PASSES,
	COMMAND_COMPLETE,
	COMMAND_ON,
	COMMAND_COUNT
};

enum list_name {
	LIST_GPUS,
	LIST_COUNTERS,
	LIST_METRICS,
	LIST_VIEWS,
	LIST_BACKENDS,
	LIST_EVENTS,
	LIST_GROUPS,
	LIST_FINDINGS,
	LIST_OPTIONS,
	LIST_COUNT
};

enum output_format {
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSONL,
	FORMAT_MLOG, /* raw counters, not rows of metrics */
	FORMAT_PERFETTO,
	FORMAT_COUNTERS, /* raw counter tables */
	FORMAT_JUNIT,    /* findings only */
	FORMAT_OPENMETRICS,
	FORMAT_FOLDED, /* stacks of running code */
	FORMAT_HTML,   /* a page about a log */
	FORMAT_MD,
	FORMAT_COUNT
};

#define BOARDS_MOST 64 /* in one screen */

/* A key that does what another one does. */
struct option_key {
	uint32_t key, means; /* characters or enum key (term/term_key.h) */
};

struct dimensions {
	unsigned w, h; /* both 0: not given */
};

/* A text is NULL if it was not given. Texts live as long as argv and the options. */
struct options {
	enum command_word command;
	bool help, version, print_config; /* any of them: ignore the rest */

	const char *backends; /* "kbase:vinstr,proc" as given; see options_backends */
	const char *scenario; /* --demo; NULL without it */
	const char *gpu, *device;
	int64_t interval_ns, refresh_ns;
	bool interval_given;    /* by the command line or the configuration file */
	const char *view;       /* name or digit */
	const char *user;       /* filter of the Processes view: name or number */
	struct dimensions once; /* 0x0: a live screen */
	unsigned frames;
	const char *log;           /* --log FILE; never NULL for stat and export */
	const char *metrics;       /* names and globs, comma-separated */
	enum output_format format; /* --format, else by the extension of the log, else a table */
	int64_t duration_ns;       /* 0: no limit */
	int64_t delay_ns;          /* begin to record this long after the start */
	const char *control;       /* where another program enables and disables counting */
	int64_t sync_ns;           /* how often a log is synced to disk */
	uint64_t rotate_bytes;     /* size at which a new .mlog starts; 0: never */
	unsigned rotate_count;     /* how many of them are kept; 0: all */
	int64_t from_ns, to_ns;    /* part of a log, from its start; to_ns 0: to its end */
	int64_t step_ns;           /* samples are summed into steps of this length; 0: as logged */
	double speed;              /* of replay */
	bool follow;               /* replay: show the newest data of a log that grows */
	bool stream;               /* COMMAND_STAT: of the stream `operand`, not of this machine */
	bool lean;                 /* a .mlog has fewer counters and processes (record/recorder_sink.h) */
	int64_t flush_ns;          /* the longest time until a block of a .mlog is complete; 0: by itself */
	bool per_core;
	bool units;
	bool passes;                                           /* frames and passes of CMD */
	enum record_detail { DETAIL_ALL, DETAIL_LATE } detail; /* which frames keep their passes in a log */
	const char *hot;  /* --hot: sample running code: "EVENT:RATE"; NULL without it */
	bool hot_callers; /* --hot-callers */
	bool env;         /* COMMAND_PASSES */
	bool profiling;
	double fps;                   /* 0 if a log is read and --fps was not given: the log has it */
	struct dimensions resolution; /* likewise */
	enum definitions definitions;
	uint64_t seed;
	unsigned pid, tid;      /* count this process or thread only; 0: not given */
	const char *cpus;       /* count these CPUs only: "0-3,6" */
	const char **events;    /* --event, in the order given */
	unsigned *event_groups; /* per event: number of its {group}, from 1; 0: none */
	unsigned n_events, cap_events, cap_event_groups, n_event_groups;
	const char *groups;      /* --group: names of ready groups of CPU events, with commas */
	unsigned repeat, warmup; /* runs of CMD: that count; before them. repeat 0: one run, no statistics */
	bool long_rows;          /* stat: a line per metric and interval */
	bool noted;              /* set by the command: the notes of the sources were printed */
	const char *counts; /* set by the command: without --metrics, count CPU events for these metrics */
	const char *report_file;          /* write the report of the run there, too; NULL without it */
	enum output_format report_format; /* by its extension */
	const char *report_log; /* set by the command: record raw counters there, too; NULL: no need to */
	bool recorded;          /* set by the command: the run has begun, and its log is there */
	bool force, ascii;
	bool keep_going;               /* lost samples are not a failure */
	bool findings;                 /* report them; also set by the two options below */
	enum finding_severity fail_on; /* exit with EXIT_FOUND if one of these held; 0: never */
	const char *budget;            /* --budget FILE: these findings instead of the shipped ones */
	const char *layout;            /* of the Overview: a name, or the letters of its panels */
	const char *compare;           /* of export: the log that came before; NULL without it */
	const char *tables;            /* of export: the directory of tables; NULL: one file of rows */
	const char *baseline;          /* of the screen: the log to compare with; NULL without it */
	enum color_mode color;
	const char *theme;
	const char *snapshot;           /* what S saves: "txt,csv" */
	const char *listen;             /* serve: ADDR:PORT */
	const char *tls_cert, *tls_key; /* files in PEM */
	const char *auth;               /* file with tokens and passwords */
	bool insecure;
	int64_t window_ns;       /* serve: gauges are means over this time */
	unsigned applications;   /* serve: how many have series of their own */
	const char *config;      /* --config FILE */
	const char *config_path; /* the file that is read, whether or not it exists; NULL without HOME */
	const char *own_view;    /* the file of charts that the screen adds to; NULL without HOME */
	struct option_key *keys; /* stanza `keys` */
	unsigned n_keys, cap_keys;
	struct gpudb_dir *gpudb; /* for gpudb_load; the user's own directory comes first */
	unsigned n_gpudb, cap_gpudb;

	enum list_name list; /* COMMAND_LIST */
	const char **logs;   /* COMMAND_EXPORT and _REPORT: all FILEs; operand is the first */
	unsigned n_logs, cap_logs;
	struct options_board {
		const char *where, *name; /* user@host, adb:SERIAL, ...; NULL: no name of its own */
	} * wheres, *boards;              /* COMMAND_ON: those that were given; the stanza `boards` */
	unsigned n_wheres, cap_wheres, n_boards, cap_boards;
	const char *where;                /* the first of them */
	enum command_word remote_command; /* what runs there: COMMAND_RECORD, _STAT, _DOCTOR, else a screen */
	bool format_there;                /* its command line has the format, by the extension of the log */
	const char *push;                 /* --push[=FILE]: copy that program there first; "": ours */
	const char **remote;              /* options for the far side */
	unsigned n_remote, cap_remote;
	const char *operand; /* FILE of eval, replay and export; NAME of explain */
	char **cmd;          /* the words after "--", and NULL; NULL without them */
	bool rows;           /* COMMAND_STAT: a line per metric and interval, not only the totals of CMD */
	bool report;         /* COMMAND_EXPORT: the report of the findings, no rows */

	char **owned; /* texts from the configuration file */
	unsigned n_owned, cap_owned;
};

/* Read argv (kept, not changed) and the configuration file. Returns EXIT_DONE, or the status to
 * exit with and a message. Free with options_fini in any case. */
enum exit_status options_parse(struct options *options, int argc, char **argv, struct err *err);
void options_fini(struct options *options);

/* The list for devices_open, kept in *buf; NULL means all that are found. --demo adds the
 * simulator before what --backend names. */
const char *options_backends(const struct options *options, struct strbuf *buf);

/* Apply --budget, if it was given, to the loaded data. */
bool options_budget(const struct options *options, struct gpudb *db, struct err *err);

/* The product of --gpu; NULL without --gpu. Returns false, a usage error, if it is unknown. */
bool options_gpu(const struct options *options, const struct gpudb *db, const struct gpu_product **product,
		 struct err *err);
/* Append the GPUs that have a guide: "Mali-G52, Mali-G715". */
void options_guides(const struct gpudb *db, struct strbuf *names);

/* options_complete.c: what may follow on a command line. */
struct option_completion {
	const char *hint; /* what else may follow: "words": nothing, "list": more after a comma, "files"
			   * (and the extensions), "users", "command": any command with its words */
	enum command_word command;
	struct span gpu;        /* the --gpu before it; empty if there is none */
	struct span kept, word; /* the last word: what stays of it, and the rest, which is completed */
	unsigned lists;         /* bits 1 << enum list_name: the caller adds these names */
};
/* Append the candidates that the options know to *out. `words` ends with NULL; the one before is
 * incomplete, or empty. */
void options_complete(char *const *words, struct option_completion *c, struct strbuf *out);
/* Append a line "TEXT<tab>HELP", with the first sentence of the help, if the text begins like the
 * word. help may be NULL. */
void option_candidate(const struct option_completion *c, struct span text, const char *help,
		      struct strbuf *out);

/* What an option means for some commands. */
struct option_entry {
	const char *name, *arg; /* "" without an argument; "[=N]" if it may be left out */
	char letter;            /* 0: none */
	const char *standard;   /* NULL: none */
	bool config;
	struct strbuf commands, help; /* "live record" */
};
/* Call `add` for each meaning of each option, in the order of the table. */
void options_each(void (*add)(void *ctx, const struct option_entry *entry), void *ctx);

/* Help for the command that was given. */
void options_help(const struct options *options, struct strbuf *out);
/* "malitop 0.1.0", build options, licence. */
void options_version(struct strbuf *out, const char *version, const char *build_options, const char *licence);
/* The effective configuration, in the format of the configuration file: every option with its help,
 * those with their default as comments. */
void options_print_config(const struct options *options, struct strbuf *out);
/* Set an option in the configuration file: options->config_path is replaced as a whole, and all of
 * its other lines stay. The value is not checked. */
bool options_save(const struct options *options, const char *name, const char *value, struct err *err);
/* The same in a text. */
void options_edit(struct span text, const char *name, const char *value, struct strbuf *out);
/* Add a metric to the user's own charts, in options->own_view: the file is made, or replaced as a
 * whole with its other lines unchanged. *added is false if it has the metric already. */
bool options_own_add(const struct options *options, const char *metric, bool *added, struct err *err);
/* The same in a text; false: it has the metric. */
bool options_own_edit(struct span text, const char *metric, struct strbuf *out);
/* The value of an option as a text, "" if it has none; its help. The name must exist. */
void options_value(const struct options *options, const char *name, struct strbuf *out);
const char *options_about(const char *name);
/* Set an option. `text` must live as long as the options. */
bool options_change(struct options *options, const char *name, const char *text, struct err *err);
/* The key that does what this one shall do. */
uint32_t options_key(const struct options *options, uint32_t key);

extern const char *const output_format_names[]; /* by enum output_format, then NULL */

#endif
