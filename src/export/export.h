/* export: samples as rows of metrics. One walk over sources and metrics, one writer per format.
 *
 * A row is a sample of one source: the first GPU; without one, the first source, or the fastest. Samples of the other sources wait for the row in
 * which their own interval ended and fill it; several of them are folded; one that ended between two rows fills the later row. (A
 * format may have it otherwise: every sample a row of its own.) With a step, the samples that ended within one become one row, the fold of
 * them: sums, and what metrics make of sums. Columns are fixed by the header and none comes twice. Rows are put
 * together in memory and handed out whole, so that a reader of the file never sees half a line. Memory does not grow with the
 * length of the log. The total of a run is one more row, over the sums of all samples.
 *
 * Thread: one at a time (the recorder).
 */
#ifndef MALITOP_EXPORT_H
#define MALITOP_EXPORT_H

#include "base/err.h"
#include "base/str.h"
#include "model/history.h"
#include "model/metric.h"
#include "model/sample.h"

/* A source whose samples become columns. `set` outlives the export; everything else is used by export_new only. */
struct export_source {
	uint32_t index;               /* sample.source */
	const char *prefix;           /* of its columns: "", "gpu1:" */
	const char *title, *driver;   /* for people */
	const struct metric_set *set; /* its slots are those of the samples */
	const struct gpudb *db;       /* for the template of a GPU: its default columns */
	int64_t period_ns;
	bool simulated;
};

enum export_lines { EXPORT_ROWS, EXPORT_TOTAL, EXPORT_ROWS_AND_TOTAL };

/* Texts are used by export_new only. */
struct export_options {
	const char *metrics; /* names and globs, comma-separated; NULL: the template of a GPU, everything of a CPU */
	bool exact; /* metrics are names of columns, in their order: without globs, and without what a metric is broken down into */
	bool fastest; /* without a GPU, rows are samples of the fastest source; else of the first, which is /proc where it is read */
	enum export_lines lines; /* with a total the command has columns of its own, filled in that row */
	bool per_core;           /* a column for every core, slice and CPU as well (clusters always have one) */
	int64_t step_ns,
		step_from_ns;    /* rows are of steps so long, the first of which begins then (CLOCK_MONOTONIC); 0: of samples */
	int64_t epoch_offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC, as fixed when the log starts */
	int64_t start_ns;        /* CLOCK_MONOTONIC, when the log starts */
	int64_t boottime_ns;     /* CLOCK_BOOTTIME at that moment; 0: unknown */
	const char *host;        /* printable; "" if unknown */
	const char *version;     /* of malitop */
};

/* Takes whole rows. */
typedef bool export_write_fn(void *ctx, const void *bytes, size_t n, struct err *err);

struct export;
struct export_format;
extern const struct export_format export_csv, export_jsonl, export_perfetto, export_text, export_counters;

/* Choose the columns and write the header. Options and sources are copied. A name or glob that fits nothing is an error that
 * names it. NULL on failure. */
struct export *export_new(const struct export_format *format, const struct export_options *options,
			  const struct export_source *sources, unsigned n_sources, export_write_fn *write, void *ctx,
			  struct err *err);
/* In the order in which the sampler pushed them: then every sample of another source that ended within a row comes before it. A jump of
 * seq is a loss: the row gets the flag of a gap. A sample of a source that is not ours is ignored. false when `write` failed; the row is
 * lost then. */
bool export_sample(struct export *ex, const struct sample *sample, struct err *err);

/* The command that a total is about. */
struct export_command {
	const char *text;         /* printable: CMD ARG... */
	int64_t begin_ns, end_ns; /* CLOCK_MONOTONIC, as in samples */
	int64_t user_ns, system_ns;
	int status;
};
/* Everything since the start as one row, the last one; unless lines are EXPORT_ROWS. */
bool export_total(struct export *ex, const struct export_command *command, struct err *err);
/* The step that has begun as a row: nothing more will come. */
bool export_end(struct export *ex, struct err *err);
/* Somebody set a mark at that moment (CLOCK_MONOTONIC), before any sample of what came later; text: printable, may be empty. Where a
 * format has no place for it, the row in which it fell has the flag `mark`. */
bool export_mark(struct export *ex, int64_t time_ns, const char *text, struct err *err);
void export_free(struct export *ex);

/* ---- for the writers, and for whoever prints the same formats ---- */

struct export_column {
	char *name;    /* "gpu1:MaliFragUtil.core3", owned */
	uint64_t hash; /* of the name */
	unsigned source;
	const char *title;
	const struct unit *unit;
	const struct metric *metric; /* NULL: of the command */
	int instance;                /* into set->instances, -1: the whole source */
};

struct export_table {
	const struct export_options *options;
	const struct export_source *sources;
	unsigned n_sources, first; /* first: whose samples are the rows */
	const char *also;          /* the format's */
	struct export_column *columns;
	unsigned n_columns, cap_columns;
	unsigned n_metrics; /* columns of metrics; those of the command come last */
	int64_t begin_ns;   /* of the first row, since the epoch */
	uint64_t id;        /* tells the tables of different logs apart */
};

struct export_row {
	uint64_t number;          /* from 1 */
	int64_t begin_ns, end_ns; /* since the epoch */
	int64_t duration_ns; /* that was measured: in a step, gaps and failed samples are left out (unless there is nothing else) */
	uint32_t flags;
	bool marked;                          /* and the format has no place for marks */
	const double *values;                 /* per column, NaN: undefined */
	const bool *estimated;                /* per column: not everything in it was counted all the time */
	const struct column *const *sums;     /* per source: what the values are of; NULL where no interval of it ended */
	unsigned source;                      /* whose samples made it a row */
	const struct export_command *command; /* the total of it; NULL: a row of samples */
};

struct export_format {
	const char *name;
	bool each;        /* every sample of every source is a row, of nothing but its own values */
	bool raw;         /* it is made of the sums: there are no columns */
	const char *also; /* a metric that stands before the template of a GPU; NULL: none */
	/* What it cannot tell of is an error. NULL: it can tell of everything. */
	bool (*check)(const struct export_table *table, struct err *err);
	void (*begin)(const struct export_table *table, struct strbuf *out);
	void (*row)(const struct export_table *table, const struct export_row *row, struct strbuf *out);
	/* time_ns: since the epoch. NULL: a mark has no place of its own in this format. */
	void (*mark)(const struct export_table *table, int64_t time_ns, const char *text, struct strbuf *out);
};

/* The words of cli.md, and "mark" and "total". buf has EXPORT_FLAGS_TEXT bytes. Returns buf. */
#define EXPORT_FLAGS_TEXT (SAMPLE_FLAGS_TEXT + 16)
char *export_flags(char *buf, const struct export_row *row);
/* "1700000000.123456789" */
void export_seconds(struct strbuf *out, int64_t ns);
#define CSV_EOL "\r\n" /* RFC 4180 */
/* A field of CSV (RFC 4180): in quotes where it must be. */
void csv_field(struct strbuf *out, const char *text);
/* A string of JSON with its quotes; bytes that are no UTF-8 become U+FFFD. */
void json_string(struct strbuf *out, const char *text);
/* A number, or null for NaN and infinity. */
void json_number(struct strbuf *out, double value);

#endif
