/* options: what the user asked for: the command line over the configuration file over the defaults (cli.md is the contract).
 *
 * One table says everything about an option (options_table.c): parser, help, configuration file and completions follow it.
 * Nothing here prints or exits; main does.
 */
#ifndef MALITOP_OPTIONS_H
#define MALITOP_OPTIONS_H

#include "term/term.h"
#include "base/err.h"
#include "base/str.h"
#include "model/gpudb.h"
#include "model/metric.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
};

enum command_word {
	COMMAND_LIVE,
	COMMAND_REPLAY,
	COMMAND_RECORD,
	COMMAND_STAT,
	COMMAND_EXPORT,
	COMMAND_EVAL,
	COMMAND_LIST,
	COMMAND_DOCTOR,
	COMMAND_COUNT
};

enum list_what { LIST_GPUS, LIST_COUNTERS, LIST_METRICS, LIST_VIEWS, LIST_BACKENDS, LIST_COUNT };

enum output_format {
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSONL,
	FORMAT_MLOG, /* raw counters, not rows of metrics */
	FORMAT_PERFETTO,
	FORMAT_COUNTERS, /* raw counter tables */
	FORMAT_COUNT
};

struct views;

struct dimensions {
	unsigned w, h; /* both 0: not given */
};

/* Texts are NULL where nothing was said, and live as long as argv and the options. */
struct options {
	enum command_word command;
	bool help, version, print_config; /* then nothing else counts */

	const char *backends; /* "kbase:vinstr,proc" as given; see options_backends */
	const char *scenario; /* --demo; never NULL when --demo was given */
	const char *gpu, *device;
	int64_t interval_ns, refresh_ns;
	const char *view;       /* name or digit */
	const char *user;       /* filter of the Processes view: name or number */
	struct dimensions once; /* zero: a live screen */
	unsigned frames;
	const char *log;           /* --log FILE; never NULL for stat and export */
	const char *metrics;       /* names and globs, comma-separated */
	enum output_format format; /* of the log: as asked for or by its ending; of lists: as asked for */
	int64_t duration_ns;       /* 0: until the end */
	int64_t sync_ns;           /* a log reaches the disk so often */
	uint64_t rotate_bytes;     /* a new .mlog at so many bytes; 0: never */
	unsigned rotate_count;     /* so many of them are kept; 0: all */
	int64_t from_ns, to_ns;    /* of a log, since its begin; to_ns 0: to its end */
	int64_t step_ns;           /* what is shown or written is folded to so long; 0: as logged */
	double speed;              /* of replay */
	bool per_core;
	double fps;                   /* of a log that is read 0 unless given: the log knows */
	struct dimensions resolution; /* likewise */
	enum definitions definitions;
	uint64_t seed;
	unsigned pid, tid;   /* whose CPU counters: a process, a thread; 0: not given */
	const char *cpus;    /* those of these CPUs only: "0-3,6" */
	const char **events; /* --event, in the order given */
	unsigned n_events, cap_events;
	bool force, ascii;
	enum color_mode color;
	const char *theme;
	const char *config;      /* --config FILE */
	struct gpudb_dir *gpudb; /* for gpudb_load: the user's own directory first */
	unsigned n_gpudb, cap_gpudb;

	enum list_what list; /* COMMAND_LIST */
	const char *operand; /* FILE of eval, replay and export */
	char **cmd;          /* COMMAND_RECORD, COMMAND_STAT: CMD ARG... up to NULL; NULL without one */
	pid_t held;          /* the process that will be cmd, once there is one */
	bool rows;           /* COMMAND_STAT: a line per metric and interval, not only what CMD came to */

	char **owned; /* texts of the configuration file */
	unsigned n_owned, cap_owned;
};

/* Read argv (kept, not changed) and the configuration file. EXIT_DONE, or the status to leave with and a message. Free with
 * options_fini in any case. */
enum exit_status options_parse(struct options *options, int argc, char **argv, struct err *err);
void options_fini(struct options *options);

/* The list for registry_open, kept in *buf: NULL for all that are found. --demo is the simulator beside what --backend names,
 * else beside the machine's own CPU. */
const char *options_backends(const struct options *options, struct strbuf *buf);

/* The product of --gpu; NULL without --gpu. false (wrong usage) for one that nobody knows. */
bool options_gpu(const struct options *options, const struct gpudb *db, const struct gpu_product **product, struct err *err);

/* Help of the command that was given. */
void options_help(const struct options *options, struct strbuf *out);
/* "malitop 0.1.0", build options, licence. */
void options_version(struct strbuf *out, const char *version, const char *build_options, const char *licence);
/* The effective configuration, in the format of the configuration file. */
void options_print_config(const struct options *options, struct strbuf *out);

/* Every view of this version, whatever it needs. Free with views_fini in any case. */
bool options_views(struct views *views, struct err *err);

extern const char *const output_format_names[]; /* by enum output_format, then NULL */

#endif
