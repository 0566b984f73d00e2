/* backend: all that the author of a source of numbers needs to see.
 *
 * A backend is one const struct; src/app/registry.c lists them. A source is one device that a backend opened. The opener thread
 * calls probe and open; the sampler thread calls start, read, stop and close; the ui thread calls describe.
 * How to add one: HACKING.md.
 */
#ifndef MALITOP_BACKEND_H
#define MALITOP_BACKEND_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"
#include "model/gpudb.h"
#include "model/sample.h"

/* Whose CPU events are counted. */
enum scope_kind {
	SCOPE_MACHINE,
	SCOPE_CPUS,    /* those of a list */
	SCOPE_PROCESS, /* all threads of it, and what they start */
	SCOPE_THREAD,
	SCOPE_COMMAND, /* a process that will call exec: from then on, and what it starts */
};

struct scope {
	enum scope_kind kind;
	pid_t pid;        /* or thread id */
	const char *cpus; /* "0-3,6" */
};

/* What the command line says about sources. Zero: defaults. */
struct source_options {
	const struct gpudb *db;    /* every product we know */
	const char *gpu_name;      /* --gpu, or NULL */
	const char *scenario;      /* --demo=SCENARIO, or NULL */
	const char *interface;     /* what stands behind the colon in `-b kbase:vinstr`, or NULL */
	uint64_t seed;             /* --seed */
	int64_t interval_ns;       /* --interval */
	double frames_per_second;  /* --fps: the simulator's vsync */
	unsigned width, height;    /* --resolution: the simulator's frame */
	struct scope scope;        /* --pid, --tid, --cpu: of CPU events */
	bool raw_counts;           /* CPU events: what was counted beside what it stands for */
	const char *const *events; /* --event: CPU events to count as well, by name; kept, as names of slots */
	unsigned n_events;
	bool per_instance; /* --per-core: a slot for every core, slice and CPU as well */
};

/* Constants of the machine behind a source, by the names that expressions use. */
struct source_constants {
	unsigned core_count;     /* $MaliConstantsShaderCoreCount */
	unsigned l2_slice_count; /* $MaliConstantsL2SliceCount */
	unsigned bus_width_bits; /* $MaliConstantsBusWidthBits */
	unsigned block_values;   /* values of a counter block, 0 if unknown */
	uint64_t core_mask;      /* which cores there are; holes are possible */
	double top_hz;           /* highest clock, 0 if unknown */
};

struct source {
	const struct backend *backend;
	const struct sys *sys;
	struct source_options options;
	char device[128];   /* what open was given; for opening it again */
	char interface[32]; /* what options.interface points to */
	void *priv;         /* backend->priv_size zeroed bytes, owned by the core */

	enum source_kind kind; /* the backend's */

	/* Filled by open: */
	char title[64];                    /* "Mali-G715 7 cores", "Cortex-A76 x4 + Cortex-A55 x4": printable, for the header */
	char driver[64];                   /* "kbase r44p1", "simulator, scenario mixed": printable */
	char note[256];                    /* what people must know to read the numbers, a printable line; "" for nothing */
	const struct gpu_product *product; /* NULL for a CPU and for an unknown GPU */
	const struct gpu_layout *layout;   /* of the counter slots; filled by source_add_gpu_sums */
	struct source_constants constants;
	struct slot *slots; /* owned by the source; freed by source_fini */
	unsigned n_slots;
	unsigned n_sums; /* slots before the instances, which come last; open may leave it 0: all */
	bool simulated;

	/* Filled by start: */
	int64_t period_ns; /* true interval between samples */

	/* Set by the sampler while it reads: a measurement begins or ends at this moment. A source that can gives the interval that runs,
	 * however short; the next one ends when it would have. */
	bool cut;
};

/* A device that probe found. */
struct source_found {
	const struct backend *backend;
	char device[128]; /* "/dev/mali0", or "" */
	struct source_found *next;
};

enum read_result {
	READ_NONE, /* nothing is due at `now` */
	READ_GOT,  /* *sample is filled; call again, there may be more */
	READ_GONE, /* the device is gone; close the source */
};

struct backend {
	const char *name;
	const char *help; /* for `malitop list backends` */
	enum source_kind kind;
	size_t priv_size;

	/* List the devices there are: allocate with xcalloc and append to *found. Quick. Finding none is no error. */
	bool (*probe)(const struct sys *sys, struct source_found **found, struct err *err);
	/* Fill title, product, constants and slots. After a failure nothing is left behind but source->slots. */
	bool (*open)(struct source *source, const char *device, struct err *err);
	/* Begin to measure at `now`. May correct the period; writes the true one to source->period_ns. */
	bool (*start)(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err);
	/* Pollable when a sample waits; -1: call read every period. */
	int (*fd)(const struct source *source);
	/* One interval that has ended by `now`. Writes begin_ns, end_ns, flags, lost and value[0 .. n_slots); the rest is the
	 * sampler's. No allocation, no lock, never longer than a period. */
	enum read_result (*read)(struct source *source, int64_t now_ns, struct sample *sample);
	void (*stop)(struct source *source);
	void (*close)(struct source *source); /* frees everything that priv holds; also after a failed start */
	/* Lines for doctor and the help screen, without control characters. The first may be empty; a CPU's is the foot of the CPU
	 * view. May open some dozens of small files: call it at most once a second. Touches nothing that read changes. */
	void (*describe)(const struct source *source, struct strbuf *text);
};

/* Append a slot to source->slots (for open). name must live as long as the source. Returns its index. */
unsigned source_add_slot(struct source *source, const struct slot *slot);
/* Slots that every GPU source has behind the sums of its counters, in this order; SAMPLE_UNKNOWN where the driver cannot tell.
 *   GPUClockCy      steady  GPU clock cycles that passed (clock x time), busy or not
 *   GPUSteadyCy     steady  GPU active cycles (hardware counter GPU_ACTIVE) of the same samples
 *   GPUSteadyTime   steady  ns of the same samples
 *   GPUShaderClockCy  steady  clock cycles of the shader cores, where they have a clock of their own
 */
enum gpu_clock_slot { GPU_CLOCK_CY, GPU_CLOCK_ACTIVE, GPU_CLOCK_TIME, GPU_CLOCK_SHADER_CY, GPU_CLOCK_SLOTS };

/* Append the slots of a GPU: the sums of every counter of source->product's layout (of an unknown GPU: every counter of its blocks by
 * number), in the layout's order, and the clock slots. Returns the number of counters, which is the position of the first clock
 * slot. What else the driver tells of the whole GPU (source_add_slot) comes between this and the instances. */
unsigned source_add_gpu_sums(struct source *source);
/* Whether a counter of the layout has slots: an unknown GPU's only as far as its blocks reach. */
static inline bool source_counts(const struct source *source, const struct gpu_counter *c)
{
	return source->product || c->index < source->constants.block_values;
}
/* Last, and only when options.per_instance: cores of the core mask ascending (counters in layout order inside), then slices. */
void source_add_gpu_instances(struct source *source);

#endif
