/* Shared by export.c and export_columns.c; no other file includes this. */
#ifndef MALITOP_EXPORT_PRIV_H
#define MALITOP_EXPORT_PRIV_H

#include "app/export.h"

#define EXPORT_COMMAND_COLUMNS 3 /* user and system time, status */

/* Fill the columns of a table whose options and sources are there. On failure some may be there: the caller frees them. */
bool export_columns(struct export_table *table, struct err *err);

#endif
