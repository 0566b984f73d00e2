/* A machine behind `struct sys`: a scripted clock, fake Mali devices at dev/maliN and render nodes
 * at dev/dri/renderDN, CPUs whose events can be counted, and a directory for all other files. Every
 * call of the seam is counted and can be made to fail. */
#ifndef MALITOP_FAKE_SYS_H
#define MALITOP_FAKE_SYS_H

#include "base/sys.h"
#include "tests/fake/drm.h"
#include "tests/fake/kbase.h"
#include "tests/fake/perf.h"

#include <pthread.h>

/* Kinds of calls that can fail; a fault hits the n-th of those named. */
enum fake_call {
	FAKE_CALL_OPEN = 1 << 0,
	FAKE_CALL_IOCTL = 1 << 1,
	FAKE_CALL_MMAP = 1 << 2,
	FAKE_CALL_POLL = 1 << 3,
	FAKE_CALL_READ = 1 << 4,
	FAKE_CALL_LIST = 1 << 5,
	FAKE_CALL_PERF = 1 << 6, /* perf_event_open, and ioctl and read of what it opened */
	FAKE_CALL_STAT = 1 << 7,
	FAKE_CALL_DRM = 1 << 8, /* through libdrm */
	FAKE_CALL_ANY = (1 << 9) - 1,
};

struct fake_fault {
	unsigned calls; /* bit set of enum fake_call; 0: none */
	unsigned at;    /* 1: the next one */
	unsigned times; /* how often in a row */
	int code;
};

struct fake_sys {
	struct sys sys; /* hand this in */
	struct sys real;
	pthread_mutex_t lock; /* every call has it */
	struct fake_kbase kbase;
	struct fake_drm drm;
	struct fake_perf perf; /* without a machine: ENOSYS */
	struct fake_fault fault;
	unsigned n_calls[9]; /* by bit of enum fake_call */
	unsigned n_maps;     /* that are still there */
	struct {             /* private memory, with a page behind it that may not be touched */
		void *at;
		size_t n; /* both together */
	} guarded[8];
	unsigned n_files; /* of the directory, still open */
	int64_t now_ns;   /* CLOCK_MONOTONIC */
	int64_t raw_ahead_ns, asleep_ns;
	/* Before a file of the directory is opened, or read: let time pass, and write what it says
	 * now. NULL: files are read in no time. */
	void (*file)(void *ctx, bool open);
	void *file_ctx;
};

/* root: a directory (NULL: an empty one of no use). Time begins at an hour and runs only when told,
 * or in poll. */
void fake_sys_init(struct fake_sys *f, const char *root);
void fake_sys_fini(struct fake_sys *f);
/* A device of a plain kind; change what it returns before anybody opens it. */
struct fake_gpu *fake_sys_add_gpu(struct fake_sys *f, const char *driver, uint64_t id, uint64_t core_mask);
/* A render node, the first at dev/dri/renderD128. Its files in sysfs and proc are the test's to
 * write. */
struct fake_drm_gpu *fake_sys_add_drm(struct fake_sys *f, const char *driver, uint32_t gpu_id,
				      uint64_t core_mask);
/* The CPUs of fake_machines, and who may count there (fake_perf_init). Its files are the test's to
 * write: fake_perf_tree, into `root`. */
struct fake_perf *fake_sys_add_perf(struct fake_sys *f, const char *machine);
void fake_sys_run(struct fake_sys *f, int64_t ns);   /* time passes */
void fake_sys_sleep(struct fake_sys *f, int64_t ns); /* the machine is suspended so long */
/* Nothing is open, mapped or broken; else a text that says what is. */
const char *fake_sys_leaks(struct fake_sys *f);

#endif
