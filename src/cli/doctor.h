/* doctor: what was found on this machine, what is missing, and the one thing that would help.
 *
 * Each area adds findings; one walk prints them, for people or as JSON lines.
 */
#ifndef MALITOP_DOCTOR_H
#define MALITOP_DOCTOR_H

#include "options/options.h"
#include "base/sys.h"
#include "model/gpudb.h"

/* Prints what it found. EXIT_DONE when a real GPU was measured, else EXIT_FAILED, without an error text. */
enum exit_status doctor_run(const struct sys *sys, const struct options *options, struct strbuf *out, struct err *err);

/* ---- for the areas ---- */

enum doctor_area { DOCTOR_GPU, DOCTOR_PERF, DOCTOR_PROC, DOCTOR_TERMINAL, DOCTOR_AREAS };

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,        /* a fact, neither good nor bad */
	DOCTOR_LIMITED,     /* works in part */
	DOCTOR_REFUSED,     /* is there, but not for us */
	DOCTOR_MISSING,     /* is not there */
	DOCTOR_UNSUPPORTED, /* is there, but malitop cannot use it */
	DOCTOR_STATES
};

struct doctor_finding {
	enum doctor_area area;
	enum doctor_state state;
	char thing[64];  /* "/dev/mali0"; printable, as all of it */
	char words[512]; /* what was found */
	char help[384];  /* what to do; "" for nothing */
};

struct doctor {
	const struct sys *sys;
	const struct options *options;
	const struct gpudb *db;
	struct doctor_finding *findings;
	unsigned n, cap;
	bool gpu_works;
};

/* help may be NULL; "{}" in it stands for the thing. All of it is made printable. */
void doctor_add(struct doctor *d, enum doctor_area area, enum doctor_state state, const char *thing, const char *help,
		const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The state that an errno stands for. */
enum doctor_state doctor_state_of(int code);
/* A line of a small file, printable; false if it cannot be read (errno). */
bool doctor_read(const struct doctor *d, const char *path, char *text, size_t size);

void doctor_gpu(struct doctor *d);    /* devices, drivers, and a sample of each */
void doctor_driver(struct doctor *d); /* what the kernel has of drivers, where no GPU could be measured */
void doctor_perf(struct doctor *d);
void doctor_proc(struct doctor *d);
void doctor_terminal(struct doctor *d);

struct backend;
/* Open every device of a backend and measure once. */
void doctor_backend(struct doctor *d, enum doctor_area area, const struct backend *backend);

#endif
