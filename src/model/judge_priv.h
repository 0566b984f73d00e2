/* judge_priv: shared by judge.c, which evaluates, and judge_bind.c, which compiles. Only these
 * include it. */
#ifndef MALITOP_JUDGE_PRIV_H
#define MALITOP_JUDGE_PRIV_H

#include "model/judge.h"

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

struct judge_condition {
	bool reached;        /* met at `on`, too */
	struct expr expr;    /* over the inputs; empty if the machine does not have its names */
	struct span formula; /* as written */
	enum alert_side side;
	double on, off, value;
	bool met;
};

struct judged_priv {
	struct judge_condition
		*conditions;      /* `when` first, if there is one; then those that `clear` asks for */
	unsigned n, cap, n_clear; /* n: without those of `clear` */
	struct judge_condition *unlesses;
	unsigned n_unlesses, cap_unlesses;
	struct expr gain; /* of a verdict: its headroom; empty: none */
	unsigned evidence[JUDGE_EVIDENCE];
	int64_t met_ns, unmet_ns; /* begin of the last steps in a row that met it, or did not; 0: none */
	int64_t clear_ns;         /* begin of those that were so by far; 0: the last one was not */
	bool was_met;
};

struct resource_priv {
	struct expr time, whole, takes, may_take; /* empty: none */
};

struct judge_priv {
	struct judged_priv late; /* the condition of late frames */
	const struct gpudb *db;
	const struct metric_set *sets[SOURCE_KINDS];
	const struct gpu_product *product;
	struct judge_input *inputs;
	unsigned n_inputs, cap_inputs;
	double *values; /* of the inputs */
	const struct judged *candidate;
	enum judge_surety candidate_surety;
	int64_t candidate_ns;
};

/* Describe an input, without a value. */
struct judge_number judge_number_of(const struct judge_priv *p, unsigned input);

#endif
