/* Frames. Collect the changes in groups, and write next the group that costs the fewest bytes from
 * the current cursor position and attributes: for example down a column of new chart points, or
 * along numbers of the same look. */
#include "term/term_cells.h"
#include "base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void cells_init(struct cells *c, const struct term_strings *strings, const struct look *looks,
		unsigned n_styles, bool ascii)
{
	const char *rep = strings->cap[CAP_REP];

	*c = (struct cells){.strings = strings, .ascii = ascii, .stale = true};
	pen_init(&c->pen, strings, looks, n_styles);
	/* The first parameter is one byte. The rest of the string repeats any character, unless it
	 * uses that byte again. */
	if (rep && !strncmp(rep, "%p1%c", 5) && !strstr(rep + 5, "%p1"))
		c->repeat = rep + 5;
}

void cells_fini(struct cells *c)
{
	pen_fini(&c->pen);
	free(c->shown);
	free(c->next);
	c->shown = c->next = NULL;
	strbuf_fini(&c->way);
}

void cells_resize(struct cells *c, int cols, int rows)
{
	size_t n = (size_t)cols * (size_t)rows;

	c->cols = cols;
	c->rows = rows;
	c->shown = xreallocarray(c->shown, n, sizeof(*c->shown));
	c->next = xreallocarray(c->next, n, sizeof(*c->next));
	c->stale = true;
}

void cells_forget(struct cells *c)
{
	c->stale = true;
}

/* ---- what to show ---- */

/* Whether the terminal can show the character. How wide it is, the canvas says. */
static bool is_safe(const struct cells *c, uint32_t ch)
{
	return (ch >= 0x20 && ch < 0x7f) || (!c->ascii && ch >= 0xa0 && ch < 0x110000);
}

static uint32_t make_code(const struct cells *c, uint32_t ch, unsigned style)
{
	unsigned look = c->pen.of_style[style < c->pen.n_styles ? style : 0];

	return ch == ' ' && !c->pen.looks[look].shows_blank ? CODE_BLANK : ch | look << CODE_LOOK_SHIFT;
}

/* The right half of a wide character has the look of the left one, so both halves change together
 * and are written together. */
static void make_wide(const struct cells *c, const struct cell *left, uint32_t *codes)
{
	bool safe = is_safe(c, left->ch);

	codes[0] = make_code(c, safe ? left->ch : '?', left->style);
	codes[1] = safe ? code_look(codes[0]) << CODE_LOOK_SHIFT : make_code(c, ' ', left[1].style);
}

static void make_row(const struct cells *c, const struct canvas *canvas, int y, uint32_t *codes)
{
	const struct cell *cells = canvas->cells + (size_t)y * (size_t)canvas->cols;
	int n = y >= canvas->rows ? 0 : c->cols < canvas->cols ? c->cols : canvas->cols;
	struct cell last = {0};

	for (int x = 0; x < n; x++) {
		struct cell cell = cells[x];

		if (cell.ch && !memcmp(&cell, &last, sizeof(cell)))
			codes[x] = codes[x - 1];
		else if (!cell.ch && last.ch)
			make_wide(c, &cells[x - 1], &codes[x - 1]);
		else
			codes[x] = make_code(c,
					     !cell.ch              ? ' '
					     : is_safe(c, cell.ch) ? cell.ch
								   : '?',
					     cell.style);
		last = cell;
	}
	for (int x = n; x < c->cols; x++)
		codes[x] = CODE_BLANK;
}

/* Whether writing the last column of the last row scrolls the screen. */
static bool corner_scrolls(const struct cells *c)
{
	return c->strings->am && !c->strings->xenl;
}

/* Insertion can fill such a corner. Without insertion, or beside a wide character, leave it
 * blank. */
static void spare_corner(const struct cells *c)
{
	uint32_t *last = c->next + (size_t)c->cols * (size_t)c->rows - 1;
	bool is_wide = !code_char(*last);

	if (!corner_scrolls(c) || (c->strings->cap[CAP_ICH] && c->strings->cap[CAP_EL] && c->cols > 1 &&
				   !is_wide && code_char(last[-1])))
		return;
	*last = CODE_BLANK;
	if (is_wide)
		last[-1] = CODE_BLANK;
}

