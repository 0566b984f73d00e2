/* judge: evaluates findings and verdicts (finding.h) over the metrics of the shown sources, one
 * step of time after the other.
 *
 * A finding holds once its conditions were met for JUDGE_ON_NS, and until they were not for
 * JUDGE_OFF_NS. Once the verdict has not changed for JUDGE_SETTLED_NS, only what is far from the
 * limit, by two fifths of it, changes a finding so soon; anything else must last for
 * JUDGE_LASTING_NS. The verdict changes once another one fits for JUDGE_VERDICT_NS. So short events
 * change nothing, and neither flickers. A longer step counts as if its conditions were met all the
 * time. The first verdict that fits wins, in the order of the data.
 *
 * Undefined values (NaN) meet no condition, with one exception: a fact that has become unknown,
 * such as the busiest thread while no processes are read, does not end the verdict that relies on
 * it.
 *
 * Thread: one at a time. judge_step does not allocate. */
#ifndef MALITOP_JUDGE_H
#define MALITOP_JUDGE_H

#include "model/finding.h"

#define JUDGE_STEP_NS 500000000ll /* a good length of a step */
#define JUDGE_ON_NS 2000000000ll
#define JUDGE_OFF_NS 5000000000ll
#define JUDGE_VERDICT_NS 1500000000ll
#define JUDGE_SETTLED_NS 10000000000ll
#define JUDGE_LASTING_NS 300000000000ll
#define JUDGE_KEPT_NS 60000000000ll /* how long a finding that went away is worth showing */
#define JUDGE_EVIDENCE 4
#define JUDGE_PAST 120         /* steps of which the number of a finding is kept */
#define JUDGE_NEWS "verdict: " /* how news begin, and marks of a log that the user did not set */
#define JUDGE_EVENTS 64        /* begins and ends that are kept */

/* What is known beside the sources; NaN: unknown. The judge itself finds FACT_FRAME_RATE, if a
 * source counts frames. */
struct judge_facts {
	double value[FACT_COUNT];
	char thread[80]; /* "RenderThread of com.example.game (4711)", printable; "" if unknown */
	int32_t thread_id;
	char code[80]; /* what it runs: "62 % in Physics::step", printable; "" if not sampled */
};

/* A number with its name. */
struct judge_number {
	const char *name;            /* machine name */
	const char *title;           /* short */
	const struct metric *metric; /* NULL: a fact or a formula */
	const struct unit *unit;
	double value; /* counts that grow are per second; NaN if undefined */
};

struct judge_condition {
	enum { JUDGE_MUST, JUDGE_SURE, JUDGE_UNLESS } role; /* SURE: a verdict is only likely without it */
	bool reached;                                       /* met at `on`, too */
	struct expr expr; /* over the inputs; empty if the machine does not have its names */
	enum alert_side side;
	double on, off, value;
	bool met;
};

struct judge_conditions {
	struct judge_condition *list;
	unsigned n, cap;
};

struct judged {
	const struct finding_def *def;
	bool holds;
	int64_t since_ns;           /* since when its conditions are met or, if it ended, are not */
	int64_t begun_ns;           /* when it began to hold; 0: never did */
	double limit, off;          /* of `number`, as it is on this GPU; the second: at which it ends */
	enum alert_side side;       /* NONE: a verdict without a number of its own */
	struct judge_number number; /* the one that the limit is for */
	struct judge_number evidence[JUDGE_EVIDENCE];
	unsigned n_evidence;
	/* Over the whole run: time in which it held, and the mean of its numbers in that time; NaN
	 * if it never did. */
	double held_s, mean, evidence_mean[JUDGE_EVIDENCE];
	double worst; /* the number furthest beyond its limit while it held */
	/* What it is worth at most; NaN: no honest bound. The share of its resource's time that
	 * disappears, 0 to 1; the same of the whole (struct judge_resource), and in milliseconds of
	 * a shown frame, where frames are counted. Now, and the means of the time in which it held.
	 * Of a verdict `ms` is what is spare in a frame. */
	const struct judge_resource *resource; /* NULL: none, or the machine does not count it */
	struct judge_worth {
		double gain, share, ms;
	} worth, worth_mean;
	unsigned begins;           /* how often it began so far */
	double clear_s;            /* of a verdict: the part of that time in which it was clear */
	uint16_t past[JUDGE_PAST]; /* the number after each step, packed: see judged_past */
	unsigned n_past;           /* steps so far */
	/* For src/model: */
	struct judge_conditions conditions; /* the one of `number` first, if there is one */
	struct expr gain;                   /* of a verdict: its headroom; empty: none */
	unsigned evidence_inputs[JUDGE_EVIDENCE];
	int64_t met_ns, unmet_ns; /* start of the last steps in a row that met it, or did not; 0: none */
	int64_t clear_ns;         /* start of those that did so by far; 0: the last one did not */
	bool was_met;
};

