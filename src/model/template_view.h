/* template_view: the rows of a template that one GPU has. */
#ifndef MALITOP_TEMPLATE_VIEW_H
#define MALITOP_TEMPLATE_VIEW_H

#include "model/metric.h"
#include "model/template.h"

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