/* ---- writing ---- */

static bool has_changed(const struct cells *c, int y, int x)
{
	size_t i = (size_t)y * (size_t)c->cols + (size_t)x;

	return c->shown[i] != c->next[i];
}

static bool is_changed(const struct cells *c, int y)
{
	size_t cols = (size_t)c->cols, at = (size_t)y * cols;

	return memcmp(c->shown + at, c->next + at, cols * sizeof(*c->next)) != 0;
}

static int next_change(const struct cells *c, int y, int x, int end)
{
	const uint32_t *shown = c->shown + (size_t)y * (size_t)c->cols;
	const uint32_t *next = c->next + (size_t)y * (size_t)c->cols;

	while (x < end && shown[x] == next[x])
		x++;
	return x;
}

unsigned cells_look(const struct cells *c, int y, int x, unsigned now)
{
	uint32_t code = c->next[(size_t)y * (size_t)c->cols + (size_t)x];

	if (code != CODE_BLANK)
		return code_look(code);
	if (!c->pen.looks[now].shows_blank)
		return now;
	return c->pen.looks[c->look].shows_blank ? 0 : c->look;
}

static void set_shown(struct cells *c, int y, int from, int end)
{
	size_t at = (size_t)y * (size_t)c->cols + (size_t)from;

	memcpy(c->shown + at, c->next + at, (size_t)(end - from) * sizeof(*c->shown));
}

/* Note that a character was written in the column before x. Terminals differ in where the cursor is
 * after the last column. */
static void advance_cursor(struct cells *c, int x)
{
	c->x = x < c->cols ? x : -1;
	if (x >= c->cols && c->strings->am && !c->strings->xenl)
		c->y = -1;
}

/* How many cells from x on shall have the same character, up to the last of them that has
 * changed. */
static int count_same(const struct cells *c, int y, int x, int end)
{
	const uint32_t *next = c->next + (size_t)y * (size_t)c->cols;
	int last = x;

	for (int i = x; i < end && next[i] == next[x]; i++)
		if (has_changed(c, y, i))
			last = i;
	return last - x + 1;
}

#define MOVE_COST 4         /* an estimate of the bytes of a short move */
#define SHORTEST_SEQUENCE 2 /* no sequence is worth it for fewer characters */

/* Write n cells of the same character with one sequence, if that is shorter than writing the first
 * `plain` of them one by one and moving past the rest. */
static bool write_repeated(struct cells *c, int y, int x, int n, int plain, struct strbuf *out)
{
	const struct term_strings *strings = c->strings;
	uint32_t code = c->next[(size_t)y * (size_t)c->cols + (size_t)x];
	size_t start = out->n, character, most;

	if (n < SHORTEST_SEQUENCE)
		return false;
	code_add(code, out);
	character = out->n - start;
	most = character * (size_t)plain + (plain < n ? MOVE_COST : 0);
	/* Many terminals repeat ASCII only: tmux, for one, forgets any other character. Some have a
	 * pending wrap one column early after a repetition. */
	if (c->repeat && code_char(code) < 0x80 && x + n < c->cols - 1) {
		strings->add(out, c->repeat, (int)code_char(code), n);
		if (out->n - start < most) {
			advance_cursor(c, x + n);
			return true;
		}
	}
	out->n = start;
	if (code != CODE_BLANK || !strings->cap[CAP_ECH])
		return false;
	strings->add(out, strings->cap[CAP_ECH], n, 0);
	if (out->n - start + MOVE_COST < most)
		return true;
	out->n = start;
	return false;
}

/* Write the changed cell at x and changed cells of the same character after it. Returns the column
 * after them. */
static int write_cells(struct cells *c, int y, int x, int end, struct strbuf *out)
{
	const uint32_t *next = c->next + (size_t)y * (size_t)c->cols;
	int same = count_same(c, y, x, end), n = 1;

	cells_move(c, y, x, out);
	pen_set(&c->pen, cells_look(c, y, x, c->pen.now), out);
	if (code_is_wide(next, x, c->cols)) {
		code_add(next[x], out);
		advance_cursor(c, x + 2);
		c->unsure = true;
		set_shown(c, y, x, x + 2);
		return x + 2;
	}
	while (n < same && has_changed(c, y, x + n))
		n++;
	if (write_repeated(c, y, x, same, n, out)) {
		n = same;
	} else {
		for (int i = 0; i < n; i++)
			code_add(next[x], out);
		advance_cursor(c, x + n);
	}
	set_shown(c, y, x, x + n);
	return x + n;
}

