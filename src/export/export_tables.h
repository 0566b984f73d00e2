/* export_tables: what one row per sample cannot hold, as tables of their own: CSV, one file each.
 * The times are those of the samples: seconds since the epoch, of the begin. */
#ifndef MALITOP_EXPORT_TABLES_H
#define MALITOP_EXPORT_TABLES_H

#include "export/export.h"

struct export_table_file {
	const char *name; /* "frames"; NULL after the last */
	const struct export_format *format;
};
extern const struct export_table_file export_table_files[];

#endif
