/* export: writes samples as rows of metrics, with one walk over sources and metrics and one writer
 * per format.
 *
 * A row is a sample of one source: the first GPU or, without one, the fastest source with a column.
 * A sample of another source fills the row in which it ended, or the next one if it ended between
 * two rows; several samples are folded. (In some formats every sample is a row.) With a step, the
 * samples that ended within a step are folded into one row: the metrics are evaluated on their
 * sums. The header fixes the columns, which are unique. Rows are built in memory and written
 * complete, so a reader of the file never sees half a line. Memory does not grow with the length of
 * the log (but for OpenMetrics, see openmetrics.h). The total of a run is a last row, over the
 * sums of all samples.
 *
 * Thread: one at a time (the recorder).
 */
#ifndef MALITOP_EXPORT_H
#define MALITOP_EXPORT_H

#include "base/err.h"
#include "base/str.h"
#include "hot/hot_profile.h"
#include "model/history.h"
#include "model/metric_mix.h"
#include "mlog/mlog.h"
#include "model/sample.h"
#include "model/watch.h"
#include "passes/frame_stats.h"

/* A source whose samples become columns. `set` must outlive the export; only export_new uses the
 * other pointers. */
struct export_source {
	uint32_t index;               /* sample.source */
	char prefix[16];              /* of the names of its columns: "", "gpu1:" */
	const char *title, *driver;   /* for tables and reports */
	const struct metric_set *set; /* has the slots of the samples */
	const struct metric_mix *mix; /* a mix of earlier sources in the list; NULL: not a mix */
	const struct gpudb *db;       /* for the template of a GPU: its default columns */
	int64_t period_ns;
	enum source_kind kind;
	unsigned number; /* among the sources of its kind, from 0 */
	bool simulated;
	bool machine;         /* measures the whole machine while a command is measured */
	struct pass_run *run; /* of a passes source; the export makes and frees it */
};

enum export_lines { EXPORT_ROWS, EXPORT_TOTAL, EXPORT_ROWS_AND_TOTAL };

/* Only export_new uses the texts. */
struct export_options {
	const struct export_format *format; /* for export_session: NULL: that of the options */
	const char *metrics;            /* names, globs, with commas; NULL: a GPU's template, all of a CPU */
	bool optional;                  /* a name or glob may match nothing */
	bool exact;                     /* metrics are names of columns, in this order, without globs */
	enum export_lines lines;        /* a total adds columns of the command, which only its row fills */
	bool per_core;                  /* also columns of cores, slices and CPUs (always of clusters) */
	bool several;                   /* logs of several hosts: each row of csv and jsonl names its host */
	bool units;                     /* csv: a second row with the units */
	bool findings;                  /* report findings at the end, if there is a watch */
	enum finding_severity fail_on;  /* the level that JUnit counts as a failure; 0: warnings */
	struct watch *watch;            /* gets every sample; NULL: nothing is judged */
	int64_t step_ns;                /* length of a row's step; 0: a row per sample */
	int64_t step_from_ns;           /* start of the first step (CLOCK_MONOTONIC) */
	int64_t epoch_offset_ns;        /* CLOCK_REALTIME minus CLOCK_MONOTONIC; see export_set_clock */
	int64_t start_ns;               /* CLOCK_MONOTONIC when the log starts */
	int64_t boottime_ns;            /* CLOCK_BOOTTIME at the same time; 0: unknown */
	struct export_repeat *repeat;   /* of the format export_totals (export_session.h); else NULL */
	struct export_compare *compare; /* of the format export_compared (export_session.h); else NULL */
	struct openmetrics_past *past;  /* of the format export_openmetrics (openmetrics.h); else NULL */
	const char *host;               /* printable; "" if unknown */
	const char *version;            /* of malitop */
};

/* Writes complete rows. */
typedef bool export_write_fn(void *ctx, const void *bytes, size_t n, struct err *err);

struct export;
struct export_format;
extern const struct export_format export_csv, export_jsonl, export_perfetto, export_text, export_wide,
	export_counters, export_folded, export_report, export_junit, export_openmetrics;
/* Tables of CSV for data that rows per sample cannot hold, in a file each. Their times are the
 * starts of the samples, in seconds since the epoch. */
struct export_table_file {
	const char *name; /* "frames"; NULL after the last */
	const struct export_format *format;
};
extern const struct export_table_file export_table_files[];

