/* kbase: Mali GPUs through Arm's own kernel driver. Internal to backends/kbase*.c.
 *
 *   kbase.c            the backend: one opened device, from its node to samples
 *   kbase_device.c     the node: handshake, identity, ioctls
 *   kbase_props.c      the property stream
 *   kbase_choice.c     which of the two counter interfaces a driver is asked for, and why
 *   kbase_vinstr.c     the older one: dumps of 32-bit deltas       kbase_dump.c    their layout
 *   kbase_kinstr.c     the newer one: self-describing samples      kbase_sample.c  their layout
 *   kbase_fold.c       from counter blocks to slots
 *   kbase_times.c      from the driver's clock to ours
 *
 * Threads: as backend.h says. Nothing here is shared between devices.
 */
#ifndef MALITOP_KBASE_H
#define MALITOP_KBASE_H

#include "backends/backend.h"
#include "backends/machine/gpu_system.h"
#include "backends/kbase/kbase_abi.h"

/* ---- the device ---- */

enum kbase_api { KBASE_UK, KBASE_JM, KBASE_CSF };

extern const char *const kbase_api_names[]; /* "job manager" */

struct kbase_version {
	enum kbase_api api; /* UK 10.x, JM 11.x, CSF 1.x */
	unsigned major, minor;
};

/* From so many minor versions of its API on; a UK driver never. */
static inline bool kbase_since(const struct kbase_version *v, unsigned jm, unsigned csf)
{
	return v->api != KBASE_UK && v->minor >= (v->api == KBASE_JM ? jm : csf);
}

/* What the driver tells of the GPU; 0 is unknown. */
struct kbase_props {
	uint64_t gpu_id;         /* as the hardware has it, 32 or 64 bit */
	uint32_t product_id;     /* its upper half, where the id itself is not told */
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
	char release[64]; /* "K:r44p0-00eac0(GPL)", printable; "" if the driver does not tell */
};

/* Open the node and come to terms with the driver. On failure nothing stays open. */
bool kbase_device_open(struct kbase_device *d, const struct sys *sys, const char *path, struct err *err);
void kbase_device_close(struct kbase_device *d);
/* ioctl that a signal or a moment's EAGAIN does not fail. */
int kbase_ioctl(const struct sys *sys, int fd, unsigned request, void *arg);

/* The stream of GET_GPUPROPS: keys and values back to back. Ids that are not known are skipped. Hostile bytes are no danger: false for
 * a stream that ends inside a value. */
bool kbase_props_parse(struct kbase_props *props, const uint8_t *stream, size_t n);
/* The fixed struct of UK 10.x, UK_PROPS_SIZE bytes. */
void kbase_props_parse_uk(struct kbase_props *props, const uint8_t *bytes);
/* The cores that are counted, 0 if the driver does not tell. */
uint64_t kbase_props_cores(const struct kbase_props *props);
unsigned kbase_props_slices(const struct kbase_props *props);
unsigned kbase_props_bus_bits(const struct kbase_props *props);
/* GPU_ID for gpudb_by_id. */
uint64_t kbase_props_id(const struct kbase_props *props);

/* ---- from blocks to slots ---- */

#define KBASE_BLOCK_VALUES_MAX GPU_BLOCK_SLOTS_MAX

struct kbase_fold {
	struct {
		uint8_t *index;     /* in the block, of each of its counters in layout order */
		unsigned n, sum;    /* how many; slot of the first sum */
		unsigned instances; /* slot of the first counter of the first instance; 0: sums only */
	} blocks[BLOCK_COUNT];
	uint8_t core_rank[64]; /* position of a core among those of the mask */
	uint64_t core_mask;
	unsigned n_slices;
	int active; /* slot of GPU_ACTIVE, -1 if it is not known */
};

/* The values of a layout that the driver is to count (NULL: all), a bit each: the header and whole groups of four, as the hardware
 * enables them. */
void kbase_enable(const struct gpu_layout *layout, uint64_t enable[BLOCK_COUNT][2]);

/* After the slots were added to the source. */
void kbase_fold_init(struct kbase_fold *f, const struct source *source);
void kbase_fold_fini(struct kbase_fold *f);
/* Add a block of n values; `instance` is a core number or a slice (0 for others). A block that the GPU should not have is left out.
 * Slots begin as SAMPLE_UNKNOWN. A value of KBASE_OVERFLOW and more is no count any more, and makes every sum that it is in unknown
 * (kbase_fold_finish): so large that no counter gets there, so small that all cores of some samples do not wrap around. */
#define KBASE_OVERFLOW (1ull << 52)
void kbase_fold_block(const struct kbase_fold *f, enum gpu_block block, unsigned instance, const uint64_t *value, unsigned n,
		      uint64_t *slots);
void kbase_fold_finish(uint64_t *slots, unsigned n);

/* ---- readers ---- */

/* What one sample of the driver says beside its blocks. Times are CLOCK_MONOTONIC_RAW. */
struct kbase_interval {
	int64_t begin_ns, end_ns;
	uint32_t flags;     /* enum sample_flag */
	uint32_t lost;      /* samples before this one */
	uint64_t cycles[2]; /* of the GPU's and the shader cores' clock; SAMPLE_UNKNOWN */
};

