/* findings_card: the findings that hold or held in the last minute, one line each, the worst first.
 * Below them are the selected one and recent events. The last line summarizes the passed checks,
 * and lists them when it is selected. Thread: ui. */
#ifndef MALITOP_FINDINGS_CARD_H
#define MALITOP_FINDINGS_CARD_H

#include "tui/screen.h"
#include "views/canvas.h"

#define FINDINGS_CARD_MOST 64

struct findings_card {
	bool shows_muted;
	bool at_checks;                /* the last row is selected */
	const struct finding_def *def; /* the selected finding; NULL: none */
	int at, first, page;           /* the selected row; first drawn line; number of lines */
	const struct judged *rows[FINDINGS_CARD_MOST]; /* of the last draw */
	int n;
	/* The order of the last draw, and the time since which it differs from the ranking (0: it
	 * does not); both at times of the judge. */
	const struct finding_def *shown[FINDINGS_CARD_MOST];
	int n_shown;
	int64_t shown_ns, differs_ns;
};

/* Draw it over the whole canvas. alert: the line to show now, or NULL. */
void findings_card_draw(struct findings_card *card, struct screen *screen, const struct alert *alert,
			struct canvas *canvas);
/* Handle a key while it is shown. Enter closes it and shows the view of the selected finding; a key
 * of another view closes it, too. A message for the user is appended to *said. */
enum key_answer findings_card_key(struct findings_card *card, struct screen *screen, uint32_t key,
				  struct strbuf *said);
/* Draw a number aligned at its decimal place, and its unit, so that rows line up. */
void findings_put_value(struct canvas *canvas, struct rect r, enum style style, const struct judge_number *n,
			double value);
/* Format "3 min 43 s", brief "3m43". */
void findings_lasted(char text[UNITS_TEXT], int64_t ns, bool brief);

/* Whether the number that the limit is for, or its mean, is beyond it. */
bool findings_beyond(const struct judged *f);

/* findings_below.c: the panels below: a finding, or the passed checks if it is NULL; recent
 * events. */
void findings_below_draw(const struct screen *screen, const struct judged *f, struct canvas *canvas,
			 struct rect r);
/* "26 checked and fine; 5 beyond a limit that does not matter now; 54 without a value" */
void findings_put_checks(const struct screen *screen, struct strbuf *out);

#endif
