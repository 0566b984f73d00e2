/* map: values by the handle of a Vulkan object. Threads: all; a lookup holds a lock that it shares
 * with 1/16 of the handles. After warm-up it does not allocate. */
#ifndef MALITOP_LAYER_MAP_H
#define MALITOP_LAYER_MAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define MAP_STRIPES 16

struct map_node;
struct map_stripe {
	pthread_mutex_t lock;
	struct map_node **heads, *spare;
	unsigned n, n_heads; /* n_heads is a power of two, or 0 */
};

struct map {
	struct map_stripe stripe[MAP_STRIPES];
};

void map_init(struct map *map);
void map_fini(struct map *map);
/* In a child of fork: release the locks of its parent's other threads. */
void map_release(struct map *map);
/* Set the value of a key. Returns false if there is no memory. */
bool map_put(struct map *map, uint64_t key, uint64_t value);
/* Return the value, or 0. */
uint64_t map_get(struct map *map, uint64_t key);
/* Remove a key and return its value, or 0. */
uint64_t map_take(struct map *map, uint64_t key);
/* Return a key, or 0 if the map is empty. */
uint64_t map_any(struct map *map);

#endif
