/* explanation: the meaning of a metric, a finding, a verdict or a constant, as paragraphs. The card
 * on the screen and `malitop explain` print the same ones. */
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

#define EXPLANATION_NAME_COLS 12 /* columns of the names at the left of the paragraphs */

struct explanation_item {
	enum explanation_part part;
	const char *name;            /* "formula", "means"; "" if the name is that of the item before */
	char *text;                  /* not empty, owned */
	const struct metric *metric; /* the operand that the item is about; NULL for none */
	bool holds;                  /* a finding that holds now */
};

struct explanation {
	/* Input besides the names. Any pointer but `db` may be NULL. */
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
/* Explain the finding, verdict, metric or constant with that name, in upper or lower case; all of
 * them if it has several meanings. A metric is also found by its name in hardware or in Streamline,
 * and the metric that is shown under the name of a finding is explained as well. Returns false if
 * there is none. */
bool explanation_named(struct explanation *e, const char *name);
/* Explain the metric that is shown under a name: its title, its short title, or the label of a row,
 * in upper or lower case. Returns false if there is none; *near then lists metrics that share a
 * word with the name. */
bool explanation_shown(struct explanation *e, const char *name, struct strbuf *near);

/* Return the judgement of a finding; NULL without a judge, or if this machine cannot judge it. */
const struct judged *explanation_judged(const struct judge *judge, const struct finding_def *def);

#endif