/* The column from which to erase the row; cols if it is not to be erased. */
static int erase_from(const struct cells *c, int y, int from)
{
	const uint32_t *next = c->next + (size_t)y * (size_t)c->cols;
	const char *el = c->strings->cap[CAP_EL];
	int blank = c->cols, changes = 0;

	while (blank > from && next[blank - 1] == CODE_BLANK)
		blank--;
	for (int x = blank; x < c->cols; x++)
		changes += has_changed(c, y, x);
	if (!el || !changes || ((size_t)changes <= strlen(el) && !(corner_scrolls(c) && y == c->rows - 1)))
		return c->cols;
	return next_change(c, y, blank, c->cols);
}

/* Write the last character one column early, then insert the character before it, which pushes it
 * into the corner. */
static void write_corner(struct cells *c, struct strbuf *out)
{
	int y = c->rows - 1, x = c->cols - 1;
	const uint32_t *next = c->next + (size_t)y * (size_t)c->cols;

	cells_move(c, y, x - 1, out);
	pen_set(&c->pen, code_look(next[x]), out);
	code_add(next[x], out);
	advance_cursor(c, x);
	cells_move(c, y, x - 1, out);
	c->strings->add(out, c->strings->cap[CAP_ICH], 1, 0);
	pen_set(&c->pen, code_look(next[x - 1]), out);
	code_add(next[x - 1], out);
	advance_cursor(c, x);
	set_shown(c, y, x, c->cols);
}

/* ---- order of writing ---- */

#define GROUP_GAP 4 /* unchanged cells allowed inside a group, such as digits of a number */

static void add_group(struct cells *c, int y, int from, int end, enum group_kind kind)
{
	int reach = 4 + count_digits(y + 1) + count_digits(from + 1);

	c->groups[c->n_groups++] = (struct cell_group){(int16_t)y,  (int16_t)from, (int16_t)end,
						       GROUP_BLANK, (uint8_t)kind, (uint8_t)reach};
}

/* Add the group that starts with the change at x: it ends where changes are far apart or have
 * another look. */
static void add_cells(struct cells *c, int y, int x, int end)
{
	struct cell_group *group = &c->groups[c->n_groups];
	const uint32_t *next = c->next + (size_t)y * (size_t)c->cols;

	add_group(c, y, x, x, GROUP_CELLS);
	for (; x < end && x - group->end < GROUP_GAP + 1; x++) {
		if (!has_changed(c, y, x))
			continue;
		if (next[x] != CODE_BLANK && group->look == GROUP_BLANK)
			group->look = (uint16_t)code_look(next[x]);
		if (next[x] != CODE_BLANK && group->look != code_look(next[x]))
			return;
		group->end = (int16_t)(x + 1);
	}
}

/* Add the groups of a row, as many as fit. Returns the column after them. */
static int add_row(struct cells *c, int y, int from)
{
	int erase = erase_from(c, y, from), end = erase, x;
	bool corner = erase == c->cols && y == c->rows - 1 && corner_scrolls(c);

	if (corner)
		end--;
	for (x = next_change(c, y, from, end); x < end && c->n_groups < GROUPS_MAX;
	     x = next_change(c, y, x, end)) {
		add_cells(c, y, x, end);
		x = c->groups[c->n_groups - 1].end;
	}
	if (x < end || c->n_groups == GROUPS_MAX)
		return x;
	if (erase < c->cols)
		add_group(c, y, erase, c->cols, GROUP_ERASE);
	else if (corner && has_changed(c, y, end))
		add_group(c, y, end, c->cols, GROUP_CORNER);
	return c->cols;
}

/* About how many bytes it takes to go n rows or columns on: a byte per step if the way is short,
 * else a sequence. */
static int steps_cost(int n, bool by_byte)
{
	int sequence = n == 1 ? 3 : 3 + count_digits(n);

	return n == 0 || (by_byte && n < sequence) ? n : sequence;
}

