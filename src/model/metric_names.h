/* metric_names: what a name in a formula stands for on one source. Internal to src/model. */
#ifndef MALITOP_METRIC_NAMES_H
#define MALITOP_METRIC_NAMES_H

#include "model/metric.h"

enum name_kind { NAME_SLOT, NAME_VECTOR, NAME_CONSTANT, NAME_METRIC };

struct metric_name {
	struct span name;
	enum name_kind kind;
	unsigned at;    /* slot, vector constant, or position of the definition */
	unsigned other; /* ambiguous: the second slot; else the same as at */
	double number;  /* NAME_CONSTANT */
};

struct metric_names {
	struct metric_name *entries;
	unsigned n, cap;
	uint16_t *table; /* open addressing: position in entries + 1, 0 for none; size is a power of two */
	unsigned size;
	const struct gpu_counter **counters; /* of each slot; NULL where it is none of the layout */
};

struct metric_names *metric_names_new(const struct gpudb *db, const struct metric_set *set);
void metric_names_free(struct metric_names *names);
const struct metric_name *metric_names_find(const struct metric_names *names, struct span name);

/* True if the name means something on some GPU or CPU, so that a formula with it is merely not for this one. */
bool metric_name_known(const struct gpudb *db, struct span name);

/* metric_parse.c: "above 2" */
bool metric_alert_parse(struct span text, enum alert_side *side, double *at);
/* metric_eval.c: find the instances of a finished set, and by what each metric can be broken down. */
void metric_instances_find(struct metric_set *set);

#endif
