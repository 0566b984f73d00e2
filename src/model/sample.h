/* sample: what a source measured in one interval, and the slots that say what the numbers are. */
#ifndef MALITOP_SAMPLE_H
#define MALITOP_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum sample_flag {
	SAMPLE_GAP = 1 << 0,       /* time before this sample was not counted */
	SAMPLE_STRETCHED = 1 << 1, /* took longer than the interval; included with its true duration */
	SAMPLE_ERROR = 1 << 2,     /* the driver says it failed: marked, excluded from everything */
	SAMPLE_CLOCK = 1 << 3,     /* a clock changed inside: excluded where cycles meet time (steady slots) */
	SAMPLE_ESTIMATED = 1 << 4, /* multiplexed: shown in brackets, included */
	SAMPLE_SIMULATED = 1 << 5,
	SAMPLE_REPLAY = 1 << 6,
};
/* "gap stretched error clock estimated simulated replay", blank-separated; buf has SAMPLE_FLAGS_TEXT bytes. */
#define SAMPLE_FLAGS_TEXT 64
char *sample_flags_format(char *buf, uint32_t flags);

/* What a source measures. Of each kind a screen shows one at a time. */
enum source_kind {
	SOURCE_GPU,
	SOURCE_CPU,  /* load, clocks, memory and heat, as the operating system tells them */
	SOURCE_PERF, /* what the CPUs' own counters tell */
	SOURCE_KINDS
};

/* Times are CLOCK_MONOTONIC ns. `value` has one entry per slot of the source, in slot order. */
struct sample {
	uint32_t source;   /* index the sampler gave the source */
	uint32_t flags;    /* enum sample_flag */
	uint32_t lost;     /* samples lost just before this one, by the driver or because nobody read in time */
	uint32_t n_values; /* length of value */
	uint64_t seq;      /* of the source; counts samples and losses, so that a reader sees by a jump what it missed */
	int64_t begin_ns, end_ns;
	uint64_t value[];
};

/* No true moment is later and no time that was measured is longer (36 years), but a log may say anything: where moments are held below
 * this and times are added up to it, sums and differences of a few of them fit into 64 bits. */
#define SAMPLE_NS_MAX ((int64_t)1 << 60)

static inline int64_t sample_add_time(int64_t a_ns, int64_t b_ns)
{
	return a_ns < SAMPLE_NS_MAX - b_ns ? a_ns + b_ns : SAMPLE_NS_MAX;
}

/* How many samples of the source lie between the one with the number `before` (0: there was none) and this one. */
static inline uint64_t sample_missed(const struct sample *sample, uint64_t before)
{
	return before && sample->seq > before + 1 ? sample->seq - before - 1 : 0;
}

/* A value that is not known in this sample. For levels (which are int64 in disguise) and deltas alike. */
#define SAMPLE_UNKNOWN UINT64_MAX

enum slot_kind {
	SLOT_DELTA,  /* folded by sum; SAMPLE_UNKNOWN leaves the sum as it is */
	SLOT_STEADY, /* likewise, but samples flagged SAMPLE_CLOCK are left out */
	SLOT_LEVEL,  /* a state (MHz, millidegrees): int64, folded by last */
	SLOT_PEAK,   /* likewise, folded by maximum */
};

enum instance_kind {
	INSTANCE_ALL, /* the sum over all instances, or a thing that there is once */
	INSTANCE_CORE,
	INSTANCE_SLICE,
	INSTANCE_CLUSTER,
	INSTANCE_CPU,
	INSTANCE_KINDS
};
extern const char *const instance_names[INSTANCE_KINDS]; /* "", "core", "slice", "cluster", "cpu" */

/* One value of every sample of a source. Slots of one name are told apart by their instance; there is always one with
 * INSTANCE_ALL. Names are machine names of counters (doc/data-format.md), hardware names of unpublished ones. */
struct slot {
	const char *name; /* static, or the gpudb's */
	enum slot_kind kind;
	enum instance_kind instance;
	uint16_t number; /* of the core, slice, cluster or CPU; may have holes */
	/* Slots that hold the time for which this one was counted, and the time that its value stands for, in ns: less of the first
	 * makes the value an estimate. Both 0: counted all the time. */
	uint16_t running, enabled;
	uint16_t raw; /* slot with what was counted in that time, where this one holds what it stands for; 0: none */
	double scale; /* what one count stands for: the multiplier of a counter; 1e-3 where ms stand for s */
	const char
		*title; /* of the instance, for people ("Cortex-A76 x4"), while the source is open; NULL: its kind and number */
};

#endif
