/* sample: the values that a source measured in one interval, and the slots that describe them. */
#ifndef MALITOP_SAMPLE_H
#define MALITOP_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sample_flag {
	SAMPLE_GAP = 1 << 0,       /* time before this sample was not counted */
	SAMPLE_STRETCHED = 1 << 1, /* longer than the interval; included with its true duration */
	SAMPLE_ERROR = 1 << 2,     /* the driver reported a failure; excluded everywhere */
	SAMPLE_CLOCK = 1 << 3,     /* the clock changed in it; excluded from steady slots */
	SAMPLE_ESTIMATED = 1 << 4, /* multiplexed; included, and shown in brackets */
	SAMPLE_SIMULATED = 1 << 5,
	SAMPLE_REPLAY = 1 << 6,
};
/* Why a sample failed: a bit of its flags beside SAMPLE_ERROR, so that logs and sums keep it. The
 * bits may never change. */
enum sample_failure {
	FAILURE_UNKNOWN, /* no bit */
	FAILURE_RESET,
	FAILURE_TIMEOUT,
	FAILURE_OFF,
	FAILURE_TAKEN,
	FAILURE_UNWRITTEN,
	FAILURE_REFUSED,
	FAILURE_UNREAD,
	FAILURE_OVERFLOW,
	FAILURE_STAMPS,
	FAILURE_SHORT,
	FAILURE_DAMAGED,
	FAILURE_BUFFER,
	FAILURE_KINDS
};
#define SAMPLE_FAILURES 0xffff0000u /* all bits of reasons */
static inline uint32_t sample_failed(enum sample_failure why)
{
	return SAMPLE_ERROR | (why ? 1u << (15 + why) : 0);
}
/* Of the flags of a failed sample; the first of several. */
enum sample_failure sample_failure(uint32_t flags);
/* "the GPU was reset, ..." */
extern const char *const sample_failure_texts[FAILURE_KINDS];

/* The failures of a source. Zero-initialize it. */
struct sample_failures {
	uint64_t n[FAILURE_KINDS];
	int64_t at_ns[FAILURE_KINDS]; /* of the last one; 0: there was none */
};
/* Count a sample. Returns whether it is a failure that is news: none of its kind in the second
 * before. */
#define SAMPLE_FAILURE_NEWS_NS 1000000000ll
bool sample_failures_add(struct sample_failures *f, uint32_t flags, int64_t at_ns);
uint64_t sample_failures_all(const struct sample_failures *f);
/* "the GPU was reset, ... (2), ... (1)" of `size` bytes; "" without any. */
void sample_failures_format(const struct sample_failures *f, char *buf, size_t size);
#define SAMPLE_FAILURES_TEXT 512

/* "gap stretched error clock estimated simulated replay", blank-separated; buf has
 * SAMPLE_FLAGS_TEXT bytes. */
#define SAMPLE_FLAGS_TEXT 64
char *sample_flags_format(char *buf, uint32_t flags);

/* The kinds of sources. A screen shows one source of each kind at a time. */
enum source_kind {
	SOURCE_GPU,
	SOURCE_CPU,    /* load, clocks, memory and temperature, from the operating system */
	SOURCE_PERF,   /* events of the CPUs' hardware counters */
	SOURCE_PASSES, /* frames and render passes of an application */
	SOURCE_HOT,    /* which functions run: samples of running code */
	SOURCE_MIX,    /* no source: metrics of several of them together (metric_mix.h); in no log */
	SOURCE_KINDS
};

/* Times are CLOCK_MONOTONIC ns. `value` has one entry per slot of the source, in slot order, and
 * then n_more words that are no slots (passes/pass_records.h, hot/hot_words.h). */
struct sample {
	uint32_t source;   /* index of the source in the sampler */
	uint32_t flags;    /* enum sample_flag */
	uint32_t lost;     /* samples lost just before this one */
	uint16_t n_values; /* slots in value */
	uint16_t n_more;   /* words after them */
	uint64_t seq;      /* per source; counts samples and losses, so a jump shows how many are missing */
	int64_t begin_ns, end_ns;
	uint64_t value[];
};

static inline size_t sample_size(const struct sample *sample)
{
	return sizeof(*sample) + ((size_t)sample->n_values + sample->n_more) * sizeof(sample->value[0]);
}

/* A bound of 36 years for times and durations, because a log may contain any number: with times
 * limited to it, and sums saturated at it, sums and differences of a few of them fit into 64
 * bits. */
#define SAMPLE_NS_MAX ((int64_t)1 << 60)

static inline int64_t sample_add_time(int64_t a_ns, int64_t b_ns)
{
	return a_ns < SAMPLE_NS_MAX - b_ns ? a_ns + b_ns : SAMPLE_NS_MAX;
}

/* Return how many samples of the source are missing between seq `before` (0: there was none) and
 * this sample. */
static inline uint64_t sample_missed(const struct sample *sample, uint64_t before)
{
	return before && sample->seq > before + 1 ? sample->seq - before - 1 : 0;
}

/* An unknown value, for levels (int64 stored as uint64) and deltas alike. */
#define SAMPLE_UNKNOWN UINT64_MAX

enum slot_kind {
	SLOT_DELTA,  /* folded by sum; SAMPLE_UNKNOWN does not change the sum */
	SLOT_STEADY, /* likewise, but without samples flagged SAMPLE_CLOCK */
	SLOT_LEVEL,  /* a state (MHz, millidegrees): int64, folded by last */
	SLOT_PEAK,   /* likewise, folded by maximum */
};

enum instance_kind {
	INSTANCE_ALL, /* the sum over all instances, or the only one */
	INSTANCE_CORE,
	INSTANCE_SLICE,
	INSTANCE_CLUSTER,
	INSTANCE_CPU,
	INSTANCE_KINDS
};
extern const char *const instance_names[INSTANCE_KINDS]; /* "", "core", "slice", "cluster", "cpu" */

/* Describes one value of every sample of a source. Slots with the same name differ by instance; one
 * of them is always INSTANCE_ALL. Names are machine names of counters (doc/data-format.md), or
 * hardware names of unpublished ones. */
struct slot {
	const char *name; /* valid to the end of the process: static, an option's, or the first gpudb's */
	enum slot_kind kind : 8;
	enum instance_kind instance : 8;
	uint16_t number; /* of the core, slice, cluster or CPU; may have holes */
	/* The slots with the time for which this one was counted, and the time that its value
	 * represents, in ns. If the first is less, the value is an estimate. Both are 0 if it was
	 * counted all the time. */
	uint16_t running, enabled;
	uint16_t raw; /* the slot with the count that this estimate is made from; 0: none */
	double scale; /* multiplier of a count: 1e-3 for a count of ms shown in s */
	/* The name of the instance for people ("Cortex-A76 x4"); NULL: its kind and number. It
	 * belongs to whatever has the slots: a source frees it when it is closed, so a metric set,
	 * which outlives its source, has copies of its own. */
	const char *title;
};

/* Constants of the measured machine, by the names that expressions use. 0: unknown. */
struct source_constants {
	unsigned core_count;     /* $MaliConstantsShaderCoreCount */
	unsigned l2_slice_count; /* $MaliConstantsL2SliceCount */
	unsigned bus_width_bits; /* $MaliConstantsBusWidthBits */
	unsigned block_values;   /* values of a counter block */
	uint64_t core_mask;      /* mask of existing cores; may have holes */
	double top_hz;           /* highest clock */
};

/* Copy slots with their titles; slots_free frees both. */
struct slot *slots_copy(const struct slot *slots, unsigned n);
void slots_free(struct slot *slots, unsigned n);

#endif
