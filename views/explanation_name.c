/* The metric of a name that stands on a screen. */
#include "views/explanation.h"

#include "model/embed.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NEAR_MOST 6
#define WORD_MIN 3 /* letters of a word that is looked for */

/* A search, and what it has found so far. */
struct name_search {
	const struct explanation_scene *scene;
	struct span name;
	const struct metric_def *found;
	struct strbuf *near;
	unsigned n_near;
};

static bool is_same(struct span a, struct span b)
{
	return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

static bool has_text(struct span text, struct span part)
{
	for (size_t i = 0; part.n && i + part.n <= text.n; i++)
		if (strncasecmp(text.p + i, part.p, part.n) == 0)
			return true;
	return false;
}

/* Take the next run of letters and digits off *rest; empty at the end. */
static struct span next_part(struct span *rest)
{
	size_t from = 0, n = 0;
	struct span part;

	while (from < rest->n && !isalnum((unsigned char)rest->p[from]))
		from++;
	while (from + n < rest->n && isalnum((unsigned char)rest->p[from + n]))
		n++;
	part = (struct span){rest->p + from, n};
	*rest = (struct span){rest->p + from + n, rest->n - from - n};
	return part;
}

/* Whether the text has all words of the name: in the first look, or one of them. */
static bool is_near(struct span text, struct span name, bool all)
{
	struct span part;
	bool any = false;

	while ((part = next_part(&name)).n) {
		bool has = part.n >= WORD_MIN && has_text(text, part);

		if (all && !has)
			return false;
		any = any || has;
	}
	return any;
}

static void add_near(struct name_search *s, const struct metric_def *def)
{
	size_t n = strlen(def->name);
	const char *at = s->near->p ? strstr(s->near->p, def->name) : NULL;

	if (at && (at[n] == ',' || at[n] == ' ' || !at[n]))
		return;
	if (s->n_near++ < NEAR_MOST)
		strbuf_printf(s->near, "%s%s (%s)", s->near->n ? ", " : "", def->name, def->title);
}

/* Of the alternatives of a row, the one that the GPU has. */
static const struct metric_def *row_metric(const struct explanation_scene *scene, struct span names)
{
	const struct metric_def *first = NULL, *def;
	struct span word;

	while ((word = span_word(&names)).n) {
		def = metric_def_find(scene->db, word);
		first = first ? first : def;
		if (def && scene->set && metric_find(scene->set, word))
			return def;
	}
	return first;
}

typedef void look_fn(struct name_search *s, const struct metric_def *def, struct span shown);

/* Every label of the shipped screens: "series NAMES | label / brief | ...". */
static void look_at_labels(struct name_search *s, look_fn *look)
{
	for (const struct embedded *e = embedded_charts; e->file; e++) {
		struct span rest = {e->begin, (size_t)(e->end - e->begin)};

		while (rest.n) {
			struct span line = span_until(&rest, '\n'), key = span_word(&line), names, label;
			const struct metric_def *def;

			if (!span_is(key, "series") && !span_is(key, "sub"))
				continue;
			names = span_until(&line, '|');
			label = span_until(&line, '|');
			def = row_metric(s->scene, names);
			while (def && label.n)
				look(s, def, span_trim(span_until(&label, '/')));
		}
	}
}

static void look_at_titles(struct name_search *s, look_fn *look)
{
	for (unsigned i = 0; i < s->scene->db->n_metrics; i++) {
		const struct metric_def *def = &s->scene->db->metrics[i];

		look(s, def, span_of(def->name));
		look(s, def, span_of(def->short_title));
		look(s, def, span_of(def->title));
	}
}

static void look_for_same(struct name_search *s, const struct metric_def *def, struct span shown)
{
	if (!s->found && is_same(shown, s->name))
		s->found = def;
}

static void look_for_all(struct name_search *s, const struct metric_def *def, struct span shown)
{
	if (is_near(shown, s->name, true))
		add_near(s, def);
}

static void look_for_some(struct name_search *s, const struct metric_def *def, struct span shown)
{
	if (is_near(shown, s->name, false))
		add_near(s, def);
}

const struct metric_def *explanation_named(const struct explanation_scene *scene, const char *name,
					   struct strbuf *near)
{
	static look_fn *const looks[] = {look_for_same, look_for_all, look_for_some};
	struct name_search s = {.scene = scene, .name = span_trim(span_of(name)), .near = near};

	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]) && !s.found && !s.n_near; i++) {
		look_at_titles(&s, looks[i]);
		look_at_labels(&s, looks[i]);
	}
	return s.found;
}
