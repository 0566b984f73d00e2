/* hot_profile: where samples of running code fell: functions, the calls between them, threads.
 *
 * A profile is filled on the machine that is measured, sample by sample, and written as words
 * after the values of a sample of the source (hot_words.h). Views and exports fill another one from
 * these words. Everything that is shown is computed from its four lists (hot_table.h). Names
 * are in it, so that it means the same anywhere.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_HOT_PROFILE_H
#define MALITOP_HOT_PROFILE_H

#include "base/str.h"

#define HOT_NAME_TEXT 160 /* bytes of a name that are kept, with its end */

struct hot_function {
	const char *name, *module; /* name "": unknown; of hot_profile.texts */
	uint64_t start, size;      /* in its file; size 0: unknown */
};

struct hot_thread {
	uint32_t pid, tid;
	const char *name, *process;
};

/* A function that was called along one path. Without call chains all are roots. */
struct hot_node {
	uint32_t parent;   /* index + 1; 0: none */
	uint32_t function; /* index */
};

/* What fell at one address of a thread, on one path. */
struct hot_hit {
	uint32_t thread, node;
	uint64_t offset; /* from the start of the function */
	uint64_t count;  /* samples */
	uint64_t weight; /* events that they stand for */
};

/* Finds an item of a list by its content: open hashing. */
struct hot_index {
	uint32_t *slots; /* indices + 1; 0 is free */
	unsigned size, n;
};
#define HOT_INDICES 5

struct hot_profile {
	struct hot_function *functions;
	struct hot_thread *threads;
	struct hot_node *nodes;
	struct hot_hit *hits;
	char **texts;
	unsigned n_functions, n_threads, n_nodes, n_hits, n_texts;
	unsigned cap_functions, cap_threads, cap_nodes, cap_hits, cap_texts;
	uint64_t count, weight; /* of all hits */
	struct hot_index indices[HOT_INDICES];
};

/* Zero-initialise a profile. `clear` keeps memory, `fini` frees it. */
void hot_profile_clear(struct hot_profile *p);
void hot_profile_fini(struct hot_profile *p);

/* Find an item, or add it. Returns its index. Texts are copied; of a hit the counts are added. */
unsigned hot_profile_text(struct hot_profile *p, const char *text);
unsigned hot_profile_function(struct hot_profile *p, const struct hot_function *function);
unsigned hot_profile_thread(struct hot_profile *p, const struct hot_thread *thread);
unsigned hot_profile_node(struct hot_profile *p, const struct hot_node *node);
unsigned hot_profile_hit(struct hot_profile *p, const struct hot_hit *hit);

#endif
