#include "base/stanza.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void stanza_init(struct stanza *s, const char *file, struct span text)
{
	*s = (struct stanza){.file = file, .rest = text};
}

bool stanza_fail(const struct stanza *s, unsigned line, struct err *err, const char *fmt, ...)
{
	char what[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(err, 0, "%s:%u: %s", s->file, line, what);
}

/* Return whether any byte is below 0x20 or is 0x7f. Test eight bytes at a time, because every byte
 * of the data files passes here at every start. */
static bool has_control(struct span text)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x80 * ones;
	uint64_t found = 0;

	while (text.n) {
		size_t n = text.n < 8 ? text.n : 8;
		uint64_t v = 0x20 * ones, del;

		memcpy(&v, text.p, n);
		del = v ^ 0x7f * ones;
		found |= (((v - 0x20 * ones) & ~v) | ((del - ones) & ~del)) & high;
		text.p += n;
		text.n -= n;
	}
	return found;
}

static bool check_bytes(const struct stanza *s, struct span text, struct err *err)
{
	if (text.n > STANZA_LINE_MAX)
		return stanza_fail(s, s->line, err, "line of %zu bytes: at most %d are allowed", text.n,
				   STANZA_LINE_MAX);
	if (!has_control(text))
		return true;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c < 0x20 || c == 0x7f)
			return stanza_fail(s, s->line, err,
					   "control character 0x%02x in column %zu: indent with blanks", c,
					   i + 1);
	}
	return true;
}

/* Classify a line by its indentation, and check that this kind is allowed here. */
static bool classify_line(struct stanza *s, struct span text, size_t indent, struct stanza_line *line,
			  struct err *err)
{
	const char *blank = memchr(text.p, ' ', text.n);

	if (indent == 0)
		line->kind = STANZA_OPEN;
	else if (indent == 1)
		return stanza_fail(s, s->line, err,
				   "indented by one blank: expected 0 (stanza), 2 (field) or 4 (row)");
	else
		line->kind = indent < 4 ? STANZA_FIELD : STANZA_ROW;
	if (line->kind == STANZA_FIELD && !s->in_stanza)
		return stanza_fail(s, s->line, err,
				   "field without a stanza: expected a line in column 0 first");
	if (line->kind == STANZA_ROW && !s->in_field)
		return stanza_fail(s, s->line, err,
				   "row without a field: expected a line indented by 2 first");
	s->in_stanza = true;
	s->in_field = line->kind != STANZA_OPEN;
	line->line = s->line;
	line->text = line->key = line->value = text;
	if (blank)
		line->key.n = (size_t)(blank - text.p);
	line->value.p += line->key.n;
	line->value.n -= line->key.n;
	while (line->value.n && *line->value.p == ' ') {
		line->value.p++;
		line->value.n--;
	}
	return true;
}

bool stanza_next(struct stanza *s, struct stanza_line *line, struct err *err)
{
	if (s->has_ahead) {
		s->has_ahead = false;
		*line = s->ahead;
		return true;
	}
	*line = (struct stanza_line){.kind = STANZA_END, .line = s->line};
	while (s->rest.n) {
		struct span text = span_until(&s->rest, '\n');
		size_t indent = 0;

		s->line++;
		if (text.n && text.p[text.n - 1] == '\r')
			text.n--;
		if (!s->shipped && !check_bytes(s, text, err))
			return false;
		while (text.n && text.p[text.n - 1] == ' ')
			text.n--;
		while (indent < text.n && text.p[indent] == ' ')
			indent++;
		text.p += indent;
		text.n -= indent;
		if (text.n && *text.p != '#')
			return classify_line(s, text, indent, line, err);
	}
	line->line = s->line;
	return true;
}

int stanza_more(struct stanza *s, enum stanza_kind least, struct stanza_line *line, struct err *err)
{
	if (!stanza_next(s, line, err))
		return -1;
	if (line->kind >= least)
		return 1;
	s->ahead = *line;
	s->has_ahead = true;
	return 0;
}

void stanza_skip(struct stanza *s)
{
	while (s->rest.n && (*s->rest.p == ' ' || *s->rest.p == '\n' || *s->rest.p == '#')) {
		span_until(&s->rest, '\n');
		s->line++;
	}
}
