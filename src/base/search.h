/* search: the binary search over things in ascending order. */
#ifndef MALITOP_SEARCH_H
#define MALITOP_SEARCH_H

#include <stdbool.h>

/* The first of the positions 0 to n - 1 for which `reached` holds, an expression of the position
 * `i`; n if there is none. If it holds for a position, it must hold for all later ones. */
#define search_first(n, i, reached)                                     \
	({                                                              \
		unsigned first_ = 0, left_ = (n);                       \
		while (left_) {                                         \
			unsigned half_ = left_ / 2, i = first_ + half_; \
			bool found_ = (reached);                        \
			first_ += found_ ? 0 : half_ + 1;               \
			left_ = found_ ? half_ : left_ - half_ - 1;     \
		}                                                       \
		first_;                                                 \
	})

#endif
