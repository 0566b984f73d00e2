/* export_slices: the frames, passes and regions of a passes source in a trace. */
#ifndef MALITOP_EXPORT_SLICES_H
#define MALITOP_EXPORT_SLICES_H

#include "export/export.h"

#define SLICES_LANES 4 /* of one frame; passes that find none are left out */
#define SLICES_THREADS 8
#define SLICES_TRACKS (1 + 2 * SLICES_LANES + SLICES_THREADS) /* ids, from `frames` on */

/* Write the tracks below that of the source. */
void slices_begin(const struct export_table *table, uint64_t parent, uint64_t frames, struct strbuf *out);
void slices_sample(const struct export_table *table, unsigned source, uint64_t frames,
		   const struct sample *sample, struct strbuf *out);

#endif
