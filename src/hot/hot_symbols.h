/* hot_symbols: the functions of one file, by address.
 *
 * An ELF file lists its functions in .symtab, else in the debug file that its build-id or its debug
 * link names below /usr/lib/debug, else in .dynsym. Code without a symbol gets its borders from
 * .eh_frame_hdr, without a name: enough to distinguish the functions of a stripped library. Reads
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

struct hot_symbol {
	uint64_t start;
	uint32_t size; /* 0: unknown, to the next one */
	uint32_t name; /* into `names`; 0: none */
};

/* A part of a file that is mapped: file bytes offset .. offset + size are at `address`. */
struct hot_segment {
	uint64_t offset, size, address;
};

struct hot_symbols {
	struct hot_symbol *list; /* by start, none twice */
	size_t n, cap;
	char *names; /* texts, one after another; names[0] is 0 */
	size_t n_names, cap_names;
	struct hot_segment *segments;
	unsigned n_segments;
};

/* Read an open file, n_bytes from `base` on (of the vdso, in the memory of a process). `path` is
 * where its debug file is looked for. Symbols that were read before a damage stay. */
void hot_symbols_read_elf(struct hot_symbols *s, const struct sys *sys, int fd, const char *path,
			  uint64_t base, uint64_t n_bytes);
/* proc/kallsyms; nothing if the kernel hides its addresses. */
void hot_symbols_read_kernel(struct hot_symbols *s, const struct sys *sys);
/* What a program that translates code at run time wrote into /tmp/perf-PID.map. */
void hot_symbols_read_map(struct hot_symbols *s, const struct sys *sys, const char *path);
void hot_symbols_fini(struct hot_symbols *s);

/* Append a symbol; `sort` makes them ready to be found. */
void hot_symbols_add(struct hot_symbols *s, uint64_t start, uint64_t size, struct span name);
void hot_symbols_sort(struct hot_symbols *s);
/* The function at an address; NULL if none is known. *size is its length, as far as it is known. */
const struct hot_symbol *hot_symbols_find(const struct hot_symbols *s, uint64_t address, uint64_t *size);
/* The address of a byte of the file; UINT64_MAX: it is in no segment. */
uint64_t hot_symbols_address(const struct hot_symbols *s, uint64_t offset);
/* hot_demangle.c, hot_demangle_none.c: copy a symbol, a C++ function as its author wrote it if this
 * build can (libiberty), without its parameters; printable. */
void hot_demangle(const char *symbol, char *text, size_t size);
/* Its name, demangled where this build can and if it is C++, printable. "" without one. */
void hot_symbols_name(const struct hot_symbols *s, const struct hot_symbol *symbol, char *text, size_t size);

#endif
