/* backend: everything that the author of a backend needs to know.
 *
 * A backend is one const struct; backends/registry.c lists them. A source is one device that a
 * backend opened. The opener thread calls probe and open; the sampler thread calls start, read,
 * stop and close; the ui thread calls describe. How to add a backend: HACKING.md.
 */
#ifndef MALITOP_BACKEND_H
#define MALITOP_BACKEND_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"
#include "model/cpu_event.h"
#include "model/sample.h"

#include <sys/types.h>

/* Whose CPU events are counted. */
enum scope_kind {
	SCOPE_MACHINE,
	SCOPE_CPUS,    /* the CPUs of a list */
	SCOPE_PROCESS, /* all threads of a process, and what they start */
	SCOPE_THREAD,
	SCOPE_COMMAND, /* a process that will call exec: counted from then on, with what it starts */
};

struct scope {
	enum scope_kind kind;
	pid_t pid;        /* or thread id */
	const char *cpus; /* "0-3,6" */
};

#define SOURCE_NEXT_PROCESS ((pid_t)-1) /* of backend.choose */

/* The shortest sample of simulated history: a minute of them fits into a reader's ring. */
#define SOURCE_HISTORY_STEP_NS 1000000000ll

/* The options of sources on the command line. Zero means the default. */
struct source_options {
	const struct gpudb *db;       /* every product we know */
	const char *gpu_name;         /* --gpu, or NULL */
	const char *scenario;         /* --demo=SCENARIO, or NULL */
	const char *interface;        /* the part after the colon in `-b kbase:vinstr`, or NULL */
	uint64_t seed;                /* --seed */
	int64_t epoch_ns;             /* start of the session; simulated processes count from it */
	int64_t history_ns;           /* a simulated source starts with samples of this long */
	int64_t interval_ns;          /* --interval */
	double frames_per_second;     /* --fps: the simulator's vsync */
	unsigned width, height;       /* --resolution: the simulator's frame */
	struct scope scope;           /* --pid, --tid, --cpu: of CPU events */
	pid_t command;                /* CMD, the only one whose frames and regions count; 0: none */
	bool raw_counts;              /* CPU events: raw counts besides the extrapolated ones */
	const char *const *events;    /* --event: additional CPU events; kept as slot names */
	const unsigned *event_groups; /* per event: a number, shared by events that are counted together;
					 0: none. NULL: all 0 */
	unsigned n_events;
	const struct metric_need *needs; /* CPU events: needed slots, the most important first */
	unsigned n_needs;
	bool needs_only;   /* count only these; else the standard events */
	bool needs_yield;  /* these only where they take no time from `events` */
	bool alike;        /* CPU events: all sets take equal turns; else the first ones have counters
			      of their own as long as the others fit beside them */
	bool sums_only;    /* only the sum over the run counts: CPU events are read once a second */
	const char *hot;   /* --hot: "EVENT:RATE", "" or NULL: the standard ones */
	bool hot_callers;  /* --hot-callers: with call chains */
	bool profiling;    /* --profiling: let the kernel time the GPU's jobs while the source is open */
	bool per_instance; /* --per-core: a slot for every core, slice and CPU as well */
};

/* Slots on the screen, the most important first; the user chose the first n_sure. */
#define SOURCE_PRIORITY_MAX 60
struct source_priority {
	unsigned n, n_sure;
	uint16_t slots[SOURCE_PRIORITY_MAX];
};

struct source {
	const struct backend *backend;
	const struct sys *sys;
	struct source_options options;
	char device[128];   /* as passed to open; used to reopen it */
	char interface[32]; /* what options.interface points to */
	void *priv;         /* backend->priv_size zeroed bytes, owned by the core */
	struct gpudb *db;   /* the core's share of options.db: a call may outlive the session */

	enum source_kind kind; /* the backend's */

	/* Filled by open: */
	char title[64];                    /* printable: "Mali-G715 7 cores", "Cortex-A76 x4" */
	char driver[64];                   /* "kbase r44p1", "simulator, scenario mixed": printable */
	char note[640];                    /* what the user must know, one printable line, or "" */
	const struct gpu_product *product; /* NULL for a CPU and for an unknown GPU */
	const struct gpu_layout *layout;   /* of the counter slots; filled by source_add_gpu_sums */
	struct source_constants constants;
	struct slot *slots; /* owned by the source; freed by source_free */
	unsigned n_slots, slots_room;
	unsigned n_sums; /* slots before the instances, which come last; open may leave it 0: all */
	unsigned n_more; /* words that a sample may have after its slots; then there are no instances */
	bool simulated;
	bool keeps_powered; /* measuring keeps the device powered: do it only for someone who looks */
	bool untried;       /* and doctor does not start it, because that would wake the device */

