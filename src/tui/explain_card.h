/* explain_card: the meaning of the selected number or finding, over the view that shows it. It
 * scrolls if it does not fit. Thread: ui. */
#ifndef MALITOP_EXPLAIN_CARD_H
#define MALITOP_EXPLAIN_CARD_H

#include "tui/screen.h"
#include "views/canvas.h"

struct explain_card {
	const struct finding_def *finding; /* NULL: a metric, or the selected row of the screen */
	char metric[64];                   /* name of the metric; "" for the selected row */
	int scroll, scroll_max, page;      /* lines; scroll_max and page are set by the last draw */
};

/* Draw the card over the canvas, and remove the hits that it covers. alert: the line to show now,
 * or NULL. Returns false, with nothing drawn, if there is nothing to explain. */
bool explain_card_draw(struct explain_card *card, struct screen *screen, const struct alert *alert,
		       struct canvas *canvas);
/* Handle a key while the card is shown. Enter shows the next view that has the metric. A message
 * for the user is appended to *said. */
enum key_answer explain_card_key(struct explain_card *card, struct screen *screen, uint32_t key,
				 struct strbuf *said);

/* Append the formula or condition of the card's subject, if it has one; return its metric, or
 * NULL. */
void explain_card_expression(const struct explain_card *card, struct screen *screen, struct strbuf *out);
const struct metric *explain_card_metric(const struct explain_card *card, const struct screen *screen);

#endif
