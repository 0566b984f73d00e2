/* metric: the numbers that people read. Definitions come from text; a metric set holds the compiled
 * definitions for one source.
 *
 * A set is immutable after metric_set_new; any thread may evaluate it with its own vector.
 */
#ifndef MALITOP_METRIC_H
#define MALITOP_METRIC_H

#include "base/units.h"
#include "model/expr.h"
#include "model/gpudb.h"
#include "model/history.h"
#include "model/sample.h"

/* A variant of a formula, a threshold or a list of names for some GPUs, in the order of the file.
 * See doc/data-format.md. */
struct metric_variant {
	struct gpu_set gpus;
	struct span text;
	unsigned line;
	struct metric_variant *next;
};

#define METRIC_PROMETHEUS 88 /* bytes of its name in Prometheus */
struct metric_def {
	const char *name; /* MaliFragQueueUtil */
	const char *title;
	const char *short_title; /* never NULL; the title if there is no shorter one */
	const char *group;
	struct span
		prometheus; /* its name there, without the prefix of its source; empty: see openmetrics.h */
	struct span help;   /* one paragraph, as in the file: see metric_help; may be empty */
	const struct unit *unit;
	struct gpu_set gpus;
	const char *file;                                      /* for messages */
	struct metric_variant *exprs, *guides, *alerts, *vars; /* lists; NULL: none */
	bool own;                                              /* of a file of the user's */
	bool by_title; /* without `prometheus` its name there is made of its title and unit */
	bool shipped;  /* built in: a name that a source lacks is another machine's */
	bool estimate; /* what it names is only estimated from what it counts: in brackets */
	int worse;     /* 1: more is worse, -1: less is; 0: its limit says so, or neither */
};

enum definitions { DEFINITIONS_CURRENT, DEFINITIONS_GUIDE };

#define METRIC_FRAME_WORKED 33 /* percent; the help of frame.work_share has the reason */

enum alert_side { ALERT_NONE, ALERT_ABOVE, ALERT_BELOW };

struct metric {
	const struct metric_def *def;
	const struct unit *unit;
	struct expr expr; /* over a vector, see below; without the bounds of a percentage */
	struct span text; /* the formula of the variant that fits; empty for a counter or a constant */
	enum alert_side alert;
	double alert_at;
	bool of_budget;     /* its limit is the frame budget: see metric_set.frame_work */
	double low, high;   /* bounds of the value: 0 and 100 for a percentage, else -inf and inf */
	unsigned instances; /* bit set of 1 << enum instance_kind that it can be broken down by */
	bool is_counter;
	bool grows; /* counts events and is shown per second; bytes of a beat, as an example, are not */
};

/* The vector that a formula loads from: these constants, then one double per slot of the source.
 * VECTOR_CORE_ROWS is the divisor of a mean over the cores: the number of cores counted, which is
 * known even if VECTOR_CORES is not (a table of `eval`). */
enum vector_constant {
	VECTOR_SECONDS,
	VECTOR_CORES,
	VECTOR_CORE_ROWS,
	VECTOR_SLICES,
	VECTOR_BUS_BITS,
	VECTOR_FPS, /* the wanted frame rate (--fps), and the pixels of the screen (--resolution) */
	VECTOR_SCREEN_PIXELS,
	VECTOR_TOP_HZ,      /* the highest clock of the GPU */
	VECTOR_FRAME_RATE,  /* frames that were shown per second; another source's, see metric_frames_put */
	VECTOR_FRAME_FLIPS, /* 1: these are page flips; else applications count them */
	VECTOR_CONSTANTS,
};

/* A name in formulas that is no metric and no constant of a product: what this device, this time
 * and these options have. */
struct metric_constant {
	const char *name; /* "$ZOOM" */
	enum vector_constant at;
	const char *title, *unit, *help;
};
extern const struct metric_constant metric_constants[]; /* the last has a NULL name */
const struct metric_constant *metric_constant_find(struct span name);

/* An instance that metrics can be broken down by, such as core 3. */
struct metric_instance {
	enum instance_kind kind;
	unsigned number;
	char label[16]; /* "core3" */
	char title[48]; /* "Cortex-A76 x4", else the label; printable */
	struct {
		uint16_t sum, own; /* vector index of the sum, and of this instance's part of it */
	} * parts;
	unsigned n_parts, cap_parts;
};

/* The names that formulas may use on one source; internal to src/model. */
struct metric_names;

