/* Move the cursor to a cell in the fewest bytes. */
#include "term/term_cells.h"
#include "base/alloc.h"

#define WAY_MAX 24 /* bytes; a longer way is never the shortest */
#define HOPS_MAX 3

/* Capabilities that move the cursor, one after another. n > WAY_MAX: the terminal does not support
 * this way. */
struct move_way {
	size_t n; /* bytes */
	unsigned n_hops;
	struct move_hop {
		uint8_t cap;
		int16_t a, b, times;
	} hops[HOPS_MAX];
};

static const struct move_way no_way = {.n = WAY_MAX + 1};

/* ---- how long a way is ---- */

static unsigned filled_length(struct cells *c, enum term_string cap, int a, int b)
{
	strbuf_clear(&c->scratch);
	c->strings->add(&c->scratch, c->strings->cap[cap], a, b);
	return c->scratch.n <= WAY_MAX ? (unsigned)c->scratch.n : 0;
}

static unsigned cap_length(struct cells *c, enum term_string cap, int a, int b)
{
	const struct cap_length *l = &c->lengths[cap];
	int digits = 0;

	if (l->is_irregular)
		return filled_length(c, cap, a, b);
	if (l->a)
		digits += count_digits(a + l->first) - 1;
	if (l->b)
		digits += count_digits(b + l->first) - 1;
	return l->least ? l->least + (unsigned)digits : 0;
}

void cells_measure_moves(struct cells *c)
{
	static const int tries[][2] = {{0, 0}, {8, 99}, {9, 100}, {98, 9}, {99, 8}, {199, 499}};

	for (enum term_string cap = CAP_CUP; cap <= CAP_CR; cap++) {
		struct cap_length *l = &c->lengths[cap];

		if (!c->strings->cap[cap])
			continue;
		l->least = (uint8_t)filled_length(c, cap, 1, 1);
		l->a = filled_length(c, cap, 10, 1) > l->least;
		l->b = filled_length(c, cap, 1, 10) > l->least;
		l->first = filled_length(c, cap, 9, 9) > l->least;
		for (size_t i = 0; i < ARRAY_LEN(tries) && !l->is_irregular; i++)
			l->is_irregular = cap_length(c, cap, tries[i][0], tries[i][1]) !=
					  filled_length(c, cap, tries[i][0], tries[i][1]);
	}
}

static struct move_way way_by(struct cells *c, enum term_string cap, int a, int b)
{
	unsigned n = c->strings->cap[cap] ? cap_length(c, cap, a, b) : 0;

	return n ? (struct move_way){n, 1, {{(uint8_t)cap, (int16_t)a, (int16_t)b, 1}}} : no_way;
}

static struct move_way shorter_way(struct move_way a, struct move_way b)
{
	return b.n < a.n ? b : a;
}

static struct move_way joined_way(struct move_way a, struct move_way b)
{
	if (a.n + b.n > WAY_MAX)
		return no_way;
	for (unsigned i = 0; i < b.n_hops; i++)
		a.hops[a.n_hops++] = b.hops[i];
	a.n += b.n;
	return a;
}

/* ---- the shortest ---- */

/* n steps in one direction, one by one or with one sequence. */
static struct move_way way_of_steps(struct cells *c, enum term_string one, enum term_string many, int n)
{
	struct move_way steps = way_by(c, one, 0, 0);

	steps.n *= (size_t)n;
	steps.hops[0].times = (int16_t)n;
	return n == 1 && steps.n <= WAY_MAX ? steps : shorter_way(steps, way_by(c, many, n, 0));
}

static struct move_way way_across(struct cells *c, int from, int to)
{
	if (from == to)
		return (struct move_way){0};
	return from < to ? way_of_steps(c, CAP_CUF1, CAP_CUF, to - from)
			 : way_of_steps(c, CAP_CUB1, CAP_CUB, from - to);
}

static struct move_way way_to_column(struct cells *c, int x)
{
	struct move_way way;

	if (c->x == x && !c->unsure)
		return (struct move_way){0};
	way = shorter_way(way_by(c, CAP_HPA, x, 0), joined_way(way_by(c, CAP_CR, 0, 0), way_across(c, 0, x)));
	return c->x < 0 || c->unsure ? way : shorter_way(way, way_across(c, c->x, x));
}

static struct move_way way_to_row(struct cells *c, int y)
{
	if (c->y == y)
		return (struct move_way){0};
	return shorter_way(way_by(c, CAP_VPA, y, 0), c->y < y ? way_of_steps(c, CAP_CUD1, CAP_CUD, y - c->y)
							      : way_of_steps(c, CAP_CUU1, CAP_CUU, c->y - y));
}

static void add_way(struct cells *c, const struct move_way *way, struct strbuf *out)
{
	for (const struct move_hop *hop = way->hops; hop < way->hops + way->n_hops; hop++)
		for (int i = 0; i < hop->times; i++)
			c->strings->add(out, c->strings->cap[hop->cap], hop->a, hop->b);
}

/* The column first, because that cancels a pending wrap in the last column. */
static struct move_way best_way(struct cells *c, int y, int x)
{
	struct move_way way = way_by(c, CAP_CUP, y, x);

	if (y == 0 && x == 0)
		way = shorter_way(way, way_by(c, CAP_HOME, 0, 0));
	return c->y < 0 ? way : shorter_way(way, joined_way(way_to_column(c, x), way_to_row(c, y)));
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
	struct move_way way;

	if (c->y == y && c->x == x && (!c->unsure || code_is_wide(row, x, c->cols)))
		return;
	if (!c->strings->msgr)
		pen_set(&c->pen, 0, out);
	way = best_way(c, y, x);
	if (c->y != y || c->x < 0 || c->x > x || c->unsure || !rewrite_cells(c, x, way.n, out))
		add_way(c, &way, out);
	c->y = y;
	c->x = x;
	c->unsure = false;
}
