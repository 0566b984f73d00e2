/* A fake of the DRM drivers of Mali GPUs, Panfrost and Panthor, in their generations, and of the
 * nodes of other drivers beside them. Numbers and structs are written down here a second time,
 * apart from the backends.
 *
 * A rule that a client breaks is answered as the driver answers it; where the driver would merely
 * misbehave, it is noted as a breach. As in kbase.h, nothing in here reads a clock.
 *
 * Time is CLOCK_MONOTONIC_RAW in ns. */
#ifndef MALITOP_FAKE_DRM_H
#define MALITOP_FAKE_DRM_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What releases differ in. */
enum fake_drm_trait {
	DRM_FDINFO = 1 << 0,        /* clients are told in fdinfo */
	DRM_PROFILE_DEBUG = 1 << 1, /* the switch is in debugfs, and engines are told regardless */
	DRM_PROFILE_SYSFS = 1 << 2, /* the switch is in sysfs */
	DRM_FOREIGN = 1 << 3,       /* no Mali GPU: a display, another vendor */
	DRM_PERF_V6 = 1 << 4,       /* panthor: counters as proposed in December 2025 */
	DRM_PERF_ARM = 1 << 5,      /* panthor: counters as in Arm's own kernels */
};

struct fake_drm_driver {
	const char *name;   /* "panfrost-6.10" */
	const char *module; /* "panfrost": what libdrm and sysfs say */
	unsigned major, minor;
	unsigned traits; /* of enum fake_drm_trait */
};
extern const struct fake_drm_driver fake_drm_drivers[]; /* ends with a NULL name */
const struct fake_drm_driver *fake_drm_driver_find(const char *name);

struct fake_drm_file;

struct fake_drm_gpu {
	const struct fake_drm_driver *driver;
	uint32_t gpu_id_hi; /* panthor, Arm's kernels */
	uint32_t gpu_id;    /* the register: product in the upper half, revision in the lower */
	uint64_t core_mask, l2_present;
	unsigned slices, bus_bits, core_features, thread_features;

	/* Things that may happen, also while a client counts. */
	bool unstable; /* panfrost.unstable_ioctls */
	bool taken;    /* another program owns the counters */
	bool gone;     /* every call fails with ENODEV, as drm_dev_unplug has it (Panthor) */
	bool unbound;  /* panfrost: its node is gone, and a call on an open file crashes the kernel */
	bool deaf;     /* a dump is never finished, likewise */
	bool hangs;    /* a dump or a start is never finished: ETIMEDOUT after a second */
	enum {
		RESET_NOT,
		RESET_STILL,
		RESET_SILENT
	} reset;            /* panfrost, until counters start anew: a
								reset has turned them off. A dump is
								the old one, or never finished */
	bool stamp_stands;  /* headers have the same time stamp for ever */
	bool saturates;     /* counters have reached their end */
	int64_t dump_ns;    /* how long a dump takes */
	bool suspended;     /* runtime PM, unless a client counts */
	unsigned n_wakes;   /* calls that woke it, other than to count */
	unsigned n_enables; /* how often counters were turned on */

	/* Panthor: */
	unsigned n_values;       /* counters of a block */
	unsigned longer_headers; /* bytes that a later kernel adds to each */
	int sample_short;        /* and samples that are longer, or (negative) too short */
	uint32_t sample_flags;   /* of the samples from now on */
	bool strange_stamps;

	/* The fake's own. */
	struct fake_drm_file *owner;
	int64_t cleared_ns; /* counters count from here */
	uint8_t *dump;      /* panfrost: the driver's, while counters are on */
};

#define FAKE_DRM_GPUS 4
#define FAKE_DRM_FILES 16
#define FAKE_DRM_BUFFERS 4
#define FAKE_DRM_MINOR 128 /* of the first node */

struct fake_drm {
	struct fake_drm_gpu gpus[FAKE_DRM_GPUS];
	unsigned n_gpus;
	struct fake_drm_file {
		int fd; /* 0: unused */
		struct fake_drm_gpu *gpu;
		struct fake_drm_buffer {
			size_t size; /* 0: unused */
			int fd;
			uint8_t *memory;
		} buffers[FAKE_DRM_BUFFERS];
		struct {
			unsigned slots; /* 0: none */
			bool started;
			int event;
			uint64_t masks[6][2];
			struct fake_drm_buffer *ring;
			uint64_t *control; /* extract, insert */
			int64_t last_ns, due_ns;
		} session;
	} files[FAKE_DRM_FILES];
	unsigned n_opens;
	bool ending;            /* of the process: the kernel closes its files */
	struct strbuf breaches; /* a line each */
	int (*new_fd)(void);
	void (*pass)(void *ctx, int64_t ns); /* a call takes so long; NULL: none does */
	void *ctx;
	int64_t now_ns;
};

void fake_drm_fini(struct fake_drm *d);
void fake_drm_breach(struct fake_drm *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The position in gpus of "dev/dri/renderD128", -1 for other paths. */
int fake_drm_number(const char *path);
/* As the system calls: -1 and errno. */
int fake_drm_open(struct fake_drm *d, const char *path, int flags);
/* Open what the kernel tells of a file that the caller has open, "proc/self/fdinfo/7". Returns
 * false for other paths. */
bool fake_drm_fdinfo(const struct fake_drm *d, const char *path, int *result);
bool fake_drm_has(const struct fake_drm *d, int fd);
const struct fake_drm_gpu *fake_drm_gpu_of(const struct fake_drm *d, int fd);
int fake_drm_close(struct fake_drm *d, int fd);
int fake_drm_ioctl(struct fake_drm *d, int fd, unsigned long request, void *arg);
unsigned fake_drm_open_files(const struct fake_drm *d);

void *fake_drm_mmap(struct fake_drm *d, size_t n, int prot, int flags, int fd, int64_t at);
void fake_drm_advance(struct fake_drm *d, int64_t now_ns);

/* What Panfrost writes for a dump, by its own reckoning. */
size_t fake_panfrost_dump_bytes(const struct fake_drm_gpu *gpu);
void fake_panfrost_disable(struct fake_drm_gpu *gpu);
int fake_panfrost_ioctl(struct fake_drm *d, struct fake_drm_file *f, unsigned long request, void *arg);
int fake_panthor_ioctl(struct fake_drm *d, struct fake_drm_file *f, unsigned long request, void *arg);
void *fake_panthor_mmap(struct fake_drm_file *f, size_t n, int prot, int flags, int64_t at);
void fake_panthor_advance(struct fake_drm *d, struct fake_drm_file *f);
void fake_panthor_close(struct fake_drm_file *f);

#endif
