#include "hot/hot_profile.h"

#include "base/alloc.h"

#include <stdlib.h>

/* Open hashing by content: `slots` has indices + 1, 0 is free. */
struct hot_index {
	uint32_t *slots;
	unsigned size, n;
};

enum { INDEX_TEXTS, INDEX_FUNCTIONS, INDEX_THREADS, INDEX_NODES, INDEX_HITS, INDICES };

static void free_texts(struct hot_profile *p)
{
	for (unsigned i = 0; i < p->n_texts; i++)
		free(p->texts[i]);
	p->n_texts = 0;
}

void hot_profile_clear(struct hot_profile *p)
{
	free_texts(p);
	p->n_functions = p->n_threads = p->n_nodes = p->n_hits = 0;
	p->count = p->weight = 0;
	for (unsigned i = 0; p->indices && i < INDICES; i++) {
		struct hot_index *index = &p->indices[i];

		if (index->n)
			memset(index->slots, 0, index->size * sizeof(*index->slots));
		index->n = 0;
	}
}

void hot_profile_fini(struct hot_profile *p)
{
	free_texts(p);
	for (unsigned i = 0; p->indices && i < INDICES; i++)
		free(p->indices[i].slots);
	free(p->indices);
	free(p->functions);
	free(p->threads);
	free(p->nodes);
	free(p->hits);
	free(p->texts);
	*p = (struct hot_profile){0};
}

static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* ---- the content of items ---- */

static uint64_t hash_function(const struct hot_function *f)
{
	/* Texts are there once: their addresses tell them apart. */
	return mix_hash(mix_hash(f->start, (uintptr_t)f->name), (uintptr_t)f->module);
}

static uint64_t hash_thread(const struct hot_thread *t)
{
	return mix_hash(mix_hash(t->pid, t->tid), (uintptr_t)t->name);
}

static uint64_t hash_hit(const struct hot_hit *h)
{
	return mix_hash(mix_hash(h->thread, h->node), h->offset);
}

static uint64_t hash_of(const struct hot_profile *p, unsigned kind, unsigned i)
{
	switch (kind) {
	case INDEX_TEXTS:
		return span_hash(span_of(p->texts[i]));
	case INDEX_FUNCTIONS:
		return hash_function(&p->functions[i]);
	case INDEX_THREADS:
		return hash_thread(&p->threads[i]);
	case INDEX_NODES:
		return mix_hash(p->nodes[i].parent, p->nodes[i].function);
	default:
		return hash_hit(&p->hits[i]);
	}
}

static bool same_function(const struct hot_function *f, const struct hot_function *g)
{
	return f->start == g->start && f->name == g->name && f->module == g->module;
}

static bool same_thread(const struct hot_thread *t, const struct hot_thread *u)
{
	return t->pid == u->pid && t->tid == u->tid && t->name == u->name && t->process == u->process;
}

static bool same_hit(const struct hot_hit *h, const struct hot_hit *k)
{
	return h->thread == k->thread && h->node == k->node && h->offset == k->offset;
}

static bool are_same(const struct hot_profile *p, unsigned kind, unsigned i, unsigned j)
{
	switch (kind) {
	case INDEX_TEXTS:
		return strcmp(p->texts[i], p->texts[j]) == 0;
	case INDEX_FUNCTIONS:
		return same_function(&p->functions[i], &p->functions[j]);
	case INDEX_THREADS:
		return same_thread(&p->threads[i], &p->threads[j]);
	case INDEX_NODES:
		return p->nodes[i].parent == p->nodes[j].parent &&
		       p->nodes[i].function == p->nodes[j].function;
	default:
		return same_hit(&p->hits[i], &p->hits[j]);
	}
}

/* Where the item is in the index, or would be. */
static uint32_t *find_slot(const struct hot_profile *p, unsigned kind, unsigned i)
{
	const struct hot_index *index = &p->indices[kind];
	unsigned at = (unsigned)hash_of(p, kind, i) & (index->size - 1);

	while (index->slots[at] && !are_same(p, kind, index->slots[at] - 1, i))
		at = (at + 1) & (index->size - 1);
	return &index->slots[at];
}

static void grow_index(struct hot_profile *p, unsigned kind)
{
	struct hot_index *index = &p->indices[kind];

	if (2 * index->n < index->size)
		return;
	index->size = index->size ? 2 * index->size : 64;
	free(index->slots);
	index->slots = xcalloc(index->size, sizeof(*index->slots));
	for (unsigned i = 0; i < index->n; i++)
		*find_slot(p, kind, i) = i + 1;
}

/* The last item of a list, which has n before it, is a candidate: return the index of one like it,
 * and whether it is new. */
static bool is_new(struct hot_profile *p, unsigned kind, unsigned n, unsigned *found)
{
	uint32_t *slot;

	if (!p->indices)
		p->indices = xcalloc(INDICES, sizeof(*p->indices));
	grow_index(p, kind);
	slot = find_slot(p, kind, n);
	if (!*slot) {
		*slot = n + 1;
		p->indices[kind].n++;
		*found = n;
		return true;
	}
	*found = *slot - 1;
	return false;
}

unsigned hot_profile_text(struct hot_profile *p, const char *text)
{
	unsigned found;

	GROW(p->texts, p->n_texts, p->cap_texts);
	p->texts[p->n_texts] = (char *)(uintptr_t)text;
	if (is_new(p, INDEX_TEXTS, p->n_texts, &found))
		p->texts[p->n_texts++] = xstrdup(text);
	return found;
}

static const char *keep_text(struct hot_profile *p, const char *text)
{
	unsigned i = hot_profile_text(p, text); /* it may move the list */

	return p->texts[i];
}

unsigned hot_profile_function(struct hot_profile *p, const struct hot_function *function)
{
	struct hot_function one = *function;
	unsigned found;

	one.name = keep_text(p, function->name);
	one.module = keep_text(p, function->module);
	GROW(p->functions, p->n_functions, p->cap_functions);
	p->functions[p->n_functions] = one;
	p->n_functions += is_new(p, INDEX_FUNCTIONS, p->n_functions, &found);
	return found;
}

unsigned hot_profile_thread(struct hot_profile *p, const struct hot_thread *thread)
{
	struct hot_thread one = *thread;
	unsigned found;

	one.name = keep_text(p, thread->name);
	one.process = keep_text(p, thread->process);
	GROW(p->threads, p->n_threads, p->cap_threads);
	p->threads[p->n_threads] = one;
	p->n_threads += is_new(p, INDEX_THREADS, p->n_threads, &found);
	return found;
}

unsigned hot_profile_node(struct hot_profile *p, const struct hot_node *node)
{
	unsigned found;

	GROW(p->nodes, p->n_nodes, p->cap_nodes);
	p->nodes[p->n_nodes] = *node;
	p->n_nodes += is_new(p, INDEX_NODES, p->n_nodes, &found);
	return found;
}

unsigned hot_profile_hit(struct hot_profile *p, const struct hot_hit *hit)
{
	unsigned found;

	GROW(p->hits, p->n_hits, p->cap_hits);
	p->hits[p->n_hits] = *hit;
	p->count += hit->count;
	p->weight += hit->weight;
	if (is_new(p, INDEX_HITS, p->n_hits, &found)) {
		p->n_hits++;
	} else {
		p->hits[found].count += hit->count;
		p->hits[found].weight += hit->weight;
	}
	return found;
}
