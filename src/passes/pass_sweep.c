#include "passes/pass_fold.h"

#include <string.h>

/* Frames in flight may still run beside a later one. */
#define FRAMES_BEHIND 2
/* Spans that the frames of a sample may look at together, as 20 frames of 20,000 passes with four
 * others each. An application that writes anything must not keep the sampler busy. */
#define LOOKS_MOST 8000000
#define FRACTION 12 /* bits of a ns */

void sweep_add(struct sweep *s, const struct sweep_span *span)
{
	if (s->n < SPANS_MOST)
		s->spans[s->n++] = *span;
	else
		s->full = true;
}

/* At one time begins come before ends. */
static bool is_before(const struct sweep_edge *a, const struct sweep_edge *b)
{
	return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->begins && !b->begins);
}

static void sift_down(struct sweep_edge *edges, unsigned at, unsigned n)
{
	const struct sweep_edge edge = edges[at];

	for (unsigned child; (child = 2 * at + 1) < n; at = child) {
		child += child + 1 < n && is_before(&edges[child], &edges[child + 1]);
		if (!is_before(&edge, &edges[child]))
			break;
		edges[at] = edges[child];
	}
	edges[at] = edge;
}

/* Passes come almost in order, and then insertion is almost linear. If they do not, sort a heap. */
static void sort_edges(struct sweep_edge *edges, unsigned n)
{
	uint64_t moves = 0;

	for (unsigned i = 1; i < n && moves < 16ull * n; i++) {
		const struct sweep_edge edge = edges[i];
		unsigned at = i;

		for (; at > 0 && is_before(&edge, &edges[at - 1]); at--)
			edges[at] = edges[at - 1];
		edges[at] = edge;
		moves += i - at;
	}
	if (moves < 16ull * n)
		return;
	for (unsigned i = n / 2; i-- > 0;)
		sift_down(edges, i, n);
	for (unsigned i = n; i-- > 1;) {
		const struct sweep_edge last = edges[i];

		edges[i] = edges[0];
		edges[0] = last;
		sift_down(edges, 0, i);
	}
}

/* Collect the edges of all spans that ran while those of the frame did. Returns their number, and
 * the frame's *n spans. */
static unsigned collect_edges(struct sweep *s, uint64_t frame, unsigned *n)
{
	int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;
	unsigned n_edges = 0;

	*n = 0;
	for (const struct sweep_span *span = s->spans; span < s->spans + s->n; span++) {
		if (span->frame != frame)
			continue;
		++*n;
		from_ns = span->begin_ns < from_ns ? span->begin_ns : from_ns;
		to_ns = span->end_ns > to_ns ? span->end_ns : to_ns;
	}
	for (unsigned i = 0; i < s->n && *n; i++) {
		s->spans[i].own_ns = 0;
		if (s->spans[i].end_ns <= from_ns || s->spans[i].begin_ns >= to_ns)
			continue;
		s->edges[n_edges++] = (struct sweep_edge){s->spans[i].begin_ns, i, true};
		s->edges[n_edges++] = (struct sweep_edge){s->spans[i].end_ns, i, false};
	}
	return n_edges;
}

int64_t sweep_frame(struct sweep *s, uint64_t frame, unsigned *n)
{
	unsigned n_edges, n_open = 0;
	uint64_t share = 0, busy = 0; /* share: of the time so far, for each pass that ran all of it */

	*n = 0;
	s->looks += s->n;
	if (s->looks > LOOKS_MOST) {
		s->n = 0;
		s->full = true;
		return -1;
	}
	n_edges = collect_edges(s, frame, n);
	sort_edges(s->edges, n_edges);
	for (unsigned e = 0; e < n_edges; e++) {
		const struct sweep_edge *edge = &s->edges[e];
		struct sweep_span *span = &s->spans[edge->span];
		uint64_t ns = e ? (uint64_t)(edge->at_ns - edge[-1].at_ns) : 0;

		share += n_open ? (ns << FRACTION) / n_open : 0;
		if (edge->begins) {
			span->own_ns = share;
			n_open++;
			continue;
		}
		n_open--;
		busy += span->frame == frame ? share - span->own_ns : 0;
		span->own_ns = (share - span->own_ns + (1 << FRACTION) / 2) >> FRACTION;
	}
	return *n ? (int64_t)((busy + (1 << FRACTION) / 2) >> FRACTION) : -1;
}

void sweep_forget(struct sweep *s, uint64_t frame)
{
	uint64_t oldest = frame < FRAMES_BEHIND ? 0 : frame - FRAMES_BEHIND;
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++)
		if (s->spans[i].frame >= oldest)
			s->spans[n++] = s->spans[i];
	s->n = n;
}
