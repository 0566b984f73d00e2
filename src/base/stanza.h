/* stanza: the reader of all our text files (doc/data-format.md). It knows lines and indentation,
 * not their meaning.
 *
 * The text is untrusted: line length is limited, control characters are rejected, nothing recurses
 * and nothing is copied.
 */
#ifndef MALITOP_STANZA_H
#define MALITOP_STANZA_H

#include "base/err.h"
#include "base/str.h"

enum stanza_kind {
	STANZA_END,   /* no more lines */
	STANZA_OPEN,  /* column 0: key is the keyword, value its argument */
	STANZA_FIELD, /* indented by 2 or 3: key and value */
	STANZA_ROW,   /* indented by 4 or more: key is the first word, value the rest, text all */
};

struct stanza_line {
	enum stanza_kind kind;
	unsigned line; /* 1-based */
	struct span key, value, text;
};

#define STANZA_LINE_MAX 1023

struct stanza {
	const char *file; /* for messages; not owned */
	struct span rest;
	unsigned line;
	bool in_stanza, in_field;
	bool shipped; /* built into the program, so tests have checked it: its bytes, names and layouts */
	struct stanza_line ahead; /* one line put back */
	bool has_ahead;
};

void stanza_init(struct stanza *s, const char *file, struct span text);

/* Read the next line. Returns false only for a malformed one; the end is a line of kind STANZA_END.
 * Spans point into the text. */
bool stanza_next(struct stanza *s, struct stanza_line *line, struct err *err);
/* Skip the rest of a shipped stanza. */
void stanza_skip(struct stanza *s);
/* Read the next line if it belongs to what was read last. least: STANZA_FIELD for a stanza with its
 * rows, STANZA_ROW for a field. Returns 1; 0 if it belongs to something else, so that stanza_next
 * returns it again; -1 if it is malformed. */
int stanza_more(struct stanza *s, enum stanza_kind least, struct stanza_line *line, struct err *err);

/* Set *err to "file:line: ...". Returns false. */
bool stanza_fail(const struct stanza *s, unsigned line, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
