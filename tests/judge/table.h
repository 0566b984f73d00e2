/* table: raw counter tables made of ratios (*.tables). A table has variables, each a formula over
 * others, and inherits those that it does not have itself; the counters of its GPU are variables of
 * that name. So a case changes a ratio and every counter follows. */
#ifndef MALITOP_TEST_TABLE_H
#define MALITOP_TEST_TABLE_H

#include "base/str.h"
#include "model/gpudb.h"

struct variable {
	struct span name, text;
	unsigned line;
};

struct ratio_table {
	struct span name;
	const struct ratio_table *from; /* NULL: none */
	struct variable *variables;
	unsigned n, cap;
	unsigned line;
};

struct tables {
	char **texts; /* of the files */
	unsigned n_texts, cap_texts;
	struct ratio_table *list;
	unsigned n;
};

/* Append the tables and cases of a file; the test fails for what it does not understand. At most
 * 256 tables. */
void tables_read(struct tables *tables, const char *path);
void tables_fini(struct tables *tables);
/* Return what a table says of a name, as text; empty if neither it nor what it is from does. */
struct span table_text(const struct ratio_table *table, const char *name);
/* Return its value; NaN if it does not have it. The test fails for a formula that is wrong. */
double table_value(const struct ratio_table *table, const char *name);
/* Fail if a counter is beyond what bounds it. */
void table_check(const struct ratio_table *table);
/* Write it as the raw counter table that eval reads: one row for each instance. */
void table_write(const struct ratio_table *table, const struct gpu_layout *layout, struct strbuf *out);

#endif
