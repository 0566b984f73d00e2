/* hot_maps: what is mapped where in each process, and the function at an address in it.
 *
 * The kernel's events keep it right: they are applied in the order of their times, between the
 * samples, so that a sample is looked up in the maps of its moment. A process that was there before
 * is read from /proc when the first sample of it comes. Files are read when the first sample falls
 * into them, and kept.
 *
 * Thread: one, which no other thread waits for: files may take long.
 */
#ifndef MALITOP_HOT_MAPS_H
#define MALITOP_HOT_MAPS_H

#include "hot/hot_symbols.h"

#include <limits.h>
#include <sys/types.h>

#define HOT_NAME 24      /* of a thread */
#define HOT_FUNCTION 160 /* of a function or a module */

struct hot_maps;

/* A mapping of code, as the kernel reports it. */
struct hot_mapping {
	uint64_t start, size, offset;
	uint64_t inode;
	uint32_t major, minor;
	const char *path; /* "//anon", "[vdso]", "/usr/lib/libc.so.6" */
};

/* Where an address is. Texts stay valid until the next call. */
struct hot_place {
	const char *module;   /* "libc.so.6", "[kernel]", "[jit]", "[unknown]" */
	const char *function; /* ""; unknown */
	uint64_t start, size; /* of the function, in the file; of code without a name; size 0: unknown */
	uint64_t address;     /* in the file, or in memory where there is none */
};

struct hot_maps *hot_maps_new(const struct sys *sys);
void hot_maps_free(struct hot_maps *m); /* NULL is fine */

void hot_maps_map(struct hot_maps *m, pid_t pid, const struct hot_mapping *mapping);
/* The program is another one from here on: nothing is mapped. */
void hot_maps_exec(struct hot_maps *m, pid_t pid);
void hot_maps_name(struct hot_maps *m, pid_t pid, pid_t tid, const char *name);
void hot_maps_fork(struct hot_maps *m, pid_t pid, pid_t tid, pid_t parent);
void hot_maps_exit(struct hot_maps *m, pid_t pid, pid_t tid);

/* Before the samples up to now: files that grow are looked at again, when one falls into them. */
void hot_maps_look(struct hot_maps *m);
void hot_maps_find(struct hot_maps *m, pid_t pid, uint64_t address, int64_t time_ns, bool kernel,
		   struct hot_place *place);
/* How many files and names were given up so far, because reading them would take too much. */
uint64_t hot_maps_given_up(const struct hot_maps *m);
/* The name of a thread, of its process for tid == pid. "" if unknown. Valid until the next call. */
const char *hot_maps_thread(struct hot_maps *m, pid_t pid, pid_t tid);

#endif
