#include "model/cpu_event.h"

#include "base/alloc.h"
#include "model/gpudb_parse.h"
#include "model/metric.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

/* ---- stanzas `event` and `group` ---- */

static const struct gpudb_field event_fields[] = {
	{"help", field_text_string, offsetof(struct cpu_event, help)}, {0}};

bool event_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct span help = open->value;
	struct cpu_event event = {.name = gpudb_string(db, span_word(&help))};

	event.help = gpudb_string(db, span_trim(help));
	if (!fields_parse(db, &event, event_fields, s, err))
		return false;
	GROW(db->events, db->n_events, db->cap_events);
	db->events[db->n_events++] = event;
	return true;
}

static const struct gpudb_field group_fields[] = {
	{"title", field_text_string, offsetof(struct cpu_group, title)},
	{"metrics", field_text, offsetof(struct cpu_group, metrics)},
	{0}};

bool group_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct cpu_group group = {.name = gpudb_string(db, open->value)};

	if (!fields_parse(db, &group, group_fields, s, err))
		return false;
	if (!group.title || !group.metrics.n)
		return stanza_fail(s, open->line, err, "group %s: expected the fields 'title' and 'metrics'",
				   group.name);
	GROW(db->groups, db->n_groups, db->cap_groups);
	db->groups[db->n_groups++] = group;
	return true;
}

/* The last stanza of a name counts: a user's file replaces what is shipped. */
const struct cpu_event *cpu_event_find(const struct gpudb *db, const char *name)
{
	for (unsigned i = db->n_events; i-- > 0;)
		if (strcmp(db->events[i].name, name) == 0)
			return &db->events[i];
	return NULL;
}

const struct cpu_group *cpu_group_find(const struct gpudb *db, struct span name)
{
	for (unsigned i = db->n_groups; i-- > 0;)
		if (span_is(name, db->groups[i].name))
			return &db->groups[i];
	return NULL;
}

void cpu_group_names(const struct gpudb *db, struct strbuf *out)
{
	for (unsigned i = 0; i < db->n_groups; i++)
		if (cpu_group_find(db, span_of(db->groups[i].name)) == &db->groups[i])
			strbuf_printf(out, "%s%s", out->n ? ", " : "", db->groups[i].name);
}

/* ---- needs ---- */

#define DEPTH_MAX 4 /* of metrics whose formulas name metrics */

static void add_slot(struct metric_needs *needs, struct span slot, bool named)
{
	for (unsigned i = 0; i < needs->n; i++)
		if (span_eq(needs->needs[i].slot, slot)) {
			needs->needs[i].named |= named;
			return;
		}
	GROW(needs->needs, needs->n, needs->cap);
	needs->needs[needs->n++] = (struct metric_need){slot, named};
}

/* Remove the next word of a formula: a name, or a single other character. */
static struct span formula_word(struct span *rest)
{
	size_t n = 0;

	while (n < rest->n && (isalnum((unsigned char)rest->p[n]) || rest->p[n] == '_' || rest->p[n] == '$'))
		n++;
	n = n ? n : 1;
	*rest = (struct span){rest->p + n, rest->n - n};
	return (struct span){rest->p - n, n};
}

static void add_name(const struct gpudb *db, struct metric_needs *needs, struct span name, bool named,
		     unsigned depth)
{
	int at = gpudb_metric_index(db, name);

	for (unsigned i = 0; i < db->n_slot_names; i++)
		if (span_eq(db->slot_names[i], name)) {
			add_slot(needs, db->slot_names[i], named);
			return;
		}
	if (at >= 0 && depth < DEPTH_MAX)
		for (const struct metric_variant *v = db->metrics[at].exprs; v; v = v->next)
			for (struct span rest = v->text; rest.n;)
				add_name(db, needs, formula_word(&rest), named, depth + 1);
}

static void add_pattern(const struct gpudb *db, struct metric_needs *needs, struct span pattern)
{
	const char *point = memchr(pattern.p, '.', pattern.n);
	AUTOFREE char *text =
		span_dup(point ? (struct span){pattern.p, (size_t)(point - pattern.p)} : pattern);
	bool glob = strpbrk(text, "*?[\\") != NULL;

	if (!glob)
		add_name(db, needs, (struct span){pattern.p, strlen(text)}, true, 0);
	for (unsigned i = 0; glob && i < db->n_metrics; i++)
		if (fnmatch(text, db->metrics[i].name, 0) == 0)
			add_name(db, needs, span_of(db->metrics[i].name), false, 0);
}

void metric_needs_add(const struct gpudb *db, struct metric_needs *needs, struct span metrics)
{
	struct span item;

	while ((item = span_item(&metrics)).n)
		add_pattern(db, needs, item);
}
