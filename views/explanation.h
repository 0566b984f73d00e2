/* explanation: what a metric, a finding, a verdict or a constant means, as paragraphs. The card of
 * the screen and `malitop explain` print the same ones. */
#ifndef MALITOP_EXPLANATION_H
#define MALITOP_EXPLANATION_H

#include "model/finding.h"
#include "model/judge.h"
#include "views/view.h"

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
	char *text;                  /* not empty, owned */
	const struct metric *metric; /* the operand that the item is about; NULL for none */
	bool holds;                  /* a finding that holds now */
};

struct explanation {
	/* What is known besides the definitions. Any pointer but `db` may be NULL. */
	const struct gpudb *db;
	const struct gpu_product *product; /* NULL: every variant is shown */
	const struct views *views;         /* where metrics are shown */
	const struct metric_set *set;      /* of the source whose values these are */
	const double *vector;              /* n_vector values of that set: what operands are now */
	const struct judge *judge;         /* which findings hold now */
	/* What was written; begin with zeros. */
	struct explanation_item *items;
	unsigned n, cap;
	enum explanation_part part; /* of the next item */
};

void explanation_fini(struct explanation *e);
void explanation_metric(struct explanation *e, const struct metric_def *def);
void explanation_finding(struct explanation *e, const struct finding_def *def);
/* Write what has that name: a finding, a verdict, a metric, its name in hardware or in Streamline,
 * or a constant. Returns false if there is none. */
bool explanation_named(struct explanation *e, const char *name);
/* Write the metric that is shown under a name: its title, its short title, or the label of a row,
 * in any case of letters. Returns false if there is none; then *near gets those that have a word of
 * it. */
bool explanation_shown(struct explanation *e, const char *name, struct strbuf *near);

/* What a judge makes of a finding; NULL if this machine cannot judge it, or without a judge. */
const struct judged *explanation_judged(const struct judge *judge, const struct finding_def *def);

#endif
