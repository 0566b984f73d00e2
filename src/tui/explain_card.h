/* explain_card: what the selected number or finding means, over the view that shows it. It scrolls
 * where it does not fit. Thread: ui. */
#ifndef MALITOP_EXPLAIN_CARD_H
#define MALITOP_EXPLAIN_CARD_H

#include "tui/screen.h"
#include "views/canvas.h"

struct explain_card {
	const struct finding_def *finding; /* NULL: a metric, or the selected row of the screen */
	char metric[64];                   /* its name; "" for the row */
	int scroll, scroll_max, page;      /* lines; the last two are of the last draw */
};

/* Draw it over what is on the canvas, and remove the hits below it. alert: the line to show now, or
 * NULL. false: there is nothing to explain, and nothing was drawn. */
bool explain_card_draw(struct explain_card *card, struct screen *screen, const struct alert *alert,
		       struct canvas *canvas);
/* Handle a key while it is shown. Enter shows the next view that has the metric. A message for the
 * user is added to *said. */
enum key_answer explain_card_key(struct explain_card *card, struct screen *screen, uint32_t key,
				 struct strbuf *said);

/* What is explained: the expression, with an empty text without one; the metric, NULL for none. */
void explain_card_expression(const struct explain_card *card, struct screen *screen, struct strbuf *out);
const struct metric *explain_card_metric(const struct explain_card *card, const struct screen *screen);

#endif