/* A finding began or ended, or the verdict is another one. */
struct judge_event {
	int64_t at_ns;
	const struct judged *what; /* NULL: the verdict is unclear */
	bool ended;                /* of a finding */
};

/* What findings and verdicts are about: a queue, a unit, the CPU. */
struct judge_resource {
	const struct finding_def *def;
	struct {
		struct expr formula; /* empty: none */
		double now, mean;    /* NaN: unknown; the second: over the run */
	} figures[RESOURCE_FIGURES];
};

enum judge_surety { JUDGE_UNCLEAR, JUDGE_LIKELY, JUDGE_CLEAR };

struct judge_verdict {
	const struct judged *why; /* NULL: unclear */
	enum judge_surety surety;
	int64_t since_ns; /* start of its evidence; 0 before the first step */
	unsigned changes; /* how often it changed so far */
};

/* A name in a formula: where its value comes from. */
struct judge_input {
	char *name;
	enum source_kind source;
	const struct metric *metric;  /* of the source's set; NULL: `own` or a fact */
	const struct metric_set *set; /* NULL: a fact */
	struct expr own;              /* a constant of the source */
	enum finding_fact fact;
	double value;
};

struct judge {
	const struct gpudb *db;
	const struct gpu_product *product; /* NULL without a GPU */
	struct judged *findings;           /* those that this machine can decide, in the order of the data */
	unsigned n_findings;
	struct judged *verdicts;
	unsigned n_verdicts;
	struct judge_resource *resources;
	unsigned n_resources;
	struct judge_verdict verdict;
	bool gpu_measured, gpu_failed;           /* steps had valid samples of the GPU; only failed ones */
	bool late;                               /* frames are late now */
	double late_s;                           /* for how long of the run they were */
	int64_t begin_ns, end_ns;                /* of all steps so far */
	struct judge_facts facts;                /* of the last step */
	struct judge_event events[JUDGE_EVENTS]; /* in the order of time */
	unsigned n_events;
	/* For src/model: */
	struct judge_conditions late_if;
	const struct metric_set *sets[SOURCE_KINDS];
	struct judge_input *inputs;
	unsigned n_inputs, cap_inputs;
	double *values; /* of the inputs; counts that grow are not per second */
	const struct judged *candidate;
	int64_t candidate_ns;
};

/* Compile the findings of db for these sources; a set may be NULL. The data was checked when it was
 * loaded, so that this cannot fail. `db` and the sets must live as long as the judge. */
struct judge *judge_new(const struct gpudb *db, const struct metric_set *const sets[SOURCE_KINDS]);
void judge_free(struct judge *judge);
/* Forget everything that was seen. */
void judge_clear(struct judge *judge);
/* Evaluate one step of time, from begin_ns to end_ns, with the vector of each source (NULL: nothing
 * was measured). */
void judge_step(struct judge *judge, int64_t begin_ns, int64_t end_ns,
		const double *const vectors[SOURCE_KINDS], const struct judge_facts *facts);
