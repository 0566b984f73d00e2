/* A fake of perf_event_open(2): the PMUs of several machines, who may count what, groups that share
 * too few counters, tasks that move between CPUs, start others and end. What is refused is refused
 * with the kernel's errno, in the kernel's order of checks, and the numbers of its interface are
 * written down here a second time, apart from the header of perf_event.
 *
 * What the kernel answers it answers; where a client only lives dangerously (an unknown ioctl,
 * reserved bits, a buffer of a wrong size) a breach is noted as well. Nothing in here reads a clock
 * or makes a system call but for the fd (`new_fd`), so that the same code stands behind a `struct
 * sys` (fake_sys.h) and behind the libc calls of the shipped program (preload_perf.c).
 *
 * The law of counting: an event counts at a constant rate per microsecond of the time in
 * which it is on a counter; the rate depends on CPU and event only. Where all the times between two
 * changes are whole microseconds - and steps of tests and turns of multiplexing are - count x
 * enabled / running is thus exactly what would have been counted without sharing (fake_perf_truth),
 * to the last digit. It is not where the rate changes meanwhile: where a task moves to another CPU,
 * or with `phase_ns`. */
#ifndef MALITOP_FAKE_PERF_H
#define MALITOP_FAKE_PERF_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FAKE_CPUS 16
#define FAKE_PMUS 6
#define FAKE_KERNEL(major, minor) ((major) << 8 | (minor))

enum fake_pmu_kind { FAKE_NO_PMU, FAKE_SOFTWARE, FAKE_TRACEPOINT, FAKE_ARM, FAKE_X86 };

/* Cores, as a bit set: whose events a PMU implements. */
enum fake_core {
	FAKE_A53 = 1 << 0,
	FAKE_A55 = 1 << 1,
	FAKE_A72 = 1 << 2,
	FAKE_A76 = 1 << 3,
	FAKE_INTEL = 1 << 4,
	FAKE_A710 = 1 << 5
};

struct fake_pmu {
	const char *name; /* in sysfs */
	enum fake_pmu_kind kind;
	unsigned type;
	uint64_t cpus; /* it serves, a bit each */
	unsigned core; /* of enum fake_core; several: what they have in common */
	unsigned counters;
	uint64_t dedicated
		[4]; /* raw events that have a counter of their own besides, which no other can use; 0 ends */
	unsigned width;  /* of a counter in bits; the driver makes 64 of them */
	bool lists_cpus; /* has a file `cpus` */
	bool nameless;   /* has no directory `events` */
	bool wraps;      /* the driver forgets to, and reads wrap */
	bool busy;       /* reserved by another user of the PMU */
	bool silent;     /* has no interrupt: it counts, and cannot sample */
	uint64_t filtered
		[4]; /* raw events that a hypervisor keeps for itself: they open and count 0; 0 ends */
};

struct fake_machine {
	const char *name;
	unsigned n_cpus;
	struct {
		uint64_t cpus; /* a bit each */
		enum fake_core core;
		unsigned capacity; /* 0: there is no such file */
	} clusters[2];
	struct fake_pmu pmus[2]; /* of the hardware, in the order in which they were registered */
};
extern const struct fake_machine fake_machines[]; /* ends with a NULL name */
const struct fake_machine *fake_machine_find(const char *name);

enum fake_cap { FAKE_CAP_PERFMON = 1 << 0, FAKE_CAP_SYS_ADMIN = 1 << 1 };

struct fake_event;

struct fake_task {
	pid_t pid; /* of the thread */
	unsigned uid;
	int cpu;              /* where it runs; -1: it sleeps */
	int64_t alternate_ns; /* not 0: every second stretch of this length it runs on other_cpu */
	int other_cpu;
	bool ended;
	int on_cpu; /* right now; the fake's own */
};

struct fake_cpu {
	bool online;
	unsigned stolen;
	/* The fake's own. */
	struct fake_task *current;
	bool rotate_cpu, rotate_task;
	int64_t tick_ns; /* when groups take turns; 0: no need */
};

struct fake_rate {
	int cpu; /* -1: all */
	const struct fake_pmu *pmu;
	uint64_t config, per_us;
};

struct fake_perf {
	const struct fake_machine *machine; /* NULL: a kernel without perf, ENOSYS */
	unsigned kernel;                    /* FAKE_KERNEL(5, 10) */
	int paranoid;                       /* -1 to 4; above 2 only patched kernels know */
	unsigned caps;                      /* of enum fake_cap */
	unsigned uid;                       /* the caller's */
	pid_t self;                         /* its thread */
	int filtered;                       /* not 0: seccomp answers so (EPERM) */
	bool selinux;                       /* denies */
	bool unfiltered;                    /* knows no filters */
	unsigned max_files;                 /* RLIMIT_NOFILE; 0: any */
	uint64_t max_sample_rate;           /* kernel.perf_event_max_sample_rate */
	size_t mlock_pages;                 /* of a ring, without rights; 0: any */
	int64_t mux_ns;                     /* groups take turns after so long */
	int64_t slice_ns;                   /* so do tasks that are on the same CPU */
	int64_t phase_ns;        /* not 0: in every second stretch of this length nothing is counted */
	bool unmatched;          /* before late 2023: group reads ignore that a child's group differs */
	unsigned kernel_percent; /* of the counts happen in the kernel; exclude_kernel leaves them out */
	struct fake_pmu pmus[FAKE_PMUS]; /* the first two are software and tracepoint */
	unsigned n_pmus;
	struct fake_cpu cpus[FAKE_CPUS];
	struct strbuf breaches; /* a line each */
	int (*new_fd)(void);    /* a descriptor for an event; something that can be closed */

