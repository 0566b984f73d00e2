/* tracepoint: events of the kernel's trace points through perf_event_open, on all CPUs: counted, or
 * one by one with their fields. Nothing is switched on in tracefs, so other tracers are not
 * disturbed.
 *
 * tracefs lists the number of an event and the places of its fields; usually only root may read it.
 * When CPUs come or go, all events are opened again; what happens meanwhile is not seen.
 *
 * Thread: one at a time for a struct.
 */
#ifndef MALITOP_TRACEPOINT_H
#define MALITOP_TRACEPOINT_H

#include "backends/cpu/cpus.h"
#include "base/str.h"

struct tracepoint {
	const struct sys *sys;
	uint64_t id;   /* of the kernel's event; 0: not found */
	char dir[128]; /* of its files */
};

struct tracepoint_field {
	unsigned at, size; /* bytes; 4 or 8 of them */
};

/* Find an event by name ("drm/drm_vblank_event_delivered"). ENOENT: the kernel has none, or tracefs
 * is not mounted; EACCES: it may not be read. */
bool tracepoint_find(struct tracepoint *t, const struct sys *sys, const char *name, struct err *err);
/* Find a field of 4 or 8 bytes. Returns false if the event has none of that name. */
bool tracepoint_field(const struct tracepoint *t, const char *name, struct tracepoint_field *field);
/* "sudo ..." for the errno of a call here; NULL: nothing helps. */
const char *tracepoint_help(int code);

/* The events of each CPU. */
struct tracepoint_cpus {
	struct tracepoint of;
	char filter[32];        /* "crtc == 1"; "": all events */
	bool one_by_one;        /* else counted */
	struct cpu_set online;  /* the CPUs at the last look */
	struct tracepoint_cpu { /* those that are open */
		int fd;
		void *ring; /* of one_by_one */
	} * cpus;
	unsigned n, cap;
	uint64_t counted; /* by events that are closed */
	uint64_t lost;    /* events that found no room in their ring */
};

/* Open the event on all CPUs. EACCES: it may not be counted; EINVAL: the kernel does not know the
 * filter. tracepoint_close also after a failure. */
bool tracepoint_open(struct tracepoint_cpus *cpus, const struct tracepoint *t, const char *filter,
		     bool one_by_one, struct err *err);
void tracepoint_close(struct tracepoint_cpus *cpus);
/* How many there were since tracepoint_open; UINT64_MAX: a CPU's cannot be read. Allocates only
 * when there are more CPUs than ever before. */
uint64_t tracepoint_count(struct tracepoint_cpus *cpus);
/* Hand over the events since the last call. The bytes of one are as long as `take` runs. */
typedef void tracepoint_take_fn(void *ctx, const unsigned char *bytes, size_t n);
void tracepoint_drain(struct tracepoint_cpus *cpus, tracepoint_take_fn *take, void *ctx);
/* A field of an event's bytes; 0 if they end before it. */
uint64_t tracepoint_value(const struct tracepoint_field *field, const unsigned char *bytes, size_t n);

#endif
