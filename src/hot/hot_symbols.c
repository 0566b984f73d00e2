#include "hot/hot_symbols.h"

#include "base/search.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define LINE_MOST 1024
#define PIECE ((size_t)64 << 10)
#define KERNEL_TYPES "tTwW"

void hot_symbols_fini(struct hot_symbols *s)
{
	free(s->list);
	free(s->names);
	free(s->segments);
	*s = (struct hot_symbols){0};
}

static uint32_t add_name(struct hot_symbols *s, struct span name)
{
	uint32_t at;

	if (!name.n || s->n_names + name.n + 2 > HOT_NAMES_BYTES)
		return 0;
	if (s->n_names + name.n + 2 > s->cap_names) {
		s->cap_names = 2 * (s->cap_names + name.n + 64);
		s->names = xreallocarray(s->names, s->cap_names, 1);
	}
	if (!s->n_names)
		s->names[s->n_names++] = 0;
	at = (uint32_t)s->n_names;
	memcpy(s->names + at, name.p, name.n);
	s->names[at + name.n] = 0;
	s->n_names += name.n + 1;
	return at;
}

void hot_symbols_add(struct hot_symbols *s, uint64_t start, uint64_t size, struct span name)
{
	if (s->n == HOT_SYMBOLS_MOST)
		return;
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->list = xreallocarray(s->list, s->cap, sizeof(*s->list));
	}
	s->list[s->n++] = (struct hot_symbol){start, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
					      add_name(s, name)};
}

/* Of several at one address the one with a name and a length first, then the one that was read
 * first. */
static int compare_symbols(const void *a, const void *b)
{
	const struct hot_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (!x->name != !y->name)
		return x->name ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

void hot_symbols_sort(struct hot_symbols *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), compare_symbols);
	for (size_t i = 0; i < s->n; i++) {
		const struct hot_symbol *before = n ? &s->list[n - 1] : NULL;

		/* A border inside a named function is one of its parts. */
		if (before &&
		    (before->start == s->list[i].start ||
		     (!s->list[i].name && before->name && s->list[i].start - before->start < before->size)))
			continue;
		s->list[n++] = s->list[i];
	}
	s->n = n;
}

const struct hot_symbol *hot_symbols_find(const struct hot_symbols *s, uint64_t address, uint64_t *size)
{
	unsigned next = search_first((unsigned)s->n, i, s->list[i].start > address);
	const struct hot_symbol *found;

	if (!next)
		return NULL;
	found = &s->list[next - 1];
	*size = found->size ? found->size : next < s->n ? s->list[next].start - found->start : UINT32_MAX;
	return address - found->start < *size ? found : NULL;
}

uint64_t hot_symbols_address(const struct hot_symbols *s, uint64_t offset)
{
	for (unsigned i = 0; i < s->n_segments; i++)
		if (offset - s->segments[i].offset < s->segments[i].size)
			return offset - s->segments[i].offset + s->segments[i].address;
	return UINT64_MAX;
}

void hot_symbols_name(const struct hot_symbols *s, const struct hot_symbol *symbol, char *text, size_t size)
{
	if (symbol->name)
		hot_demangle(s->names + symbol->name, text, size);
	else
		text[0] = 0;
}

/* ---- texts with a line per function ---- */

/* Call `take` for each line of a file; of a line that is too long, for its start. Then sort. */
static void read_lines(struct hot_symbols *s, const struct sys *sys, const char *path, int flags,
		       void (*take)(struct hot_symbols *s, struct span line))
{
	AUTOFREE char *piece = xmalloc(PIECE);
	int fd = sys->open(sys, path, O_RDONLY | flags);
	size_t kept = 0, total = 0;
	ssize_t got;

	if (fd < 0)
		return;
	while (total < HOT_NAMES_BYTES && s->n < HOT_SYMBOLS_MOST &&
	       ((got = sys->read(sys, fd, piece + kept, PIECE - kept)) > 0 || (got < 0 && errno == EINTR))) {
		struct span rest = {piece, kept + (size_t)(got > 0 ? got : 0)};
		const char *end;

		total += (size_t)(got > 0 ? got : 0);
		while ((end = memchr(rest.p, '\n', rest.n))) {
			struct span line = {rest.p, (size_t)(end - rest.p)};

			if (line.n < LINE_MOST)
				take(s, line);
			rest = (struct span){end + 1, rest.n - line.n - 1};
		}
		kept = rest.n < LINE_MOST ? rest.n : 0;
		memmove(piece, rest.p, kept);
	}
	sys->close(sys, fd);
	hot_symbols_sort(s);
}

static bool take_hex(struct span word, uint64_t *value)
{
	char text[2 + 16 + 1] = "0x";

	if (word.n > 2 && memcmp(word.p, "0x", 2) == 0)
		word = (struct span){word.p + 2, word.n - 2};
	if (!word.n || word.n > 16)
		return false;
	memcpy(text + 2, word.p, word.n);
	text[2 + word.n] = 0;
	return span_u64(span_of(text), value);
}

/* "ffffffff81000000 T _text", or "... t name\t[module]". */
static void take_kernel_line(struct hot_symbols *s, struct span line)
{
	uint64_t start;
	struct span type, name;

	if (!take_hex(span_word(&line), &start) || !start)
		return;
	type = span_word(&line);
	name = span_word(&line);
	if (type.n == 1 && strchr(KERNEL_TYPES, *type.p))
		hot_symbols_add(s, start, 0, name);
}

void hot_symbols_read_kernel(struct hot_symbols *s, const struct sys *sys)
{
	read_lines(s, sys, "proc/kallsyms", 0, take_kernel_line);
}

/* "START SIZE name of any text", in hexadecimal. */
static void take_map_line(struct hot_symbols *s, struct span line)
{
	uint64_t start, size;

	if (take_hex(span_word(&line), &start) && take_hex(span_word(&line), &size))
		hot_symbols_add(s, start, size, span_trim(line));
}

void hot_symbols_read_map(struct hot_symbols *s, const struct sys *sys, const char *path)
{
	read_lines(s, sys, path, O_NOFOLLOW | O_NONBLOCK, take_map_line);
}
