/* What the parts of the fake perf share. */
#ifndef MALITOP_FAKE_PERF_PRIV_H
#define MALITOP_FAKE_PERF_PRIV_H

#include "tests/fake/perf.h"

/* Bits of perf_event_attr that have a meaning here. */
enum fake_attr_bit {
	FAKE_DISABLED = 1 << 0,
	FAKE_INHERIT = 1 << 1,
	FAKE_PINNED = 1 << 2,
	FAKE_EXCLUSIVE = 1 << 3,
	FAKE_EXCLUDE_USER = 1 << 4,
	FAKE_EXCLUDE_KERNEL = 1 << 5,
	FAKE_EXCLUDE_IDLE = 1 << 7,
	FAKE_MMAP = 1 << 8,
	FAKE_COMM = 1 << 9,
	FAKE_FREQ = 1 << 10,
	FAKE_ON_EXEC = 1 << 12,
	FAKE_TASK = 1 << 13,
	FAKE_MMAP2 = 1 << 23,
	FAKE_USE_CLOCK = 1 << 25,
};
#define FAKE_INHERIT_THREAD (1ull << 35)
#define FAKE_REMOVE_ON_EXEC (1ull << 36)
#define FAKE_SIGTRAP (1ull << 37)

enum fake_read_format { FAKE_ENABLED = 1, FAKE_RUNNING = 2, FAKE_ID = 4, FAKE_GROUP = 8, FAKE_LOST = 16 };

enum fake_type {
	FAKE_TYPE_HARDWARE,
	FAKE_TYPE_SOFTWARE,
	FAKE_TYPE_TRACEPOINT,
	FAKE_TYPE_CACHE,
	FAKE_TYPE_RAW
};

enum fake_software { FAKE_CPU_CLOCK, FAKE_TASK_CLOCK };

struct fake_attr {
	uint32_t type, size;
	uint64_t config, sample_period, sample_type, read_format, bits, config1, config2, branches;
};

/* In the order of the kernel, which compares them. */
enum fake_perf_state { FAKE_ERROR = -2, FAKE_OFF, FAKE_INACTIVE, FAKE_ACTIVE };

struct fake_total {
	uint64_t count, truth, enabled_ns, running_ns;
};

struct fake_event {
	int fd; /* -1: inherited */
	uint64_t id;
	struct fake_attr attr;
	const struct fake_pmu *pmu;
	uint64_t raw;           /* what the PMU counts; of software its config */
	struct fake_task *task; /* NULL: of a CPU */
	int cpu;                /* -1: wherever the task runs */
	struct fake_event *leader, *next_member;
	struct fake_event *parent;         /* the one with the fd */
	enum fake_perf_state state;        /* of members: only where their leader's is at least inactive */
	bool lost;                         /* its CPU went */
	int on_cpu;                        /* whose counter it has; -1: none */
	uint64_t order;                    /* of leaders, among those that take turns */
	struct fake_total total, children; /* children: those that ended */
	uint64_t count_rest, truth_rest;   /* in millionths */
	/* Of a trace point: which field must have which value, from 1. */
	int filter_field;
	uint64_t filter_value;
	uint64_t *ring;                   /* the pages that records are written into; NULL: none */
	uint64_t lost_records, output_id; /* the event whose ring it writes instead; 0: its own */
};

static inline bool fake_serves(const struct fake_pmu *pmu, int cpu)
{
	return cpu >= 0 && pmu->cpus >> cpu & 1;
}
static inline bool fake_is_hardware(const struct fake_event *e)
{
	return e->pmu->kind == FAKE_ARM || e->pmu->kind == FAKE_X86;
}
static inline bool fake_perfmon(const struct fake_perf *f)
{
	return f->caps & FAKE_CAP_SYS_ADMIN || (f->caps & FAKE_CAP_PERFMON && f->kernel >= FAKE_KERNEL(5, 8));
}

/* perf.c */
int fake_perf_fail(int code);
struct fake_event *fake_perf_find(const struct fake_perf *f, int fd);
struct fake_event *fake_perf_add(struct fake_perf *f, const struct fake_event *e);
void fake_perf_drop(struct fake_perf *f, struct fake_event *e); /* its group goes on without it */
void fake_perf_detach(struct fake_event *e);

/* perf_ring.c */
int fake_perf_set_output(struct fake_perf *f, struct fake_event *e, int fd);
size_t fake_ring_room(const struct fake_event *e);
void fake_ring_head(struct fake_event *e, unsigned type, unsigned misc, size_t size);
void fake_ring_bytes(struct fake_event *e, const void *bytes, size_t n);

/* perf_machine.c: what a PMU counts for a type and a config, and at which rate; *raw or an
 * errno. */
int fake_perf_map(const struct fake_perf *f, const struct fake_pmu *pmu, const struct fake_attr *attr,
		  uint64_t *raw);
bool fake_perf_implements(const struct fake_pmu *pmu, uint64_t raw);
uint64_t fake_perf_per_ms(const struct fake_perf *f, const struct fake_event *e, int cpu);
/* The n-th event that sysfs has a name for. */
const char *fake_perf_named(const struct fake_pmu *pmu, unsigned n, uint64_t *raw);

/* perf_trace.c */
bool fake_perf_is_traced(uint64_t id);
int fake_perf_set_filter(struct fake_event *e, const char *text);

/* perf_sched.c */
bool fake_perf_fits(const struct fake_perf *f, const struct fake_event *e, const struct fake_event *leader);
int fake_perf_context_cpu(const struct fake_perf *f,
			  const struct fake_event *e); /* where it could count now; -1: nowhere */
void fake_perf_enable(struct fake_perf *f, struct fake_event *e);
void fake_perf_disable(struct fake_perf *f, struct fake_event *e);
void fake_perf_reschedule(struct fake_perf *f, int cpu);
void fake_perf_settle(struct fake_perf *f); /* who runs where was changed */

#endif
