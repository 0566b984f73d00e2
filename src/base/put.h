/* put: text of a language (JSON, HTML, Markdown) from a format. The format is written as it is, and
 * texts among its arguments as the language wants them, so that none of them is taken for more than
 * text. Thread: any. */
#ifndef MALITOP_PUT_H
#define MALITOP_PUT_H

#include "base/str.h"

#include <stdarg.h>

/* Conversions: %s and %.*s, given to `text`; %g, given to `number` unless that is
 * NULL or there is a precision; %d, %u, %llu, %.Nf, %.Ng, %%. No flags and no widths. */
void put_format(struct strbuf *out, void (*text)(struct strbuf *out, const char *text),
		void (*number)(struct strbuf *out, double value), const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

#endif