/* Choose the columns and write the header. Options and sources are copied. If a name or glob has no
 * match, the error names it. NULL on failure. */
struct export *export_new(const struct export_format *format, const struct export_options *options,
			  const struct export_source *sources, unsigned n_sources, export_write_fn *write,
			  void *ctx, struct err *err);
/* Return the interval of the source whose samples are the rows. */
int64_t export_interval_ns(const struct export *ex);
/* Add a sample, in the order of the sampler, so that samples of other sources that ended within a
 * row precede it. After a jump of seq the row gets the flags `gap` and `lost`. Samples of unknown
 * sources are ignored. Returns false if `write` failed, in which case the row is lost. */
bool export_sample(struct export *ex, const struct sample *sample, struct err *err);

/* The measured command of a total. */
struct export_command {
	const char *text;         /* printable: CMD ARG... */
	int64_t begin_ns, end_ns; /* CLOCK_MONOTONIC, as in samples */
	int64_t user_ns, system_ns;
	bool gpu;                   /* it was seen with the GPU open */
	uint64_t gpu_ns, gpu_bytes; /* used of the GPU, had at once at most; SAMPLE_UNKNOWN */
	int status;
	bool timed_out;     /* --duration ended it */
	int64_t counted_ns; /* counted time, in n_parts parts of the run; n_parts 0: the whole run */
	unsigned n_parts;
};
/* Write the sums since the start as the last row, unless lines are EXPORT_ROWS. */
bool export_total(struct export *ex, const struct export_command *command, struct err *err);
/* Write the findings of the run, in a format that has them. Call it last. */
bool export_findings(struct export *ex, struct err *err);
/* Write the unfinished step as a row, and marks after it. Call it after the last sample. */
bool export_end(struct export *ex, struct err *err);
/* The wall clock was set: the rows that follow have times by this offset. */
void export_set_clock(struct export *ex, int64_t epoch_offset_ns);
/* Add a mark at time_ns (CLOCK_MONOTONIC), before any later sample; text is printable and may be
 * empty. In a format without marks, the row of that time gets the flag `mark`. */
bool export_mark(struct export *ex, int64_t time_ns, const char *text, struct err *err);
/* Add a list of processes, in a format that has them. */
bool export_processes(struct export *ex, const struct process_list *list, struct err *err);
/* Add a note of a log, if it is a mark or a loss. */
bool export_note(struct export *ex, const struct mlog_note *note, struct err *err);
void export_free(struct export *ex);

/* ---- for the writers of formats, and other code that prints them ---- */

struct export_column {
	char *name;    /* "gpu1:MaliFragUtil.core3", owned */
	uint64_t hash; /* of the name */
	unsigned source;
	const char *title;
	const struct unit *unit;
	const struct metric *metric; /* NULL for a column of the command */
	struct metric *absent;       /* owned: the `metric` of a name that this machine lacks */
	int instance;                /* index into set->instances, -1: the sum */
	bool known;                  /* its source has had a row, or the user named it */
	bool missed;                 /* its source had no row when the columns were settled */
	bool hidden;                 /* this machine lacks it; a text table omits it */
};

struct export_table {
	const struct export_options *options;
	const struct export_source *sources;
	unsigned n_sources, first; /* first: index of the source whose samples are the rows */
	const char *also;          /* export_format.also */
	struct export_column *columns;
	unsigned n_columns, cap_columns;
	unsigned n_metrics;      /* columns of metrics; those of the command follow */
	int64_t begin_ns;        /* start of the first row, since the epoch */
	bool guide;              /* as in the rows */
	struct table_held *held; /* of a text table: rows that wait for its columns */
	/* Functions since the start, and the sums of their source; NULL: not sampled, or unused by
	 * the format. */
	struct hot_profile *hot;
	const struct export_source *hot_source;
	const struct column *hot_sum;
	uint64_t id; /* differs between logs */
};

struct export_row {
	uint64_t number;          /* from 1 */
	int64_t begin_ns, end_ns; /* since the epoch */
	int64_t duration_ns;      /* measured time, without gaps and failed samples (unless all failed) */
	uint32_t flags;
	bool marked;                          /* only in a format without marks */
	bool lost;                            /* samples are missing before it */
	bool guide;                           /* GPU metrics are defined as in the guide */
	const double *values;                 /* per column; NaN: undefined */
	const bool *estimated;                /* per column: not counted all the time */
	const struct column *const *sums;     /* per source; NULL if no interval ended in the row */
	unsigned source;                      /* the source whose samples are the row */
	const struct export_command *command; /* of a total; NULL: a row of samples */
	const char *verdict;                  /* its name; NULL: nothing is judged */
};

