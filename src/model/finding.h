/* finding: judgements as data. A finding is a condition over metrics that means something for the
 * person who optimises: "read stalls are high". A verdict is what holds the whole workload back. A
 * resource is what both are about: a queue, a unit, reads, writes, the CPU. All are stanzas
 * (doc/data-format.md); judge.h evaluates them. A note is a remark that explains metrics without
 * any condition.
 *
 * Immutable after gpudb_load; any thread.
 */
#ifndef MALITOP_FINDING_H
#define MALITOP_FINDING_H

#include "model/metric.h"

enum finding_kind { FINDING_RULE, FINDING_VERDICT, FINDING_CONDITION, FINDING_NOTE, FINDING_RESOURCE };

/* A note is worth knowing but is no fault: it fails no budget. Critical means late frames. */
enum finding_severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_CRITICAL };
extern const char *const finding_severity_names[]; /* note warning critical NULL */

/* What is known of a resource: percent of the whole that it works; milliseconds of a shown frame
 * that the whole takes, and takes at full speed; those that a wanted one may take. */
enum resource_figure { RESOURCE_TIME, RESOURCE_WHOLE, RESOURCE_TAKES, RESOURCE_MAY_TAKE, RESOURCE_FIGURES };

/* "A | B above 2 until 1.5": the first formula that the machine has is over (or under) `on`, and
 * stays so until it is under (or over) `off`. "from 2" holds at 2 as well. */
struct finding_limit {
	struct gpu_set gpus;
	struct span formulas;          /* alternatives, separated by '|' */
	enum alert_side side;          /* never ALERT_NONE */
	bool reached;                  /* "from": at `on` it is met */
	double on, off;                /* in the unit of the metric */
	struct span on_text, off_text; /* as written; the second is empty without "until" */
	unsigned line;
	struct finding_limit *next;
};

struct finding_def {
	const char *name; /* "read-stalls" */
	const char *title;
	enum finding_kind kind;
	enum finding_severity severity;
	struct gpu_set gpus;
	struct finding_limit *whens;    /* the first one that fits the machine; NULL: the ands decide */
	struct finding_limit *ands;     /* all that are for this GPU; NULL: none */
	struct finding_limit *unlesses; /* none of them may hold; what is unknown does not */
	struct finding_limit *clears;   /* of a verdict: it is only likely if one of them does not hold */
	struct span needs;              /* names of conditions, blank-separated */
	struct span evidence;           /* of metrics: "A | B, C": alternatives, in the order of importance */
	struct metric_variant *says, *advice; /* what it means, what to do */
	struct span look;                     /* names of views, blank-separated: the first that there is */
	struct span guide;                    /* "Mali-G52 2.4, Mali-G715 3.4": sections; may be empty */
	bool shipped;                         /* built in: its names are known to be right */
	const char *house;                    /* reason of a limit that no guide gives; NULL: the guide's */
	struct span metrics;                  /* of a note: what it is about */
	struct span resource;                 /* names of resources that it is about; may be empty */
	struct metric_variant *gain;          /* formulas "A | B": share of that resource's time that
				       * disappears at most, 0 to 1; NULL: no honest bound */
	const char *id;                       /* of a verdict: what exports call it */
	bool alone;                           /* of a verdict: only for machines without a GPU */
	bool spare;                           /* of a verdict: nothing holds the workload back */
	struct span explains;                 /* of a verdict: resources, blank-separated */
	struct span units;                    /* of a verdict: resources whose busiest one it names */
	struct metric_variant *headroom;      /* of a verdict: formulas, spare milliseconds of a frame */
	struct metric_variant *figures[RESOURCE_FIGURES]; /* of a resource: formulas */
	const char *of;                                   /* of a resource: what the whole is, "GPU time" */
	struct span rules; /* names of the rules that it covers (doc/findings.md) */
	const char *file;
	unsigned line;
};

/* Find a definition by its kind and name; NULL if there is none. */
const struct finding_def *finding_find(const struct gpudb *db, enum finding_kind kind, struct span name);
/* Return the text for a GPU (NULL: none): the first variant that fits; empty if none does. */
struct span finding_text(const struct metric_variant *variants, const struct gpu_product *product);
/* Return the section in the guide that is meant for this GPU, "Mali-G715 3.4.1"; empty if it has
 * none. */
struct span finding_guide(const struct gpudb *db, const struct finding_def *def,
			  const struct gpu_product *product);

/* Whose limit it is: "house", "guide", or "own" if it names neither a reason nor a section. */
const char *finding_origin(const struct finding_def *def);

/* Facts that no source has as a metric. Formulas of findings name them like constants. */
enum finding_fact {
	FACT_BUSIEST_THREAD, /* $BusiestThread: its share of one CPU, percent */
	FACT_FRAME_RATE,     /* $FrameRate: frames per second that were shown */
	FACT_THREAD_WAITS,   /* $BusiestThreadWaits: ready, while another ran; percent of the time */
	FACT_COUNT
};
struct finding_fact_text {
	const char *name, *title, *unit;
};
extern const struct finding_fact_text finding_facts[FACT_COUNT];

#endif