	/* Filled by start, changed by read: */
	int64_t period_ns; /* true interval between samples */
	const char *news;  /* what read has to say to the user, static; the sampler takes it; NULL: nothing */

	/* Set by the sampler during a read: a measurement begins or ends now. If it can, the
	 * source returns the current interval at once, however short; the next one ends at its
	 * usual time. */
	bool cut;

	/* With READ_GONE: what the user must know, static; or NULL. */
	const char *gone;

	/* Set by a source that returns READ_GONE because the process that it measured has exited.
	 * It is not reopened, because another process may have reused the pid. */
	bool ended;
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
	READ_GONE, /* the device is gone, or source->ended; close the source */
};

/* An event that can be requested by name (--event). */
struct event_info {
	const char *name;
	int number;        /* the core's number of it; -1: none, the kernel chooses */
	const char *cores; /* "A53 A72"; "" for all */
	bool now;          /* this machine counts it */
};

#define SOURCE_MARK_TEXT 160
/* What the measured program wants to be remembered. */
struct source_mark {
	int64_t time_ns;
	char text[SOURCE_MARK_TEXT]; /* printable */
};

struct process_query;
struct process_list;

/* Reads the processes of a device (backends/process/process_scan.h): `new` on any thread, then read
 * and free on one thread. */
struct process_reader {
	void *(*new)(const struct sys *sys, const struct source_options *options);
	struct process_list *(*read)(void *reader, const struct process_query *query, int64_t now_ns);
	void (*free)(void *reader);
};

struct backend {
	const char *name;
	const char *help;       /* for `malitop list backends` */
	const char *interfaces; /* what may follow its name and a colon in --backend: "vinstr kinstr" */
	/* Open this backend together with the backend of this name, unless --backend names sources
	 * of this machine's CPUs. NULL: opened on its own. If such a part cannot be opened, that is
	 * a note, not an error. */
	const char *part_of;
	bool profiles;   /* source_options.profiling means something to it */
	bool asked_only; /* opened only if it is asked for */
	enum source_kind kind;
	size_t priv_size;

	/* List the existing devices: allocate with xcalloc and append to *found. Must be quick.
	 * Finding none is not an error. */
	bool (*probe)(const struct sys *sys, struct source_found **found, struct err *err);
	/* Fill title, product, constants and slots. A failure leaves only the slots allocated. */
	bool (*open)(struct source *source, const char *device, struct err *err);
	/* Start to measure at `now`. Writes the true period to source->period_ns. */
	bool (*start)(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err);
	/* Becomes readable when a sample is ready; -1, or no function: call read every period. */
	int (*fd)(const struct source *source);
	/* Read one interval that has ended by `now`. Writes begin_ns, end_ns, flags, lost and
	 * value[0 .. n_slots); the sampler fills the rest. n_more is the room for words after them,
	 * then how many there are; without words it stays. Must not allocate, lock, or take longer
	 * than a period. */
	enum read_result (*read)(struct source *source, int64_t now_ns, struct sample *sample);
	void (*stop)(struct source *source);
	/* Frees everything that priv holds; also called after a failed start. */
	void (*close)(struct source *source);
	/* Append lines for doctor and the help screen, without control characters. The first line
	 * may be empty; that of a CPU source is the footer of the CPU view. May open some dozens of
	 * small files, so call it at most once a second. Must not touch what read changes. */
	void (*describe)(const struct source *source, struct strbuf *text);

	const struct backend_extras *extras; /* NULL: none */
};

