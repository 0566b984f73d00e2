/* search: the binary search over things in ascending order. */
#ifndef MALITOP_SEARCH_H
#define MALITOP_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* Return the first of the positions 0 to n - 1 for which `reached` holds, or n if there is none.
 * If `reached` holds for a position, it must hold for all later ones. Inline, because it is called
 * for every process of a list. */
static inline unsigned search_first(unsigned n, bool (*reached)(const void *things, unsigned i, int64_t key),
				    const void *things, int64_t key)
{
	unsigned first = 0;

	while (n) {
		unsigned half = n / 2;
		bool found = reached(things, first + half, key);

		first += found ? 0 : half + 1;
		n = found ? half : n - half - 1;
	}
	return first;
}

#endif
