/* alloc: memory that never fails, and owners that clean up.
 *
 * Out of memory ends the program with a message and status 1, after the hook of alloc_on_failure
 * (the terminal restores itself there).
 */
#ifndef MALITOP_ALLOC_H
#define MALITOP_ALLOC_H

#include <stddef.h>

void alloc_on_failure(void (*hook)(void));

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size)
	__attribute__((malloc, returns_nonnull)); /* zeroed; the product is checked */
void *xreallocarray(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

/* Make room for one more element; the capacity doubles from 4, since most formulas, conditions and
 * charts have few elements: GROW(a, n, cap) before a[n++] = x. */
#define GROW(array, n, cap)                                                        \
	do {                                                                       \
		if ((n) == (cap)) {                                                \
			(cap) = (cap) ? 2 * (cap) : 4;                             \
			(array) = xreallocarray((array), (cap), sizeof(*(array))); \
		}                                                                  \
	} while (0)

/* Free the unused room of a list that is complete. */
#define GROW_FIT(array, n, cap)                                                  \
	do {                                                                     \
		if ((n) && (n) < (cap)) {                                        \
			(cap) = (n);                                             \
			(array) = xreallocarray((array), (n), sizeof(*(array))); \
		}                                                                \
	} while (0)

/* AUTOFREE char *s = ...; is freed at the end of its scope. take_ptr(&s) hands over ownership. */
#define AUTOFREE __attribute__((cleanup(alloc_cleanup_free)))
void alloc_cleanup_free(void *pointer_to_pointer);
#define take_ptr(pp)                              \
	({                                        \
		__typeof__(*(pp)) taken_ = *(pp); \
		*(pp) = NULL;                     \
		taken_;                           \
	})

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
