/* hot_symbols: the functions of one file, by address.
 *
 * An ELF file lists its functions in .symtab, else in the debug file that its build-id or its debug
 * link names below /usr/lib/debug, else in .dynsym. Code without a symbol gets its borders from
 * .eh_frame_hdr, without a name: enough to distinguish the functions of a stripped library. An
 * address has a name only if that is certain: inside the length of a symbol, or between a label and
 * the next symbol of the same section, where all functions have symbols. Reads
 * go through `sys`, a piece at a time, and nothing is mapped: a file that shrinks, or lies, costs
 * its names and never more. Every number in it is checked against the file's size and the bounds
 * below.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_HOT_SYMBOLS_H
#define MALITOP_HOT_SYMBOLS_H

#include "base/str.h"
#include "base/sys.h"

#define HOT_SYMBOLS_MOST (4u << 20) /* per file */
#define HOT_NAMES_BYTES ((size_t)64 << 20)
#define HOT_SYMBOL 4096 /* of one symbol: names of templates grow without bounds */

struct hot_symbol {
	uint64_t start;
	uint32_t size;
	uint32_t name : 30;    /* into `names`; 0: none */
	uint32_t is_label : 1; /* its size is not known, but at most `size` */
	uint32_t is_border : 1;
};

/* Where an enclosing function goes on after a nested one. */
struct hot_return {
	uint64_t start;
	uint32_t symbol;
};

/* A part of a file that is mapped: file bytes offset .. offset + size are at `address`. */
struct hot_segment {
	uint64_t offset, size, address;
};

struct hot_symbols {
	struct hot_symbol *list; /* by start, none twice */
	size_t n, cap;
	struct hot_return *returns; /* by start */
	size_t n_returns, cap_returns;
	char *names; /* texts, one after another; names[0] is 0 */
	size_t n_names, cap_names;
	struct hot_segment *segments;
	unsigned n_segments;
	bool is_complete; /* every function has a symbol, so that a label reaches to the next one */
	bool is_cut;      /* there is more than the bounds permit */
};

/* Read an open file, n_bytes from `base` on (of the vdso, in the memory of a process). `path` is
 * where its debug file is looked for: in the root of its process (NULL: there is none), then in our
 * own. Symbols that were read before a damage stay. */
void hot_symbols_read_elf(struct hot_symbols *s, const struct sys *sys, int fd, const char *root,
			  const char *path, uint64_t base, uint64_t n_bytes);
/* proc/kallsyms; nothing if the kernel hides its addresses. */
void hot_symbols_read_kernel(struct hot_symbols *s, const struct sys *sys);
void hot_symbols_fini(struct hot_symbols *s);

/* Append a symbol; `sort` makes them ready to be found. */
void hot_symbols_add(struct hot_symbols *s, const struct hot_symbol *symbol, struct span name);
void hot_symbols_sort(struct hot_symbols *s);
/* Fill in the function at an address: of nested ones the innermost; of a file whose code is known,
 * the code without a name between two functions. False: nothing is known. */
bool hot_symbols_find(const struct hot_symbols *s, uint64_t address, struct hot_symbol *found);
/* The address of a byte of the file; UINT64_MAX: it is in no segment. */
uint64_t hot_symbols_address(const struct hot_symbols *s, uint64_t offset);
/* "$x", "$d.5": marks of code and data on Arm. Names of Swift begin with "$s". */
bool hot_symbols_is_mark(struct span name);
/* The lines of an open file from `offset` on, at most n_bytes of them; of a line that is too long,
 * its start. Returns where the first line begins that was not read. */
uint64_t hot_symbols_read_lines(const struct sys *sys, int fd, uint64_t offset, size_t n_bytes,
				void (*take)(void *ctx, struct span line), void *ctx);
bool hot_symbols_hex(struct span word, uint64_t *value); /* with or without 0x */
/* hot_demangle.c, hot_demangle_none.c: copy a symbol, a C++ function as its author wrote it if this
 * build can (libiberty), without its parameters; printable. False: it is as it was, because writing
 * it out would take too long. */
bool hot_demangle(const char *symbol, char *text, size_t size);

#endif
