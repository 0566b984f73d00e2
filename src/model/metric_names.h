/* metric_names: the meanings of the names in formulas on one source. Internal to src/model. */
#ifndef MALITOP_METRIC_NAMES_H
#define MALITOP_METRIC_NAMES_H

#include "model/metric.h"

enum name_kind { NAME_SLOT, NAME_VECTOR, NAME_CONSTANT, NAME_METRIC };

struct metric_name {
	struct span name;
	enum name_kind kind;
	unsigned at;    /* slot, vector constant, or position of the definition */
	unsigned other; /* the second slot of an ambiguous name; else the same as `at` */
	double number;  /* NAME_CONSTANT */
};

/* The names of slots and constants. Those of formulas are found in db; Streamline's are few in
 * formulas, so they are searched when one is looked up. */
struct metric_names {
	const struct gpudb *db;
	const struct gpu_product *product;
	struct metric_name *entries;
	unsigned n, cap;
	uint16_t *table; /* open addressing: position in entries + 1, 0 for none; size is a power of two */
	unsigned size;
	unsigned n_slots;
	const struct gpu_counter **counters; /* by slot; NULL if the slot is not in the layout */
};

struct metric_names *metric_names_new(const struct gpudb *db, const struct metric_set *set);
void metric_names_free(struct metric_names *names);
/* Returns false if the source does not have that name. */
bool metric_names_find(const struct metric_names *names, struct span name, struct metric_name *found);

/* Return whether any GPU or CPU knows the name. If so, a formula with it is valid, but not for this
 * source. */
bool metric_name_known(const struct gpudb *db, struct span name);

/* metric_parse.c: "above 2"; NaN for "above budget", the time of a frame */
bool metric_alert_parse(struct span text, const struct unit *unit, enum alert_side *side, double *at);
/* metric_eval.c: find the instances of a finished set, and the kinds of instances that each metric
 * can be broken down by. */
void metric_instances_find(struct metric_set *set);

#endif
