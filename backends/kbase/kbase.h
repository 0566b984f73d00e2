/* kbase: Mali GPUs through Arm's own kernel driver. Internal to backends/kbase.
 *
 *   kbase.c            the backend: one opened device, from its node to samples
 *   kbase_device.c     the node: handshake, identity, the choice of a counter interface
 *   kbase_props.c      the GPU's properties
 *   kbase_vinstr.c     the older interface: dumps of 32-bit deltas
 *   kbase_kinstr.c     the newer one: self-describing samples
 *   kbase_times.c      converts the driver's clock to ours
 *
 * Threads: as in backend.h. Nothing here is shared between devices.
 */
#ifndef MALITOP_KBASE_H
#define MALITOP_KBASE_H

#include "backends/backend.h"
#include "backends/gpu/gpu_fold.h"
#include "backends/gpu/gpu_identity.h"
#include "backends/gpu/gpu_system.h"
#include "backends/kbase/kbase_abi.h"

/* ---- the device ---- */

/* The driver's generations. */
enum kbase_api { KBASE_UK, KBASE_JM, KBASE_CSF };
extern const struct kbase_generation {
	const char *name; /* "job manager" */
	unsigned major;   /* that we support; all of its minor versions are known or compatible */
	unsigned version_check, set_flags; /* ioctls */
} kbase_generations[];

struct kbase_version {
	enum kbase_api api;
	unsigned major, minor;
};

/* Whether the API has reached this minor version; a UK driver never has. */
static inline bool kbase_since(const struct kbase_version *v, unsigned jm, unsigned csf)
{
	return v->api != KBASE_UK && v->minor >= (v->api == KBASE_JM ? jm : csf);
}

/* What the driver reports about the GPU; 0 is unknown. */
struct kbase_props {
	uint64_t gpu_id;         /* as in the hardware register, 32 or 64 bits */
	uint32_t product_id;     /* upper half of the id, if the id itself is not reported */
	uint64_t shader_present; /* cores by bit */
	uint64_t group_mask[16]; /* cores of each coherency group */
	uint32_t n_core_groups;
	uint32_t l2_slices, mem_features, l2_features, core_features, thread_features;
	uint32_t n_engines;
	uint32_t max_khz;
};

struct kbase_device {
	const struct sys *sys;
	char path[128]; /* "/dev/mali0", printable */
	int fd;
	struct kbase_version version;
	struct kbase_props props;
	char release[64]; /* "K:r44p0-00eac0(GPL)", printable; "" if not reported */
};

/* Open the node and perform the handshake. After a failure nothing stays open. */
bool kbase_device_open(struct kbase_device *d, const struct sys *sys, const char *path, struct err *err);
void kbase_device_close(struct kbase_device *d);
/* ioctl, repeated if a signal interrupts it. */
int kbase_ioctl(const struct sys *sys, int fd, unsigned request, void *arg);

/* Parse the stream of GET_GPUPROPS: keys and values back to back. Unknown keys are skipped. Safe
 * for hostile bytes; returns false if the stream ends inside a value. */
bool kbase_props_parse(struct kbase_props *props, const uint8_t *stream, size_t n);
/* Parse the fixed struct of UK 10.x, which has UK_PROPS_SIZE bytes. */
void kbase_props_parse_uk(struct kbase_props *props, const uint8_t *bytes);
/* The mask of counted cores, 0 if not reported. */
uint64_t kbase_props_cores(const struct kbase_props *props);
unsigned kbase_props_slices(const struct kbase_props *props);
/* GPU_ID for gpudb_by_id. */
uint64_t kbase_props_id(const struct kbase_props *props);

/* Select the values of a layout that the driver must count (NULL: all), one bit per value: the
 * header, and complete groups of four, because the hardware enables values by group. */
void kbase_enable(const struct gpu_layout *layout, uint64_t enable[BLOCK_COUNT][2]);

/* ---- readers ---- */

/* What a driver's sample contains besides its blocks. Times are CLOCK_MONOTONIC_RAW. */
struct kbase_interval {
	int64_t begin_ns, end_ns;
	uint32_t flags;     /* enum sample_flag */
	uint32_t lost;      /* lost before this one */
	uint32_t states;    /* of all blocks, enum prfcnt_block_state; 0: unknown */
	uint64_t sequence;  /* of a kinstr sample */
	uint64_t cycles[2]; /* of the GPU's and of the shader cores' clock, or SAMPLE_UNKNOWN */
};

enum kbase_clock { KBASE_CLOCK_TOP, KBASE_CLOCK_SHADER };

/* Extent of the counters as an interface reports it. */
struct kbase_extent {
	unsigned block_values;
	unsigned n_slices;
	uint64_t core_mask;
	uint8_t set; /* 0: primary, the only set that our data describes */
};

/* A reader's fd and its ring in memory that the driver writes. */
struct kbase_session {
	int fd; /* -1: none */
	uint8_t *memory;
	size_t size;
	unsigned get, put; /* ioctls that take a sample and return it; they exchange `item` */
	int empty;         /* errno of `get` if no sample waits */
	bool held;         /* `item` has not been returned yet */
	union kbase_item {
		struct vinstr_metadata dump;
		struct prfcnt_access sample;
	} item;
};

struct kbase_vinstr {
	size_t buffer_bytes;
	unsigned n_buffers;
	bool v4;
	uint32_t features;
};