	/* The fake's own. */
	struct fake_task **tasks;
	unsigned n_tasks, cap_tasks;
	struct fake_event **events; /* in the order of their making */
	unsigned n_events, cap_events;
	struct fake_rate *rates;
	unsigned n_rates, cap_rates;
	uint64_t order, next_id;
	int64_t now_ns;
};

/* A machine without limits: paranoid -1, Linux 6.1, the caller is user 1000, thread 1000, on CPU 0.
 * Change what you like before anything is opened. `machine` is a name of fake_machines; another one
 * aborts. */
void fake_perf_init(struct fake_perf *f, const char *machine, int64_t now_ns);
void fake_perf_fini(struct fake_perf *f);
void fake_perf_advance(struct fake_perf *f, int64_t now_ns);
void fake_perf_breach(struct fake_perf *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct fake_pmu *fake_perf_pmu(struct fake_perf *f, const char *name); /* aborts when there is none */

/* As the system calls: -1 and errno. attr: a struct perf_event_attr of any size. */
int fake_perf_open(struct fake_perf *f, void *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);
bool fake_perf_has(const struct fake_perf *f, int fd);
int fake_perf_close(struct fake_perf *f, int fd);
int fake_perf_ioctl(struct fake_perf *f, int fd, unsigned long request, void *arg);
ssize_t fake_perf_read(struct fake_perf *f, int fd, void *buf, size_t n);
/* A line that names the events that are open; nothing if there are none. Returns how many. */
unsigned fake_perf_open_files(const struct fake_perf *f, struct strbuf *names);

/* Set the rate of an event of that PMU per microsecond, on that CPU (-1: on all), from now on. Not
 * told, each has a rate of its own; one that the core does not implement counts 0. */
void fake_perf_rate(struct fake_perf *f, int cpu, const char *pmu, uint64_t config, uint64_t per_us);
/* From now on others hold this many counters of that CPU (-1: of all). */
void fake_perf_steal(struct fake_perf *f, int cpu, unsigned n);
/* What the event of this fd would have counted since it was made had it never had to share,
 * inherited ones included. */
uint64_t fake_perf_truth(const struct fake_perf *f, int fd);
/* A CPU goes or comes back. Events of one that went stop for good, and their groups fall apart. */
void fake_perf_online(struct fake_perf *f, int cpu, bool online);

/* Tasks. Those on one CPU take turns there. NULL: a task that no caller may
 * name. */
struct fake_task *fake_perf_task(struct fake_perf *f, pid_t pid, unsigned uid, int cpu);
struct fake_task *fake_perf_find_task(const struct fake_perf *f, pid_t pid); /* 0: the caller */
void fake_perf_move(struct fake_perf *f, pid_t pid, int cpu);
void fake_perf_alternate(struct fake_perf *f, pid_t pid, int64_t each_ns, int cpu, int other_cpu);
struct fake_task *fake_perf_fork(struct fake_perf *f, pid_t parent, pid_t child, int cpu, bool thread);
void fake_perf_exec(struct fake_perf *f, pid_t pid);
/* The task stops, and loses its inherited events one by one, the newest first: only the leaders of
 * its groups are left until fake_perf_exit ends it. */
void fake_perf_exit_begins(struct fake_perf *f, pid_t pid);
void fake_perf_exit(struct fake_perf *f, pid_t pid);

/* Trace points: "power/gpu_work_period", "drm/drm_vblank_event_delivered". Write the files of one
 * into a directory; let one happen on a CPU, with the values of its fields in their order. Its
 * number counts only then. */
void fake_perf_tracefs(const char *dir, const char *name);
void fake_perf_trace(struct fake_perf *f, int cpu, const char *name, const uint64_t *values);

/* ---- sampling: records for the events that concern them, at the time of now; perf_ring.c ---- */

/* A sample of running code. */
struct fake_hit {
	int cpu;
	pid_t pid, tid;
	uint64_t ip;
	bool kernel;
	uint64_t frames[8]; /* of the callers, the innermost first */
	unsigned n_frames;
};
void *fake_perf_mmap(struct fake_perf *f, size_t n, int prot, int flags, int fd, int64_t at);
void fake_perf_unmapped(struct fake_perf *f, const void *p);
void fake_perf_sample(struct fake_perf *f, const struct fake_hit *hit);
void fake_perf_map_file(struct fake_perf *f, int cpu, pid_t pid, uint64_t start, uint64_t size,
			const char *path);
void fake_perf_comm(struct fake_perf *f, int cpu, pid_t pid, pid_t tid, const char *name, bool exec);
void fake_perf_task_record(struct fake_perf *f, int cpu, bool exit, pid_t pid, pid_t tid, pid_t parent);
void fake_perf_throttle(struct fake_perf *f, int cpu);

/* Write the machine's sysfs and procfs, as far as they tell of CPUs and PMUs, into a directory;
 * again after a change. */
void fake_perf_tree(const struct fake_perf *f, const char *dir);
void fake_perf_tree_remove(const char *dir);

#endif
