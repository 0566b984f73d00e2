#include "layer/map.h"

#include <stdlib.h>

struct map_node {
	struct map_node *next;
	uint64_t key, value;
};

static uint64_t hash_of(uint64_t key)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccdull;
	return key ^ key >> 33;
}

static struct map_stripe *lock_stripe(struct map *map, uint64_t hash)
{
	struct map_stripe *s = &map->stripe[hash % MAP_STRIPES];

	pthread_mutex_lock(&s->lock);
	return s;
}

/* The link that points to the key's node, or to the end of its chain. */
static struct map_node **find_link(struct map_stripe *s, uint64_t hash, uint64_t key)
{
	struct map_node **link = &s->heads[hash / MAP_STRIPES & (s->n_heads - 1)];

	while (*link && (*link)->key != key)
		link = &(*link)->next;
	return link;
}

void map_init(struct map *map)
{
	for (unsigned i = 0; i < MAP_STRIPES; i++) {
		map->stripe[i] = (struct map_stripe){.n = 0};
		pthread_mutex_init(&map->stripe[i].lock, NULL);
	}
}

static void free_chain(struct map_node *node)
{
	while (node) {
		struct map_node *next = node->next;

		free(node);
		node = next;
	}
}

void map_fini(struct map *map)
{
	for (unsigned i = 0; i < MAP_STRIPES; i++) {
		struct map_stripe *s = &map->stripe[i];

		for (unsigned h = 0; h < s->n_heads; h++)
			free_chain(s->heads[h]);
		free_chain(s->spare);
		free(s->heads);
		pthread_mutex_destroy(&s->lock);
	}
}

void map_release(struct map *map)
{
	for (unsigned i = 0; i < MAP_STRIPES; i++)
		pthread_mutex_init(&map->stripe[i].lock, NULL);
}

static bool grow_stripe(struct map_stripe *s)
{
	unsigned n_heads = s->n_heads ? s->n_heads * 2 : 16, n_old = s->n_heads;
	struct map_node **old = s->heads, **heads = calloc(n_heads, sizeof(struct map_node *));

	if (!heads)
		return n_old > 0; /* longer chains will do */
	s->heads = heads;
	s->n_heads = n_heads;
	for (unsigned h = 0; h < n_old; h++)
		while (old[h]) {
			struct map_node *node = old[h], **link;

			old[h] = node->next;
			link = find_link(s, hash_of(node->key), node->key);
			node->next = NULL;
			*link = node;
		}
	free(old);
	return true;
}

static bool put_node(struct map_stripe *s, uint64_t hash, uint64_t key, uint64_t value)
{
	struct map_node **link, *node;

	if (s->n >= s->n_heads && !grow_stripe(s))
		return false;
	link = find_link(s, hash, key);
	node = *link;
	if (!node) {
		node = s->spare;
		if (node)
			s->spare = node->next;
		else if (!(node = malloc(sizeof(*node))))
			return false;
		node->key = key;
		node->next = NULL;
		*link = node;
		s->n++;
	}
	node->value = value;
	return true;
}

bool map_put(struct map *map, uint64_t key, uint64_t value)
{
	uint64_t hash = hash_of(key);
	struct map_stripe *s = lock_stripe(map, hash);
	bool done = put_node(s, hash, key, value);

	pthread_mutex_unlock(&s->lock);
	return done;
}

uint64_t map_get(struct map *map, uint64_t key)
{
	uint64_t hash = hash_of(key), value = 0;
	struct map_stripe *s = lock_stripe(map, hash);

	if (s->n_heads) {
		struct map_node *node = *find_link(s, hash, key);

		value = node ? node->value : 0;
	}
	pthread_mutex_unlock(&s->lock);
	return value;
}

uint64_t map_take(struct map *map, uint64_t key)
{
	uint64_t hash = hash_of(key), value = 0;
	struct map_stripe *s = lock_stripe(map, hash);

	if (s->n_heads) {
		struct map_node **link = find_link(s, hash, key), *node = *link;

		if (node) {
			value = node->value;
			*link = node->next;
			node->next = s->spare;
			s->spare = node;
			s->n--;
		}
	}
	pthread_mutex_unlock(&s->lock);
	return value;
}

uint64_t map_any(struct map *map)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < MAP_STRIPES && !key; i++) {
		struct map_stripe *s = &map->stripe[i];

		pthread_mutex_lock(&s->lock);
		for (unsigned h = 0; h < s->n_heads && !key; h++)
			key = s->heads[h] ? s->heads[h]->key : 0;
		pthread_mutex_unlock(&s->lock);
	}
	return key;
}
