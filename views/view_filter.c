/* A view with only those rows that a filter wants. */
#include "views/chart.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static bool fits_filter(const struct series *s, const char *text)
{
	return strcasestr(s->label, text) || strcasestr(s->metric->def->name, text) ||
	       strcasestr(s->metric->def->title, text);
}

/* The series and the parts of its bar: all stay if one fits. */
static unsigned add_group(struct chart *to, const struct chart *from, unsigned at, const char *text)
{
	unsigned n = 1 + from->series[at].n_parts;
	bool fits = false;

	n = n > from->n_series - at ? from->n_series - at : n;
	for (unsigned i = 0; i < n; i++)
		fits = fits || fits_filter(&from->series[at + i], text);
	if (fits)
		memcpy(to->series + to->n_series, from->series + at, n * sizeof(*to->series));
	to->n_series += fits ? n : 0;
	return n;
}

struct view *view_filter(const struct view *view, const char *text)
{
	struct view *some = xcalloc(1, sizeof(*some));

	*some = *view;
	some->charts = xcalloc(view->n_charts + 1, sizeof(*some->charts));
	some->n_charts = 0;
	for (unsigned i = 0; i < view->n_charts; i++) {
		const struct chart *from = &view->charts[i];
		struct chart *to = &some->charts[some->n_charts];

		*to = *from;
		to->series = xcalloc(from->n_series + 1, sizeof(*to->series));
		to->n_series = 0;
		for (unsigned at = 0; at < from->n_series;)
			at += add_group(to, from, at, text);
		if (to->n_series)
			some->n_charts++;
		else
			free(to->series);
	}
	return some;
}

void view_free(struct view *view)
{
	if (view)
		view_fini(view);
	free(view);
}
