/* explanation: what a metric, a finding or a verdict means, as paragraphs. The card of the screen
 * and `malitop explain` show the same ones. */
#ifndef MALITOP_EXPLANATION_H
#define MALITOP_EXPLANATION_H

#include "model/finding.h"
#include "model/judge.h"
#include "views/view.h"

/* What is known besides the definitions. Any pointer but `db` may be NULL. */
struct explanation_scene {
	const struct gpudb *db;
	const struct gpu_product *product; /* NULL: every variant is shown */
	const struct views *views;         /* where metrics are shown */
	const struct metric_set *set;      /* of the source whose values these are */
	const double *vector;              /* n_vector values of that set: what operands are now */
	const struct judge *judge;         /* which findings hold now */
	bool ascii;
};

/* In the order of the paragraphs. */
enum explanation_part {
	EXPLANATION_TITLE,
	EXPLANATION_COMPUTED,
	EXPLANATION_TELLS,
	EXPLANATION_DO,
	EXPLANATION_WHERE,
	EXPLANATION_PARTS
};
extern const char
	*const explanation_part_titles[EXPLANATION_PARTS]; /* "How it is computed"; the first is "" */

#define EXPLANATION_NAME_COLS 12 /* of the names at the left of the paragraphs */

struct explanation_item {
	enum explanation_part part;
	const char *name;            /* "formula", "means"; "" after one of the same name */
	const char *text;            /* not empty */
	const struct metric *metric; /* the operand that the item is about; NULL for none */
	bool holds;                  /* a finding that holds now */
};

/* {0} is empty. */
struct explanation {
	struct explanation_item *items;
	unsigned n, cap;
	char **texts; /* owned */
	unsigned n_texts, cap_texts;
};

void explanation_fini(struct explanation *e);
void explanation_metric(struct explanation *e, const struct explanation_scene *scene,
			const struct metric_def *def);
void explanation_finding(struct explanation *e, const struct explanation_scene *scene,
			 const struct finding_def *def);
void explanation_constant(struct explanation *e, const struct explanation_scene *scene,
			  const struct metric_constant *constant);

/* Return the metric that is shown under a name: its title, its short title, or the label of a row,
 * in any case of letters; NULL for none. Then *near gets those that have a word of it. */
const struct metric_def *explanation_named(const struct explanation_scene *scene, const char *name,
					   struct strbuf *near);

/* Return the metric's row in a view, the first one or where it stands beside another; chart NULL if
 * the view does not show it. */
struct row_subject view_row_of(const struct view *view, const struct metric *metric);
/* Append the names of the views that show it: "queues, memory". */
void views_of_metric(const struct views *views, const struct metric *metric, struct strbuf *out);

#endif
