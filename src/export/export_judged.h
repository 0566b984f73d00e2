/* export_judged: follows a judge, so that a format can show when the verdict and each finding
 * held. */
#ifndef MALITOP_EXPORT_JUDGED_H
#define MALITOP_EXPORT_JUDGED_H

#include "export/export.h"

struct export_judged {
	unsigned char *told; /* what was written of each verdict, then of each finding; owned */
	int64_t at_ns;       /* the end of the judge's last step then */
};

/* Append what began and ended since the last call, the ends first. `last`: let everything end. */
void export_judged_step(struct export_judged *judged, const struct export_table *table,
			const struct export_format *format, bool last, struct strbuf *out);

#endif
