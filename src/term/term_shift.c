/* Rows that moved, as in a table when a row is inserted or removed, and histories that moved on by
 * a cell: let the terminal move them. */
#include "term/term_cells.h"

#include <stdlib.h>
#include <string.h>

#define SHIFT_MAX 12   /* rows */
#define SHIFT_LEAST 40 /* cells that a shift must save to be worth its bytes */
#define SHIFTS_MAX 6   /* in one frame */
#define PULL_LEAST 28  /* bytes of cells that a pull must save */
#define ROW_CHANGED 10 /* a row is another one if more than 1/10 of it has changed */

/* Rows top to bottom move down by `by` rows (up if negative). Rows that leave are lost, rows that
 * enter are blank. */
struct shift {
	int top, bottom, by;
	int saved; /* cells that need not be written */
};

static int count_differences(const uint32_t *a, const uint32_t *b, int n)
{
	int differences = 0;

	if (!memcmp(a, b, (size_t)n * sizeof(*a)))
		return 0;
	for (int i = 0; i < n; i++)
		differences += a[i] != b[i];
	return differences;
}

static int count_characters(const uint32_t *row, int n)
{
	int characters = 0;

	for (int i = 0; i < n; i++)
		characters += row[i] != CODE_BLANK;
	return characters;
}

/* Cells saved by a shift, as running sums over the rows: for rows that move, and for rows that
 * enter blank. */
struct savings {
	int now[CANVAS_ROWS_MAX]; /* by row: cells to write without a shift */
	int moved[CANVAS_ROWS_MAX + 1], blank[CANVAS_ROWS_MAX + 1];
};

/* Fill in `now`. Returns whether enough rows changed so much that they may have moved. */
static bool count_changes(const struct cells *c, struct savings *sums)
{
	size_t cols = (size_t)c->cols;
	int changes = 0;

	for (int y = 0; y < c->rows; y++) {
		size_t at = (size_t)y * cols;

		sums->now[y] = count_differences(c->next + at, c->shown + at, c->cols);
		changes += sums->now[y] > c->cols / ROW_CHANGED ? sums->now[y] : 0;
	}
	return changes >= SHIFT_LEAST;
}

static void sum_blanks(const struct cells *c, struct savings *sums)
{
	sums->blank[0] = 0;
	for (int y = 0; y < c->rows; y++)
		sums->blank[y + 1] = sums->blank[y] + sums->now[y] -
				     count_characters(c->next + (size_t)y * (size_t)c->cols, c->cols);
}

static void sum_moved(const struct cells *c, int by, struct savings *sums)
{
	size_t cols = (size_t)c->cols;

	sums->moved[0] = 0;
	for (int y = 0; y < c->rows; y++) {
		int from = y - by, moved = sums->now[y];

		if (from >= 0 && from < c->rows)
			moved = count_differences(c->next + (size_t)y * cols, c->shown + (size_t)from * cols,
						  c->cols);
		sums->moved[y + 1] = sums->moved[y] + sums->now[y] - moved;
	}
}

static struct shift best_shift(const struct cells *c, int by, struct savings *sums)
{
	struct shift best = {.by = by};
	int n = abs(by);

	sum_blanks(c, sums);
	sum_moved(c, by, sums);
	for (int top = 0; top + n < c->rows; top++)
		for (int bottom = top + n; bottom < c->rows; bottom++) {
			/* rows begin to end - 1 enter blank */
			int begin = by > 0 ? top : bottom + 1 - n, end = begin + n;
			int saved = sums->blank[end] - sums->blank[begin] +
				    (by > 0 ? sums->moved[bottom + 1] - sums->moved[end]
					    : sums->moved[begin] - sums->moved[top]);

			if (saved > best.saved)
				best = (struct shift){top, bottom, by, saved};
		}
	return best;
}

/* The distance by which most of the changed rows have moved; 0 if none is found nearby. */
static int likely_distance(const struct cells *c, const struct savings *sums)
{
	size_t cols = (size_t)c->cols;
	int best = 0, most = 0;

	for (int by = -SHIFT_MAX; by <= SHIFT_MAX; by++) {
		int rows = 0;

		for (int y = by > 0 ? by : 0; y < c->rows && y - by < c->rows; y++)
			rows += sums->now[y] > c->cols / ROW_CHANGED &&
				!memcmp(c->next + (size_t)y * cols, c->shown + (size_t)(y - by) * cols,
					cols * sizeof(*c->next));
		if (rows > most) {
			most = rows;
			best = by;
		}
	}
	return best;
}

