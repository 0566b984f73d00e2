/* labels: the debug labels around what is recorded, in their nesting. Thread: the owner's. */
#ifndef MALITOP_LAYER_LABELS_H
#define MALITOP_LAYER_LABELS_H

#include "passes/passes.h"

#define LABELS_DEEP 8

/* Zero-initialised: none. Labels that are deeper are counted only. */
struct debug_labels {
	unsigned n;
	uint16_t names[LABELS_DEEP];
	char paths[LABELS_DEEP][PASSES_TEXT + 1];
};

/* Begin a label; text may be NULL. Its name is "shadow/cascade2" within the label "shadow". A label
 * with a digit is not put before others: engines number frames, and there is no room for a name per
 * frame. Neither is one with which the name would be too long. */
void labels_push(struct debug_labels *labels, const char *text);
void labels_pop(struct debug_labels *labels);
/* The name of the innermost label; 0 without one. */
uint16_t labels_name(const struct debug_labels *labels);

#endif
