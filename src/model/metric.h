/* metric: what people read. Definitions come from text; a metric set is all the definitions that a source can feed, compiled.
 *
 * A set is immutable after metric_set_new; any thread may evaluate with a vector of its own.
 */
#ifndef MALITOP_METRIC_H
#define MALITOP_METRIC_H

#include "base/units.h"
#include "model/expr.h"
#include "model/gpudb.h"
#include "model/history.h"
#include "model/sample.h"

/* A variant of a formula, a threshold or a list of names, for some GPUs; in the order as written. See doc/data-format.md. */
struct metric_variant {
	struct gpu_set gpus;
	struct span text;
	unsigned line;
	struct metric_variant *next;
};

struct metric_def {
	const char *name; /* MaliFragQueueUtil */
	const char *title;
	const char *short_title; /* never NULL; the title where none was given */
	const char *group;
	const char *help; /* one paragraph; "" if none */
	const struct unit *unit;
	struct gpu_set gpus;
	const char *file;                                      /* for messages */
	struct metric_variant *exprs, *guides, *alerts, *vars; /* lists; NULL: none */
};

enum definitions { DEFINITIONS_CURRENT, DEFINITIONS_GUIDE };

enum alert_side { ALERT_NONE, ALERT_ABOVE, ALERT_BELOW };

struct metric {
	const struct metric_def *def;
	const struct unit *unit;
	struct expr expr; /* over a vector, see below; without the bounds of a percentage */
	struct span text; /* the formula that was taken; empty for a counter and a constant */
	enum alert_side alert;
	double alert_at;
	double low, high;   /* bounds of the value: 0 and 100 for a percentage, else -inf and inf */
	unsigned instances; /* bit set of 1 << enum instance_kind by which it can be broken down */
	bool is_counter;
};

/* The values a formula loads from: some constants, then one double per slot of the source. */
enum vector_constant { VECTOR_SECONDS, VECTOR_CORES, VECTOR_SLICES, VECTOR_BUS_BITS, VECTOR_CONSTANTS };

/* One thing that metrics can be broken down by, say core 3. */
struct metric_instance {
	enum instance_kind kind;
	unsigned number;
	char label[16]; /* "core3" */
	char title[48]; /* "Cortex-A76 x4"; the label where there is no better one; printable */
	struct {
		uint16_t sum, own; /* vector index of the sum, and of this instance's part of it */
	} * parts;
	unsigned n_parts, cap_parts;
};

/* Everything that a name can stand for on one source; internal to src/model. */
struct metric_names;

struct metric_set {
	const struct gpu_product *product; /* NULL for a CPU, and for a GPU that is not in the data */
	const struct gpu_layout *layout;   /* of a GPU's counters; NULL for a CPU */
	enum definitions definitions;
	struct metric *metrics; /* all that exist on this source, in the order of the definitions */
	unsigned n_metrics;
	struct slot *slots;
	unsigned n_slots;
	double constants[VECTOR_CONSTANTS];
	struct metric_instance *instances;
	unsigned n_instances;
	unsigned n_vector; /* length of a vector: VECTOR_CONSTANTS + n_slots */
	struct metric_names *names;
	struct metric_def *raw_defs; /* of slots that no definition knows: a metric for each */
	unsigned n_raw_defs;
	int *metric_of_def; /* position in metrics[] by position in db->metrics, -1 if the source does not have it */
};

struct metric_source {
	const struct gpu_product *product; /* NULL: CPU metrics, those that need no GPU */
	const struct gpu_layout *layout;   /* NULL: the product's; gpudb_raw_layout for a GPU that is not in the data */
	const struct slot *slots;
	unsigned n_slots;
	unsigned core_count, l2_slice_count, bus_width_bits; /* 0: unknown, NaN in formulas */
	enum definitions definitions;
};

/* Compile everything in db that this source can feed. A formula that is malformed is an error; one that names a counter the GPU
 * does not have is left out (unless no variant of it compiles anywhere: `make check` finds that). NULL on failure. */
struct metric_set *metric_set_new(const struct gpudb *db, const struct metric_source *source, struct err *err);
void metric_set_free(struct metric_set *set);
/* By machine name; NULL if the source has no such metric. */
const struct metric *metric_find(const struct metric_set *set, struct span name);
const struct metric_def *metric_def_find(const struct gpudb *db, struct span name);

/* Compile a formula of a user against the set (charts, explain). cores_mean: core counters are meant as means. */
bool metric_compile(const struct metric_set *set, const struct gpudb *db, struct span text, bool cores_mean, struct expr *out,
		    struct err *err);

/* Fill a vector (n_vector doubles) from a column. */
void metric_vector(const struct metric_set *set, const struct column *column, double *vector);
/* The same seen by one instance: its slots in place of the sums, and one core or slice. Only the first n values of `vector` exist
 * (a history may leave instances out); what lies behind them is unknown. `out` gets n_vector values. */
void metric_vector_instance(const struct metric_set *set, const struct metric_instance *instance, const double *vector,
			    unsigned n, double *out);
/* The smallest part of the time for which anything in it was counted, 0 to 1: below 1 the value is an estimate. NaN where the source
 * has no such slots (struct slot.running), or where nothing was counted. */
double metric_share(const struct metric_set *set, const struct metric *metric, const double *vector);
/* The value within its bounds; NaN if undefined. */
double metric_value(const struct metric *metric, const double *vector);

#endif
