/* gpudb_parse: what the readers of the single stanzas share. Internal to src/model. */
#ifndef MALITOP_GPUDB_PARSE_H
#define MALITOP_GPUDB_PARSE_H

#include "base/stanza.h"
#include "model/gpudb.h"

/* Reads one stanza: `open` is its first line; it reads the fields and puts back what follows. */
typedef bool stanza_parse_fn(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err);

stanza_parse_fn gpu_parse, layout_parse, metric_parse, slots_parse, template_parse, section_parse, chart_parse;

/* A copy of a piece of text that lives as long as the db. */
const char *gpudb_string(struct gpudb *db, struct span s);
/* Memory that lives as long as the db. */
void *gpudb_alloc(struct gpudb *db, size_t n);

/* One field of a stanza, for a table of them. `thing` is what the stanza fills. */
struct field {
	const char *key;
	bool (*parse)(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line, struct err *err);
};
/* Read the fields of a stanza by the table (ends with a NULL key) until the next stanza. An unknown field is an error that lists
 * the known ones. */
bool fields_parse(struct gpudb *db, void *thing, const struct field *fields, struct stanza *s, struct err *err);

/* "@SET rest": takes the set off *text; the empty set if there is none. Words are checked to be families or look like names. */
bool gpu_set_parse(const struct stanza *s, unsigned line, struct span *text, struct gpu_set *set, struct err *err);

/* The field's continuation rows joined to its value by blanks; in the db's memory. */
bool text_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *line, struct span *text, struct err *err);

/* After the last file: connect products with layouts, check what can only be checked now. */
bool gpudb_link(struct gpudb *db, struct err *err);

/* Position in metrics[] of a definition by name, or -1. */
int gpudb_metric_index(const struct gpudb *db, struct span name);
/* The definition of that name to fill: an earlier one keeps its place in the order, a new one is appended. */
struct metric_def *gpudb_metric_slot(struct gpudb *db, const char *name);

#endif
