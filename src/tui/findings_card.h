/* findings_card: the findings that hold or held in the last minute, the worst first. Thread: ui. */
#ifndef MALITOP_FINDINGS_CARD_H
#define MALITOP_FINDINGS_CARD_H

#include "tui/screen.h"
#include "views/canvas.h"

#define FINDINGS_CARD_MOST 64

struct findings_card {
	bool shown;
	int at, first, page; /* the selected one; the first one and how many were drawn */
	const struct judged *rows[FINDINGS_CARD_MOST]; /* of the last draw */
	int n;
	const struct views *views; /* of the last draw */
};

/* Draw it over the whole canvas; alert: the line to show now, or NULL. */
void findings_card_draw(struct findings_card *card, struct screen *screen, const char *alert,
			struct canvas *canvas);
/* Handle a key while it is shown: false for one that it does not handle (Ctrl-C, `i`). Enter closes
 * it and shows the view of the selected finding. A message for the user is added to *said. */
bool findings_card_key(struct findings_card *card, struct screen *screen, uint32_t key, struct strbuf *said);
/* The selected finding; NULL if there is none. */
const struct finding_def *findings_card_selected(const struct findings_card *card);

#endif
