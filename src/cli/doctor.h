/* doctor: report what was found on this machine, what is missing, and what would help.
 *
 * Each area adds findings, which are printed at the end as text or JSON lines.
 */
#ifndef MALITOP_DOCTOR_H
#define MALITOP_DOCTOR_H

#include "options/options.h"
#include "base/sys.h"
#include "model/gpudb.h"

/* Append the report to *out. Returns EXIT_DONE if a real GPU was measured, else EXIT_FAILED with an
 * empty message. */
enum exit_status doctor_run(const struct sys *sys, const struct options *options, struct strbuf *out,
			    struct err *err);

/* ---- for the areas ---- */

enum doctor_area { DOCTOR_GPU, DOCTOR_PERF, DOCTOR_PROC, DOCTOR_TERMINAL, DOCTOR_AREAS };

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,        /* a fact, neither good nor bad */
	DOCTOR_LIMITED,     /* works in part */
	DOCTOR_REFUSED,     /* exists, but access is not permitted */
	DOCTOR_MISSING,     /* does not exist */
	DOCTOR_UNSUPPORTED, /* exists, but malitop cannot use it */
	DOCTOR_STATES
};

struct doctor_finding {
	enum doctor_area area;
	enum doctor_state state;
	/* all printable */
	char thing[64];  /* "/dev/mali0" */
	char words[512]; /* what was found */
	char help[384];  /* what to do; "" if nothing */
};

struct doctor {
	const struct sys *sys;
	const struct options *options;
	const struct gpudb *db;
	struct doctor_finding *findings;
	unsigned n, cap;
	bool gpu_works;
};

/* help may be NULL; "{}" in it is replaced by the thing. Texts may be untrusted: they are made
 * printable. */
void doctor_add(struct doctor *d, enum doctor_area area, enum doctor_state state, const char *thing,
		const char *help, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The state for an errno. */
enum doctor_state doctor_state_of(int code);
void doctor_gpu(struct doctor *d); /* devices, their drivers, and a sample of each */

struct backend;
/* Open each device of a backend and take one sample. */
void doctor_backend(struct doctor *d, enum doctor_area area, const struct backend *backend);

#endif
