#include "base/put.h"

#include "base/alloc.h"

#include <assert.h>

/* The digits of a precision; -1: there is none. */
static int take_precision(const char **at)
{
	int n = 0;

	if (**at != '.')
		return -1;
	for (++*at; **at >= '0' && **at <= '9'; ++*at)
		n = n * 10 + (**at - '0');
	return n;
}

void put_format(struct strbuf *out, void (*text)(struct strbuf *out, const char *text),
		void (*number)(struct strbuf *out, double value), const char *fmt, va_list ap)
{
	for (const char *at = fmt; *at; at++) {
		size_t plain = strcspn(at, "%");
		int precision;

		strbuf_add(out, at, plain);
		at += plain;
		if (!*at)
			return;
		at++;
		precision = take_precision(&at);
		if (*at == '*') {
			struct span piece = {.n = (size_t)va_arg(ap, int)};
			AUTOFREE char *copy = NULL;

			at++;
			assert(*at == 's');
			piece.p = va_arg(ap, const char *);
			copy = span_dup(piece);
			text(out, copy);
		} else if (*at == 's') {
			text(out, va_arg(ap, const char *));
		} else if (*at == 'd') {
			strbuf_printf(out, "%d", va_arg(ap, int));
		} else if (*at == 'u') {
			strbuf_printf(out, "%u", va_arg(ap, unsigned));
		} else if (*at == 'l') {
			strbuf_printf(out, "%llu", va_arg(ap, unsigned long long));
			at += strlen("lu");
		} else if (*at == 'g' && precision < 0 && number) {
			number(out, va_arg(ap, double));
		} else if (*at == 'g') {
			strbuf_printf(out, "%.*g", precision < 0 ? 6 : precision, va_arg(ap, double));
		} else if (*at == 'f') {
			strbuf_printf(out, "%.*f", precision, va_arg(ap, double));
		} else {
			assert(*at == '%');
			strbuf_str(out, "%");
		}
	}
}
