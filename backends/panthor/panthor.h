/* panthor: Mali GPUs with a command stream front end, through Mesa's kernel driver. Internal to
 * backends/panthor.
 *
 *   panthor.c            the backend: one opened node, from its registers to samples
 *   panthor_device.c     the registers, and which interface for counters the kernel has
 *   panthor_counters.c   a session of counters: shared memory, requests, samples
 *   panthor_sample.c     the layout of a sample
 *
 * Threads: as in backend.h.
 */
#ifndef MALITOP_PANTHOR_H
#define MALITOP_PANTHOR_H

#include "backends/backend.h"
#include "backends/drm/drm_gpu.h"

#include "backends/panthor/panthor_abi.h"

/* An interface for counters. Which one there is, the kernel's answers tell, never a version. */
struct panthor_interface {
	const char *name;   /* for people */
	uint32_t query;     /* enum panthor_query */
	uint32_t info_size; /* that the kernel must answer */
	uint32_t setup_size;
	unsigned long control; /* ioctl */
	uint32_t error_flag, stretched_flag;
};
extern const struct panthor_interface panthor_interfaces[];
extern const unsigned panthor_n_interfaces;

/* Why there are no counters. */
enum panthor_counters {
	PANTHOR_COUNTERS,
	PANTHOR_NONE,    /* the kernel has none that we know */
	PANTHOR_UNASKED, /* -b panthor:fdinfo */
};

/* Extent of a sample. */
struct panthor_extent {
	uint32_t counters, sample_header, block_header, sample_bytes, n_blocks;
	bool dense; /* cores are numbered by rank, without the holes of the mask */
};

struct panthor_buffer {
	uint32_t handle; /* 0: none */
	uint8_t *memory; /* NULL: not mapped */
	size_t size;
};

struct panthor {
	struct drm_gpu gpu;
	struct panthor_gpu_info info;
	uint32_t info_size; /* what the kernel filled */
	enum panthor_counters counters;
	const struct panthor_interface *interface;
	struct panthor_perf_info perf;
	struct panthor_extent extent;

	/* Used by the sampler: */
	struct panthor_buffer samples, control;
	uint32_t n_slots; /* samples that the ring has room for */
	int event;        /* readable when a sample waits; -1: none */
	int handle;       /* of the session; -1: none */
	bool running, requested;
	int64_t next_ns, end_ns, end_raw_ns; /* next request; the last end by both clocks */
};

bool panthor_read_info(struct panthor *p, struct err *err);
uint64_t panthor_gpu_id(const struct panthor *p); /* for gpudb_by_id */
unsigned panthor_slices(const struct panthor *p);
unsigned panthor_bus_bits(const struct panthor *p);
/* Look for an interface for counters, without an effect on the GPU. Sets interface (NULL: none),
 * perf and extent. */
void panthor_find_counters(struct panthor *p);
/* Whether the sizes that the kernel reports agree with each other. Fills *extent. */
bool panthor_extent_init(struct panthor_extent *extent, const struct panthor_perf_info *perf,
			 uint64_t core_mask);

/* What a sample contains besides its blocks. */
struct panthor_interval {
	int64_t begin_ns, end_ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t cycles[2];       /* of the GPU's and of the shader cores' clock */
	uint32_t flags;           /* enum panthor_sample_flag */
};
/* Add the sample of extent->sample_bytes to slots. Safe for any bytes. */
void panthor_sample_fold(const struct panthor_extent *extent, const uint8_t *bytes,
			 const struct gpu_fold *fold, struct panthor_interval *interval, uint64_t *slots);

/* A session. After a failure nothing is left behind. */
bool panthor_counters_start(struct panthor *p, struct err *err);
void panthor_counters_stop(struct panthor *p); /* no effect if there is none */
/* Request a sample. Returns false with errno. That the driver is busy is no failure: request again
 * later. */
bool panthor_counters_request(struct panthor *p);
/* Take a waiting sample, waiting a little for one. */
enum read_result panthor_counters_take(struct panthor *p, struct panthor_interval *interval, uint64_t *slots);

#endif
