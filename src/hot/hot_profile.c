#include "hot/hot_profile.h"

#include "base/alloc.h"

#include <stddef.h>
#include <stdlib.h>

enum { TEXTS, FUNCTIONS, THREADS, NODES, HITS };
_Static_assert(HITS + 1 == HOT_INDICES, "an index for each list");

/* The first bytes of an item identify it: whole words without padding. Texts are there
 * once, so those of an item are distinguished by their addresses. */
#define WORD sizeof(uint64_t)
static const struct {
	size_t size, key;
} kinds[HOT_INDICES] = {
	[FUNCTIONS] = {sizeof(struct hot_function), offsetof(struct hot_function, size)},
	[THREADS] = {sizeof(struct hot_thread), sizeof(struct hot_thread)},
	[NODES] = {sizeof(struct hot_node), sizeof(struct hot_node)},
	[HITS] = {sizeof(struct hot_hit), offsetof(struct hot_hit, count)},
	[TEXTS] = {.size = sizeof(char *)},
};
_Static_assert(offsetof(struct hot_function, size) % WORD == 0 && sizeof(struct hot_thread) % WORD == 0,
	       "no padding");

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
	for (struct hot_index *index = p->indices; index < p->indices + HOT_INDICES; index++) {
		if (index->n)
			memset(index->slots, 0, index->size * sizeof(*index->slots));
		index->n = 0;
	}
}

void hot_profile_fini(struct hot_profile *p)
{
	free_texts(p);
	for (unsigned i = 0; i < HOT_INDICES; i++)
		free(p->indices[i].slots);
	free(p->functions);
	free(p->threads);
	free(p->nodes);
	free(p->hits);
	free(p->texts);
	*p = (struct hot_profile){0};
}

static const char *text_at(const void *item)
{
	return *(const char *const *)item;
}

static uint64_t hash_of(unsigned kind, const char *item)
{
	uint64_t hash = 0, word;

	if (kind == TEXTS)
		return span_hash(span_of(text_at(item)));
	for (size_t at = 0; at < kinds[kind].key; at += WORD) {
		memcpy(&word, item + at, WORD);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

static bool are_same(unsigned kind, const char *a, const char *b)
{
	return kind == TEXTS ? strcmp(text_at(a), text_at(b)) == 0 : memcmp(a, b, kinds[kind].key) == 0;
}

/* Where item i is in the index, or would be. */
static uint32_t *find_slot(const struct hot_index *index, unsigned kind, const char *items, unsigned i)
{
	const size_t size = kinds[kind].size;
	unsigned at = (unsigned)hash_of(kind, items + i * size) & (index->size - 1);

	while (index->slots[at] && !are_same(kind, items + (index->slots[at] - 1) * size, items + i * size))
		at = (at + 1) & (index->size - 1);
	return &index->slots[at];
}

/* The last item of a list, which has n before it, is a candidate: return whether it is new, and the
 * index of one like it. */
static bool is_new(struct hot_profile *p, unsigned kind, const void *items, unsigned n, unsigned *found)
{
	struct hot_index *index = &p->indices[kind];
	uint32_t *slot;

	if (2 * index->n >= index->size) {
		index->size = index->size ? 2 * index->size : 64;
		free(index->slots);
		index->slots = xcalloc(index->size, sizeof(*index->slots));
		for (unsigned i = 0; i < index->n; i++)
			*find_slot(index, kind, items, i) = i + 1;
	}
	slot = find_slot(index, kind, items, n);
	*found = *slot ? *slot - 1 : n;
	if (*slot)
		return false;
	*slot = n + 1;
	index->n++;
	return true;
}

unsigned hot_profile_text(struct hot_profile *p, const char *text)
{
	unsigned found;

	GROW(p->texts, p->n_texts, p->cap_texts);
	p->texts[p->n_texts] = (char *)(uintptr_t)text;
	if (is_new(p, TEXTS, p->texts, p->n_texts, &found))
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
	p->n_functions += is_new(p, FUNCTIONS, p->functions, p->n_functions, &found);
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
	p->n_threads += is_new(p, THREADS, p->threads, p->n_threads, &found);
	return found;
}

unsigned hot_profile_node(struct hot_profile *p, const struct hot_node *node)
{
	unsigned found;

	GROW(p->nodes, p->n_nodes, p->cap_nodes);
	p->nodes[p->n_nodes] = *node;
	p->n_nodes += is_new(p, NODES, p->nodes, p->n_nodes, &found);
	return found;
}

unsigned hot_profile_hit(struct hot_profile *p, const struct hot_hit *hit)
{
	unsigned found;

	GROW(p->hits, p->n_hits, p->cap_hits);
	p->hits[p->n_hits] = *hit;
	p->count += hit->count;
	p->weight += hit->weight;
	if (is_new(p, HITS, p->hits, p->n_hits, &found)) {
		p->n_hits++;
	} else {
		p->hits[found].count += hit->count;
		p->hits[found].weight += hit->weight;
	}
	return found;
}
