#include "hot/hot_table.h"

#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DEEPEST 512 /* of a path; the kernel reports up to 127 frames */

bool hot_in_scope(const struct hot_profile *p, const struct hot_scope *scope, const struct hot_hit *hit)
{
	const struct hot_thread *t = &p->threads[hit->thread];

	return (!scope->pid || t->pid == scope->pid) && (!scope->tid || t->tid == scope->tid);
}

/* ---- the table ---- */

static int compare_rows(const void *a, const void *b)
{
	const struct hot_row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->total_weight != y->total_weight)
		return x->total_weight > y->total_weight ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

/* Add a hit to each function on its path, to a recursive one once. */
static void add_total(struct hot_table *t, const struct hot_profile *p, const struct hot_hit *hit,
		      uint32_t *stamp, uint32_t mark)
{
	uint32_t node = hit->node + 1;

	for (unsigned depth = 0; node && depth < DEEPEST; depth++) {
		uint32_t function = p->nodes[node - 1].function;

		if (stamp[function] != mark)
			t->rows[function].total_weight += hit->weight;
		stamp[function] = mark;
		node = p->nodes[node - 1].parent;
		t->has_calls |= node != 0;
	}
}

/* The threads of each function: hits sorted by function and thread. */
struct pair {
	uint32_t function, thread;
	uint64_t weight;
};

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static void count_threads(struct hot_table *t, struct pair *pairs, unsigned n)
{
	uint64_t most = 0;

	if (n)
		qsort(pairs, n, sizeof(*pairs), compare_pairs);
	for (unsigned i = 0, step; i < n; i += step) {
		struct hot_row *row = &t->rows[pairs[i].function];
		uint64_t weight = 0;

		for (step = 0; i + step < n && compare_pairs(&pairs[i], &pairs[i + step]) == 0; step++)
			weight += pairs[i + step].weight;
		if (!row->n_threads++ || weight > most) {
			row->thread = pairs[i].thread;
			most = weight;
		}
	}
}

static void count_modules(struct hot_table *t, const struct hot_profile *p)
{
	AUTOFREE const char **seen = xcalloc(t->n + 1, sizeof(*seen));

	for (unsigned i = 0; i < t->n; i++) {
		unsigned k = 0;

		while (k < t->n_modules && seen[k] != p->functions[t->rows[i].function].module)
			k++;
		seen[k] = p->functions[t->rows[i].function].module;
		t->n_modules += k == t->n_modules;
	}
}

void hot_table_make(struct hot_table *t, const struct hot_profile *p, const struct hot_scope *scope)
{
	AUTOFREE uint32_t *stamp = xcalloc(p->n_functions + 1, sizeof(*stamp));
	AUTOFREE struct pair *pairs = xcalloc(p->n_hits + 1, sizeof(*pairs));
	AUTOFREE bool *runs = xcalloc(p->n_threads + 1, sizeof(*runs));
	unsigned n_pairs = 0, n = 0;

	*t = (struct hot_table){.rows = xcalloc(p->n_functions + 1, sizeof(*t->rows))};
	for (unsigned i = 0; i < p->n_hits; i++) {
		const struct hot_hit *hit = &p->hits[i];
		uint32_t function = p->nodes[hit->node].function;

		if (!hit->count || !hot_in_scope(p, scope, hit))
			continue;
		t->rows[function].count += hit->count;
		t->rows[function].weight += hit->weight;
		t->count += hit->count;
		t->weight += hit->weight;
		t->n_threads += !runs[hit->thread];
		runs[hit->thread] = true;
		pairs[n_pairs++] = (struct pair){function, hit->thread, hit->weight};
		add_total(t, p, hit, stamp, i + 1);
	}
	count_threads(t, pairs, n_pairs);
	for (unsigned i = 0; i < p->n_functions; i++) {
		struct hot_row *row = &t->rows[i];

		if (!row->total_weight && !row->count)
			continue;
		row->function = i;
		row->self = (double)row->weight / (double)t->weight;
		row->total = t->has_calls ? (double)row->total_weight / (double)t->weight : (double)NAN;
		/* 1.96 standard errors of a share of n samples */
		row->plus_minus = 1.96 * real_root(row->self * (1 - row->self) / (double)t->count);
		t->rows[n++] = *row;
	}
	t->n = n;
	if (n)
		qsort(t->rows, n, sizeof(*t->rows), compare_rows);
	count_modules(t, p);
}

void hot_table_fini(struct hot_table *t)
{
	free(t->rows);
	*t = (struct hot_table){0};
}

/* ---- around a function ---- */

