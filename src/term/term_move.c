/* Move the cursor to a cell in few bytes. */
#include "term/term_cells.h"

#include <stdlib.h>
#include <string.h>

/* Append a capability. Returns false if the terminal does not have it. */
static bool move_by(const struct cells *c, enum term_string cap, int a, int b, struct strbuf *out)
{
	if (!c->strings->cap[cap])
		return false;
	c->strings->add(out, c->strings->cap[cap], a, b);
	return true;
}

#define MANY_LEAST 4 /* bytes of a sequence with a number */

/* n steps, one by one. Returns false if a number may be shorter. */
static bool move_one_by_one(const struct cells *c, enum term_string one, int n, struct strbuf *out)
{
	const char *cap = c->strings->cap[one];

	if (!cap || (n > 1 && strlen(cap) * (size_t)n >= MANY_LEAST))
		return false;
	while (n-- > 0)
		c->strings->add(out, cap, 0, 0);
	return true;
}

/* Along a line, from one place to another: step by step, by their number, or to the place itself if
 * its number may be shorter. */
static bool move_along(const struct cells *c, const enum term_string caps[3], int from, int to,
		       struct strbuf *out)
{
	int n = abs(to - from);

	return move_one_by_one(c, caps[0], n, out) || (n <= to + 1 && move_by(c, caps[1], n, 0, out)) ||
	       move_by(c, caps[2], to, 0, out) || move_by(c, caps[1], n, 0, out);
}

static bool move_across(const struct cells *c, int x, struct strbuf *out)
{
	static const enum term_string left[] = {CAP_CUB1, CAP_CUB, CAP_HPA},
				      right[] = {CAP_CUF1, CAP_CUF, CAP_HPA};

	if (x == 0 && move_by(c, CAP_CR, 0, 0, out))
		return true;
	if (c->x < 0 || c->unsure)
		return move_by(c, CAP_HPA, x, 0, out);
	return move_along(c, x < c->x ? left : right, c->x, x, out);
}

/* Along the row first, because that cancels a pending wrap in the last column. */
static bool move_by_steps(const struct cells *c, int y, int x, struct strbuf *out)
{
	static const enum term_string up[] = {CAP_CUU1, CAP_CUU, CAP_VPA},
				      down[] = {CAP_CUD1, CAP_CUD, CAP_VPA};

	return (y == 0 && x == 0 && move_by(c, CAP_HOME, 0, 0, out)) ||
	       (c->y >= 0 && ((c->x == x && !c->unsure) || move_across(c, x, out)) &&
		(c->y == y || move_along(c, y < c->y ? up : down, c->y, y, out)));
}

/* To the cell from anywhere, or by steps if these are not longer. The text is in c->way. */
static struct span way_to(struct cells *c, int y, int x)
{
	struct strbuf *way = &c->way;
	size_t direct;

	strbuf_clear(way);
	move_by(c, CAP_CUP, y, x, way);
	direct = way->n;
	return move_by_steps(c, y, x, way) && way->n - direct <= direct
		       ? (struct span){way->p + direct, way->n - direct}
		       : (struct span){way->p, direct};
}

/* Write the cells from the cursor to x - 1 again if that takes fewer than `most` bytes. The
 * attribute change before the cell at x counts as well. */
static bool rewrite_cells(struct cells *c, int x, size_t most, struct strbuf *out)
{
	const uint32_t *row = c->next + (size_t)c->y * (size_t)c->cols;
	unsigned pen = c->pen.now;
	size_t start = out->n, rewritten;

	pen_change(&c->pen, pen, cells_look(c, c->y, x, pen), out);
	most += out->n - start;
	out->n = start;
	for (int i = c->x; i < x; i++) {
		unsigned look = cells_look(c, c->y, i, pen);

		pen_change(&c->pen, pen, look, out);
		pen = look;
		code_add(row[i], out);
		if (out->n - start >= most || !code_char(row[i]) || code_is_wide(row, i, c->cols)) {
			out->n = start;
			return false;
		}
	}
	rewritten = out->n;
	pen_change(&c->pen, pen, cells_look(c, c->y, x, pen), out);
	out->n = out->n - start < most ? rewritten : start;
	if (out->n == start)
		return false;
	c->pen.now = pen;
	return true;
}

void cells_move(struct cells *c, int y, int x, struct strbuf *out)
{
	const uint32_t *row = c->next + (size_t)y * (size_t)c->cols;
	struct span way;

	if (c->y == y && c->x == x && (!c->unsure || code_is_wide(row, x, c->cols)))
		return;
	if (!c->strings->msgr)
		pen_set(&c->pen, 0, out);
	way = way_to(c, y, x);
	if (c->y != y || c->x < 0 || c->x > x || c->unsure || !rewrite_cells(c, x, way.n, out))
		strbuf_add(out, way.p, way.n);
	c->y = y;
	c->x = x;
	c->unsure = false;
}
