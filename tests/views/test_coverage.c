/* Whatever a GPU's profiling template has is drawn in a chart of a view. The table of counters does
 * not count: it has everything. */
#include "tests/support/board.h"

static bool is_drawn(const struct views *views, const struct metric *metric)
{
	for (unsigned i = 0; i < views->n_views; i++)
		for (unsigned k = 0; k < views->views[i].n_charts; k++) {
			const struct chart *chart = &views->views[i].charts[k];

			for (unsigned s = 0; chart->widget != &widget_table && s < chart->n_series; s++)
				if (chart->series[s].metric == metric || chart->series[s].beside == metric)
					return true;
		}
	return false;
}

TEST(every_metric_of_every_template_is_drawn_in_a_view)
{
	struct gpudb *db = shipped();
	AUTO_STRBUF struct strbuf missing = {0};

	for (unsigned i = 0; i < db->n_products; i++) {
		struct template_view templ;
		struct board b;

		board_init(&b, db, db->products[i].name, 0, 0);
		template_view_init(&templ, db, b.set);
		assert_true(templ.n_rows > 0);
		for (unsigned row = 0; row < templ.n_rows; row++)
			if (templ.rows[row].metric && !is_drawn(&b.views, templ.rows[row].metric))
				strbuf_printf(&missing, "%s: %s %s\n", db->products[i].name,
					      templ.rows[row].number, templ.rows[row].metric->def->name);
		template_view_fini(&templ);
		board_fini(&b);
	}
	gpudb_free(db);
	if (missing.n)
		fail_msg("in no view:\n%s", missing.p);
}
