/* cores: what the two files of the widget share. Nobody else includes this. */
#ifndef MALITOP_CORES_H
#define MALITOP_CORES_H

#include "views/widget.h"

/* The series of a chart in the order in which they are drawn; at most max. Returns how many. */
unsigned cores_order(const struct chart *chart, const struct view_data *data, unsigned char order[], unsigned max);

/* One row for all cores together. */
void cores_draw_whole(const struct chart *chart, const struct view_data *data, const struct series *series, struct canvas *canvas,
		      struct rect row);

/* The rows of r, each broken down per core; headings go to `free`, which may be empty. false (and nothing drawn) if the source
 * tells nothing per core. */
bool cores_each_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect free,
		     struct rect r, const unsigned char order[], unsigned n);

#endif
