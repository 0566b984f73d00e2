#include "base/put.h"

#include "base/alloc.h"

#include <assert.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the caller's format was checked as a whole */

void put_format(struct strbuf *out, void (*text)(struct strbuf *out, const char *text),
		void (*number)(struct strbuf *out, double value), const char *fmt, va_list ap)
{
	for (const char *percent; (percent = strchr(fmt, '%'));) {
		size_t n = strcspn(percent + 1, "sdugf%") + 2;
		char one[8] = "";

		assert(n < sizeof(one));
		memcpy(one, percent, n);
		strbuf_add(out, fmt, (size_t)(percent - fmt));
		fmt = percent + n;
		if (strcmp(one, "%s") == 0) {
			text(out, va_arg(ap, const char *));
		} else if (strcmp(one, "%.*s") == 0) {
			size_t length = (size_t)va_arg(ap, int);
			AUTOFREE char *piece = span_dup((struct span){va_arg(ap, const char *), length});

			text(out, piece);
		} else if (number && strcmp(one, "%g") == 0) {
			number(out, va_arg(ap, double));
		} else if (strchr("fg", one[n - 1])) {
			strbuf_printf(out, one, va_arg(ap, double));
		} else if (strcmp(one, "%llu") == 0) {
			strbuf_printf(out, one, va_arg(ap, unsigned long long));
		} else if (strcmp(one, "%d") == 0) {
			strbuf_printf(out, one, va_arg(ap, int));
		} else if (strcmp(one, "%u") == 0) {
			strbuf_printf(out, one, va_arg(ap, unsigned));
		} else {
			assert(strcmp(one, "%%") == 0);
			strbuf_str(out, "%");
		}
	}
	strbuf_str(out, fmt);
}
