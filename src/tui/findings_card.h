/* findings_card: the findings that hold or held in the last minute, the worst first, with what was
 * checked and is fine, and what came and went. Thread: ui. */
#ifndef MALITOP_FINDINGS_CARD_H
#define MALITOP_FINDINGS_CARD_H

#include "tui/screen.h"
#include "views/canvas.h"

#define FINDINGS_CARD_MOST 64

struct findings_card {
	bool shows_muted;
	int at, first, page; /* the selected one; the first line, and how many findings were drawn */
	const struct judged *rows[FINDINGS_CARD_MOST]; /* of the last draw */
	int n;
};

/* Draw it over the whole canvas; alert: the line to show now, or NULL. */
void findings_card_draw(struct findings_card *card, struct screen *screen, const struct alert *alert,
			struct canvas *canvas);
/* Handle a key while it is shown. Enter closes it and shows the view of the selected finding; a key
 * that shows another view closes it, too. A message for the user is added to *said. */
enum key_answer findings_card_key(struct findings_card *card, struct screen *screen, uint32_t key,
				  struct strbuf *said);
/* The selected finding; NULL if there is none. */
const struct finding_def *findings_card_selected(const struct findings_card *card);

/* findings_around.c: the panels below. Rows that they can use; draw them. */
int findings_around_rows(const struct screen *screen, int cols);
void findings_around_draw(const struct screen *screen, struct canvas *canvas, struct rect r);

#endif
