#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return false;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return false;
}

bool err_prefix(struct err *err, const char *fmt, ...)
{
	char rest[sizeof(err->text)];
	va_list ap;
	size_t n;

	if (!err)
		return false;
	memcpy(rest, err->text, sizeof(rest));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, "%.*s", (int)(sizeof(err->text) - n - 1), rest);
	return false;
}
