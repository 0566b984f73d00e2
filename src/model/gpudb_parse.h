/* gpudb_parse: what the parsers of the stanzas, and the compiler of metrics, share. Internal to
 * src/model. */
#ifndef MALITOP_GPUDB_PARSE_H
#define MALITOP_GPUDB_PARSE_H

#include "base/stanza.h"
#include "model/metric.h"

/* Parse one stanza, whose first line is `open`: read its fields and put the line after them
 * back. */
typedef bool stanza_parse_fn(struct gpudb *db, struct stanza *s, const struct stanza_line *open,
			     struct err *err);

stanza_parse_fn gpu_parse, layout_parse, metric_parse, heading_parse, prometheus_parse, slots_parse,
	template_parse, section_parse, chart_parse, judgement_parse, event_parse, group_parse;

/* Copy a text into memory that lives as long as the db. */
const char *gpudb_string(struct gpudb *db, struct span s);
/* Allocate memory that lives as long as the db. */
void *gpudb_alloc(struct gpudb *db, size_t n);

/* A field of a stanza while it is read. */
struct field {
	struct gpudb *db;
	struct stanza *s;
	const struct stanza_line *line;
	struct err *err;
};
/* Set the error to "file:line: ..." of the field. Returns false. */
#define field_fail(f, ...) stanza_fail((f)->s, (f)->line->line, (f)->err, __VA_ARGS__)

/* How a field is read into a member of the struct that the stanza fills. */
struct gpudb_field {
	const char *key;
	bool (*read)(const struct field *f, void *member);
	size_t offset;
};
/* Read the fields of a stanza by the table (ended by a NULL key) into `thing`, up to the next
 * stanza. The error for an unknown field lists the known ones. */
bool fields_parse(struct gpudb *db, void *thing, const struct gpudb_field *fields, struct stanza *s,
		  struct err *err);

/* Parse a leading "@SET" of *text and remove it. Without one the set is empty: every GPU. An empty
 * name in a set is an error. */
bool gpu_set_parse(const struct field *f, struct span *text, struct gpu_set *set);

/* Readers of fields. Texts have continuation rows, joined by blanks in the db's memory. */
bool field_string(const struct field *f, void *member);      /* const char *: the value */
bool field_text(const struct field *f, void *member);        /* struct span: the text */
bool field_text_string(const struct field *f, void *member); /* const char *: the text */
bool field_choice(const struct field *f, void *member);      /* bool: the first of two words */
bool field_gpus(const struct field *f, void *member);        /* struct gpu_set: "@SET" */
bool field_variant(const struct field *f, void *member);     /* struct metric_variant *: "[@SET] text" */

/* Remove the findings; verdicts, conditions and notes stay. Returns how many of these there are. */
unsigned finding_drop_rules(struct gpudb *db);

/* After the last file: check that the findings name only what exists. */
bool findings_link(struct gpudb *db, struct err *err);

/* After the last file: connect products with their layouts, and check that each has a layout and an
 * id. */
bool gpudb_link(struct gpudb *db, struct err *err);

/* Read the counters of a layout, once. */
void layout_read(struct gpudb *db, struct gpu_layout *layout);
/* Whether a layout has a counter with that hardware, machine or Streamline name. */
bool layouts_have_name(const struct gpudb *db, struct span name);

/* Return the position in metrics[] of a definition by name, or -1. */
int gpudb_metric_index(const struct gpudb *db, struct span name);
/* Return the definition to fill: an existing one of that name keeps its position, a new one is
 * appended. */
struct metric_def *gpudb_metric_slot(struct gpudb *db, const char *name);

/* ---- the meanings of the names in formulas on one source ---- */

enum name_kind { NAME_SLOT, NAME_VECTOR, NAME_CONSTANT, NAME_METRIC };

struct metric_name {
	struct span name;
	enum name_kind kind;
	unsigned at;    /* slot, vector constant, or position of the definition */
	unsigned other; /* the second slot of an ambiguous name; else the same as `at` */
	double number;  /* NAME_CONSTANT */
};

/* The names of slots and constants. Those of formulas are found in db; Streamline's are few in
 * formulas, so they are searched when one is looked up. */
struct metric_names {
	const struct gpudb *db;
	const struct gpu_product *product;
	struct metric_name *entries;
	unsigned n, cap;
	uint16_t *table; /* open addressing: position in entries + 1, 0 for none; size is a power of two */
	unsigned size;
	unsigned n_slots;
	const struct gpu_counter **counters; /* by slot; NULL if the slot is not in the layout */
};

struct metric_names *metric_names_new(const struct gpudb *db, const struct metric_set *set);
void metric_names_free(struct metric_names *names);
/* Returns false if the source does not have that name. */
bool metric_names_find(const struct metric_names *names, struct span name, struct metric_name *found);

/* Return whether any GPU or CPU knows the name. If so, a formula with it is valid, but not for this
 * source. */
bool metric_name_known(const struct gpudb *db, struct span name);

/* metric_parse.c: "above 2"; NaN for "above budget", the time of a frame */
bool metric_alert_parse(struct span text, const struct unit *unit, enum alert_side *side, double *at);
/* metric_eval.c: find the instances of a finished set, and the kinds of instances that each metric
 * can be broken down by. */
void metric_instances_find(struct metric_set *set);

#endif
