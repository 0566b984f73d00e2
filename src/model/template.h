/* template: the profiling template of a GPU: section > chart > row, in the guide's order and with
 * its numbers. */
#ifndef MALITOP_TEMPLATE_H
#define MALITOP_TEMPLATE_H

#include "model/metric.h"

#define TEMPLATE_NUMBER 16 /* bytes of "2.2.1" */

/* A row as written, with its chart and section. */
struct template_row_def {
	const char *section, *chart; /* titles */
	const char *number;          /* "2.2.1" */
	struct span names;           /* "A / B": alternatives */
	const char *title;           /* NULL: the metric's */
	const char *unit_name;       /* NULL: the metric's */
};

struct metric_template {
	const char *name;          /* Mali-G52 */
	struct span families;      /* "Bifrost,Valhall-JM" */
	struct span adds_family;   /* GPUs of this family also get the rows of ... */
	const char *adds_template; /* ... this template that they have; NULL: none */
	bool cores_mean;           /* core counters in the guide are means over the cores */
	bool upper_bound_only;     /* percentages are limited to 100, but not to 0 */
	const char *file;
	struct template_row_def *rows;
	unsigned n_rows, cap_rows;
	struct template_row_def open; /* while reading: the section and chart of the next rows */
};

/* Return the template for a product; NULL if its family has none. */
const struct metric_template *template_for(const struct gpudb *db, const struct gpu_product *product);
/* Return the template of the product's own guide; NULL if it has none. */
const struct metric_template *template_guide_of(const struct gpudb *db, const struct gpu_product *product);

/* The template of one GPU. */
struct template_row {
	const struct template_row_def *def;
	char number[TEMPLATE_NUMBER]; /* "2.2.1"; additions follow their chart */
	const char *section, *chart;  /* titles */
	const char *title;            /* the guide's, else the metric's */
	const char *unit_name;        /* likewise; percent where the value is a percentage */
	const struct metric *metric;  /* NULL for CPU rows when the set is a GPU's */
};

struct template_view {
	const struct metric_template *parent;
	struct template_row *rows;
	unsigned n_rows;
};

/* List the rows of the template that the set has, without CPU rows. Free it with
 * template_view_fini. */
void template_view_init(struct template_view *view, const struct gpudb *db, const struct metric_set *set);
void template_view_fini(struct template_view *view);

#endif