/* The number of a finding, `back` steps before the last one, to two digits; NaN: unknown. */
double judged_past(const struct judged *f, unsigned back);
/* Whether its number is known and within the limit. */
bool judged_is_fine(const struct judged *f);
/* What it means now that a metric is beyond its limit: as bad as the worst finding with that limit
 * that holds, else as one that shows it as evidence and whose needs (a busy GPU, a scene, the unit
 * that leads) are met; a note if there is none of these. A warning if no finding has the metric. */
enum finding_severity judge_severity(const struct judge *judge, const struct metric *metric);
/* Mark the slots of a source that the verdicts are made of, in an array with one for each slot. */
void judge_mark_slots(const struct judge *judge, enum source_kind kind, bool *used);
/* A short run: let everything count that the last steps met, however short they were. */
void judge_finish(struct judge *judge);

/* Describe an input, without a value. */
struct judge_number judge_number_of(const struct judge *judge, unsigned input);

/* "gpu-fragment", "unclear"; "Not clear" */
const char *judge_verdict_name(const struct judge_verdict *verdict);
const char *judge_verdict_title(const struct judge_verdict *verdict);
extern const char *const judge_surety_names[]; /* "not clear", "likely", "clear" */
/* Which verdicts one reader has seen; zero-initialize it. */
struct judge_reported {
	unsigned changes;
	bool named; /* there was one other than unclear */
};
/* Whether the verdict has changed since the last call, except to the first one that has a name:
 * that one is no change. text: "verdict: GPU bound: fragment". */
#define JUDGE_NEWS_TEXT 96
bool judge_news(const struct judge *judge, struct judge_reported *reported, char text[JUDGE_NEWS_TEXT]);
/* Why the verdict is unclear: "Busiest thread is not known". */
void judge_missing(const struct judge *judge, struct strbuf *out);
/* How a finding is shown beside a verdict, the most useful change first. */
enum judge_group {
	JUDGE_HOLDS,  /* explains the verdict: what it is about holds the workload back */
	JUDGE_BESIDE, /* costs energy, or is about the system; no time: the frame waits for something else */
	JUDGE_NOTES,
	JUDGE_GROUPS
};
extern const char *const judge_group_titles[JUDGE_GROUPS]; /* "Holds the frame back" */

struct judge_rank {
	const struct judged *f;
	const struct judged *verdict; /* NULL: unclear */
	enum judge_group group;
	enum finding_severity severity; /* critical only if frames are late and it explains why */
	struct judge_worth worth;
};
/* Rank findings under a verdict (NULL: unclear), now or over the whole run. */
struct judge_rank judge_rank(const struct judge *judge, const struct judged *verdict, bool whole_run,
			     const struct judged *f);
/* Whether a comes before b: by group, severity, then what it is worth. Of those that are alike
 * neither does. */
bool judge_ranks_before(const struct judge_rank *a, const struct judge_rank *b);
/* "up to 6.1 of 23.1 ms", "energy only, fragment does not wait for it"; nothing without a bound. */
void judge_put_worth(const struct judge_rank *rank, bool whole_run, struct strbuf *out);
/* What follows a verdict's title: "needs 23.1 of 14.2 ms: over by 8.9 ms, 1.63x; arithmetic 71.6 %
 * is the busiest unit, next texture 40 %: at most 1.8x", or "nothing to fix: 6.3 ms spare per
 * frame"; or nothing. */
void judge_put_headroom(const struct judge *judge, const struct judged *verdict, bool whole_run,
			struct strbuf *out);

/* The verdict of the whole run, for all who print one: of those that limit the workload and held
 * for at least a tenth of the run the one that held longest, else of all. *share is its part of the
 * time. NULL if none ever held. */
const struct judged *judge_of_run(const struct judge *judge, double *share);
/* Whether it limits nothing: idle, frame rate limited, unclear, NULL. */
bool judged_is_calm(const struct judged *verdict);
/* Whether its evidence was clear most of the time in which it held; JUDGE_UNCLEAR of NULL. */
enum judge_surety judged_surety(const struct judged *verdict);
/* " (clear, 51 % of the time)", or nothing if it is unclear. */
void judge_put_share(const struct judged *verdict, double share, struct strbuf *out);

#endif
