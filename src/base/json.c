#include "base/json.h"

#include "base/put.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

void json_string(struct strbuf *out, const char *text)
{
	static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *end = text + strlen(text), *at;
	char utf8[4];

	strbuf_str(out, "\"");
	while (text < end) {
		uint32_t ch = utf8_next(&text, end);

		if (ch < 0x80 && (at = strchr(escaped, (int)ch)))
			strbuf_printf(out, "\\%c", letters[at - escaped]);
		else if (ch < 0x20 || ch == 0x7f)
			strbuf_printf(out, "\\u%04x", ch);
		else
			strbuf_add(out, utf8, utf8_put(utf8, ch));
	}
	strbuf_str(out, "\"");
}

void json_number(struct strbuf *out, double value)
{
	char text[NUMBER_TEXT];

	strbuf_str(out, isfinite(value) ? number_shortest(text, value) : "null");
}

const char json_null[] = "null";

static void put_string(struct strbuf *out, const char *text)
{
	if (text == json_null)
		strbuf_str(out, text);
	else
		json_string(out, text);
}

void json_put(struct strbuf *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_format(out, put_string, json_number, fmt, ap);
	va_end(ap);
}
