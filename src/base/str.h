/* str: pieces of text (spans, not terminated, not owned) and a growing buffer (owned). */
#ifndef MALITOP_STR_H
#define MALITOP_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of somebody else's text. Print with "%.*s", SPAN_ARG(s). */
struct span {
	const char *p;
	size_t n;
};

#define SPAN_ARG(s) (int)(s).n, (s).p
#define SPAN_LIT(lit) ((struct span){(lit), sizeof(lit) - 1})

struct span span_of(const char *s); /* NULL gives an empty span */
bool span_eq(struct span a, struct span b);
bool span_is(struct span a, const char *s);
struct span span_trim(struct span s);              /* without blanks at both ends */
struct span span_word(struct span *rest);          /* takes the next blank-separated word off *rest; empty at the end */
struct span span_until(struct span *rest, char c); /* takes what stands before c, and c, off *rest; all if there is none */
bool span_u64(struct span s, uint64_t *value);     /* decimal, or hexadecimal after 0x; all of s, no sign, no overflow */
bool span_double(struct span s, double *value);    /* a plain decimal number, all of s; independent of the locale */
char *span_dup(struct span s);                     /* xmalloc'ed and terminated */
uint64_t span_hash(struct span s);                 /* FNV-1a, 64 bit */
/* Takes the next of a list, parted by commas or blanks, off *rest; empty at the end. Between slashes they part nothing:
 * "cycles,cpu/event=1,umask=2/" are two. */
struct span span_item(struct span *rest);

/* A growing text. Zero-initialise it; strbuf_fini frees. `p` is terminated once anything was added, else NULL. */
struct strbuf {
	char *p;
	size_t n, cap;
};

void strbuf_fini(struct strbuf *b);
void strbuf_clear(struct strbuf *b); /* keeps the memory */
void strbuf_add(struct strbuf *b, const void *bytes, size_t n);
void strbuf_str(struct strbuf *b, const char *s);
char *strbuf_more(struct strbuf *b, size_t n); /* n more bytes, which the caller fills */
void strbuf_printf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Add the words of a text, a blank between them, and a newline. Lines are at most `width` columns where words allow it: the first begins
 * at column `at`, the others at `indent`. */
void strbuf_wrap(struct strbuf *b, unsigned at, unsigned indent, unsigned width, const char *text);
#define AUTO_STRBUF __attribute__((cleanup(strbuf_fini)))

/* Copy text from outside (a device, a process, a file) for showing: control characters, DEL, C1, bidirectional marks and bytes
 * that are no UTF-8 become '?'. Always terminates; never cuts inside a character. Returns dst. size > 0. */
char *str_printable(char *dst, size_t size, const char *src);

/* Decode one UTF-8 character at *p (before end) and advance. 0xfffd for anything malformed (advances one byte). */
uint32_t utf8_next(const char **p, const char *end);
/* Encode; out has room for 4. Returns the length. */
size_t utf8_put(char *out, uint32_t ch);

#endif
