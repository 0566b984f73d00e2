/* str: pieces of text (spans, not terminated, not owned) and a growing buffer (owned). */
#ifndef MALITOP_STR_H
#define MALITOP_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A piece of a text that someone else owns. Print it with "%.*s", SPAN_ARG(s). */
struct span {
	const char *p;
	size_t n;
};

#define SPAN_ARG(s) (int)(s).n, (s).p
#define SPAN_LIT(lit) ((struct span){(lit), sizeof(lit) - 1})

struct span span_of(const char *s); /* NULL gives an empty span */
static inline bool span_eq(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool span_is(struct span a, const char *s) /* the length of a literal costs nothing */
{
	return a.n && a.p[0] != s[0] ? false : span_eq(a, (struct span){s, strlen(s)});
}
struct span span_trim(struct span s);     /* without blanks at both ends */
struct span span_word(struct span *rest); /* takes the next word off *rest; empty at the end */
bool span_has_word(struct span words, struct span word);
struct span span_until(struct span *rest, char c); /* takes the text up to c off *rest, and drops c */
bool span_u64(struct span s, uint64_t *value);     /* all of s: decimal, or hexadecimal after 0x; no sign */
bool span_double(struct span s, double *value);    /* all of s: a decimal number, whatever the locale */
char *span_dup(struct span s);                     /* xmalloc'ed and terminated */
uint64_t span_hash(struct span s);                 /* FNV-1a, 64 bit */
/* Take the next item of a list off *rest; empty at the end. Commas and blanks separate items,
 * except between slashes: "cycles,cpu/event=1,umask=2/" has two items. */
struct span span_item(struct span *rest);

/* A growing text. Zero-initialise it; strbuf_fini frees it. `p` is NULL until something is added,
 * then terminated. */
struct strbuf {
	char *p;
	size_t n, cap;
};

void strbuf_fini(struct strbuf *b);
void strbuf_clear(struct strbuf *b); /* keeps the memory */
void strbuf_add(struct strbuf *b, const void *bytes, size_t n);
void strbuf_str(struct strbuf *b, const char *s);
void strbuf_line_end(struct strbuf *b);        /* removes blanks before it */
char *strbuf_more(struct strbuf *b, size_t n); /* adds n bytes, which the caller fills */
void strbuf_printf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Add the words of a text, separated by blanks, and a newline. Lines have at most `width` columns
 * unless a word is longer. The first line begins at column `at`, later ones at `indent`. */
void strbuf_wrap(struct strbuf *b, unsigned at, unsigned indent, unsigned width, const char *text);
#define AUTO_STRBUF __attribute__((cleanup(strbuf_fini)))

/* Copy untrusted text (of a device, a process, a file) for display: control characters, DEL, C1,
 * bidirectional marks and bytes that are not UTF-8 become '?'. Always terminates; never cuts inside
 * a character. Returns dst. size > 0. */
char *str_printable(char *dst, size_t size, const char *src);

/* Append untrusted text that arrives in pieces, as str_printable has it, but with its lines and
 * tabs; carriage returns before a newline are part of it. *held keeps what is incomplete until the
 * next piece; n is 0 at the end. `newline` is appended for each. Returns false if a character was
 * replaced. */
bool strbuf_printable(struct strbuf *out, struct strbuf *held, const char *bytes, size_t n,
		      const char *newline);

/* Decode one UTF-8 character at *p (before end) and advance. A malformed byte gives 0xfffd. */
uint32_t utf8_long(const char **p, const char *end); /* one that is not ASCII */
static inline uint32_t utf8_next(const char **p, const char *end)
{
	unsigned char first = (unsigned char)**p;

	if (first >= 0x80)
		return utf8_long(p, end);
	(*p)++;
	return first;
}
/* Encode as UTF-8; out has room for 4 bytes. Returns the length. */
size_t utf8_put(char *out, uint32_t ch);

/* The ending of a noun after a number, and the verb after that noun. */
static inline const char *plural_ending(uint64_t n)
{
	return n == 1 ? "" : "s";
}
static inline const char *was_or_were(uint64_t n)
{
	return n == 1 ? "was" : "were";
}

/* Write bytes as base64 (RFC 4648), terminated: 4 characters for each 3 bytes begun. */
void base64_put(char *out, struct span bytes);

#endif
