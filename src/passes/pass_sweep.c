#include "passes/pass_fold.h"

#include <string.h>

/* Frames in flight may still run beside a later one. */
#define FRAMES_BEHIND 2

void sweep_add(struct sweep *s, const struct sweep_span *span)
{
	if (s->n < SPANS_MOST)
		s->spans[s->n++] = *span;
	else
		s->dropped++;
}

/* Passes come almost in order, so this is almost linear. */
static unsigned sort_edges(struct sweep *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 2 * s->n; i++) {
		const struct sweep_span *span = &s->spans[i / 2];
		struct sweep_edge edge = {i & 1 ? span->end_ns : span->begin_ns, (uint16_t)(i / 2), !(i & 1)};
		unsigned at = n++;

		for (; at > 0 && s->edges[at - 1].at_ns > edge.at_ns; at--)
			s->edges[at] = s->edges[at - 1];
		s->edges[at] = edge;
	}
	return n;
}

static void remove_open(struct sweep *s, unsigned *n_open, uint16_t span)
{
	for (unsigned i = 0; i < *n_open; i++)
		if (s->open[i] == span) {
			s->open[i] = s->open[--*n_open];
			return;
		}
}

static bool add_spans(const struct sweep *s, uint64_t frame, uint64_t rows[PASS_ROWS][ROW_SLOTS])
{
	bool any = false;

	for (unsigned i = 0; i < s->n; i++) {
		const struct sweep_span *span = &s->spans[i];
		uint64_t *row = rows[span->row];

		if (span->frame != frame)
			continue;
		any = true;
		row[ROW_COUNT]++;
		row[ROW_SPAN] += (uint64_t)(span->end_ns - span->begin_ns);
		for (unsigned w = ROW_DRAWS; w < ROW_SLOTS; w++)
			fold_work(&row[w], span->work[w - ROW_DRAWS]);
	}
	return any;
}

int64_t sweep_frame(struct sweep *s, uint64_t frame, uint64_t rows[PASS_ROWS][ROW_SLOTS])
{
	unsigned n = sort_edges(s), n_open = 0;
	uint64_t oldest = frame < FRAMES_BEHIND ? 0 : frame - FRAMES_BEHIND; /* that is kept */
	int64_t busy_ns = 0;
	bool any;

	for (unsigned e = 0; e < n; e++) {
		int64_t ns = e ? s->edges[e].at_ns - s->edges[e - 1].at_ns : 0;
		unsigned ours = 0;

		for (unsigned i = 0; i < n_open && ns; i++) {
			const struct sweep_span *span = &s->spans[s->open[i]];

			if (span->frame == frame) {
				rows[span->row][ROW_TIME] += (uint64_t)ns / n_open;
				ours++;
			}
		}
		busy_ns += n_open ? ns * ours / n_open : 0;
		if (s->edges[e].begins)
			s->open[n_open++] = s->edges[e].span;
		else
			remove_open(s, &n_open, s->edges[e].span);
	}
	any = add_spans(s, frame, rows);
	n = 0;
	for (unsigned i = 0; i < s->n; i++)
		if (s->spans[i].frame >= oldest)
			s->spans[n++] = s->spans[i];
	s->n = n;
	return any ? busy_ns : -1;
}
