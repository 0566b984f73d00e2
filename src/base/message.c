#include "base/message.h"

#include "base/alloc.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLEAR_LINE "\r\033[K"
#define INDENT "\n  "

static bool in_progress; /* the cursor is on a progress line */

static char *printable_line(struct span line)
{
	AUTOFREE char *raw = span_dup(line);

	return str_printable(xmalloc(line.n + 1), line.n + 1, raw);
}

/* Make each line of a text printable, and keep the line breaks that we put in ourselves. */
__attribute__((format(printf, 1, 0))) static char *printable_text(const char *fmt, va_list ap)
{
	AUTOFREE char *raw = NULL;
	AUTO_STRBUF struct strbuf text = {0};
	const char *end;

	if (vasprintf(&raw, fmt, ap) < 0)
		return xstrdup("cannot format this message");
	for (const char *line = raw; line; line = end ? end + strlen(INDENT) : NULL) {
		AUTOFREE char *shown = NULL;

		end = strstr(line, INDENT);
		shown = printable_line((struct span){line, end ? (size_t)(end - line) : strlen(line)});
		strbuf_printf(&text, "%s%s", line == raw ? "" : INDENT, shown);
	}
	return xstrdup(text.p);
}

void message(const char *fmt, ...)
{
	AUTOFREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = printable_text(fmt, ap);
	va_end(ap);
	fprintf(stderr, "%smalitop: %s\n", in_progress ? CLEAR_LINE : "", text);
	in_progress = false;
}

void message_lines(const char *text)
{
	struct span rest = span_of(text);

	message_progress_end();
	while (rest.n) {
		AUTOFREE char *shown = printable_line(span_until(&rest, '\n'));

		fprintf(stderr, "%s\n", shown);
	}
}

void message_text(const char *text, size_t n)
{
	if (!n)
		return;
	message_progress_end();
	fwrite(text, 1, n, stderr);
}

void message_progress(const char *fmt, ...)
{
	AUTOFREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = printable_text(fmt, ap);
	va_end(ap);
	fprintf(stderr, CLEAR_LINE "%s", text);
	in_progress = true;
}

void message_progress_end(void)
{
	if (in_progress)
		fputs(CLEAR_LINE, stderr);
	in_progress = false;
}
