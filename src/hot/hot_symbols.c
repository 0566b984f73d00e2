#include "hot/hot_symbols.h"

#include "base/search.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define LINE_MOST 1024
#define PIECE ((size_t)64 << 10)
#define KERNEL_TYPES "tTwW"
#define KERNEL_FUNCTION (1u << 20) /* bytes; none is longer */
#define KERNEL_PAGE 4096

void hot_symbols_fini(struct hot_symbols *s)
{
	free(s->list);
	free(s->returns);
	free(s->names);
	free(s->segments);
	*s = (struct hot_symbols){0};
}

static uint32_t add_name(struct hot_symbols *s, struct span name)
{
	uint32_t at;

	if (!name.n)
		return 0;
	if (s->n_names + name.n + 2 > HOT_NAMES_BYTES) {
		s->is_cut = true;
		return 0;
	}
	if (s->n_names + name.n + 2 > s->cap_names) {
		s->cap_names = 2 * (s->cap_names + name.n + 64);
		s->cap_names = s->cap_names < HOT_NAMES_BYTES ? s->cap_names : HOT_NAMES_BYTES;
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

void hot_symbols_add(struct hot_symbols *s, const struct hot_symbol *symbol, struct span name)
{
	if (s->n == HOT_SYMBOLS_MOST) {
		s->is_cut = true;
		return;
	}
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->list = xreallocarray(s->list, s->cap, sizeof(*s->list));
	}
	s->list[s->n] = *symbol;
	s->list[s->n++].name = add_name(s, name);
}

/* Of several at one address the one with a name and a length first, the longest first, then the one
 * that was read first. */
static int compare_symbols(const void *a, const void *b)
{
	const struct hot_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (!x->name != !y->name)
		return x->name ? -1 : 1;
	if (x->is_label != y->is_label)
		return x->is_label ? 1 : -1;
	if (!x->is_label && x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static uint64_t end_of(const struct hot_symbol *symbol)
{
	return symbol->start + symbol->size < symbol->start ? UINT64_MAX : symbol->start + symbol->size;
}

/* Functions that end by `address` are left, the innermost first: those around them go on. */
static void leave_functions(struct hot_symbols *s, uint32_t *around, size_t *depth, uint64_t address)
{
	while (*depth && end_of(&s->list[around[*depth - 1]]) <= address) {
		uint64_t end = end_of(&s->list[around[--*depth]]);

		while (*depth && end_of(&s->list[around[*depth - 1]]) <= end)
			--*depth;
		if (!*depth || end == address)
			continue;
		GROW(s->returns, s->n_returns, s->cap_returns);
		s->returns[s->n_returns++] = (struct hot_return){end, around[*depth - 1]};
	}
}

void hot_symbols_sort(struct hot_symbols *s)
{
	AUTOFREE uint32_t *around = xcalloc(s->n + 1, sizeof(*around)); /* functions, the innermost last */
	size_t n = 0, depth = 0, kept = 0;

	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), compare_symbols);
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->list[n - 1].start == s->list[i].start)
			s->list[n - 1].is_border |= s->list[i].is_border;
		else
			s->list[n++] = s->list[i];
	}
	for (size_t i = 0; i < n; i++) {
		struct hot_symbol symbol = s->list[i];
		uint64_t next = i + 1 < n ? s->list[i + 1].start : UINT64_MAX;

		leave_functions(s, around, &depth, symbol.start);
		if (symbol.is_label && depth) /* a part of the function around it */
			continue;
		if (symbol.is_label && !s->is_complete && !symbol.is_border)
			symbol.name = 0; /* it may be followed by functions without symbols */
		if (symbol.is_label && symbol.size > next - symbol.start)
			symbol.size = (uint32_t)(next - symbol.start);
		if (!symbol.is_label)
			around[depth++] = (uint32_t)kept;
		s->list[kept++] = symbol;
	}
	leave_functions(s, around, &depth, UINT64_MAX);
	s->n = kept;
}

/* The code between two functions, without a name, of a file whose code is known. */
static bool find_between(const struct hot_symbols *s, uint64_t address, uint64_t begin, uint64_t end,
			 struct hot_symbol *found)
{
	const struct hot_segment *in = NULL;

	for (unsigned i = 0; i < s->n_segments && !in; i++)
		if (address - s->segments[i].address < s->segments[i].size)
			in = &s->segments[i];
	if (in && begin < in->address)
		begin = in->address;
	if (in && end - in->address > in->size)
		end = in->address + in->size;
	if (!in && !begin)
		return false;
	*found = (struct hot_symbol){.start = begin,
				     .size = end - begin < UINT32_MAX ? (uint32_t)(end - begin) : UINT32_MAX};
	return address - begin < found->size;
}

