/* gpudb: the known Mali GPUs: products, and layouts, which give the position of every counter. Read
 * from text stanzas.
 *
 * Source of the facts: Arm's libGPUCounters, gator and the kbase headers, see NOTICE. Immutable
 * after gpudb_load, but for layouts, which are read under a lock; any thread.
 */
#ifndef MALITOP_GPUDB_H
#define MALITOP_GPUDB_H

#include "base/err.h"
#include "base/stanza.h"
#include "base/str.h"

enum gpu_block { BLOCK_FRONT_END, BLOCK_TILER, BLOCK_MEMORY, BLOCK_CORE, BLOCK_COUNT };
extern const char *const gpu_block_names[BLOCK_COUNT]; /* front_end tiler memory_system shader_core */

enum gpu_family {
	FAMILY_MIDGARD,
	FAMILY_BIFROST,
	FAMILY_VALHALL_JM,
	FAMILY_VALHALL_CSF,
	FAMILY_5TH_GEN,
	FAMILY_COUNT
};
extern const char *const gpu_family_names[FAMILY_COUNT]; /* Midgard Bifrost Valhall-JM Valhall-CSF 5thGen */
const char *gpu_family_architecture(enum gpu_family family); /* "Valhall" */
const char *gpu_family_front_end(enum gpu_family family);    /* "JM" or "CSF" */

/* A counter slot of the hardware. */
struct gpu_counter {
	const char *name;    /* machine name (MaliGPUActiveCy); NULL if unpublished */
	const char *hw_name; /* GPU_ACTIVE */
	enum gpu_block block;
	uint8_t index;    /* within the block */
	uint16_t scale;   /* multiplier of a count */
	struct span vars; /* Streamline names of an unpublished slot, blank-separated; may be empty */
};

struct gpu_layout {
	const char *name;
	unsigned
		slots_per_block; /* 64 or 128; 0: only its text is known, which is read when a GPU needs it */
	struct gpu_counter *counters; /* by block, then by index */
	unsigned n_counters, n_published;
	struct stanza text; /* from the line after its first */
};

struct gpu_constant {
	const char *name; /* MaliGPUWarpSize */
	double value;
};

#define GPU_IDS_MAX 4
#define GPU_NAMES_MAX 4
#define GPU_CONSTANTS_MAX 24

struct gpu_product {
	const char *name;                /* Mali-G715 */
	const char *also[GPU_NAMES_MAX]; /* other names it is sold under */
	unsigned n_also;
	enum gpu_family family;
	unsigned year;
	uint32_t ids[GPU_IDS_MAX];
	unsigned n_ids;
	bool old_id; /* Midgard: the upper half of GPU_ID is the id */
	const char *layout_name;
	const char *file; /* for messages */
	unsigned line;
	const struct gpu_layout *layout; /* NULL until one of the functions below returned this product */
	struct {
		unsigned cores; /* with at least this many */
		const char *name;
	} names[GPU_NAMES_MAX];
	unsigned n_names;
	bool dump_v4;
	const char *codenames;
	struct gpu_constant constants[GPU_CONSTANTS_MAX];
	unsigned n_constants;
	int8_t engines[16];      /* execution engines by CORE_FEATURES & 15; -1 unknown */
	unsigned lone_registers; /* a single core with this many registers has one engine; 0: never */
	struct {
		unsigned cores, slices, bus_bits, mhz;
	} typical;
};

/* A GPU set such as "@G57,5thGen". A set without words contains every GPU. */
struct gpu_set {
	struct span words; /* without the '@'; empty: all */
};

struct metric_def;
struct metric_template;
struct finding_def;
struct cpu_event;
struct cpu_group;

/* A text of data, and its name for messages. */
struct gpudb_text {
	const char *file;
	struct span text;
};

/* A stanza that only a backend reads: a scenario of the simulator, or a table of scenarios. */
struct gpudb_part {
	struct span keyword, name;
	unsigned line;
	struct stanza text; /* from the line after its first */
};

struct slot_title {
	struct span name, title; /* FrameTimed, "frames with a GPU time" */
};

