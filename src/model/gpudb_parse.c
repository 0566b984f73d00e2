/* What all parsers of stanzas use: memory, fields, texts, sets of GPUs. */
#include "model/gpudb_parse.h"

#include "base/alloc.h"
#include "model/metric.h"

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
	int more;

	while ((more = stanza_more(s, STANZA_FIELD, &line, err)) > 0) {
		const struct gpudb_field *f = fields;

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
		if (!f->read(&(struct field){db, s, &line, err}, (char *)thing + f->offset))
			return false;
	}
	return more == 0;
}

bool field_string(const struct field *f, void *member)
{
	*(const char **)member = gpudb_string(f->db, f->line->value);
	return true;
}

bool field_text(const struct field *f, void *member)
{
	AUTO_STRBUF struct strbuf all = {0};
	struct stanza_line row;
	int more;

	while ((more = stanza_more(f->s, STANZA_ROW, &row, f->err)) > 0) {
		if (!all.n)
			strbuf_add(&all, f->line->value.p, f->line->value.n);
		strbuf_printf(&all, "%s%.*s", all.n ? " " : "", SPAN_ARG(row.text));
	}
	if (more < 0)
		return false;
	*(struct span *)member =
		all.n ? (struct span){gpudb_string(f->db, (struct span){all.p, all.n}), all.n}
		      : f->line->value;
	return true;
}

bool field_text_string(const struct field *f, void *member)
{
	struct span text;

	if (!field_text(f, &text))
		return false;
	*(const char **)member = gpudb_string(f->db, text);
	return true;
}

bool field_choice(const struct field *f, void *member)
{
	static const struct {
		const char *key, *yes, *no;
	} choices[] = {{"cores", "mean", "sum"},
		       {"bounds", "upper", "both"},
		       {"dump", "v4", "v5"},
		       {"only", "no-gpu", ""},
		       {"spare", "yes", ""}};
	struct span value = f->line->value;
	unsigned i = 0;

	while (!span_is(f->line->key, choices[i].key))
		i++;
	*(bool *)member = span_is(value, choices[i].yes);
	return *(bool *)member || (choices[i].no[0] && span_is(value, choices[i].no)) ||
	       field_fail(f, "%.*s '%.*s': expected %s%s%s", SPAN_ARG(f->line->key), SPAN_ARG(value),
			  choices[i].yes, choices[i].no[0] ? " or " : "", choices[i].no);
}

bool gpu_set_parse(const struct field *f, struct span *text, struct gpu_set *set)
{
	struct span word, rest;

	*set = (struct gpu_set){0};
	if (!text->n || text->p[0] != '@')
		return true;
	word = span_word(text);
	*text = span_trim(*text);
	set->words = rest = (struct span){word.p + 1, word.n - 1};
	if (!rest.n || rest.p[rest.n - 1] == ',')
		return field_fail(f, "'%.*s': expected GPUs or families after '@', separated by commas",
				  SPAN_ARG(word));
	while (rest.n)
		if (!span_until(&rest, ',').n)
			return field_fail(f, "'%.*s': an empty name in the GPU set", SPAN_ARG(word));
	return true;
}

bool field_gpus(const struct field *f, void *member)
{
	struct span rest = f->line->value;

	if (rest.n && rest.p[0] == '@')
		return gpu_set_parse(f, &rest, member);
	return field_fail(f, "'%.*s': expected a GPU set such as @G57,5thGen", SPAN_ARG(rest));
}

bool field_variant(const struct field *f, void *member)
{
	struct metric_variant v = {.line = f->line->line}, **list = member;

	if (!field_text(f, &v.text) || !gpu_set_parse(f, &v.text, &v.gpus))
		return false;
	if (!v.text.n)
		return field_fail(f, "'%.*s' is empty", SPAN_ARG(f->line->key));
	while (*list)
		list = &(*list)->next;
	*list = gpudb_alloc(f->db, sizeof(v));
	**list = v;
	return true;
}
