/* gpudb: every Mali GPU we know: products, and the layouts that say which counter sits where. Read from text stanzas.
 *
 * Source of the facts: Arm's libGPUCounters, gator and the kbase headers, see NOTICE. Immutable after gpudb_load; any thread.
 */
#ifndef MALITOP_GPUDB_H
#define MALITOP_GPUDB_H

#include "base/err.h"
#include "base/str.h"

enum gpu_block { BLOCK_FRONT_END, BLOCK_TILER, BLOCK_MEMORY, BLOCK_CORE, BLOCK_COUNT };
extern const char *const gpu_block_names[BLOCK_COUNT]; /* front_end tiler memory_system shader_core */

enum gpu_family { FAMILY_MIDGARD, FAMILY_BIFROST, FAMILY_VALHALL_JM, FAMILY_VALHALL_CSF, FAMILY_5TH_GEN, FAMILY_COUNT };
extern const char *const gpu_family_names[FAMILY_COUNT];     /* Midgard Bifrost Valhall-JM Valhall-CSF 5thGen */
const char *gpu_family_architecture(enum gpu_family family); /* "Valhall" */
const char *gpu_family_front_end(enum gpu_family family);    /* "JM" or "CSF" */

/* A counter slot of the hardware. */
struct gpu_counter {
	const char *name;    /* machine name (MaliGPUActiveCy); NULL if unpublished */
	const char *hw_name; /* GPU_ACTIVE */
	enum gpu_block block;
	uint8_t index;    /* within the block */
	uint16_t scale;   /* what one count stands for */
	struct span vars; /* Streamline names of an unpublished slot, blank-separated; may be empty */
};

struct gpu_layout {
	const char *name;
	unsigned slots_per_block;     /* 64 or 128 */
	struct gpu_counter *counters; /* by block, then by index */
	unsigned n_counters, n_published;
	unsigned cap;
	uint64_t seen[BLOCK_COUNT][2]; /* bit set of the indices in use */
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
	const char *also[GPU_NAMES_MAX]; /* also sold as */
	unsigned n_also;
	enum gpu_family family;
	unsigned year;
	uint32_t ids[GPU_IDS_MAX];
	unsigned n_ids;
	bool old_id; /* Midgard: the upper half of GPU_ID is the id */
	const char *layout_name;
	const char *file; /* for messages */
	unsigned line;
	const struct gpu_layout *layout; /* resolved by gpudb_load */
	struct {
		unsigned cores; /* from so many on */
		const char *name;
	} names[GPU_NAMES_MAX];
	unsigned n_names;
	bool dump_v4;
	const char *codenames;
	struct gpu_constant constants[GPU_CONSTANTS_MAX];
	unsigned n_constants;
	int8_t engines[16]; /* execution engines by CORE_FEATURES & 15; -1 unknown */
	struct {
		unsigned cores, slices, bus_bits, mhz;
	} typical;
};

/* A GPU set such as "@G57,5thGen". The empty set of words is every GPU. */
struct gpu_set {
	struct span words; /* without the '@'; empty: all */
};

struct metric_def;
struct metric_template;

struct gpudb {
	struct gpu_product *products;
	unsigned n_products, cap_products;
	struct gpu_layout *layouts;
	unsigned n_layouts, cap_layouts;
	struct metric_def *metrics; /* model/metric.h */
	unsigned n_metrics, cap_metrics;
	struct metric_template *templates; /* model/template.h */
	unsigned n_templates, cap_templates;
	struct metric_template *open_template; /* while reading: the one that sections and charts belong to */
	struct gpu_layout raw;                 /* see gpudb_raw_layout */
	struct span *slot_names;               /* what backends deliver beside the counters (stanza `slots`) */
	unsigned n_slot_names, cap_slot_names;
	uint32_t *metric_index; /* hash table over metrics, by name: position + 1 */
	unsigned metric_index_size;
	char **owned; /* every string and file text */
	unsigned n_owned, cap_owned;
	char *arena; /* the rest of the last block of strings */
	size_t arena_left;
};

/* The shipped data, and on top of it every *.gpu, *.metrics and *.chart of the directories given (NULLs are skipped; a directory
 * that is not there is an error only if `must_exist`). Errors name file, line and what was expected. NULL on failure. */
struct gpudb_dir {
	const char *path;
	bool must_exist;
};
struct gpudb *gpudb_load(const struct gpudb_dir *dirs, unsigned n_dirs, struct err *err);
/* The same from texts in memory, on top of nothing. */
struct gpudb_text {
	const char *file;
	struct span text;
};
struct gpudb *gpudb_load_texts(const struct gpudb_text *texts, unsigned n, struct err *err);
void gpudb_free(struct gpudb *db);

/* By GPU_ID as the driver reports it, 32 or 64 bit. NULL if unknown. */
const struct gpu_product *gpudb_by_id(const struct gpudb *db, uint64_t gpu_id);
/* By any of its names; case, blanks, '-', '_' and a leading "Mali" do not matter. NULL if unknown. */
const struct gpu_product *gpudb_by_name(const struct gpudb *db, const char *name);
/* The name that is shown for a device with so many cores. */
const char *gpu_product_shown_name(const struct gpu_product *product, unsigned cores);
/* True if the GPU is in the set. */
bool gpu_set_has(struct gpu_set set, const struct gpu_product *product);
/* For a GPU that is not in the data: every slot of every block under its block and index (front_end_4), 128 to a block; the first four
 * of a block are its header. */
const struct gpu_layout *gpudb_raw_layout(const struct gpudb *db);
#define GPU_BLOCK_HEADER 4 /* values of a block that come before its counters */
#define GPU_BLOCK_SLOTS_MAX 128
/* A counter by block and index, NULL if the layout has none there. */
const struct gpu_counter *gpu_layout_at(const struct gpu_layout *layout, enum gpu_block block, unsigned index);

#endif