bool hot_symbols_find(const struct hot_symbols *s, uint64_t address, struct hot_symbol *found)
{
	unsigned next = search_first((unsigned)s->n, i, s->list[i].start > address);
	unsigned back = search_first((unsigned)s->n_returns, i, s->returns[i].start > address);
	uint64_t end = next < s->n ? s->list[next].start : UINT64_MAX;
	const struct hot_symbol *last = next ? &s->list[next - 1] : NULL;

	if (back && last && s->returns[back - 1].start > last->start)
		last = &s->list[s->returns[back - 1].symbol];
	if (!last || address >= end_of(last))
		return find_between(s, address, last ? end_of(last) : 0, end, found);
	*found = *last;
	return true;
}

uint64_t hot_symbols_address(const struct hot_symbols *s, uint64_t offset)
{
	for (unsigned i = 0; i < s->n_segments; i++)
		if (offset - s->segments[i].offset < s->segments[i].size)
			return offset - s->segments[i].offset + s->segments[i].address;
	return UINT64_MAX;
}

bool hot_symbols_is_mark(struct span name)
{
	return name.n >= 2 && name.p[0] == '$' && strchr("adtx", name.p[1]) &&
	       (name.n == 2 || name.p[2] == '.');
}

/* ---- texts with a line per function ---- */

uint64_t hot_symbols_read_lines(const struct sys *sys, int fd, uint64_t offset, size_t n_bytes,
				void (*take)(void *ctx, struct span line), void *ctx)
{
	AUTOFREE char *piece = xmalloc(PIECE);
	uint64_t at = offset, begun = offset; /* where the next byte is, and the line that it belongs to */
	size_t kept = 0;                      /* bytes of that line in `piece` */

	while (at - offset < n_bytes) {
		uint64_t left = n_bytes - (at - offset);
		char *line = piece, *end;
		ssize_t got = sys->pread(sys, fd, piece + kept, left < PIECE - kept ? left : PIECE - kept,
					 (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		at += (uint64_t)got;
		kept += (size_t)got;
		while ((end = memchr(line, '\n', kept))) {
			size_t n = (size_t)(end - line);

			take(ctx, (struct span){line, n < LINE_MOST ? n : LINE_MOST});
			line = end + 1;
			kept -= n + 1;
			begun = at - kept;
		}
		kept = kept < LINE_MOST ? kept : LINE_MOST; /* of a longer one the start is enough */
		memmove(piece, line, kept);
	}
	return begun;
}

bool hot_symbols_hex(struct span word, uint64_t *value)
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

/* A module's symbols come one after another, not in order. */
struct kernel_reader {
	struct hot_symbols *s;
	char module[64];
	size_t begin; /* of its symbols */
};

/* The last function of a module, and of the kernel, ends with a page: other code may follow. */
static void end_module(const struct kernel_reader *r)
{
	struct hot_symbol *last = NULL;

	for (size_t i = r->begin; i < r->s->n; i++)
		if (!last || r->s->list[i].start >= last->start)
			last = &r->s->list[i];
	for (size_t i = r->begin; last && i < r->s->n; i++)
		if (r->s->list[i].start == last->start)
			r->s->list[i].size = 2 * KERNEL_PAGE - last->start % KERNEL_PAGE;
}

/* "ffffffff81000000 T _text", or "... t name\t[module]". */
static void take_kernel_line(void *ctx, struct span line)
{
	struct kernel_reader *r = ctx;
	struct span type, name, module;
	uint64_t start;

	if (!hot_symbols_hex(span_word(&line), &start) || !start)
		return;
	type = span_word(&line);
	name = span_word(&line);
	module = span_word(&line);
	module.n = module.n < sizeof(r->module) ? module.n : sizeof(r->module) - 1;
	if (type.n != 1 || !strchr(KERNEL_TYPES, *type.p) || hot_symbols_is_mark(name))
		return;
	if (!span_is(module, r->module)) {
		end_module(r);
		r->begin = r->s->n;
		memcpy(r->module, module.p, module.n);
		r->module[module.n] = 0;
	}
	hot_symbols_add(r->s, &(struct hot_symbol){.start = start, .size = KERNEL_FUNCTION, .is_label = 1},
			name);
}

void hot_symbols_read_kernel(struct hot_symbols *s, const struct sys *sys)
{
	struct kernel_reader r = {.s = s};
	int fd = sys->open(sys, "proc/kallsyms", O_RDONLY);

	if (fd < 0)
		return;
	hot_symbols_read_lines(sys, fd, 0, HOT_NAMES_BYTES, take_kernel_line, &r);
	sys->close(sys, fd);
	end_module(&r);
	s->is_complete = true;
	hot_symbols_sort(s);
}
