/* hot_table: the functions of a profile, the hottest first, and what is around one of them.
 *
 * A share is of the weight in scope; its 95 % confidence follows from the number of samples.
 */
#ifndef MALITOP_HOT_TABLE_H
#define MALITOP_HOT_TABLE_H

#include "hot/hot_profile.h"

/* Which hits count: those of this process or thread, 0: of all. */
struct hot_scope {
	uint32_t pid, tid;
};

bool hot_in_scope(const struct hot_profile *p, const struct hot_scope *scope, const struct hot_hit *hit);

struct hot_row {
	uint32_t function; /* index in the profile */
	uint64_t count, weight, total_weight;
	double self, total; /* shares of 1; total NaN without call chains */
	double plus_minus;  /* of self */
	uint32_t thread;    /* the one with the most of it */
	unsigned n_threads; /* that ran it */
};

struct hot_table {
	struct hot_row *rows; /* by self, then total */
	unsigned n;
	uint64_t count, weight; /* in scope */
	unsigned n_threads, n_modules;
	bool has_calls;
};

/* Few samples: the share is an estimate. */
#define HOT_FEW 10

void hot_table_make(struct hot_table *t, const struct hot_profile *p, const struct hot_scope *scope);
void hot_table_fini(struct hot_table *t);

/* A row of what is around a function: its callers, what it calls, or its addresses. */
struct hot_part {
	uint32_t function; /* index; UINT32_MAX: itself, or nothing */
	uint64_t offset;
	uint64_t count, weight;
};
struct hot_around {
	struct hot_part *callers, *calls, *addresses; /* the heaviest first */
	unsigned n_callers, n_calls, n_addresses;
	uint64_t weight, total_weight;
};
void hot_around_make(struct hot_around *a, const struct hot_profile *p, const struct hot_scope *scope,
		     uint32_t function);
void hot_around_fini(struct hot_around *a);

/* The name for people: "Physics::step", "depmod +0x1b270" where only its start is known,
 * "[unknown]" where nothing is. */
void hot_function_text(const struct hot_function *function, char *text, size_t size);

/* "process;thread;main;step COUNT", the root first: a line per stack and thread. */
void hot_fold_stacks(const struct hot_profile *p, const struct hot_scope *scope, struct strbuf *out);

#endif