static int compare_keys(const void *a, const void *b)
{
	const struct hot_part *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int compare_parts(const void *a, const void *b)
{
	const struct hot_part *x = a, *y = b;

	return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : compare_keys(a, b);
}

/* Add up parts of the same kind, and put the heaviest first. Returns how many remain. */
static unsigned merge_parts(struct hot_part *parts, unsigned n)
{
	unsigned kept = 0;

	if (n)
		qsort(parts, n, sizeof(*parts), compare_keys);
	for (unsigned i = 0; i < n; i++) {
		if (kept && compare_keys(&parts[kept - 1], &parts[i]) == 0) {
			parts[kept - 1].count += parts[i].count;
			parts[kept - 1].weight += parts[i].weight;
		} else {
			parts[kept++] = parts[i];
		}
	}
	if (kept)
		qsort(parts, kept, sizeof(*parts), compare_parts);
	return kept;
}

/* The innermost call of the function on the path of a hit: its caller, and what it called. */
static bool find_call(const struct hot_profile *p, const struct hot_hit *hit, uint32_t function,
		      uint32_t *caller, uint32_t *called)
{
	uint32_t node = hit->node + 1;

	*called = UINT32_MAX;
	for (unsigned depth = 0; node && depth < DEEPEST; depth++) {
		const struct hot_node *at = &p->nodes[node - 1];

		if (at->function == function) {
			*caller = at->parent ? p->nodes[at->parent - 1].function : UINT32_MAX;
			return true;
		}
		*called = at->function;
		node = at->parent;
	}
	return false;
}

void hot_around_make(struct hot_around *a, const struct hot_profile *p, const struct hot_scope *scope,
		     uint32_t function)
{
	*a = (struct hot_around){.callers = xcalloc(p->n_hits + 1, sizeof(*a->callers)),
				 .calls = xcalloc(p->n_hits + 1, sizeof(*a->calls)),
				 .addresses = xcalloc(p->n_hits + 1, sizeof(*a->addresses))};
	for (unsigned i = 0; i < p->n_hits; i++) {
		const struct hot_hit *hit = &p->hits[i];
		struct hot_part part = {.count = hit->count, .weight = hit->weight};
		uint32_t caller, called;

		if (!hit->count || !hot_in_scope(p, scope, hit) ||
		    !find_call(p, hit, function, &caller, &called))
			continue;
		a->total_weight += hit->weight;
		part.function = caller;
		if (caller != UINT32_MAX)
			a->callers[a->n_callers++] = part;
		part.function = called;
		a->calls[a->n_calls++] = part;
		if (called != UINT32_MAX)
			continue;
		a->weight += hit->weight;
		part.offset = hit->offset;
		a->addresses[a->n_addresses++] = part;
	}
	a->n_callers = merge_parts(a->callers, a->n_callers);
	a->n_calls = merge_parts(a->calls, a->n_calls);
	a->n_addresses = merge_parts(a->addresses, a->n_addresses);
}

void hot_around_fini(struct hot_around *a)
{
	free(a->callers);
	free(a->calls);
	free(a->addresses);
	*a = (struct hot_around){0};
}

/* ---- texts ---- */

void hot_function_text(const struct hot_function *function, char *text, size_t size)
{
	if (function->name[0])
		snprintf(text, size, "%s", function->name);
	else if (function->start || function->size)
		snprintf(text, size, "%s +0x%llx", function->module, (unsigned long long)function->start);
	else
		snprintf(text, size, "[unknown]");
}

/* A name as a part of a line: ';' separates, and a blank precedes the count. */
static void put_frame(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		strbuf_add(out, *text == ';' ? ":" : text, 1);
}

void hot_fold_stacks(const struct hot_profile *p, const struct hot_scope *scope, struct strbuf *out)
{
	AUTOFREE struct pair *pairs = xcalloc(p->n_hits + 1, sizeof(*pairs));
	uint32_t path[DEEPEST];
	char text[HOT_NAME_TEXT];
	unsigned n = 0;

	for (unsigned i = 0; i < p->n_hits; i++)
		if (hot_in_scope(p, scope, &p->hits[i]))
			pairs[n++] = (struct pair){p->hits[i].node, p->hits[i].thread, p->hits[i].count};
	if (n)
		qsort(pairs, n, sizeof(*pairs), compare_pairs);
	for (unsigned i = 0, step; i < n; i += step) {
		const struct hot_thread *t = &p->threads[pairs[i].thread];
		uint64_t count = 0;
		unsigned depth = 0;

		for (step = 0; i + step < n && compare_pairs(&pairs[i], &pairs[i + step]) == 0; step++)
			count += pairs[i + step].weight;
		if (!count)
			continue;
		for (uint32_t node = pairs[i].function + 1; node && depth < DEEPEST;
		     node = p->nodes[node - 1].parent)
			path[depth++] = p->nodes[node - 1].function;
		put_frame(out, t->process[0] ? t->process : t->name);
		if (t->pid != t->tid) {
			strbuf_str(out, ";");
			put_frame(out, t->name);
		}
		while (depth--) {
			const struct hot_function *f = &p->functions[path[depth]];

			hot_function_text(f, text, sizeof(text));
			strbuf_str(out, ";");
			put_frame(out, text);
			if (!f->name[0] && !f->start && !f->size)
				strbuf_printf(out, " (%s)", f->module);
		}
		strbuf_printf(out, " %llu\n", (unsigned long long)count);
	}
}
