/* A fake of Arm's kernel driver: the devices, their counters and the rules of every generation of
 * its interface, as observed on real ones. Numbers and structs are written down here a second time,
 * apart from backends/kbase/kbase_abi.h, so that a slip in either shows.
 *
 * A rule that a client breaks is answered as the driver answers it; where the driver would merely
 * misbehave, it is noted as a breach. Nothing in here reads a clock or makes a system call but for
 * the file that readers share with their clients: the same code stands behind a `struct sys` in
 * unit tests (fake_sys.h) and behind the libc calls of the shipped program (preload.c).
 *
 * Time is CLOCK_MONOTONIC_RAW in ns. */
#ifndef MALITOP_FAKE_KBASE_H
#define MALITOP_FAKE_KBASE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fake_api { FAKE_UK, FAKE_JM, FAKE_CSF };
enum fake_block { FAKE_FE, FAKE_TILER, FAKE_MEMORY, FAKE_SHADER, FAKE_BLOCKS };

/* What releases differ in. */
enum fake_trait {
	HAS_VINSTR = 1 << 0,
	HAS_KINSTR = 1 << 1,
	LATE = 1 << 2, /* properties, and the set-up of kinstr, only after SET_FLAGS */
	/* The context exists from open on, waits for its flags, and says EINVAL until then; ticks
	 * are not aligned. */
	FROM_OPEN = 1 << 3,
	CYCLES = 1 << 4,      /* vinstr: 32 byte metadata */
	NEEDS_ENUM = 1 << 5,  /* kinstr: a set-up is refused before an enumeration */
	GAPS = 1 << 6,        /* kinstr: blocks are numbered by core, holes included */
	LOSES_STOP = 1 << 7,  /* kinstr: no room, no stop sample */
	STATES = 1 << 8,      /* kinstr: block states are filled */
	KEEPS_EMPTY = 1 << 9, /* kinstr: a block with an empty mask is still in the sample */
	WIDE_PROPS = 1 << 10, /* GPU_ID and some features are 64 bits wide in the stream */
	/* kinstr: the first sample comes soon after the start, the second one to two periods
	 * later. */
	AT_ONCE = 1 << 11,
};

/* A release of the driver. */
struct fake_driver {
	const char *name; /* "r44p0" */
	enum fake_api api;
	unsigned minor;
	unsigned traits;      /* of enum fake_trait */
	unsigned shortest_us; /* interval of vinstr; shorter ones are raised to it */
};
static inline bool fake_is(const struct fake_driver *d, enum fake_trait trait)
{
	return d->traits & trait;
}
extern const struct fake_driver fake_drivers[]; /* ends with a NULL name */
const struct fake_driver *fake_driver_find(const char *name);

struct fake_gpu {
	const struct fake_driver *driver;
	uint64_t id;        /* GPU_ID, 32 or 64 bit */
	uint64_t core_mask; /* holes are possible */
	unsigned slices, bus_bits, core_features, thread_features, engines, max_khz;
	bool v4;           /* the older layout of dumps */
	unsigned n_values; /* of a block in kinstr_prfcnt; 0: 64 */
	unsigned n_clocks; /* domains that kinstr_prfcnt and vinstr tell; up to 2 */
	int64_t hz[2];     /* of the GPU, of the shader cores */
	uint8_t set;       /* counters that the kernel was built for: 0 primary */
	/* What a counter has counted after a time of activity, in ns. NULL: fake_count. */
	uint64_t (*count)(const struct fake_gpu *gpu, enum fake_block block, unsigned instance,
			  unsigned index, int64_t active_ns);
	void *ctx;

	/* Things that may happen, also while a client counts. */
	bool gone;                             /* every call fails with ENODEV, poll hangs up */
	bool refuses_period;                   /* no periodic sampling */
	bool busy_not_again;                   /* vinstr: GET_BUFFER with a buffer out is EBUSY, not EAGAIN */
	bool spurious;                         /* poll says that a sample waits when none does */
	unsigned most_buffers;                 /* vinstr: more are ENOMEM; 0: any */
	unsigned failed_samples, lost_samples; /* how many of the next ones, of kinstr */
	unsigned endless_samples;              /* likewise, with an impossible end; of vinstr as well */
	uint64_t endless_stamp;                /* that end */
	/* What is longer when it is read than when its size was asked for: the counters of kinstr,
	 * the properties. */
	int list_grows, props_grow;
	bool strange_items;    /* kinstr: metadata of unknown types stand between the others */
	int64_t first_tick_ns; /* kinstr, AT_ONCE: when the first sample comes; 0: at once */
	int64_t raises_to_ns;  /* the shortest interval that this vendor allows */

	/* The fake's own. */
	int64_t active_ns, since_ns; /* activity until since_ns */
	bool off;
	bool hides; /* protected mode: it is powered, and counts nothing; kinstr's STATES tell it */
	bool enumerated;
};

/* The default: a rate that differs for every counter. */
uint64_t fake_count(const struct fake_gpu *gpu, enum fake_block block, unsigned instance, unsigned index,
		    int64_t active_ns);

#define FAKE_GPUS 4
#define FAKE_FILES 16

struct fake_file;

struct fake_kbase {
	struct fake_gpu gpus[FAKE_GPUS];
	unsigned n_gpus;
	struct fake_file *files[FAKE_FILES];
	struct strbuf breaches; /* a line each */
	int (*new_fd)(void);    /* a descriptor for a file; something that can be closed */
	int64_t now_ns;
};

void fake_kbase_fini(struct fake_kbase *k);
/* Samples become due. */
void fake_kbase_advance(struct fake_kbase *k, int64_t now_ns);
void fake_gpu_power(struct fake_kbase *k, unsigned gpu, bool on);
void fake_breach(struct fake_kbase *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As the system calls: -1 and errno. path is "dev/mali0", without a slash in front. */
int fake_kbase_open(struct fake_kbase *k, const char *path, int flags);
bool fake_kbase_has(const struct fake_kbase *k, int fd);
int fake_kbase_gpu(const struct fake_kbase *k, int fd); /* whose it is: its place in gpus; -1: none's */
int fake_kbase_close(struct fake_kbase *k, int fd);
int fake_kbase_ioctl(struct fake_kbase *k, int fd, unsigned long request, void *arg);
void *fake_kbase_mmap(struct fake_kbase *k, size_t n, int prot, int flags, int fd, int64_t at);
short fake_kbase_poll(struct fake_kbase *k, int fd);
/* When the next sample of a reader is due; INT64_MAX: never. */
int64_t fake_kbase_due(const struct fake_kbase *k, int fd);
unsigned fake_kbase_open_files(const struct fake_kbase *k);

/* The device number of "dev/maliN", -1 for other paths. */
int fake_kbase_number(const char *path);

#endif
