/* panfrost: Mali GPUs through Mesa's kernel driver. Internal to backends/panfrost.
 *
 *   panfrost.c            the backend: one opened node, from its registers to samples
 *   panfrost_device.c     the registers, and how large a dump is
 *   panfrost_counters.c   the counters: who owns them, and what a dump yields
 *
 * Threads: as in backend.h.
 */
#ifndef MALITOP_PANFROST_H
#define MALITOP_PANFROST_H

#include "backends/backend.h"
#include "backends/drm/drm_gpu.h"

#include "backends/panfrost/panfrost_abi.h"

/* The registers of the GPU as the driver reports them. */
struct panfrost_props {
	uint64_t product, revision; /* halves of GPU_ID, as the register has it */
	uint64_t cores, l2_present, l2_features, core_features, mem_features, thread_features;
};

/* The largest dump that any combination of registers makes the driver write: V4 with 64 core
 * groups. The driver is not told the size of the buffer, so it always has this one. */
#define PANFROST_DUMP_MOST (64 * 8 * 64 * 4)

/* Whether the counters can be had. */
enum panfrost_counters {
	PANFROST_COUNTERS,
	PANFROST_OFF,     /* the kernel keeps them behind its unstable ioctls */
	PANFROST_UNASKED, /* -b panfrost:fdinfo */
	PANFROST_TAKEN,   /* by another program */
};

struct panfrost {
	struct drm_gpu gpu;
	struct panfrost_props props;
	enum panfrost_counters counters;
	bool v4;

	/* Used by the sampler: */
	/* The next dump and the last one, PANFROST_DUMP_MOST each; NULL until started. The last one
	 * is all zeros after a start, as the driver's own memory is. */
	uint8_t *buffer, *before;
	size_t dump_bytes; /* of each that the driver fills */
	bool owned;        /* the counters are ours */
	bool restarted;    /* before the next dump */
	bool unstamped;    /* the GPU's time stamp stands still: that proves nothing */
	uint64_t stamp;    /* of the last dump */
	int64_t asked_ns;  /* the requested interval */
	int64_t next_ns;   /* when the next dump is due */
	int64_t end_ns;    /* of the last sample */
	int64_t dump_ns;   /* how long the last dump took */
	bool failed;       /* the last dump did: the counters have to be started again */
	bool gap;          /* before the next sample */
};

bool panfrost_read_props(struct panfrost *p, struct err *err);
/* GPU_ID for gpudb_by_id. */
uint64_t panfrost_gpu_id(const struct panfrost_props *props);
/* The cores that the driver powers, which may be fewer than there are. */
uint64_t panfrost_used_cores(const struct panfrost_props *props);
unsigned panfrost_slices(const struct panfrost_props *props);
unsigned panfrost_bus_bits(const struct panfrost_props *props);
bool panfrost_is_v4(const struct panfrost_props *props);
/* What the driver writes for a dump, in bytes: at most PANFROST_DUMP_MOST. */
size_t panfrost_dump_bytes(const struct panfrost_props *props);

/* Whether the kernel would count. Has no effect on the GPU. */
bool panfrost_offers_counters(const struct panfrost *p);
/* Take the counters, which powers the GPU until they are released. */
bool panfrost_counters_start(struct panfrost *p, struct err *err);
void panfrost_counters_stop(struct panfrost *p); /* no effect if they were not taken */
/* Start them again, from zero, whether they count or not. Returns false with errno. */
bool panfrost_counters_restart(struct panfrost *p);
/* Read the counters into slots. Fills the time of the dump. Returns false with errno; ESTALE: a
 * reset of the GPU has turned them off. */
bool panfrost_counters_dump(struct panfrost *p, int64_t *at_ns, uint64_t *slots, unsigned n_slots);
/* Why a dump failed, static. */
const char *panfrost_counters_failure(int code);

#endif