enum kbase_clock { KBASE_CLOCK_TOP, KBASE_CLOCK_SHADER };

/* Extent of the counters as an interface tells it. */
struct kbase_extent {
	unsigned block_values;
	unsigned n_slices;
	uint64_t core_mask;
	uint8_t set; /* 0: primary, the one that our data describe */
};

struct kbase_vinstr {
	int fd; /* -1: none */
	uint8_t *memory;
	size_t size, buffer_bytes;
	unsigned n_buffers;
	bool v4;
	uint32_t features;
	bool held; /* a buffer that is not put back yet, of these metadata */
	struct vinstr_metadata metadata;
	int64_t last_ns; /* end of the last dump */
};

struct kbase_kinstr {
	int fd;
	const uint8_t *memory;
	size_t size;
	uint32_t item_bytes;                                      /* of a metadata item */
	unsigned n_values[BLOCK_COUNT], n_instances[BLOCK_COUNT]; /* 0: the driver has no such block */
	uint8_t set;
	bool dense; /* cores are numbered without the holes of the mask */
	bool running, held, has_sequence;
	uint64_t held_sequence, held_offset;
	uint64_t sequence;
};

/* From the driver's stamps to ours, and what makes an interval fit to be believed. */
struct kbase_times {
	int64_t offset_ns, measured_ns; /* MONOTONIC minus RAW, and when that was measured */
	int64_t last_raw_ns, last_ns;   /* end of the sample before, by both clocks; 0 and the start: there was none */
	bool has_sample;
	unsigned n_slow; /* samples in a row that took longer than the period */
};
void kbase_times_start(struct kbase_times *t, const struct sys *sys, int64_t now_ns);
/* Fill begin, end and flags of the sample, and raise *period_ns to what the driver really does. false: the driver's first tick came so
 * soon that there is nothing to tell. */
bool kbase_times_convert(struct kbase_times *t, const struct sys *sys, const struct kbase_interval *interval, int64_t now_ns,
			 struct sample *sample, int64_t *period_ns);

struct kbase;

struct kbase_reader {
	const char *name;      /* "vinstr" */
	const char *interface; /* what the command line calls it */
	/* A session that counts what k->enable says; fills k->extent. Nothing is left behind after a failure. */
	bool (*open)(struct kbase *k, int64_t period_ns, struct err *err);
	/* Begin. Sets k->manual where the driver refuses to sample by itself. */
	bool (*start)(struct kbase *k, int64_t period_ns, struct err *err);
	int (*fd)(const struct kbase *k);
	/* Manual sampling: end an interval now. */
	bool (*dump)(struct kbase *k);
	/* The next waiting interval, added to slots. */
	enum read_result (*take)(struct kbase *k, struct kbase_interval *interval, uint64_t *slots);
	void (*stop)(struct kbase *k);
	void (*close)(struct kbase *k); /* also of one that never opened */
	int64_t longest_ns;             /* that one interval may take before its counters overflow; 0: any */
};

extern const struct kbase_reader kbase_vinstr, kbase_kinstr;

struct kbase {
	struct kbase_device device;
	const struct kbase_reader *reader;
	char why[160]; /* the choice of the reader, for people */
	struct kbase_extent extent;
	uint64_t enable[BLOCK_COUNT][2];
	unsigned n_engines;

	/* The sampler's: */
	struct kbase_vinstr vinstr;
	struct kbase_kinstr kinstr;
	int64_t session_ns; /* period of the reader's session, 0: there is none */
	bool started;
	bool manual; /* the driver samples when asked, not by itself */
	int64_t next_dump_ns;
	struct kbase_fold fold;
	uint64_t *slots; /* where an interval is gathered */
	struct kbase_interval sum;
	unsigned n_parts, part; /* an interval is so many of the driver's */
	unsigned clock_slot, level_slot;
	struct kbase_times times;
	struct gpu_system system;
	struct gpu_system_values levels;
	int64_t levels_ns, clock_ns; /* when they were read */
	int64_t hz;                  /* the clock as the system tells it, 0 if unknown */
};

/* Which interface, in the order to try; n is 1 when it was asked for by name. false when there is none. */
struct kbase_choice {
	const struct kbase_reader *readers[2];
	const char *why[2];
	unsigned n;
};
bool kbase_choose(const struct kbase_version *version, uint64_t gpu_id, const char *interface, struct kbase_choice *choice,
		  struct err *err);

/* ---- layouts in memory that the driver writes: every bound is checked ---- */

/* A vinstr dump: 64 values a block, or the older layout in groups of eight blocks. */
struct kbase_dump {
	const uint8_t *bytes;
	size_t n;
	bool v4;
};
/* Bytes of a dump with such an extent; V4: with so many core groups. */
size_t kbase_dump_bytes(bool v4, unsigned n_slices, uint64_t core_mask);
void kbase_dump_fold(const struct kbase_dump *dump, const struct kbase_fold *fold, uint64_t *slots);

/* A kinstr sample at `offset` of the mapping. false when its metadata leave the mapping or never end; slots may have been added to. */
bool kbase_sample_fold(const struct kbase_kinstr *k, uint64_t offset, const struct kbase_fold *fold,
		       struct kbase_interval *interval, uint64_t *sequence, uint64_t *slots);

#endif