/* The group that takes about the fewest bytes from a row and column (x < 0: unknown), in that
 * look. */
static struct cell_group *cheapest_group(struct cells *c, struct cell_group *from, int y, int x,
					 unsigned look)
{
	int blank = c->pen.looks[look].shows_blank ? pen_cost(&c->pen, look, 0) : 0, least = INT_MAX;
	struct cell_group *cheapest = from;

	for (struct cell_group *g = from; g < c->groups + c->n_groups; g++) {
		int cost = g->look == GROUP_BLANK ? blank : pen_cost(&c->pen, look, g->look), way;

		if (cost >= least)
			continue;
		way = x < 0 ? INT_MAX
			    : steps_cost(abs(g->y - y), g->y > y) + steps_cost(abs(g->from - x), g->from < x);
		cost += way < g->reach ? way : g->reach;
		if (cost < least) {
			least = cost;
			cheapest = g;
		}
	}
	return cheapest;
}

/* Always the cheapest next. Better orders were tried and save one byte in a hundred. */
static void order_groups(struct cells *c)
{
	unsigned look = c->pen.now;
	int y = 0, x = -1;

	for (struct cell_group *g = c->groups; g < c->groups + c->n_groups; g++) {
		struct cell_group *cheapest = cheapest_group(c, g, y, x, look), group = *cheapest;

		memmove(g + 1, g, (size_t)(cheapest - g) * sizeof(group));
		*g = group;
		y = group.y;
		x = group.kind == GROUP_CELLS ? group.end : group.from;
		x = x < c->cols ? x : -1;
		if (group.look != GROUP_BLANK)
			look = group.look;
		else if (c->pen.looks[look].shows_blank)
			look = 0;
	}
}

static void write_groups(struct cells *c, struct strbuf *out)
{
	for (unsigned i = 0; i < c->n_groups; i++) {
		const struct cell_group *group = &c->groups[i];

		c->look = group->look == GROUP_BLANK ? 0 : group->look;
		if (group->kind == GROUP_ERASE) {
			cells_move(c, group->y, group->from, out);
			pen_set(&c->pen, cells_look(c, group->y, group->from, c->pen.now), out);
			c->strings->add(out, c->strings->cap[CAP_EL], 0, 0);
			set_shown(c, group->y, group->from, c->cols);
		}
		if (group->kind == GROUP_CORNER)
			write_corner(c, out);
		if (group->kind == GROUP_CELLS)
			for (int x = group->from; x < group->end; x = next_change(c, group->y, x, group->end))
				x = write_cells(c, group->y, x, group->end, out);
	}
	c->n_groups = 0;
}

/* If most of the screen changes, write it from top to bottom: that looks best on a slow
 * terminal. */
static void write_changes(struct cells *c, bool all, struct strbuf *out)
{
	for (int y = 0; y < c->rows; y++)
		for (int x = is_changed(c, y) ? 0 : c->cols; x < c->cols;) {
			x = add_row(c, y, x);
			all |= c->n_groups == GROUPS_MAX;
			if (c->n_groups == GROUPS_MAX)
				write_groups(c, out);
		}
	if (!all)
		order_groups(c);
	write_groups(c, out);
}

/* ---- frames ---- */

bool cells_draw(struct cells *c, const struct canvas *canvas, struct strbuf *out)
{
	size_t start = out->n, cols = (size_t)c->cols, size = cols * (size_t)c->rows * sizeof(*c->next);
	bool all;

	for (int y = 0; y < c->rows; y++)
		make_row(c, canvas, y, c->next + (size_t)y * cols);
	spare_corner(c);
	if (!c->stale && !memcmp(c->shown, c->next, size))
		return false;
	all = c->stale;
	if (all) {
		pen_reset(&c->pen, out);
		c->strings->add(out, c->strings->cap[CAP_CLEAR], 0, 0);
		for (int i = 0; i < c->cols * c->rows; i++)
			c->shown[i] = CODE_BLANK;
		c->stale = false;
	}
	/* Another program may have moved the cursor since the last frame, so each frame places it
	 * again, and ends in the default look. */
	c->x = c->y = -1;
	c->unsure = false;
	write_changes(c, all, out);
	pen_set(&c->pen, 0, out);
	return out->n > start;
}