struct kbase_kinstr {
	uint32_t item_bytes;                                      /* size of a metadata item */
	unsigned n_values[BLOCK_COUNT], n_instances[BLOCK_COUNT]; /* 0: the driver has no such block */
	uint8_t set;
	bool dense; /* cores are numbered by rank, without the holes of the mask */
	bool running, has_sequence;
	uint64_t sequence;
};

/* Converts the driver's timestamps to our clock, checks intervals, and measures their length. */
#define KBASE_TIMES_KEPT 32
struct kbase_times {
	int64_t offset_ns, measured_ns; /* MONOTONIC minus RAW, and when it was measured */
	int64_t last_raw_ns, last_ns;   /* end of the previous sample by both clocks, or the start */
	int64_t failed_ns;              /* when a failed sample without a credible end was taken to end */
	bool has_part, has_sample;
	int64_t asked_ns, period_ns; /* the requested interval, and the true one */
	bool follows;                /* the driver samples by its own timer */
	struct kbase_duration {
		int64_t end_ns, ns;
	} kept[KBASE_TIMES_KEPT]; /* of the last seconds, a ring */
	unsigned n_kept;
};
void kbase_times_start(struct kbase_times *t, const struct sys *sys, int64_t now_ns);
void kbase_times_expect(struct kbase_times *t, int64_t period_ns, bool follows);
/* Whether this is the first part of a session, up to the driver's first tick. It is incomplete,
 * because the ticks do not start with the session, so it belongs to no interval. */
bool kbase_times_is_lead(struct kbase_times *t, const struct sys *sys, const struct kbase_interval *i);
/* Fill begin, end and flags of the sample, and set t->period_ns to the true interval, which is the
 * median of the last seconds. An interval that is not credible is flagged and becomes a mark
 * of zero length. Returns false if its end is unknown. */
bool kbase_times_convert(struct kbase_times *t, const struct sys *sys, struct kbase_interval *i,
			 int64_t now_ns, struct sample *sample);

struct kbase;

struct kbase_reader {
	const char *name;      /* "vinstr" */
	const char *interface; /* its name on the command line */
	/* Open a session that counts what k->enable selects; fills k->session and k->extent. */
	bool (*open)(struct kbase *k, int64_t period_ns, struct err *err);
	/* Start to sample. Sets k->manual if the driver refuses periodic sampling. */
	bool (*start)(struct kbase *k, int64_t period_ns, struct err *err);
	/* In manual sampling: end the interval now. */
	bool (*dump)(struct kbase *k);
	/* Add the sample that k->session holds to slots. */
	void (*take)(struct kbase *k, struct kbase_interval *interval, uint64_t *slots);
	void (*stop)(struct kbase *k);
	int64_t longest_ns; /* the longest interval before counters overflow; 0: any */
	bool reports_begin; /* if not, an interval begins at the last credible end */
};

extern const struct kbase_reader kbase_vinstr, kbase_kinstr;

struct kbase {
	struct kbase_device device;
	const struct kbase_reader *reader;
	char why[160]; /* why this reader was chosen, printable */
	struct kbase_extent extent;
	uint64_t enable[BLOCK_COUNT][2];
	unsigned n_engines;

	/* Used by the sampler: */
	struct kbase_session session;
	struct kbase_vinstr vinstr;
	struct kbase_kinstr kinstr;
	int64_t session_ns; /* period of the reader's session, 0 if there is none */
	bool started;
	bool manual; /* samples must be requested; the driver has no timer */
	int64_t next_dump_ns;
	struct gpu_fold fold;
	/* An interval is the sum of parts, which are the driver's intervals. */
	uint64_t *slots;
	struct kbase_interval sum;
	unsigned n_parts, part; /* parts of an interval; how many have passed */
	int64_t part_ns, part_end_ns;
	bool has_sum;  /* a part was added */
	bool has_more; /* slots hold counts for the next sample, as their end was unknown */
	bool reports_clock[2];
	bool reports_states; /* of the blocks, with each sample */
	bool asleep;         /* the kernel says so; read with the clock */
	unsigned clock_slot, level_slot, state_slot;
	struct kbase_times times;
	struct gpu_system system;
	struct gpu_system_values levels;
	int64_t levels_ns, clock_ns; /* when they were read */
	int64_t hz;                  /* the clock as the system reports it, 0 if unknown */
};

/* Take the next waiting sample into k->session.item. */
enum read_result kbase_session_get(struct kbase *k);
/* Return it to the driver. If that fails, it is tried again before the next one is taken. */
bool kbase_session_put(struct kbase *k);

/* Interfaces in the order to try; n is 1 if one was requested by name. Returns false if the driver
 * does not have that one. */
struct kbase_choice {
	const struct kbase_reader *readers[2];
	const char *why[2];
	unsigned n;
};
bool kbase_choose(const struct kbase_version *version, uint64_t gpu_id, const char *interface,
		  struct kbase_choice *choice, struct err *err);

/* Add the kinstr sample at `offset` of the mapping; every access is bounds-checked. Returns false
 * if its metadata leave the mapping or never end; slots may be partly filled then. */
bool kbase_sample_fold(const struct kbase *k, uint64_t offset, struct kbase_interval *interval,
		       uint64_t *slots);

#endif