struct metric_set {
	const struct gpu_product *product; /* NULL for a CPU, and for a GPU that is not in the data */
	const struct gpu_layout *layout;   /* of a GPU's counters; NULL for a CPU */
	enum definitions definitions;
	struct metric *metrics; /* those that this source has, in the order of the definitions */
	unsigned n_metrics;
	struct slot *slots;
	unsigned n_slots;
	double constants[VECTOR_CONSTANTS];
	struct metric_instance *instances;
	unsigned n_instances;
	unsigned n_vector; /* length of a vector: VECTOR_CONSTANTS + n_slots */
	struct metric_names *names;
	struct metric_def *raw_defs; /* definitions made for slots that have none */
	unsigned n_raw_defs;
	unsigned n_defs;    /* in db->metrics */
	int *metric_of_def; /* index in metrics[] by index in db->metrics; -1: the source has none */
	/* Share of a frame that CPU and GPU worked; NULL without frames. Below METRIC_FRAME_WORKED
	 * nothing is over its budget: a still screen shows a frame when something changes. */
	const struct metric *frame_work;
};

struct metric_source {
	const struct gpu_product *product; /* NULL: only CPU metrics */
	const struct gpu_layout
		*layout; /* NULL: the product's; gpudb_raw_layout for a GPU that is not in the data */
	const struct slot *slots;
	unsigned n_slots;
	struct source_constants constants;       /* NaN in formulas where unknown */
	double frames_per_second, screen_pixels; /* 0: unknown, likewise */
	enum definitions definitions;
};

/* Compile every definition in db that this source has the slots for: a formula that names a counter
 * which the GPU does not have is skipped, a malformed one is an error. NULL on failure. */
struct metric_set *metric_set_new(const struct gpudb *db, const struct metric_source *source,
				  struct err *err);
void metric_set_free(struct metric_set *set);
/* Remove the metrics that are not to be kept, before any is used. */
typedef bool metric_keep_fn(void *ctx, const struct metric *metric);
void metric_set_keep(struct metric_set *set, metric_keep_fn *keep, void *ctx);
/* Whether a GPU has counters; if not, only its clock is known, and what programs use. */
bool metric_set_counts(const struct metric_set *set);
/* Find a metric by machine name. NULL if the source does not have it. */
const struct metric *metric_find(const struct metric_set *set, struct span name);
const struct metric_def *metric_def_find(const struct gpudb *db, struct span name);

/* Append the help of a metric as one line. */
void metric_help(const struct metric_def *def, struct strbuf *out);

/* Compile a user's formula against the set (charts, explain). With cores_mean, core counters are
 * means over the cores. */
bool metric_compile(const struct metric_set *set, const struct gpudb *db, struct span text, bool cores_mean,
		    struct expr *out, struct err *err);

/* Fill a vector (n_vector doubles) from a column. */
void metric_vector(const struct metric_set *set, const struct column *column, double *vector);
/* Frames that were shown per second, and who counts them. */
struct metric_frames {
	double rate; /* NaN: not known */
	int display; /* whose page flips they are; METRIC_DISPLAYS: of all; -1: an application's frames */
};
#define METRIC_DISPLAYS 4
#define METRIC_FRAMES_UNKNOWN ((struct metric_frames){(double)NAN, -1})
/* The frames that a source counted in a column, if they are better than those of other sources:
 * applications' before page flips; of displays, the one that flips most. Frames that fill the
 * column are counted by their time: a short column has one more or one less by chance. */
void metric_frames_add(struct metric_frames *frames, const struct metric_set *set,
		       const struct column *column);
/* Whether it has something to count: frames of applications, or page flips. */
bool metric_counts_frames(const struct metric_set *set);
/* Put them into the vector of a source for the same time: metric_vector leaves them unknown. */
void metric_frames_put(const struct metric_frames *frames, double *vector);
/* "42.7 fps", "60.0 fps by page flips of display 0"; "" if they are not known, or 0. */
void metric_frames_say(const struct metric_frames *frames, char *text, size_t size);
/* Return the set's own instance of that kind and number: `like` may be of another source with the
 * same clusters and CPUs. NULL if the set has no such instance. */
const struct metric_instance *metric_instance_like(const struct metric_set *set,
						   const struct metric_instance *like);
/* Make the vector of one instance, of n_vector values: its own slots replace the sums, and there is
 * one core or slice. Only the first n values of `vector` exist (a history may not keep instances);
 * the others are unknown, and all are if the set has no instance like this one. */
void metric_vector_instance(const struct metric_set *set, const struct metric_instance *instance,
			    const double *vector, unsigned n, double *out);
/* Return the smallest share of time, 0 to 1, for which one of the metric's slots was counted: below
 * 1 the value is an estimate. NaN if nothing was counted, or the source does not report it. */
double metric_share(const struct metric_set *set, const struct metric *metric, const double *vector);
/* Append the slots of the metric to slots[n], each once, up to `most`. Returns the new number. */
unsigned metric_slots(const struct metric *metric, uint16_t *slots, unsigned n, unsigned most);
/* 1: more of it is worse, -1: less is, 0: neither, as of a share of time. */
int metric_worse(const struct metric *metric);
/* Evaluate, limited to the metric's bounds; NaN if undefined. */
double metric_value(const struct metric *metric, const double *vector);

#endif