struct gpudb {
	struct gpu_product *products;
	unsigned n_products, cap_products;
	struct gpu_layout *layouts; /* in reading order; of those of one name the last one counts */
	unsigned n_layouts, cap_layouts;
	struct metric_def *metrics; /* model/metric.h */
	unsigned n_metrics, cap_metrics;
	struct finding_def *findings; /* model/finding.h */
	unsigned n_findings, cap_findings;
	struct metric_template *templates; /* model/template.h */
	unsigned n_templates, cap_templates;
	const char *heading; /* while reading: the group of the next metrics that name none */
	bool by_title;       /* while reading: metric_def.by_title of the next ones */
	struct metric_template
		*open_template; /* while reading: the template of the next sections and charts */
	struct gpu_layout raw;  /* see gpudb_raw_layout */
	struct span
		*slot_names; /* terminated; slots of backends that are not GPU counters (stanza `slots`) */
	unsigned n_slot_names, cap_slot_names;
	struct slot_title *slot_titles; /* of those that have one */
	unsigned n_slot_titles, cap_slot_titles;
	struct cpu_event *events; /* model/cpu_event.h */
	unsigned n_events, cap_events;
	struct cpu_group *groups;
	unsigned n_groups, cap_groups;
	struct gpudb_part *parts; /* in reading order; of those of one name the last one counts */
	unsigned n_parts, cap_parts;
	uint32_t *metric_index; /* hash table over metrics, by name: position + 1 */
	unsigned metric_index_size;
	struct gpudb_text *own; /* the user's files that may have screens, see gpudb_load */
	unsigned n_own, cap_own;
	char **owned; /* every string and file text */
	unsigned n_owned, cap_owned;
	unsigned shares; /* number of owners minus one; protected by a lock */
	char *arena;     /* unused rest of the last block of strings */
	size_t arena_left;
};

/* Load the shipped data, then every *.gpu, *.metrics, *.chart, *.findings, *.scenario and *.view
 * file of the given directories, whose stanzas replace earlier ones of the same name. A NULL path
 * is skipped; a missing one is an error only if `must_exist`. Errors name the file, the line and
 * what was expected. NULL on failure.
 *
 * A *.view file, or a path that is a file, as the configuration, may also have views, charts and
 * options. Other readers find its text in `own`; each formula of such a chart becomes a metric here
 * (gpudb_own_name). */
struct gpudb_dir {
	const char *path;
	bool must_exist;
};
struct gpudb *gpudb_load(const struct gpudb_dir *dirs, unsigned n_dirs, struct err *err);
/* Replace the shipped findings (not verdicts and conditions) by those of a file. Call it before the
 * db is shared. */
bool gpudb_budget(struct gpudb *db, const char *path, struct err *err);
/* The name of the metric of a chart's n-th formula, from 1: "VIEW.CHART.2". The caller frees it. */
char *gpudb_own_name(struct span view, struct span chart, unsigned n);
/* Whether a stanza with that keyword is part of the data. */
bool gpudb_knows_stanza(struct span keyword);
/* Load only the given texts. */
struct gpudb *gpudb_load_texts(const struct gpudb_text *texts, unsigned n, struct err *err);
/* Add an owner. gpudb_free removes one; the last one frees the data. Any thread; NULL is fine. */
struct gpudb *gpudb_share(const struct gpudb *db);
void gpudb_free(struct gpudb *db);

/* Products have their layout as soon as one of these returned them: a machine has one of seventeen,
 * which is read when it is needed. Any thread. */
const struct gpu_product *gpudb_product(const struct gpudb *db, unsigned i);
/* Find a product by GPU_ID as the driver reports it, 32 or 64 bit. NULL if unknown. */
const struct gpu_product *gpudb_by_id(const struct gpudb *db, uint64_t gpu_id);
/* Likewise by any of its names; case, blanks, '-', '_' and a leading "Mali" are ignored. */
const struct gpu_product *gpudb_by_name(const struct gpudb *db, const char *name);
/* Add the products with `name` in one of their names to *names: "Mali-G31 or Mali-G310". */
void gpudb_like(const struct gpudb *db, const char *name, struct strbuf *names);
/* Return the name of a device with this many cores. */
const char *gpu_product_shown_name(const struct gpu_product *product, unsigned cores);
/* Return the slot's name as a string of the db; NULL: no stanza `slots` has it. */
const char *gpudb_slot_name(const struct gpudb *db, struct span name);
/* Add the names of the scenarios, each once and in reading order, separated by ", ". */
void gpudb_scenarios(const struct gpudb *db, struct strbuf *names);
/* Return whether the GPU is in the set. */
bool gpu_set_has(struct gpu_set set, const struct gpu_product *product);
/* The layout of a GPU that is not in the data: counters are named by block and index (front_end_4),
 * with 128 values to a block. The first GPU_BLOCK_HEADER values of a block are its header. */
const struct gpu_layout *gpudb_raw_layout(const struct gpudb *db);
bool gpudb_is_raw(const struct gpudb *db, const struct gpu_layout *layout);
#define GPU_BLOCK_HEADER 4 /* values of a block before its counters */
#define GPU_BLOCK_SLOTS_MAX 128
/* Find a counter by block and index. NULL if the layout has none there. */
const struct gpu_counter *gpu_layout_at(const struct gpu_layout *layout, enum gpu_block block,
					unsigned index);

#endif
