/* The selected row, and the panel that is shown alone. */
#include "tui/screen.h"

#include "base/alloc.h"
#include "views/view.h"
#include "views/widget.h"

#include <stdio.h>
#include <string.h>

const struct row_subject *screen_selected(const struct screen *screen)
{
	return screen->selected.chart ? &screen->selected : NULL;
}

void screen_select(struct screen *screen, const struct row_subject *subject)
{
	screen->selected = subject ? *subject : (struct row_subject){0};
	screen->scroll.follow = subject != NULL;
}

bool screen_move(struct screen *screen, int by)
{
	const struct hits *hits = &screen->hits;
	int from = screen->selected.chart ? hits_row(hits, &screen->selected) : -1, next;
	const struct chart *panel;
	struct view_data data;

	if (from < 0 && by < 0)
		from = (int)hits->n;
	next = hits_next_row(hits, from, by);
	if (next >= 0) {
		screen_select(screen, &hits->list[next].subject);
		return true;
	}
	if (!screen->zoom) /* otherwise show the next panel alone */
		return false;
	screen_fill_data(screen, &data);
	panel = view_panel(screen_shown_view(screen), &data, screen->zoom, by);
	if (!panel)
		return false;
	screen->zoom = panel;
	screen->hits.n = 0;
	screen_select(screen, NULL);
	return true;
}

bool screen_fold(struct screen *screen)
{
	const struct row_subject *row = screen_selected(screen);

	if (!row || row->chart->widget != &widget_passes || !row->item || screen->zoom)
		return false;
	view_folds_turn(&screen->folds, row->item);
	return true;
}

bool screen_zoom(struct screen *screen, const struct chart *chart)
{
	const struct row_subject at = screen->selected;

	/* the largest changes are rows of other views: show such a view */
	for (unsigned i = 0; !screen->zoom && !chart && at.chart && at.chart->widget == &widget_changes &&
			     i < screen->compare.n;
	     i++)
		if (screen->compare.rows[i].series == at.series && at.metric) {
			if (screen_show_metric(screen, screen->compare.rows[i].view, at.metric))
				return true;
			break;
		}
	if (screen->zoom)
		chart = NULL;
	else if (!chart)
		chart = screen->selected.chart;
	for (unsigned i = 0; !screen->zoom && !chart && i < screen->hits.n; i++)
		if (screen->hits.list[i].kind == HIT_PANEL)
			chart = screen->hits.list[i].subject.chart;
	if (chart == screen->zoom)
		return false;
	screen->zoom = chart;
	screen->hits.n = 0;
	return true;
}

bool screen_show_metric(struct screen *screen, const struct view *view, const struct metric *metric)
{
	const struct row_subject row = view_row_of(view, metric);

	if (!row.chart)
		return false;
	screen->filter[0] = 0;
	screen_show(screen, view);
	screen_select(screen, &row);
	return true;
}

bool screen_show_finding(struct screen *screen, const struct judged *finding)
{
	const struct view *view = finding ? screen_judge_look(&screen->views, finding->def) : NULL;
	const struct metric *m;

	if (!view)
		return false;
	screen->filter[0] = 0;
	screen_show(screen, view);
	m = finding->number.metric;
	for (unsigned i = 0; !(m && screen_show_metric(screen, view, m)) && i < finding->n_evidence; i++)
		m = finding->evidence[i].metric;
	return true;
}

bool screen_back(struct screen *screen)
{
	if (screen->zoom)
		return screen_zoom(screen, NULL);
	if (screen->filter[0]) {
		screen->filter[0] = 0;
		return true;
	}
	if (!screen->selected.chart)
		return false;
	screen_select(screen, NULL);
	return true;
}

void screen_forget_filtered(struct screen *screen)
{
	view_free(screen->filtered);
	screen->filtered = NULL;
	screen->filtered_by[0] = 0;
}

const struct view *screen_shown_view(struct screen *screen)
{
	bool own_filter = screen_pane(screen) || !strcmp(screen->view->name, "counters") ||
			  !strcmp(screen->view->name, "hot");

	if (strcmp(screen->filtered_by, own_filter ? "" : screen->filter) != 0) {
		screen_forget_filtered(screen);
		snprintf(screen->filtered_by, sizeof(screen->filtered_by), "%s", screen->filter);
		process_pane_filter_busiest(&screen->pane, screen->filter);
		screen->filtered = screen->filter[0] ? view_filter(screen->view, screen->filter) : NULL;
		screen->selected = (struct row_subject){0};
		screen->zoom = NULL;
		screen->hits.n = 0;
	}
	return screen->filtered ? screen->filtered : screen->view;
}
