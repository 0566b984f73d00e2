/* panthor: Mali GPUs with a command stream front end, through Mesa's kernel driver. Internal to
 * backends/panthor.
 *
 *   panthor.c            the backend: one opened node, from its registers to samples
 *   panthor_counters.c   the interfaces for counters, and a session: memory, requests, samples
 *
 * Threads: as in backend.h.
 */
#ifndef MALITOP_PANTHOR_H
#define MALITOP_PANTHOR_H

#include "backends/backend.h"
#include "backends/drm/drm_gpu.h"

#include "backends/panthor/panthor_abi.h"

/* An interface for counters. The kernel's answers show which one exists, never a version. */
struct panthor_interface {
	const char *name;   /* for people */
	uint32_t query;     /* enum panthor_query */
	uint32_t info_size; /* that the kernel must answer */
	uint32_t setup_size;
	unsigned long control; /* ioctl */
	uint32_t error_flag, stretched_flag;
};

/* Extent of a sample. */
struct panthor_extent {
	struct panthor_perf_info info;
	uint32_t n_blocks;
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
	uint32_t info_size;                        /* what the kernel filled */
	const struct panthor_interface *interface; /* NULL: there are no counters */
	struct panthor_extent extent;

	/* Used by the sampler: */
	struct panthor_buffer samples, control;
	uint32_t n_slots; /* samples that the ring has room for */
	int event;        /* readable when a sample waits; -1: none */
	int handle;       /* of the session; -1: none */
	bool running, requested;
	int64_t next_ns, end_ns, end_raw_ns; /* next request; the last end by both clocks */
};

/* Returns how much of the struct the kernel has, 0 if it does not know the question. */
uint32_t panthor_query(const struct panthor *p, uint32_t type, void *to, uint32_t size);
/* Look for an interface for counters, without an effect on the GPU. Sets interface and extent. */
void panthor_find_counters(struct panthor *p);
/* Whether the sizes that the kernel reports agree with each other. Fills *extent. */
bool panthor_extent_init(struct panthor_extent *extent, const struct panthor_perf_info *info,
			 uint64_t core_mask);
/* Copy the header of a sample of info.sample_size bytes, and add its blocks. Safe for any bytes. */
void panthor_sample_fold(const struct panthor_extent *extent, const uint8_t *bytes,
			 const struct gpu_fold *fold, struct panthor_sample_header *header, uint64_t *slots);

/* A session. After a failure everything is freed. */
bool panthor_counters_start(struct panthor *p, struct err *err);
void panthor_counters_stop(struct panthor *p); /* no effect if there is none */
/* Request a sample. Returns false with errno. A busy driver is no failure: request again later. */
bool panthor_counters_request(struct panthor *p);
/* Take a waiting sample, waiting a little for one. */
enum read_result panthor_counters_take(struct panthor *p, struct panthor_sample_header *header,
				       uint64_t *slots);

#endif
