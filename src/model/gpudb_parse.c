/* What all parsers of stanzas use: memory, fields, texts, sets of GPUs. */
#include "model/gpudb_parse.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK ((size_t)64 << 10)

static char *arena_alloc(struct gpudb *db, size_t n)
{
	char *p;

	if (n > db->arena_left) {
		size_t block = n > ARENA_BLOCK ? n : ARENA_BLOCK;

		GROW(db->owned, db->n_owned, db->cap_owned);
		db->arena = db->owned[db->n_owned++] = xmalloc(block);
		db->arena_left = block;
	}
	p = db->arena;
	db->arena += n;
	db->arena_left -= n;
	return p;
}

void *gpudb_alloc(struct gpudb *db, size_t n)
{
	size_t align = _Alignof(max_align_t), skip = (size_t)(-(uintptr_t)db->arena & (align - 1));

	if (n + skip > db->arena_left)
		db->arena_left = skip = 0; /* a new block is aligned */
	arena_alloc(db, skip);
	return arena_alloc(db, n);
}

const char *gpudb_string(struct gpudb *db, struct span s)
{
	char *p = arena_alloc(db, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = 0;
	return p;
}

bool fields_parse(struct gpudb *db, void *thing, const struct gpudb_field *fields, struct stanza *s,
		  struct err *err)
{
	AUTO_STRBUF struct strbuf known = {0};
	struct stanza_line line;

	for (;;) {
		const struct gpudb_field *f = fields;

		if (!stanza_next(s, &line, err))
			return false;
		if (line.kind == STANZA_OPEN || line.kind == STANZA_END) {
			stanza_back(s, &line);
			return true;
		}
		if (line.kind == STANZA_ROW)
			return stanza_fail(s, line.line, err, "row '%.*s': this field has no rows",
					   SPAN_ARG(line.key));
		while (f->key && !span_is(line.key, f->key))
			f++;
		if (!f->key) {
			for (f = fields; f->key; f++)
				strbuf_printf(&known, " %s", f->key);
			return stanza_fail(s, line.line, err, "unknown field '%.*s': expected one of%s",
					   SPAN_ARG(line.key), known.p);
		}
		if (!f->parse(db, thing, s, &line, err))
			return false;
	}
}

bool text_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *line, struct span *text,
		struct err *err)
{
	AUTO_STRBUF struct strbuf all = {0};
	struct stanza_line row;

	for (;;) {
		if (!stanza_next(s, &row, err))
			return false;
		if (row.kind != STANZA_ROW)
			break;
		if (!all.n)
			strbuf_add(&all, line->value.p, line->value.n);
		strbuf_printf(&all, "%s%.*s", all.n ? " " : "", SPAN_ARG(row.text));
	}
	stanza_back(s, &row);
	*text = all.n ? (struct span){gpudb_string(db, (struct span){all.p, all.n}), all.n} : line->value;
	return true;
}

bool gpu_set_parse(const struct stanza *s, unsigned line, struct span *text, struct gpu_set *set,
		   struct err *err)
{
	struct span word, rest;

	*set = (struct gpu_set){0};
	if (!text->n || text->p[0] != '@')
		return true;
	word = span_word(text);
	*text = span_trim(*text);
	set->words = rest = (struct span){word.p + 1, word.n - 1};
	if (!rest.n || rest.p[rest.n - 1] == ',')
		return stanza_fail(s, line, err,
				   "'%.*s': expected GPUs or families after '@', separated by commas",
				   SPAN_ARG(word));
	while (rest.n)
		if (!span_until(&rest, ',').n)
			return stanza_fail(s, line, err, "'%.*s': an empty name in the GPU set",
					   SPAN_ARG(word));
	return true;
}

bool gpu_field_parse(const struct stanza *s, const struct stanza_line *line, struct gpu_set *set,
		     struct err *err)
{
	struct span rest = line->value;

	if (rest.n && rest.p[0] == '@')
		return gpu_set_parse(s, line->line, &rest, set, err);
	return stanza_fail(s, line->line, err, "'%.*s': expected a GPU set such as @G57,5thGen",
			   SPAN_ARG(rest));
}
