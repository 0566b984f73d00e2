/* report_log: a log for a report: its sources folded into steps of time and into phases, verdicts
 * and findings over time, frames, marks and processes. The memory does not grow with the length of
 * the log, but for the spans of verdicts and findings, which hold for seconds at least.
 *
 * Thread: one at a time. */
#ifndef MALITOP_REPORT_LOG_H
#define MALITOP_REPORT_LOG_H

#include "hot/hot_table.h"
#include "mlog/mlog_reader.h"
#include "passes/frame_stats.h"
#include "passes/pass_table.h"
#include "session/session.h"

#define REPORT_STEPS 600      /* points of a line */
#define REPORT_PHASES 12      /* columns of a table */
#define REPORT_MARKS 200      /* drawn marks */
#define REPORT_SPANS 20000    /* of verdicts and findings together */
#define REPORT_PROCESSES 4096 /* processes */

/* A phase from the start or a mark to the next mark or the end. The one after the last phase is the
 * whole log. */
struct report_phase {
	char name[MLOG_NOTE_TEXT];
	int64_t begin_ns, end_ns; /* CLOCK_MONOTONIC, as all times here */
	struct frame_stats *frames;
};

struct report_mark {
	char text[MLOG_NOTE_TEXT];
	int64_t at_ns;
};

/* A verdict or a finding that held. */
struct report_held {
	const struct judged *what; /* NULL if the verdict is unclear */
	bool is_verdict;
	int64_t begin_ns, end_ns;
};

struct report_process {
	char name[PROCESS_NAME];
	int32_t pid;
	uint64_t start;
	double cpu_s, gpu_s, rss, gpu_bytes, rated_s; /* sums of time; the largest memory; NaN: unknown */
};

/* The columns of the source of each kind in a span of time; NULL: nothing was measured. */
struct report_span {
	const struct column *of[SOURCE_KINDS];
};

struct report_source {
	const struct session_source *source; /* NULL if the log has none of this kind */
	unsigned n_kept;                     /* slots that columns have; the rest of a vector is unknown */
	struct column *steps[REPORT_STEPS];  /* NULL if no sample ended in the step */
	struct column *phases[REPORT_PHASES + 1];
	struct column *one; /* the newest sample */
	double *vector, *scratch;
	uint64_t n_samples, n_lost, seq;
	struct sample_failures failures;
};

struct report_log {
	char name[256]; /* printable */
	struct file *file;
	struct mlog_input input;
	struct mlog_reader *reader;
	struct session session;
	struct watch *watch;
	struct report_source sources[SOURCE_KINDS];
	const struct metric_set *sets[SOURCE_KINDS];
	int64_t begin_ns, end_ns, step_ns;
	unsigned n_steps;
	struct report_mark marks[REPORT_MARKS];
	unsigned n_marks, n_more_marks; /* n_more_marks: not drawn */
	struct report_phase phases[REPORT_PHASES + 1];
	unsigned n_phases;                                        /* without the whole log */
	struct frame_stats *frames;                               /* of the whole log */
	struct pass_names names;                                  /* of its passes and regions */
	double longest_ms[REPORT_STEPS], median_ms[REPORT_STEPS]; /* frames of a step; NaN: none */
	struct report_held *spans;
	unsigned n_spans, cap_spans;
	const struct judged *verdicts[REPORT_STEPS]; /* that held longest in the step; NULL: unclear */
	struct report_process *processes;
	unsigned n_processes, cap_processes;
	int64_t processes_ns;
	struct hot_profile hot;     /* of the whole log */
	struct hot_table functions; /* the same; without rows if none were sampled */
	int64_t judged_ns;          /* end of the last step of the judge that was seen */
	struct strbuf missing;      /* what the log does not hold; "" if it is intact */
	bool damaged;
};

/* Read a log. On failure everything is freed. */
bool report_log_read(struct report_log *log, const struct sys *sys, const struct options *options,
		     const char *path, struct err *err);
/* Read an open file, which is closed here, as a log called `name`. */
bool report_log_read_file(struct report_log *log, const struct sys *sys, const struct options *options,
			  struct file *file, const char *name, struct err *err);
void report_log_fini(struct report_log *log);

/* Return the phase of a time. */
/* Find the longest frames that were late, or without a budget much longer than the median, up to
 * `most`. Returns their number. */
unsigned report_late_frames(const struct report_log *log, unsigned most, const struct frame_facts **frames);
unsigned report_phase_at(const struct report_log *log, int64_t at_ns);

/* report_judged.c: after a sample, and after the last one: record which of them hold. */
void report_log_judge(struct report_log *log);
void report_log_judged(struct report_log *log);
const struct judge *report_judge(const struct report_log *log);
/* A step, a phase, or the whole log. A sample longer than a step is in each that it covers. */
struct report_span report_step(const struct report_log *log, unsigned step);
struct report_span report_phase_span(const struct report_log *log, unsigned phase);
struct report_span report_all(const struct report_log *log);
/* A metric over a span, of one instance or of all (NULL); per second if it grows. NaN: unknown. */
double report_value(const struct report_log *log, enum source_kind kind, const struct metric *metric,
		    const struct metric_instance *instance, const struct report_span *span);
/* Find the metric of this name in the first source that has it; NULL: there is none. */
const struct metric *report_metric(const struct report_log *log, const char *name, enum source_kind *kind);
/* Return the value of that metric over a span. */
double report_named(const struct report_log *log, const char *name, const struct report_span *span);
/* Return for how long a verdict (NULL: an unclear one) or a finding held in a phase, seconds. */
double report_held_s(const struct report_log *log, const struct judged *what, unsigned phase);
/* Return the verdict that held longest in [begin_ns, end_ns); NULL: unclear. */
const struct judged *report_verdict(const struct report_log *log, int64_t begin_ns, int64_t end_ns);
/* Return the title of a verdict, or that it is not clear. */
const char *report_verdict_title(const struct judged *verdict);
/* Get the passes over a phase; an empty table if there are none. */
void report_passes(const struct report_log *log, unsigned phase, struct pass_table *table);

#endif
