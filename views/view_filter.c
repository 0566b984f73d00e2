/* A view with only those rows that a filter wants. */
#include "views/chart.h"
#include "views/widget.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Whether a word of the text begins so: "read" of "Bytes read" or "MaliReadBy", but not of
 * "threads". */
static bool begins_word(const char *in, const char *text)
{
	for (const char *at = in; (at = strcasestr(at, text)); at++) {
		char before = at == in ? ' ' : at[-1];

		if (!isalnum((unsigned char)before) ||
		    (islower((unsigned char)before) && isupper((unsigned char)*at)))
			return true;
	}
	return false;
}

static bool has_text(const char *in, const char *text)
{
	return strcasestr(in, text) != NULL;
}

/* Whether a text is in a name. */
typedef bool fits_fn(const char *in, const char *text);

static bool fits_filter(const struct series *s, const char *text, fits_fn *fits)
{
	return fits(s->label, text) || fits(s->metric->def->name, text) || fits(s->metric->def->title, text);
}

/* Words are matched from their start, unless the text is in the middle of words only. */
static fits_fn *choose_match(const struct view *view, const char *text)
{
	for (unsigned i = 0; i < view->n_charts; i++)
		for (unsigned k = 0; k < view->charts[i].n_series; k++)
			if (fits_filter(&view->charts[i].series[k], text, begins_word))
				return begins_word;
	return has_text;
}

/* The series and the parts of its bar: all stay if one fits. */
static unsigned add_group(struct chart *to, const struct chart *from, unsigned at, const char *text,
			  fits_fn *match)
{
	unsigned n = 1 + from->series[at].n_parts;
	bool fits = false;

	n = n > from->n_series - at ? from->n_series - at : n;
	for (unsigned i = 0; i < n; i++)
		fits = fits || fits_filter(&from->series[at + i], text, match);
	if (fits)
		memcpy(to->series + to->n_series, from->series + at, n * sizeof(*to->series));
	to->n_series += fits ? n : 0;
	return n;
}

struct view *view_filter(const struct view *view, const char *text)
{
	struct view *some = xcalloc(1, sizeof(*some));
	fits_fn *match = choose_match(view, text);

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
			at += add_group(to, from, at, text, match);
		if (to->n_series || from->widget == &widget_busiest) /* whose rows are filtered themselves */
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