/* What single backends can do besides: any of these may be NULL. */
struct backend_extras {
	const struct process_reader *processes; /* NULL: the processes of this machine */
	/* Before start, by those who measure: whether this program can have what only one can have
	 * at a time. EBUSY: another one has it; the device is then opened again with the interface
	 * `shared`, which does without. */
	bool (*claim)(struct source *source, struct err *err);
	const char *shared;
	/* Measure these slots as exactly as can be from the end of the current interval on, and
	 * the others as far as there is room. Every slot stays known, and no count is lost. Called
	 * between reads; an empty priority takes the last one back. */
	void (*prefer)(struct source *source, const struct source_priority *priority);
	/* After a read: take the next mark of the measured program. */
	bool (*mark)(struct source *source, struct source_mark *mark);
	/* Measure this process, 0: the one that does most, SOURCE_NEXT_PROCESS: another one of
	 * those that can be measured. NULL: there is no choice. */
	void (*choose)(struct source *source, pid_t pid);
	/* Call `add` for every known event. */
	void (*list_events)(const struct sys *sys, void (*add)(void *ctx, const struct event_info *event),
			    void *ctx);
};

extern const struct backend_extras backend_extras_none;
static inline const struct backend_extras *backend_extras(const struct backend *backend)
{
	return backend->extras ? backend->extras : &backend_extras_none;
}
static inline int source_fd(const struct source *source)
{
	return source->backend->fd ? source->backend->fd(source) : -1;
}

/* Append a device to a list (for probe). */
void source_found_add(struct source_found **found, const struct backend *backend, const char *device);
/* CLOCK_BOOTTIME minus CLOCK_MONOTONIC: it grows by the time that the machine was suspended. */
int64_t source_suspended_ns(const struct sys *sys);

/* The text of a code, such as what an errno means here or what helps; NULL: the table has none. */
struct code_text {
	int code;
	const char *text;
};
const char *code_text_find(const struct code_text *texts, size_t n, int code);

/* SAMPLE_STRETCHED if this time is much longer than the interval, else 0. */
static inline uint32_t source_stretched(int64_t begin_ns, int64_t end_ns, int64_t period_ns)
{
	return end_ns - begin_ns > period_ns + period_ns / 2 ? SAMPLE_STRETCHED : 0;
}
static inline void source_add_known(uint64_t *sum, uint64_t v)
{
	if (v != SAMPLE_UNKNOWN)
		*sum = *sum == SAMPLE_UNKNOWN ? v : *sum + v;
}

/* Append a slot (for open); its name must live as long as the source. Returns its index. */
unsigned source_add_slot(struct source *source, const struct slot *slot);
/* Slots that every GPU source has after the sums of its counters, in this order; SAMPLE_UNKNOWN if
 * the driver does not report the value.
 *   GPUClockCy      steady  GPU clock cycles that passed (clock x time), busy or not
 *   GPUSteadyCy     steady  GPU active cycles (hardware counter GPU_ACTIVE) of the same samples
 *   GPUSteadyTime   steady  ns of the same samples
 *   GPUShaderClockCy  steady  clock cycles of the shader cores, if they have their own clock
 */
enum gpu_clock_slot { GPU_CLOCK_CY, GPU_CLOCK_ACTIVE, GPU_CLOCK_TIME, GPU_CLOCK_SHADER_CY, GPU_CLOCK_SLOTS };

/* Append the slots of a GPU: the sum of every counter in the layout of source->product (for an
 * unknown GPU, every counter of its blocks by number), in the layout's order, then the clock slots,
 * then those of gpu_fold.h, if there are cores to compare (constants.core_mask).
 * Returns the number of counters, which is the index of the first clock slot. Slots for other facts
 * about the GPU (source_add_slot) come between these and the instances. */
unsigned source_add_gpu_sums(struct source *source);
#define SOURCE_BUSIEST_CORE "GPUCoreMostCy"
#define SOURCE_MEAN_CORE "GPUCoreMeanCy"
/* Whether it counts the active cycles of a shader core. */
bool source_is_core_active(const struct gpu_counter *counter);
/* For a GPU whose counters cannot be had: append only GPUClockCy and GPUSteadyTime. Returns the
 * index of the first. source->layout stays the caller's. */
unsigned source_add_gpu_clock(struct source *source);
/* Whether a counter of the layout has slots: in an unknown GPU, if it is within its blocks. */
static inline bool source_counts(const struct source *source, const struct gpu_counter *c)
{
	return source->product || c->index < source->constants.block_values;
}
/* Call last; does nothing unless options.per_instance is set. Appends the cores of the core mask in
 * ascending order (counters in layout order), then the slices. */
void source_add_gpu_instances(struct source *source);

#endif