static void add_rows(struct cells *c, enum term_string cap, int y, int n, struct strbuf *out)
{
	cells_move(c, y, 0, out);
	c->strings->add(out, c->strings->cap[cap], n, 0);
	c->x = -1; /* terminals disagree */
}

static void shift_rows(struct cells *c, const struct shift *shift, struct strbuf *out)
{
	int n = abs(shift->by), in = shift->by > 0 ? shift->top : shift->bottom + 1 - n;
	int leave = shift->by > 0 ? shift->bottom + 1 - n : shift->top;
	size_t cols = (size_t)c->cols, moved = (size_t)(shift->bottom + 1 - shift->top - n) * cols;
	uint32_t *top = c->shown + (size_t)shift->top * cols;

	/* Rows pushed off the screen need not be deleted first. */
	if (shift->by < 0 || shift->bottom + 1 < c->rows)
		add_rows(c, CAP_DL, leave, n, out);
	if (shift->by > 0 || shift->bottom + 1 < c->rows)
		add_rows(c, CAP_IL, in, n, out);
	memmove(shift->by > 0 ? top + (size_t)n * cols : top, shift->by > 0 ? top : top + (size_t)n * cols,
		moved * sizeof(*top));
	for (size_t i = (size_t)in * cols; i < (size_t)(in + n) * cols; i++)
		c->shown[i] = CODE_BLANK;
}

static void move_rows(struct cells *c, struct strbuf *out)
{
	struct savings sums;

	/* CAP_EL, because a row that enters a corner that cannot be written must be erased. */
	if (!c->strings->cap[CAP_IL] || !c->strings->cap[CAP_DL] || !c->strings->cap[CAP_EL])
		return;
	for (int i = 0; i < SHIFTS_MAX && count_changes(c, &sums); i++) {
		int by = likely_distance(c, &sums);
		struct shift shift = {0};

		if (by)
			shift = best_shift(c, by, &sums);
		if (shift.saved < SHIFT_LEAST)
			return;
		shift_rows(c, &shift, out);
	}
}

/* Find the next cells of a row, from `from` on, that saves enough if they move to the left by one:
 * *end is after the last of them. Returns the first; c->cols if there are none. */
static int next_pull(const struct cells *c, int y, int from, int *end)
{
	const uint32_t *next = c->next + (size_t)y * (size_t)c->cols;
	const uint32_t *shown = c->shown + (size_t)y * (size_t)c->cols;
	int first = from, sum = 0, best = 0;

	/* The best sum is taken when what follows costs as much as another pull. */
	for (int x = from; best - sum < PULL_LEAST; x++) {
		while (!best && x < c->cols && next[x] == shown[x])
			x++;
		if (x + 1 >= c->cols)
			break;
		if (!code_char(shown[x]) || !code_char(shown[x + 1]))
			return c->cols; /* beside half a character */
		sum += ((next[x] != shown[x]) - (next[x] != shown[x + 1])) *
		       (code_char(next[x]) < 0x80 ? 1 : 3);
		if (sum > best) {
			first = best ? first : x;
			best = sum;
			*end = x + 1;
		} else if (sum <= 0 && best < PULL_LEAST) {
			sum = best = 0;
		}
	}
	return best < PULL_LEAST ? c->cols : first;
}

/* Delete the cell at `from`, and insert one before `end`. */
static void pull_cells(struct cells *c, int y, int from, int end, struct strbuf *out)
{
	uint32_t *row = c->shown + (size_t)y * (size_t)c->cols;

	cells_move(c, y, from, out);
	pen_set(&c->pen, 0, out); /* what comes in may get its background */
	c->strings->add(out, c->strings->cap[CAP_DCH], 1, 0);
	cells_move(c, y, end, out);
	pen_set(&c->pen, 0, out);
	c->strings->add(out, c->strings->cap[CAP_ICH], 1, 0);
	memmove(row + from, row + from + 1, (size_t)(end - from) * sizeof(*row));
	row[end] = CODE_BLANK;
}

void cells_shift(struct cells *c, struct strbuf *out)
{
	move_rows(c, out);
	if (!c->strings->cap[CAP_DCH] || !c->strings->cap[CAP_ICH])
		return;
	for (int y = 0; y < c->rows; y++)
		for (int end = 0, x = cells_changed(c, y) ? next_pull(c, y, 0, &end) : c->cols; x < c->cols;
		     x = next_pull(c, y, end + 1, &end))
			pull_cells(c, y, x, end, out);
}
