#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILED 1 /* the exit status */

static void (*failure_hook)(void);

void alloc_on_failure(void (*hook)(void))
{
	failure_hook = hook;
}

static void *not_null(void *p)
{
	if (p)
		return p;
	if (failure_hook)
		failure_hook();
	fputs("malitop: out of memory\n", stderr);
	_exit(FAILED); /* what exit would run may need memory, or the lock that this thread holds */
}

void *xmalloc(size_t size)
{
	return not_null(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return not_null(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	return not_null(reallocarray(old, count ? count : 1, size));
}

char *xstrdup(const char *s)
{
	return not_null(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return not_null(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return not_null(n < 0 ? NULL : s);
}

void alloc_cleanup_free(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}