/* The start or the end of a verdict or a finding. */
struct export_judgement {
	const struct judged *what;
	unsigned number; /* index among all verdicts and findings */
	bool is_verdict, begins;
	bool first;       /* it starts for the first time */
	int64_t time_ns;  /* since the epoch; some seconds before the samples that show it */
	int64_t begin_ns; /* the start of a finding or verdict that ends */
};

struct export_format {
	const char *name;
	bool each;        /* each sample of each source is a row with its own values only */
	bool raw;         /* uses the sums and has no columns */
	bool totals;      /* counts are sums since the start */
	bool hot;         /* uses the profile of functions */
	const char *also; /* a metric that precedes the template of a GPU; NULL: none */
	/* Returns false if the format cannot represent the table. NULL: it can represent every
	 * table. */
	bool (*check)(const struct export_table *table, struct err *err);
	/* Sorts or removes columns. NULL: they stay. */
	void (*arrange)(struct export_table *table);
	const char *heads; /* the header of a CSV table, with commas; NULL: `begin` writes one */
	/* Write a header; a row. NULL: there are none. */
	void (*begin)(const struct export_table *table, struct strbuf *out);
	void (*row)(const struct export_table *table, const struct export_row *row, struct strbuf *out);
	/* Gets each sample before its row. NULL: the format uses rows only. */
	void (*sample)(const struct export_table *table, unsigned source, const struct sample *sample,
		       struct strbuf *out);
	/* Writes the verdict of the run, which is finished; with options.findings also its
	 * findings. If NULL, requested findings go to standard error. */
	void (*findings)(const struct export_table *table, const struct judge *judge, struct strbuf *out);
	/* With a watch. At most one verdict holds at a time. NULL: a format without times. */
	void (*judged)(const struct export_table *table, const struct export_judgement *change,
		       struct strbuf *out);
	/* time_ns: since the epoch. NULL: a format without marks. */
	void (*mark)(const struct export_table *table, int64_t time_ns, const char *text, struct strbuf *out);
	/* Writes the processes of an interval. NULL: a format without processes. */
	void (*processes)(const struct export_table *table, const struct process_list *list,
			  struct strbuf *out);
	/* Writes the end, after the last row. NULL: nothing. */
	void (*end)(const struct export_table *table, struct strbuf *out);
};

/* Make export_table.held, which the text table needs. */
struct table_held *export_wide_new(void);
void export_wide_free(struct table_held *held);

/* Fill the columns of a table that has its options and sources. The caller frees the columns, even
 * after a failure. */
bool export_columns(struct export_table *table, struct err *err);
void export_columns_free(struct export_table *table);

/* Get the parts of the mix, which is the last source of the table, by kind; NULL: none. */
void export_mix_parts(const struct export_table *table, const struct column *const *sums,
		      const struct column *parts[SOURCE_KINDS]);

/* The values of columns, evaluated on the sums of their sources. */
struct export_values {
	double *values;     /* by column; NaN: undefined */
	bool *estimated;    /* by column: not counted all the time */
	double *reached;    /* by column: the greatest so far, because totals never fall */
	unsigned *order;    /* columns by source and instance: adjacent ones share a vector */
	double *all, *part; /* vectors, for the source with the most slots */
};
void export_values_init(struct export_values *v, const struct export_table *table);
void export_values_fini(struct export_values *v);
/* Evaluate the metrics on the sums of each source (NULL: none). For totals, evaluate counts only,
 * and keep them from falling: a difference of counters may fall a little. */
void export_evaluate(struct export_values *v, const struct export_table *table,
		     const struct column *const *sums, bool totals);

/* Format the flags of a row as words, with "mark", "lost", "guide" and "total". buf has
 * EXPORT_FLAGS_TEXT bytes. Returns buf. */
#define EXPORT_FLAGS_TEXT (SAMPLE_FLAGS_TEXT + 24)
char *export_flags(char *buf, const struct export_row *row);
/* Write "1700000000.123456789". */
void export_seconds(struct strbuf *out, int64_t ns);
#define CSV_EOL "\r\n" /* RFC 4180 */
/* Write a field of CSV (RFC 4180), in quotes if necessary. */
void csv_field(struct strbuf *out, const char *text);

#endif
