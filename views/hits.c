#include "views/hits.h"

#include "base/alloc.h"

#include <stdlib.h>

void hits_fini(struct hits *hits)
{
	free(hits->list);
	*hits = (struct hits){0};
}

void hits_add(struct hits *hits, const struct hit *hit)
{
	if (!hits)
		return;
	GROW(hits->list, hits->n, hits->room);
	hits->list[hits->n++] = *hit;
}

static const struct hit *last_at(const struct hits *hits, int x, int y, bool rows_only)
{
	for (unsigned i = hits->n; i-- > 0;) {
		const struct rect *r = &hits->list[i].at;

		if (x >= r->x && x < r->x + r->w && y >= r->y && y < r->y + r->h &&
		    (!rows_only || hits->list[i].kind == HIT_ROW))
			return &hits->list[i];
	}
	return NULL;
}

const struct hit *hits_at(const struct hits *hits, int x, int y)
{
	return last_at(hits, x, y, false);
}

const struct hit *hits_row_at(const struct hits *hits, int x, int y)
{
	return last_at(hits, x, y, true);
}

bool subject_same(const struct row_subject *a, const struct row_subject *b)
{
	return a->chart == b->chart && a->series == b->series && a->metric == b->metric &&
	       a->instance == b->instance && a->item == b->item;
}

int64_t hits_moment(const struct hit *graph, int x)
{
	int last = graph->at.x + graph->at.w - 1, back = x < graph->at.x ? graph->at.w - 1 : last - x;

	return graph->end_ns - (back > 0 ? back : 0) * graph->cell_ns;
}

int hits_row(const struct hits *hits, const struct row_subject *subject)
{
	for (unsigned i = 0; i < hits->n; i++)
		if (hits->list[i].kind == HIT_ROW && subject_same(&hits->list[i].subject, subject))
			return (int)i;
	return -1;
}

int hits_next_row(const struct hits *hits, int from, int by)
{
	for (int i = from + by; i >= 0 && i < (int)hits->n; i += by)
		if (hits->list[i].kind == HIT_ROW)
			return i;
	return -1;
}
