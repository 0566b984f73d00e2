#include "base/str.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span span_of(const char *s)
{
	return (struct span){s, s ? strlen(s) : 0};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct span span_trim(struct span s)
{
	while (s.n && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct span span_word(struct span *rest)
{
	const char *p = rest->p, *end = rest->n ? p + rest->n : p, *word; /* p may be NULL if n is 0 */

	while (p < end && is_blank(*p))
		p++;
	word = p;
	while (p < end && !is_blank(*p))
		p++;
	*rest = (struct span){p, (size_t)(end - p)};
	return (struct span){word, (size_t)(p - word)};
}

struct span span_until(struct span *rest, char c)
{
	struct span head = *rest;
	const char *at = rest->n ? memchr(rest->p, c, rest->n) : NULL;

	if (!at) {
		*rest = (struct span){rest->p + rest->n, 0};
		return head;
	}
	head.n = (size_t)(at - head.p);
	*rest = (struct span){at + 1, rest->n - head.n - 1};
	return head;
}

bool span_has_word(struct span words, struct span word)
{
	struct span one;

	while ((one = span_word(&words)).n)
		if (span_eq(one, word))
			return true;
	return false;
}

struct span span_item(struct span *rest)
{
	struct span item;
	bool inside = false;
	size_t n = 0;

	while (rest->n && (*rest->p == ',' || *rest->p == ' '))
		*rest = (struct span){rest->p + 1, rest->n - 1};
	for (; n < rest->n && (inside || (rest->p[n] != ',' && rest->p[n] != ' ')); n++)
		inside ^= rest->p[n] == '/';
	item = (struct span){rest->p, n};
	if (n) /* the pointer of an empty span may be NULL */
		*rest = (struct span){rest->p + n, rest->n - n};
	return item;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool span_u64(struct span s, uint64_t *value)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (s.n > 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x') {
		base = 16;
		s.p += 2;
		s.n -= 2;
	}
	if (!s.n)
		return false;
	for (; s.n; s.p++, s.n--) {
		unsigned d = (unsigned)digit_of(s.p[0]);

		if (d >= base || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return false;
	}
	*value = v;
	return true;
}

bool span_double(struct span s, double *value)
{
	char text[64], *end;

	if (!s.n || s.n >= sizeof(text))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.p[i]) &&
		    !memchr("+-.eE", s.p[i], 5)) /* 5 excludes the NUL of the literal */
			return false;
	memcpy(text, s.p, s.n);
	text[s.n] = 0;
	*value = strtod(text, &end); /* the program never calls setlocale(LC_NUMERIC) */
	return end != text && *end == 0;
}

char *span_dup(struct span s)
{
	return xstrndup(s.p ? s.p : "", s.n);
}

uint64_t span_hash(struct span s)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return h;
}

void strbuf_fini(struct strbuf *b)
{
	free(b->p);
	*b = (struct strbuf){0};
}

void strbuf_clear(struct strbuf *b)
{
	b->n = 0;
	if (b->p)
		b->p[0] = 0;
}

static void strbuf_reserve(struct strbuf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 256;

	while (cap - b->n < more + 1)
		cap *= 2;
	if (cap != b->cap) {
		b->p = xreallocarray(b->p, cap, 1);
		b->cap = cap;
	}
}

void strbuf_line_end(struct strbuf *b)
{
	while (b->n && b->p[b->n - 1] == ' ')
		b->p[--b->n] = 0;
	strbuf_str(b, "\n");
}

char *strbuf_more(struct strbuf *b, size_t n)
{
	strbuf_reserve(b, n);
	b->n += n;
	b->p[b->n] = 0;
	return b->p + b->n - n;
}

void strbuf_add(struct strbuf *b, const void *bytes, size_t n)
{
	char *to = strbuf_more(b, n);

	if (n)
		memcpy(to, bytes, n);
}

void strbuf_str(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	strbuf_reserve(b, 128);
	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(b->p + b->n, b->cap - b->n, fmt, ap);
	if (n > 0 && (size_t)n >= b->cap - b->n) {
		strbuf_reserve(b, (size_t)n);
		vsnprintf(b->p + b->n, b->cap - b->n, fmt, again);
	}
	va_end(again);
	va_end(ap);
	if (n > 0)
		b->n += (size_t)n;
}

void strbuf_wrap(struct strbuf *b, unsigned at, unsigned indent, unsigned width, const char *text)
{
	struct span rest = span_of(text), word;
	bool first = true;

	while ((word = span_word(&rest)).n) {
		if (!first && at + 1 + word.n > width) {
			strbuf_printf(b, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			strbuf_str(b, " ");
			at++;
		}
		strbuf_add(b, word.p, word.n);
		at += (unsigned)word.n;
		first = false;
	}
	strbuf_str(b, "\n");
}

uint32_t utf8_long(const char **p, const char *end)
{
	const unsigned char *s = (const unsigned char *)*p;
	size_t left = (size_t)(end - *p), len;
	uint32_t ch;

	len = s[0] >= 0xf0 && s[0] < 0xf5   ? 4
	      : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
	      : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
					    : 0;
	if (!len || len > left)
		goto malformed;
	ch = s[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			goto malformed;
		ch = ch << 6 | (s[i] & 0x3f);
	}
	if ((len == 3 && ch < 0x800) || (len == 4 && (ch < 0x10000 || ch > 0x10ffff)) ||
	    (ch >= 0xd800 && ch < 0xe000))
		goto malformed;
	*p += len;
	return ch;
malformed:
	(*p)++;
	return 0xfffd;
}

size_t utf8_put(char *out, uint32_t ch)
{
	size_t n = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;

	for (size_t i = n; --i > 0; ch >>= 6)
		out[i] = (char)(0x80 | (ch & 0x3f));
	out[0] = (char)(n > 1 ? 0xff00u >> n | ch : ch);
	return n;
}

/* Return whether a character could move the cursor, or hide or reorder the following text. */
static bool is_hostile(uint32_t ch)
{
	return ch < 0x20 || (ch >= 0x7f && ch < 0xa0) || ch == 0xfffd || (ch >= 0x200b && ch <= 0x200f) ||
	       (ch >= 0x2028 && ch <= 0x202e) || (ch >= 0x2060 && ch <= 0x206f) || ch == 0xfeff || ch == 0xad;
}

char *str_printable(char *dst, size_t size, const char *src)
{
	const char *end = src + strlen(src);
	char enc[4];
	size_t n = 0;

	while (src < end) {
		uint32_t ch = utf8_next(&src, end);
		size_t len = utf8_put(enc, is_hostile(ch) ? '?' : ch);

		if (n + len >= size)
			break;
		memcpy(dst + n, enc, len);
		n += len;
	}
	dst[n] = 0;
	return dst;
}

/* Whether what is held may go on in the next piece: a character, or carriage returns. */
static bool is_incomplete(const char *p, const char *end)
{
	unsigned char first = (unsigned char)*p;
	ptrdiff_t len = first >= 0xf5 || first < 0xc2 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;

	if (first == '\r')
		return end - p == 1;
	for (ptrdiff_t i = 1; i < end - p; i++)
		if ((p[i] & 0xc0) != 0x80)
			return false;
	return end - p < len;
}

bool strbuf_printable(struct strbuf *out, struct strbuf *held, const char *bytes, size_t n,
		      const char *newline)
{
	const char *p, *end;
	bool printable = true;
	char enc[4];

	if (n)
		strbuf_add(held, bytes, n);
	if (!held->n)
		return true;
	for (p = held->p, end = p + held->n; p < end && !(n && is_incomplete(p, end));) {
		bool returns = p[0] == '\r' && p + 1 < end && (p[1] == '\r' || p[1] == '\n');
		uint32_t ch = utf8_next(&p, end);
		bool hostile = ch != '\t' && is_hostile(ch);

		if (ch == '\n')
			strbuf_str(out, newline);
		else if (!returns)
			strbuf_add(out, enc, utf8_put(enc, hostile ? '?' : ch));
		printable &= ch == '\n' || returns || !hostile;
	}
	n = (size_t)(end - p);
	memmove(held->p, p, n);
	held->n = n;
	return printable;
}

void base64_put(char *out, struct span bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
		uint32_t three = 0;

		for (size_t k = 0; k < 3; k++)
			three = three << 8 | (k < n ? (uint8_t)bytes.p[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			*out++ = k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
	}
	*out = 0;
}
