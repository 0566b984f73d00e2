/* worst_card: the longest frames, with what each had more of than others. Thread: ui. */
#ifndef MALITOP_WORST_CARD_H
#define MALITOP_WORST_CARD_H

#include "passes/frame_stats.h"
#include "tui/screen.h"

struct worst_card {
	int at, first, page;
	double number; /* of the selected frame: it stays selected when a longer one comes; 0: the first */
};

/* Draw it over the whole canvas. wall_ns: CLOCK_REALTIME minus the clock of the frames. */
void worst_card_draw(struct worst_card *card, struct screen *screen, const struct frame_stats *stats,
		     int64_t wall_ns, const struct alert *alert, struct canvas *canvas);
/* Handle a key while it is shown. Enter is the caller's. */
enum key_answer worst_card_key(struct worst_card *card, const struct frame_stats *stats, uint32_t key);
/* The selected frame; NULL if there is none. */
const struct frame_facts *worst_card_selected(const struct worst_card *card, const struct frame_stats *stats);

#endif
