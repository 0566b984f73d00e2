/* template: the profiling template of a GPU: section > chart > row, in the guide's order and with its numbers. */
#ifndef MALITOP_TEMPLATE_H
#define MALITOP_TEMPLATE_H

#include "model/gpudb.h"
#include "model/metric.h"

/* As written; rows in document order, each with its chart and section. */
struct template_row_def {
	const char *section, *chart;       /* titles */
	const char *section_no, *chart_no; /* "2", "2.2" */
	const char *number;                /* "2.2.1" */
	struct span names;                 /* "A / B": alternatives */
	const char *title;                 /* NULL: the metric's */
	const char *unit_name;             /* NULL: the metric's */
};

struct metric_template {
	const char *name;          /* Mali-G52 */
	struct span families;      /* "Bifrost,Valhall-JM" */
	struct span adds_family;   /* "Valhall-JM" also gets the metrics */
	const char *adds_template; /* of "Mali-G715" that it has; NULL: none */
	bool cores_mean;           /* the guide means core counters as means over the cores */
	bool upper_bound_only;     /* its percentages are held below 100, but not above 0 */
	const char *file;
	struct template_row_def *rows;
	unsigned n_rows, cap_rows;
	struct template_row_def open; /* while reading: the section and chart that rows belong to */
};

/* The template of one GPU. */
struct template_row {
	const struct template_row_def *def;
	char number[16];               /* "2.2.1"; additions follow their chart */
	const char *section, *chart;   /* titles */
	const char *title, *unit_name; /* the guide's, else the metric's */
	const struct metric *metric;   /* NULL for CPU rows when the set is a GPU's */
};

struct template_view {
	const struct metric_template *parent;
	struct template_row *rows;
	unsigned n_rows;
};

/* The template that a product follows; NULL if none (user GPUs of an unknown family). */
const struct metric_template *template_for(const struct gpudb *db, const struct gpu_product *product);
/* The template by the guide's own GPU; NULL where the GPU has no guide. */
const struct metric_template *template_guide_of(const struct gpudb *db, const struct gpu_product *product);
/* Every row of the template that the set has. The CPU rows are left out. Free with template_view_fini. */
void template_view_init(struct template_view *view, const struct gpudb *db, const struct metric_set *set);
void template_view_fini(struct template_view *view);

#endif
