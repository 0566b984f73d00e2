/* Folded stacks of running code, for flame graphs: a line per stack with its frames from the root
 * on, ';' between them, and the number of its samples. */
#include "export/export_priv.h"

#include "hot/hot_table.h"

static bool folded_check(const struct export_table *table, struct err *err)
{
	for (unsigned s = 0; s < table->n_sources; s++)
		if (table->sources[s].kind == SOURCE_HOT)
			return true;
	return err_set(err, 0, "folded: this log has no samples of running code: record it with --hot");
}

static void folded_end(const struct export_table *table, struct strbuf *out)
{
	static const struct hot_scope all = {0};

	hot_fold_stacks(table->hot, &all, out);
}

const struct export_format export_folded = {
	.name = "folded", .raw = true, .hot = true, .check = folded_check, .end = folded_end};
